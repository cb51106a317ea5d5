/* exact_kept.c - what the exact solver saves on columns in memory
 * SPDX-License-Identifier: MIT */
#include "solvers/exact/exact_kept.h"

bool th_exact_all_known(const struct th_exact *e)
{
  const struct th_kept *kept = e->problem->kept;
  return kept != NULL && e->working.members == kept->count;
}

bool th_exact_stays(const struct th_exact *e)
{
  return e->problem->kept != NULL && !e->problem->loss->labels &&
         e->descent.by_products && e->descent.looked;
}

void th_exact_stay(struct th_exact *e, double lambda)
{
  struct th_working *w = &e->working;
  for (int64_t k = 0; k < w->members; k++)
    w->slope[k] = e->problem->ridge * w->coef[k] - e->duals.z[w->attribute[k]];
  th_descent_stay(&e->descent, w, lambda);
}

th_status th_exact_take_all(struct th_exact *e, struct th_error *err)
{
  int64_t groups = e->problem->grouping.groups;
  int64_t added = 0;
  for (int64_t g = 0; g < groups; g++)
    e->value[g] = 1;
  return th_exact_widen(e, e->value, 0, groups, &added, err);
}
