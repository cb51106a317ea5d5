/* sift_round_parts.h - rank 0's work on a round of solver `sift`
 *
 * With A, c the sums over the round's rows, O the members of old and the
 * constant, E the entrants, Lam and eta what the rounds before have taught. All
 * functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SIFT_ROUND_PARTS_H
#define TH_SIFT_ROUND_PARTS_H

#include "solvers/sift_fit.h"

#define TH_SIFT_DEPENDS 1e-7 /* rest of a member in the fit */

/* Arrays have fit->order items. */
struct th_sift_work {
  struct th_sift_fit *fit;
  const struct th_sift_round *given;
  struct th_sift_turn *turns;
  int64_t *order;
  int64_t old;     /* rows of O that joined the factor of A */
  double *t;       /* A \ c */
  double *right;   /* c; then scratch */
  double *inverse; /* order x order: of A, then of Lam */
  double *gamma;   /* order x order: column e, regression of x_e on O */
  double *rest;    /* of x_e, a row's mean */
  double *error2;  /* se^2 of entrants */
  double rp;
};

/* Sums over the round's rows; the constant has the same place in all. */
static inline double th_sift_sum(const struct th_sift_work *r, int64_t i,
                                 int64_t j)
{
  return th_gram_at(r->given->gram, i, j);
}

static inline double th_sift_moment(const struct th_sift_work *r, int64_t i)
{
  return th_gram_at(r->given->gram, i, r->fit->size + 1);
}

/* Does this row belong to an entrant that stands? */
static inline bool th_sift_joins(const struct th_sift_work *r, int64_t k)
{
  return k < r->fit->size && r->fit->entrant[k] &&
         r->fit->fate[k] == TH_SIFT_STAYS;
}

/* What the rows before said of O becomes what they say of O and of the entrants
 * that stand (sift_fold.c). */
th_status th_sift_fold(struct th_sift_work *r, struct th_error *err);

#endif
