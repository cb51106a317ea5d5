/* sift_last.c - the last decisions on rare attributes in solver `sift`
 *
 * If all rows are read once, an attribute that few examples have gets no second
 * chance. Its trial ends with the rows. What was known of it when it came is
 * then a good part of all that can be known, so both count here.
 * SPDX-License-Identifier: MIT */
#include "solvers/budgeted/sift.h"
#include "solvers/budgeted/sift_round_parts.h"

static const double agrees = 2; /* standard errors between two estimates */

/* ---- the fit; on rank 0 ---- */

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
  TH_TRY(th_sift_work_begin(r, err));
  TH_TRY(th_sift_trial_join(r, err));
  TH_TRY(th_sift_solve(r, err));
  history(r);
  TH_TRY(th_sift_close_trials(r, err));
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
    rc = th_sift_fit_tell(fit, context->comm, rc, err);
  for (int64_t k = 0; k < fit->size && rc == TH_OK; k++) {
    fit->entrant[k] = fit->entrant[k] && !fit->slow[k];
    fit->slow[k] = false;
  }
  th_sift_work_free(&r);
  return rc;
}

/* ---- the verdicts ---- */

/* An entrant joins if it stands out of all attributes by all that is known, and
 * if what was learnt since it came is nearer to its estimate than to 0. */
static enum th_sift_verdict verdict_on(const struct th_sift *s, int64_t k,
                                       struct th_evidence now)
{
  double sign = now.u < 0 ? -1 : 1;
  double u = sign * (now.u - s->fit.came[k].u);
  double w = now.v - s->fit.came[k].v;
  bool stands = w > 0 && now.u * now.u >= s->threshold * s->threshold * now.v &&
                2 * u * now.v >= sign * now.u * w;
  return stands ? TH_SIFT_JOINS : TH_SIFT_FAILS;
}

th_status th_sift_last_trials(struct th_sift *s, struct th_context *context,
                              struct th_error *err)
{
  struct th_sift_fit *fit = &s->fit;
  int64_t count = 0;
  th_status rc;
  th_sift_sum_slow(s, context);
  for (int64_t k = 0; k < fit->size; k++)
    if (fit->slow[k])
      fit->verdict[k] = (unsigned char)verdict_on(s, k, s->entry.sum[count++]);
  TH_TRY(th_sift_fit_last(fit, context, err));
  for (int64_t k = 0; k < fit->size; k++) {
    s->support.coef[k] = fit->theta[k];
    fit->keep[k] = fit->fate[k] == TH_SIFT_STAYS && !fit->entrant[k];
  }
  th_support_filter(&s->support, fit->keep);
  th_sift_fit_filter(fit, fit->keep);
  s->support.intercept = fit->constant ? fit->theta[fit->size] : 0;
done:
  return rc;
}
