/* looks.c - a mini-batch under a budget: of each example the support, and other
 * attributes that are drawn uniformly at random
 * SPDX-License-Identifier: MIT */
#include "solvers/competitors/looks.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/random.h"
#include "ranks/partition.h"
#include "solvers/plan.h"

#include <stdlib.h>
#include <string.h>

static const struct th_array by_slot[] = {
    TH_ARRAY(struct th_looks, attribute),
    TH_ARRAY(struct th_looks, cell),
    TH_ARRAY(struct th_looks, number),
    TH_ARRAY_OF(struct th_looks, message, 1, 2),
    TH_ARRAY(struct th_looks, slot),
    TH_ARRAY(struct th_looks, mine),
    TH_ARRAY(struct th_looks, value)};

/* Bytes for each slot. */
static int64_t slot_bytes(void)
{
  const int64_t record = 3 * (int64_t)sizeof(int64_t); /* of the source */
  int64_t bytes = record;
  for (size_t k = 0; k < TH_COUNT(by_slot); k++)
    bytes += (int64_t)by_slot[k].size;
  return bytes;
}

struct th_looks_odds th_looks_odds_of(int64_t d, int64_t known, int64_t budget)
{
  int64_t others = d - known;
  int64_t drawn = th_min_i64(budget - known, others);
  struct th_looks_odds odds = {1, 1};
  if (drawn >= others)
    return odds;
  odds.one = (double)drawn / (double)others;
  odds.two = odds.one * (double)(drawn - 1) / (double)(others - 1);
  return odds;
}

th_status th_looks_init(struct th_looks *looks,
                        const struct th_context *context, int64_t rows,
                        struct th_error *err)
{
  th_status rc;
  *looks = (struct th_looks){.seed = context->config->seed, .capacity = rows};
  TH_TRY(th_example_order_init(&looks->order, context->deal.plan.unit, err));
  TH_TRY(th_memory_arrays_reserve(
      TH_ARRAYS(looks, by_slot), &looks->slot_capacity,
      rows * context->config->budget, "a mini-batch", err));
done:
  return rc;
}

void th_looks_free(struct th_looks *looks)
{
  th_example_order_free(&looks->order);
  th_deal_pieces_free(&looks->pieces);
  th_memory_arrays_free(TH_ARRAYS(looks, by_slot));
}

/* Attribute number k, from 0, of those outside of the support. */
static int64_t outside(const struct th_support *support, int64_t k)
{
  int64_t low = 0;
  int64_t high = support->size;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (support->attribute[middle] - middle <= k)
      low = middle + 1;
    else
      high = middle;
  }
  return k + low;
}

/* The attributes of one row: the support, then a sample of the others. */
static void draw_row(struct th_looks *looks, const struct th_support *support,
                     int64_t others, int64_t r)
{
  struct th_stream stream = {looks->seed, TH_PURPOSE_SLOT};
  int64_t slots = looks->draw.slots;
  int64_t *attribute = looks->attribute + r * slots;
  uint64_t example = (uint64_t)(looks->examples + r);
  for (int64_t k = 0; k < support->size; k++)
    attribute[k] = support->attribute[k];
  for (int64_t k = support->size; k < slots; k++)
    attribute[k] = outside(
        support, th_random_place(stream, example, others, k - support->size));
}

/* Draw the attributes of all slots; those of this rank are listed. */
static void draw_slots(struct th_looks *looks, const struct th_context *context,
                       const struct th_support *support)
{
  int64_t d = th_source_shape(context->source)->attributes;
  struct th_range owned = context->owned;
  looks->count = 0;
  for (int64_t r = 0; r < looks->rows; r++)
    draw_row(looks, support, d - support->size, r);
  for (int64_t k = 0; k < looks->rows * looks->draw.slots; k++) {
    int64_t attribute = looks->attribute[k];
    looks->cell[k] = (int32_t)(attribute / TH_CELL);
    if (attribute < owned.first || attribute >= owned.last)
      continue;
    looks->slot[looks->count] = k;
    looks->mine[looks->count++] = attribute;
  }
}

/* Read this rank's values, and note what the others are told of them. */
static th_status read_looks(struct th_looks *looks, struct th_context *context,
                            const double *coef, struct th_error *err)
{
  struct th_slots slots = {looks->count, looks->slot, looks->mine};
  th_status rc =
      th_source_slots(context->source, &looks->draw, &slots, looks->value, err);
  for (int64_t k = 0; k < looks->count && rc == TH_OK; k++) {
    int64_t a = looks->mine[k] - context->owned.first;
    double x = (looks->value[k] - context->centre[a]) * context->scale[a];
    double told = coef != NULL ? x * coef[a] : x;
    looks->value[k] = x;
    memcpy(&looks->message[looks->slot[k]], &told, sizeof told);
  }
  return rc;
}

/* Local. */
static th_status draw_looks(struct th_looks *looks, struct th_context *context,
                            const struct th_support *support,
                            const double *coef, struct th_error *err)
{
  th_status rc;
  TH_TRY(th_example_order_rows(&looks->order, &context->deal, looks->rows,
                               &looks->pieces, err));
  draw_slots(looks, context, support);
  looks->draw.rows = looks->pieces;
  looks->draw.cell = looks->cell;
  TH_TRY(th_source_draw(context->source, &looks->draw, err));
  TH_TRY(read_looks(looks, context, coef, err));
done:
  return rc;
}

th_status th_looks_draw(struct th_looks *looks, struct th_context *context,
                        const struct th_support *support, int64_t most,
                        const double *coef, bool *more, struct th_error *err)
{
  int64_t d = th_source_shape(context->source)->attributes;
  int64_t budget = th_min_i64(context->config->budget, d);
  int64_t left = th_example_order_left(&looks->order, &context->deal);
  looks->rows = th_min_i64(th_min_i64(most, looks->capacity), left);
  looks->known = support->size;
  looks->odds = th_looks_odds_of(d, support->size, budget);
  looks->draw = (struct th_draw){.slots = budget};
  *more = looks->rows > 0;
  if (!*more)
    return TH_OK;
  int64_t slots = looks->rows * budget;
  memset(looks->message, 0, (size_t)(slots + 1) * sizeof *looks->message);
  th_status rc = draw_looks(looks, context, support, coef, err);
  looks->message[slots] = th_source_unsettled(context->source);
  rc = th_comm_sum_agree(context->comm, looks->message, (size_t)slots + 1, rc,
                         err);
  if (rc != TH_OK)
    return rc;
  th_source_settle(context->source, looks->message[slots]);
  memcpy(looks->number, looks->message, (size_t)slots * sizeof *looks->number);
  looks->examples += looks->rows;
  return TH_OK;
}

void th_looks_describe(struct th_looks *looks, struct th_state *state)
{
  th_state_enter(state, "looks");
  TH_STATE_ONE(state, looks, examples);
  th_example_order_describe(&looks->order, state);
  th_state_leave(state);
}

/* --- What plans of solvers that look so have in common -------------------- */

enum {
  PAIR = 2,            /* others than the support that must be observed */
  OWNED_BYTES = 64,    /* of an attribute of this rank */
  SUPPORT_BYTES = 100, /* of an attribute of the model */
  EXAMPLE_BYTES = 16
};

static const double usual_validation = 0.1;

/* The budget leaves room to see two attributes outside of the support. */
static th_status check_budget(struct th_config *config, int64_t d,
                              struct th_error *err)
{
  config->sparsity = th_min_i64(config->sparsity, d);
  if (config->budget > d)
    return th_fail(err, TH_EUSAGE,
                   "{budget} %lld is more than the %lld attributes of the data",
                   (long long)config->budget, (long long)d);
  if (config->budget < d && config->budget < config->sparsity + PAIR)
    return th_fail(err, TH_EUSAGE,
                   "{budget} %lld with {sparsity} %lld: solver %s estimates "
                   "products of two attributes outside of the support, so "
                   "{budget} must be at least %lld",
                   (long long)config->budget, (long long)config->sparsity,
                   config->solver, (long long)config->sparsity + PAIR);
  return TH_OK;
}

/* These are methods for streams: one pass unless more are asked for. */
static void choose_stream_passes(struct th_config *config)
{
  if (config->passes == 0)
    config->passes = 1;
  if (config->validation < 0)
    config->validation = config->passes > 1 ? usual_validation : 0;
}

th_status th_looks_plan_begin(struct th_config *config, int64_t attributes,
                              struct th_error *err)
{
  th_status rc;
  TH_TRY(th_plan_sampled_check_loss(config, err));
  TH_TRY(check_budget(config, attributes, err));
  choose_stream_passes(config);
done:
  return rc;
}

int64_t th_looks_plan_memory(const struct th_config *config,
                             const struct th_plan_size *size)
{
  int64_t d = size->shape->attributes;
  int64_t members = config->sparsity > 0 ? config->sparsity : d;
  return size->owned * OWNED_BYTES + members * SUPPORT_BYTES +
         (int64_t)th_plan_part(size,
                               EXAMPLE_BYTES * (double)size->shape->training) +
         config->batch * config->budget * slot_bytes();
}
