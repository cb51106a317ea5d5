/* source_active.c - the observing source: active attributes, each rank its own
 * SPDX-License-Identifier: MIT */
#include "core/integer.h"
#include "core/memory.h"
#include "core/source_parts.h"

#include <string.h>

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
  int64_t sums[2] = {count, 0};
  th_status rc = take_active(source, attribute, count, err);
  rc = th_comm_sum_agree(comm, sums, 1, rc, err);
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
  return range.last - range.first <= ALONE;
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
    count += range.last - range.first;
  }
  return th_min_i64(count, most);
}

/* A slab of the attributes from `place` on that are in memory. It is empty if
 * the first is not, or if their rows take too many bytes. */
static th_status pack_active(struct th_source *source, struct th_rows rows,
                             int64_t place, struct th_slab *slab,
                             struct th_error *err)
{
  struct th_store *store = source->store;
  enum th_type type = store->shape.type;
  const int64_t *list = source->active + place;
  int64_t row;
  th_shape_group_of(&store->shape, rows.first, &row);
  struct th_packing packing = packing_of(type, row, rows.count);
  int64_t count =
      th_min_i64(source->active_count - place, ROOM / packing.stride);
  *slab = (struct th_slab){.attributes = {0, 0}};
  if (store->ops->copy == NULL || packing.bytes > MOST_PACKED)
    return TH_OK;
  th_status rc = TH_GROW(&source->packed, &source->packed_capacity, ROOM,
                         "the attributes left after screening", err);
  if (rc != TH_OK)
    return rc;
  packing.alone = count_alone(source, place, count);
  count = store->ops->copy(store, rows, list, count, source->packed, &packing);
  *slab = (struct th_slab){.layout = TH_DENSE,
                           .type = type,
                           .attributes = {list[0], list[0] + count},
                           .row = row,
                           .rows = (int32_t)rows.count,
                           .values = source->packed,
                           .stride = items_of(type, packing.stride),
                           .list = list};
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
    th_status rc = pack_active(source, rows, place, slab, err);
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
      !th_source_granted(source, draw, rows))
    return th_source_refuse(err, none);
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
  int64_t place = 0;
  while (draw->active && place < source->active_count) {
    struct th_range range = active_range(source, place);
    th_source_tell(source, draw, range, are_alone(range));
    place += range.last - range.first;
  }
}
