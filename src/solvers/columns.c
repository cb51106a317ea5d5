/* columns.c - attributes gathered from their owners, whole, on every rank
 * SPDX-License-Identifier: MIT */
#include "solvers/columns.h"

#include "core/integer.h"
#include "core/memory.h"
#include "math/kernels_sparse.h"

#include <stdlib.h>
#include <string.h>

/* What one attribute is on its way: this, then values, then rows of entries;
 * filled up to whole numbers of 8 bytes. */
struct header {
  int64_t attribute;
  int64_t items;
  double centre;
  double scale;
};

/* Columns on their way from this rank. */
struct parcel {
  unsigned char *bytes;
  int64_t size;
  int64_t capacity;
};

/* The entries of one attribute so far. */
struct entries {
  double *value;
  int32_t *row;
  int64_t count;
  int64_t values;
  int64_t rows; /* capacities of both */
};

static enum th_vector_form form_of(const struct th_shape *shape)
{
  if (shape->layout == TH_SPARSE)
    return TH_VECTOR_ENTRIES;
  return shape->type == TH_F64 ? TH_VECTOR_DOUBLE : TH_VECTOR_SINGLE;
}

static size_t value_size(enum th_vector_form form)
{
  return form == TH_VECTOR_SINGLE ? sizeof(float) : sizeof(double);
}

static size_t row_size(enum th_vector_form form)
{
  return form == TH_VECTOR_ENTRIES ? sizeof(int32_t) : 0;
}

static int64_t whole(int64_t bytes)
{
  return th_ceil_divide(bytes, 8) * 8;
}

static int64_t packed_size(enum th_vector_form form, int64_t items)
{
  int64_t each = (int64_t)(value_size(form) + row_size(form));
  return (int64_t)sizeof(struct header) + whole(items * each);
}

void th_columns_init(struct th_columns *columns,
                     const struct th_context *context)
{
  *columns = (struct th_columns){
      .examples = th_source_shape(context->source)->training};
}

static void release(struct th_vector *vector)
{
  free((void *)(uintptr_t)vector->values);
  *vector = (struct th_vector){0};
}

void th_columns_free(struct th_columns *columns)
{
  for (int64_t k = 0; k < columns->count; k++)
    release(&columns->vector[k]);
  free(columns->attribute);
  free(columns->vector);
  free(columns->sorted);
  *columns = (struct th_columns){0};
}

/* One draw per row group, each observing the whole list. Local. */
static th_status draw_all(struct th_context *context, const int64_t *attribute,
                          int64_t count, struct th_rows *rows,
                          struct th_draw *draw, int64_t groups,
                          struct th_error *err)
{
  const struct th_shape *shape = th_source_shape(context->source);
  th_status rc = TH_OK;
  for (int64_t g = 0; g < groups && rc == TH_OK; g++) {
    rows[g] = th_shape_group(shape, g);
    draw[g] = (struct th_draw){.rows = {.items = &rows[g], .count = 1},
                               .support = attribute,
                               .support_size = count};
    rc = th_source_draw(context->source, &draw[g], err);
  }
  return rc;
}

static void decode(const struct th_slab *slab, enum th_vector_form form,
                   int64_t first, void *values)
{
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

/* Local. */
static th_status take_entries(struct entries *entries,
                              const struct th_slab *slab, int64_t first,
                              double scale, struct th_error *err)
{
  struct th_range found = {0, 0};
  if (slab->runs > 0)
    found = th_sparse_entries(slab, 0);
  int64_t needed = entries->count + found.last - found.first;
  th_status rc;
  TH_TRY(th_grow((void **)&entries->value, &entries->values, needed,
                 sizeof *entries->value, "entries of a column", err));
  TH_TRY(th_grow((void **)&entries->row, &entries->rows, needed,
                 sizeof *entries->row, "entries of a column", err));
  for (int64_t e = found.first; e < found.last; e++) {
    int64_t row = first + slab->row_in_group[e] - slab->row;
    entries->row[entries->count] = (int32_t)row;
    entries->value[entries->count++] =
        scale * th_type_load(slab->type, slab->values, e);
  }
done:
  return rc;
}

/* Read an attribute of this rank: dense values go to `values`, entries behind
 * those of `entries`. Local. */
static th_status read_one(struct th_context *context,
                          const struct th_draw *draw, int64_t groups,
                          int64_t attribute, enum th_vector_form form,
                          void *values, struct entries *entries,
                          struct th_error *err)
{
  double scale = context->scale[attribute - context->owned.first];
  struct th_slab slab;
  th_status rc = TH_OK;
  for (int64_t g = 0; g < groups && rc == TH_OK; g++) {
    struct th_rows rows = draw[g].rows.items[0];
    rc = th_source_support(context->source, &draw[g], rows, attribute, &slab,
                           err);
    if (rc == TH_OK && form == TH_VECTOR_ENTRIES)
      rc = take_entries(entries, &slab, rows.first, scale, err);
    else if (rc == TH_OK)
      decode(&slab, form, rows.first, values);
  }
  return rc;
}

/* One more column behind the others. Local. */
static th_status pack_one(struct parcel *parcel, struct th_context *context,
                          const struct th_draw *draw, int64_t groups,
                          int64_t attribute, struct entries *entries,
                          struct th_error *err)
{
  const struct th_shape *shape = th_source_shape(context->source);
  enum th_vector_form form = form_of(shape);
  bool sparse = form == TH_VECTOR_ENTRIES;
  int64_t place = attribute - context->owned.first;
  struct header header = {attribute, shape->training, context->centre[place],
                          context->scale[place]};
  th_status rc = TH_OK;
  entries->count = 0;
  if (sparse) {
    TH_TRY(
        read_one(context, draw, groups, attribute, form, NULL, entries, err));
    header = (struct header){attribute, entries->count, 0, 1};
  }
  int64_t size = packed_size(form, header.items);
  TH_TRY(th_grow((void **)&parcel->bytes, &parcel->capacity,
                 parcel->size + size, 1, "columns to send", err));
  unsigned char *at = parcel->bytes + parcel->size;
  parcel->size += size;
  memcpy(at, &header, sizeof header);
  at += sizeof header;
  if (!sparse)
    TH_TRY(read_one(context, draw, groups, attribute, form, at, NULL, err));
  if (sparse && entries->count > 0) {
    size_t bytes = (size_t)entries->count * sizeof *entries->value;
    memcpy(at, entries->value, bytes);
    memcpy(at + bytes, entries->row,
           (size_t)entries->count * sizeof *entries->row);
  }
done:
  return rc;
}

/* The columns that this rank owns. Local. */
static th_status pack_mine(struct parcel *parcel, struct th_context *context,
                           const int64_t *attribute, int64_t count,
                           struct th_error *err)
{
  const struct th_shape *shape = th_source_shape(context->source);
  int64_t groups =
      shape->training == 0
          ? 0
          : th_shape_group_of(shape, shape->training - 1, &(int64_t){0}) + 1;
  struct th_range mine = th_range_members(attribute, count, context->owned);
  struct th_rows *rows = NULL;
  struct th_draw *draw = NULL;
  struct entries entries = {0};
  th_status rc;
  TH_TRY(TH_NEW(&rows, groups, "row groups", err));
  TH_TRY(TH_NEW(&draw, groups, "draws", err));
  TH_TRY(draw_all(context, attribute, count, rows, draw, groups, err));
  for (int64_t k = mine.first; k < mine.last; k++)
    TH_TRY(
        pack_one(parcel, context, draw, groups, attribute[k], &entries, err));
done:
  free(entries.value);
  free(entries.row);
  free(rows);
  free(draw);
  return rc;
}

/* A column out of what has arrived; *at moves on. Local. */
static th_status unpack_one(struct th_columns *columns,
                            enum th_vector_form form, const unsigned char **at,
                            struct th_error *err)
{
  struct header header;
  unsigned char *values = NULL;
  memcpy(&header, *at, sizeof header);
  int64_t bytes = packed_size(form, header.items) - (int64_t)sizeof header;
  th_status rc = TH_NEW(&values, bytes, "a column", err);
  if (rc != TH_OK)
    return rc;
  memcpy(values, *at + sizeof header, (size_t)bytes);
  *at += sizeof header + (size_t)bytes;
  const void *rows = values + (size_t)header.items * sizeof(double);
  columns->attribute[columns->count] = header.attribute;
  columns->vector[columns->count++] =
      (struct th_vector){.form = form,
                         .items = header.items,
                         .centre = header.centre,
                         .scale = header.scale,
                         .values = values,
                         .row = form == TH_VECTOR_ENTRIES ? rows : NULL};
  return TH_OK;
}

/* Room for some more slots. Local. */
static th_status reserve(struct th_columns *columns, int64_t count,
                         struct th_error *err)
{
  int64_t held[3] = {columns->capacity, columns->capacity, columns->capacity};
  th_status rc;
  TH_TRY(th_grow((void **)&columns->attribute, &held[0], count,
                 sizeof *columns->attribute, "columns", err));
  TH_TRY(th_grow((void **)&columns->vector, &held[1], count,
                 sizeof *columns->vector, "columns", err));
  TH_TRY(th_grow((void **)&columns->sorted, &held[2], count,
                 sizeof *columns->sorted, "columns", err));
  columns->capacity = held[0];
done:
  return rc;
}

/* Slots from `first` on, in ascending order, join the sorted list. */
static void sort_in(struct th_columns *columns, int64_t first)
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

th_status th_columns_fetch(struct th_columns *columns,
                           struct th_context *context, const int64_t *attribute,
                           int64_t count, struct th_error *err)
{
  enum th_vector_form form = form_of(th_source_shape(context->source));
  struct parcel parcel = {0};
  int64_t *counts = NULL;
  void *all = NULL;
  int64_t before = columns->count;
  th_status rc = TH_NEW(&counts, context->comm->size, "columns", err);
  if (rc == TH_OK)
    rc = reserve(columns, before + count, err);
  if (rc == TH_OK)
    rc = pack_mine(&parcel, context, attribute, count, err);
  TH_TRY(th_agree(context->comm, rc, err));
  TH_TRY(
      th_gather(context->comm, parcel.bytes, parcel.size, counts, &all, err));
  const unsigned char *at = all;
  for (int64_t k = 0; k < count && rc == TH_OK; k++)
    rc = unpack_one(columns, form, &at, err);
  sort_in(columns, before);
  TH_TRY(th_agree(context->comm, rc, err));
done:
  free(parcel.bytes);
  free(counts);
  free(all);
  return rc;
}

int64_t th_columns_slot(const struct th_columns *columns, int64_t attribute)
{
  int64_t low = 0;
  int64_t high = columns->count;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (columns->attribute[columns->sorted[middle]] < attribute)
      low = middle + 1;
    else
      high = middle;
  }
  bool held = low < columns->count &&
              columns->attribute[columns->sorted[low]] == attribute;
  return held ? columns->sorted[low] : -1;
}

/* Names of slots that stay, in the order of attributes. */
static void sort_kept(struct th_columns *columns, const int64_t *moved)
{
  int64_t kept = 0;
  for (int64_t k = 0; k < columns->count; k++)
    if (moved[columns->sorted[k]] >= 0)
      columns->sorted[kept++] = moved[columns->sorted[k]];
}

th_status th_columns_keep(struct th_columns *columns, const bool *keep,
                          struct th_error *err)
{
  int64_t *moved = NULL;
  int64_t kept = 0;
  th_status rc = TH_NEW(&moved, columns->count, "columns that stay", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t k = 0; k < columns->count; k++)
    moved[k] = keep[k] ? kept++ : -1;
  sort_kept(columns, moved);
  for (int64_t k = 0; k < columns->count; k++)
    if (keep[k]) {
      columns->attribute[moved[k]] = columns->attribute[k];
      columns->vector[moved[k]] = columns->vector[k];
    } else {
      release(&columns->vector[k]);
    }
  columns->count = kept;
  free(moved);
  return TH_OK;
}

th_status th_columns_dots(const struct th_columns *columns,
                          struct th_comm *comm, const int64_t *slot,
                          int64_t count, const double *u, double *out,
                          struct th_error *err)
{
  struct th_range mine = th_range_part(count, comm->rank, comm->size);
  for (int64_t k = mine.first; k < mine.last; k++)
    out[k] = th_vector_dot(&columns->vector[slot[k]], u);
  return th_join(comm, out, count, mine.first, mine.last, err);
}

/* A part of the examples of a dense column. */
static struct th_vector part_of(const struct th_vector *x,
                                struct th_range range)
{
  struct th_vector part = *x;
  part.values = (const unsigned char *)x->values +
                (size_t)range.first * value_size(x->form);
  part.items = range.last - range.first;
  return part;
}

th_status th_columns_predict(const struct th_columns *columns,
                             struct th_comm *comm, const int64_t *slot,
                             const double *coef, int64_t count, double constant,
                             double *out, struct th_error *err)
{
  bool sparse =
      columns->count > 0 && columns->vector[0].form == TH_VECTOR_ENTRIES;
  struct th_range all = {0, columns->examples};
  struct th_range mine =
      sparse ? all : th_range_part(columns->examples, comm->rank, comm->size);
  for (int64_t i = mine.first; i < mine.last; i++)
    out[i] = constant;
  for (int64_t k = 0; k < count; k++) {
    if (coef[k] == 0)
      continue;
    struct th_vector x = columns->vector[slot[k]];
    if (!sparse)
      x = part_of(&x, mine);
    th_vector_add(&x, coef[k], out + mine.first);
  }
  if (sparse)
    return TH_OK;
  return th_join(comm, out, columns->examples, mine.first, mine.last, err);
}
