/* net.h - elastic-net paths on columns in memory
 *
 * min over b, b0 of the mean loss + lambda (mix |b|_1 + (1 - mix)/2 |b|^2), for
 * one lambda after the other, by the exact solver
 * (solvers/exact/working_set_solver.h), until the duality gap is 1e-6 of the
 * deviance that the model explains, or 1e-8 of the null deviance. The caller
 * may allow a larger gap by slack. A team of ranks that hold the same columns
 * shares the sums over examples and the looks at columns; its size changes no
 * bit. Other ranks may follow other paths meanwhile. All functions are
 * collective over the team.
 * SPDX-License-Identifier: MIT */
#ifndef TH_NET_H
#define TH_NET_H

#include "base/error.h"
#include "math/kernels/column.h"
#include "math/loss.h"

#include <stdbool.h>
#include <stdint.h>

/* All borrowed, and the same on every rank of the team. Columns are of one
 * form, and coefficients those of the values (x - centre) * scale. */
struct th_net_data {
  struct th_comm *comm; /* the team */
  int64_t rows;         /* n */
  int64_t count;        /* K columns */
  const struct th_vector *column;
  const double *target; /* less its mean, or -1 and +1 for labels */
  const double *weight; /* at least 0, only the ratios count; 0 leaves a row out
                           of the fit */
  const struct th_loss *loss;
  bool intercept;
  double slack; /* factor on these gaps, at least 1, 0 for 1; limited by the
                   deviance that is left (net.c) */
  double last_slack; /* the same at the last lambda */
};

/* The model at one lambda; the arrays end with the visit. */
struct th_net_point {
  double share; /* of the null deviance that it explains, 0 to 1 */
  double intercept;
  int64_t size;             /* coefficients that are not 0 */
  const int64_t *column;    /* size: which, ascending */
  const double *coef;       /* size */
  const double *prediction; /* rows: with the intercept; of all of them */
};

/* Called for lambda[k], on every rank of the team; *enough is the same on all.
 * A status other than TH_OK ends
 * the path with this status; *enough ends it with TH_OK. */
typedef th_status th_net_visitor(void *self, int64_t k,
                                 const struct th_net_point *point, bool *enough,
                                 struct th_error *err);

/* The largest slope of the mean loss over the columns at the zero model with
 * its intercept: from largest / mix on every model is zero. An error where no
 * weight is above 0, or all labels that have one are the same. */
th_status th_net_largest(const struct th_net_data *data, double *largest,
                         struct th_error *err);

/* Visit the models at lambda[0 .. lambdas - 1], which fall, until one explains
 * 0.995 of the null deviance, or is enough: the last. 0 < mix <= 1. An error
 * for values that are no numbers, or where the visitor fails. */
th_status th_net_path(const struct th_net_data *data, double mix,
                      const double *lambda, int64_t lambdas,
                      th_net_visitor *visit, void *self, struct th_error *err);

#endif
