/* problem_bounds.c - bounds of coefficients: in the units of the problem, and
 * what they add to dual values
 * SPDX-License-Identifier: MIT */
#include "base/search.h"
#include "solvers/penalised/problem.h"

#include <float.h>
#include <math.h>

/* The bound of an attribute in the data's own units. */
static double own_bound(const struct th_config_bound *bound, int64_t attribute)
{
  int64_t k = th_search_i64(bound->attribute, 0, bound->count, attribute);
  return k < bound->count && bound->attribute[k] == attribute ? bound->value[k]
                                                              : bound->all;
}

/* The bound of a coefficient that is `scale` times as large in the data's own
 * units: no rounding leads beyond. */
static double inner_bound(double own, double scale)
{
  double bound = own / scale;
  if (isinf(own))
    return own;
  while (fabs(bound * scale) > fabs(own))
    bound = nextafter(bound, 0);
  return bound;
}

th_status th_problem_bounds_take(struct th_problem *p, struct th_error *err)
{
  const struct th_config_group *group = &p->context->config->group;
  const struct th_active *active = &p->active;
  if (!group->lower.given && !group->upper.given)
    return TH_OK;
  th_status rc = th_grouping_bound(&p->grouping, err);
  for (int64_t k = 0; k < active->count && rc == TH_OK; k++) {
    struct th_group_norm *norm = &p->grouping.norm[k];
    int64_t attribute = active->attribute[k];
    if (!(th_penalty_norm_least(*norm) > 0))
      continue;
    norm->bounded = true;
    norm->lower = -INFINITY;
    norm->upper = INFINITY;
    if (group->lower.given)
      norm->lower =
          inner_bound(own_bound(&group->lower, attribute), active->scale[k]);
    if (group->upper.given)
      norm->upper =
          inner_bound(own_bound(&group->upper, attribute), active->scale[k]);
  }
  return rc;
}

/* A coefficient that came back from the data's own units may be off by its
 * rounding. */
static double snap(struct th_group_norm norm, double coef)
{
  const double rounding = 8 * DBL_EPSILON * fabs(coef);
  if (norm.bounded && fabs(coef - norm.upper) <= rounding)
    return norm.upper;
  if (norm.bounded && fabs(coef - norm.lower) <= rounding)
    return norm.lower;
  return coef;
}

void th_problem_bounds_join(const struct th_problem *p, const double *coef,
                            struct th_duals *duals)
{
  for (int64_t g = 0; p->grouping.bounded && g < p->grouping.groups; g++) {
    struct th_group_norm norm = p->grouping.norm[g];
    if (norm.bounded && coef[g] != 0)
      duals->value[g] =
          th_penalty_norm_dual_at(norm, snap(norm, coef[g]), duals->z[g]);
  }
}

th_status th_problem_bounds_beyond(struct th_problem *p, double scale,
                                   const double *coef,
                                   const struct th_duals *duals, double *work,
                                   double found[2], struct th_error *err)
{
  th_status rc = TH_OK;
  found[0] = found[1] = 0;
  if (!p->grouping.bounded)
    return rc;
  for (int64_t g = 0; g < p->grouping.groups; g++) {
    struct th_group_norm norm = p->grouping.norm[g];
    work[g] = th_penalty_norm_beyond(norm, snap(norm, coef[g]),
                                     scale * duals->z[g], 1);
  }
  TH_TRY(th_grouping_sum(&p->grouping, p->context->comm, work, &found[0], err));
  for (int64_t g = 0; g < p->grouping.groups; g++)
    work[g] = work[g] > 0 ? fabs(coef[g]) : 0;
  TH_TRY(th_grouping_sum(&p->grouping, p->context->comm, work, &found[1], err));
done:
  return rc;
}
