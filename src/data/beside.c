/* beside.c - a store with a few attributes beside those of another one
 * SPDX-License-Identifier: MIT */
#include "data/beside.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/search.h"

#include <string.h>

struct th_beside {
  struct th_store store; /* first: the store is the one with the columns */
  struct th_store *base; /* borrowed */
  struct th_beside_columns columns;
  enum th_type type;
  struct th_twins twins; /* those of the base that are equal in the columns */
  uint16_t *row;         /* sparse: 0, 1, 2, ..: every row has an entry */
  uint32_t start[2];     /* of the slab that was handed out last */
  uint32_t attribute[1];
};

enum th_type th_beside_type(const struct th_shape *shape)
{
  return shape->type == TH_F64 ? TH_F64 : TH_F32;
}

int64_t th_beside_item(const struct th_shape *shape, int64_t count, int64_t row,
                       int64_t a)
{
  int64_t in_group;
  int64_t group = th_store_shape_group_of(shape, row, &in_group);
  struct th_rows rows = th_store_shape_group(shape, group);
  return rows.first * count + a * rows.count + in_group;
}

static int64_t base_attributes(const struct th_beside *b)
{
  return b->base->shape.attributes;
}

/* What the base has read is what this store has. */
static void take_counts_of_base(struct th_beside *b)
{
  b->store.bytes_read = b->base->bytes_read;
  b->store.bytes_in_place = b->base->bytes_in_place;
  b->store.blocks.read = b->base->blocks.read;
  b->store.support.read = b->base->support.read;
  b->store.seconds = b->base->seconds;
}

/* --- Values ----------------------------------------------------------------
 */

static double value_beside(const struct th_beside *b, int64_t row, int64_t a)
{
  return th_type_load(
      b->type, b->columns.values,
      th_beside_item(&b->store.shape, b->columns.count, row, a));
}

/* Of one attribute if sparse. */
static void own_slab(struct th_beside *b, struct th_rows rows,
                     struct th_range range, struct th_slab *slab)
{
  const struct th_shape *shape = &b->store.shape;
  int64_t row;
  int64_t group = th_store_shape_group_of(shape, rows.first, &row);
  int64_t all = th_store_shape_group(shape, group).count;
  int64_t first = th_beside_item(shape, b->columns.count, rows.first - row,
                                 range.first - base_attributes(b));
  *slab = (struct th_slab){.layout = shape->layout,
                           .type = b->type,
                           .attributes = range,
                           .row = row,
                           .rows = (int32_t)rows.count,
                           .values = b->columns.values};
  if (shape->layout == TH_DENSE) {
    slab->values =
        (const char *)slab->values + th_type_offset(b->type, first + row);
    slab->stride = all;
    return;
  }
  b->start[1] = (uint32_t)all;
  slab->values = (const char *)slab->values + th_type_offset(b->type, first);
  slab->attributes.last = range.first + 1;
  slab->runs = 1;
  slab->base = range.first;
  slab->attribute = b->attribute;
  slab->start = b->start;
  slab->row_in_group = b->row;
}

static th_status slab_beside(struct th_store *store, struct th_rows rows,
                             struct th_range range, bool keep,
                             struct th_slab *slab, struct th_error *err)
{
  struct th_beside *b = (struct th_beside *)store;
  th_status rc = TH_OK;
  if (range.first >= base_attributes(b)) {
    if (range.last > store->shape.attributes)
      return th_fail(err, TH_EARG, "a request outside of the data");
    own_slab(b, rows, range, slab);
    return rc;
  }
  range.last = th_min_i64(range.last, base_attributes(b));
  rc = b->base->ops->slab(b->base, rows, range, keep, slab, err);
  take_counts_of_base(b);
  return rc;
}

static int64_t copy_beside(struct th_store *store, struct th_rows rows,
                           const int64_t *attribute, int64_t count, void *to,
                           const struct th_packing *packing)
{
  struct th_beside *b = (struct th_beside *)store;
  count = th_search_i64(attribute, 0, count, base_attributes(b));
  if (b->base->ops->copy == NULL || count == 0)
    return 0;
  count = b->base->ops->copy(b->base, rows, attribute, count, to, packing);
  take_counts_of_base(b);
  return count;
}

/* The entries from the k-th on that are all of the base. */
static int64_t count_of_base(const struct th_beside *b,
                             const struct th_entries *entries, int64_t k)
{
  int64_t last = k;
  while (last < entries->count && entries->attribute[last] < base_attributes(b))
    last++;
  return last - k;
}

static th_status entries_beside(struct th_store *store,
                                const struct th_entries *entries, double *value,
                                struct th_error *err)
{
  struct th_beside *b = (struct th_beside *)store;
  th_status rc = TH_OK;
  for (int64_t k = 0; k < entries->count && rc == TH_OK;) {
    struct th_entries part = {count_of_base(b, entries, k), entries->row + k,
                              entries->attribute + k};
    if (part.count > 0)
      rc = th_store_entries(b->base, &part, value + k, err);
    else
      value[k] = value_beside(b, entries->row[k],
                              entries->attribute[k] - base_attributes(b));
    k += th_max_i64(part.count, 1);
  }
  take_counts_of_base(b);
  return rc;
}

static th_status statistics_beside(struct th_store *store,
                                   struct th_range range,
                                   struct th_statistics *statistics,
                                   struct th_error *err)
{
  struct th_beside *b = (struct th_beside *)store;
  int64_t d = base_attributes(b);
  struct th_range others = {range.first, th_min_i64(range.last, d)};
  th_status rc = TH_OK;
  if (others.first < others.last)
    rc = b->base->ops->statistics(b->base, others, statistics, err);
  for (int64_t j = th_max_i64(range.first, d); j < range.last; j++)
    statistics[j - range.first] = b->columns.statistics[j - d];
  take_counts_of_base(b);
  return rc;
}

/* --- What the base is asked ------------------------------------------------
 */

static th_status targets_of_base(struct th_store *store, struct th_rows rows,
                                 double *target, double *weight,
                                 struct th_error *err)
{
  struct th_store *base = ((struct th_beside *)store)->base;
  return base->ops->targets(base, rows, target, weight, err);
}

static int64_t number_in_base(const struct th_store *store, int64_t row)
{
  const struct th_store *base = ((const struct th_beside *)store)->base;
  return base->ops->number != NULL ? base->ops->number(base, row) : row;
}

static void announce_to_base(struct th_store *store, struct th_rows rows,
                             struct th_range range, bool keep)
{
  struct th_beside *b = (struct th_beside *)store;
  range.last = th_min_i64(range.last, base_attributes(b));
  if (b->base->ops->announce != NULL && range.first < range.last)
    b->base->ops->announce(b->base, rows, range, keep);
}

static void forget_in_base(struct th_store *store)
{
  struct th_store *base = ((struct th_beside *)store)->base;
  if (base->ops->forget != NULL)
    base->ops->forget(base);
}

static const struct th_store_ops beside_ops = {.slab = slab_beside,
                                               .copy = copy_beside,
                                               .entries = entries_beside,
                                               .targets = targets_of_base,
                                               .number = number_in_base,
                                               .statistics = statistics_beside,
                                               .announce = announce_to_base,
                                               .forget = forget_in_base};

/* --- From making to releasing ----------------------------------------------
 */

static bool equal_beside(const struct th_beside *b, int64_t row, int64_t other)
{
  for (int64_t a = 0; a < b->columns.count; a++)
    if (value_beside(b, row, a) != value_beside(b, other, a))
      return false;
  return true;
}

/* Of equal examples, those that the columns do not tell apart. */
static th_status keep_twins(struct th_beside *b, struct th_error *err)
{
  const struct th_twins *all = b->base->twins;
  struct th_twins *twins = &b->twins;
  th_status rc = TH_OK;
  if (all == NULL)
    return rc;
  TH_TRY(TH_NEW(&twins->row, all->count, "equal examples", err));
  TH_TRY(TH_NEW(&twins->first, all->count, "equal examples", err));
  for (int64_t k = 0; k < all->count; k++) {
    if (!equal_beside(b, all->row[k], all->first[k]))
      continue;
    twins->row[twins->count] = all->row[k];
    twins->first[twins->count++] = all->first[k];
  }
  b->store.twins = twins;
done:
  return rc;
}

/* As the base; ranks end where it ends, or behind the columns. */
static th_status place_as_base(struct th_beside *b, struct th_error *err)
{
  const struct th_placement *from = &b->base->placement;
  struct th_placement *to = &b->store.placement;
  bool sparse = b->store.shape.layout == TH_SPARSE;
  if (from->size == 0)
    return TH_OK;
  th_status rc = TH_NEW(&to->edge, from->size + 1, "balancing the ranks", err);
  if (rc != TH_OK)
    return rc;
  to->size = from->size;
  if (from->most > 0)
    to->most =
        from->most + (sparse ? b->columns.count * b->store.shape.training : 0);
  for (int r = 0; r <= from->size; r++)
    to->edge[r] = from->edge[r] >= base_attributes(b)
                      ? b->store.shape.attributes
                      : from->edge[r];
  return TH_OK;
}

static th_status fill_row_numbers(struct th_beside *b, struct th_error *err)
{
  int64_t rows = b->store.shape.row_group;
  if (b->store.shape.layout == TH_DENSE)
    return TH_OK;
  th_status rc = TH_NEW(&b->row, rows, "rows of a row group", err);
  for (int64_t i = 0; i < rows && rc == TH_OK; i++)
    b->row[i] = (uint16_t)i;
  return rc;
}

th_status th_beside_create(struct th_beside **beside, struct th_store *base,
                           const struct th_beside_columns *columns,
                           struct th_error *err)
{
  struct th_beside *b = NULL;
  th_status rc = TH_NEW(&b, 1, "attributes beside others", err);
  if (rc != TH_OK)
    return rc;
  b->base = base;
  b->columns = *columns;
  b->type = th_beside_type(&base->shape);
  b->store = (struct th_store){.ops = &beside_ops,
                               .shape = base->shape,
                               .fingerprint = columns->fingerprint,
                               .statistics = base->statistics};
  b->store.shape.attributes += columns->count;
  b->store.shape.mixed =
      base->shape.layout == TH_DENSE && b->type != base->shape.type;
  b->store.shape.nonzeros += columns->count * base->shape.examples;
  take_counts_of_base(b);
  TH_TRY(fill_row_numbers(b, err));
  TH_TRY(keep_twins(b, err));
  TH_TRY(place_as_base(b, err));
  *beside = b;
  b = NULL;
done:
  th_beside_free(b);
  return rc;
}

void th_beside_free(struct th_beside *beside)
{
  if (beside == NULL)
    return;
  th_partition_placement_free(&beside->store.placement);
  TH_FREE(beside->twins.row, beside->twins.first, beside->row, beside);
}

struct th_store *th_beside_store(struct th_beside *beside)
{
  return &beside->store;
}
