/* row_caches.c - the values of the active attributes, example by example
 * SPDX-License-Identifier: MIT */
#include "solvers/access/row_caches.h"

#include "base/memory.h"
#include "data/store.h"
#include "math/kernels/kernels.h"
#include "solvers/access/active.h"

#include <stdlib.h>
#include <string.h>

/* --- One row cache: its layout, loading and dropping ---------------------- */

/* Dense: row i has its places at i * places. Sparse: row i has its entries at
 * start[i] .. start[i + 1] - 1 of place and values, places ascending. */
struct th_row_cache {
  bool loaded;
  int holders;
  int64_t bytes; /* that all arrays take */
  int64_t places;
  void *values;
  int64_t *start;
  int32_t *place;
};

/* --- Reads a deal unit attribute by attribute and transposes it ----------- */

static void store(const struct th_row_caches *caches, void *values, int64_t at,
                  double value)
{
  if (caches->type == TH_F32)
    ((float *)values)[at] = (float)value;
  else
    ((double *)values)[at] = value;
}

/* Room for a row cache of these places; sparse: of these entries. Local. */
static th_status reserve(const struct th_row_caches *caches,
                         struct th_row_cache *cache, int64_t rows,
                         int64_t places, int64_t entries, struct th_error *err)
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

/* Where a reader of a deal unit is: what comes next. */
struct at {
  int64_t place;     /* of the active attributes */
  int64_t attribute; /* where all are read */
};

/* Is anything left to be read? */
static bool anything_left(const struct th_row_caches *caches,
                          const struct at *at)
{
  return caches->whole ? at->attribute < caches->active->owned.last
                       : at->place < caches->active->count;
}

/* The next slab of this rank's attributes. Local. */
static th_status next_slab(const struct th_row_caches *caches,
                           const struct th_draw *draw, const struct at *at,
                           struct th_slab *slab, struct th_error *err)
{
  struct th_source *source = caches->context->source;
  struct th_rows rows = draw->rows.items[0];
  struct th_range rest = {at->attribute, caches->active->owned.last};
  return caches->whole
             ? th_source_block(source, draw, rows, rest, slab, err)
             : th_source_active(source, draw, rows, at->place, slab, err);
}

/* The place of the slab's a-th attribute, or -1: it is not active. Where all
 * are read, `at` goes on to it. */
static int64_t place_in_slab(const struct th_row_caches *caches, struct at *at,
                             const struct th_slab *slab, int64_t a)
{
  const struct th_active *active = caches->active;
  int64_t attribute = slab->attributes.first + a;
  if (!caches->whole)
    return at->place + a;
  while (at->place < active->count && active->attribute[at->place] < attribute)
    at->place++;
  bool met =
      at->place < active->count && active->attribute[at->place] == attribute;
  return met ? at->place : -1;
}

/* The slab has been looked through. */
static void pass_slab(const struct th_row_caches *caches, struct at *at,
                      const struct th_slab *slab)
{
  at->attribute = slab->attributes.last;
  if (!caches->whole)
    at->place += th_range_count(slab->attributes);
}

/* ---- dense ---- */

/* Transpose the active attributes of a slab. */
static void turn_slab(const struct th_row_caches *caches,
                      struct th_row_cache *cache, const struct th_slab *slab,
                      struct at *at)
{
  const struct th_active *active = caches->active;
  for (int64_t j = slab->attributes.first; j < slab->attributes.last; j++) {
    int64_t p = place_in_slab(caches, at, slab, j - slab->attributes.first);
    if (p < 0)
      continue;
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
  struct at at = {0, caches->active->owned.first};
  struct th_slab slab;
  th_status rc =
      reserve(caches, cache, draw->rows.items[0].count, cache->places, 0, err);
  while (anything_left(caches, &at) && rc == TH_OK) {
    rc = next_slab(caches, draw, &at, &slab, err);
    if (rc != TH_OK)
      break;
    turn_slab(caches, cache, &slab, &at);
    pass_slab(caches, &at, &slab);
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

static th_status list_slab(const struct th_row_caches *caches,
                           struct entries *list, const struct th_slab *slab,
                           struct at *at, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t k = 0; k < slab->runs && rc == TH_OK; k++) {
    struct th_range run = th_slab_entries(slab, k);
    int64_t p =
        place_in_slab(caches, at, slab,
                      slab->base + slab->attribute[k] - slab->attributes.first);
    if (p < 0)
      continue;
    rc = TH_GROW(&list->items, &list->capacity,
                 list->count + th_range_count(run), "examples kept in memory",
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
  struct at at = {0, caches->active->owned.first};
  struct th_slab slab;
  th_status rc = TH_OK;
  while (anything_left(caches, &at)) {
    TH_TRY(next_slab(caches, draw, &at, &slab, err));
    TH_TRY(list_slab(caches, &list, &slab, &at, err));
    pass_slab(caches, &at, &slab);
  }
  TH_TRY(reserve(caches, cache, rows.count, cache->places, list.count, err));
  sort_entries(caches, cache, &list, rows.count);
done:
  free(list.items);
  return rc;
}

/* Read a row cache's values under a granted draw of its deal unit. Local. */
static th_status row_cache_load(struct th_row_caches *caches,
                                struct th_row_cache *cache,
                                const struct th_draw *draw,
                                struct th_error *err)
{
  cache->places = caches->active->count;
  th_status rc =
      (caches->sparse ? load_sparse : load_dense)(caches, cache, draw, err);
  cache->loaded = rc == TH_OK;
  return rc;
}

/* --- All row caches of a rank --------------------------------------------- */

th_status th_row_caches_init(struct th_row_caches *caches,
                             struct th_context *context,
                             const struct th_active *active, int64_t limit,
                             struct th_error *err)
{
  const struct th_shape *shape = th_source_shape(context->source);
  const struct th_deal_plan *plan = &context->deal.plan;
  th_status rc;
  *caches = (struct th_row_caches){
      .context = context,
      .active = active,
      .type = shape->type == TH_F64 ? TH_F64 : TH_F32,
      .sparse = !th_store_shape_is_full(shape),
      .whole = context->config->screening.draws == TH_DRAWS_ALL,
      .plan = plan,
      .count = th_deal_units(plan),
      .limit = limit};
  TH_TRY(TH_NEW(&caches->cache, caches->count, "examples kept in memory", err));
  TH_TRY(TH_NEW(&caches->column, plan->unit, "examples kept in memory", err));
done:
  return rc;
}

/* Forget its values. Its holds are not changed. Local. */
static void row_cache_drop(struct th_row_caches *caches,
                           struct th_row_cache *cache)
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
    row_cache_drop(caches, &caches->cache[k]);
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
static void evict_caches(struct th_row_caches *caches)
{
  if (caches->limit == 0)
    return;
  for (int64_t k = 0; k < caches->count && caches->bytes > caches->limit; k++) {
    struct th_row_cache *cache = &caches->cache[caches->next_victim];
    caches->next_victim = (caches->next_victim + 1) % caches->count;
    if (cache->holders == 0 && cache->loaded)
      row_cache_drop(caches, cache);
  }
}

th_status th_row_caches_draw(struct th_row_caches *caches, int64_t k,
                             struct th_error *err)
{
  struct th_row_cache *cache = &caches->cache[k];
  struct th_rows unit = th_row_caches_unit(caches, k);
  struct th_draw draw = {.rows = {.items = &unit, .count = 1},
                         .active = !caches->whole};
  th_status rc;
  cache->holders++;
  if (caches->whole)
    draw.block.last = th_source_shape(caches->context->source)->attributes;
  TH_TRY(th_source_draw(caches->context->source, &draw, err));
  if (cache->loaded)
    return rc;
  TH_TRY(row_cache_load(caches, cache, &draw, err));
  caches->bytes += cache->bytes;
  evict_caches(caches);
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

/* --- Moves row caches with the attributes that change ranks
 *
 * Values that were read once are neither read nor counted again. Row caches are
 * sent some at a time, as one piece for each pair of ranks between which places
 * move. For each of them it has its values row after row. Sparse: of the rows
 * that have any, with their places, counted from the first that the receiver
 * gets. */

enum { PARCEL = 4 << 20 }; /* bytes that the busiest rank sends at once */

/* Row caches that are being moved at once. */
struct parcel {
  struct th_row_caches *caches;
  struct th_active_redistribution *redistribution;
  struct th_range which;  /* of the row caches */
  const int64_t *busiest; /* bytes of each on the busiest rank; < 0: dropped */
  int64_t rows;           /* of the one that is packed or rebuilt */
  size_t value;           /* bytes */
  size_t place;
  char *send;
  char *receive;
  const char **next; /* by rank: where its piece goes on */
  int64_t *at;       /* rows + 1: where the next entry of a row goes */
};

/* The first entry of row i whose place is not below `place`. */
static int64_t first_entry(const struct th_row_cache *cache, int64_t i,
                           int64_t place)
{
  if (cache->start == NULL)
    return i * cache->places + place;
  return th_search_i32(cache->place, cache->start[i], cache->start[i + 1],
                       place);
}

/* Put bytes at `at` of a piece; returns where the next ones go. to is NULL:
 * only count. */
static size_t put_bytes(char *to, size_t at, const void *from, size_t bytes)
{
  if (to != NULL && bytes > 0)
    memcpy(to + at, from, bytes);
  return at + bytes;
}

/* Write the entries of a row whose places are in a range. Sparse: behind the
 * number of the row and how many they are; nothing where there are none. */
static size_t pack_row(const struct parcel *parcel,
                       const struct th_row_cache *cache, struct th_range places,
                       int64_t row, char *to, size_t at)
{
  int64_t first = first_entry(cache, row, places.first);
  int32_t count = (int32_t)(first_entry(cache, row, places.last) - first);
  const int32_t head[2] = {(int32_t)row, count};
  if (parcel->place > 0 && count == 0)
    return at;
  if (parcel->place > 0)
    at = put_bytes(to, at, head, sizeof head);
  at = put_bytes(to, at, (char *)cache->values + (size_t)first * parcel->value,
                 (size_t)count * parcel->value);
  for (int32_t k = 0; parcel->place > 0 && k < count; k++) {
    int32_t place = cache->place[first + k] - (int32_t)places.first;
    at = put_bytes(to, at, &place, sizeof place);
  }
  return at;
}

/* Write one row cache with some of the places; returns its bytes. Sparse: how
 * many bytes its rows take comes first. */
static size_t pack(const struct parcel *parcel,
                   const struct th_row_cache *cache, struct th_range places,
                   char *to)
{
  size_t head = parcel->place > 0 ? sizeof(int64_t) : 0;
  size_t at = head;
  for (int64_t i = 0; i < parcel->rows; i++)
    at = pack_row(parcel, cache, places, i, to, at);
  int64_t bytes = (int64_t)(at - head);
  put_bytes(to, 0, &bytes, head);
  return at;
}

/* Write what one rank gets of all of them, which is nothing where it gets no
 * place; returns its bytes. */
static size_t pack_piece(struct parcel *parcel, struct th_range places,
                         char *to)
{
  size_t bytes = 0;
  if (th_range_count(places) == 0)
    return bytes;
  for (int64_t k = parcel->which.first; k < parcel->which.last; k++) {
    if (parcel->busiest[k] < 0)
      continue;
    parcel->rows = th_row_caches_unit(parcel->caches, k).count;
    bytes += pack(parcel, &parcel->caches->cache[k], places,
                  to == NULL ? NULL : to + bytes);
  }
  return bytes;
}

/* Write the pieces for all ranks, in order; returns their bytes. */
static size_t pack_all(struct parcel *parcel, char *to)
{
  struct th_active_redistribution *redistribution = parcel->redistribution;
  size_t bytes = 0;
  int64_t first = 0;
  for (int r = 0; r < redistribution->ranks; r++) {
    struct th_range places = {first, first + redistribution->send[r]};
    size_t piece = pack_piece(parcel, places, to == NULL ? NULL : to + bytes);
    redistribution->send_bytes[r] = (int64_t)piece;
    bytes += piece;
    first = places.last;
  }
  return bytes;
}

/* Some entries of a row in a piece. */
struct packed {
  int32_t row;
  int32_t count;
  const char *values;
  const char *places; /* sparse */
};

/* Take the next row of a piece, `row` if it is dense; returns where the piece
 * goes on. */
static const char *take_row(const struct parcel *parcel, const char *from,
                            int64_t row, int64_t places, struct packed *packed)
{
  int32_t head[2] = {(int32_t)row, (int32_t)places};
  if (parcel->place > 0) {
    memcpy(head, from, sizeof head);
    from += sizeof head;
  }
  *packed = (struct packed){.row = head[0], .count = head[1], .values = from};
  packed->places = from + (size_t)packed->count * parcel->value;
  return packed->places + (size_t)packed->count * parcel->place;
}

/* Where the rows of a row cache in a piece begin and end. */
static const char *piece_rows(const struct parcel *parcel, const char *from,
                              int64_t places, const char **end)
{
  int64_t bytes = parcel->rows * places * (int64_t)parcel->value;
  if (parcel->place > 0) {
    memcpy(&bytes, from, sizeof bytes);
    from += sizeof bytes;
  }
  *end = from + bytes;
  return from;
}

/* at[i + 1] = the entries of the rows before the next, of all pieces. */
static void count_rows(struct parcel *parcel)
{
  const struct th_active_redistribution *redistribution =
      parcel->redistribution;
  memset(parcel->at, 0, (size_t)(parcel->rows + 1) * sizeof *parcel->at);
  for (int r = 0; r < redistribution->ranks; r++) {
    int64_t places = redistribution->receive[r];
    const char *end;
    struct packed packed;
    if (places == 0)
      continue;
    const char *from = piece_rows(parcel, parcel->next[r], places, &end);
    for (int64_t i = 0; from < end; i++) {
      from = take_row(parcel, from, i, places, &packed);
      parcel->at[packed.row + 1] += packed.count;
    }
  }
  for (int64_t i = 0; i < parcel->rows; i++)
    parcel->at[i + 1] += parcel->at[i];
}

/* Append a piece to its rows. Its places count from `offset`. Returns where the
 * piece goes on. */
static const char *unpack_rows(struct parcel *parcel,
                               struct th_row_cache *cache, const char *piece,
                               int64_t places, int64_t offset)
{
  const char *end;
  const char *from = piece_rows(parcel, piece, places, &end);
  for (int64_t i = 0; from < end; i++) {
    struct packed packed;
    from = take_row(parcel, from, i, places, &packed);
    int64_t at = parcel->at[packed.row];
    memcpy((char *)cache->values + (size_t)at * parcel->value, packed.values,
           (size_t)packed.count * parcel->value);
    for (int32_t k = 0; parcel->place > 0 && k < packed.count; k++) {
      int32_t place;
      memcpy(&place, packed.places + (size_t)k * sizeof place, sizeof place);
      cache->place[at + k] = place + (int32_t)offset;
    }
    parcel->at[packed.row] += packed.count;
  }
  return end;
}

/* Build the next row cache of the pieces. Local. */
static th_status rebuild(struct parcel *parcel, struct th_row_cache *cache,
                         struct th_error *err)
{
  const struct th_active_redistribution *redistribution =
      parcel->redistribution;
  int64_t rows = parcel->rows;
  int64_t offset = 0;
  th_status rc;
  count_rows(parcel);
  TH_TRY(reserve(parcel->caches, cache, rows, redistribution->after,
                 parcel->at[rows], err));
  if (cache->start != NULL)
    memcpy(cache->start, parcel->at, (size_t)(rows + 1) * sizeof *parcel->at);
  for (int r = 0; r < redistribution->ranks; r++) {
    int64_t places = redistribution->receive[r];
    if (places > 0)
      parcel->next[r] =
          unpack_rows(parcel, cache, parcel->next[r], places, offset);
    offset += places;
  }
  cache->loaded = true;
done:
  return rc;
}

/* Exchange the sizes, then the pieces. Collective. */
static th_status deliver(struct parcel *parcel, struct th_error *err)
{
  struct th_active_redistribution *redistribution = parcel->redistribution;
  struct th_comm *comm = parcel->caches->context->comm;
  int64_t bytes = 0;
  size_t packed = pack_all(parcel, NULL);
  th_status rc = th_alloc((void **)&parcel->send, (int64_t)packed, 1,
                          "moving attributes between ranks", err);
  TH_TRY(th_agree(comm, rc, err));
  comm->ops->alltoall_i64(comm, redistribution->send_bytes,
                          redistribution->receive_bytes);
  for (int r = 0; r < redistribution->ranks; r++)
    bytes += redistribution->receive_bytes[r];
  rc = th_alloc((void **)&parcel->receive, bytes, 1,
                "moving attributes between ranks", err);
  TH_TRY(th_agree(comm, rc, err));
  pack_all(parcel, parcel->send);
  comm->ops->exchange(comm, parcel->send, redistribution->send_bytes,
                      parcel->receive, redistribution->receive_bytes);
done:
  return rc;
}

/* Where the pieces begin, and room for the rows of the largest row cache.
 * Local. */
static th_status begin_rebuilding(struct parcel *parcel, struct th_error *err)
{
  int64_t most = 0;
  const char *piece = parcel->receive;
  th_status rc;
  for (int64_t k = parcel->which.first; k < parcel->which.last; k++)
    most = th_max_i64(most, th_row_caches_unit(parcel->caches, k).count);
  TH_TRY(TH_NEW(&parcel->next, parcel->redistribution->ranks,
                "moving attributes between ranks", err));
  TH_TRY(TH_NEW(&parcel->at, most + 1, "moving attributes between ranks", err));
  for (int r = 0; r < parcel->redistribution->ranks; r++) {
    parcel->next[r] = piece;
    piece += parcel->redistribution->receive_bytes[r];
  }
done:
  return rc;
}

/* What has arrived takes the place of what there was. Local. */
static th_status replace(struct parcel *parcel, struct th_error *err)
{
  struct th_row_caches *caches = parcel->caches;
  th_status rc = begin_rebuilding(parcel, err);
  for (int64_t k = parcel->which.first; k < parcel->which.last && rc == TH_OK;
       k++) {
    struct th_row_cache *cache = &caches->cache[k];
    struct th_row_cache made = {.holders = cache->holders};
    if (parcel->busiest[k] < 0)
      continue;
    parcel->rows = th_row_caches_unit(caches, k).count;
    rc = rebuild(parcel, &made, err);
    row_cache_drop(caches, cache);
    *cache = made;
    caches->bytes += made.bytes;
  }
  return rc;
}

/* Collective. */
static th_status move_some(struct th_row_caches *caches,
                           struct th_active_redistribution *redistribution,
                           const int64_t *busiest, struct th_range which,
                           struct th_error *err)
{
  struct parcel parcel = {.caches = caches,
                          .redistribution = redistribution,
                          .which = which,
                          .busiest = busiest,
                          .value = th_type_size(caches->type),
                          .place = caches->sparse ? sizeof(int32_t) : 0};
  th_status rc;
  TH_TRY(deliver(&parcel, err));
  rc = th_agree(caches->context->comm, replace(&parcel, err), err);
done:
  TH_FREE(parcel.send, parcel.receive, parcel.next, parcel.at);
  return rc;
}

/* The bytes of each row cache on the rank that has most of it; -1, and it is
 * dropped, where a rank lacks it. Collective. */
static void find_busiest(struct th_row_caches *caches, int64_t *busiest)
{
  struct th_comm *comm = caches->context->comm;
  for (int64_t k = 0; k < caches->count; k++)
    busiest[k] =
        caches->cache[k].loaded ? (int64_t)caches->cache[k].bytes : INT64_MAX;
  comm->ops->max_i64(comm, busiest, (size_t)caches->count);
  for (int64_t k = 0; k < caches->count; k++)
    if (busiest[k] == INT64_MAX) {
      row_cache_drop(caches, &caches->cache[k]);
      busiest[k] = -1;
    }
}

th_status th_row_caches_move(struct th_row_caches *caches,
                             struct th_active_redistribution *redistribution,
                             struct th_error *err)
{
  int64_t *busiest = NULL;
  struct th_range which = {0, 0};
  th_status rc =
      TH_NEW(&busiest, caches->count, "moving attributes between ranks", err);
  TH_TRY(th_agree(caches->context->comm, rc, err));
  find_busiest(caches, busiest);
  while (which.first < caches->count) {
    int64_t bytes = 0;
    while (which.last < caches->count && bytes < PARCEL)
      bytes += th_max_i64(busiest[which.last++], 0);
    if (bytes > 0)
      TH_TRY(move_some(caches, redistribution, busiest, which, err));
    which.first = which.last;
  }
done:
  free(busiest);
  return rc;
}
