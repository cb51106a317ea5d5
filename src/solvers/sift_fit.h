/* sift_fit.h - the weighted least-squares fit that solver `sift` keeps on S
 *
 * Small dense algebra on replicated numbers; done on rank 0 and broadcast.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SIFT_FIT_H
#define TH_SIFT_FIT_H

#include "solvers/gram.h"

#include <stdbool.h>
#include <stdint.h>

/* Members are those of S, in its order. Replicated but for precision and
 * moment, which only rank 0 has and needs. */
struct th_sift_fit {
  int64_t size;
  double *precision; /* Lam, size x size, full; zero for entrants */
  double *moment;    /* eta = Lam theta */
  double *theta;
  bool *entrant; /* E: chosen by the last sweep, on probation in this one */
  double *score; /* |z| of entrants */
  double *guess; /* the coefficient that entrants are tried with */
  bool *keep;    /* of the last th_sift_fit_sweep */
  bool *forget;  /* not kept, and what was known about it no longer holds */
  double rows;   /* that precision stands for */
  bool rare;     /* a sweep may hold none of an attribute's examples: probation
                    lasts until it can tell */
  char *told;    /* work array of the broadcast */
  int64_t capacity;
};

void th_sift_fit_free(struct th_sift_fit *fit);

/* One sweep's Gram matrix (of S, without entrants' history) enters the fit:
 * entrants are put on probation, collinear and insignificant members are
 * marked in keep, theta is solved anew; entrants whose probation goes on keep
 * their first guess; members that the fit itself finds
 * insignificant are marked in forget, too. variance: mean squared residual of
 * the sweep before the fit; least: what luck in a sweep cannot
 * bring it below; n: rows in the data. The marked members are still
 * there: th_sift_fit_filter removes them. Collective. */
th_status th_sift_fit_sweep(struct th_sift_fit *fit, struct th_context *context,
                            const struct th_gram *gram, double variance,
                            double least, double n, struct th_error *err);

/* S has grown to `size` members: old member k is now member place[k]
 * (ascending); the others are entrants without history. Local. */
th_status th_sift_fit_insert(struct th_sift_fit *fit, const int64_t *place,
                             int64_t size, struct th_error *err);

/* Remove the members for which keep is false. Local. */
void th_sift_fit_filter(struct th_sift_fit *fit, const bool *keep);

#endif
