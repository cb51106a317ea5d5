/* sift_state.c - the state of solver `sift` between rounds
 * SPDX-License-Identifier: MIT */
#include "core/memory.h"
#include "solvers/budgeted/sift.h"

/* The race lasts over rounds and is state; blocks and rows are of one round
 * only. Local. */
static void describe_plan(struct th_sift_plan *plan,
                          const struct th_context *context,
                          struct th_state *list)
{
  const int64_t *all = NULL;
  struct th_range here = {0, plan->race_count};
  th_state_enter(list, "plan");
  th_state_all(list, "fresh", TH_STATE_I64, &plan->fresh, 1);
  th_state_limit(list, "fresh", &plan->fresh, 1, -(INT64_C(1) << 46),
                 INT64_MAX);
  TH_STATE_ONE(list, plan, next);
  TH_STATE_ONE(list, plan, windows);
  TH_STATE_ONE(list, plan, level);
  TH_STATE_ONE(list, plan, used);
  if (th_state_puts(list)) {
    here = th_state_find(list, "race", context->owned, &all);
    plan->race_count = here.last - here.first;
    th_state_note(list,
                  th_grow((void **)&plan->race, &plan->race_capacity,
                          plan->race_count, sizeof *plan->race,
                          "the choice of promising attributes", list->err));
  }
  th_state_spread(list, "race", TH_STATE_I64, plan->race, 1, here);
  th_state_leave(list);
}

void th_sift_describe(void *state, struct th_context *context,
                      struct th_state *list)
{
  struct th_sift *s = state;
  th_support_describe(&s->support, "support", list);
  th_support_describe(&s->confirmed, "confirmed", list);
  describe_plan(&s->plan, context, list);
  if (s->predicts) {
    th_latin_describe(&s->latin, list);
    th_marginal_describe(&s->marginal, context, list);
  }
  th_round_log_describe(&s->log, context, list);
  th_sift_fit_describe(&s->fit, list);
  th_sift_evidence_describe(&s->evidence, context, list);
  TH_STATE_ONE(list, s, round);
  TH_STATE_ONE(list, s, smallest);
  TH_STATE_ONE(list, s, pooled);
  TH_STATE_ONE(list, s, pooled_rows);
  TH_STATE_ONE(list, s, mean_square);
  if (th_state_puts(list))
    th_state_note(
        list, th_sift_entry_reserve(&s->entry, s->largest_support, list->err));
}
