/* deal.c - how examples are handed to their consumers
 * SPDX-License-Identifier: MIT */
#include "data/deal.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/random.h"
#include "state/state.h"

#include <stdlib.h>

th_status th_deal_pieces_add(struct th_pieces *list, struct th_rows rows,
                             struct th_error *err)
{
  th_status rc = TH_GROW(&list->items, &list->capacity, list->count + 1,
                         "the order of examples", err);
  if (rc == TH_OK)
    list->items[list->count++] = rows;
  return rc;
}

int64_t th_deal_pieces_rows(const struct th_pieces *list)
{
  int64_t rows = 0;
  for (int64_t k = 0; k < list->count; k++)
    rows += list->items[k].count;
  return rows;
}

void th_deal_pieces_free(struct th_pieces *list)
{
  free(list->items);
  *list = (struct th_pieces){0};
}

/* Are these rows of one row group, or none? */
static bool is_piece(const struct th_deal_plan *plan, struct th_rows rows)
{
  return rows.first >= 0 && rows.count >= 0 && rows.first <= plan->training &&
         rows.count <= plan->unit &&
         rows.count <= plan->training - rows.first &&
         rows.first % plan->row_group + rows.count <= plan->row_group;
}

/* Pieces of an image are used as they are, so they are looked at first. */
static void check_pieces(const struct th_deal *deal, const struct th_rows *rows,
                         int64_t count, struct th_state *state)
{
  bool good = true;
  for (int64_t k = 0; k < count && th_state_good(state); k++)
    good = good && is_piece(&deal->plan, rows[k]);
  if (th_state_puts(state) && !good)
    th_state_note(state,
                  th_fail(state->err, TH_EFORMAT,
                          "the state deals examples that there are not"));
}

static void describe_pieces(const struct th_deal *deal, struct th_pieces *list,
                            const char *name, struct th_state *state)
{
  th_state_enter(state, name);
  TH_STATE_ONE(state, list, count);
  th_state_grow(state,
                (struct th_state_growing){"items", TH_STATE_I64, 2,
                                          (void **)&list->items,
                                          &list->capacity},
                list->count);
  check_pieces(deal, list->items, list->count, state);
  th_state_leave(state);
}

static int64_t units_per_group(const struct th_deal_plan *plan)
{
  return th_integer_ceil_divide(plan->row_group, plan->unit);
}

struct th_rows th_deal_unit(const struct th_deal_plan *plan, int64_t k)
{
  int64_t per_group = units_per_group(plan);
  int64_t group_first = k / per_group * plan->row_group;
  int64_t group_last = group_first + plan->row_group;
  if (group_last > plan->training)
    group_last = plan->training;
  int64_t first = group_first + k % per_group * plan->unit;
  int64_t last =
      first + plan->unit < group_last ? first + plan->unit : group_last;
  return (struct th_rows){first, last - first};
}

/* Up to so many units, which are dealt again and again, are listed in a table.
 */
enum { MOST_IN_TABLE = 4096 };

int64_t th_deal_units(const struct th_deal_plan *plan)
{
  int64_t whole = plan->training / plan->row_group;
  int64_t rest = plan->training % plan->row_group;
  return whole * units_per_group(plan) +
         th_integer_ceil_divide(rest, plan->unit);
}

struct th_deal_place th_deal_place(const struct th_deal_plan *plan, int64_t row)
{
  int64_t in_group = row % plan->row_group;
  return (struct th_deal_place){row / plan->row_group * units_per_group(plan) +
                                    in_group / plan->unit,
                                in_group % plan->unit};
}

/* The units in the seeded order. The last ones are for validation. */
static int64_t shuffle(const struct th_deal *deal, int64_t k)
{
  struct th_stream stream = {deal->plan.seed, TH_PURPOSE_VALIDATION};
  return th_random_place(stream, 0, deal->units, k);
}

static struct th_rows shuffled_unit(const struct th_deal *deal, int64_t k)
{
  int64_t unit = deal->shuffled != NULL ? deal->shuffled[k] : shuffle(deal, k);
  return th_deal_unit(&deal->plan, unit);
}

static th_status make_table(struct th_deal *deal, struct th_error *err)
{
  th_status rc = TH_OK;
  if (deal->plan.passes <= 1 || deal->units > MOST_IN_TABLE)
    return rc;
  rc = TH_NEW(&deal->shuffled, deal->units, "the order of examples", err);
  for (int64_t k = 0; k < deal->units && rc == TH_OK; k++)
    deal->shuffled[k] = (int32_t)shuffle(deal, k);
  return rc;
}

int64_t th_deal_validation_units(const struct th_deal *deal)
{
  return deal->units - deal->training_units;
}

struct th_rows th_deal_training_unit(const struct th_deal *deal, int64_t k)
{
  return shuffled_unit(deal, k);
}

struct th_rows th_deal_validation_unit(const struct th_deal *deal, int64_t k)
{
  return shuffled_unit(deal, deal->training_units + k);
}

/* The largest number of passes whose rows are counted in 64 bits, with room for
 * sums; they never end. */
static int64_t countable(int64_t passes, int64_t rows)
{
  int64_t most = (INT64_C(1) << 46) / (rows > 0 ? rows : 1) + 1;
  return passes < most ? passes : most;
}

th_status th_deal_init(struct th_deal *deal, const struct th_deal_plan *plan,
                       struct th_error *err)
{
  *deal = (struct th_deal){.plan = *plan};
  deal->plan.passes = countable(plan->passes, plan->training);
  deal->units = th_deal_units(plan);
  int64_t held_out = (int64_t)((double)deal->units * plan->validation + 0.5);
  if (plan->validation > 0 && held_out == 0)
    held_out = 1;
  if (held_out >= deal->units)
    return th_fail(err, TH_EDATA,
                   "%lld training examples in %lld deal units are too few to "
                   "hold out a fraction of %g for validation",
                   (long long)plan->training, (long long)deal->units,
                   plan->validation);
  th_status rc = make_table(deal, err);
  if (rc != TH_OK)
    return rc;
  deal->training_units = deal->units - held_out;
  deal->rows_in_pass = plan->training;
  for (int64_t k = 0; k < held_out; k++)
    deal->rows_in_pass -= th_deal_validation_unit(deal, k).count;
  return th_deal_set_blocks(deal, 0, err);
}

void th_deal_free(struct th_deal *deal)
{
  TH_FREE(deal->rest, deal->shuffled);
  th_deal_pieces_free(&deal->back);
  th_deal_pieces_free(&deal->update);
  th_deal_pieces_free(&deal->deferred);
  *deal = (struct th_deal){0};
}

void th_deal_describe(struct th_deal *deal, struct th_state *state)
{
  th_state_enter(state, "deal");
  TH_STATE_COUNTER(state, &deal->plan, passes);
  TH_STATE_ONE(state, deal, pass);
  TH_STATE_AT_MOST(state, deal, position, deal->training_units);
  TH_STATE_ONE(state, deal, taken);
  TH_STATE_ONE(state, deal, reused);
  TH_STATE_ONE(state, deal, consumers);
  th_state_limit(state, "consumers", &deal->consumers, 1, TH_CONSUMER_BLOCK,
                 INT32_MAX);
  th_state_grow(state,
                (struct th_state_growing){"rest", TH_STATE_I64, 2,
                                          (void **)&deal->rest,
                                          &deal->consumer_capacity},
                deal->consumers);
  check_pieces(deal, deal->rest, deal->consumers, state);
  describe_pieces(deal, &deal->back, "back", state);
  TH_STATE_AT_MOST(state, deal, back_head, deal->back.count);
  describe_pieces(deal, &deal->deferred, "deferred", state);
  th_state_leave(state);
}

/* The reverse of a take: rows go to the end of the queue. */
static th_status give_back(struct th_deal *deal, int64_t first, int64_t last,
                           struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t c = first; c < last && rc == TH_OK; c++) {
    if (deal->rest[c].count > 0)
      rc = th_deal_pieces_add(&deal->back, deal->rest[c], err);
    deal->rest[c].count = 0;
  }
  return rc;
}

th_status th_deal_set_blocks(struct th_deal *deal, int64_t blocks,
                             struct th_error *err)
{
  int64_t wanted = TH_CONSUMER_BLOCK + blocks;
  th_status rc = TH_OK;
  if (wanted < deal->consumers)
    rc = give_back(deal, wanted, deal->consumers, err);
  if (rc == TH_OK)
    rc = TH_GROW(&deal->rest, &deal->consumer_capacity, wanted,
                 "the order of examples", err);
  if (rc == TH_OK)
    deal->consumers = wanted;
  return rc;
}

th_status th_deal_begin(struct th_deal *deal, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t k = 0; k < deal->deferred.count && rc == TH_OK; k++)
    rc = th_deal_pieces_add(&deal->back, deal->deferred.items[k], err);
  deal->deferred.count = 0;
  deal->update.count = 0;
  deal->update_pass = deal->pass;
  return rc;
}

void th_deal_extend(struct th_deal *deal, int64_t passes)
{
  int64_t done = th_integer_ceil_divide(deal->taken, deal->rows_in_pass);
  deal->plan.passes = done + countable(passes, deal->rows_in_pass);
}

void th_deal_count(struct th_deal *deal, int64_t pass, int64_t rows)
{
  deal->pass = pass;
  deal->taken += rows;
}

int64_t th_deal_left(const struct th_deal *deal)
{
  return deal->plan.passes * deal->rows_in_pass - deal->taken;
}

/* The next piece of the queue: fresh units first, then what came back. */
static bool pop_queue(struct th_deal *deal, struct th_rows *rows)
{
  if (deal->position < deal->training_units) {
    struct th_stream stream = {deal->plan.seed, TH_PURPOSE_DEAL};
    int64_t k = th_random_place(stream, (uint64_t)deal->pass,
                                deal->training_units, deal->position++);
    *rows = shuffled_unit(deal, k);
    return true;
  }
  if (deal->back_head < deal->back.count) {
    *rows = deal->back.items[deal->back_head++];
    return true;
  }
  deal->back.count = 0;
  deal->back_head = 0;
  return false;
}

/* The first stretch of rows that the present update has used before; none: a
 * count of 0. Within one pass no row is dealt twice: only an update that has
 * carried over needs to look. */
static struct th_rows used_in_update(const struct th_deal *deal,
                                     struct th_rows rows)
{
  int64_t last = rows.first + rows.count;
  for (int64_t k = 0; deal->pass != deal->update_pass && k < deal->update.count;
       k++) {
    struct th_rows used = deal->update.items[k];
    int64_t from = rows.first > used.first ? rows.first : used.first;
    int64_t to =
        last < used.first + used.count ? last : used.first + used.count;
    if (from < to)
      return (struct th_rows){from, to - from};
  }
  return (struct th_rows){rows.first, 0};
}

/* Put the used part of a piece aside and the rest back into the queue. */
static th_status set_aside(struct th_deal *deal, struct th_rows rows,
                           struct th_rows used, struct th_error *err)
{
  int64_t used_last = used.first + used.count;
  struct th_rows before = {rows.first, used.first - rows.first};
  struct th_rows after = {used_last, rows.first + rows.count - used_last};
  th_status rc = th_deal_pieces_add(&deal->deferred, used, err);
  if (rc == TH_OK && before.count > 0)
    rc = th_deal_pieces_add(&deal->back, before, err);
  if (rc == TH_OK && after.count > 0)
    rc = th_deal_pieces_add(&deal->back, after, err);
  return rc;
}

/* The queue is empty: collect what consumers hold, else start the next pass,
 * else fall back on rows the update has used already. False: nothing is left.
 */
static th_status refill(struct th_deal *deal, bool *more, struct th_error *err)
{
  *more = true;
  th_status rc = give_back(deal, 0, deal->consumers, err);
  if (rc != TH_OK || deal->back.count > 0)
    return rc;
  if (deal->deferred.count > 0) {
    deal->reused = true;
    deal->update.count = 0;
    return th_deal_begin(deal, err);
  }
  if (deal->pass + 1 < deal->plan.passes) {
    deal->pass++;
    deal->position = 0;
    return rc;
  }
  *more = false;
  return rc;
}

/* Give a consumer without rows its next piece. */
static th_status next_piece(struct th_deal *deal, int64_t consumer, bool *more,
                            struct th_error *err)
{
  th_status rc = TH_OK;
  struct th_rows rows;
  *more = true;
  while (rc == TH_OK && *more && deal->rest[consumer].count == 0) {
    if (!pop_queue(deal, &rows)) {
      rc = refill(deal, more, err);
      continue;
    }
    struct th_rows used = used_in_update(deal, rows);
    if (used.count > 0)
      rc = set_aside(deal, rows, used, err);
    else
      deal->rest[consumer] = rows;
  }
  return rc;
}

th_status th_deal_rows(struct th_deal *deal, int64_t consumer, int64_t rows,
                       struct th_pieces *pieces, struct th_error *err)
{
  th_status rc = TH_OK;
  bool more = true;
  while (rows > 0) {
    struct th_rows *rest = &deal->rest[consumer];
    TH_TRY(next_piece(deal, consumer, &more, err));
    if (!more)
      break;
    int64_t count = rest->count < rows ? rest->count : rows;
    struct th_rows piece = {rest->first, count};
    TH_TRY(th_deal_pieces_add(pieces, piece, err));
    TH_TRY(th_deal_pieces_add(&deal->update, piece, err));
    rest->first += count;
    rest->count -= count;
    deal->taken += count;
    rows -= count;
  }
done:
  return rc;
}
