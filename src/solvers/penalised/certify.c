/* certify.c - the certificate of a penalised model: gap, violations, margins
 *
 * Liang & Poon 2022, Algorithm 1, lines of the dual point and the gap-safe
 * sphere, with the corrections of math/gap.h, over all attributes.
 * SPDX-License-Identifier: MIT */
#include "solvers/penalised/certify.h"

#include "base/memory.h"
#include "math/gap.h"
#include "solvers/penalised/problem.h"

#include <math.h>
#include <string.h>

/* If a dual value is below the level by this much, a float sum is good enough.
 * Members of a support lie at 1. */
static const double settled_below = 1e-4;

void th_certify_review_free(struct th_certify_review *r)
{
  TH_FREE(r->coef, r->held, r->prediction, r->theta);
  th_problem_duals_free(&r->duals);
}

/* Local. */
static th_status prepare(struct th_certify_review *r,
                         const struct th_support *model, struct th_error *err)
{
  const struct th_problem *p = r->problem;
  const int64_t *attribute = model->attribute;
  struct th_range mine =
      th_range_members(attribute, model->size, p->context->owned);
  th_status rc;
  TH_TRY(TH_NEW(&r->coef, p->active.count, "coefficients", err));
  TH_TRY(TH_NEW(&r->held, p->grouping.groups, "coefficients", err));
  TH_TRY(TH_NEW(&r->prediction, p->rows, "predictions", err));
  TH_TRY(TH_NEW(&r->theta, p->rows, "dual variables", err));
  TH_TRY(th_problem_duals_init(&r->duals, p, err));
  for (int64_t k = mine.first; k < mine.last; k++) {
    int64_t place = th_active_place(&p->active, attribute[k]);
    if (place < 0)
      return th_fail(err, TH_EARG,
                     "attribute %lld is left out here: it never changes",
                     (long long)attribute[k]);
    r->coef[place] = model->coef[k];
  }
done:
  return rc;
}

/* Find the dual point of the predictions, at their best intercept. */
static th_status find_theta(struct th_certify_review *r, struct th_error *err)
{
  const struct th_problem *p = r->problem;
  double shift = 0;
  th_status rc = TH_OK;
  if (p->intercept)
    rc = th_gap_intercept(p->loss, p->rows, p->eta, p->target, r->prediction,
                          &shift, err);
  for (int64_t i = 0; i < p->rows; i++)
    r->theta[i] = r->prediction[i] + shift;
  th_problem_theta(p, r->theta, r->theta);
  return rc;
}

double th_certify_review_violation(const struct th_certify_review *r, int64_t g)
{
  const struct th_problem *p = r->problem;
  struct th_range members = th_problem_members(p, g);
  double value = r->duals.value[g];
  double along = 0;
  double size = 0;
  for (int64_t m = members.first; m < members.last; m++) {
    int64_t place = th_problem_place(p, m);
    double b = r->coef[place];
    along += r->duals.z[place] * b;
    size = fmax(size, fabs(b));
  }
  if (!(r->held[g] > 0))
    return value - 1;
  bool split = p->grouping.has_remote != NULL && p->grouping.has_remote[g];
  struct th_group_norm norm =
      p->grouping.norm == NULL ? p->grouping.one : p->grouping.norm[g];
  if (split || th_range_count(members) > 1)
    return fabs(value - 1);
  return fmax(value - 1, 1 - along / ((norm.a + norm.c) * size));
}

static int decade_of(double distance)
{
  int decade = 0;
  for (double edge = 0.1; decade < TH_MARGINS - 1 && distance <= edge;
       edge /= 10)
    decade++;
  return decade;
}

double th_certify_review_slack(const struct th_certify_review *r, int64_t g)
{
  return r->duals.slack[g] + r->drift * r->problem->norm_bound[g];
}

void th_certify_review_survey(const struct th_certify_review *r, int side,
                              struct th_certificate *c)
{
  const struct th_problem *p = r->problem;
  struct th_comm *comm = p->context->comm;
  double L = th_loss_L(p->loss);
  double scale = 1 / fmax(1, c->dual_norm);
  double largest[2] = {0, 0};
  int64_t counts[TH_MARGINS + 1] = {0};
  for (int64_t g = 0; g < p->grouping.groups; g++) {
    struct th_range members = th_problem_members(p, g);
    double value = r->duals.value[g] + side * th_certify_review_slack(r, g);
    double radius = th_gap_radius(
        L, c->gap, p->norm_bound[g] * p->norm_bound[g], c->lambda);
    bool in_support = r->held[g] > 0;
    largest[0] = fmax(largest[0], th_certify_review_violation(r, g));
    largest[1] = fmax(largest[1], radius);
    double reach = scale * value + r->duals.slack[g];
    if (in_support || !th_gap_removes(reach, radius, th_gap_margin(TH_F64)))
      counts[TH_MARGINS] += th_range_count(members);
    if (!in_support && p->is_owner[g])
      counts[decade_of(1 - value)]++;
  }
  comm->ops->max_f64(comm, largest, 2);
  comm->ops->sum_i64(comm, counts, TH_MARGINS + 1);
  c->violation = largest[0];
  c->radius = largest[1];
  c->active = counts[TH_MARGINS];
  memcpy(c->margin, counts, sizeof c->margin);
}

/* Objective, dual norm and gap. Collective. */
static th_status weigh_gap(struct th_certify_review *r,
                           struct th_certificate *c, struct th_error *err)
{
  struct th_problem *p = r->problem;
  double dual_norm = 0;
  th_status rc =
      th_grouping_norm(&p->grouping, p->context->comm, r->coef, &r->omega, err);
  if (rc != TH_OK)
    return rc;
  for (int64_t g = 0; g < p->grouping.groups; g++)
    dual_norm = fmax(dual_norm, r->duals.value[g]);
  p->context->comm->ops->max_f64(p->context->comm, &dual_norm, 1);
  c->dual_norm = dual_norm;
  c->norm = r->omega;
  c->objective =
      th_gap_primal(p->loss, p->rows, p->eta, p->target, r->prediction) +
      c->lambda * r->omega;
  c->gap = th_gap_bound(c->objective,
                        th_gap_dual(p->loss, p->rows, p->eta, p->target,
                                    r->theta, 1 / fmax(1, dual_norm)));
  return TH_OK;
}

th_status th_certify_review_make(struct th_certify_review *r,
                                 const struct th_support *model, double lambda,
                                 struct th_certificate *certificate,
                                 struct th_error *err)
{
  struct th_problem *p = r->problem;
  struct th_comm *comm = p->context->comm;
  th_status rc = prepare(r, model, err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(th_problem_predict(p, model->attribute, model->coef, model->size,
                            model->intercept, r->prediction, err));
  TH_TRY(find_theta(r, err)); /* replicated */
  th_grouping_dual(&p->grouping, comm, r->coef, r->held);
  TH_TRY(
      th_problem_pass(p, r->theta, lambda, 1 - settled_below, &r->duals, err));
  certificate->lambda = lambda;
  certificate->lambda_max = p->lambda_max;
  certificate->confidence = 1;
  TH_TRY(weigh_gap(r, certificate, err));
done:
  return rc;
}

th_status th_certify(struct th_problem *p, const struct th_support *model,
                     double lambda, struct th_certificate *certificate,
                     struct th_error *err)
{
  struct th_certify_review r = {.problem = p};
  th_status rc = th_certify_review_make(&r, model, lambda, certificate, err);
  if (rc == TH_OK)
    th_certify_review_survey(&r, 0, certificate);
  th_certify_review_free(&r);
  return rc;
}
