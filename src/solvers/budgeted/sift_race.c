/* sift_race.c - the race of solver `sift`: the attributes that promise most
 *
 * They are chosen anew for every round. If the data are larger than memory,
 * single attributes are dear to read. The choice is then held for half a row
 * group, so that what is read serves several rounds, at the price of a few more
 * examples.
 * SPDX-License-Identifier: MIT */
#include "core/integer.h"
#include "core/memory.h"
#include "solvers/budgeted/sift.h"

#include <string.h>

static const double large = 4294967296.0; /* bytes of training values */

/* Rows for which a choice holds. It depends on the data set alone, not on
 * memory or ranks. */
static int64_t held_rows(const struct th_context *context)
{
  const struct th_shape *shape = th_source_shape(context->source);
  return th_shape_bytes(shape) > large ? shape->row_group / 2 : 0;
}

/* Take all attributes of the bins that fit, and the first ones of the next bin.
 * Collective. */
static void fill_race(struct th_sift *s, struct th_context *context,
                      int64_t room)
{
  struct th_sift_plan *plan = &s->plan;
  const uint16_t *bin = s->evidence.bin;
  struct th_range owned = context->owned;
  int64_t last = TH_PROMISE_BINS - 1;
  int64_t there = 0; /* attributes of this rank in the bin that is cut; then
                        those of lower ranks */
  while (last >= 0 && plan->bins[last] <= room)
    room -= plan->bins[last--];
  for (int64_t j = 0; j < owned.last - owned.first; j++)
    there += bin[j] == last;
  context->comm->ops->prefix_i64(context->comm, &there, 1);
  plan->race_count = 0;
  for (int64_t j = 0; j < owned.last - owned.first; j++) {
    bool taken = bin[j] != TH_PROMISE_NONE && bin[j] > last;
    if (bin[j] == last)
      taken = there++ < room;
    if (taken)
      plan->race[plan->race_count++] = owned.first + j;
  }
}

static th_status choose(struct th_sift *s, struct th_context *context,
                        struct th_error *err)
{
  struct th_sift_plan *plan = &s->plan;
  int64_t room = th_sift_width(s, context);
  int64_t owned = context->owned.last - context->owned.first;
  th_status rc =
      TH_GROW(&plan->race, &plan->race_capacity, th_min_i64(owned, room),
              "the choice of promising attributes", err);
  memset(plan->bins, 0, TH_PROMISE_BINS * sizeof *plan->bins);
  const struct th_promise rule = {plan->level, s->mean_square, &s->support};
  th_sift_evidence_rank(&s->evidence, context, &rule, plan->bins);
  TH_TRY(
      th_comm_sum_agree(context->comm, plan->bins, TH_PROMISE_BINS, rc, err));
  fill_race(s, context, room);
  plan->fresh = held_rows(context);
done:
  return rc;
}

/* Attributes that have joined S leave the race. True: the others serve this
 * round, too. Collective. */
static bool hold(struct th_sift *s, struct th_context *context)
{
  struct th_sift_plan *plan = &s->plan;
  const struct th_support *support = &s->support;
  int64_t count = 0;
  if (plan->fresh <= 0)
    return false;
  for (int64_t k = 0; k < plan->race_count; k++) {
    struct th_range one = {plan->race[k], plan->race[k] + 1};
    struct th_range members =
        th_range_members(support->attribute, support->size, one);
    if (members.first == members.last)
      plan->race[count++] = plan->race[k];
  }
  plan->race_count = count;
  context->comm->ops->sum_i64(context->comm, &count, 1);
  return count > 0 && count <= th_sift_width(s, context);
}

th_status th_sift_choose_race(struct th_sift *s, struct th_context *context,
                              struct th_error *err)
{
  struct th_sift_plan *plan = &s->plan;
  th_status rc = TH_OK;
  if (!hold(s, context))
    TH_TRY(choose(s, context, err));
  plan->fresh -= plan->race_rows;
  TH_TRY(th_source_activate(context->source, context->comm, plan->race,
                            plan->race_count, err));
done:
  return rc;
}
