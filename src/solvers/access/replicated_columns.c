/* replicated_columns.c - attributes gathered from their owners, whole, on every
 * rank: read, kept, dropped
 * SPDX-License-Identifier: MIT */
#include "solvers/access/replicated_columns.h"

#include "base/error.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/search.h"
#include "data/store.h"
#include "math/kernels/column.h"
#include "math/kernels/kernels.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The header before the values of a column. */
struct th_replicated_columns_header {
  int64_t attribute;
  int64_t items;
  double centre;
  double scale;
  double stand_in; /* as of a vector */
};

/* The columns of this rank, each behind its header. */
struct th_replicated_columns_parcel {
  enum th_vector_form form;
  unsigned char *bytes; /* owned */
  int64_t count;        /* of bytes */
  int64_t capacity;
};

/* How the values of each form lie in memory. */
static const enum th_type type_of[TH_VECTOR_FORMS] = {
    [TH_VECTOR_SINGLE] = TH_F32, [TH_VECTOR_DOUBLE] = TH_F64,
    [TH_VECTOR_U8] = TH_U8,      [TH_VECTOR_I8] = TH_I8,
    [TH_VECTOR_U2] = TH_U2,      [TH_VECTOR_ENTRIES] = TH_F64};

/* Bytes of the values and rows of a column. Local. */
static int64_t packed_bytes(enum th_vector_form form, int64_t items)
{
  int64_t row = form == TH_VECTOR_ENTRIES ? sizeof(int32_t) : 0;
  int64_t bytes = (int64_t)th_type_bytes(type_of[form], items) + items * row;
  return th_integer_ceil_divide(bytes, TH_COLUMNS_ALIGNMENT) *
         TH_COLUMNS_ALIGNMENT;
}

static int64_t column_bytes(const struct th_vector *vector)
{
  return packed_bytes(vector->form, vector->items);
}

/* Point a vector to its values, and to the rows of entries behind them. Local.
 */
static void point_at(struct th_vector *vector, const unsigned char *values)
{
  const unsigned char *behind = values + (size_t)vector->items * sizeof(double);
  vector->values = values;
  vector->row = vector->form == TH_VECTOR_ENTRIES
                    ? (const int32_t *)(const void *)behind
                    : NULL;
}

/* Room for columns of so many bytes, once a node. The slots own it. Collective.
 */
static th_status new_block(struct th_replicated_columns_block **block,
                           struct th_comm *comm, int64_t bytes,
                           struct th_error *err)
{
  static const char what[] = "attributes copied to all ranks";
  struct th_replicated_columns_block *made = NULL;
  th_status rc = TH_NEW(&made, 1, what, err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(th_comm_share(comm, (size_t)bytes, what, &made->memory, err));
  *block = made;
  made = NULL;
done:
  free(made);
  return rc;
}

static void free_block(struct th_replicated_columns_block *block)
{
  if (block != NULL)
    th_comm_shared_free(&block->memory);
  free(block);
}

void th_replicated_columns_init(struct th_replicated_columns *columns,
                                int64_t examples, const struct th_pieces *rows)
{
  *columns = (struct th_replicated_columns){.examples = examples, .rows = rows};
}

static void release(struct th_replicated_columns_block *block)
{
  if (block != NULL && --block->held == 0)
    free_block(block);
}

void th_replicated_columns_free(struct th_replicated_columns *columns)
{
  for (int64_t k = 0; k < columns->count; k++)
    release(columns->block[k]);
  TH_FREE(columns->attribute, columns->vector, columns->block, columns->sorted);
  *columns = (struct th_replicated_columns){0};
}

int64_t th_replicated_columns_slot(const struct th_replicated_columns *columns,
                                   int64_t attribute)
{
  return th_search_order(columns->attribute, columns->sorted, columns->count,
                         attribute);
}

/* List the slots that stay, in the order of their attributes. */
static void sort_kept(struct th_replicated_columns *columns,
                      const int64_t *moved)
{
  int64_t kept = 0;
  for (int64_t k = 0; k < columns->count; k++)
    if (moved[columns->sorted[k]] >= 0)
      columns->sorted[kept++] = moved[columns->sorted[k]];
}

/* True if a column moves, because most of its block is dropped. */
static bool is_lonely(const struct th_replicated_columns *columns, int64_t k)
{
  const struct th_replicated_columns_block *block = columns->block[k];
  return 2 * block->kept < block->count;
}

/* Bytes of the columns that stay while their block goes. */
static int64_t lonely_bytes(const struct th_replicated_columns *columns,
                            const bool *keep)
{
  int64_t bytes = 0;
  for (int64_t k = 0; k < columns->count; k++)
    columns->block[k]->kept = 0;
  for (int64_t k = 0; k < columns->count; k++)
    columns->block[k]->kept += keep[k];
  for (int64_t k = 0; k < columns->count; k++)
    if (keep[k] && is_lonely(columns, k))
      bytes += column_bytes(&columns->vector[k]);
  return bytes;
}

/* Move these columns to a block of their own, which one rank of each node
 * fills. */
static void move_lonely(struct th_replicated_columns *columns, const bool *keep,
                        struct th_replicated_columns_block *to)
{
  unsigned char *at = to->memory.data;
  for (int64_t k = 0; k < columns->count; k++) {
    if (!keep[k] || !is_lonely(columns, k))
      continue;
    int64_t bytes = column_bytes(&columns->vector[k]);
    if (to->memory.writer)
      memcpy(at, columns->vector[k].values, (size_t)bytes);
    point_at(&columns->vector[k], at);
    at += bytes;
    to->count++;
  }
  th_comm_shared_show(&to->memory);
}

/* The columns that have moved belong to their new block. Collective, as old
 * blocks are released. */
static void own_lonely(struct th_replicated_columns *columns, const bool *keep,
                       struct th_replicated_columns_block *to)
{
  for (int64_t k = 0; k < columns->count; k++) {
    if (!keep[k] || !is_lonely(columns, k))
      continue;
    release(columns->block[k]);
    columns->block[k] = to;
    to->held++;
  }
  to->kept = to->count;
}

/* Release blocks that are held for the sake of a few columns. Collective. */
static th_status tidy_blocks(struct th_replicated_columns *columns,
                             const bool *keep, struct th_error *err)
{
  struct th_replicated_columns_block *block = NULL;
  int64_t bytes = lonely_bytes(columns, keep);
  th_status rc = TH_OK;
  if (bytes > 0)
    rc = new_block(&block, columns->comm, bytes, err);
  if (rc == TH_OK && bytes > 0) {
    move_lonely(columns, keep, block);
    own_lonely(columns, keep, block);
  }
  return rc;
}

th_status th_replicated_columns_keep(struct th_replicated_columns *columns,
                                     const bool *keep, struct th_error *err)
{
  int64_t *moved = NULL;
  int64_t kept = 0;
  th_status rc;
  rc = TH_NEW(&moved, columns->count, "attributes copied to all ranks", err);
  TH_TRY(columns->comm != NULL ? th_agree(columns->comm, rc, err) : rc);
  TH_TRY(tidy_blocks(columns, keep, err));
  for (int64_t k = 0; k < columns->count; k++)
    moved[k] = keep[k] ? kept++ : -1;
  sort_kept(columns, moved);
  for (int64_t k = 0; k < columns->count; k++)
    if (keep[k]) {
      columns->attribute[moved[k]] = columns->attribute[k];
      columns->vector[moved[k]] = columns->vector[k];
      columns->block[moved[k]] = columns->block[k];
    } else {
      release(columns->block[k]);
    }
  columns->count = kept;
done:
  free(moved);
  return rc;
}

th_status
th_replicated_columns_dots(const struct th_replicated_columns *columns,
                           struct th_comm *comm, const int64_t *slot,
                           int64_t count, const double *u, double *out,
                           struct th_error *err)
{
  struct th_range mine = th_range_part(count, comm->rank, comm->size);
  for (int64_t k = mine.first; k < mine.last; k++)
    out[k] = th_column_dot(&columns->vector[slot[k]], u);
  return th_comm_join(comm, out, count, mine.first, mine.last, err);
}

/* A part of the examples of a dense column, which begins with a whole byte. */
static struct th_vector vector_part(const struct th_vector *x,
                                    struct th_range range)
{
  struct th_vector part = *x;
  part.values = (const unsigned char *)x->values +
                th_type_offset(type_of[x->form], range.first);
  part.items = th_range_count(range);
  return part;
}

/* A rank's examples of dense columns. */
static struct th_range part_of_examples(int64_t examples,
                                        const struct th_comm *comm)
{
  const int64_t whole = TH_VECTOR_WHOLE;
  struct th_range part = th_range_part(th_integer_ceil_divide(examples, whole),
                                       comm->rank, comm->size);
  return (struct th_range){th_min_i64(part.first * whole, examples),
                           th_min_i64(part.last * whole, examples)};
}

th_status
th_replicated_columns_predict(const struct th_replicated_columns *columns,
                              struct th_comm *comm, const int64_t *slot,
                              const double *coef, int64_t count, double *out,
                              struct th_error *err)
{
  bool sparse =
      columns->count > 0 && columns->vector[0].form == TH_VECTOR_ENTRIES;
  struct th_range all = {0, columns->examples};
  struct th_range mine =
      sparse ? all : part_of_examples(columns->examples, comm);
  for (int64_t i = mine.first; i < mine.last; i++)
    out[i] = 0;
  for (int64_t k = 0; k < count; k++) {
    if (coef[k] == 0)
      continue;
    struct th_vector x = columns->vector[slot[k]];
    if (!sparse)
      x = vector_part(&x, mine);
    th_column_add(&x, coef[k], out + mine.first);
  }
  if (sparse)
    return TH_OK;
  return th_comm_join(comm, out, columns->examples, mine.first, mine.last, err);
}

/* --- Reads the attributes that a rank owns for all ranks
 *
 * Dense columns are read into the block that holds those of all ranks, since
 * their places are known. Sparse entries that are not in memory are counted by
 * reading them first. */

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

static enum th_vector_form form_of(const struct th_source *source)
{
  const struct th_shape *shape = th_source_shape(source);
  static const enum th_vector_form dense[TH_TYPE_COUNT] = {
      [TH_F32] = TH_VECTOR_SINGLE,
      [TH_F64] = TH_VECTOR_DOUBLE,
      [TH_U8] = TH_VECTOR_U8,
      [TH_I8] = TH_VECTOR_I8,
      [TH_U2] = TH_VECTOR_U2};
  if (!th_store_shape_is_full(shape))
    return TH_VECTOR_ENTRIES;
  if (shape->layout == TH_DENSE && !shape->mixed)
    return dense[shape->type];
  bool doubles = shape->type == TH_F64 ||
                 (shape->type == TH_F32 && th_source_is_shifted(source));
  return doubles ? TH_VECTOR_DOUBLE : TH_VECTOR_SINGLE;
}

/* One draw per piece, each observing the whole list. Local. */
static th_status draw_pieces(struct request *r, const struct th_pieces *rows,
                             struct th_error *err)
{
  struct th_source *source = r->context->source;
  const struct th_shape *shape = th_source_shape(source);
  int64_t first = 0;
  th_status rc = TH_OK;
  for (int64_t g = 0; g < r->pieces && rc == TH_OK; g++) {
    r->rows[g] = rows != NULL ? rows->items[g] : th_store_shape_group(shape, g);
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
  r->form = form_of(r->context->source);
  r->mine = th_range_members(r->attribute, r->count, r->context->owned);
  if (columns->rows != NULL)
    r->pieces = columns->rows->count;
  else if (shape->training > 0)
    r->pieces =
        th_store_shape_group_of(shape, shape->training - 1, &(int64_t){0}) + 1;
  TH_TRY(TH_NEW(&r->rows, r->pieces, "attributes copied to all ranks", err));
  TH_TRY(TH_NEW(&r->first, r->pieces, "attributes copied to all ranks", err));
  TH_TRY(TH_NEW(&r->draw, r->pieces, "attributes copied to all ranks", err));
  TH_TRY(draw_pieces(r, columns->rows, err));
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
  return th_source_members(r->context->source, &r->draw[g], r->rows[g],
                           (struct th_range){k, k + 1}, slab, err);
}

/* ---- dense ---- */

static void write_value(enum th_vector_form form, void *values, int64_t at,
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
    entries = th_slab_entries(slab, 0);
  for (int32_t i = 0; i < slab->rows; i++)
    write_value(form, values, first + i, 0);
  for (int64_t e = entries.first; e < entries.last; e++)
    write_value(form, values, first + slab->row_in_group[e] - slab->row,
                th_type_load(slab->type, slab->values, e));
}

/* Copy a whole column from the cache of its owner to dense values. */
static void copy_dense(const struct request *r, int64_t attribute, void *values)
{
  struct th_range entries = th_csc_cache_entries(r->cache, attribute);
  for (int64_t i = 0; i < r->examples; i++)
    write_value(r->form, values, i, 0);
  for (int64_t e = entries.first; e < entries.last; e++)
    write_value(r->form, values, r->cache->row[e], r->cache->value[e]);
}

/* Values stay as they are stored. A piece may begin within a byte, there and
 * here. */
static void copy_stored(const struct th_slab *slab, int64_t first,
                        unsigned char *values)
{
  enum th_type type = slab->type;
  int packed = th_type_packed(type);
  int64_t skip = th_slab_skip(slab);
  bool whole = skip == 0 && first % packed == 0;
  int32_t copied = whole ? slab->rows / packed * packed : 0;
  if (copied > 0)
    memcpy(values + th_type_offset(type, first), slab->values,
           th_type_bytes(type, copied));
  for (int32_t i = copied; i < slab->rows; i++)
    th_type_store(type, values, first + i,
                  th_type_load(type, slab->values, skip + i));
}

/* Values become floats, the missing ones their mean. */
static void widen_stored(const struct th_slab *slab, int64_t first,
                         float *values)
{
  for (int32_t i = 0; i < slab->rows; i++)
    values[first + i] = (float)th_slab_load(slab, 0, i);
}

/* values: of a column, with its header before them. */
static void decode(const struct th_slab *slab, enum th_vector_form form,
                   int64_t first, unsigned char *values)
{
  enum { AT = offsetof(struct th_replicated_columns_header, stand_in) };
  bool stored = slab->type == type_of[form];
  if (slab->layout == TH_SPARSE)
    decode_sparse(slab, form, first, values);
  else if (stored)
    copy_stored(slab, first, values);
  else
    widen_stored(slab, first, (float *)values);
  if (slab->stand_in != NULL && stored)
    memcpy(values - TH_COLUMNS_HEADER + AT, slab->stand_in, sizeof(double));
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

/* Bytes of a column with its header. */
static int64_t dense_bytes(const struct request *r)
{
  return TH_COLUMNS_HEADER + packed_bytes(r->form, r->examples);
}

/* Read the columns of this rank to `at`. Local. */
static th_status pack_dense(const struct request *r, unsigned char *at,
                            struct th_error *err)
{
  const struct th_context *context = r->context;
  int64_t size = dense_bytes(r);
  unsigned char *values = at + TH_COLUMNS_HEADER;
  for (int64_t k = r->mine.first; k < r->mine.last; k++, at += size) {
    int64_t place = r->attribute[k] - context->owned.first;
    struct th_replicated_columns_header header = {r->attribute[k], r->examples,
                                                  context->centre[place],
                                                  context->scale[place], NAN};
    memcpy(at, &header, sizeof header);
  }
  return read_dense(r, values, size, err);
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
    found = th_slab_entries(slab, 0);
  int64_t needed = entries->count + th_range_count(found);
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

/* Append the entries of an attribute from the cache of its owner. Local. */
static th_status copy_entries(struct entries *entries,
                              const struct th_csc_cache *cache,
                              int64_t attribute, double scale,
                              struct th_error *err)
{
  struct th_range found = th_csc_cache_entries(cache, attribute);
  th_status rc;
  entries->count = th_range_count(found);
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
static th_status append_column(struct th_replicated_columns_parcel *parcel,
                               int64_t attribute, const struct entries *entries,
                               struct th_error *err)
{
  struct th_replicated_columns_header header = {attribute, entries->count, 0, 1,
                                                NAN};
  int64_t size =
      TH_COLUMNS_HEADER + packed_bytes(TH_VECTOR_ENTRIES, entries->count);
  th_status rc =
      TH_LENGTHEN(&parcel->bytes, &parcel->capacity, parcel->count + size,
                  "attributes copied to all ranks", err);
  if (rc != TH_OK)
    return rc;
  unsigned char *at = parcel->bytes + parcel->count;
  parcel->count += size;
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
             packed_bytes(TH_VECTOR_ENTRIES, th_range_count(found));
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
  TH_TRY(TH_LENGTHEN(&parcel->bytes, &parcel->capacity, known_bytes(r),
                     "attributes copied to all ranks", err));
  for (int64_t k = r->mine.first; k < r->mine.last; k++) {
    TH_TRY(read_entries(r, k, &entries, err));
    TH_TRY(append_column(parcel, r->attribute[k], &entries, err));
  }
done:
  TH_FREE(entries.value, entries.row);
  return rc;
}

/* --- Attributes gathered from their owners
 *
 * Every rank writes the attributes that it owns into a block of its node. Then
 * every node gets the columns of all ranks, one after the other in rank order.
 */

/* Make a block of the ranks' columns. bytes: of this rank's; counts receives
 * those of each rank. *mine: where this rank writes its own. Collective. */
static th_status open_block(struct th_comm *comm, int64_t bytes,
                            int64_t *counts,
                            struct th_replicated_columns_block **block,
                            unsigned char **mine, struct th_error *err)
{
  int64_t before = 0;
  int64_t total = 0;
  counts[comm->rank] = bytes;
  comm->ops->sum_i64(comm, counts, (size_t)comm->size);
  for (int r = 0; r < comm->size; r++) {
    before += r < comm->rank ? counts[r] : 0;
    total += counts[r];
  }
  th_status rc = new_block(block, comm, total, err);
  if (rc == TH_OK)
    *mine = (unsigned char *)(*block)->memory.data + before;
  return rc;
}

/* Collective. */
static th_status gather_dense(const struct request *r, int64_t *counts,
                              struct th_replicated_columns_block **block,
                              struct th_error *err)
{
  struct th_comm *comm = r->context->comm;
  int64_t bytes = th_range_count(r->mine) * dense_bytes(r);
  unsigned char *mine = NULL;
  th_status rc;
  TH_TRY(open_block(comm, bytes, counts, block, &mine, err));
  TH_TRY(th_agree(comm, pack_dense(r, mine, err), err));
done:
  return rc;
}

/* Collective. */
static th_status gather_sparse(const struct request *r, int64_t *counts,
                               struct th_replicated_columns_block **block,
                               struct th_error *err)
{
  struct th_comm *comm = r->context->comm;
  struct th_replicated_columns_parcel parcel = {0};
  unsigned char *mine = NULL;
  th_status rc;
  TH_TRY(th_agree(comm, pack_sparse(r, &parcel, err), err));
  TH_TRY(open_block(comm, parcel.count, counts, block, &mine, err));
  if (parcel.count > 0)
    memcpy(mine, parcel.bytes, (size_t)parcel.count);
done:
  free(parcel.bytes);
  return rc;
}

static const struct th_array arrays[] = {
    TH_ARRAY(struct th_replicated_columns, attribute),
    TH_ARRAY(struct th_replicated_columns, vector),
    TH_ARRAY(struct th_replicated_columns, block),
    TH_ARRAY(struct th_replicated_columns, sorted)};

/* Room for some more slots. Local. */
static th_status reserve(struct th_replicated_columns *columns, int64_t count,
                         struct th_error *err)
{
  int64_t old = columns->capacity;
  int64_t wanted = count > old ? count + old / 2 : old;
  return th_memory_arrays_reserve(TH_ARRAYS(columns, arrays),
                                  &columns->capacity, wanted,
                                  "attributes copied to all ranks", err);
}

/* Give the columns of a block the next slots, which then own it. */
static void take_block(struct th_replicated_columns *columns,
                       enum th_vector_form form,
                       struct th_replicated_columns_block *block, int64_t count)
{
  const unsigned char *at = block->memory.data;
  block->count = block->held = count;
  for (int64_t k = 0; k < count; k++) {
    struct th_replicated_columns_header header;
    memcpy(&header, at, sizeof header);
    struct th_vector *vector = &columns->vector[columns->count];
    *vector = (struct th_vector){.form = form,
                                 .items = header.items,
                                 .centre = header.centre,
                                 .scale = header.scale,
                                 .stand_in = header.stand_in};
    point_at(vector, at + TH_COLUMNS_HEADER);
    columns->attribute[columns->count] = header.attribute;
    columns->block[columns->count++] = block;
    at += TH_COLUMNS_HEADER + column_bytes(vector);
  }
}

/* Merge the slots from `first` on, which ascend, into the sorted list. */
static void sort_in(struct th_replicated_columns *columns, int64_t first)
{
  const int64_t *attribute = columns->attribute;
  int64_t old = first - 1;
  int64_t added = columns->count - 1;
  for (int64_t to = columns->count - 1; added >= first; to--)
    if (old >= 0 && attribute[columns->sorted[old]] > attribute[added])
      columns->sorted[to] = columns->sorted[old--];
    else
      columns->sorted[to] = added--;
}

/* Read the columns of the list into a block of their own, and give its columns
 * the next slots. Collective. */
static th_status fetch_block(struct th_replicated_columns *columns,
                             const struct request *r, int64_t *counts,
                             struct th_error *err)
{
  struct th_comm *comm = r->context->comm;
  struct th_replicated_columns_block *block = NULL;
  th_status rc;
  TH_TRY((r->form == TH_VECTOR_ENTRIES ? gather_sparse
                                       : gather_dense)(r, counts, &block, err));
  th_comm_shared_join(comm, &block->memory, counts);
  take_block(columns, r->form, block, r->count);
  block = NULL;
done:
  free_block(block);
  return rc;
}

th_status th_replicated_columns_fetch(struct th_replicated_columns *columns,
                                      struct th_context *context,
                                      const int64_t *attribute, int64_t count,
                                      struct th_error *err)
{
  struct th_comm *comm = context->comm;
  struct request request = {.context = context,
                            .attribute = attribute,
                            .count = count,
                            .cache = columns->cache};
  int64_t *counts = NULL;
  int64_t before = columns->count;
  columns->comm = comm;
  th_status rc =
      TH_NEW(&counts, comm->size, "attributes copied to all ranks", err);
  if (rc == TH_OK)
    rc = reserve(columns, before + count, err);
  if (rc == TH_OK)
    rc = open_request(&request, columns, err);
  TH_TRY(th_agree(comm, rc, err));
  if (count > 0)
    TH_TRY(fetch_block(columns, &request, counts, err));
  sort_in(columns, before);
done:
  close_request(&request);
  free(counts);
  return rc;
}

th_status th_replicated_columns_borrow(struct th_replicated_columns *columns,
                                       const struct th_vector *column,
                                       const int64_t *attribute, int64_t count,
                                       struct th_error *err)
{
  int64_t before = columns->count;
  th_status rc = reserve(columns, before + count, err);
  if (rc != TH_OK)
    return rc;
  for (int64_t k = 0; k < count; k++, columns->count++) {
    columns->attribute[columns->count] = attribute[k];
    columns->vector[columns->count] = column[attribute[k]];
    columns->block[columns->count] = NULL;
  }
  sort_in(columns, before);
  return rc;
}
