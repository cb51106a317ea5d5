/* sift_latin.c - the rounds of solver `sift` over blocks that stay as they are
 *
 * Rows are dealt to C blocks by Latin squares (core/latin.h). No example meets
 * a block twice, so evidence about every attribute adds up over as many passes
 * as there are blocks. S leaves room for a part of a block only. The rows of a
 * block therefore go in turn to windows that are spread evenly over its
 * attributes outside S.
 * SPDX-License-Identifier: MIT */
#include "core/integer.h"
#include "core/partition.h"
#include "math/schedule.h"
#include "solvers/budgeted/sift.h"

#include <math.h>

enum {
  SMALL_ROUNDS = 8 /* at least, over small data */
};

static const double race_share = 0.5; /* of a round */

/* Block c of C. */
static struct th_range block_at(const struct th_sift *s,
                                const struct th_context *context, int64_t c)
{
  int64_t d = th_source_shape(context->source)->attributes;
  return th_range_part(d, c, s->latin.classes);
}

/* Add so many rows of a window of a block. Local. */
static th_status add_window(struct th_sift *s, const struct th_context *context,
                            int64_t c, int64_t skip, int64_t rows,
                            struct th_error *err)
{
  const struct th_support *support = &s->support;
  struct th_sift_plan *plan = &s->plan;
  int64_t d = th_source_shape(context->source)->attributes;
  struct th_range block = block_at(s, context, c);
  int64_t at = plan->blocks;
  th_status rc = th_sift_reserve_blocks(plan, at + 1, err);
  if (rc != TH_OK || rows == 0)
    return rc;
  if (skip > 0)
    block.first = th_partition_block_end(d, block.first, skip,
                                         support->attribute, support->size);
  block.last = th_min_i64(
      block.last,
      th_partition_block_end(d, block.first, th_sift_width(s, context),
                             support->attribute, support->size));
  struct th_range members =
      th_range_members(support->attribute, support->size, block);
  plan->block[at] = block;
  plan->consumer[at] = c;
  plan->block_rows[at] = rows;
  plan->given += (double)(rows * (block.last - block.first -
                                  (members.last - members.first)));
  plan->blocks++;
  return rc;
}

/* Add so many rows of a block, spread over its windows. Local. */
static th_status add_block(struct th_sift *s, const struct th_context *context,
                           int64_t c, int64_t rows, struct th_error *err)
{
  const struct th_support *support = &s->support;
  struct th_range block = block_at(s, context, c);
  struct th_range members =
      th_range_members(support->attribute, support->size, block);
  int64_t outside = block.last - block.first - (members.last - members.first);
  int64_t width = th_sift_width(s, context);
  int64_t windows = th_max_i64(1, th_integer_ceil_divide(outside, width));
  th_status rc = TH_OK;
  for (int64_t k = 0; k < windows && rc == TH_OK; k++) {
    int64_t w = (k + s->plan.windows) % windows;
    int64_t skip = windows > 1 ? w * (outside - width) / (windows - 1) : 0;
    struct th_range part = th_range_part(rows, k, windows);
    rc = add_window(s, context, c, skip, part.last - part.first, err);
  }
  s->plan.windows++;
  return rc;
}

/* Add a part of the rows that every block has left. Local. */
static th_status add_all(struct th_sift *s, const struct th_context *context,
                         double part, int64_t most, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t c = 0; c < s->latin.classes && rc == TH_OK; c++) {
    int64_t left = th_latin_left_of(&s->latin, c);
    int64_t rows = th_min_i64(most, (int64_t)ceil(part * (double)left));
    if (rows > 0)
      rc = add_block(s, context, c, rows, err);
  }
  return rc;
}

/* Add the next blocks of the rotation that have rows left. Local. */
static th_status add_next(struct th_sift *s, const struct th_context *context,
                          int64_t count, int64_t rows, struct th_error *err)
{
  struct th_sift_plan *plan = &s->plan;
  int64_t classes = s->latin.classes;
  th_status rc = TH_OK;
  for (int64_t k = 0; k < classes && count > 0 && rc == TH_OK; k++) {
    int64_t c = plan->next++ % classes;
    int64_t left = th_latin_left_of(&s->latin, c);
    if (left == 0)
      continue;
    rc = add_block(s, context, c, th_min_i64(rows, left), err);
    count--;
  }
  return rc;
}

/* Small data: every block gets all its rows of a pass; in several rounds if
 * there are few passes. Local. */
static th_status small_round(struct th_sift *s,
                             const struct th_context *context,
                             struct th_error *err)
{
  int64_t parts = th_integer_ceil_divide(SMALL_ROUNDS, s->latin.classes);
  int64_t done = s->round % parts;
  return add_all(s, context, 1 / (double)(parts - done), INT64_MAX, err);
}

/* Dense data: rotation and race. Sparse data: sweeps. If the rest of a pass is
 * too short for two rounds, it is one round. Local. */
static th_status large_round(struct th_sift *s,
                             const struct th_context *context,
                             struct th_error *err)
{
  struct th_sift_plan *plan = &s->plan;
  double classes = (double)s->latin.classes;
  double left = (double)th_latin_left(&s->latin);
  bool sparse = th_source_shape(context->source)->layout == TH_SPARSE;
  double share = sparse || s->latin.classes == 1 ? 0 : race_share;
  double all = th_schedule_sift_round(plan->used, (double)s->support.size);
  int64_t sweep = th_sift_sweep_rows(s, context, classes);
  if (s->round == 0)
    return add_all(s, context, 1, sweep, err);
  if (sparse)
    all = fmax(all, (double)sweep * classes);
  if (left < 2 * all) {
    all = left;
    th_status rc = add_all(s, context, 1 - share, INT64_MAX, err);
    for (int64_t k = 0; k < plan->blocks; k++)
      all -= (double)plan->block_rows[k];
    plan->race_rows = (int64_t)all;
    return rc;
  }
  if (sparse)
    return add_all(s, context, 1, sweep, err);
  int64_t count = 0;
  int64_t rows = th_sift_size_round(s, context, classes, &count);
  return add_next(s, context, count, rows, err);
}

th_status th_sift_latin_round(struct th_sift *s, struct th_context *context,
                              bool *more, struct th_error *err)
{
  struct th_sift_plan *plan = &s->plan;
  th_status rc = TH_OK;
  *more = th_latin_left(&s->latin) > 0 || th_latin_turn(&s->latin);
  if (!*more)
    return rc;
  plan->blocks = 0;
  plan->given = 0;
  plan->race_rows = 0;
  rc = (s->end.small ? small_round : large_round)(s, context, err);
  TH_TRY(th_agree(context->comm, rc, err));
  if (plan->race_rows > 0)
    TH_TRY(th_sift_choose_race(s, context, err));
done:
  return rc;
}
