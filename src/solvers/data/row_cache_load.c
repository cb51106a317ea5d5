/* row_cache_load.c - reads a deal unit attribute by attribute and transposes it
 * SPDX-License-Identifier: MIT */
#include "solvers/data/row_cache_load.h"

#include "core/memory.h"
#include "math/kernels/kernels.h"
#include "math/kernels/kernels_sparse.h"

#include <stdlib.h>

static void store(const struct th_row_caches *caches, void *values, int64_t at,
                  double value)
{
  if (caches->type == TH_F32)
    ((float *)values)[at] = (float)value;
  else
    ((double *)values)[at] = value;
}

th_status th_row_cache_reserve(const struct th_row_caches *caches,
                               struct th_row_cache *cache, int64_t rows,
                               int64_t places, int64_t entries,
                               struct th_error *err)
{
  size_t size = th_type_size(caches->type);
  int64_t values = caches->sparse ? entries : rows * places;
  th_status rc;
  cache->places = places;
  TH_TRY(
      th_alloc(&cache->values, values, size, "examples kept in memory", err));
  cache->bytes = values * (int64_t)size;
  if (!caches->sparse)
    return rc;
  TH_TRY(TH_NEW(&cache->start, rows + 1, "examples kept in memory", err));
  TH_TRY(TH_NEW(&cache->place, entries, "examples kept in memory", err));
  cache->bytes += (rows + 1) * (int64_t)sizeof *cache->start +
                  entries * (int64_t)sizeof *cache->place;
done:
  return rc;
}

/* ---- dense ---- */

/* Transpose the attributes of a slab, the first of which is at `place`. */
static void turn_slab(const struct th_row_caches *caches,
                      struct th_row_cache *cache, const struct th_slab *slab,
                      int64_t place)
{
  const struct th_active *active = caches->active;
  for (int64_t j = slab->attributes.first; j < slab->attributes.last; j++) {
    int64_t p = place + j - slab->attributes.first;
    struct th_slab one = th_slab_part(slab, (struct th_range){j, j + 1});
    th_kernel_column(&one, active->centre[p], active->scale[p], caches->column);
    for (int64_t i = 0; i < slab->rows; i++)
      store(caches, cache->values, i * cache->places + p, caches->column[i]);
  }
}

static th_status load_dense(struct th_row_caches *caches,
                            struct th_row_cache *cache,
                            const struct th_draw *draw, struct th_error *err)
{
  struct th_rows rows = draw->rows.items[0];
  struct th_slab slab;
  th_status rc =
      th_row_cache_reserve(caches, cache, rows.count, cache->places, 0, err);
  for (int64_t place = 0; place < cache->places && rc == TH_OK;) {
    rc = th_source_active(caches->context->source, draw, rows, place, &slab,
                          err);
    if (rc != TH_OK)
      break;
    turn_slab(caches, cache, &slab, place);
    place += slab.attributes.last - slab.attributes.first;
  }
  return rc;
}

/* ---- sparse ---- */

/* Entries in the order of attributes. */
struct entries {
  int64_t count;
  int64_t capacity;
  struct entry {
    int32_t row;
    int32_t place;
    double value;
  } * items;
};

static th_status take_slab(const struct th_row_caches *caches,
                           struct entries *list, const struct th_slab *slab,
                           int64_t place, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t k = 0; k < slab->runs && rc == TH_OK; k++) {
    struct th_range run = th_kernels_sparse_entries(slab, k);
    int64_t p =
        place + slab->base + slab->attribute[k] - slab->attributes.first;
    rc = TH_GROW(&list->items, &list->capacity,
                 list->count + run.last - run.first, "examples kept in memory",
                 err);
    for (int64_t e = run.first; e < run.last && rc == TH_OK; e++)
      list->items[list->count++] = (struct entry){
          (int32_t)(slab->row_in_group[e] - slab->row), (int32_t)p,
          th_type_load(slab->type, slab->values, e) * caches->active->scale[p]};
  }
  return rc;
}

/* Sort by row. Within a row, places stay in order. */
static void sort_entries(const struct th_row_caches *caches,
                         struct th_row_cache *cache, const struct entries *list,
                         int64_t rows)
{
  for (int64_t k = 0; k < list->count; k++)
    cache->start[list->items[k].row + 1]++;
  for (int64_t i = 0; i < rows; i++)
    cache->start[i + 1] += cache->start[i];
  for (int64_t k = 0; k < list->count; k++) {
    int64_t at = cache->start[list->items[k].row]++;
    cache->place[at] = list->items[k].place;
    store(caches, cache->values, at, list->items[k].value);
  }
  for (int64_t i = rows; i > 0; i--)
    cache->start[i] = cache->start[i - 1];
  cache->start[0] = 0;
}

static th_status load_sparse(struct th_row_caches *caches,
                             struct th_row_cache *cache,
                             const struct th_draw *draw, struct th_error *err)
{
  struct th_rows rows = draw->rows.items[0];
  struct entries list = {.items = NULL};
  struct th_slab slab;
  th_status rc = TH_OK;
  for (int64_t place = 0; place < cache->places;) {
    TH_TRY(th_source_active(caches->context->source, draw, rows, place, &slab,
                            err));
    TH_TRY(take_slab(caches, &list, &slab, place, err));
    place += slab.attributes.last - slab.attributes.first;
  }
  TH_TRY(th_row_cache_reserve(caches, cache, rows.count, cache->places,
                              list.count, err));
  sort_entries(caches, cache, &list, rows.count);
done:
  free(list.items);
  return rc;
}

th_status th_row_cache_load(struct th_row_caches *caches,
                            struct th_row_cache *cache,
                            const struct th_draw *draw, struct th_error *err)
{
  cache->places = caches->active->count;
  th_status rc =
      (caches->sparse ? load_sparse : load_dense)(caches, cache, draw, err);
  cache->loaded = rc == TH_OK;
  return rc;
}
