/* slab.c - views of stored values
 * SPDX-License-Identifier: MIT */
#include "data/slab.h"

int th_slab_skip(const struct th_slab *slab)
{
  return (int)(slab->row % th_type_packed(slab->type));
}

double th_slab_load(const struct th_slab *slab, int64_t a, int64_t i)
{
  return th_type_load(slab->type, slab->values,
                      th_slab_skip(slab) + a * slab->stride + i);
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
