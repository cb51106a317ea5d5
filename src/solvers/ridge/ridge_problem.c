/* ridge_problem.c - a problem as ridge regression sees it
 * SPDX-License-Identifier: MIT */
#include "solvers/ridge/ridge_problem.h"

#include "base/memory.h"
#include "base/range.h"
#include "solvers/penalised/problem.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Every rank's attributes, one after the other. Collective. */
static th_status gather(struct th_ridge_problem *places, struct th_error *err)
{
  struct th_comm *comm = places->problem->context->comm;
  const struct th_active *active = &places->problem->active;
  int64_t *bytes = NULL;
  void *all = NULL;
  th_status rc = TH_NEW(&bytes, comm->size, "attributes", err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(th_comm_gather(comm, active->attribute,
                        active->count * (int64_t)sizeof *active->attribute,
                        bytes, &all, err));
  places->attribute = all;
done:
  free(bytes);
  return rc;
}

th_status th_ridge_problem_init(struct th_ridge_problem *places,
                                struct th_problem *problem,
                                struct th_error *err)
{
  struct th_comm *comm = problem->context->comm;
  int64_t count = problem->active.count;
  *places = (struct th_ridge_problem){.problem = problem};
  places->mine.first = th_comm_prefix(comm, count, &places->count);
  places->mine.last = places->mine.first + count;
  th_status rc = TH_NEW(&places->all, problem->grouping.groups, "places", err);
  if (rc == TH_OK)
    rc = TH_NEW(&places->here, count, "sums over examples", err);
  if (rc == TH_OK)
    rc = TH_NEW(&places->mean, places->count, "means of attributes", err);
  TH_TRY(th_agree(comm, rc, err));
  memset(places->all, true,
         (size_t)problem->grouping.groups * sizeof *places->all);
  TH_TRY(gather(places, err));
done:
  return rc;
}

void th_ridge_problem_free(struct th_ridge_problem *places)
{
  TH_FREE(places->attribute, places->all, places->here, places->mean);
  *places = (struct th_ridge_problem){0};
}

th_status th_ridge_problem_sums(struct th_ridge_problem *places, double *out,
                                struct th_error *err)
{
  struct th_problem *p = places->problem;
  th_status rc;
  TH_TRY(th_problem_sums(p, places->all, TH_SUM_DOUBLE, 1, places->here, err));
  if (p->active.count > 0)
    memcpy(out + places->mine.first, places->here,
           (size_t)p->active.count * sizeof *out);
  TH_TRY(th_comm_join(p->context->comm, out, places->count, places->mine.first,
                      places->mine.last, err));
done:
  return rc;
}

th_status th_ridge_problem_centre(struct th_ridge_problem *places,
                                  struct th_error *err)
{
  if (!places->problem->intercept)
    return TH_OK;
  th_ridge_problem_weigh(places, NULL);
  return th_ridge_problem_sums(places, places->mean, err);
}

void th_ridge_problem_weigh(const struct th_ridge_problem *places,
                            const double *value)
{
  const struct th_problem *p = places->problem;
  for (int64_t i = 0; i < p->rows; i++)
    p->multiplier[i] = value == NULL ? p->eta[i] : p->eta[i] * value[i];
}

double th_ridge_problem_mean(const struct th_ridge_problem *places,
                             const double *value)
{
  const struct th_problem *p = places->problem;
  return th_column_dot_plain(p->eta, value, p->rows);
}

/* --- What a ridge model says of itself: objective, gap, gradient ---------- */

/* P(b, b0) = (1/2) sum_i eta_i (x_i'b + b0 - y_i)^2 + (lambda/2) |b|^2. With r
 * the residuals less their mean m, and g_j = sum_i eta_i r_i x_ij + lambda b_j,
 * the gap of the point theta = r of the dual problem is
 * |g|^2 / (2 lambda) + m^2 / 2. By it the certificate's numbers mean
 *
 *   dual_norm   |sum eta r x| over lambda |b|: 1 at the optimum
 *   violation   the largest |g_j| over lambda times the largest |b_j|
 *   norm        |b|
 *   radius      the solution is no farther than this: sqrt(2 gap / lambda)
 *   lambda_max  the largest eigenvalue of the Gram matrix; 0: not computed
 *
 * There are no margins, since no attribute is screened. */

/* Vectors over the places and over the examples. */
struct review {
  struct th_ridge_problem *places;
  double lambda;
  double intercept;
  double *coef;
  double *slope;    /* sum eta r x */
  double *bound;    /* of the rounding of a slope, over its terms */
  double *residual; /* examples */
  double shift;     /* mean of the residuals */
  double converted; /* rounding of the intercept in other units */
  double spread;    /* root of the mean of r^2 */
  double curvature; /* b\'G b: the variance of the predictions */
};

static void release(struct review *r)
{
  TH_FREE(r->coef, r->slope, r->bound, r->residual);
}

/* Local; replicated. */
static th_status load_coefs(struct review *r, const struct th_support *model,
                            struct th_error *err)
{
  const struct th_ridge_problem *places = r->places;
  for (int64_t k = 0; k < model->size; k++) {
    int64_t at =
        th_range_find(places->attribute, places->count, model->attribute[k]);
    if (at < 0)
      return th_fail(err, TH_EARG,
                     "attribute %lld is left out here: it never changes",
                     (long long)model->attribute[k]);
    r->coef[at] = model->coef[k];
  }
  return TH_OK;
}

/* Local. */
static th_status prepare_claim(struct review *r, const struct th_support *model,
                               struct th_error *err)
{
  int64_t count = r->places->count;
  th_status rc;
  TH_TRY(TH_NEW(&r->coef, count, "coefficients", err));
  TH_TRY(TH_NEW(&r->slope, count, "sums over examples", err));
  TH_TRY(TH_NEW(&r->bound, count, "sums over examples", err));
  TH_TRY(TH_NEW(&r->residual, r->places->problem->rows, "residuals", err));
  TH_TRY(load_coefs(r, model, err));
done:
  return rc;
}

/* Residuals less their mean. Collective. */
static th_status find_residuals(struct review *r,
                                const struct th_support *model,
                                struct th_error *err)
{
  struct th_problem *p = r->places->problem;
  th_status rc =
      th_problem_predict(p, model->attribute, model->coef, model->size,
                         model->intercept, r->residual, err);
  if (rc != TH_OK)
    return rc;
  double mean =
      p->intercept ? th_ridge_problem_mean(r->places, r->residual) : 0;
  for (int64_t i = 0; i < p->rows; i++) {
    double z = r->residual[i] - mean;
    r->curvature += p->eta[i] * z * z;
    r->residual[i] -= p->target[i];
  }
  r->shift = p->intercept ? th_ridge_problem_mean(r->places, r->residual) : 0;
  double square = 0;
  for (int64_t i = 0; i < p->rows; i++) {
    r->residual[i] -= r->shift;
    square += p->eta[i] * r->residual[i] * r->residual[i];
  }
  r->spread = sqrt(square);
  return TH_OK;
}

/* Collective. */
static th_status sum_slopes(struct review *r, struct th_error *err)
{
  struct th_ridge_problem *places = r->places;
  const struct th_problem *p = places->problem;
  th_status rc;
  th_ridge_problem_weigh(places, r->residual);
  TH_TRY(th_ridge_problem_sums(places, r->slope, err));
  for (int64_t k = 0; k < p->active.count; k++)
    r->bound[places->mine.first + k] = p->norm_bound[k];
  TH_TRY(th_comm_join(p->context->comm, r->bound, places->count,
                      places->mine.first, places->mine.last, err));
done:
  return rc;
}

static void certify_ridge(const struct review *r, struct th_certificate *c)
{
  double gradient = 0;
  double slope = 0;
  double square = 0;
  double largest = 0;
  double most = 0;
  for (int64_t k = 0; k < r->places->count; k++) {
    double g = r->slope[k] + r->lambda * r->coef[k];
    gradient += g * g;
    slope += r->slope[k] * r->slope[k];
    square += r->coef[k] * r->coef[k];
    largest = fmax(largest, fabs(g));
    most = fmax(most, fabs(r->coef[k]));
  }
  double penalty = r->lambda * sqrt(square);
  c->lambda = r->lambda;
  c->confidence = 1;
  c->norm = sqrt(square);
  c->active = r->places->count;
  c->objective = (r->spread * r->spread + r->shift * r->shift) / 2 +
                 r->lambda * square / 2;
  c->gap = gradient / (2 * r->lambda) + r->shift * r->shift / 2;
  c->dual_norm = penalty > 0 ? sqrt(slope) / penalty : 0;
  c->violation = most > 0 ? largest / (r->lambda * most) : 0;
  c->radius = sqrt(2 * c->gap / r->lambda);
}

/* Bounds with room to spare: of the sums over examples, of the predictions in
 * them, and of coefficients and an intercept that have been through other
 * units. The error of the intercept is the same for all residuals: it goes with
 * their mean, and leaves the gradient alone. */
static void find_slack(const struct review *r, const struct th_certificate *c,
                       struct th_ridge_problem_slack *slack)
{
  double drift = 0;
  double sum = 0;
  double square = 0;
  double most = 0;
  double trace = 0;
  for (int64_t k = 0; k < r->places->count; k++) {
    drift += r->bound[k] * fabs(r->coef[k]);
    square += r->coef[k] * r->coef[k];
    most = fmax(most, fabs(r->coef[k]));
    trace += r->bound[k] * r->bound[k];
  }
  drift = 64 * DBL_EPSILON * (drift + r->spread);
  for (int64_t k = 0; k < r->places->count; k++) {
    double s = r->bound[k] * (TH_DOUBLE_ROUNDING * r->spread + drift) +
               16 * DBL_EPSILON * r->lambda * fabs(r->coef[k]);
    sum += s * s;
  }
  slack->gradient = sqrt(sum);
  slack->shift = drift + r->converted + 64 * DBL_EPSILON * fabs(r->intercept);
  slack->objective = 1e-12 * c->objective + drift * (r->spread + drift) +
                     slack->shift * (fabs(r->shift) + slack->shift);
  slack->relative =
      square > 0 ? slack->gradient / (r->lambda * sqrt(square)) : 0;
  slack->largest = most > 0 ? slack->gradient / (r->lambda * most) : 0;
  slack->most = trace * (1 + 1e-9);
  slack->least = square > 0 ? r->curvature / square * (1 - 1e-9) : 0;
}

th_status th_ridge_problem_claim(struct th_ridge_problem *places,
                                 const struct th_support *model, double lambda,
                                 struct th_certificate *certificate,
                                 struct th_ridge_problem_slack *slack,
                                 struct th_error *err)
{
  struct th_context *context = places->problem->context;
  struct review r = {.places = places,
                     .lambda = lambda,
                     .intercept = model->intercept,
                     .converted =
                         th_support_intercept_rounding(model, context)};
  th_status rc;
  TH_TRY(th_agree(context->comm, prepare_claim(&r, model, err), err));
  th_comm_profile_begin(context->profile);
  rc = find_residuals(&r, model, err);
  if (rc == TH_OK)
    rc = sum_slopes(&r, err);
  th_comm_profile_end(context->profile, TH_PHASE_PASS);
  if (rc != TH_OK)
    goto done;
  certify_ridge(&r, certificate);
  if (slack != NULL)
    find_slack(&r, certificate, slack);
done:
  release(&r);
  return rc;
}
