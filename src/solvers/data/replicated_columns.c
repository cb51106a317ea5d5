/* replicated_columns.c - attributes held whole on every rank: keeping, products
 * SPDX-License-Identifier: MIT */
#include "core/integer.h"
#include "core/memory.h"
#include "core/search.h"
#include "solvers/data/replicated_columns_parts.h"

#include <stdlib.h>
#include <string.h>

static size_t value_size(enum th_vector_form form)
{
  return form == TH_VECTOR_SINGLE ? sizeof(float) : sizeof(double);
}

int64_t th_replicated_columns_packed(enum th_vector_form form, int64_t items)
{
  size_t row = form == TH_VECTOR_ENTRIES ? sizeof(int32_t) : 0;
  int64_t each = (int64_t)(value_size(form) + row);
  return th_integer_ceil_divide(items * each, TH_COLUMNS_ALIGNMENT) *
         TH_COLUMNS_ALIGNMENT;
}

int64_t th_replicated_columns_bytes(const struct th_vector *vector)
{
  return th_replicated_columns_packed(vector->form, vector->items);
}

void th_replicated_columns_point(struct th_vector *vector,
                                 const unsigned char *values)
{
  const unsigned char *behind = values + (size_t)vector->items * sizeof(double);
  vector->values = values;
  vector->row = vector->form == TH_VECTOR_ENTRIES
                    ? (const int32_t *)(const void *)behind
                    : NULL;
}

unsigned char *
th_replicated_columns_values(struct th_replicated_columns_block *block)
{
  return (unsigned char *)block + TH_COLUMNS_FIRST;
}

/* Room for columns of so many bytes. The slots own it. */
static th_status new_block(struct th_replicated_columns_block **block,
                           int64_t bytes, struct th_error *err)
{
  return th_alloc((void **)block, TH_COLUMNS_FIRST + bytes, 1,
                  "attributes copied to all ranks", err);
}

void th_replicated_columns_init(struct th_replicated_columns *columns,
                                int64_t examples, const struct th_pieces *rows)
{
  *columns = (struct th_replicated_columns){.examples = examples, .rows = rows};
}

static void release(struct th_replicated_columns_block *block)
{
  if (block != NULL && --block->held == 0)
    free(block);
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

/* Whether a column moves, because most of its block is dropped. */
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
      bytes += th_replicated_columns_bytes(&columns->vector[k]);
  return bytes;
}

/* Move these columns to a block of their own. */
static void move_lonely(struct th_replicated_columns *columns, const bool *keep,
                        struct th_replicated_columns_block *to)
{
  unsigned char *at = th_replicated_columns_values(to);
  for (int64_t k = 0; k < columns->count; k++) {
    if (!keep[k] || !is_lonely(columns, k))
      continue;
    int64_t bytes = th_replicated_columns_bytes(&columns->vector[k]);
    memcpy(at, columns->vector[k].values, (size_t)bytes);
    th_replicated_columns_point(&columns->vector[k], at);
    at += bytes;
    release(columns->block[k]);
    columns->block[k] = to;
    to->count++;
    to->held++;
  }
  to->kept = to->count;
}

/* Release blocks that are held for the sake of a few columns. Local. */
static th_status tidy_blocks(struct th_replicated_columns *columns,
                             const bool *keep, struct th_error *err)
{
  struct th_replicated_columns_block *block = NULL;
  int64_t bytes = lonely_bytes(columns, keep);
  th_status rc = TH_OK;
  if (bytes > 0)
    rc = new_block(&block, bytes, err);
  if (rc == TH_OK && bytes > 0)
    move_lonely(columns, keep, block);
  return rc;
}

th_status th_replicated_columns_keep(struct th_replicated_columns *columns,
                                     const bool *keep, struct th_error *err)
{
  int64_t *moved = NULL;
  int64_t kept = 0;
  th_status rc;
  TH_TRY(TH_NEW(&moved, columns->count, "attributes copied to all ranks", err));
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
      sparse ? all : th_range_part(columns->examples, comm->rank, comm->size);
  for (int64_t i = mine.first; i < mine.last; i++)
    out[i] = 0;
  for (int64_t k = 0; k < count; k++) {
    if (coef[k] == 0)
      continue;
    struct th_vector x = columns->vector[slot[k]];
    if (!sparse)
      x = part_of(&x, mine);
    th_column_add(&x, coef[k], out + mine.first);
  }
  if (sparse)
    return TH_OK;
  return th_comm_join(comm, out, columns->examples, mine.first, mine.last, err);
}
