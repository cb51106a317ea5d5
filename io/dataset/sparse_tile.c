/* sparse_tile.c - checks and packs a tile of a sparse shard
 * SPDX-License-Identifier: MIT */
#include "io/dataset/sparse_tile.h"

#include "core/memory.h"
#include "io/dataset/fingerprint.h"

#include <math.h>

static th_status bad_tile(const struct th_shard_write *shard, int64_t group,
                          const char *what, struct th_error *err)
{
  return th_fail(err, TH_EARG, "%s: row group %lld: %s", shard->name,
                 (long long)group, what);
}

static bool rows_good(const uint16_t *row, int64_t count, int64_t rows)
{
  for (int64_t k = 1; k < count; k++)
    if (row[k] <= row[k - 1])
      return false;
  return count > 0 && row[count - 1] < rows;
}

/* Whether rows ascend within all runs, without a branch for each entry: as many
 * rows that do not ascend as runs that begin with one, and none too large. */
static bool all_rows_good(const struct th_tile *tile)
{
  const struct th_slab *slab = tile->slab;
  const uint16_t *row = slab->row_in_group;
  int64_t falls = 0;
  uint16_t highest = tile->entries > 0 ? row[0] : 0;
  for (int64_t i = 1; i < tile->entries; i++) {
    falls += row[i] <= row[i - 1];
    highest = row[i] > highest ? row[i] : highest;
  }
  for (int64_t k = 0; k < tile->runs; k++) {
    int64_t first = (int64_t)slab->start[k] - slab->start[0];
    if (slab->start[k + 1] <= slab->start[k])
      return false;
    falls -= k > 0 && row[first] <= row[first - 1];
  }
  return falls == 0 && highest < tile->rows;
}

th_status th_sparse_tile_check(const struct th_shard_write *shard,
                               const struct th_tile *tile, struct th_error *err)
{
  const struct th_slab *slab = tile->slab;
  int64_t before = shard->range.first - 1;
  if (tile->group != shard->sparse.next_group ||
      tile->group >= shard->row_groups->groups)
    return bad_tile(shard, tile->group, "out of order", err);
  if (slab->layout != TH_SPARSE || slab->type != shard->row_groups->shape.type)
    return bad_tile(shard, tile->group, "a tile of another type", err);
  bool good = all_rows_good(tile);
  for (int64_t k = 0; k < tile->runs; k++) {
    int64_t attribute = slab->base + (int64_t)slab->attribute[k];
    int64_t first = (int64_t)slab->start[k] - slab->start[0];
    if (attribute <= before || attribute >= shard->range.last)
      return bad_tile(shard, tile->group, "attributes out of order", err);
    if (!good &&
        !rows_good(slab->row_in_group + first,
                   (int64_t)slab->start[k + 1] - slab->start[k], tile->rows))
      return bad_tile(shard, tile->group, "rows out of order", err);
    before = attribute;
  }
  return TH_OK;
}

static th_status make_room(struct th_shard_write *shard, struct th_tile *tile,
                           struct th_error *err)
{
  int64_t run = sizeof *tile->attribute + sizeof *tile->count;
  /* never none, so that there is a place to point at */
  th_status rc =
      th_shard_scratch_bytes(shard->scratch, (tile->runs + 1) * run, err);
  if (rc == TH_OK)
    rc = th_shard_scratch_values(shard->scratch, tile->entries, err);
  if (rc == TH_OK && shard->weight != NULL)
    rc = TH_GROW(&shard->scratch->weights, &shard->scratch->weight_capacity,
                 tile->entries, "weights of values to be written", err);
  if (rc != TH_OK)
    return rc;
  tile->attribute = shard->scratch->bytes;
  tile->count = (uint16_t *)(tile->attribute + tile->runs);
  return TH_OK;
}

static th_status not_finite(const struct th_shard_write *shard,
                            const struct th_tile *tile, struct th_error *err)
{
  const double *values = shard->scratch->values;
  int64_t k = 0;
  for (int64_t e = 0; k + 1 < tile->runs; e += tile->count[k++]) {
    bool good = true;
    for (int64_t i = 0; i < tile->count[k]; i++)
      good = good && isfinite(values[e + i]);
    if (!good)
      break;
  }
  return th_fail(err, TH_EDATA,
                 "attribute %lld, row group %lld: a value is not a finite "
                 "number",
                 (long long)(shard->range.first + tile->attribute[k]),
                 (long long)tile->group);
}

/* The weights of the entries of training examples, in the scratch; NULL: there
 * are none. */
static const double *entry_weights(const struct th_shard_write *shard,
                                   const struct th_tile *tile)
{
  if (shard->weight == NULL ||
      tile->group >= shard->row_groups->training_groups)
    return NULL;
  const double *weight =
      shard->weight + th_row_groups_group(shard->row_groups, tile->group).first;
  for (int64_t e = 0; e < tile->entries; e++)
    shard->scratch->weights[e] = weight[tile->slab->row_in_group[e]];
  return shard->scratch->weights;
}

/* Add a tile to content and statistics, from its values as doubles. */
static void account(struct th_shard_write *shard, const struct th_tile *tile)
{
  const struct th_slab *slab = tile->slab;
  size_t size = th_type_size(slab->type);
  bool training = tile->group < shard->row_groups->training_groups;
  const double *weight = entry_weights(shard, tile);
  int64_t e = 0;
  for (int64_t k = 0; k < tile->runs; k++) {
    int64_t count = tile->count[k];
    shard->content += th_fingerprint_run(
        shard->range.first + tile->attribute[k], tile->group,
        slab->row_in_group + e, (const char *)slab->values + (size_t)e * size,
        size, count);
    if (training)
      th_running_stats_add(&shard->stats, tile->attribute[k],
                           shard->scratch->values + e,
                           weight != NULL ? weight + e : NULL, count);
    e += count;
  }
}

th_status th_sparse_tile_fill(struct th_shard_write *shard,
                              struct th_tile *tile, struct th_error *err)
{
  const struct th_slab *slab = tile->slab;
  int64_t ignored = 0;
  th_status rc = make_room(shard, tile, err);
  if (rc != TH_OK)
    return rc;
  for (int64_t k = 0; k < tile->runs; k++) {
    tile->attribute[k] = (uint32_t)(slab->base + (int64_t)slab->attribute[k] -
                                    shard->range.first);
    tile->count[k] = (uint16_t)(slab->start[k + 1] - slab->start[k]);
  }
  if (!th_running_stats_load(slab->type, slab->values, tile->entries,
                             shard->scratch->values, &ignored))
    return not_finite(shard, tile, err);
  account(shard, tile);
  return TH_OK;
}
