/* type.c - storage types: names, sizes, exact conversion
 * SPDX-License-Identifier: MIT */
#include "data/type.h"

#include "base/search.h"

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

bool th_type_whole_numbers(enum th_type type)
{
  return type == TH_U8 || type == TH_I8 || type == TH_U2;
}

double th_type_missing(enum th_type type)
{
  if (!th_type_whole_numbers(type))
    return (double)NAN;
  return type == TH_I8 ? type_table[type].lowest : type_table[type].highest;
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
  return (int)TH_SEARCH_NAME(type_table, name);
}

const char *th_type_layout_name(enum th_layout layout)
{
  return layout_names[layout];
}

int th_type_layout_find(const char *name)
{
  return (int)TH_SEARCH_NAME(layout_names, name);
}

th_status th_type_allows(enum th_type type, enum th_layout layout,
                         int64_t row_group, struct th_error *err)
{
  int packed = th_type_packed(type);
  if (packed > 1 && layout == TH_SPARSE)
    return th_fail(err, TH_EUSAGE,
                   "%s values are stored dense; take {type} %s for sparse data",
                   th_type_name(type), th_type_name(th_type_single(type)));
  if (row_group % packed != 0)
    return th_fail(
        err, TH_EUSAGE,
        "row groups of %s values hold a multiple of %d examples, not "
        "%lld; change {row-group}",
        th_type_name(type), packed, (long long)row_group);
  return TH_OK;
}

static bool is_integer(enum th_type type, double value)
{
  return value >= type_table[type].lowest &&
         value <= type_table[type].highest && value == floor(value);
}

bool th_type_fits(enum th_type type, double value)
{
  if (type == TH_F32)
    return isfinite((float)value);
  return type == TH_F64 ? isfinite(value) : is_integer(type, value);
}

static void store_u2(uint8_t *array, int64_t index, double value)
{
  int shift = 2 * (int)(index % 4);
  unsigned others = array[index / 4] & ~(3U << shift);
  array[index / 4] = (uint8_t)(others | (unsigned)value << shift);
}

#define TH_TYPE_STORE(code, name, ctype, bits, lowest, highest, help)          \
  case code:                                                                   \
    ((ctype *)array)[index] = (ctype)value;                                    \
    break;

/* A float is stored also where it does not fit: as infinity. */
bool th_type_store(enum th_type type, void *array, int64_t index, double value)
{
  bool fits = th_type_fits(type, value);
  if (!fits && type != TH_F32 && type != TH_F64)
    return false;
  if (type == TH_U2) {
    store_u2(array, index, value);
    return fits;
  }
  switch (type) {
    TH_TYPE_LIST(TH_TYPE_STORE)
  case TH_TYPE_COUNT:
    break;
  }
  return fits;
}

/* The nearest item, and whether it is the one that th_type_store wants. */
static inline bool store_f32(double value, float *to)
{
  *to = (float)value;
  return fabsf(*to) <= FLT_MAX;
}

static inline bool store_f64(double value, double *to)
{
  *to = value;
  return fabs(value) <= DBL_MAX;
}

static inline bool store_u8(double value, uint8_t *to)
{
  *to = (uint8_t)(value >= 0 && value <= UINT8_MAX ? value : 0);
  return *to == value;
}

#define DEFINE_STORE_ALL(name, ctype)                                          \
  static bool store_all_##name(ctype to[restrict], int64_t count,              \
                               const double *restrict values)                  \
  {                                                                            \
    unsigned bad = 0;                                                          \
    for (int64_t k = 0; k < count; k++)                                        \
      bad |= !store_##name(values[k], to + k);                                 \
    return bad == 0;                                                           \
  }

DEFINE_STORE_ALL(f32, float)
DEFINE_STORE_ALL(f64, double)
DEFINE_STORE_ALL(u8, uint8_t)

int64_t th_type_store_all(enum th_type type, void *array, int64_t first,
                          int64_t count, const double *values)
{
  bool all = false; /* else one by one, up to the one that does not fit */
  if (type == TH_F32)
    all = store_all_f32((float *)array + first, count, values);
  if (type == TH_F64)
    all = store_all_f64((double *)array + first, count, values);
  if (type == TH_U8)
    all = store_all_u8((uint8_t *)array + first, count, values);
  if (all)
    return count;
  for (int64_t k = 0; k < count; k++)
    if (!th_type_store(type, array, first + k, values[k]))
      return k;
  return count;
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

static double load_u2(const uint8_t *array, int64_t index)
{
  return array[index / 4] >> 2 * (index % 4) & 3;
}

#define TH_TYPE_ITEM(code, name, ctype, bits, lowest, highest, help)           \
  case code:                                                                   \
    return (double)((const ctype *)array)[index];

double th_type_load(enum th_type type, const void *array, int64_t index)
{
  if (type == TH_U2)
    return load_u2(array, index);
  switch (type) {
    TH_TYPE_LIST(TH_TYPE_ITEM)
  case TH_TYPE_COUNT:
    break;
  }
  return 0.0;
}

#define TH_TYPE_GATHER(code, name, ctype, bits, lowest, highest, help)         \
  case code:                                                                   \
    for (int64_t k = 0; k < count; k++)                                        \
      values[k] = (double)((const ctype *)array[k])[index[k]];                 \
    break;

void th_type_gather(enum th_type type, const void *const *array,
                    const int64_t *index, int64_t count, double *values)
{
  if (type == TH_U2) {
    for (int64_t k = 0; k < count; k++)
      values[k] = load_u2(array[k], index[k]);
    return;
  }
  switch (type) {
    TH_TYPE_LIST(TH_TYPE_GATHER)
  case TH_TYPE_COUNT:
    break;
  }
}

#define TH_TYPE_ITEMS(code, name, ctype, bits, lowest, highest, help)          \
  case code:                                                                   \
    for (int64_t i = 0; i < count; i++)                                        \
      values[i] = (double)((const ctype *)array)[first + i];                   \
    break;

void th_type_load_all(enum th_type type, const void *array, int64_t first,
                      int64_t count, double *values)
{
  if (type == TH_U2) {
    for (int64_t i = 0; i < count; i++)
      values[i] = load_u2(array, first + i);
    return;
  }
  switch (type) {
    TH_TYPE_LIST(TH_TYPE_ITEMS)
  case TH_TYPE_COUNT:
    break;
  }
}

/* --- How often u2 has each value ------------------------------------------ */

enum {
  TALLY_WORD = 32,
  TALLY_WORDS = 7
}; /* values; words that fit four bits */

/* Ones in every second bit, as numbers of four bits each. */
static inline uint64_t tally_fields(uint64_t ones)
{
  const uint64_t pairs = UINT64_C(0x3333333333333333);
  return (ones & pairs) + (ones >> 2 & pairs);
}

static inline int64_t tally_sum(uint64_t fields)
{
  const uint64_t low = UINT64_C(0x0f0f0f0f0f0f0f0f);
  const uint64_t bytes = UINT64_C(0x0101010101010101);
  return (int64_t)(((fields & low) + (fields >> 4 & low)) * bytes >> 56);
}

/* The fields of some words: values with their lower bit, with their upper bit,
 * with both. */
struct tally {
  uint64_t lower;
  uint64_t upper;
  uint64_t both;
};

static inline void tally_word(struct tally *tally, uint64_t word)
{
  const uint64_t even = UINT64_C(0x5555555555555555);
  tally->lower += tally_fields(word & even);
  tally->upper += tally_fields(word >> 1 & even);
  tally->both += tally_fields(word & word >> 1 & even);
}

static inline void tally_end(const struct tally *tally, int64_t count[4])
{
  int64_t threes = tally_sum(tally->both);
  count[1] += tally_sum(tally->lower) - threes;
  count[2] += tally_sum(tally->upper) - threes;
  count[3] += threes;
}

/* At most so many values: whole words, and a rest. */
static void tally_rest(const unsigned char *from, int64_t items,
                       int64_t count[4])
{
  struct tally tally = {0};
  for (; items >= TALLY_WORD; items -= TALLY_WORD, from += sizeof(uint64_t)) {
    uint64_t word;
    memcpy(&word, from, sizeof word);
    tally_word(&tally, word);
  }
  uint64_t rest = 0;
  for (int64_t k = 0; k < items; k++)
    rest |= (uint64_t)(from[k / 4] >> (2 * (k % 4)) & 3) << (2 * k);
  tally_word(&tally, rest);
  tally_end(&tally, count);
}

void th_type_tally(const void *array, int64_t items, int64_t count[4])
{
  const unsigned char *from = array;
  const int64_t some = (int64_t)TALLY_WORD * TALLY_WORDS;
  int64_t left = items;
  for (int k = 0; k < 4; k++)
    count[k] = 0;
  for (; left >= some; left -= some, from += sizeof(uint64_t) * TALLY_WORDS) {
    uint64_t word[TALLY_WORDS];
    struct tally tally = {0};
    memcpy(word, from, sizeof word);
    for (int k = 0; k < TALLY_WORDS; k++)
      tally_word(&tally, word[k]);
    tally_end(&tally, count);
  }
  tally_rest(from, left, count);
  count[0] = items - count[1] - count[2] - count[3];
}
