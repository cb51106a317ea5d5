/* selector.h - the Dantzig selector: the smallest l1 norm under a bound on the
 * correlations of the residuals
 *
 *     minimise norm1(w)  subject to  |c - G w|_j <= lambda for all j,
 *
 * with G symmetric. It is a linear program, so that G need not be positive
 * semidefinite: estimates of Gram matrices often are not. Its dual is
 *     maximise c'u - lambda norm1(u)  subject to  |G u|_j <= 1.
 *
 * It is solved by the primal-dual hybrid gradient method (Chambolle & Pock
 * 2011), which goes on from its averages as soon as their error is half of what
 * it was at the last such point (Applegate et al. 2021). It needs products with
 * G only. All else is done alike by all ranks.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SELECTOR_H
#define TH_SELECTOR_H

#include "base/error.h"
#include "ranks/comm.h"
#include "state/state.h"

#include <stdint.h>

/* Vectors of n numbers, replicated. */
struct th_selector {
  int64_t n;
  double *w; /* the solution, where the next one begins */
  double *u;
  double *gw; /* G w, G u */
  double *gu;
  double *w_sum; /* since the last restart */
  double *u_sum;
  double *w_from; /* the last restart */
  double *u_from;
  double *next; /* work */
  double *product;
  double norm;      /* of G */
  double weighing;  /* of primal against dual steps */
  double violation; /* of the constraint: max of |c - G w|, less lambda */
  double gap;       /* norm1(w) less the value of a dual point */
  int64_t steps;    /* of the last solve */
};

/* The problem. Borrowed. */
struct th_selector_problem {
  /* out = G v. Collective. */
  void (*multiply)(void *self, const double *v, double *out);
  void *self;
  const double *c;
  double lambda;
};

/* Local. Release with th_selector_free. */
th_status th_selector_init(struct th_selector *selector, int64_t n,
                           struct th_error *err);
void th_selector_free(struct th_selector *selector);

/* Bytes for each of n. Local. */
int64_t th_selector_bytes(void);

/* Solve, from the last solution on. `share`: the violation ends up below so
 * much of lambda, and the gap below so much of norm1(w). True: it did. False:
 * after very many steps it has not; w is where it was left then. Local but for
 * the products, which are collective. */
bool th_selector_solve(struct th_selector *selector,
                       const struct th_selector_problem *problem, double share);

/* Its state: where the next solve begins. Local. */
void th_selector_describe(struct th_selector *selector, struct th_state *state);

#endif
