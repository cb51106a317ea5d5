/* sift_round_parts.h - rank 0's work on a round of solver `sift`
 *
 * With A, c the sums over the round's rows, O the members of old and the
 * constant, E the entrants, Lam and eta what the rounds before have taught.
 * Functions are local unless they say otherwise.
 *
 * A status is one of TH_ENUMERIC, TH_ENOMEM.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SIFT_ROUND_PARTS_H
#define TH_SIFT_ROUND_PARTS_H

#include "solvers/budgeted/sift_fit.h"

#define TH_SIFT_DEPENDS 1e-7   /* least unexplained share in the fit */
#define TH_SIFT_COLLINEAR 1e-4 /* and in a trial */

/* The part that a row of the fit plays in the fold. */
enum th_sift_part {
  TH_SIFT_OUT, /* none */
  TH_SIFT_OLD, /* O */
  TH_SIFT_NEW  /* an entrant that stands */
};

/* Arrays have fit->order items. */
struct th_sift_work {
  struct th_sift_fit *fit;
  const struct th_sift_round *given;
  struct th_sift_turn *turns;
  int64_t *order; /* rows by turn */
  int64_t tried;  /* of them: O and the tried entrants */
  unsigned char *part;
  int64_t old;     /* rows of O that joined the factor of A */
  double *t;       /* A \ c */
  double *right;   /* c; then scratch */
  double *inverse; /* order x order: of A, then of Lam */
  double *gamma;   /* order x order: column e: regression of x_e on O */
  double *rest;    /* of x_e on O: mean square that is left */
  double *error2;  /* se^2 of entrants */
  double rp;
  double since; /* rows since the slow entrants in question came */
};

/* Reserve room, and mark the old members. Release with th_sift_work_free. */
th_status th_sift_work_begin(struct th_sift_work *r, struct th_error *err);
void th_sift_work_free(struct th_sift_work *r);

/* th_sift_solve: theta = Lam \ eta on the members that stay, with the variances
 * in r->inverse. The other one repeats this until no member depends on others
 * or is insignificant. Only these two change fates. */
th_status th_sift_solve(struct th_sift_work *r, struct th_error *err);
th_status th_sift_close_trials(struct th_sift_work *r, struct th_error *err);

/* Tell all ranks what they need of rank 0's fit, in one broadcast; or that it
 * has failed, by rc of rank 0. Collective. */
th_status th_sift_fit_tell(struct th_sift_fit *fit, struct th_comm *comm,
                           th_status rc, struct th_error *err);

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

/* Order the rows: first O, then the entrants for which wanted(r, k) is true, by
 * falling |z|. */
void th_sift_order(struct th_sift_work *r,
                   bool (*wanted)(const struct th_sift_work *r, int64_t k));

/* r->old: how many rows of O have joined the factor of A, before others. */
static inline void th_sift_count_old(struct th_sift_work *r)
{
  const struct th_cholesky *a = &r->fit->a;
  r->old = 0;
  while (r->old < a->rank && r->part[a->row[r->old]] == TH_SIFT_OLD)
    r->old++;
}

/* The fold (sift_fold.c): what earlier rows said of O becomes what they say of
 * O and of the entrants that passed. f: the uncertainty of the regression on
 * the round's rows. */
double th_sift_doubt(const struct th_sift_work *r);
th_status th_sift_fold(struct th_sift_work *r, double f, struct th_error *err);

/* ---- trials that last (sift_trial.c) ---- */

/* Count so many more rows, on every rank. */
void th_sift_trial_count(struct th_sift_fit *fit, double rows);

/* Add the round's rows to the sums of the trials, if there are any. */
void th_sift_trial_add(struct th_sift_work *r, double scale);

/* Slow entrants whose verdict is to join enter the fit of the earlier rows,
 * with the sums since they came. */
th_status th_sift_trial_join(struct th_sift_work *r, struct th_error *err);

#endif
