/* sampling_state.c - the state of an attribute-efficient solver as a list
 * SPDX-License-Identifier: MIT */
#include "solvers/sampling/sampling.h"

/* Draws and sums follow from coefficients and estimates. Collective. */
static void derive(struct th_sampling *s, struct th_context *context,
                   struct th_state *list)
{
  struct th_ball_theory theory;
  th_iterate_derive(&s->learning.w, context);
  th_state_note(list, th_sampling_draw_by(s, context, &theory, list->err));
}

void th_sampling_describe(void *state, struct th_context *context,
                          struct th_state *list)
{
  struct th_sampling *s = state;
  TH_STATE_ONE(list, s, examples);
  TH_STATE_ONE(list, s, updates);
  TH_STATE_ONE(list, s, second);
  th_example_order_describe(&s->order, list);
  th_learning_describe(&s->learning, context, list);
  if (!th_learning_is_over(&s->learning) && th_state_puts(list) &&
      th_state_agree(list, context->comm))
    derive(s, context, list);
}
