/* sift_trial.c - trials of solver `sift` that last over rounds
 *
 * If few of a round's examples have an attribute, one round says too little
 * about it. Its sums with the members of S are kept from round to round, while
 * the rounds join the fit on O. Once it stands out, the rows since it came are
 * taken back from the fit. The rest is folded, and the rows since it came join
 * again, now with it.
 * SPDX-License-Identifier: MIT */
#include "solvers/budgeted/sift_round_parts.h"

#include <math.h>
#include <string.h>

static bool any_slow(const struct th_sift_fit *fit)
{
  bool any = false;
  for (int64_t k = 0; k < fit->size; k++)
    any |= fit->slow[k];
  return any;
}

void th_sift_trial_count(struct th_sift_fit *fit, double rows)
{
  bool goes_on = any_slow(fit);
  for (int64_t k = 0; k < fit->order; k++)
    fit->seen[k] = goes_on ? fit->seen[k] + rows : 0;
}

void th_sift_trial_add(struct th_sift_work *r, double scale)
{
  struct th_sift_fit *fit = r->fit;
  int64_t n = fit->order;
  bool goes_on = any_slow(fit);
  for (int64_t j = 0; j < n; j++) {
    for (int64_t i = 0; i < n; i++) {
      double *to = &fit->trial[i + j * n];
      *to = goes_on ? scale * (*to + th_sift_sum(r, i, j) / r->rp) : 0;
    }
    double *to = &fit->trial_moment[j];
    *to = goes_on ? scale * (*to + th_sift_moment(r, j) / r->rp) : 0;
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
static double share(const struct th_sift_fit *fit, int64_t i, int64_t j,
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
      sum[i + j * n] = fit->trial[i + j * n] * share(fit, i, j, rows);
    moment[j] = fit->trial_moment[j] * share(fit, j, j, rows);
  }
}

/* Add them to the fit, or take them back, on the rows that have a part. */
static void add_sums(struct th_sift_work *r, double sign, const double *sum,
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
  th_sift_order(r, joins);
  TH_TRY(th_cholesky_order(&fit->a, n, sum, n,
                           (struct th_cholesky_turns){r->order, r->tried},
                           TH_SIFT_COLLINEAR, err));
  th_sift_count_old(r);
  add_sums(r, -1, sum, moment);
  mark_new(r);
  TH_TRY(th_sift_fold(r, 0, err));
  add_sums(r, 1, sum, moment);
  for (int64_t k = 0; k < n; k++)
    if (r->part[k] == TH_SIFT_NEW)
      r->part[k] = TH_SIFT_OLD;
done:
  return rc;
}

th_status th_sift_trial_join(struct th_sift_work *r, struct th_error *err)
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
