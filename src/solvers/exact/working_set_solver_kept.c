/* working_set_solver_kept.c - short cuts of the exact solver for columns in
 * memory
 * SPDX-License-Identifier: MIT */
#include "solvers/exact/working_set_solver_kept.h"

bool th_working_set_solver_all_known(const struct th_working_set_solver *e)
{
  const struct th_problem_kept *kept = e->problem->kept;
  return kept != NULL && e->working.members == kept->count;
}

bool th_working_set_solver_stays(const struct th_working_set_solver *e)
{
  return e->problem->kept != NULL && e->problem->loss->quadratic &&
         e->inner.by_products && e->inner.looked;
}

void th_working_set_solver_stay(struct th_working_set_solver *e, double lambda)
{
  struct th_working_set *w = &e->working;
  for (int64_t k = 0; k < w->members; k++)
    w->slope[k] = e->problem->ridge * w->coef[k] - e->duals.z[w->attribute[k]];
  th_inner_solver_stay(&e->inner, w, lambda);
}

th_status th_working_set_solver_take_all(struct th_working_set_solver *e,
                                         struct th_error *err)
{
  int64_t groups = e->problem->grouping.groups;
  int64_t added = 0;
  for (int64_t g = 0; g < groups; g++)
    e->value[g] = 1;
  return th_working_set_solver_enlarge(e, e->value, 0, groups, &added, err);
}
