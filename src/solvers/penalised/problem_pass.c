/* problem_pass.c - moments and dual values of all groups, by passes
 *
 * Most sums are formed in float. Those that decide something are formed again
 * in double.
 * SPDX-License-Identifier: MIT */
#include "core/memory.h"
#include "solvers/penalised/problem_parts.h"

#include <math.h>
#include <stdlib.h>

/* How far a dual value of group g may be off. Sums in double are of values less
 * their centre, so that nothing is lost of what lies between. */
static double slack_of(const struct th_problem *p, int64_t g, bool single)
{
  return single ? TH_SINGLE_ROUNDING * p->rounding_bound[g]
                : TH_DOUBLE_ROUNDING * p->norm_bound[g];
}

/* Set the multipliers, in both precisions, to eta theta over a power of two
 * that makes the largest fit a float. Returns the root of sum eta theta^2. */
static double weigh(struct th_problem *p, const double *theta, double *unit)
{
  double sum = 0;
  double largest = 0;
  int exponent = 0;
  for (int64_t i = 0; i < p->rows; i++) {
    p->multiplier[i] = p->eta[i] * theta[i];
    largest = fmax(largest, fabs(p->multiplier[i]));
    sum += p->multiplier[i] * theta[i];
  }
  frexp(largest, &exponent);
  *unit = ldexp(1, exponent);
  for (int64_t i = 0; i < p->rows; i++) {
    p->multiplier[i] /= *unit;
    p->multiplier32[i] = (float)p->multiplier[i];
  }
  return sqrt(sum);
}

/* N_j is summed once, in double. The rounding of a value that is centred as a
 * float grows with |x| + |centre|, and (|x| + |c|)^2 <= 4 (x - c)^2 + 6 c^2. */
th_status th_problem_moments(struct th_problem *p, struct th_error *err)
{
  int64_t places = p->active.count;
  bool *all = NULL;
  double *second = NULL;
  th_status rc = TH_NEW(&all, p->grouping.groups, "second moments", err);
  if (rc == TH_OK)
    rc = TH_NEW(&second, places, "second moments", err);
  TH_TRY(th_agree(p->context->comm, rc, err));
  for (int64_t g = 0; g < p->grouping.groups; g++)
    all[g] = true;
  TH_TRY(th_problem_sums(p, all, TH_SUM_MOMENTS, 1 + 1e-9, second, err));
  th_grouping_second(&p->grouping, p->context->comm, second, p->norm_bound);
  for (int64_t k = 0; k < places; k++) {
    double c = p->active.centre[k] * p->active.scale[k];
    second[k] = c == 0 ? second[k] : 4 * second[k] + 6 * c * c;
  }
  th_grouping_second(&p->grouping, p->context->comm, second, p->rounding_bound);
  for (int64_t g = 0; g < p->grouping.groups; g++) {
    p->norm_bound[g] = sqrt(p->norm_bound[g]) * (1 + 1e-12);
    p->rounding_bound[g] = sqrt(p->rounding_bound[g]);
  }
done:
  TH_FREE(all, second);
  return rc;
}

/* Compute again the groups whose dual value decides something and is not exact
 * yet. reach: what a slack is in units of slack_of. Collective. */
static th_status finish_duals(struct th_problem *p, enum th_sum_kind kind,
                              double factor, double reach, double level,
                              struct th_duals *duals, struct th_error *err)
{
  int64_t groups = p->grouping.groups;
  bool *marked = NULL;
  double *value = NULL;
  th_status rc = TH_NEW(&marked, groups, "dual values", err);
  if (rc == TH_OK)
    rc = TH_NEW(&value, groups, "dual values", err);
  TH_TRY(th_agree(p->context->comm, rc, err));
  for (int64_t g = 0; g < groups; g++)
    marked[g] = duals->wanted[g] && !duals->known[g] &&
                !(duals->value[g] + duals->slack[g] < level);
  TH_TRY(th_problem_sums(p, marked, kind, factor, duals->z, err));
  th_grouping_dual(&p->grouping, p->context->comm, duals->z, value);
  for (int64_t g = 0; g < groups; g++)
    if (marked[g]) {
      duals->value[g] = value[g];
      duals->slack[g] = reach * slack_of(p, g, false);
    }
done:
  TH_FREE(marked, value);
  return rc;
}

/* A lower bound of the maximum. Collective. */
static double least_maximum(struct th_problem *p, const struct th_duals *duals)
{
  double most = 0;
  for (int64_t g = 0; g < p->grouping.groups; g++)
    if (duals->wanted[g])
      most = fmax(most, duals->value[g] - duals->slack[g]);
  p->context->comm->ops->max_f64(p->context->comm, &most, 1);
  return most;
}

/* Compute new values and slacks of the wanted groups. Collective. */
static th_status evaluate(struct th_problem *p, double reach,
                          struct th_duals *duals, struct th_error *err)
{
  int64_t groups = p->grouping.groups;
  double *value = NULL;
  th_status rc = TH_NEW(&value, groups, "dual values", err);
  TH_TRY(th_agree(p->context->comm, rc, err));
  th_grouping_dual(&p->grouping, p->context->comm, duals->z, value);
  for (int64_t g = 0; g < groups; g++)
    if (duals->wanted[g]) {
      duals->value[g] = value[g];
      duals->slack[g] = reach * slack_of(p, g, p->single);
    }
done:
  free(value);
  return rc;
}

/* A value that is no finite number shows in the sums of its attribute. Local.
 */
static th_status check_finite(const struct th_problem *p,
                              const struct th_duals *duals,
                              struct th_error *err)
{
  for (int64_t g = 0; g < p->grouping.groups; g++)
    if (duals->wanted[g] && !isfinite(duals->value[g]))
      return th_fail(err, TH_EDATA,
                     "attribute %lld, or its group, has a value that is not a "
                     "finite number; see thresher inspect --check, and import "
                     "the data again",
                     (long long)p->key[g]);
  return TH_OK;
}

th_status th_problem_pass(struct th_problem *p, const double *theta,
                          double lambda, double level, struct th_duals *duals,
                          struct th_error *err)
{
  double unit;
  double reach = weigh(p, theta, &unit) / lambda;
  double factor = -unit / lambda;
  enum th_sum_kind kind = p->beyond_float ? TH_SUM_DOUBLE : TH_SUM_FAST;
  th_status rc;
  TH_TRY(th_problem_sums(p, duals->wanted, kind, factor, duals->z, err));
  TH_TRY(evaluate(p, reach, duals, err));
  if (p->single) {
    level = fmin(level, least_maximum(p, duals));
    TH_TRY(finish_duals(p, TH_SUM_DOUBLE, factor, reach, level, duals, err));
  }
  rc = th_agree(p->context->comm, check_finite(p, duals, err), err);
done:
  return rc;
}

th_status th_problem_settle(struct th_problem *p, const double *theta,
                            double lambda, double level, struct th_duals *duals,
                            struct th_error *err)
{
  bool exact = !p->single && !p->beyond_float;
  double unit;
  double reach = weigh(p, theta, &unit) / lambda;
  level = fmin(level, least_maximum(p, duals));
  return finish_duals(p, exact ? TH_SUM_FAST : TH_SUM_DOUBLE, -unit / lambda,
                      reach, level, duals, err);
}
