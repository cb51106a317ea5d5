/* problem_ridge.c - the ridge of a penalty: what it adds to dual values
 * SPDX-License-Identifier: MIT */
#include "solvers/penalised/problem.h"

#include <float.h>
#include <math.h>

void th_problem_ridge_at(struct th_problem *p, double lambda)
{
  p->ridge = p->grouping.ridge * lambda;
}

static struct th_group_norm group_norm_of(const struct th_problem *p, int64_t g)
{
  return p->grouping.norm == NULL ? p->grouping.one : p->grouping.norm[g];
}

/* A group of a penalty with a ridge is one attribute. */
void th_problem_ridge_join(const struct th_problem *p, double lambda,
                           const double *coef, struct th_duals *duals)
{
  const double rounding = 4 * DBL_EPSILON;
  for (int64_t g = 0; p->ridge > 0 && g < p->grouping.groups; g++) {
    struct th_group_norm norm = group_norm_of(p, g);
    double pull = p->ridge / lambda * norm.q * coef[g];
    if (pull == 0)
      continue;
    duals->z[g] -= pull;
    duals->value[g] = th_penalty_norm_dual(norm, &duals->z[g], 1, NULL);
    duals->slack[g] += rounding * fabs(pull) / th_penalty_norm_least(norm);
  }
}

double th_problem_ridge_second(const struct th_problem *p, int64_t g)
{
  double bound = p->norm_bound[g];
  struct th_group_norm norm = group_norm_of(p, g);
  double least = th_penalty_norm_least(norm);
  double own = p->ridge > 0 && least > 0
                   ? p->ridge * norm.q / (least * least * p->L) * (1 + 1e-12)
                   : 0;
  return bound * bound + own;
}
