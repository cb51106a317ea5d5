/* sift_round.c - what a round adds to the fit of solver `sift`
 *
 * With A, c, y2 the sums over the round's rows, O the members of old and the
 * constant, E the entrants, Lam and eta what the rounds before have taught.
 * SPDX-License-Identifier: MIT */
#include "solvers/budgeted/sift_round_parts.h"

#include "core/memory.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double significant = 2; /* standard errors */

/* A member and what decides its turn. */
struct th_sift_turn {
  int64_t member;
  int rank; /* the constant, O, E */
  double score;
};

void th_sift_work_free(struct th_sift_work *r)
{
  TH_FREE(r->turns, r->order, r->part, r->t, r->right, r->inverse, r->gamma,
          r->rest, r->error2);
}

static th_status reserve(struct th_sift_work *r, struct th_error *err)
{
  int64_t n = r->fit->order;
  th_status rc;
  TH_TRY(TH_NEW(&r->turns, n, "the examples of a round", err));
  TH_TRY(TH_NEW(&r->order, n, "the examples of a round", err));
  TH_TRY(TH_NEW(&r->part, n, "the examples of a round", err));
  TH_TRY(TH_NEW(&r->t, n, "the examples of a round", err));
  TH_TRY(TH_NEW(&r->right, n, "the examples of a round", err));
  TH_TRY(TH_NEW(&r->inverse, n * n, "the examples of a round", err));
  TH_TRY(TH_NEW(&r->gamma, n * n, "the examples of a round", err));
  TH_TRY(TH_NEW(&r->rest, n, "the examples of a round", err));
  TH_TRY(TH_NEW(&r->error2, n, "the examples of a round", err));
done:
  return rc;
}

/* Old members first, then entrants by falling |z|. */
static int by_turn(const void *a, const void *b)
{
  const struct th_sift_turn *left = a;
  const struct th_sift_turn *right = b;
  if (left->rank != right->rank)
    return left->rank - right->rank;
  if (left->score != right->score)
    return left->score > right->score ? -1 : 1;
  return (left->member > right->member) - (left->member < right->member);
}

void th_sift_order(struct th_sift_work *r,
                   bool (*wanted)(const struct th_sift_work *r, int64_t k))
{
  const struct th_sift_fit *fit = r->fit;
  r->tried = 0;
  for (int64_t k = 0; k < fit->order; k++) {
    bool entrant = r->part[k] != TH_SIFT_OLD;
    if (!entrant || wanted(r, k))
      r->turns[r->tried++] =
          (struct th_sift_turn){k, k == fit->size ? 0 : 1 + entrant,
                                entrant ? fabs(fit->score[k]) : 0};
  }
  qsort(r->turns, (size_t)r->tried, sizeof *r->turns, by_turn);
  for (int64_t k = 0; k < r->tried; k++)
    r->order[k] = r->turns[k].member;
}

/* Entrants that one round decides on. */
static bool is_quick(const struct th_sift_work *r, int64_t k)
{
  return !r->fit->slow[k];
}

th_status th_sift_work_begin(struct th_sift_work *r, struct th_error *err)
{
  const struct th_sift_fit *fit = r->fit;
  th_status rc;
  TH_TRY(reserve(r, err));
  for (int64_t k = 0; k < fit->order; k++)
    r->part[k] = k == fit->size || !fit->entrant[k] ? TH_SIFT_OLD : TH_SIFT_OUT;
done:
  return rc;
}

/* Mean squared residual after the fit t, or before it if rows are few; at least
 * the rounding error of the sum of squares of y. */
static double variance_after(const struct th_sift_work *r)
{
  int64_t size = r->fit->size;
  double rows = r->given->gram->weight;
  double squares = th_sift_sum(r, size + 1, size + 1);
  double left = squares;
  if (rows <= 2 * (double)size)
    return r->given->variance;
  for (int64_t k = 0; k < r->fit->order; k++)
    left -= th_sift_moment(r, k) * r->t[k];
  double after = left / (rows - (double)size);
  return fmax(fmin(r->given->variance, after),
              fmax(DBL_EPSILON * squares / rows, r->given->least));
}

/* t = A \ c, its variances, and the regression of each entrant on O. */
static th_status solve_round(struct th_sift_work *r, struct th_error *err)
{
  struct th_sift_fit *fit = r->fit;
  int64_t n = fit->order;
  double rows = r->given->gram->weight;
  th_status rc = th_cholesky_order(
      &fit->a, n, r->given->gram->a, fit->size + 2,
      (struct th_cholesky_turns){r->order, r->tried}, TH_SIFT_COLLINEAR, err);
  if (rc != TH_OK)
    return rc;
  th_sift_count_old(r);
  for (int64_t k = 0; k < n; k++)
    r->right[k] = th_sift_moment(r, k);
  th_cholesky_solve(&fit->a, fit->a.rank, r->right, r->t);
  r->rp = variance_after(r);
  if (!(r->rp > 0)) /* y is 0: any positive variance gives the same theta */
    r->rp = 1;
  for (int64_t k = 0; k < fit->size; k++)
    if (fit->entrant[k] && fit->a.joined[k])
      r->rest[k] = th_cholesky_regress(&fit->a, r->old, k, r->gamma + k * n) /
                   fmax(1, rows - (double)r->old);
  th_cholesky_invert(&fit->a, r->inverse);
  for (int64_t k = 0; k < fit->size; k++)
    r->error2[k] = r->rp * r->inverse[k + k * n];
  return TH_OK;
}

/* An entrant fails if it depends on others, does not stand out, or has the
 * opposite sign of its evidence. True: some entrant stays. Old members are
 * judged by the fit, never by one round. */
static bool try_entrants(struct th_sift_work *r)
{
  struct th_sift_fit *fit = r->fit;
  bool any = false;
  for (int64_t k = 0; k < fit->size; k++) {
    fit->fate[k] = TH_SIFT_STAYS;
    if (!fit->entrant[k] || fit->slow[k])
      continue;
    bool stands =
        fit->a.joined[k] &&
        r->t[k] * r->t[k] >= significant * significant * r->error2[k] &&
        r->t[k] * fit->score[k] > 0;
    fit->fate[k] = stands ? TH_SIFT_STAYS : TH_SIFT_FAILED;
    r->part[k] = stands ? TH_SIFT_NEW : TH_SIFT_OUT;
    any |= stands;
  }
  return any;
}

/* The round joins the fit. No more than n rows count, however often they are
 * read. */
static void join(struct th_sift_work *r)
{
  struct th_sift_fit *fit = r->fit;
  int64_t n = fit->order;
  double rows = fit->rows + r->given->gram->weight;
  double scale = rows > r->given->n ? r->given->n / rows : 1;
  fit->rows = scale * rows;
  for (int64_t j = 0; j < n; j++) {
    if (r->part[j] == TH_SIFT_OUT)
      continue;
    for (int64_t i = 0; i < n; i++) {
      double *to = &fit->precision[i + j * n];
      if (r->part[i] != TH_SIFT_OUT)
        *to = scale * (*to + th_sift_sum(r, i, j) / r->rp);
    }
    fit->moment[j] = scale * (fit->moment[j] + th_sift_moment(r, j) / r->rp);
    r->part[j] = TH_SIFT_OLD; /* from now on */
  }
  th_sift_trial_add(r, scale);
}

th_status th_sift_solve(struct th_sift_work *r, struct th_error *err)
{
  struct th_sift_fit *fit = r->fit;
  int64_t n = fit->order;
  double *lam = r->gamma; /* no longer needed */
  memcpy(lam, fit->precision, (size_t)(n * n) * sizeof *lam);
  for (int64_t k = 0; k < fit->size; k++)
    if (fit->fate[k] != TH_SIFT_STAYS)
      lam[k + k * n] = 0; /* takes no part */
  th_status rc = th_cholesky_pivot(&fit->lam, n, lam, n, TH_SIFT_DEPENDS, err);
  if (rc != TH_OK)
    return rc;
  th_cholesky_solve(&fit->lam, fit->lam.rank, fit->moment, fit->theta);
  th_cholesky_invert(&fit->lam, r->inverse);
  return TH_OK;
}

/* Members leave if they depend on others or are below two standard errors.
 * True: some left. */
static bool drop_insignificant(struct th_sift_work *r)
{
  struct th_sift_fit *fit = r->fit;
  bool dropped = false;
  for (int64_t k = 0; k < fit->size; k++) {
    double variance = r->inverse[k + k * fit->order];
    double theta = fit->theta[k];
    if (fit->fate[k] != TH_SIFT_STAYS || r->part[k] == TH_SIFT_OUT ||
        (fit->lam.joined[k] &&
         theta * theta >= significant * significant * variance))
      continue;
    fit->fate[k] = fit->lam.joined[k] ? TH_SIFT_DROPPED : TH_SIFT_DEPENDENT;
    fit->knowledge[k] = fit->lam.joined[k] ? 1 / variance : 0;
    fit->last[k] = theta;
    dropped = true;
  }
  return dropped;
}

/* Every turn but the last removes members. */
th_status th_sift_close_trials(struct th_sift_work *r, struct th_error *err)
{
  do {
    th_status rc = th_sift_solve(r, err);
    if (rc != TH_OK)
      return rc;
  } while (drop_insignificant(r));
  for (int64_t k = 0; k < r->fit->order; k++)
    if (!isfinite(r->fit->theta[k]))
      return th_fail(err, TH_ENUMERIC,
                     "least squares on %lld attributes failed; standardize, or "
                     "ask for fewer",
                     (long long)r->fit->size);
  return TH_OK;
}

/* Local, on rank 0. */
static th_status round_here(struct th_sift_work *r, struct th_error *err)
{
  th_status rc;
  TH_TRY(th_sift_work_begin(r, err));
  th_sift_order(r, is_quick);
  TH_TRY(solve_round(r, err));
  if (try_entrants(r))
    TH_TRY(th_sift_fold(r, th_sift_doubt(r), err));
  join(r);
  TH_TRY(th_sift_trial_join(r, err));
  TH_TRY(th_sift_close_trials(r, err));
done:
  return rc;
}

th_status th_sift_fit_tell(struct th_sift_fit *fit, struct th_comm *comm,
                           th_status rc, struct th_error *err)
{
  size_t size = (size_t)fit->size;
  int64_t failed = rc != TH_OK;
  const struct {
    void *data;
    size_t bytes;
  } parts[] = {{&failed, sizeof failed},
               {&fit->rows, sizeof fit->rows},
               {fit->theta, (size_t)fit->order * sizeof *fit->theta},
               {fit->knowledge, size * sizeof *fit->knowledge},
               {fit->last, size * sizeof *fit->last},
               {fit->fate, size * sizeof *fit->fate}};
  size_t total = 0;
  for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
    memcpy(fit->message + total, parts[p].data, parts[p].bytes);
    total += parts[p].bytes;
  }
  comm->ops->bcast(comm, fit->message, total, 0);
  total = 0;
  for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
    memcpy(parts[p].data, fit->message + total, parts[p].bytes);
    total += parts[p].bytes;
  }
  return failed ? th_agree(comm, rc, err) : TH_OK;
}

th_status th_sift_fit_round(struct th_sift_fit *fit, struct th_context *context,
                            const struct th_sift_round *round, th_status before,
                            struct th_error *err)
{
  struct th_comm *comm = context->comm;
  struct th_sift_work r = {.fit = fit, .given = round};
  th_status rc = comm->rank == 0 ? before : TH_OK;
  th_profile_begin(context->profile);
  th_sift_trial_count(fit, round->gram->weight);
  if (comm->rank == 0 && rc == TH_OK)
    rc = round_here(&r, err);
  rc = th_sift_fit_tell(fit, comm, rc, err);
  for (int64_t k = 0; k < fit->size && rc == TH_OK; k++) {
    if (fit->entrant[k] && !fit->slow[k])
      fit->came[k] = (struct th_evidence){0, 0};
    fit->slow[k] = fit->slow[k] && fit->verdict[k] == TH_SIFT_GOES_ON;
    fit->entrant[k] = fit->slow[k];
  }
  th_profile_end(context->profile, TH_PHASE_SOLVE);
  th_sift_work_free(&r);
  return rc;
}
