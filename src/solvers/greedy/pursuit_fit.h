/* pursuit_fit.h - the fit on the attributes that a path has chosen
 *
 * It minimises the mean loss on S: least squares by the factor of the Gram
 * matrix, which grows by a row, or Newton's steps for labels. Every rank holds
 * the columns of S, and has the same numbers.
 * SPDX-License-Identifier: MIT */
#ifndef TH_PURSUIT_FIT_H
#define TH_PURSUIT_FIT_H

#include "math/cholesky.h"
#include "math/kernels/kernels.h"
#include "solvers/access/replicated_columns.h"
#include "solvers/penalised/problem.h"

#include <stdbool.h>
#include <stdint.h>

/* A row joins the factor if this share of its diagonal is its own. */
#define TH_PURSUIT_DEPENDS 1e-10

/* What shows the slopes of all attributes without a pass (pursuit.c). */
enum { TH_FORECAST_WIDTH = TH_GRADIENTS, TH_FORECAST_MOST = TH_GRADIENTS - 1 };

struct th_forecast {
  int64_t count; /* candidates; 0: it shows nothing */
  int64_t base;  /* |S| when it was made */
  int64_t candidate[TH_FORECAST_MOST];
  float *right;                   /* examples x 16: eta times a vector, over its
                                     unit, a power of two */
  double unit[TH_FORECAST_WIDTH]; /* 0: no vector */
  double norm[TH_FORECAST_WIDTH]; /* root of sum eta vector^2 */
  double *gradient;               /* places x 16 */
};

/* What paths on the same data share. Borrowed. */
struct th_pursuit_data {
  struct th_problem *problem;
  struct th_duals *duals;                /* work of passes */
  struct th_replicated_columns *columns; /* whatever any path has chosen, and
                                            its candidates */
  bool forecast; /* with forecasts; otherwise by a pass for every choice */
};

/* One path. Replicated; arrays over S are in the order of choice. */
struct th_pursuit {
  struct th_pursuit_data data;
  double *weight; /* examples: h; 0 where an example is left out */
  double total;   /* sum of h */
  int64_t size;   /* |S| */
  int64_t exempt; /* its first ones, which were not chosen: without a penalty */
  int64_t room;
  int64_t *attribute;
  int64_t *slot;     /* of its column */
  double *mean;      /* sum h x / total, or 0 without an intercept */
  double *deviation; /* labels: the weighted standard deviation */
  double *product;   /* sum h (x - mean) y */
  double *coef;
  double *gram; /* room x room: sum h (x_j - mean_j) (x_k - mean_k) */
  struct th_cholesky factor;
  double intercept;
  double *prediction; /* of each example, also of those that are left out */
  double *work;       /* examples */
  double loss;        /* mean of f under h */
  struct th_forecast forecast;
  double least; /* slopes below it end the path */
  bool known;   /* the duals have the slopes already */
  bool ended;   /* no attribute is left that would change the fit */
};

/* Room for its vectors, which stays until th_pursuit_fit_forecast_free. Local.
 */
th_status th_pursuit_fit_forecast_reserve(struct th_forecast *forecast,
                                          const struct th_problem *problem,
                                          struct th_error *err);
void th_pursuit_fit_forecast_free(struct th_forecast *forecast);

/* No vectors. Local. */
void th_pursuit_fit_forecast_clear(struct th_forecast *forecast,
                                   const struct th_problem *problem);

/* Vector k is factor times z over the examples. Local. */
void th_pursuit_fit_forecast_put(struct th_forecast *forecast,
                                 const struct th_problem *problem, int k,
                                 double factor, const double *z);

/* Begin with S empty. weight: of each example, copied. Collective. Release with
 * th_pursuit_fit_free, also after a failure. */
th_status th_pursuit_fit_init(struct th_pursuit *path,
                              const struct th_pursuit_data *data,
                              const double *weight, struct th_error *err);
/* Local. */
void th_pursuit_fit_free(struct th_pursuit *path);

/* Add this attribute, which is not in S, without a new fit. *depends: it is a
 * combination of S, and has not been added. Collective. */
th_status th_pursuit_fit_add(struct th_pursuit *path, int64_t attribute,
                             bool *depends, struct th_error *err);

/* Fit S. Collective. */
th_status th_pursuit_fit_solve(struct th_pursuit *path, struct th_error *err);

/* Predict all examples anew, and find the loss. Collective. */
th_status th_pursuit_fit_predict(struct th_pursuit *path, struct th_error *err);

/* The slot of an attribute's column, which is fetched unless a path has it.
 * Collective. */
th_status th_pursuit_fit_fetch(struct th_pursuit *path, int64_t attribute,
                               int64_t *slot, struct th_error *err);

#endif
