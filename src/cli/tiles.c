/* tiles.c - columns of a sparse shard, cut into the tiles of its row groups
 * SPDX-License-Identifier: MIT */
#include "cli/tiles.h"

#include "core/memory.h"

#include <stdlib.h>

void th_tiles_init(struct th_tiles *tiles, const struct th_shape *shape,
                   struct th_range range)
{
  *tiles = (struct th_tiles){.shape = *shape, .range = range};
}

void th_tiles_free(struct th_tiles *tiles)
{
  free(tiles->added);
  free(tiles->group_of);
  free(tiles->sorted);
  free(tiles->first);
  free(tiles->attribute);
  free(tiles->start);
  free(tiles->row);
  free(tiles->values);
  *tiles = (struct th_tiles){0};
}

/* Row group of an example and its row there; test examples begin a group of
 * their own. */
static int64_t locate(const struct th_shape *shape, int64_t example,
                      uint32_t *row)
{
  int64_t before = 0;
  if (example >= shape->training) {
    before = (shape->training + shape->row_group - 1) / shape->row_group;
    example -= shape->training;
  }
  *row = (uint32_t)(example % shape->row_group);
  return before + example / shape->row_group;
}

th_status th_tiles_add(struct th_tiles *tiles, int64_t attribute,
                       const int64_t *example, const double *value,
                       int64_t count, struct th_error *err)
{
  int64_t wanted = tiles->entries + count;
  th_status rc;
  TH_TRY(th_grow((void **)&tiles->added, &tiles->capacity, wanted,
                 sizeof *tiles->added, "the entries of a shard", err));
  TH_TRY(th_grow((void **)&tiles->group_of, &tiles->group_capacity, wanted,
                 sizeof *tiles->group_of, "the row groups of entries", err));
  for (int64_t k = 0; k < count; k++) {
    struct th_entry *entry = &tiles->added[tiles->entries];
    entry->attribute = (uint32_t)(attribute - tiles->range.first);
    entry->value = value[k];
    tiles->group_of[tiles->entries++] =
        locate(&tiles->shape, example[k], &entry->row);
  }
done:
  return rc;
}

th_status th_tiles_cut(struct th_tiles *tiles, int64_t groups,
                       struct th_error *err)
{
  int64_t *next = NULL;
  int64_t most = 0;
  th_status rc;
  TH_TRY(TH_NEW(&tiles->first, groups + 1, "the row groups", err));
  TH_TRY(TH_NEW(&next, groups, "the row groups", err));
  TH_TRY(TH_NEW(&tiles->sorted, tiles->entries, "the sorted entries", err));
  for (int64_t k = 0; k < tiles->entries; k++)
    tiles->first[tiles->group_of[k] + 1]++;
  for (int64_t g = 0; g < groups; g++) {
    most = tiles->first[g + 1] > most ? tiles->first[g + 1] : most;
    next[g] = tiles->first[g];
    tiles->first[g + 1] += tiles->first[g];
  }
  for (int64_t k = 0; k < tiles->entries; k++)
    tiles->sorted[next[tiles->group_of[k]]++] = tiles->added[k];
  TH_TRY(TH_NEW(&tiles->attribute, most, "a tile", err));
  TH_TRY(TH_NEW(&tiles->start, most + 1, "a tile", err));
  TH_TRY(TH_NEW(&tiles->row, most, "a tile", err));
  TH_TRY(th_alloc(&tiles->values, most, th_type_size(tiles->shape.type),
                  "a tile", err));
done:
  free(next);
  return rc;
}

th_status th_tiles_group(struct th_tiles *tiles, int64_t group, int32_t rows,
                         struct th_slab *tile, struct th_error *err)
{
  enum th_type type = tiles->shape.type;
  const struct th_entry *entry = tiles->sorted + tiles->first[group];
  int64_t count = tiles->first[group + 1] - tiles->first[group];
  int64_t runs = 0;
  for (int64_t k = 0; k < count; k++) {
    if (k == 0 || entry[k].attribute != entry[k - 1].attribute) {
      tiles->attribute[runs] = entry[k].attribute;
      tiles->start[runs++] = k;
    }
    tiles->row[k] = entry[k].row;
    if (!th_type_store(type, tiles->values, k, entry[k].value))
      return th_fail(err, TH_EDATA,
                     "attribute %lld: %g cannot be stored as %s; use --type "
                     "f32",
                     (long long)(tiles->range.first + entry[k].attribute),
                     entry[k].value, th_type_name(type));
  }
  tiles->start[runs] = count;
  *tile = (struct th_slab){.layout = TH_SPARSE,
                           .type = type,
                           .attributes = tiles->range,
                           .rows = rows,
                           .values = tiles->values,
                           .runs = runs,
                           .base = tiles->range.first,
                           .attribute = tiles->attribute,
                           .start = tiles->start,
                           .row_in_group = tiles->row};
  return TH_OK;
}
