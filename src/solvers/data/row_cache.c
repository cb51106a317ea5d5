/* row_cache.c - the values of the active attributes, example by example
 * SPDX-License-Identifier: MIT */
#include "solvers/data/row_cache.h"

#include "core/memory.h"
#include "solvers/data/density.h"
#include "solvers/data/row_cache_load.h"

#include <stdlib.h>
#include <string.h>

th_status th_row_caches_init(struct th_row_caches *caches,
                             struct th_context *context,
                             const struct th_active *active, int64_t limit,
                             struct th_error *err)
{
  const struct th_shape *shape = th_source_shape(context->source);
  const struct th_deal_plan *plan = &context->deal.plan;
  th_status rc;
  *caches =
      (struct th_row_caches){.context = context,
                             .active = active,
                             .type = shape->type == TH_F64 ? TH_F64 : TH_F32,
                             .sparse = !th_density_is_full(shape),
                             .plan = plan,
                             .count = th_deal_units(plan),
                             .limit = limit};
  TH_TRY(TH_NEW(&caches->cache, caches->count, "examples kept in memory", err));
  TH_TRY(TH_NEW(&caches->column, plan->unit, "examples kept in memory", err));
done:
  return rc;
}

void th_row_cache_drop(struct th_row_caches *caches, struct th_row_cache *cache)
{
  caches->bytes -= cache->bytes;
  TH_FREE(cache->values, cache->place, cache->start);
  *cache = (struct th_row_cache){.holders = cache->holders};
}

th_status th_row_caches_reserve(struct th_row_caches *caches,
                                struct th_error *err)
{
  return TH_GROW(&caches->renumber, &caches->renumber_capacity,
                 caches->active->count, "examples kept in memory", err);
}

void th_row_caches_forget(struct th_row_caches *caches)
{
  for (int64_t k = 0; k < caches->count; k++)
    th_row_cache_drop(caches, &caches->cache[k]);
}

void th_row_caches_free(struct th_row_caches *caches)
{
  if (caches->cache != NULL)
    th_row_caches_forget(caches);
  TH_FREE(caches->cache, caches->column, caches->renumber);
  *caches = (struct th_row_caches){.cache = NULL};
}

struct th_rows th_row_caches_unit(const struct th_row_caches *caches, int64_t k)
{
  return th_deal_unit(caches->plan, k);
}

int64_t th_row_caches_unit_of(const struct th_row_caches *caches, int64_t row)
{
  return th_deal_place(caches->plan, row).unit;
}

/* Drop row caches that nobody holds, in turn, until there is room. Every unit
 * is dealt once in each pass, so no order of dropping is better than this. */
static void make_room(struct th_row_caches *caches)
{
  if (caches->limit == 0)
    return;
  for (int64_t k = 0; k < caches->count && caches->bytes > caches->limit; k++) {
    struct th_row_cache *cache = &caches->cache[caches->next_victim];
    caches->next_victim = (caches->next_victim + 1) % caches->count;
    if (cache->holders == 0 && cache->loaded)
      th_row_cache_drop(caches, cache);
  }
}

th_status th_row_caches_draw(struct th_row_caches *caches, int64_t k,
                             struct th_error *err)
{
  struct th_row_cache *cache = &caches->cache[k];
  struct th_rows unit = th_row_caches_unit(caches, k);
  struct th_draw draw = {.rows = {.items = &unit, .count = 1}, .active = true};
  th_status rc;
  cache->holders++;
  TH_TRY(th_source_draw(caches->context->source, &draw, err));
  if (cache->loaded)
    return rc;
  TH_TRY(th_row_cache_load(caches, cache, &draw, err));
  caches->bytes += cache->bytes;
  make_room(caches);
done:
  return rc;
}

void th_row_caches_release(struct th_row_caches *caches, int64_t k)
{
  caches->cache[k].holders--;
}

void th_row_caches_row(const struct th_row_caches *caches, int64_t row,
                       struct th_row *values)
{
  struct th_deal_place place = th_deal_place(caches->plan, row);
  const struct th_row_cache *cache = &caches->cache[place.unit];
  int64_t i = place.row;
  int64_t start = caches->sparse ? cache->start[i] : i * cache->places;
  int64_t count = caches->sparse ? cache->start[i + 1] - start : cache->places;
  size_t offset = th_type_offset(caches->type, start);
  values->type = caches->type;
  values->count = count;
  values->values = (const char *)cache->values + offset;
  values->place = caches->sparse ? cache->place + start : NULL;
}

/* Compact the rows, which become shorter, one after the other. */
#define DEFINE_KEEP(name, ctype)                                               \
  static int64_t keep_##name(ctype x[], int64_t rows, int64_t places,          \
                             const bool *keep)                                 \
  {                                                                            \
    int64_t to = 0;                                                            \
    for (int64_t i = 0; i < rows; i++)                                         \
      for (int64_t p = 0; p < places; p++) {                                   \
        x[to] = x[i * places + p];                                             \
        to += keep[p];                                                         \
      }                                                                        \
    return to;                                                                 \
  }

DEFINE_KEEP(f32, float)
DEFINE_KEEP(f64, double)

static void keep_dense(const struct th_row_caches *caches,
                       struct th_row_cache *cache, int64_t rows,
                       const bool *keep)
{
  int64_t kept = caches->type == TH_F32
                     ? keep_f32(cache->values, rows, cache->places, keep)
                     : keep_f64(cache->values, rows, cache->places, keep);
  cache->bytes = kept * (int64_t)th_type_size(caches->type);
}

static void keep_sparse(const struct th_row_caches *caches,
                        struct th_row_cache *cache, int64_t rows,
                        const bool *keep)
{
  const size_t size = th_type_size(caches->type);
  char *values = cache->values;
  int64_t from = 0;
  int64_t to = 0;
  for (int64_t i = 0; i < rows; i++) {
    for (; from < cache->start[i + 1]; from++)
      if (keep[cache->place[from]]) {
        cache->place[to] = caches->renumber[cache->place[from]];
        memmove(values + (size_t)to * size, values + (size_t)from * size, size);
        to++;
      }
    cache->start[i + 1] = to;
  }
  cache->bytes = (rows + 1) * (int64_t)sizeof *cache->start +
                 to * (int64_t)(sizeof *cache->place + size);
}

/* Give back the memory that a row cache no longer needs. If this fails, it
 * stays larger. */
static void shrink(void **data, int64_t count, size_t size)
{
  void *smaller = realloc(*data, (size_t)(count > 0 ? count : 1) * size);
  if (smaller != NULL)
    *data = smaller;
}

static void keep_places(const struct th_row_caches *caches,
                        struct th_row_cache *cache, int64_t rows, int64_t kept,
                        const bool *keep)
{
  const size_t size = th_type_size(caches->type);
  if (caches->sparse) {
    keep_sparse(caches, cache, rows, keep);
    shrink((void **)&cache->place, cache->start[rows], sizeof *cache->place);
    shrink(&cache->values, cache->start[rows], size);
  } else {
    keep_dense(caches, cache, rows, keep);
    shrink(&cache->values, rows * kept, size);
  }
  cache->places = kept;
}

void th_row_caches_keep(struct th_row_caches *caches, const bool *keep)
{
  int64_t kept = 0;
  for (int64_t p = 0; p < caches->active->count; p++) {
    caches->renumber[p] = (int32_t)kept;
    kept += keep[p];
  }
  for (int64_t k = 0; k < caches->count; k++) {
    struct th_row_cache *cache = &caches->cache[k];
    if (!cache->loaded)
      continue;
    caches->bytes -= cache->bytes;
    keep_places(caches, cache, th_row_caches_unit(caches, k).count, kept, keep);
    caches->bytes += cache->bytes;
  }
}
