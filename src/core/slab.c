/* slab.c - storage types: names, sizes, exact conversion
 * SPDX-License-Identifier: MIT */
#include "core/slab.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct type_row {
  const char *name;
  size_t size;
  double lowest;
  double highest;
};

static const struct type_row type_table[TH_TYPE_COUNT] = {
#define TH_TYPE_ROW(code, name, ctype, lowest, highest, help)                  \
  [code] = {name, sizeof(ctype), lowest, highest},
    TH_TYPE_LIST(TH_TYPE_ROW)
#undef TH_TYPE_ROW
};

static const char *const layout_names[TH_LAYOUT_COUNT] = {"dense", "sparse"};

const char *th_type_name(enum th_type type)
{
  return type_table[type].name;
}

size_t th_type_size(enum th_type type)
{
  return type_table[type].size;
}

size_t th_type_bytes(enum th_type type, int64_t items)
{
  return (size_t)items * th_type_size(type);
}

int th_type_find(const char *name)
{
  for (int t = 0; t < TH_TYPE_COUNT; t++)
    if (strcmp(name, type_table[t].name) == 0)
      return t;
  return -1;
}

const char *th_layout_name(enum th_layout layout)
{
  return layout_names[layout];
}

int th_layout_find(const char *name)
{
  for (int k = 0; k < TH_LAYOUT_COUNT; k++)
    if (strcmp(name, layout_names[k]) == 0)
      return k;
  return -1;
}

static bool is_whole(enum th_type type, double value)
{
  return value >= type_table[type].lowest &&
         value <= type_table[type].highest && value == floor(value);
}

bool th_type_store(enum th_type type, void *array, int64_t index, double value)
{
  switch (type) {
  case TH_F32:
    ((float *)array)[index] = (float)value;
    return isfinite(((float *)array)[index]);
  case TH_F64:
    ((double *)array)[index] = value;
    return isfinite(value);
  case TH_U8:
    if (!is_whole(type, value))
      return false;
    ((uint8_t *)array)[index] = (uint8_t)value;
    return true;
  case TH_I8:
    if (!is_whole(type, value))
      return false;
    ((int8_t *)array)[index] = (int8_t)value;
    return true;
  case TH_TYPE_COUNT:
    break;
  }
  return false;
}

double th_type_load(enum th_type type, const void *array, int64_t index)
{
  switch (type) {
  case TH_F32:
    return (double)((const float *)array)[index];
  case TH_F64:
    return ((const double *)array)[index];
  case TH_U8:
    return (double)((const uint8_t *)array)[index];
  case TH_I8:
    return (double)((const int8_t *)array)[index];
  case TH_TYPE_COUNT:
    break;
  }
  return 0.0;
}

struct th_slab th_slab_part(const struct th_slab *slab, struct th_range part)
{
  int64_t skipped = (part.first - slab->attributes.first) * slab->stride;
  struct th_slab made = *slab;
  made.attributes = part;
  made.values = (const char *)slab->values + th_type_bytes(slab->type, skipped);
  return made;
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
  int64_t attributes = slab->attributes.last - slab->attributes.first;
  if (slab->layout == TH_DENSE)
    return (int64_t)th_type_bytes(slab->type, attributes * slab->rows);
  int64_t entries = entries_of(slab, row_group);
  int64_t row = row_group > UINT16_MAX + 1 ? 4 : 2;
  return entries * row + (int64_t)th_type_bytes(slab->type, entries);
}
