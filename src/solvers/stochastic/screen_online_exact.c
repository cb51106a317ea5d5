/* screen_online_exact.c - the end of a run with online screening: the exact
 * solution
 *
 * The screened problem is mostly small, and proximal gradient passes solve it
 * fast. On data of very uneven scales, or with tiny penalties, they come to a
 * standstill. Then the exact solver ends the run, on all attributes.
 * SPDX-License-Identifier: MIT */
#include "solvers/exact/algorithms.h"
#include "solvers/stochastic/screen_online.h"

/* Solve the whole problem at this lambda, by way of larger ones if it is far
 * from lambda_max. Collective. */
static th_status solve_whole(struct th_stochastic *s, int64_t *readmitted,
                             struct th_error *err)
{
  const struct th_algorithm *lasso = &th_lasso_algorithm;
  struct th_config config = *s->context->config;
  void *state = NULL;
  bool more = true;
  th_status rc;
  config.lambda = s->lambda;
  config.lambda_ratio = 0;
  config.path = 0;
  config.epochs = 0;
  config.screening.how = TH_SCREEN_GAP_SAFE;
  struct th_context context = th_context_lend(s->context, &config);
  TH_TRY(lasso->create(&state, &context, err));
  while (more)
    TH_TRY(lasso->step(state, &context, &more, err));
  TH_TRY(th_screen_online_adopt(s, lasso->support(state), readmitted, err));
done:
  lasso->free(state);
  return rc;
}

th_status th_screen_online_end_exactly(struct th_stochastic *s,
                                       int64_t *readmitted,
                                       struct th_error *err)
{
  th_status rc = th_screen_online_refine(s, INT64_MAX, readmitted, err);
  if (rc != TH_OK || *readmitted >= 0)
    return rc;
  th_context_notice(
      s->context,
      "passes over the attributes that are left stopped at a gap of %g, so the "
      "exact solver ends the run. {solver} lasso needs no such passes",
      s->full.pass.gap);
  return solve_whole(s, readmitted, err);
}

th_status th_screen_online_end_again(struct th_stochastic *s, double gap,
                                     struct th_error *err)
{
  struct th_online_screen *screen = th_screen_online_of(s);
  int64_t readmitted = 0;
  screen->wanted = gap;
  screen->certified_active = -1;
  th_stochastic_hold(s, TH_ONLINE_EXACT, NULL);
  return th_screen_online_end_exactly(s, &readmitted, err);
}
