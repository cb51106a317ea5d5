/* sift_fit.c - the fit that solver `sift` keeps on S: members, fold, trials,
 * rounds
 * SPDX-License-Identifier: MIT */
#include "solvers/sift/sift_fit.h"

#include "base/memory.h"
#include "math/kernels/column.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Order the rows: first O, then the entrants for which wanted(r, k) is true, by
 * falling |z|. */
static void sift_order(struct th_sift_work *r,
                       bool (*wanted)(const struct th_sift_work *r, int64_t k));

/* Sums over the round's rows; the constant has the same place in all. */
static inline double sift_sum(const struct th_sift_work *r, int64_t i,
                              int64_t j)
{
  return th_gram_at(r->given->gram, i, j);
}

static inline double sift_moment(const struct th_sift_work *r, int64_t i)
{
  return th_gram_at(r->given->gram, i, r->fit->size + 1);
}

/* r->old: how many rows of O have joined the factor of A, before others. */
static inline void count_old(struct th_sift_work *r)
{
  const struct th_cholesky *a = &r->fit->a;
  r->old = 0;
  while (r->old < a->rank && r->part[a->row[r->old]] == TH_SIFT_OLD)
    r->old++;
}

/* --- How the fit of solver `sift` keeps what it knew as S grows
 *
 * Rows from before the entrants E joined observed O alone. With the regression
 * x_E = Gamma' x_O + e they say phi = theta_O + Gamma theta_E with precision
 * Lam, which is one Gaussian observation of a linear function of theta. To
 * first order this is maximum likelihood for data in which E is missing
 * monotonely (Anderson 1957). */

/* variances: so much of t^2 may be chance */
static const double chance_share = 4;

/* Did earlier rows observe anything but the constant? */
static bool has_history(const struct th_sift_work *r)
{
  for (int64_t k = 0; k < r->fit->size; k++)
    if (r->part[k] == TH_SIFT_OLD)
      return r->fit->rows > 0;
  return false;
}

/* The fold (sift_fit.c): what earlier rows said of O becomes what they say of
 * O and of the entrants that passed. f: the uncertainty of the regression on
 * the round's rows.
 * Gamma is estimated from the round's rows alone, which adds a variance f
 * inv(A_OO) to the old rows' observation phi. The part of t^2 that may be
 * chance does not count, so that a false entrant does not discount the old
 * rows. */
static double sift_doubt(const struct th_sift_work *r)
{
  double f = 0;
  for (int64_t k = 0; k < r->fit->size; k++)
    if (r->part[k] == TH_SIFT_NEW)
      f +=
          fmax(0, r->t[k] * r->t[k] - chance_share * r->error2[k]) * r->rest[k];
  return f;
}

/* Lam <- inv(inv(Lam) + f inv(A_OO)) = Lam - Lam inv(Lam + A_OO / f) Lam, on
 * the rows of O that the round knows; eta <- Lam phi. */
static th_status discount(struct th_sift_work *r, double f,
                          struct th_error *err)
{
  struct th_sift_fit *fit = r->fit;
  int64_t n = fit->order;
  double *lam = fit->precision;
  double *half = r->inverse; /* no longer needed */
  double *phi = r->t;
  th_status rc;
  TH_TRY(th_cholesky_pivot(&fit->lam, n, lam, n, TH_SIFT_DEPENDS, err));
  th_cholesky_solve(&fit->lam, fit->lam.rank, fit->moment, phi);
  memset(half, 0, (size_t)(n * n) * sizeof *half);
  for (int64_t b = 0; b < r->old; b++)
    for (int64_t a = 0; a < r->old; a++) {
      int64_t at = fit->a.row[a] + fit->a.row[b] * n;
      half[at] = lam[at] + sift_sum(r, fit->a.row[a], fit->a.row[b]) / f;
    }
  TH_TRY(th_cholesky_pivot(&fit->lam, n, half, n, TH_SIFT_DEPENDS, err));
  for (int64_t j = 0; j < n; j++)
    th_cholesky_half(&fit->lam, fit->lam.rank, lam + j * n, half + j * n);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++)
      lam[i + j * n] -=
          th_column_dot_plain(half + i * n, half + j * n, fit->lam.rank);
  for (int64_t k = 0; k < n; k++)
    fit->moment[k] = th_column_dot_plain(lam + k * n, phi, n);
done:
  return rc;
}

/* T' Lam T and T' eta with T = [I Gamma]: the rows before speak of theta_O +
 * Gamma theta_E. Gamma is 0 but on O. */
static void fold_earlier_rows(struct th_sift_work *r)
{
  struct th_sift_fit *fit = r->fit;
  int64_t n = fit->order;
  double *lam = fit->precision;
  for (int64_t e = 0; e < fit->size; e++) {
    const double *gamma = r->gamma + e * n;
    if (r->part[e] != TH_SIFT_NEW)
      continue;
    for (int64_t i = 0; i < n; i++) /* Lam is symmetric, and 0 on E */
      if (r->part[i] == TH_SIFT_OLD)
        lam[i + e * n] = th_column_dot_plain(lam + i * n, gamma, n);
    fit->moment[e] = th_column_dot_plain(gamma, fit->moment, n);
  }
  for (int64_t e = 0; e < fit->size; e++)
    for (int64_t i = 0; i < n && r->part[e] == TH_SIFT_NEW; i++) {
      if (r->part[i] == TH_SIFT_NEW && i <= e)
        lam[i + e * n] = th_column_dot_plain(r->gamma + i * n, lam + e * n, n);
      lam[e + i * n] = lam[i + e * n];
    }
}

/* Entrants that stand join what the rows before them said of O. */
static th_status sift_fold(struct th_sift_work *r, double f,
                           struct th_error *err)
{
  struct th_sift_fit *fit = r->fit;
  if (!has_history(r)) {
    memset(fit->precision, 0,
           (size_t)(fit->order * fit->order) * sizeof *fit->precision);
    memset(fit->moment, 0, (size_t)fit->order * sizeof *fit->moment);
    fit->rows = 0;
    return TH_OK;
  }
  th_status rc = f > 0 ? discount(r, f, err) : TH_OK;
  if (rc == TH_OK)
    fold_earlier_rows(r);
  return rc;
}

static const struct th_array arrays[] = {
    TH_MATRIX(struct th_sift_fit, precision),
    TH_ARRAY(struct th_sift_fit, moment),
    TH_ARRAY(struct th_sift_fit, theta),
    TH_ARRAY(struct th_sift_fit, entrant),
    TH_ARRAY(struct th_sift_fit, exempt),
    TH_ARRAY(struct th_sift_fit, score),
    TH_ARRAY(struct th_sift_fit, came),
    TH_ARRAY(struct th_sift_fit, nonzeros),
    TH_ARRAY(struct th_sift_fit, slow),
    TH_ARRAY(struct th_sift_fit, verdict),
    TH_MATRIX(struct th_sift_fit, trial),
    TH_ARRAY(struct th_sift_fit, trial_moment),
    TH_ARRAY(struct th_sift_fit, seen),
    TH_ARRAY(struct th_sift_fit, last),
    TH_ARRAY(struct th_sift_fit, knowledge),
    TH_ARRAY(struct th_sift_fit, keep),
    TH_ARRAY(struct th_sift_fit, fate),
    TH_ARRAY_OF(struct th_sift_fit, message, 4 * sizeof(double),
                2 * sizeof(double))};

static th_status reserve(struct th_sift_fit *fit, int64_t size,
                         struct th_error *err)
{
  return th_memory_arrays_reserve(TH_ARRAYS(fit, arrays), &fit->capacity,
                                  size + fit->constant,
                                  "the fit of the support", err);
}

th_status th_sift_fit_start(struct th_sift_fit *fit, bool constant,
                            struct th_error *err)
{
  fit->constant = constant;
  fit->order = constant;
  return reserve(fit, 1,
                 err); /* the broadcast needs room even without members */
}

void th_sift_fit_describe(struct th_sift_fit *fit, struct th_state *state)
{
  th_state_enter(state, "fit");
  TH_STATE_ONE(state, fit, rows);
  TH_STATE_AT_MOST(state, fit, size, INT32_MAX);
  fit->order = fit->size + fit->constant;
  int64_t n = fit->order;
  if (th_state_next_has(state, n * n) && th_state_puts(state))
    th_state_note(state, reserve(fit, fit->size, state->err));
  th_state_first(state, "precision", TH_STATE_F64, fit->precision, n * n);
  th_state_first(state, "moment", TH_STATE_F64, fit->moment, n);
  th_state_first(state, "trial", TH_STATE_F64, fit->trial, n * n);
  th_state_first(state, "trial_moment", TH_STATE_F64, fit->trial_moment, n);
  TH_STATE_ARRAY(state, fit, theta, n);
  TH_STATE_ARRAY(state, fit, entrant, n);
  TH_STATE_ARRAY(state, fit, exempt, n);
  TH_STATE_ARRAY(state, fit, score, n);
  th_state_all(state, "came", TH_STATE_F64, fit->came, 2 * n);
  TH_STATE_ARRAY(state, fit, nonzeros, n);
  TH_STATE_ARRAY(state, fit, slow, n);
  TH_STATE_ARRAY(state, fit, seen, n);
  th_state_leave(state);
}

void th_sift_fit_free(struct th_sift_fit *fit)
{
  th_memory_arrays_free(TH_ARRAYS(fit, arrays));
  th_cholesky_free(&fit->a);
  th_cholesky_free(&fit->lam);
  *fit = (struct th_sift_fit){0};
}

/* Where row k goes when member k goes to place[k]; the constant stays last. */
static int64_t new_row_of(const struct th_sift_fit *fit, const int64_t *place,
                          int64_t size, int64_t k)
{
  return k < fit->size ? place[k] : size;
}

/* Spread a matrix over members. From the last entry to the first, so that
 * nothing is overwritten before it has moved. */
static void spread_members(const struct th_sift_fit *fit, double *p,
                           const int64_t *place, int64_t size)
{
  int64_t old = fit->order;
  int64_t order = size + fit->constant;
  int64_t end = order * order;
  for (int64_t j = old - 1; j >= 0; j--)
    for (int64_t i = old - 1; i >= 0; i--) {
      double value = p[i + j * old];
      int64_t at = new_row_of(fit, place, size, i) +
                   new_row_of(fit, place, size, j) * order;
      for (int64_t k = at + 1; k < end; k++)
        p[k] = 0;
      p[at] = value;
      end = at;
    }
  for (int64_t k = 0; k < end; k++)
    p[k] = 0;
}

th_status th_sift_fit_insert(struct th_sift_fit *fit, const int64_t *place,
                             int64_t size, struct th_error *err)
{
  th_status rc = reserve(fit, size, err);
  if (rc != TH_OK)
    return rc;
  spread_members(fit, fit->precision, place, size);
  spread_members(fit, fit->trial, place, size);
  int64_t old = fit->order - 1;
  int64_t order = size + fit->constant;
  for (int64_t k = order - 1; k >= 0; k--) {
    bool stays = old >= 0 && new_row_of(fit, place, size, old) == k;
    fit->moment[k] = stays ? fit->moment[old] : 0;
    fit->trial_moment[k] = stays ? fit->trial_moment[old] : 0;
    fit->seen[k] = stays ? fit->seen[old] : 0;
    fit->theta[k] = stays ? fit->theta[old] : 0;
    fit->score[k] = stays ? fit->score[old] : 0;
    fit->nonzeros[k] = stays ? fit->nonzeros[old] : 0;
    fit->came[k] = stays ? fit->came[old] : (struct th_evidence){0, 0};
    fit->entrant[k] = stays ? fit->entrant[old] : true;
    fit->exempt[k] = stays && fit->exempt[old];
    fit->slow[k] = stays && fit->slow[old];
    old -= stays;
  }
  fit->size = size;
  fit->order = order;
  return TH_OK;
}

/* Pack the rows and columns of the members that are kept. */
static void pack(const struct th_sift_fit *fit, double *p, const bool *keep)
{
  int64_t n = fit->order;
  int64_t place = 0;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n && (j == fit->size || keep[j]); i++)
      if (i == fit->size || keep[i])
        p[place++] = p[i + j * n];
}

void th_sift_fit_filter(struct th_sift_fit *fit, const bool *keep)
{
  int64_t kept = 0;
  pack(fit, fit->precision, keep);
  pack(fit, fit->trial, keep);
  for (int64_t k = 0; k < fit->order; k++) {
    if (k < fit->size && !keep[k])
      continue;
    fit->moment[kept] = fit->moment[k];
    fit->trial_moment[kept] = fit->trial_moment[k];
    fit->seen[kept] = fit->seen[k];
    fit->theta[kept] = fit->theta[k];
    fit->score[kept] = fit->score[k];
    fit->came[kept] = fit->came[k];
    fit->nonzeros[kept] = fit->nonzeros[k];
    fit->entrant[kept] = fit->entrant[k];
    fit->exempt[kept] = fit->exempt[k];
    fit->slow[kept] = fit->slow[k];
    kept++;
  }
  fit->order = kept;
  fit->size = kept - fit->constant;
}

/* --- Trials of solver `sift` that last over rounds
 *
 * If few of a round's examples have an attribute, one round says too little
 * about it. Its sums with the members of S are kept from round to round, while
 * the rounds join the fit on O. Once it stands out, the rows since it came are
 * taken back from the fit. The rest is folded, and the rows since it came join
 * again, now with it. */

static bool any_slow(const struct th_sift_fit *fit)
{
  bool any = false;
  for (int64_t k = 0; k < fit->size; k++)
    any |= fit->slow[k];
  return any;
}

/* Count so many more rows, on every rank. */
static void trial_count(struct th_sift_fit *fit, double rows)
{
  bool goes_on = any_slow(fit);
  for (int64_t k = 0; k < fit->order; k++)
    fit->seen[k] = goes_on ? fit->seen[k] + rows : 0;
}

/* Add the round's rows to the sums of the trials, if there are any. */
static void trial_add(struct th_sift_work *r, double scale)
{
  struct th_sift_fit *fit = r->fit;
  int64_t n = fit->order;
  bool goes_on = any_slow(fit);
  for (int64_t j = 0; j < n; j++) {
    for (int64_t i = 0; i < n; i++) {
      double *to = &fit->trial[i + j * n];
      *to = goes_on ? scale * (*to + sift_sum(r, i, j) / r->rp) : 0;
    }
    double *to = &fit->trial_moment[j];
    *to = goes_on ? scale * (*to + sift_moment(r, j) / r->rp) : 0;
  }
}

/* Entrants that came together join together. */
static bool joins(const struct th_sift_work *r, int64_t k)
{
  const struct th_sift_fit *fit = r->fit;
  return fit->slow[k] && fit->verdict[k] == TH_SIFT_JOINS &&
         fit->seen[k] == r->since;
}

/* Rows since the first of the entrants that are still to join came; 0: there is
 * none. */
static double rows_since(const struct th_sift_work *r)
{
  const struct th_sift_fit *fit = r->fit;
  double most = 0;
  for (int64_t k = 0; k < fit->size; k++)
    if (fit->slow[k] && fit->verdict[k] == TH_SIFT_JOINS &&
        r->part[k] == TH_SIFT_OUT && fit->fate[k] == TH_SIFT_STAYS)
      most = fmax(most, fit->seen[k]);
  return most;
}

/* The share of the sums of two members that the last `rows` rows have brought.
 */
static double last_share(const struct th_sift_fit *fit, int64_t i, int64_t j,
                         double rows)
{
  return fmin(1, rows / fmin(fit->seen[i], fit->seen[j]));
}

/* Sums over the rows since then: sum, order x order, and moment. */
static void sums_since(const struct th_sift_work *r, double rows, double *sum,
                       double *moment)
{
  const struct th_sift_fit *fit = r->fit;
  int64_t n = fit->order;
  for (int64_t j = 0; j < n; j++) {
    for (int64_t i = 0; i < n; i++)
      sum[i + j * n] = fit->trial[i + j * n] * last_share(fit, i, j, rows);
    moment[j] = fit->trial_moment[j] * last_share(fit, j, j, rows);
  }
}

/* Add them to the fit, or take them back, on the rows that have a part. */
static void add_fit_sums(struct th_sift_work *r, double sign, const double *sum,
                         const double *moment)
{
  struct th_sift_fit *fit = r->fit;
  int64_t n = fit->order;
  for (int64_t j = 0; j < n; j++) {
    if (r->part[j] == TH_SIFT_OUT)
      continue;
    for (int64_t i = 0; i < n; i++)
      if (r->part[i] != TH_SIFT_OUT)
        fit->precision[i + j * n] += sign * sum[i + j * n];
    fit->moment[j] += sign * moment[j];
  }
}

/* Entrants that do not depend on others are new members; the others fail. */
static void mark_new(struct th_sift_work *r)
{
  struct th_sift_fit *fit = r->fit;
  for (int64_t k = 0; k < fit->size; k++) {
    if (!joins(r, k))
      continue;
    fit->fate[k] = fit->a.joined[k] ? TH_SIFT_STAYS : TH_SIFT_FAILED;
    r->part[k] = fit->a.joined[k] ? TH_SIFT_NEW : TH_SIFT_OUT;
    if (fit->a.joined[k])
      th_cholesky_regress(&fit->a, r->old, k, r->gamma + k * fit->order);
  }
}

static th_status join_next(struct th_sift_work *r, struct th_error *err)
{
  struct th_sift_fit *fit = r->fit;
  int64_t n = fit->order;
  double *sum = r->inverse; /* no longer needed */
  double *moment = r->right;
  th_status rc;
  memset(r->gamma, 0, (size_t)(n * n) * sizeof *r->gamma);
  sums_since(r, r->since, sum, moment);
  sift_order(r, joins);
  TH_TRY(th_cholesky_order(&fit->a, n, sum, n,
                           (struct th_cholesky_turns){r->order, r->tried},
                           TH_SIFT_COLLINEAR, err));
  count_old(r);
  add_fit_sums(r, -1, sum, moment);
  mark_new(r);
  TH_TRY(sift_fold(r, 0, err));
  add_fit_sums(r, 1, sum, moment);
  for (int64_t k = 0; k < n; k++)
    if (r->part[k] == TH_SIFT_NEW)
      r->part[k] = TH_SIFT_OLD;
done:
  return rc;
}

/* Slow entrants whose verdict is to join enter the fit of the earlier rows,
 * with the sums since they came. */
static th_status trial_join(struct th_sift_work *r, struct th_error *err)
{
  struct th_sift_fit *fit = r->fit;
  th_status rc = TH_OK;
  for (int64_t k = 0; k < fit->size; k++)
    if (fit->slow[k] && fit->verdict[k] == TH_SIFT_FAILS)
      fit->fate[k] = TH_SIFT_FAILED;
  while (rc == TH_OK && (r->since = rows_since(r)) > 0)
    rc = join_next(r, err);
  return rc;
}

/* --- What a round adds to the fit of solver `sift`
 *
 * With A, c, y2 the sums over the round's rows, O the members of old and the
 * constant, E the entrants, Lam and eta what the rounds before have taught. */

static const double significant = 2; /* standard errors */

/* A member and what decides its turn. */
struct th_sift_turn {
  int64_t member;
  int rank; /* the constant, O, E */
  double score;
};

static void work_free(struct th_sift_work *r)
{
  TH_FREE(r->turns, r->order, r->part, r->t, r->right, r->inverse, r->gamma,
          r->rest, r->error2);
}

static th_status round_reserve(struct th_sift_work *r, struct th_error *err)
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

static void sift_order(struct th_sift_work *r,
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

/* Reserve room, and mark the old members. Release with work_free. */
static th_status work_begin(struct th_sift_work *r, struct th_error *err)
{
  const struct th_sift_fit *fit = r->fit;
  th_status rc;
  TH_TRY(round_reserve(r, err));
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
  double squares = sift_sum(r, size + 1, size + 1);
  double left = squares;
  if (rows <= 2 * (double)size)
    return r->given->variance;
  for (int64_t k = 0; k < r->fit->order; k++)
    left -= sift_moment(r, k) * r->t[k];
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
  count_old(r);
  for (int64_t k = 0; k < n; k++)
    r->right[k] = sift_moment(r, k);
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
static void join_round(struct th_sift_work *r)
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
        *to = scale * (*to + sift_sum(r, i, j) / r->rp);
    }
    fit->moment[j] = scale * (fit->moment[j] + sift_moment(r, j) / r->rp);
    r->part[j] = TH_SIFT_OLD; /* from now on */
  }
  trial_add(r, scale);
}

/* sift_solve: theta = Lam \ eta on the members that stay, with the variances
 * in r->inverse. The other one repeats this until no member depends on others
 * or is insignificant. Only these two change fates. */
static th_status sift_solve(struct th_sift_work *r, struct th_error *err)
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
        fit->exempt[k] ||
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
static th_status fit_significant(struct th_sift_work *r, struct th_error *err)
{
  do {
    th_status rc = sift_solve(r, err);
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
  TH_TRY(work_begin(r, err));
  sift_order(r, is_quick);
  TH_TRY(solve_round(r, err));
  if (try_entrants(r))
    TH_TRY(sift_fold(r, sift_doubt(r), err));
  join_round(r);
  TH_TRY(trial_join(r, err));
  TH_TRY(fit_significant(r, err));
done:
  return rc;
}

/* Tell all ranks what they need of rank 0's fit, in one broadcast; or that it
 * has failed, by rc of rank 0. Collective. */
static th_status sift_fit_tell(struct th_sift_fit *fit, struct th_comm *comm,
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
  th_comm_profile_begin(context->profile);
  trial_count(fit, round->gram->weight);
  if (comm->rank == 0 && rc == TH_OK)
    rc = round_here(&r, err);
  rc = sift_fit_tell(fit, comm, rc, err);
  for (int64_t k = 0; k < fit->size && rc == TH_OK; k++) {
    if (fit->entrant[k] && !fit->slow[k])
      fit->came[k] = (struct th_evidence){0, 0};
    fit->slow[k] = fit->slow[k] && fit->verdict[k] == TH_SIFT_GOES_ON;
    fit->entrant[k] = fit->slow[k];
  }
  th_comm_profile_end(context->profile, TH_PHASE_SOLVE);
  work_free(&r);
  return rc;
}

/* --- The last decisions on rare attributes: what was known of a member when it
 * came counts, too, if the rows since then agree */

static const double agrees = 2; /* standard errors between two estimates */

/* Earlier evidence is about another S than the fit's. It counts if the rows
 * since the member came agree with it. */
static void history(struct th_sift_work *r)
{
  struct th_sift_fit *fit = r->fit;
  int64_t n = fit->order;
  for (int64_t k = 0; k < fit->size; k++) {
    struct th_evidence came = fit->came[k];
    double variance = r->inverse[k + k * n];
    if (r->part[k] != TH_SIFT_OLD || !fit->lam.joined[k] || !(came.v > 0))
      continue;
    double apart = came.u / came.v - fit->theta[k];
    if (apart * apart > agrees * agrees * (variance + 1 / came.v))
      continue;
    fit->precision[k + k * n] += came.v;
    fit->moment[k] += came.u;
  }
}

static th_status last_here(struct th_sift_work *r, struct th_error *err)
{
  th_status rc;
  for (int64_t k = 0; k < r->fit->size; k++)
    r->fit->fate[k] = TH_SIFT_STAYS;
  TH_TRY(work_begin(r, err));
  TH_TRY(trial_join(r, err));
  TH_TRY(sift_solve(r, err));
  history(r);
  TH_TRY(fit_significant(r, err));
done:
  return rc;
}

th_status th_sift_fit_last(struct th_sift_fit *fit, struct th_context *context,
                           struct th_error *err)
{
  struct th_sift_work r = {.fit = fit};
  th_status rc =
      context->comm->rank == 0 && fit->size > 0 ? last_here(&r, err) : TH_OK;
  if (fit->size > 0)
    rc = sift_fit_tell(fit, context->comm, rc, err);
  for (int64_t k = 0; k < fit->size && rc == TH_OK; k++) {
    fit->entrant[k] = fit->entrant[k] && !fit->slow[k];
    fit->slow[k] = false;
  }
  work_free(&r);
  return rc;
}
