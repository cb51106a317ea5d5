/* certify.c - the certificate of a penalised model: gap, violations, margins
 *
 * Liang & Poon 2022, Algorithm 1, lines of the dual point and the gap-safe
 * sphere, with the corrections of math/gap.h, over all attributes.
 * SPDX-License-Identifier: MIT */
#include "solvers/penalised/certify.h"

#include "base/elementary.h"
#include "base/memory.h"
#include "base/search.h"
#include "math/gap.h"
#include "solvers/penalised/problem.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* --- A review: a model evaluated on all the data of its problem
 *
 * Use: zero one, set its problem, review_make, review_survey, review_free. */

struct review {
  struct th_problem *problem; /* borrowed */
  double *coef;               /* places */
  double *held; /* groups: above 0 where a member has a coefficient */
  double *work; /* groups */
  struct th_shared memory; /* of both */
  double *prediction;
  double *theta; /* the dual point before it is scaled */
  double *slope; /* of attributes without a penalty, at the model */
  double *refit; /* what their coefficients lack */
  double lambda;
  struct th_duals duals;
  double omega;     /* the penalty, without lambda */
  double square;    /* what of it is a ridge */
  double bounds[2]; /* what they take off the dual point, over lambda, and the
                       sum of the coefficients there */
  double drift; /* how much another rounding of theta may change a dual value,
                   over the group's norm bound */
};

/* If a dual value is below the level by this much, a float sum is good enough.
 * Members of a support lie at 1. */
static const double settled_below = 1e-4;

/* Collective. */
static void review_free(struct review *r)
{
  TH_FREE(r->coef, r->held, r->work, r->slope, r->refit);
  th_comm_shared_free(&r->memory);
  th_problem_duals_free(&r->duals);
}

/* Local. */
static th_status prepare(struct review *r, const struct th_support *model,
                         struct th_error *err)
{
  const struct th_problem *p = r->problem;
  const int64_t *attribute = model->attribute;
  struct th_range mine =
      th_range_members(attribute, model->size, p->context->owned);
  th_status rc;
  TH_TRY(TH_NEW(&r->coef, p->active.count, "coefficients", err));
  TH_TRY(TH_NEW(&r->held, p->grouping.groups, "coefficients", err));
  TH_TRY(TH_NEW(&r->work, p->grouping.groups, "coefficients", err));
  TH_TRY(TH_NEW(&r->slope, p->exempt.count, "coefficients", err));
  TH_TRY(TH_NEW(&r->refit, p->exempt.count, "coefficients", err));
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

/* Collective. */
static th_status share_examples(struct review *r, struct th_error *err)
{
  const struct th_problem *p = r->problem;
  size_t bytes = 2 * (size_t)p->rows * sizeof(double);
  th_status rc =
      th_comm_share(p->context->comm, bytes, "predictions", &r->memory, err);
  r->prediction = r->memory.data;
  r->theta = rc == TH_OK ? r->prediction + p->rows : NULL;
  return rc;
}

/* The slopes of attributes without a penalty at the model itself, at its best
 * intercept: the dual point has none. Local. */
static th_status measure_exempt(struct review *r, struct th_error *err)
{
  const struct th_problem *p = r->problem;
  double *theta = NULL;
  double shift = 0;
  th_status rc = TH_NEW(&theta, p->rows, "a dual point", err);
  TH_TRY(rc);
  if (p->intercept)
    TH_TRY(th_gap_intercept(p->loss, p->rows, p->eta, p->target, r->prediction,
                            &shift, err));
  for (int64_t i = 0; i < p->rows; i++)
    theta[i] = r->prediction[i] + shift;
  th_loss_df_all(p->loss, p->rows, theta, p->target, theta);
  th_exempt_slopes(&p->exempt, theta, r->slope);
done:
  free(theta);
  return rc;
}

/* Find the dual point of the predictions, at their best intercept and the best
 * coefficients of attributes without a penalty. Collective. */
static th_status find_theta(struct review *r, struct th_error *err)
{
  const struct th_problem *p = r->problem;
  double shift = 0;
  th_status rc = TH_OK;
  if (p->exempt.count > 0)
    TH_TRY(th_agree(p->context->comm, measure_exempt(r, err), err));
  rc = th_problem_predict_fit(p, r->prediction, r->refit, &shift, err);
  if (r->memory.writer) {
    for (int64_t i = 0; i < p->rows; i++)
      r->theta[i] = r->prediction[i] + shift;
    if (p->exempt.count > 0)
      th_exempt_add(&p->exempt, r->refit, r->theta);
    th_problem_theta(p, r->theta, r->theta);
  }
  th_comm_shared_show(&r->memory);
done:
  return rc;
}

/* The attribute without a penalty that a group is, or -1. Local. */
static int64_t exempt_of(const struct review *r, int64_t g)
{
  const struct th_exempt *x = &r->problem->exempt;
  int64_t k = th_search_i64(x->attribute, 0, x->count, r->problem->key[g]);
  bool alone = th_range_count(th_problem_members(r->problem, g)) == 1;
  return alone && k < x->count && x->attribute[k] == r->problem->key[g] ? k
                                                                        : -1;
}

/* How far a group is from optimal: how far its slope is from 0 where it has no
 * penalty, else how far it lies outside the ball and, for a group of the
 * support, how far Z'b is from Omega(b). Equality says that Z is a subgradient.
 * Local. */
static double review_violation(const struct review *r, int64_t g)
{
  const struct th_problem *p = r->problem;
  struct th_range members = th_problem_members(p, g);
  double value = r->duals.value[g];
  double along = 0;
  double size = 0;
  int64_t exempt = exempt_of(r, g);
  if (exempt >= 0)
    return fabs(r->slope[exempt]) / r->lambda;
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

/* A bound on the error of a group's dual value. Local. */
static double review_slack(const struct review *r, int64_t g)
{
  return r->duals.slack[g] + r->drift * r->problem->norm_bound[g];
}

/* Find the largest violation and radius, and the margins of groups outside the
 * support, at the certificate's gap. side: use dual values as they are (0), or
 * as low or high as rounding may make them (-1, 1). Collective. */
static void review_survey(const struct review *r, int side,
                          struct th_certificate *c)
{
  const struct th_problem *p = r->problem;
  struct th_comm *comm = p->context->comm;
  double L = p->L;
  double scale = 1 / fmax(1, c->dual_norm);
  double largest[2] = {0, 0};
  int64_t counts[TH_MARGINS + 1] = {0};
  for (int64_t g = 0; g < p->grouping.groups; g++) {
    struct th_range members = th_problem_members(p, g);
    double value = r->duals.value[g] + side * review_slack(r, g);
    double radius =
        th_gap_radius(L, c->gap, th_problem_ridge_second(p, g), c->lambda);
    bool exempt = exempt_of(r, g) >= 0;
    bool in_support = r->held[g] > 0 || exempt;
    largest[0] = fmax(largest[0], review_violation(r, g));
    largest[1] = fmax(largest[1], exempt ? 0 : radius);
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

/* Omega of the model. Collective. */
static th_status weigh_penalty(struct review *r, struct th_error *err)
{
  struct th_grouping *grouping = &r->problem->grouping;
  struct th_comm *comm = r->problem->context->comm;
  th_status rc = th_grouping_norm(grouping, comm, r->coef, &r->omega, err);
  if (rc == TH_OK && grouping->ridge > 0)
    rc = th_grouping_square(grouping, comm, r->coef, &r->square, err);
  r->square *= grouping->ridge;
  r->omega += r->square;
  return rc;
}

/* Objective, dual norm and gap. Collective. */
static th_status weigh_gap(struct review *r, struct th_certificate *c,
                           struct th_error *err)
{
  struct th_problem *p = r->problem;
  double dual_norm = 0;
  th_status rc = weigh_penalty(r, err);
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
  double scale = 1 / fmax(1, dual_norm);
  rc = th_problem_bounds_beyond(p, scale, r->coef, &r->duals, r->work,
                                r->bounds, err);
  if (rc != TH_OK)
    return rc;
  double dual =
      th_gap_dual(p->loss, p->rows, p->eta, p->target, r->theta, scale) -
      c->lambda * (scale * scale * r->square + r->bounds[0]);
  c->gap = th_gap_bound(c->objective, dual);
  return TH_OK;
}

/* Compute objective, dual norm and gap, and what review_survey
 * needs. Collective. The caller sets the problem in a zeroed record, and
 * releases the record with review_free, also after a failure. */
static th_status review_make(struct review *r, const struct th_support *model,
                             double lambda, struct th_certificate *certificate,
                             struct th_error *err)
{
  struct th_problem *p = r->problem;
  struct th_comm *comm = p->context->comm;
  th_status rc = prepare(r, model, err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(share_examples(r, err));
  TH_TRY(th_problem_predict(p, model->attribute, model->coef, model->size,
                            model->intercept,
                            r->memory.writer ? r->prediction : NULL, err));
  th_comm_shared_show(&r->memory);
  TH_TRY(find_theta(r, err));
  th_grouping_dual(&p->grouping, comm, r->coef, r->held);
  TH_TRY(
      th_problem_pass(p, r->theta, lambda, 1 - settled_below, &r->duals, err));
  th_problem_ridge_at(p, lambda);
  th_problem_ridge_join(p, lambda, r->coef, &r->duals);
  th_problem_bounds_join(p, r->coef, &r->duals);
  r->lambda = certificate->lambda = lambda;
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
  struct review r = {.problem = p};
  th_status rc = review_make(&r, model, lambda, certificate, err);
  if (rc == TH_OK)
    review_survey(&r, 0, certificate);
  review_free(&r);
  return rc;
}

/* --- A certificate computed again, and what rounding may make of it
 *
 * The same program finds the same bits, but for the coefficients: a model holds
 * them in the data's own units, and they come back with an error of some u =
 * 2^-52 of each. So does the intercept, a sum of as many terms, which are large
 * where attributes are far from zero: e is th_support_intercept_rounding.
 * Another compiler or processor may round sums in another order. With S the
 * largest magnitude that goes into a prediction or a residual, of values less
 * their centre, k terms in it, L the Lipschitz constant of f', theta = f'(p),
 * m = sum eta |theta| and t the largest |theta|:
 *
 *   predictions   dp = (k + 8) u S + e
 *   theta         dt = 4 L dp + 8 u t, the best intercept and the centring of
 *                 theta among it
 *   objective     m dp + L dp^2 / 2, and u of its own terms
 *   dual value    of a group: dt sqrt(N_g) / lambda, and the rounding of its
 *                 sum that screening reckons with (problem.c)
 *   dual norm     the largest of those that may be the maximum
 *   D(theta)      (dt + m times the error of the dual norm) times the slope of
 *                 f*, which is a prediction: at most 2 S + t, and for labels,
 *                 of which theta is scaled down, the logarithm of that more
 *   gap           objective and D together, the ridge's part of D too, and
 *                 never below what th_gap_bound adds for rounding
 *   norm          as many terms as coefficients, each with an error of u
 *   radius        goes with the root of the gap: that of the model itself is
 *                 taken, so that nothing but rounding is left
 *   lambda_max    the rounding of its sum: theta of the zero model is at most
 *                 sqrt(2 L P(0)) in the norm that this takes */

/* What goes into the bounds. */
struct scale {
  double magnitude; /* S */
  double terms;     /* k + 8 */
  double mean;      /* sum eta |theta| */
  double largest;   /* |theta| */
  double moved;     /* dp */
  double turned;    /* dt */
  double cancelled; /* terms of a steep loss that cancel, in the mean */
};

static struct scale measure_scale(const struct review *r,
                                  const struct th_support *support)
{
  const struct th_problem *p = r->problem;
  const struct th_target *target = &p->context->target;
  struct scale s = {.magnitude = fabs(support->intercept) +
                                 fabs(target->shift) + target->largest,
                    .terms = (double)support->size + 8};
  for (int64_t k = 0; k < support->size; k++)
    s.magnitude += fabs(support->coef[k]) * support->bound[k];
  for (int64_t i = 0; i < p->rows; i++) {
    s.mean += p->eta[i] * fabs(r->theta[i]);
    s.largest = fmax(s.largest, fabs(r->theta[i]));
  }
  s.moved = s.terms * DBL_EPSILON * s.magnitude +
            th_support_intercept_rounding(support, p->context);
  if (th_loss_is_steep(p->loss))
    s.cancelled = s.mean + target->largest *
                               (3 + s.magnitude + th_log1p(target->largest));
  s.turned = 4 * p->L * s.moved + 8 * DBL_EPSILON * s.largest;
  return s;
}

/* How far dual norm and violation may be off: as far as any group that may be
 * the largest; with bounds, how far any group may be. Collective. */
static void dual_errors(const struct review *r,
                        const struct th_certificate *now, double error[3])
{
  const struct th_problem *p = r->problem;
  error[0] = error[1] = error[2] = 0;
  for (int64_t g = 0; g < p->grouping.groups; g++) {
    double slack = review_slack(r, g);
    if (r->duals.value[g] + 2 * slack >= now->dual_norm)
      error[0] = fmax(error[0], slack);
    if (review_violation(r, g) + 2 * slack >= now->violation)
      error[1] = fmax(error[1], slack);
    if (p->grouping.bounded)
      error[2] = fmax(error[2], slack);
  }
  p->context->comm->ops->max_f64(p->context->comm, error, 3);
}

static double objective_error(const struct review *r, const struct scale *s,
                              const struct th_certificate *now)
{
  double L = r->problem->L;
  return s->mean * s->moved + L * s->moved * s->moved / 2 +
         s->terms * DBL_EPSILON * (fabs(now->objective) + s->cancelled);
}

static double gap_error(const struct review *r, const struct scale *s,
                        const struct th_certificate *now, const double error[3])
{
  double dual = error[0];
  double slope = 2 * s->magnitude + s->largest;
  double by_ridge = 2 * now->lambda * r->square * dual;
  double by_bounds = now->lambda * r->bounds[1] * error[2];
  slope += (r->problem->loss->scaled ? r->problem->loss->bend : 0) * s->largest;
  if (r->problem->loss->labels || th_loss_is_steep(r->problem->loss))
    slope += 1 + th_log(fmax(1, now->dual_norm));
  return objective_error(r, s, now) + by_ridge + by_bounds +
         slope * (s->turned + s->mean * dual) +
         s->terms * DBL_EPSILON * (2 * fabs(now->objective) + now->gap);
}

/* Collective. */
static double lambda_max_error(const struct th_problem *p)
{
  double most = 0;
  for (int64_t g = 0; g < p->grouping.groups; g++)
    if (p->grouping.norm == NULL ||
        th_penalty_norm_least(p->grouping.norm[g]) > 0)
      most = fmax(most, p->norm_bound[g]);
  p->context->comm->ops->max_f64(p->context->comm, &most, 1);
  return TH_DOUBLE_ROUNDING * most * sqrt(2 * p->L * p->zero);
}

static void enclose(double *least, double *most, double value, double error)
{
  *least = value - error;
  *most = value + error;
}

/* Counts per distance become counts of all that are no farther away. */
static void accumulate(struct th_certificate *c)
{
  for (int k = TH_MARGINS - 2; k >= 0; k--)
    c->margin[k] += c->margin[k + 1];
}

/* Collective. */
static void survey_ends(const struct review *r,
                        const struct th_certificate *claimed, double dual,
                        struct th_certified_again *f)
{
  struct th_certificate *end[2] = {&f->least, &f->most};
  for (int k = 0; k < 2; k++) {
    *end[k] = f->now;
    end[k]->gap = claimed->gap;
    end[k]->confidence = claimed->confidence;   /* not derived from the data */
    end[k]->dual_norm += k == 0 ? dual : -dual; /* Z is divided by it */
    review_survey(r, 2 * k - 1, end[k]);
    accumulate(end[k]);
  }
  /* N_g is a sum of as many terms as others are */
  double radius = f->most.radius;
  enclose(&f->least.radius, &f->most.radius, radius,
          2 * TH_DOUBLE_ROUNDING * radius);
}

/* Collective. */
static void find_range(struct review *r, const struct th_support *support,
                       const struct th_certificate *claimed,
                       struct th_certified_again *f)
{
  const double rounding = 16 * DBL_EPSILON; /* of th_gap_bound, at the least */
  const struct th_certificate *now = &f->now;
  struct scale s = measure_scale(r, support);
  r->drift = s.turned / now->lambda;
  double error[3];
  dual_errors(r, now, error);
  double dual = error[0];
  double gap = gap_error(r, &s, now, error);
  double lambda_max = lambda_max_error(r->problem);
  survey_ends(r, claimed, dual, f);
  enclose(&f->least.lambda_max, &f->most.lambda_max, now->lambda_max,
          lambda_max);
  enclose(&f->least.objective, &f->most.objective, now->objective,
          objective_error(r, &s, now));
  enclose(&f->least.norm, &f->most.norm, now->norm,
          s.terms * DBL_EPSILON * now->norm);
  enclose(&f->least.dual_norm, &f->most.dual_norm, now->dual_norm, dual);
  enclose(&f->least.violation, &f->most.violation, now->violation, error[1]);
  enclose(&f->least.gap, &f->most.gap, now->gap, gap);
  f->least.gap = fmax(f->least.gap, rounding * fabs(f->least.objective));
}

th_status th_certify_again(struct th_problem *problem,
                           const struct th_support *support,
                           const struct th_certificate *claimed,
                           struct th_certified_again *found,
                           struct th_error *err)
{
  struct review r = {.problem = problem};
  *found = (struct th_certified_again){.omega = 0};
  th_status rc = review_make(&r, support, claimed->lambda, &found->now, err);
  if (rc == TH_OK) {
    review_survey(&r, 0, &found->now);
    find_range(&r, support, claimed, found);
    found->omega = r.omega;
  }
  review_free(&r);
  return rc;
}
