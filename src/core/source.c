/* source.c - the observing source: the only way a solver sees data
 * SPDX-License-Identifier: MIT */
#include "core/source.h"

#include "core/memory.h"
#include "core/source_parts.h"
#include "core/state.h"

#include <stdlib.h>

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
    TH_FREE(source->active, source->numbers, source->packed);
    th_source_free_slots(source);
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
  th_state_leave(state);
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

static bool in_support(const struct th_draw *draw, int64_t attribute)
{
  struct th_range one = {attribute, attribute + 1};
  struct th_range place =
      th_range_members(draw->support, draw->support_size, one);
  return place.last > place.first;
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
  return draw->block.last - draw->block.first + draw->support_size -
         (both.last - both.first);
}

/* What is observed in slots is distinct or not once it has been observed. */
static void enter(struct th_ledger *ledger, const struct th_draw *draw,
                  int64_t attributes)
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

/* Whether no active attribute of this rank is a member of the support. */
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
  int64_t attributes = count_attributes(source, draw);
  int64_t most = draw->validation ? source->validation_budget : source->budget;
  th_status rc = TH_OK;
  if (attributes > most)
    return th_fail(err, TH_EBUDGET,
                   "the solver asked for %lld attributes of an example; the "
                   "budget is %lld",
                   (long long)attributes, (long long)most);
  if (draw->slots > 0)
    rc = th_source_open_slots(source, draw, err);
  if (rc != TH_OK)
    return rc;
  enter(&source->ledger, draw, attributes);
  draw->grant = grant_of(source, draw);
  return TH_OK;
}

th_status th_source_refuse(struct th_error *err, struct th_range range)
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

bool th_source_holds(const struct th_source *source, const struct th_draw *draw)
{
  return draw->grant == grant_of(source, draw);
}

static bool inside(struct th_rows rows, struct th_rows piece)
{
  return rows.first >= piece.first &&
         rows.first + rows.count <= piece.first + piece.count;
}

/* Most requests stay in the piece of the last one, so it is tried first. */
bool th_source_granted(struct th_source *source, const struct th_draw *draw,
                       struct th_rows rows)
{
  const struct th_pieces *pieces = &draw->rows;
  if (draw->grant != grant_of(source, draw))
    return false;
  if (source->piece < pieces->count &&
      inside(rows, pieces->items[source->piece]))
    return true;
  for (int64_t k = 0; k < pieces->count; k++)
    if (inside(rows, pieces->items[k])) {
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
      range.last > draw->block.last || !th_source_granted(source, draw, rows))
    return th_source_refuse(err, range);
  struct th_store *store = source->store;
  th_status rc = th_source_leave(source, err);
  if (rc == TH_OK)
    rc = store->ops->slab(store, rows, range, false, slab, err);
  if (rc != TH_OK)
    return rc;
  store->blocks.observed += th_slab_bytes(slab, store->shape.row_group);
  return th_shift_apply(&source->shifts, slab, err);
}

th_status th_source_support(struct th_source *source,
                            const struct th_draw *draw, struct th_rows rows,
                            int64_t attribute, struct th_slab *slab,
                            struct th_error *err)
{
  struct th_range range = {attribute, attribute + 1};
  if (!in_support(draw, attribute) || !th_source_granted(source, draw, rows))
    return th_source_refuse(err, range);
  struct th_store *store = source->store;
  th_status rc = th_source_leave(source, err);
  if (rc == TH_OK)
    rc = store->ops->slab(store, rows, range, true, slab, err);
  bool in_block =
      attribute >= draw->block.first && attribute < draw->block.last;
  if (rc == TH_OK && !in_block)
    store->support.observed += th_slab_bytes(slab, store->shape.row_group);
  return rc == TH_OK ? th_shift_apply(&source->shifts, slab, err) : rc;
}

void th_source_tell(struct th_source *source, const struct th_draw *draw,
                    struct th_range range, bool keep)
{
  struct th_store *store = source->store;
  if (store->ops->announce == NULL || draw->grant != grant_of(source, draw))
    return;
  for (int64_t k = 0; k < draw->rows.count; k++)
    store->ops->announce(store, draw->rows.items[k], range, keep);
}

void th_source_announce_block(struct th_source *source,
                              const struct th_draw *draw, struct th_range range)
{
  if (range.first < range.last && range.first >= draw->block.first &&
      range.last <= draw->block.last)
    th_source_tell(source, draw, range, false);
}

void th_source_announce_support(struct th_source *source,
                                const struct th_draw *draw, int64_t attribute)
{
  if (in_support(draw, attribute))
    th_source_tell(source, draw, (struct th_range){attribute, attribute + 1},
                   true);
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
  return source->store->ops->targets(source->store, rows, target, weight, err);
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
