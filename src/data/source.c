/* source.c - the observing source: the only way a solver sees data
 * SPDX-License-Identifier: MIT */
#include "data/source.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/search.h"
#include "data/shift.h"
#include "ranks/partition.h"
#include "state/state.h"

#include <stdlib.h>
#include <string.h>

/* What was observed in the slots of the last draw that has them. */
struct th_slot_record {
  int64_t *attribute; /* of each slot; -1: nothing yet */
  int64_t capacity;
  uint64_t *seen;        /* rows with attributes: an open hash set */
  int64_t seen_capacity; /* a power of two of places */
  uint64_t serial;       /* of the draw; begins the entries that are its own */
  int64_t *row;          /* of entries, work array */
  int64_t row_capacity;
  int64_t unsettled; /* distinct attributes that the ledger does not hold */
};

struct th_source {
  struct th_store *store;
  int64_t budget;
  int64_t validation_budget;
  const int64_t *exempt; /* attributes that are counted by themselves */
  int64_t exempt_count;
  int64_t active_exempt; /* of them, active ones of all ranks */
  struct th_ledger ledger;
  int64_t *active; /* this rank's part, ascending */
  int64_t active_count;
  int64_t active_capacity;
  int64_t active_total; /* of all ranks */
  uint64_t activation;  /* how often they were declared */
  uint32_t *numbers;    /* sparse data: of the runs of the last slab */
  int64_t number_capacity;
  char *packed; /* dense data: values of the last slab, if they lie apart */
  int64_t packed_capacity;
  double *stand_in; /* of these attributes, where values are missing */
  int64_t piece;    /* piece of a draw's rows that the last request was in */
  struct th_slot_record slots;
  struct th_shifts shifts;    /* sparse data: of all ranks' attributes */
  bool (*leaves)(void *self); /* NULL: nobody asks */
  void *watcher;
};

static th_status refuse(struct th_error *err, struct th_range range);
static bool holds(const struct th_source *source, const struct th_draw *draw);

/* --- The observing source: attributes drawn one by one, each in a slot of
 * its example
 *
 * Every rank knows the cell of each slot, and the owner of the cell alone knows
 * the attribute. So the slots of an example, and their cells, bound what all
 * ranks together observe of it. */

enum { ROOMY = 2, FEWEST_PLACES = 64, ATTRIBUTE_BITS = 40 };

static void free_slots(struct th_source *source)
{
  struct th_slot_record *record = &source->slots;
  TH_FREE(record->attribute, record->seen, record->row);
}

/* A power of two of empty places for so many members. */
static th_status reserve_set(struct th_slot_record *record, int64_t members,
                             struct th_error *err)
{
  int64_t places = FEWEST_PLACES;
  while (places < ROOMY * members)
    places *= 2;
  if (places <= record->seen_capacity)
    return TH_OK;
  free(record->seen);
  record->seen = NULL;
  record->seen_capacity = 0;
  th_status rc = TH_NEW(&record->seen, places, "a mini-batch", err);
  record->seen_capacity = rc == TH_OK ? places : 0;
  return rc;
}

/* Forget the slots of earlier draws, and make room for those of a draw. Local.
 */
static th_status open_slots(struct th_source *source,
                            const struct th_draw *draw, struct th_error *err)
{
  struct th_slot_record *record = &source->slots;
  int64_t slots = draw->rows.count * draw->slots;
  th_status rc;
  TH_TRY(TH_GROW(&record->attribute, &record->capacity, slots, "a mini-batch",
                 err));
  TH_TRY(
      TH_GROW(&record->row, &record->row_capacity, slots, "a mini-batch", err));
  TH_TRY(reserve_set(record, slots, err));
  for (int64_t k = 0; k < slots; k++)
    record->attribute[k] = -1;
  memset(record->seen, 0, (size_t)record->seen_capacity * sizeof(uint64_t));
  record->serial++;
done:
  return rc;
}

/* Add a row of the draw with an attribute to the set. False: it was there. The
 * upper bits of the product depend on both. */
static bool is_new(struct th_slot_record *record, int64_t row,
                   int64_t attribute)
{
  const uint64_t odd = 0x9e3779b97f4a7c15;
  uint64_t member = ((uint64_t)row << ATTRIBUTE_BITS | (uint64_t)attribute) + 1;
  uint64_t mask = (uint64_t)record->seen_capacity - 1;
  uint64_t place = member * odd >> __builtin_clzll(mask);
  while (record->seen[place] != 0 && record->seen[place] != member)
    place = (place + 1) & mask;
  bool fresh = record->seen[place] == 0;
  record->seen[place] = member;
  return fresh;
}

/* Note that a slot observes an attribute. False: it must not. */
static bool note_slot(struct th_source *source, const struct th_draw *draw,
                      int64_t slot, int64_t attribute)
{
  struct th_slot_record *record = &source->slots;
  if (slot < 0 || slot >= draw->rows.count * draw->slots || attribute < 0 ||
      attribute >= source->store->shape.attributes ||
      attribute / TH_CELL != draw->cell[slot])
    return false;
  int64_t before = record->attribute[slot];
  if (before >= 0)
    return before == attribute;
  record->attribute[slot] = attribute;
  record->unsettled += is_new(record, slot / draw->slots, attribute);
  return true;
}

th_status th_source_slots(struct th_source *source, const struct th_draw *draw,
                          const struct th_slots *slots, double *value,
                          struct th_error *err)
{
  struct th_slot_record *record = &source->slots;
  bool granted = draw->slots > 0 && holds(source, draw) &&
                 slots->count <= draw->rows.count * draw->slots;
  for (int64_t k = 0; k < slots->count; k++) {
    struct th_range one = {slots->attribute[k], slots->attribute[k] + 1};
    if (!granted ||
        !note_slot(source, draw, slots->slot[k], slots->attribute[k]))
      return refuse(err, one);
    record->row[k] = draw->rows.items[slots->slot[k] / draw->slots].first;
  }
  struct th_entries entries = {slots->count, record->row, slots->attribute};
  th_status rc = th_source_leave(source, err);
  if (rc == TH_OK)
    rc = th_store_entries(source->store, &entries, value, err);
  for (int64_t k = 0; k < slots->count && source->shifts.count > 0; k++)
    value[k] -= th_source_shift_of(source, slots->attribute[k]);
  return rc;
}

int64_t th_source_unsettled(const struct th_source *source)
{
  return source->slots.unsettled;
}

void th_source_settle(struct th_source *source, int64_t distinct)
{
  source->ledger.distinct_attributes += distinct;
  source->slots.unsettled = 0;
}

/* --- The observing source: draws, and what they show ---------------------- */

th_status th_source_create(struct th_source **source, struct th_store *store,
                           int64_t budget, struct th_error *err)
{
  struct th_source *made = NULL;
  th_status rc = TH_NEW(&made, 1, "reading the data", err);
  if (rc != TH_OK)
    return rc;
  made->store = store;
  made->budget = budget;
  made->validation_budget = budget;
  *source = made;
  return TH_OK;
}

void th_source_free(struct th_source *source)
{
  if (source != NULL) {
    TH_FREE(source->active, source->numbers, source->packed, source->stand_in);
    free_slots(source);
    th_shift_free(&source->shifts);
  }
  free(source);
}

th_status th_source_shift(struct th_source *source, struct th_comm *comm,
                          const struct th_shift *mine, int64_t count,
                          struct th_error *err)
{
  struct th_shifts *shifts = &source->shifts;
  int64_t *bytes = NULL;
  void *all = NULL;
  th_status rc = TH_NEW(&bytes, comm->size, "attributes far from zero", err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(th_comm_gather(comm, mine, count * (int64_t)sizeof *mine, bytes, &all,
                        err));
  shifts->item = all;
  for (int r = 0; r < comm->size; r++)
    shifts->count += bytes[r] / (int64_t)sizeof *mine;
done:
  free(bytes);
  return rc;
}

bool th_source_is_shifted(const struct th_source *source)
{
  return source->shifts.count > 0;
}

double th_source_shift_of(const struct th_source *source, int64_t attribute)
{
  return th_shift_find(&source->shifts, attribute);
}

const struct th_shape *th_source_shape(const struct th_source *source)
{
  return &source->store->shape;
}

const struct th_ledger *th_source_ledger(const struct th_source *source)
{
  return &source->ledger;
}

void th_source_describe(struct th_source *source, struct th_state *state)
{
  struct th_ledger *ledger = &source->ledger;
  th_state_enter(state, "ledger");
  TH_STATE_COUNTER(state, ledger, examples);
  TH_STATE_COUNTER(state, ledger, attributes);
  TH_STATE_COUNTER(state, ledger, distinct_attributes);
  TH_STATE_COUNTER(state, ledger, max_attributes_per_example);
  TH_STATE_COUNTER(state, ledger, validation_examples);
  TH_STATE_COUNTER(state, ledger, validation_attributes);
  TH_STATE_COUNTER(state, ledger, unpenalised_attributes);
  th_state_leave(state);
}

void th_source_exempt(struct th_source *source, const int64_t *attribute,
                      int64_t count)
{
  source->exempt = attribute;
  source->exempt_count = count;
}

void th_source_allow_validation(struct th_source *source, int64_t attributes)
{
  source->validation_budget = attributes;
}

int64_t th_source_budget(const struct th_source *source)
{
  return source->budget;
}

struct th_range th_source_owned(const struct th_source *source, int rank,
                                int size)
{
  return th_store_owned(source->store, rank, size);
}

/* Are these entries of a draw's support? */
static bool are_members(const struct th_draw *draw, struct th_range places)
{
  return places.first >= 0 && places.first < places.last &&
         places.last <= draw->support_size;
}

/* The number of attributes that the draw observes of each of its examples: its
 * slots, |J u S|, or all active attributes and S, which has none of these. */
static int64_t count_attributes(const struct th_source *source,
                                const struct th_draw *draw)
{
  if (draw->slots > 0)
    return draw->slots;
  if (draw->active)
    return source->active_total + draw->support_size;
  struct th_range both =
      th_range_members(draw->support, draw->support_size, draw->block);
  return th_range_count(draw->block) + draw->support_size -
         th_range_count(both);
}

static bool is_listed(const int64_t *list, int64_t count, int64_t attribute)
{
  int64_t at = th_search_i64(list, 0, count, attribute);
  return at < count && list[at] == attribute;
}

/* How many of these are counted by themselves. */
static int64_t count_exempt(const struct th_source *source,
                            const struct th_draw *draw)
{
  int64_t found = draw->active ? source->active_exempt : 0;
  for (int64_t k = 0; k < source->exempt_count && draw->slots == 0; k++) {
    int64_t attribute = source->exempt[k];
    bool in_block =
        attribute >= draw->block.first && attribute < draw->block.last;
    found +=
        in_block || is_listed(draw->support, draw->support_size, attribute);
  }
  return found;
}

/* What is observed in slots is distinct or not once it has been observed. */
static void count_in_ledger(struct th_ledger *ledger,
                            const struct th_draw *draw, int64_t attributes)
{
  int64_t examples = th_deal_pieces_rows(&draw->rows);
  if (draw->validation) {
    ledger->validation_examples += examples;
    ledger->validation_attributes += examples * attributes;
    return;
  }
  ledger->examples += examples;
  ledger->attributes += examples * attributes;
  ledger->distinct_attributes += draw->slots > 0 ? 0 : examples * attributes;
  if (examples > 0 && attributes > ledger->max_attributes_per_example)
    ledger->max_attributes_per_example = attributes;
}

/* A hash of a granted draw. A draw that was changed afterwards has another one.
 */
static uint64_t grant_of(const struct th_source *source,
                         const struct th_draw *draw)
{
  const uint64_t odd = 0x9e3779b97f4a7c15;
  const uint64_t parts[] = {(uint64_t)(uintptr_t)source,
                            (uint64_t)(uintptr_t)draw->rows.items,
                            (uint64_t)draw->rows.count,
                            (uint64_t)draw->block.first,
                            (uint64_t)draw->block.last,
                            (uint64_t)(uintptr_t)draw->support,
                            (uint64_t)draw->support_size,
                            draw->active ? source->activation : 0,
                            draw->slots > 0 ? source->slots.serial : 0,
                            (uint64_t)draw->slots,
                            (uint64_t)(uintptr_t)draw->cell};
  uint64_t grant = odd;
  for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
    grant = (grant ^ parts[k]) * odd;
    grant ^= grant >> 29;
  }
  return grant | 1; /* never 0 */
}

/* True if no active attribute of this rank is a member of the support. */
static bool apart(const struct th_source *source, const struct th_draw *draw)
{
  bool good = true;
  for (int64_t k = 0; k < draw->support_size && source->active_count > 0; k++) {
    struct th_range one = {draw->support[k], draw->support[k] + 1};
    struct th_range place =
        th_range_members(source->active, source->active_count, one);
    good &= place.first == place.last;
  }
  return good;
}

static bool attributes_exist(const struct th_source *source,
                             const struct th_draw *draw)
{
  const struct th_shape *shape = &source->store->shape;
  bool good = draw->block.first >= 0 && draw->block.first <= draw->block.last &&
              draw->block.last <= shape->attributes && draw->support_size >= 0;
  if (draw->active)
    good = good && draw->block.first == draw->block.last && apart(source, draw);
  for (int64_t k = 0; good && k < draw->support_size; k++)
    good = draw->support[k] >= 0 && draw->support[k] < shape->attributes &&
           (k == 0 || draw->support[k - 1] < draw->support[k]);
  return good;
}

static bool rows_train(const struct th_shape *shape, const struct th_draw *draw)
{
  bool good = true;
  for (int64_t k = 0; good && k < draw->rows.count; k++) {
    struct th_rows rows = draw->rows.items[k];
    good = rows.first >= 0 && rows.count >= 0 &&
           rows.first <= shape->training - rows.count;
  }
  return good;
}

/* A draw of slots observes nothing else, on single rows. */
static bool slots_alone(const struct th_draw *draw)
{
  bool good = draw->support_size == 0 && !draw->active &&
              draw->block.first == draw->block.last && draw->cell != NULL;
  for (int64_t k = 0; good && k < draw->rows.count; k++)
    good = draw->rows.items[k].count == 1;
  return good;
}

th_status th_source_draw(struct th_source *source, struct th_draw *draw,
                         struct th_error *err)
{
  const struct th_shape *shape = &source->store->shape;
  draw->grant = 0;
  if (!attributes_exist(source, draw) || !rows_train(shape, draw) ||
      (draw->slots > 0 && !slots_alone(draw)))
    return th_fail(err, TH_EARG,
                   "the solver asked for a draw outside of the %lld training "
                   "examples and %lld attributes",
                   (long long)shape->training, (long long)shape->attributes);
  int64_t exempt = count_exempt(source, draw);
  int64_t attributes = count_attributes(source, draw) - exempt;
  int64_t most = draw->validation ? source->validation_budget : source->budget;
  th_status rc = TH_OK;
  if (attributes > most)
    return th_fail(err, TH_EBUDGET,
                   "the solver asked for %lld attributes of an example; the "
                   "budget is %lld",
                   (long long)attributes, (long long)most);
  if (draw->slots > 0)
    rc = open_slots(source, draw, err);
  if (rc != TH_OK)
    return rc;
  count_in_ledger(&source->ledger, draw, attributes);
  source->ledger.unpenalised_attributes +=
      th_deal_pieces_rows(&draw->rows) * exempt;
  draw->grant = grant_of(source, draw);
  return TH_OK;
}

/* TH_EBUDGET: these attributes lie outside of a granted draw. */
static th_status refuse(struct th_error *err, struct th_range range)
{
  return th_fail(err, TH_EBUDGET,
                 "the solver asked for attributes %lld..%lld outside of a "
                 "granted draw",
                 (long long)range.first, (long long)range.last - 1);
}

void th_source_watch(struct th_source *source, bool (*leaves)(void *self),
                     void *self)
{
  source->leaves = leaves;
  source->watcher = self;
}

th_status th_source_leave(const struct th_source *source, struct th_error *err)
{
  if (source == NULL || source->leaves == NULL ||
      !source->leaves(source->watcher))
    return TH_OK;
  return th_fail(err, TH_ESTOPPED, "stopped");
}

/* Was this draw granted, and has it not changed since? */
static bool holds(const struct th_source *source, const struct th_draw *draw)
{
  return draw->grant == grant_of(source, draw);
}

static bool within_piece(struct th_rows rows, struct th_rows piece)
{
  return rows.first >= piece.first &&
         rows.first + rows.count <= piece.first + piece.count;
}

/* Do rows lie in one piece of a draw that was granted and has not changed
 * since? Most requests stay in the piece of the last one, so it is tried first.
 */
static bool source_granted(struct th_source *source, const struct th_draw *draw,
                           struct th_rows rows)
{
  const struct th_pieces *pieces = &draw->rows;
  if (draw->grant != grant_of(source, draw))
    return false;
  if (source->piece < pieces->count &&
      within_piece(rows, pieces->items[source->piece]))
    return true;
  for (int64_t k = 0; k < pieces->count; k++)
    if (within_piece(rows, pieces->items[k])) {
      source->piece = k;
      return true;
    }
  return false;
}

th_status th_source_block(struct th_source *source, const struct th_draw *draw,
                          struct th_rows rows, struct th_range range,
                          struct th_slab *slab, struct th_error *err)
{
  if (range.first < draw->block.first || range.first >= range.last ||
      range.last > draw->block.last || !source_granted(source, draw, rows))
    return refuse(err, range);
  struct th_store *store = source->store;
  th_status rc = th_source_leave(source, err);
  if (rc == TH_OK)
    rc = store->ops->slab(store, rows, range, false, slab, err);
  if (rc != TH_OK)
    return rc;
  store->blocks.observed += th_slab_bytes(slab, store->shape.row_group);
  return th_shift_apply(&source->shifts, slab, err);
}

/* May the store prepare what a granted draw observes? */
static bool may_tell(const struct th_source *source, const struct th_draw *draw)
{
  return source->store->ops->announce != NULL && holds(source, draw);
}

void th_source_announce_block(struct th_source *source,
                              const struct th_draw *draw, struct th_range range)
{
  struct th_store *store = source->store;
  if (range.first >= range.last || range.first < draw->block.first ||
      range.last > draw->block.last || !may_tell(source, draw))
    return;
  for (int64_t p = 0; p < draw->rows.count; p++)
    store->ops->announce(store, draw->rows.items[p], range, false);
}

void th_source_announce_members(struct th_source *source,
                                const struct th_draw *draw,
                                struct th_range places)
{
  struct th_store *store = source->store;
  if (!are_members(draw, places) || !may_tell(source, draw))
    return;
  for (int64_t p = 0; p < draw->rows.count; p++)
    for (int64_t k = places.first; k < places.last; k++) {
      struct th_range one = {draw->support[k], draw->support[k] + 1};
      store->ops->announce(store, draw->rows.items[p], one, true);
    }
}

void th_source_forget(struct th_source *source)
{
  if (source->store->ops->forget != NULL)
    source->store->ops->forget(source->store);
}

th_status th_source_targets(struct th_source *source, struct th_rows rows,
                            double *target, double *weight,
                            struct th_error *err)
{
  struct th_store *from = source->store;
  th_status rc = th_source_leave(source, err);
  return rc != TH_OK ? rc : from->ops->targets(from, rows, target, weight, err);
}

const struct th_twins *th_source_twins(const struct th_source *source)
{
  return source->store->twins;
}

th_status th_source_statistics(struct th_source *source, struct th_range range,
                               struct th_statistics *statistics,
                               struct th_error *err)
{
  struct th_store *store = source->store;
  th_status rc = store->ops->statistics(store, range, statistics, err);
  if (rc == TH_OK)
    th_shift_range_statistics(&source->shifts, range, statistics);
  return rc;
}

/* --- The observing source: active attributes, each rank its own ----------- */

/* Entries of an ascending list that lie in 0 .. attributes - 1. */
static bool list_exists(const struct th_shape *shape, const int64_t *attribute,
                        int64_t count)
{
  bool good = count >= 0;
  for (int64_t k = 0; good && k < count; k++)
    good = attribute[k] >= 0 && attribute[k] < shape->attributes &&
           (k == 0 || attribute[k - 1] < attribute[k]);
  return good;
}

/* Local. */
static th_status take_active(struct th_source *source, const int64_t *attribute,
                             int64_t count, struct th_error *err)
{
  if (!list_exists(&source->store->shape, attribute, count))
    return th_fail(err, TH_EARG,
                   "the solver declared attributes outside of the %lld of the "
                   "data",
                   (long long)source->store->shape.attributes);
  th_status rc = TH_GROW(&source->active, &source->active_capacity, count,
                         "the attributes left after screening", err);
  if (rc == TH_OK && count > 0)
    memcpy(source->active, attribute, (size_t)count * sizeof *attribute);
  return rc;
}

th_status th_source_activate(struct th_source *source, struct th_comm *comm,
                             const int64_t *attribute, int64_t count,
                             struct th_error *err)
{
  int64_t sums[3] = {count, 0, 0};
  bool exempts = source->exempt_count > 0;
  th_status rc = take_active(source, attribute, count, err);
  for (int64_t k = 0; k < source->exempt_count; k++)
    sums[1] += is_listed(attribute, count, source->exempt[k]);
  rc = th_comm_sum_agree(comm, sums, exempts ? 2 : 1, rc, err);
  source->active_exempt = rc == TH_OK && exempts ? sums[1] : 0;
  source->active_count = rc == TH_OK ? count : 0;
  source->active_total = rc == TH_OK ? sums[0] : 0;
  source->activation++;
  return rc;
}

int64_t th_source_active_count(const struct th_source *source)
{
  return source->active_count;
}

/* The consecutive attributes from entry `place` of the active list on. Entries
 * ascend, so whether the first k are consecutive is monotone in k. The search
 * doubles its steps, then halves the last one. */
static struct th_range active_range(const struct th_source *source,
                                    int64_t place)
{
  const int64_t *list = source->active + place;
  int64_t most = source->active_count - place;
  int64_t run = 1; /* consecutive */
  int64_t beyond = 2;
  while (beyond <= most && list[beyond - 1] - list[0] == beyond - 1) {
    run = beyond;
    beyond *= 2;
  }
  beyond = beyond <= most ? beyond : most + 1;
  while (beyond - run > 1) {
    int64_t middle = run + (beyond - run) / 2;
    bool consecutive = list[middle - 1] - list[0] == middle - 1;
    run = consecutive ? middle : run;
    beyond = consecutive ? beyond : middle;
  }
  return (struct th_range){list[0], list[0] + run};
}

/* A slab of sparse data may span attributes without a run. It ends before the
 * first run of an attribute that is not active. Local. */
static th_status sparse_active(struct th_source *source, struct th_rows rows,
                               int64_t place, struct th_slab *slab,
                               struct th_error *err)
{
  struct th_store *store = source->store;
  const int64_t *list = source->active + place;
  int64_t count = source->active_count - place;
  struct th_range rest = {list[0], list[count - 1] + 1};
  th_status rc = store->ops->slab(store, rows, rest, false, slab, err);
  if (rc == TH_OK && active_range(source, place).last >= slab->attributes.last)
    return rc; /* none of them is left out */
  if (rc == TH_OK)
    rc = TH_GROW(&source->numbers, &source->number_capacity, slab->runs,
                 "the attributes left after screening", err);
  if (rc == TH_OK)
    th_slab_select(slab, list, count, source->numbers);
  return rc;
}

/* Up to so many attributes that lie together are kept one by one, so that
 * stores make no room for their neighbours. */
enum { ALONE = 8 };

static bool are_alone(struct th_range range)
{
  return th_range_count(range) <= ALONE;
}

/* Attributes that lie alone are packed into a room of some bytes. To be handed
 * out one by one would take more time than to copy so many bytes of each. */
enum { ROOM = 1 << 16, MOST_PACKED = 1 << 12, ALIGNED = 64 };

static struct th_packing packing_of(enum th_type type, int64_t row,
                                    int64_t rows)
{
  struct th_packing packing = {.bytes =
                                   (int64_t)th_type_bytes(type, row + rows) -
                                   (int64_t)th_type_offset(type, row)};
  packing.stride = th_integer_ceil_divide(packing.bytes, ALIGNED) * ALIGNED;
  return packing;
}

static int64_t items_of(enum th_type type, int64_t bytes)
{
  int packed = th_type_packed(type);
  return bytes / (int64_t)th_type_bytes(type, packed) * packed;
}

/* How many active attributes from `place` on, at most `most`, lie alone. */
static int64_t count_alone(const struct th_source *source, int64_t place,
                           int64_t most)
{
  int64_t count = 0;
  while (count < most) {
    struct th_range range = active_range(source, place + count);
    if (!are_alone(range))
      break;
    count += th_range_count(range);
  }
  return th_min_i64(count, most);
}

/* An ascending list of attributes. */
struct list {
  const int64_t *attribute;
  int64_t count;
  int64_t place; /* of the first among the active ones; ALL_ALONE: of others */
};

enum { ALL_ALONE = -1 };

/* A slab of the first attributes of a list that are in memory. It is empty if
 * the first is not, or if their rows take too many bytes. Of dense data. */
static th_status pack(struct th_source *source, struct th_rows rows,
                      struct list list, struct th_slab *slab,
                      struct th_error *err)
{
  struct th_store *store = source->store;
  enum th_type type = store->shape.type;
  int64_t row;
  th_store_shape_group_of(&store->shape, rows.first, &row);
  struct th_packing packing = packing_of(type, row, rows.count);
  int64_t count = th_min_i64(list.count, ROOM / packing.stride);
  *slab = (struct th_slab){.attributes = {0, 0}};
  if (store->ops->copy == NULL || packing.bytes > MOST_PACKED)
    return TH_OK;
  th_status rc = TH_GROW(&source->packed, &source->packed_capacity, ROOM,
                         "attributes that lie apart", err);
  if (rc == TH_OK && source->stand_in == NULL &&
      th_store_shape_stands_in(&store->shape))
    rc = TH_NEW(&source->stand_in, ROOM / ALIGNED, "missing values", err);
  if (rc != TH_OK)
    return rc;
  packing.stand_in = source->stand_in;
  packing.alone =
      list.place == ALL_ALONE ? count : count_alone(source, list.place, count);
  count = store->ops->copy(store, rows, list.attribute, count, source->packed,
                           &packing);
  *slab = (struct th_slab){
      .layout = TH_DENSE,
      .type = type,
      .attributes = {list.attribute[0], list.attribute[0] + count},
      .row = row,
      .rows = (int32_t)rows.count,
      .values = source->packed,
      .stride = items_of(type, packing.stride),
      .list = list.attribute,
      .stand_in = source->stand_in};
  return rc;
}

static th_status dense_active(struct th_source *source, struct th_rows rows,
                              int64_t place, struct th_slab *slab,
                              struct th_error *err)
{
  struct th_store *store = source->store;
  struct th_range range = active_range(source, place);
  bool alone = are_alone(range);
  if (alone) {
    struct list list = {source->active + place, source->active_count - place,
                        place};
    th_status rc = pack(source, rows, list, slab, err);
    if (rc != TH_OK || slab->attributes.first < slab->attributes.last)
      return rc;
  }
  if (alone)
    range.last = range.first + 1;
  return store->ops->slab(store, rows, range, alone, slab, err);
}

th_status th_source_active(struct th_source *source, const struct th_draw *draw,
                           struct th_rows rows, int64_t place,
                           struct th_slab *slab, struct th_error *err)
{
  struct th_range none = {place, place + 1};
  if (!draw->active || place < 0 || place >= source->active_count ||
      !source_granted(source, draw, rows))
    return refuse(err, none);
  struct th_store *store = source->store;
  th_status rc = th_source_leave(source, err);
  if (rc == TH_OK)
    rc = store->shape.layout == TH_SPARSE
             ? sparse_active(source, rows, place, slab, err)
             : dense_active(source, rows, place, slab, err);
  if (rc != TH_OK)
    return rc;
  store->blocks.observed += th_slab_bytes(slab, store->shape.row_group);
  return th_shift_apply(&source->shifts, slab, err);
}

void th_source_announce_active(struct th_source *source,
                               const struct th_draw *draw)
{
  struct th_store *store = source->store;
  if (!draw->active || !may_tell(source, draw))
    return;
  for (int64_t p = 0; p < draw->rows.count; p++)
    for (int64_t place = 0; place < source->active_count;) {
      struct th_range range = active_range(source, place);
      store->ops->announce(store, draw->rows.items[p], range, are_alone(range));
      place += th_range_count(range);
    }
}

/* --- The observing source: the support, many of its attributes at a time -- */

/* Bytes of an attribute up to which it is quicker to copy many at once than to
 * ask for each. */
enum { MOST_SHORT = 512 };

/* Bytes of a slab of the support, but for the attributes that the draw's block
 * has, too. */
static int64_t observed_beside_block(const struct th_source *source,
                                     const struct th_draw *draw,
                                     struct th_range places,
                                     const struct th_slab *slab)
{
  int64_t count = th_range_count(slab->attributes);
  struct th_range first = {slab->attributes.first, slab->attributes.first + 1};
  struct th_slab one = th_slab_part(slab, first);
  struct th_range in_block =
      th_range_members(draw->support + places.first, count, draw->block);
  return th_slab_bytes(&one, source->store->shape.row_group) *
         (count - th_range_count(in_block));
}

th_status th_source_members(struct th_source *source,
                            const struct th_draw *draw, struct th_rows rows,
                            struct th_range places, struct th_slab *slab,
                            struct th_error *err)
{
  struct th_store *store = source->store;
  if (!are_members(draw, places) || !source_granted(source, draw, rows))
    return refuse(err, places);
  const int64_t *first = draw->support + places.first;
  int64_t count = th_range_count(places);
  th_status rc = th_source_leave(source, err);
  *slab = (struct th_slab){.attributes = {0, 0}};
  bool pays = store->shape.layout == TH_DENSE && count > 1 &&
              th_type_bytes(store->shape.type, rows.count) <= MOST_SHORT;
  if (rc == TH_OK && pays)
    rc = pack(source, rows, (struct list){first, count, ALL_ALONE}, slab, err);
  if (rc == TH_OK && th_range_count(slab->attributes) == 0)
    rc =
        store->ops->slab(store, rows, (struct th_range){first[0], first[0] + 1},
                         true, slab, err);
  if (rc != TH_OK)
    return rc;
  store->support.observed += observed_beside_block(source, draw, places, slab);
  return th_shift_apply(&source->shifts, slab, err);
}
