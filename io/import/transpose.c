/* transpose.c - rows of a row group to dense chunks of attributes
 * SPDX-License-Identifier: MIT */
#include "io/import/transpose.h"

#include "core/memory.h"
#include "io/dataset/writer.h"

#include <string.h>

enum { ROWS_AT_ONCE = 16 }; /* a cache line of f32 */

void th_transpose_free(struct th_transpose *transpose)
{
  TH_FREE(transpose->values, transpose->expanded, transpose->keys,
          transpose->other, transpose->row, transpose->found_row,
          transpose->found_value, transpose->attribute, transpose->start);
  *transpose = (struct th_transpose){0};
}

/* A kernel per value size: out[a * stride + k] = rows[k][a]; bits are copied,
 * so the type itself does not matter. */
#define DEFINE_TURN(name, type)                                                \
  static void name(const void *const rows[ROWS_AT_ONCE], int64_t count,        \
                   int64_t width, type out[], int64_t stride)                  \
  {                                                                            \
    for (int64_t a = 0; a < width; a++)                                        \
      for (int64_t k = 0; k < count; k++)                                      \
        out[a * stride + k] = ((const type *)rows[k])[a];                      \
  }

DEFINE_TURN(turn_8, uint8_t)
DEFINE_TURN(turn_32, uint32_t)
DEFINE_TURN(turn_64, uint64_t)

static void turn(size_t size, const void *const rows[ROWS_AT_ONCE],
                 int64_t count, int64_t width, void *out, int64_t stride)
{
  if (size == 1)
    turn_8(rows, count, width, out, stride);
  else if (size == 4)
    turn_32(rows, count, width, out, stride);
  else
    turn_64(rows, count, width, out, stride);
}

static void scatter(const struct th_record *record, struct th_range range,
                    size_t size, char *to)
{
  const uint32_t *index = th_bucket_record_index(record);
  const char *values = th_bucket_record_values(record);
  for (int64_t k = 0; k < record->count; k++)
    if (index[k] >= range.first && index[k] < range.last)
      memcpy(to + (size_t)(index[k] - range.first) * size,
             values + (size_t)k * size, size);
}

/* A row's values on a range of attributes, one behind the other: where they
 * lie, or put together in `room`. */
static const void *row_values(const struct th_record *record,
                              struct th_range range, size_t size, char *room)
{
  size_t bytes = (size_t)(range.last - range.first) * size;
  if (record == NULL) {
    memset(room, 0, bytes);
    return room;
  }
  if (record->first == TH_LISTED) {
    memset(room, 0, bytes);
    scatter(record, range, size, room);
    return room;
  }
  struct th_range held = {record->first, record->first + record->count};
  struct th_range both = th_range_intersect(range, held);
  const char *values = (const char *)th_bucket_record_values(record) +
                       (size_t)(both.first - held.first) * size;
  if (both.first == range.first && both.last == range.last)
    return values;
  memset(room, 0, bytes);
  if (both.last > both.first)
    memcpy(room + (size_t)(both.first - range.first) * size, values,
           (size_t)(both.last - both.first) * size);
  return room;
}

/* Runs of `count` single values, packed in their own memory. */
static void pack_runs(enum th_type type, char *values, int64_t width,
                      int64_t count)
{
  size_t single = (size_t)th_type_whole(type, count) * th_type_size(type);
  size_t packed = th_type_bytes(type, count);
  if (th_type_packed(type) == 1)
    return;
  for (int64_t a = 0; a < width; a++) {
    char *run = values + (size_t)a * single;
    th_type_pack(type, run, count);
    memmove(values + (size_t)a * packed, run, packed);
  }
}

/* Of the attributes in turned.range. */
static void turn_chunk(struct th_transpose *transpose,
                       const struct th_record *const *rows, int64_t count)
{
  size_t size = th_type_size(transpose->type);
  struct th_range range = transpose->turned.range;
  int64_t width = range.last - range.first;
  size_t row_bytes = (size_t)width * size;
  int64_t stride = transpose->turned.stride;
  const void *lying[ROWS_AT_ONCE];
  for (int64_t first = 0; first < count; first += ROWS_AT_ONCE) {
    int64_t some = count - first < ROWS_AT_ONCE ? count - first : ROWS_AT_ONCE;
    for (int64_t k = 0; k < some; k++)
      lying[k] = row_values(rows[first + k], range, size,
                            transpose->expanded + (size_t)k * row_bytes);
    turn(size, lying, some, width, transpose->values + (size_t)first * size,
         stride);
  }
  pack_runs(transpose->type, transpose->values, width, count);
}

static th_status make_dense(struct th_transpose *transpose, int64_t shard,
                            int64_t group, int64_t first,
                            const struct th_record *const *rows, int64_t count,
                            struct th_error *err)
{
  th_status rc = TH_OK;
  int64_t size = (int64_t)th_type_size(transpose->type);
  int64_t chunk = th_writer_chunk(transpose->writer);
  struct th_range all = th_writer_shard(transpose->writer, shard);
  int64_t stride = th_type_whole(transpose->type, count);
  TH_TRY(TH_GROW(&transpose->values, &transpose->value_capacity,
                 chunk * stride * size, "values to be written", err));
  TH_TRY(TH_GROW(&transpose->expanded, &transpose->expanded_capacity,
                 chunk * ROWS_AT_ONCE * size, "values to be written", err));
  transpose->turned = (struct th_turned){
      .shard = shard,
      .group = group,
      .range = th_range_intersect(all, (struct th_range){first, first + chunk}),
      .stride = stride};
  turn_chunk(transpose, rows, count);
done:
  return rc;
}

th_status th_transpose_make(struct th_transpose *transpose, int64_t shard,
                            int64_t group, int64_t first,
                            const struct th_record *const *rows, int64_t count,
                            struct th_error *err)
{
  if (transpose->layout == TH_DENSE)
    return make_dense(transpose, shard, group, first, rows, count, err);
  return th_transpose_sparse(transpose, shard, group, rows, count, err);
}

th_status th_transpose_write(const struct th_transpose *transpose,
                             struct th_error *err)
{
  const struct th_turned *turned = &transpose->turned;
  if (transpose->layout == TH_DENSE)
    return th_writer_dense(transpose->writer, turned->shard, turned->group,
                           turned->range, transpose->values, turned->stride,
                           err);
  return th_writer_sparse(transpose->writer, turned->shard, turned->group,
                          &turned->tile, err);
}
