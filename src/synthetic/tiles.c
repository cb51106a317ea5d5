/* tiles.c - sparse columns, cut into the tiles of their row groups
 * SPDX-License-Identifier: MIT */
#include "synthetic/tiles.h"

#include "base/memory.h"

void th_tiles_init(struct th_tiles *tiles, const struct th_shape *shape,
                   struct th_range range)
{
  *tiles = (struct th_tiles){.shape = *shape, .range = range};
}

static void forget_added(struct th_tiles *tiles)
{
  TH_FREE(tiles->added, tiles->group_of);
  tiles->added = NULL;
  tiles->group_of = NULL;
}

void th_tiles_free(struct th_tiles *tiles)
{
  forget_added(tiles);
  TH_FREE(tiles->first_entry, tiles->first_run, tiles->attribute, tiles->start,
          tiles->row, tiles->values);
  *tiles = (struct th_tiles){0};
}

th_status th_tiles_add(struct th_tiles *tiles, int64_t attribute,
                       const int64_t *example, const double *value,
                       int64_t count, struct th_error *err)
{
  int64_t wanted = tiles->entries + count;
  th_status rc;
  TH_TRY(TH_LENGTHEN(&tiles->added, &tiles->capacity, wanted, "computed values",
                     err));
  TH_TRY(TH_LENGTHEN(&tiles->group_of, &tiles->group_capacity, wanted,
                     "computed values", err));
  for (int64_t k = 0; k < count; k++) {
    struct th_entry *entry = &tiles->added[tiles->entries];
    int64_t row;
    tiles->group_of[tiles->entries++] =
        th_store_shape_group_of(&tiles->shape, example[k], &row);
    *entry = (struct th_entry){(uint32_t)(attribute - tiles->range.first),
                               (uint16_t)row, value[k]};
  }
done:
  return rc;
}

/* Where the entries and the runs of each group begin. last[groups]: room for
 * the attribute, plus 1, of the entry that a group got last. */
static void count_groups(struct th_tiles *tiles, int64_t groups, uint32_t *last)
{
  for (int64_t k = 0; k < tiles->entries; k++) {
    int64_t g = tiles->group_of[k];
    uint32_t mark = tiles->added[k].attribute + 1;
    tiles->first_entry[g + 1]++;
    tiles->first_run[g + 1] += last[g] != mark;
    last[g] = mark;
  }
  for (int64_t g = 0; g < groups; g++) {
    tiles->first_entry[g + 1] += tiles->first_entry[g];
    tiles->first_run[g + 1] += tiles->first_run[g];
  }
}

/* Hand the entries to their groups, whose next places are counted on. */
static th_status place_entries(struct th_tiles *tiles, int64_t *next_entry,
                               int64_t *next_run, struct th_error *err)
{
  enum th_type type = tiles->shape.type;
  for (int64_t k = 0; k < tiles->entries; k++) {
    const struct th_entry *entry = &tiles->added[k];
    int64_t g = tiles->group_of[k];
    int64_t at = next_entry[g]++;
    int64_t run = next_run[g];
    if (run == tiles->first_run[g] ||
        tiles->attribute[run - 1] != entry->attribute) {
      tiles->attribute[run] = entry->attribute;
      tiles->start[run + g] = (uint32_t)(at - tiles->first_entry[g]);
      next_run[g]++;
    }
    tiles->row[at] = entry->row;
    if (!th_type_store(type, tiles->values, at, entry->value))
      return th_fail(err, TH_EDATA,
                     "attribute %lld: %g cannot be stored as %s; use {type} "
                     "f32",
                     (long long)(tiles->range.first + entry->attribute),
                     entry->value, th_type_name(type));
  }
  return TH_OK;
}

th_status th_tiles_cut(struct th_tiles *tiles, struct th_error *err)
{
  const int64_t groups = th_store_shape_groups(&tiles->shape);
  int64_t *next_entry = NULL;
  int64_t *next_run = NULL;
  uint32_t *last = NULL;
  th_status rc;
  TH_TRY(TH_NEW(&tiles->first_entry, groups + 1, "computed values", err));
  TH_TRY(TH_NEW(&tiles->first_run, groups + 1, "computed values", err));
  TH_TRY(TH_NEW(&next_entry, groups, "computed values", err));
  TH_TRY(TH_NEW(&next_run, groups, "computed values", err));
  TH_TRY(TH_NEW(&last, groups, "computed values", err));
  count_groups(tiles, groups, last);
  for (int64_t g = 0; g < groups; g++) {
    next_entry[g] = tiles->first_entry[g];
    next_run[g] = tiles->first_run[g];
  }
  const int64_t runs = tiles->first_run[groups];
  TH_TRY(TH_NEW(&tiles->attribute, runs, "computed values", err));
  TH_TRY(TH_NEW(&tiles->start, runs + groups, "computed values", err));
  TH_TRY(TH_NEW(&tiles->row, tiles->entries, "computed values", err));
  TH_TRY(th_alloc(&tiles->values,
                  (int64_t)th_type_bytes(tiles->shape.type, tiles->entries), 1,
                  "computed values", err));
  for (int64_t g = 0; g < groups; g++)
    tiles->start[tiles->first_run[g + 1] + g] =
        (uint32_t)(tiles->first_entry[g + 1] - tiles->first_entry[g]);
  TH_TRY(place_entries(tiles, next_entry, next_run, err));
  forget_added(tiles);
done:
  TH_FREE(next_entry, next_run, last);
  return rc;
}

int64_t th_tiles_bytes(const struct th_tiles *tiles)
{
  const int64_t groups = th_store_shape_groups(&tiles->shape);
  const int64_t per_run = sizeof *tiles->attribute + sizeof *tiles->start;
  return groups * 2 * (int64_t)sizeof *tiles->first_run +
         tiles->first_run[groups] * per_run +
         tiles->entries * (int64_t)sizeof *tiles->row +
         (int64_t)th_type_bytes(tiles->shape.type, tiles->entries);
}

struct th_slab th_tiles_group(const struct th_tiles *tiles, int64_t group)
{
  enum th_type type = tiles->shape.type;
  int64_t entry = tiles->first_entry[group];
  int64_t run = tiles->first_run[group];
  struct th_rows rows = th_store_shape_group(&tiles->shape, group);
  return (struct th_slab){.layout = TH_SPARSE,
                          .type = type,
                          .attributes = tiles->range,
                          .rows = (int32_t)rows.count,
                          .values = (const char *)tiles->values +
                                    th_type_bytes(type, entry),
                          .runs = tiles->first_run[group + 1] - run,
                          .base = tiles->range.first,
                          .attribute = tiles->attribute + run,
                          .start = tiles->start + run + group,
                          .row_in_group = tiles->row + entry};
}
