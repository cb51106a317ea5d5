/* transpose.c - rows of a row group to dense chunks or a sparse tile
 * SPDX-License-Identifier: MIT */
#include "io/import/bins/transpose.h"

#include "base/memory.h"
#include "io/dataset/writer/writer.h"

#include <string.h>

/* --- Rows of a row group to a doubly compressed tile
 *
 * The entries are sorted by attribute with a stable sort, so that within an
 * attribute rows stay ascending. Where there are not many more attributes than
 * entries, the entries of each attribute are counted, and every entry goes to
 * its place at once. Else it is a radix sort, whose work does not depend on how
 * many attributes the shard has. */

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, KEY_SHIFT = 32 };

static const struct th_array by_entry[] = {
    TH_ARRAY(struct th_transpose, keys),
    TH_ARRAY(struct th_transpose, other),
    TH_ARRAY(struct th_transpose, row),
    TH_ARRAY(struct th_transpose, found_row),
    TH_ARRAY(struct th_transpose, attribute),
    TH_ARRAY_OF(struct th_transpose, start, 1, 1)};

static th_status reserve(struct th_transpose *t, int64_t entries,
                         struct th_error *err)
{
  const char *what = "the entries of a tile";
  int64_t bytes = entries * (int64_t)th_type_size(t->type);
  th_status rc;
  TH_TRY(th_memory_arrays_reserve(
      TH_ARRAYS(t, by_entry), &t->entry_capacity,
      th_memory_roomier(t->entry_capacity, entries + 1), what, err));
  TH_TRY(TH_GROW(&t->values, &t->value_capacity, bytes, what, err));
  TH_TRY(TH_GROW(&t->found_value, &t->found_value_capacity, bytes, what, err));
done:
  return rc;
}

/* Values are moved as bits of 1, 4 or 8 bytes; a call of memcpy for each would
 * cost more than the move. */
static inline void move_value(size_t size, char *to, const char *from)
{
  if (size == 4)
    memcpy(to, from, 4);
  else if (size == 8)
    memcpy(to, from, 8);
  else
    *to = *from;
}

/* Zero of either sign. */
static inline bool value_is_zero(size_t size, const char *value)
{
  uint32_t four = 0;
  uint64_t eight = 0;
  if (size == 1)
    return *value == 0;
  if (size == 4)
    memcpy(&four, value, 4);
  else
    memcpy(&eight, value, 8);
  return four << 1 == 0 && eight << 1 == 0;
}

/* Append a record's entries that are not zero; the number of all so far. */
static int64_t collect(struct th_transpose *t, const struct th_record *record,
                       int64_t base, uint16_t row, int64_t entries)
{
  size_t size = th_type_size(t->type);
  bool listed = record->first == TH_LISTED;
  const uint32_t *index = th_bucket_record_index(record);
  const char *values = th_bucket_record_values(record);
  for (uint32_t k = 0; k < record->count; k++, values += size) {
    if (value_is_zero(size, values))
      continue;
    uint64_t attribute =
        (uint64_t)(listed ? index[k] : record->first + k) - (uint64_t)base;
    t->keys[entries] = attribute << KEY_SHIFT | (uint64_t)entries;
    t->found_row[entries] = row;
    move_value(size, t->found_value + (size_t)entries * size, values);
    entries++;
  }
  return entries;
}

static void sort_digit(const uint64_t *keys, uint64_t *sorted, int64_t count,
                       int shift)
{
  int64_t place[DIGITS] = {0};
  for (int64_t k = 0; k < count; k++)
    place[keys[k] >> shift & (DIGITS - 1)]++;
  int64_t before = 0;
  for (int d = 0; d < DIGITS; d++) {
    int64_t here = place[d];
    place[d] = before;
    before += here;
  }
  for (int64_t k = 0; k < count; k++)
    sorted[place[keys[k] >> shift & (DIGITS - 1)]++] = keys[k];
}

static void sort_keys(struct th_transpose *t, int64_t count, int64_t width)
{
  for (int shift = 0; (width - 1) >> shift > 0; shift += DIGIT_BITS) {
    sort_digit(t->keys, t->other, count, KEY_SHIFT + shift);
    uint64_t *swap = t->keys;
    t->keys = t->other;
    t->other = swap;
  }
}

/* Lay the sorted entries out; the number of runs. */
static int64_t lay_out_runs(struct th_transpose *t, int64_t entries)
{
  size_t size = th_type_size(t->type);
  int64_t runs = 0;
  for (int64_t k = 0; k < entries; k++) {
    uint32_t attribute = (uint32_t)(t->keys[k] >> KEY_SHIFT);
    uint32_t from = (uint32_t)t->keys[k];
    if (runs == 0 || t->attribute[runs - 1] != attribute) {
      t->attribute[runs] = attribute;
      t->start[runs++] = (uint32_t)k;
    }
    t->row[k] = t->found_row[from];
    move_value(size, t->values + (size_t)k * size,
               t->found_value + from * size);
  }
  t->start[runs] = (uint32_t)entries;
  return runs;
}

static bool is_dropped(const struct th_transpose *t, int64_t attribute);

/* Leave out the runs of attributes that are not used; the number of the others.
 */
static int64_t drop_runs(struct th_transpose *t, int64_t base, int64_t runs)
{
  const size_t size = th_type_size(t->type);
  int64_t kept = 0;
  uint32_t entries = 0;
  for (int64_t k = 0; k < runs; k++) {
    uint32_t first = t->start[k];
    uint32_t count = t->start[k + 1] - first;
    if (is_dropped(t, base + t->attribute[k]))
      continue;
    memmove(t->row + entries, t->row + first, count * sizeof *t->row);
    memmove(t->values + entries * size, t->values + first * size, count * size);
    t->attribute[kept] = t->attribute[k];
    t->start[kept++] = entries;
    entries += count;
  }
  t->start[kept] = entries;
  return kept;
}

/* The records of a row group. */
struct group {
  const struct th_record *const *rows;
  int64_t count;
  int64_t base; /* the part's first attribute */
  int64_t width;
};

/* What is done at an entry that is not zero: counting it at its attribute, or
 * putting it at the next place of the attribute. */
enum visit { COUNT, PUT };

static inline void visit_record(struct th_transpose *t, enum visit visit,
                                size_t size, const struct th_record *record,
                                int64_t base, uint16_t row, uint32_t *place)
{
  bool listed = record->first == TH_LISTED;
  const uint32_t *index = th_bucket_record_index(record);
  const char *values = th_bucket_record_values(record);
  for (uint32_t k = 0; k < record->count; k++, values += size) {
    int64_t attribute = (int64_t)(listed ? index[k] : record->first + k) - base;
    if (value_is_zero(size, values))
      continue;
    uint32_t at = place[attribute]++;
    if (visit == COUNT)
      continue;
    t->row[at] = row;
    move_value(size, t->values + (size_t)at * size, values);
  }
}

/* Records lie anywhere in memory: the beginnings of one that comes soon. */
static void fetch_soon(const struct group *group, int64_t k)
{
  enum { AHEAD = 4, LINE = 64 };
  if (k + AHEAD >= group->count || group->rows[k + AHEAD] == NULL)
    return;
  const char *record = (const char *)group->rows[k + AHEAD];
  for (int line = 0; line < 4; line++)
    __builtin_prefetch(record + line * LINE);
}

static void visit_all(struct th_transpose *t, enum visit visit,
                      const struct group *group, uint32_t *place)
{
  size_t size = th_type_size(t->type);
  for (int64_t k = 0; k < group->count; k++) {
    fetch_soon(group, k);
    if (group->rows[k] == NULL)
      continue;
    if (size == 4 && visit == COUNT) /* the compiler makes a loop for each */
      visit_record(t, COUNT, 4, group->rows[k], group->base, 0, place);
    else if (size == 4)
      visit_record(t, PUT, 4, group->rows[k], group->base, (uint16_t)k, place);
    else
      visit_record(t, visit, size, group->rows[k], group->base, (uint16_t)k,
                   place);
  }
}

/* Lay the entries out by counts; the number of runs. The room for keys holds a
 * number for each attribute. */
static int64_t turn_by_counts(struct th_transpose *t, const struct group *group)
{
  uint32_t *place = (uint32_t *)(void *)t->keys;
  uint32_t before = 0;
  int64_t runs = 0;
  memset(place, 0, (size_t)group->width * sizeof *place);
  visit_all(t, COUNT, group, place);
  for (int64_t a = 0; a < group->width; a++) {
    uint32_t here = place[a];
    place[a] = before;
    t->attribute[runs] = (uint32_t)a;
    t->start[runs] = before;
    runs += here > 0;
    before += here;
  }
  t->start[runs] = before;
  visit_all(t, PUT, group, place);
  return runs;
}

/* Lay the entries out by sorted keys; the number of runs. */
static int64_t turn_by_keys(struct th_transpose *t, const struct group *group)
{
  int64_t entries = 0;
  for (int64_t k = 0; k < group->count; k++)
    if (group->rows[k] != NULL)
      entries = collect(t, group->rows[k], group->base, (uint16_t)k, entries);
  sort_keys(t, entries, group->width);
  return lay_out_runs(t, entries);
}

/* Give the writer a row group of a sparse part as a tile. */
static th_status transpose_sparse(struct th_transpose *t, int64_t shard,
                                  int64_t group,
                                  const struct th_record *const *rows,
                                  int64_t count, struct th_error *err)
{
  struct th_range range = th_writer_mine(t->writer, shard);
  int64_t entries = 0;
  for (int64_t k = 0; k < count; k++)
    entries += rows[k] != NULL ? rows[k]->count : 0;
  if (entries > UINT32_MAX)
    return th_fail(err, TH_EDATA,
                   "row group %lld has %lld values in one shard; import with a "
                   "smaller {row-group} or more {shards}",
                   (long long)group, (long long)entries);
  th_status rc = reserve(t, entries, err);
  if (rc != TH_OK)
    return rc;
  struct group all = {rows, count, range.first, th_range_count(range)};
  /* the room for keys holds two counts for each entry */
  bool counts = all.width <= 2 * entries;
  int64_t runs = counts ? turn_by_counts(t, &all) : turn_by_keys(t, &all);
  if (t->dropped != NULL)
    runs = drop_runs(t, range.first, runs);
  t->turned = (struct th_turned){.shard = shard,
                                 .group = group,
                                 .range = range,
                                 .tile = {.layout = TH_SPARSE,
                                          .type = t->type,
                                          .attributes = range,
                                          .rows = (int32_t)count,
                                          .runs = runs,
                                          .base = range.first}};
  t->turned.tile.attribute = t->attribute;
  t->turned.tile.start = t->start;
  t->turned.tile.row_in_group = t->row;
  t->turned.tile.values = t->values;
  return TH_OK;
}

/* --- Rows of a row group to dense chunks ---------------------------------- */

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
  size_t bytes = (size_t)th_range_count(range) * size;
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
           (size_t)th_range_count(both) * size);
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

static bool is_dropped(const struct th_transpose *t, int64_t attribute)
{
  return t->dropped != NULL && attribute < t->listed && t->dropped[attribute];
}

/* Attributes that are not used have no values. */
static void clear_dropped(struct th_transpose *t, int64_t width, int64_t stride)
{
  const size_t bytes = (size_t)stride * th_type_size(t->type);
  for (int64_t a = 0; t->dropped != NULL && a < width; a++)
    if (is_dropped(t, t->turned.range.first + a))
      memset(t->values + (size_t)a * bytes, 0, bytes);
}

/* Of the attributes in turned.range. */
static void turn_chunk(struct th_transpose *transpose,
                       const struct th_record *const *rows, int64_t count)
{
  size_t size = th_type_size(transpose->type);
  struct th_range range = transpose->turned.range;
  int64_t width = th_range_count(range);
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
  clear_dropped(transpose, width, stride);
  pack_runs(transpose->type, transpose->values, width, count);
}

static th_status transpose_dense(struct th_transpose *transpose, int64_t shard,
                                 int64_t group, int64_t first,
                                 const struct th_record *const *rows,
                                 int64_t count, struct th_error *err)
{
  th_status rc = TH_OK;
  int64_t size = (int64_t)th_type_size(transpose->type);
  int64_t chunk = th_writer_chunk(transpose->writer);
  struct th_range all = th_writer_mine(transpose->writer, shard);
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
    return transpose_dense(transpose, shard, group, first, rows, count, err);
  return transpose_sparse(transpose, shard, group, rows, count, err);
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
