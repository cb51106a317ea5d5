/* sift_plan.c - which attributes a round of solver `sift` looks at, on how many
 * rows
 *
 * Half of a round's rows go to the next blocks of a rotation over all
 * attributes outside S, half to the race of the s' - |S| attributes that
 * promise most. The rotation finds an attribute with a large coefficient on few
 * rows; the race gives it the many rows that it needs to be decided.
 * SPDX-License-Identifier: MIT */
#include "core/integer.h"

#include "core/elementary.h"
#include "core/memory.h"
#include "core/partition.h"
#include "math/schedule.h"
#include "solvers/budgeted/sift.h"

#include <math.h>

enum { MEMBER_ROWS = 10 }; /* of a sweep, for each member of S */

static const double race_share = 0.5;    /* of a round */
static const double block_share = 0.5;   /* of what the rotation has given */
static const double sweep_growth = 1.05; /* sparse: per round */

static const struct th_array by_block[] = {
    TH_ARRAY(struct th_sift_plan, block),
    TH_ARRAY(struct th_sift_plan, consumer),
    TH_ARRAY(struct th_sift_plan, block_rows)};

void th_sift_plan_free(struct th_sift_plan *plan)
{
  th_memory_arrays_free(TH_ARRAYS(plan, by_block));
  TH_FREE(plan->race, plan->bins);
  *plan = (struct th_sift_plan){0};
}

th_status th_sift_reserve_blocks(struct th_sift_plan *plan, int64_t blocks,
                                 struct th_error *err)
{
  th_status rc = TH_OK;
  if (plan->bins == NULL)
    rc = TH_NEW(&plan->bins, TH_PROMISE_BINS + 1,
                "the choice of promising attributes", err);
  if (rc == TH_OK)
    rc = th_memory_arrays_reserve(TH_ARRAYS(plan, by_block), &plan->capacity,
                                  blocks, "blocks", err);
  return rc;
}

int64_t th_sift_width(const struct th_sift *s, const struct th_context *context)
{
  int64_t width = th_source_budget(context->source) - s->support.size;
  return width > 1 ? width : 1; /* d = 1: the block is S itself */
}

/* The number of blocks of the whole budget among which the rows are shared out.
 */
static int64_t consumers(const struct th_context *context)
{
  return th_integer_ceil_divide(th_source_shape(context->source)->attributes,
                                th_source_budget(context->source));
}

/* The next blocks of the rotation, at most `count`; none is looked at twice in
 * a round. Local. */
static th_status fill_blocks(struct th_sift *s,
                             const struct th_context *context, int64_t count,
                             int64_t rows, struct th_error *err)
{
  struct th_sift_plan *plan = &s->plan;
  const struct th_support *support = &s->support;
  int64_t d = th_source_shape(context->source)->attributes;
  int64_t left = d; /* attributes until the rotation is back where it began */
  th_status rc = th_sift_reserve_blocks(plan, count, err);
  plan->given = 0;
  for (plan->blocks = 0; rc == TH_OK && plan->blocks < count && left > 0;
       plan->blocks++) {
    int64_t first = plan->next % d;
    int64_t end = th_partition_block_end(d, first, th_sift_width(s, context),
                                         support->attribute, support->size);
    end = th_min_i64(end, first + left);
    struct th_range block = {first, end};
    struct th_range members =
        th_range_members(support->attribute, support->size, block);
    plan->block[plan->blocks] = block;
    plan->consumer[plan->blocks] =
        (int64_t)((double)first * (double)consumers(context) / (double)d);
    plan->block_rows[plan->blocks] = rows;
    plan->given +=
        (double)(rows * (end - first - (members.last - members.first)));
    left -= end - first;
    plan->next = end;
  }
  return rc;
}

static int64_t block_rows(const struct th_sift *s,
                          const struct th_context *context, double all,
                          double race)
{
  double known = block_share * s->plan.level * s->mean_square;
  double rows = fmax(TH_SIFT_LEAST_ROWS, fmin(known, all - race));
  return (int64_t)floor(fmin(rows, (double)context->deal.rows_in_pass));
}

int64_t th_sift_size_round(struct th_sift *s, const struct th_context *context,
                           double blocks, int64_t *count)
{
  struct th_sift_plan *plan = &s->plan;
  double size = (double)s->support.size;
  double all = th_schedule_sift_round(plan->used, size);
  double race = blocks > 1 ? race_share * all : 0;
  int64_t rows = block_rows(s, context, all, race);
  plan->race_rows = race > 0 ? (int64_t)fmax(TH_SIFT_LEAST_ROWS, race) : 0;
  *count =
      (int64_t)fmin(blocks, fmax(1, floor((all - race) / (double)rows + 0.5)));
  return rows;
}

/* Rows of a round over all attributes: the first round, and every round on
 * sparse data. Sparse data have no race, because to read one attribute costs as
 * much as to read all of its tile. A single pass over few examples loses by
 * this (6,000 x 2,000, 5 % filled, budget 200: 12 of 120 true attributes
 * missed, 1 in dense layout). The usual number of passes does not (none of 80
 * missed in either layout). */
int64_t th_sift_sweep_rows(const struct th_sift *s,
                           const struct th_context *context, double blocks)
{
  double rows = TH_SIFT_LEAST_ROWS * th_pow(sweep_growth, (double)s->round);
  rows = fmin(rows, (double)context->deal.rows_in_pass);
  rows = fmax(rows, ceil(MEMBER_ROWS * (double)s->support.size / blocks));
  return (int64_t)floor(fmax(rows, TH_SIFT_LEAST_ROWS));
}

th_status th_sift_plan_round(struct th_sift *s, struct th_context *context,
                             bool *more, struct th_error *err)
{
  struct th_sift_plan *plan = &s->plan;
  const struct th_shape *shape = th_source_shape(context->source);
  int64_t outside = shape->attributes - s->support.size;
  double blocks =
      (double)th_integer_ceil_divide(outside, th_sift_width(s, context));
  int64_t count = 0;
  int64_t rows;
  th_status rc = TH_OK;
  blocks = fmax(1, blocks);
  if (s->round == 0 || shape->layout == TH_SPARSE) {
    rows = th_sift_sweep_rows(s, context, blocks);
    count = (int64_t)blocks + 1;
    plan->race_rows = 0;
    plan->next = 0;
  } else {
    rows = th_sift_size_round(s, context, blocks, &count);
  }
  bool grows = plan->bins == NULL || count > plan->capacity;
  rc = fill_blocks(s, context, count, rows, err);
  if (grows) /* on every rank alike; else nothing can fail */
    TH_TRY(th_agree(context->comm, rc, err));
  *more = plan->blocks * rows + plan->race_rows <=
          th_deal_left(&context->deal) - s->reserve;
  if (*more && plan->race_rows > 0)
    TH_TRY(th_sift_choose_race(s, context, err));
done:
  return rc;
}

void th_sift_plan_done(struct th_sift *s, const struct th_context *context)
{
  struct th_sift_plan *plan = &s->plan;
  double d = (double)th_source_shape(context->source)->attributes;
  double others = fmax(1, d - (double)s->support.size);
  plan->used += (double)s->batch.rows;
  plan->level += plan->given / others / s->mean_square;
  plan->level =
      fmin(plan->level, (double)context->deal.rows_in_pass / s->mean_square);
}
