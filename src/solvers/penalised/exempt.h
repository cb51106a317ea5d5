/* exempt.h - attributes of a penalised problem that have no penalty
 *
 * They are fitted with the intercept wherever that is: b0 and their
 * coefficients u minimise sum eta f(p + U u + b0; y) for the predictions p of
 * the others. At that minimum U' eta theta = 0, which a dual point needs as it
 * needs sum eta theta = 0 (math/gap.h). Their columns lie on every rank, and
 * every rank computes the same.
 * SPDX-License-Identifier: MIT */
#ifndef TH_EXEMPT_H
#define TH_EXEMPT_H

#include "math/loss.h"
#include "solvers/access/active.h"
#include "solvers/access/replicated_columns.h"

#include <stdbool.h>
#include <stdint.h>

/* The first members are the caller's to set; the rest begins as zeros. */
struct th_exempt {
  const struct th_loss *loss;
  int64_t rows;
  const double *target; /* rows, borrowed; weights of sum 1 */
  const double *eta;
  bool intercept;     /* there is one */
  int64_t count;      /* those that are not left out */
  int64_t *attribute; /* ascending */
  double *coef;       /* in the model without penalised attributes, */
  double start;       /* and its intercept; without such attributes, too */
  struct th_replicated_columns columns; /* slot k: attribute[k] */
  int64_t unknowns; /* count, and 1 for the intercept, which is the first */
  double *h;        /* examples: eta f'' */
  double *at;       /* examples: predictions, and work */
  double *work;     /* examples */
  double *matrix;   /* unknowns x unknowns */
  double *slope;    /* unknowns */
  double *step;
};

/* Find those that are not left out, and fetch their columns; cache may be NULL
 * (replicated_columns.h). Collective. Release with th_exempt_free, which is
 * collective, too. */
th_status th_exempt_init(struct th_exempt *exempt, struct th_context *context,
                         const struct th_active *active,
                         const struct th_csc_cache *cache,
                         struct th_error *err);
void th_exempt_free(struct th_exempt *exempt);

/* Find the best intercept and coefficients beside predictions, which have
 * neither the intercept nor what coef adds. The search starts at *intercept and
 * coef = 0. Local, replicated. An error where a prediction is not a number. */
th_status th_exempt_fit(const struct th_exempt *exempt,
                        const double *prediction, double *coef,
                        double *intercept, struct th_error *err);

/* prediction += U coef. Local. */
void th_exempt_add(const struct th_exempt *exempt, const double *coef,
                   double *prediction);

/* Make theta, f' at the predictions, a dual point: U' eta theta = 0, and with
 * an intercept sum eta theta = 0. theta may be prediction: then it is derived
 * here. Where the fit is good, this is its rounding. Local. */
void th_exempt_theta(const struct th_exempt *exempt, const double *prediction,
                     double *theta);

/* slope[k] = sum eta theta x of attribute k. Local. */
void th_exempt_slopes(const struct th_exempt *exempt, const double *theta,
                      double *slope);

/* Is an attribute one of them? Local. */
bool th_exempt_has(const struct th_exempt *exempt, int64_t attribute);

#endif
