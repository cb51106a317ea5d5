/* stochastic_solvers.c - update rule and screening rule make a solver
 * SPDX-License-Identifier: MIT */
#include "solvers/screening.h"

const struct th_screening th_screen_none = {.end = NULL};

static const struct th_screening *const screenings[TH_SCREEN_COUNT] = {
    [TH_SCREEN_NONE] = &th_screen_none,
    [TH_SCREEN_GAP_SAFE] = &th_screen_gap_safe,
    [TH_SCREEN_ONLINE] = &th_screen_online};

/* The row of the solver table has replaced `auto`. */
static const struct th_screening *screening_of(enum th_screen screen)
{
  const struct th_screening *rule = screenings[screen];
  return rule != NULL ? rule : &th_screen_none;
}

/* One line for each solver: its algorithm table, the update rule. */
#define TH_STOCHASTIC_SOLVERS(X)                                               \
  X(prox_sgd, th_prox_sgd_update)                                              \
  X(truncated_gradient, th_truncated_gradient_update)                          \
  X(rda, th_rda_update)                                                        \
  X(saga, th_saga_update)                                                      \
  X(svrg, th_svrg_update)

#define DEFINE_SOLVER(name, update)                                            \
  static th_status create_##name(void **state, struct th_context *context,     \
                                 struct th_error *err)                         \
  {                                                                            \
    return th_stochastic_create((struct th_stochastic **)state, context,       \
                                &(update),                                     \
                                screening_of(context->config->screen), err);   \
  }                                                                            \
  const struct th_algorithm th_##name##_algorithm = {                          \
      .create = create_##name,                                                 \
      .step = th_stochastic_step,                                              \
      .finish = th_stochastic_finish,                                          \
      .support = th_stochastic_support,                                        \
      .loss = th_stochastic_loss,                                              \
      .step_size = th_stochastic_step_size,                                    \
      .certificate = th_stochastic_certificate,                                \
      .free = th_stochastic_free};

TH_STOCHASTIC_SOLVERS(DEFINE_SOLVER)
