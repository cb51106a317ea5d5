/* recertify.c - a certificate computed again, and what rounding may make of it
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
 *   gap           objective and D together, and never below what th_gap_bound
 *                 adds for rounding
 *   norm          as many terms as coefficients, each with an error of u
 *   radius        goes with the root of the gap: that of the model itself is
 *                 taken, so that nothing but rounding is left
 *   lambda_max    the rounding of its sum: theta of the zero model is at most
 *                 sqrt(2 L P(0)) in the norm that this takes
 * SPDX-License-Identifier: MIT */
#include "solvers/driver/recertify.h"

#include "base/elementary.h"
#include "math/gap.h"
#include "solvers/penalised/certify.h"
#include "solvers/penalised/problem.h"

#include <float.h>
#include <math.h>

/* What goes into the bounds. */
struct scale {
  double magnitude; /* S */
  double terms;     /* k + 8 */
  double mean;      /* sum eta |theta| */
  double largest;   /* |theta| */
  double moved;     /* dp */
  double turned;    /* dt */
};

static struct scale measure_scale(const struct th_certify_review *r,
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
  s.turned = 4 * th_loss_L(p->loss) * s.moved + 8 * DBL_EPSILON * s.largest;
  return s;
}

/* How far dual norm and violation may be off: as far as any group that may be
 * the largest. Collective. */
static void dual_errors(const struct th_certify_review *r,
                        const struct th_certificate *now, double error[2])
{
  const struct th_problem *p = r->problem;
  error[0] = 0;
  error[1] = 0;
  for (int64_t g = 0; g < p->grouping.groups; g++) {
    double slack = th_certify_review_slack(r, g);
    if (r->duals.value[g] + 2 * slack >= now->dual_norm)
      error[0] = fmax(error[0], slack);
    if (th_certify_review_violation(r, g) + 2 * slack >= now->violation)
      error[1] = fmax(error[1], slack);
  }
  p->context->comm->ops->max_f64(p->context->comm, error, 2);
}

static double objective_error(const struct th_certify_review *r,
                              const struct scale *s,
                              const struct th_certificate *now)
{
  double L = th_loss_L(r->problem->loss);
  return s->mean * s->moved + L * s->moved * s->moved / 2 +
         s->terms * DBL_EPSILON * fabs(now->objective);
}

static double gap_error(const struct th_certify_review *r,
                        const struct scale *s, const struct th_certificate *now,
                        double dual)
{
  double slope = 2 * s->magnitude + s->largest;
  if (r->problem->loss->labels)
    slope += 1 + th_log(fmax(1, now->dual_norm));
  return objective_error(r, s, now) + slope * (s->turned + s->mean * dual) +
         s->terms * DBL_EPSILON * (2 * fabs(now->objective) + now->gap);
}

/* Collective. */
static double lambda_max_error(const struct th_problem *p)
{
  double most = 0;
  for (int64_t g = 0; g < p->grouping.groups; g++)
    most = fmax(most, p->norm_bound[g]);
  p->context->comm->ops->max_f64(p->context->comm, &most, 1);
  return TH_DOUBLE_ROUNDING * most * sqrt(2 * th_loss_L(p->loss) * p->zero);
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
static void survey_ends(const struct th_certify_review *r,
                        const struct th_certificate *claimed, double dual,
                        struct th_recertified *f)
{
  struct th_certificate *end[2] = {&f->least, &f->most};
  for (int k = 0; k < 2; k++) {
    *end[k] = f->now;
    end[k]->gap = claimed->gap;
    end[k]->confidence = claimed->confidence;   /* not derived from the data */
    end[k]->dual_norm += k == 0 ? dual : -dual; /* Z is divided by it */
    th_certify_review_survey(r, 2 * k - 1, end[k]);
    accumulate(end[k]);
  }
  /* N_g is a sum of as many terms as others are */
  double radius = f->most.radius;
  enclose(&f->least.radius, &f->most.radius, radius,
          2 * TH_DOUBLE_ROUNDING * radius);
}

/* Collective. */
static void find_range(struct th_certify_review *r,
                       const struct th_support *support,
                       const struct th_certificate *claimed,
                       struct th_recertified *f)
{
  const double rounding = 16 * DBL_EPSILON; /* of th_gap_bound, at the least */
  const struct th_certificate *now = &f->now;
  struct scale s = measure_scale(r, support);
  r->drift = s.turned / now->lambda;
  double error[2];
  dual_errors(r, now, error);
  double dual = error[0];
  double gap = gap_error(r, &s, now, dual);
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

th_status th_recertify(struct th_problem *problem,
                       const struct th_support *support,
                       const struct th_certificate *claimed,
                       struct th_recertified *found, struct th_error *err)
{
  struct th_certify_review r = {.problem = problem};
  *found = (struct th_recertified){.omega = 0};
  th_status rc =
      th_certify_review_make(&r, support, claimed->lambda, &found->now, err);
  if (rc == TH_OK) {
    th_certify_review_survey(&r, 0, &found->now);
    find_range(&r, support, claimed, found);
    found->omega = r.omega;
  }
  th_certify_review_free(&r);
  return rc;
}
