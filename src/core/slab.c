/* slab.c - storage types: names, sizes, exact conversion
 * SPDX-License-Identifier: MIT */
#include "core/slab.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct type_row {
  const char *name;
  size_t size;
  int bits;
  double lowest;
  double highest;
};

static const struct type_row type_table[TH_TYPE_COUNT] = {
#define TH_TYPE_ROW(code, name, ctype, bits, lowest, highest, help)            \
  [code] = {name, sizeof(ctype), bits, lowest, highest},
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
  return ((size_t)items * (size_t)type_table[type].bits + 7) / 8;
}

size_t th_type_offset(enum th_type type, int64_t item)
{
  return (size_t)item * (size_t)type_table[type].bits / 8;
}

int th_type_packed(enum th_type type)
{
  int bits = type_table[type].bits;
  return bits < 8 ? 8 / bits : 1;
}

int64_t th_type_whole(enum th_type type, int64_t items)
{
  int64_t packed = th_type_packed(type);
  return (items + packed - 1) / packed * packed;
}

enum th_type th_type_single(enum th_type type)
{
  return type == TH_U2 ? TH_U8 : type;
}

int th_type_find(const char *name)
{
  for (int t = 0; t < TH_TYPE_COUNT; t++)
    if (strcmp(name, type_table[t].name) == 0)
      return t;
  return -1;
}

const char *th_type_layout_name(enum th_layout layout)
{
  return layout_names[layout];
}

int th_type_layout_find(const char *name)
{
  for (int k = 0; k < TH_LAYOUT_COUNT; k++)
    if (strcmp(name, layout_names[k]) == 0)
      return k;
  return -1;
}

th_status th_type_allows(enum th_type type, enum th_layout layout,
                         int64_t row_group, struct th_error *err)
{
  int packed = th_type_packed(type);
  if (packed > 1 && layout == TH_SPARSE)
    return th_fail(err, TH_EUSAGE,
                   "%s values are stored dense; take --type %s for sparse data",
                   th_type_name(type), th_type_name(th_type_single(type)));
  if (row_group % packed != 0)
    return th_fail(err, TH_EUSAGE,
                   "row groups of %s values have a multiple of %d rows, not "
                   "%lld; change --row-group",
                   th_type_name(type), packed, (long long)row_group);
  return TH_OK;
}

static bool is_whole(enum th_type type, double value)
{
  return value >= type_table[type].lowest &&
         value <= type_table[type].highest && value == floor(value);
}

bool th_type_fits(enum th_type type, double value)
{
  if (type == TH_F32)
    return isfinite((float)value);
  return type == TH_F64 ? isfinite(value) : is_whole(type, value);
}

static void store_u2(uint8_t *array, int64_t index, double value)
{
  int shift = 2 * (int)(index % 4);
  unsigned others = array[index / 4] & ~(3U << shift);
  array[index / 4] = (uint8_t)(others | (unsigned)value << shift);
}

bool th_type_store(enum th_type type, void *array, int64_t index, double value)
{
  bool fits = th_type_fits(type, value);
  switch (type) {
  case TH_F32:
    ((float *)array)[index] = (float)value;
    return fits;
  case TH_F64:
    ((double *)array)[index] = value;
    return fits;
  case TH_U8:
    if (fits)
      ((uint8_t *)array)[index] = (uint8_t)value;
    return fits;
  case TH_I8:
    if (fits)
      ((int8_t *)array)[index] = (int8_t)value;
    return fits;
  case TH_U2:
    if (fits)
      store_u2(array, index, value);
    return fits;
  case TH_TYPE_COUNT:
    break;
  }
  return false;
}

void th_type_pack(enum th_type type, void *array, int64_t count)
{
  uint8_t *bytes = array;
  if (type != TH_U2)
    return;
  for (int64_t k = 0; k < count; k += 4) {
    unsigned four = 0;
    for (int64_t i = k; i < k + 4 && i < count; i++)
      four |= (unsigned)bytes[i] << 2 * (i - k);
    bytes[k / 4] = (uint8_t)four;
  }
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
  case TH_U2:
    return ((const uint8_t *)array)[index / 4] >> 2 * (index % 4) & 3;
  case TH_TYPE_COUNT:
    break;
  }
  return 0.0;
}

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
  int64_t low = 0;
  int64_t high = slab->runs;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (slab->base + (int64_t)slab->attribute[middle] < attribute)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
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

struct th_slab th_slab_part(const struct th_slab *slab, struct th_range part)
{
  if (slab->layout == TH_SPARSE)
    return sparse_part(slab, part);
  int64_t skipped = (part.first - slab->attributes.first) * slab->stride;
  struct th_slab made = *slab;
  made.attributes = part;
  made.values = (const char *)slab->values + th_type_bytes(slab->type, skipped);
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
