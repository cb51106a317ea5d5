/* slab.c - views of stored values
 * SPDX-License-Identifier: MIT */
#include "data/slab.h"

#include <string.h>

int th_slab_skip(const struct th_slab *slab)
{
  return (int)(slab->row % th_type_packed(slab->type));
}

double th_slab_load(const struct th_slab *slab, int64_t a, int64_t i)
{
  double value = th_type_load(slab->type, slab->values,
                              th_slab_skip(slab) + a * slab->stride + i);
  return slab->stand_in != NULL && value == th_type_missing(slab->type)
             ? slab->stand_in[a]
             : value;
}

/* The first run of an attribute that is not below the given one. */
static int64_t first_run(const struct th_slab *slab, int64_t attribute)
{
  return th_search_u32(slab->attribute, 0, slab->runs, attribute - slab->base);
}

double th_slab_value(const struct th_slab *slab, int64_t attribute, int64_t i)
{
  if (slab->layout == TH_DENSE)
    return th_slab_load(slab, attribute - slab->attributes.first, i);
  int64_t run = first_run(slab, attribute);
  if (run == slab->runs || slab->base + slab->attribute[run] != attribute)
    return 0;
  int64_t last = (int64_t)slab->start[run + 1] - slab->start[0];
  int64_t entry = th_search_u16(slab->row_in_group,
                                (int64_t)slab->start[run] - slab->start[0],
                                last, slab->row + i);
  return entry < last && slab->row_in_group[entry] == slab->row + i
             ? th_type_load(slab->type, slab->values, entry)
             : 0;
}

static struct th_slab sparse_part(const struct th_slab *slab,
                                  struct th_range part)
{
  struct th_slab made = *slab;
  int64_t first = first_run(slab, part.first);
  int64_t skip = (int64_t)slab->start[first] - slab->start[0];
  made.attributes = part;
  made.runs = first_run(slab, part.last) - first;
  made.attribute += first;
  made.start += first;
  made.row_in_group += skip;
  made.values = (const char *)slab->values + th_type_bytes(slab->type, skip);
  return made;
}

static struct th_slab dense_part(const struct th_slab *slab,
                                 struct th_range part)
{
  int64_t skipped = (part.first - slab->attributes.first) * slab->stride;
  struct th_slab made = *slab;
  made.attributes = part;
  made.following += slab->attributes.last - part.last;
  made.values = (const char *)slab->values + th_type_bytes(slab->type, skipped);
  return made;
}

struct th_slab th_slab_part(const struct th_slab *slab, struct th_range part)
{
  struct th_slab made =
      (slab->layout == TH_SPARSE ? sparse_part : dense_part)(slab, part);
  if (slab->list != NULL)
    made.list = slab->list + (part.first - slab->attributes.first);
  if (slab->stand_in != NULL)
    made.stand_in = slab->stand_in + (part.first - slab->attributes.first);
  return made;
}

void th_slab_select(struct th_slab *slab, const int64_t *list, int64_t count,
                    uint32_t *numbers)
{
  int64_t last = slab->attributes.last; /* listed ones below it are covered */
  int64_t place = 0;
  int64_t run = 0;
  for (; run < slab->runs; run++) {
    int64_t attribute = slab->base + (int64_t)slab->attribute[run];
    while (place < count && list[place] < attribute)
      place++;
    if (place == count || list[place] != attribute) {
      last = attribute;
      break;
    }
    numbers[run] = (uint32_t)place;
  }
  while (place < count && list[place] < last)
    place++;
  slab->runs = run;
  slab->base = list[0];
  slab->attribute = numbers;
  slab->attributes = (struct th_range){list[0], list[0] + place};
  slab->list = list;
}

/* --- Row by row ----------------------------------------------------------- */

enum { LINE = 64 };

static size_t to_line(size_t bytes)
{
  return (bytes + LINE - 1) / LINE * LINE;
}

static size_t entries_in(const struct th_slab *slab)
{
  return (size_t)slab->start[slab->runs] - slab->start[0];
}

/* Where the arrays lie in the room, in bytes. */
struct rows_layout {
  size_t first;
  size_t attribute;
  size_t start;
  size_t row;
  size_t values;
  size_t end;
};

static struct rows_layout rows_layout(const struct th_slab *slab, int64_t count)
{
  size_t entries = entries_in(slab);
  struct rows_layout at;
  at.first = to_line(sizeof(struct th_slab_rows));
  at.attribute = at.first + to_line(((size_t)count + 1) * sizeof(uint32_t));
  at.start = at.attribute + to_line(entries * sizeof(uint32_t));
  at.row = at.start + to_line(((size_t)slab->runs + 1) * sizeof(uint32_t));
  at.values = at.row + to_line(entries * sizeof(uint16_t));
  at.end = at.values + to_line(entries * th_type_size(slab->type));
  return at;
}

int64_t th_slab_rows_bytes(const struct th_slab *slab, int64_t rows)
{
  return (int64_t)rows_layout(slab, rows).end;
}

/* first[r + 1]: where the next entry of row r goes, at the end where the next
 * row begins. */
static void begin_rows(const struct th_slab *slab, int64_t count,
                       struct th_slab_rows *rows)
{
  size_t entries = entries_in(slab);
  memset(rows->first, 0, ((size_t)count + 1) * sizeof *rows->first);
  for (size_t e = 0; e < entries; e++)
    rows->first[slab->row_in_group[e] + 1]++;
  uint32_t sum = 0;
  for (int64_t r = 0; r < count; r++) {
    uint32_t here = rows->first[r + 1];
    rows->first[r + 1] = sum;
    sum += here;
  }
  for (int64_t k = 0; k <= slab->runs; k++)
    rows->start[k] = (uint32_t)k;
}

struct th_slab_rows *th_slab_rows_make(const struct th_slab *slab,
                                       int64_t count, void *room)
{
  struct th_slab_rows *rows = room;
  struct rows_layout at = rows_layout(slab, count);
  char *begin = room;
  struct th_slab_rows made = {.base = slab->base,
                              .first = (uint32_t *)(void *)(begin + at.first),
                              .attribute =
                                  (uint32_t *)(void *)(begin + at.attribute),
                              .start = (uint32_t *)(void *)(begin + at.start),
                              .row = (uint16_t *)(void *)(begin + at.row),
                              .values = begin + at.values};
  size_t size = th_type_size(slab->type);
  begin_rows(slab, count, &made);
  for (int64_t k = 0; k < slab->runs; k++)
    for (size_t e = slab->start[k] - slab->start[0];
         e < (size_t)slab->start[k + 1] - slab->start[0]; e++) {
      uint32_t to = made.first[slab->row_in_group[e] + 1]++;
      made.attribute[to] = slab->attribute[k];
      made.row[to] = slab->row_in_group[e];
      memcpy((char *)made.values + to * size,
             (const char *)slab->values + e * size, size);
    }
  *rows = made;
  return rows;
}

void th_slab_rows_take(const struct th_slab_rows *rows, struct th_slab *slab)
{
  uint32_t first = rows->first[slab->row];
  size_t size = th_type_size(slab->type);
  slab->base = rows->base;
  slab->runs = rows->first[slab->row + 1] - first;
  slab->attribute = rows->attribute + first;
  slab->start = rows->start;
  slab->row_in_group = rows->row + first;
  slab->values = (const char *)rows->values + first * size;
}

/* Entries on the slab's rows; all of them where it spans the row group. */
static int64_t entries_of(const struct th_slab *slab, int64_t row_group)
{
  int64_t all = slab->start[slab->runs] - slab->start[0];
  int64_t count = 0;
  if (slab->row == 0 && slab->rows >= row_group)
    return all;
  for (int64_t k = 0; k < all; k++)
    count += slab->row_in_group[k] - (uint32_t)slab->row < (uint32_t)slab->rows;
  return count;
}

int64_t th_slab_bytes(const struct th_slab *slab, int64_t row_group)
{
  int64_t attributes = th_range_count(slab->attributes);
  if (slab->layout == TH_DENSE)
    return (int64_t)th_type_bytes(slab->type, attributes * slab->rows);
  int64_t entries = entries_of(slab, row_group);
  int64_t row = row_group > UINT16_MAX + 1 ? 4 : 2;
  return entries * row + (int64_t)th_type_bytes(slab->type, entries);
}
