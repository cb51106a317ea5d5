/* replicated_columns_read.c - reads the attributes that a rank owns for all
 * ranks
 *
 * Dense columns are read into the block that is going to hold those of all
 * ranks, since their places are known. Sparse entries that are not in memory
 * are counted by reading them first.
 * SPDX-License-Identifier: MIT */
#include "core/integer.h"
#include "core/memory.h"
#include "math/kernels/kernels_sparse.h"
#include "solvers/data/density.h"
#include "solvers/data/replicated_columns_parts.h"

#include <string.h>

/* What is fetched, and the draws that observe it. */
struct request {
  struct th_context *context;
  const int64_t *attribute;
  int64_t count;
  const struct th_csc_cache *cache;
  struct th_range mine; /* of the list */
  enum th_vector_form form;
  int64_t examples;     /* rows of a column */
  int64_t pieces;       /* each within a row group */
  struct th_rows *rows; /* of each of them */
  int64_t *first;       /* row of the column at which each begins */
  struct th_draw *draw;
};

static enum th_vector_form form_of(const struct th_shape *shape)
{
  if (!th_density_is_full(shape))
    return TH_VECTOR_ENTRIES;
  return shape->type == TH_F64 ? TH_VECTOR_DOUBLE : TH_VECTOR_SINGLE;
}

/* One draw per piece, each observing the whole list. Local. */
static th_status draw_all(struct request *r, const struct th_pieces *rows,
                          struct th_error *err)
{
  struct th_source *source = r->context->source;
  const struct th_shape *shape = th_source_shape(source);
  int64_t first = 0;
  th_status rc = TH_OK;
  for (int64_t g = 0; g < r->pieces && rc == TH_OK; g++) {
    r->rows[g] = rows != NULL ? rows->items[g] : th_shape_group(shape, g);
    r->first[g] = first;
    r->draw[g] = (struct th_draw){.rows = {.items = &r->rows[g], .count = 1},
                                  .support = r->attribute,
                                  .support_size = r->count};
    rc = th_source_draw(source, &r->draw[g], err);
    first += r->rows[g].count;
  }
  return rc;
}

/* Prepare a request. Local; release with close_request, also after a failure.
 */
static th_status open_request(struct request *r,
                              const struct th_replicated_columns *columns,
                              struct th_error *err)
{
  const struct th_shape *shape = th_source_shape(r->context->source);
  th_status rc;
  r->examples = columns->examples;
  r->form = form_of(shape);
  r->mine = th_range_members(r->attribute, r->count, r->context->owned);
  if (columns->rows != NULL)
    r->pieces = columns->rows->count;
  else if (shape->training > 0)
    r->pieces =
        th_shape_group_of(shape, shape->training - 1, &(int64_t){0}) + 1;
  TH_TRY(TH_NEW(&r->rows, r->pieces, "attributes copied to all ranks", err));
  TH_TRY(TH_NEW(&r->first, r->pieces, "attributes copied to all ranks", err));
  TH_TRY(TH_NEW(&r->draw, r->pieces, "attributes copied to all ranks", err));
  TH_TRY(draw_all(r, columns->rows, err));
done:
  return rc;
}

static void close_request(struct request *r)
{
  TH_FREE(r->rows, r->first, r->draw);
}

/* The slab of entry k of the list on piece g. Local. */
static th_status read_slab(const struct request *r, int64_t k, int64_t g,
                           struct th_slab *slab, struct th_error *err)
{
  return th_source_support(r->context->source, &r->draw[g], r->rows[g],
                           r->attribute[k], slab, err);
}

/* ---- dense ---- */

static void put(enum th_vector_form form, void *values, int64_t at,
                double value)
{
  if (form == TH_VECTOR_DOUBLE)
    ((double *)values)[at] = value;
  else
    ((float *)values)[at] = (float)value;
}

/* Values that are not stored are zero. */
static void decode_sparse(const struct th_slab *slab, enum th_vector_form form,
                          int64_t first, void *values)
{
  struct th_range entries = {0, 0};
  if (slab->runs > 0)
    entries = th_kernels_sparse_entries(slab, 0);
  for (int32_t i = 0; i < slab->rows; i++)
    put(form, values, first + i, 0);
  for (int64_t e = entries.first; e < entries.last; e++)
    put(form, values, first + slab->row_in_group[e] - slab->row,
        th_type_load(slab->type, slab->values, e));
}

/* The same of a whole column in memory. */
static void copy_dense(const struct request *r, int64_t attribute, void *values)
{
  struct th_range entries = th_csc_cache_entries(r->cache, attribute);
  for (int64_t i = 0; i < r->examples; i++)
    put(r->form, values, i, 0);
  for (int64_t e = entries.first; e < entries.last; e++)
    put(r->form, values, r->cache->row[e], r->cache->value[e]);
}

static void decode(const struct th_slab *slab, enum th_vector_form form,
                   int64_t first, void *values)
{
  if (slab->layout == TH_SPARSE) {
    decode_sparse(slab, form, first, values);
    return;
  }
  double *wide = (double *)values + first;
  float *narrow = (float *)values + first;
  int skip = th_slab_skip(slab);
  if (slab->type == TH_F32)
    memcpy(narrow, slab->values, (size_t)slab->rows * sizeof *narrow);
  else if (form == TH_VECTOR_DOUBLE)
    memcpy(wide, slab->values, (size_t)slab->rows * sizeof *wide);
  else
    for (int32_t i = 0; i < slab->rows; i++)
      narrow[i] = (float)th_type_load(slab->type, slab->values, skip + i);
}

/* Read row group after row group, as the attributes of one lie together. The
 * last group comes first: passes end there, so the store may still have it in
 * memory. Local. */
static th_status read_dense(const struct request *r, unsigned char *values,
                            int64_t size, struct th_error *err)
{
  struct th_slab slab;
  th_status rc = TH_OK;
  for (int64_t k = r->mine.first; k < r->mine.last && r->cache != NULL; k++)
    copy_dense(r, r->attribute[k], values + (k - r->mine.first) * size);
  for (int64_t g = r->pieces - 1; g >= 0 && r->cache == NULL; g--)
    for (int64_t k = r->mine.first; k < r->mine.last; k++) {
      TH_TRY(read_slab(r, k, g, &slab, err));
      decode(&slab, r->form, r->first[g], values + (k - r->mine.first) * size);
    }
done:
  return rc;
}

/* Read the columns to their places in a block for the whole list. Local. */
static th_status pack_dense(const struct request *r,
                            struct th_replicated_columns_parcel *parcel,
                            struct th_error *err)
{
  const struct th_context *context = r->context;
  int64_t items = r->examples;
  int64_t size =
      TH_COLUMNS_HEADER + th_replicated_columns_packed(r->form, items);
  parcel->first = TH_COLUMNS_FIRST + r->mine.first * size;
  parcel->last = TH_COLUMNS_FIRST + r->mine.last * size;
  parcel->capacity = TH_COLUMNS_FIRST + r->count * size;
  th_status rc = th_alloc((void **)&parcel->bytes, parcel->capacity, 1,
                          "attributes copied to all ranks", err);
  if (rc != TH_OK)
    return rc;
  unsigned char *at = parcel->bytes + parcel->first;
  for (int64_t k = r->mine.first; k < r->mine.last; k++, at += size) {
    int64_t place = r->attribute[k] - context->owned.first;
    struct th_replicated_columns_header header = {
        r->attribute[k], items, context->centre[place], context->scale[place]};
    memcpy(at, &header, sizeof header);
  }
  return read_dense(r, parcel->bytes + parcel->first + TH_COLUMNS_HEADER, size,
                    err);
}

/* ---- sparse ---- */

/* The entries of one attribute so far. */
struct entries {
  double *value;
  int32_t *row;
  int64_t count;
  int64_t values;
  int64_t rows; /* capacities of both */
};

/* Local. */
static th_status take_entries(struct entries *entries,
                              const struct th_slab *slab, int64_t first,
                              double scale, struct th_error *err)
{
  struct th_range found = {0, 0};
  if (slab->runs > 0)
    found = th_kernels_sparse_entries(slab, 0);
  int64_t needed = entries->count + found.last - found.first;
  th_status rc;
  TH_TRY(TH_GROW(&entries->value, &entries->values, needed,
                 "attributes copied to all ranks", err));
  TH_TRY(TH_GROW(&entries->row, &entries->rows, needed,
                 "attributes copied to all ranks", err));
  for (int64_t e = found.first; e < found.last; e++) {
    int64_t row = first + slab->row_in_group[e] - slab->row;
    entries->row[entries->count] = (int32_t)row;
    entries->value[entries->count++] =
        scale * th_type_load(slab->type, slab->values, e);
  }
done:
  return rc;
}

/* The same from memory. Local. */
static th_status copy_entries(struct entries *entries,
                              const struct th_csc_cache *cache,
                              int64_t attribute, double scale,
                              struct th_error *err)
{
  struct th_range found = th_csc_cache_entries(cache, attribute);
  th_status rc;
  entries->count = found.last - found.first;
  TH_TRY(TH_GROW(&entries->value, &entries->values, entries->count,
                 "attributes copied to all ranks", err));
  TH_TRY(TH_GROW(&entries->row, &entries->rows, entries->count,
                 "attributes copied to all ranks", err));
  for (int64_t e = 0; e < entries->count; e++) {
    entries->row[e] = cache->row[found.first + e];
    entries->value[e] = scale * cache->value[found.first + e];
  }
done:
  return rc;
}

/* All entries of entry k of the list. Local. */
static th_status read_entries(const struct request *r, int64_t k,
                              struct entries *entries, struct th_error *err)
{
  const struct th_context *context = r->context;
  double scale = context->scale[r->attribute[k] - context->owned.first];
  struct th_slab slab;
  th_status rc = TH_OK;
  if (r->cache != NULL)
    return copy_entries(entries, r->cache, r->attribute[k], scale, err);
  entries->count = 0;
  for (int64_t g = 0; g < r->pieces && rc == TH_OK; g++) {
    rc = read_slab(r, k, g, &slab, err);
    if (rc == TH_OK)
      rc = take_entries(entries, &slab, r->first[g], scale, err);
  }
  return rc;
}

/* Append a column to the others. Local. */
static th_status append(struct th_replicated_columns_parcel *parcel,
                        int64_t attribute, const struct entries *entries,
                        struct th_error *err)
{
  struct th_replicated_columns_header header = {attribute, entries->count, 0,
                                                1};
  int64_t size = TH_COLUMNS_HEADER + th_replicated_columns_packed(
                                         TH_VECTOR_ENTRIES, entries->count);
  th_status rc =
      th_grow((void **)&parcel->bytes, &parcel->capacity, parcel->last + size,
              1, "attributes copied to all ranks", err);
  if (rc != TH_OK)
    return rc;
  unsigned char *at = parcel->bytes + parcel->last;
  parcel->last += size;
  memcpy(at, &header, sizeof header);
  if (entries->count > 0) {
    size_t bytes = (size_t)entries->count * sizeof *entries->value;
    memcpy(at + TH_COLUMNS_HEADER, entries->value, bytes);
    memcpy(at + TH_COLUMNS_HEADER + bytes, entries->row,
           (size_t)entries->count * sizeof *entries->row);
  }
  return rc;
}

/* Bytes of all columns of this rank where they are in memory, else of none. */
static int64_t known_bytes(const struct request *r)
{
  int64_t bytes = 0;
  for (int64_t k = r->mine.first; k < r->mine.last && r->cache != NULL; k++) {
    struct th_range found = th_csc_cache_entries(r->cache, r->attribute[k]);
    bytes += TH_COLUMNS_HEADER +
             th_replicated_columns_packed(TH_VECTOR_ENTRIES,
                                          found.last - found.first);
  }
  return bytes;
}

/* Local. */
static th_status pack_sparse(const struct request *r,
                             struct th_replicated_columns_parcel *parcel,
                             struct th_error *err)
{
  struct entries entries = {0};
  th_status rc;
  parcel->first = TH_COLUMNS_FIRST;
  parcel->last = TH_COLUMNS_FIRST;
  TH_TRY(th_grow((void **)&parcel->bytes, &parcel->capacity,
                 TH_COLUMNS_FIRST + known_bytes(r), 1,
                 "attributes copied to all ranks", err));
  for (int64_t k = r->mine.first; k < r->mine.last; k++) {
    TH_TRY(read_entries(r, k, &entries, err));
    TH_TRY(append(parcel, r->attribute[k], &entries, err));
  }
done:
  TH_FREE(entries.value, entries.row);
  return rc;
}

th_status th_replicated_columns_read(
    const struct th_replicated_columns *columns, struct th_context *context,
    const int64_t *attribute, int64_t count,
    struct th_replicated_columns_parcel *parcel, struct th_error *err)
{
  struct request request = {.context = context,
                            .attribute = attribute,
                            .count = count,
                            .cache = columns->cache};
  th_status rc = open_request(&request, columns, err);
  parcel->form = request.form;
  if (rc == TH_OK)
    rc = (request.form == TH_VECTOR_ENTRIES ? pack_sparse : pack_dense)(
        &request, parcel, err);
  close_request(&request);
  return rc;
}
