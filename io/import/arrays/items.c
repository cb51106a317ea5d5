/* items.c - numbers of one kind in a row, wherever they are stored
 * SPDX-License-Identifier: MIT */
#include "io/import/arrays/items.h"

#include "base/integer.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void th_items_close(struct th_items *items)
{
  if (items->close != NULL)
    items->close(items);
  *items = (struct th_items){0};
}

size_t th_items_size(enum th_element element)
{
  static const size_t sizes[TH_ELEMENT_COUNT] = {
#define TH_ELEMENT_SIZE(code, ctype, integer) [code] = sizeof(ctype),
      TH_ELEMENT_LIST(TH_ELEMENT_SIZE)
#undef TH_ELEMENT_SIZE
  };
  return sizes[element];
}

bool th_items_integer(enum th_element element)
{
  static const bool integers[TH_ELEMENT_COUNT] = {
#define TH_ELEMENT_INTEGER(code, ctype, integer) [code] = (integer),
      TH_ELEMENT_LIST(TH_ELEMENT_INTEGER)
#undef TH_ELEMENT_INTEGER
  };
  return integers[element];
}

int th_items_element(bool floating, bool has_sign, size_t bytes)
{
  for (int k = 0; k < TH_ELEMENT_COUNT; k++) {
    enum th_element element = (enum th_element)k;
    bool plain = element >= TH_ELEMENT_U8;
    if (th_items_size(element) == bytes &&
        th_items_integer(element) != floating &&
        (floating || plain != has_sign))
      return k;
  }
  return -1;
}

void th_items_swap(enum th_element element, void *items, int64_t count)
{
  size_t size = th_items_size(element);
  for (int64_t k = 0; k < count && size == 2; k++)
    ((uint16_t *)items)[k] = __builtin_bswap16(((uint16_t *)items)[k]);
  for (int64_t k = 0; k < count && size == 4; k++)
    ((uint32_t *)items)[k] = __builtin_bswap32(((uint32_t *)items)[k]);
  for (int64_t k = 0; k < count && size == 8; k++)
    ((uint64_t *)items)[k] = __builtin_bswap64(((uint64_t *)items)[k]);
}

/* IEEE half precision. */
static double half(uint16_t bits)
{
  int exponent = bits >> 10 & 31;
  int fraction = bits & 1023;
  double value = exponent == 0   ? ldexp(fraction, -24)
                 : exponent < 31 ? ldexp(fraction + 1024, exponent - 25)
                 : fraction == 0 ? INFINITY
                                 : NAN;
  return bits >> 15 != 0 ? -value : value;
}

void th_items_doubles(enum th_element element, const void *from, int64_t first,
                      int64_t count, double *to)
{
  switch (element) {
  case TH_ELEMENT_F16:
    for (int64_t k = 0; k < count; k++)
      to[k] = half(((const uint16_t *)from)[first + k]);
    break;
#define TH_ELEMENT_CASE(code, ctype)                                           \
  case code:                                                                   \
    for (int64_t k = 0; k < count; k++)                                        \
      to[k] = (double)((const ctype *)from)[first + k];                        \
    break;
    TH_ELEMENT_CASE(TH_ELEMENT_F32, float)
    TH_ELEMENT_CASE(TH_ELEMENT_F64, double)
    TH_ELEMENT_CASE(TH_ELEMENT_I8, int8_t)
    TH_ELEMENT_CASE(TH_ELEMENT_I16, int16_t)
    TH_ELEMENT_CASE(TH_ELEMENT_I32, int32_t)
    TH_ELEMENT_CASE(TH_ELEMENT_I64, int64_t)
    TH_ELEMENT_CASE(TH_ELEMENT_U8, uint8_t)
    TH_ELEMENT_CASE(TH_ELEMENT_U16, uint16_t)
    TH_ELEMENT_CASE(TH_ELEMENT_U32, uint32_t)
    TH_ELEMENT_CASE(TH_ELEMENT_U64, uint64_t)
#undef TH_ELEMENT_CASE
  case TH_ELEMENT_COUNT:
    break;
  }
}

static void to_whole(enum th_element element, const void *from, int64_t count,
                     void *whole)
{
  int64_t *to = whole;
  switch (element) {
#define TH_ELEMENT_CASE(code, ctype)                                           \
  case code:                                                                   \
    for (int64_t k = 0; k < count; k++)                                        \
      to[k] = (int64_t)((const ctype *)from)[k];                               \
    break;
    TH_ELEMENT_CASE(TH_ELEMENT_I8, int8_t)
    TH_ELEMENT_CASE(TH_ELEMENT_I16, int16_t)
    TH_ELEMENT_CASE(TH_ELEMENT_I32, int32_t)
    TH_ELEMENT_CASE(TH_ELEMENT_I64, int64_t)
    TH_ELEMENT_CASE(TH_ELEMENT_U8, uint8_t)
    TH_ELEMENT_CASE(TH_ELEMENT_U16, uint16_t)
    TH_ELEMENT_CASE(TH_ELEMENT_U32, uint32_t)
#undef TH_ELEMENT_CASE
  case TH_ELEMENT_U64:
    for (int64_t k = 0; k < count; k++) {
      uint64_t value = ((const uint64_t *)from)[k];
      to[k] = value > INT64_MAX ? -1 : (int64_t)value;
    }
    break;
  case TH_ELEMENT_F16:
  case TH_ELEMENT_F32:
  case TH_ELEMENT_F64:
  case TH_ELEMENT_COUNT:
    break;
  }
}

static void to_numbers(enum th_element element, const void *from, int64_t count,
                       void *numbers)
{
  th_items_doubles(element, from, 0, count, numbers);
}

/* What becomes of some items, each of 8 bytes then. */
typedef void (*convert_items)(enum th_element element, const void *from,
                              int64_t count, void *to);

static th_status read_converted(struct th_items *items, int64_t first,
                                int64_t count, convert_items convert, void *to,
                                struct th_error *err)
{
  enum { SOME = 4096, WIDTH = 8 };
  uint64_t room[SOME];
  th_status rc = TH_OK;
  for (int64_t k = 0; rc == TH_OK && k < count; k += SOME) {
    int64_t some = th_min_i64(count - k, SOME);
    rc = items->read(items, first + k, some, room, err);
    if (rc == TH_OK)
      convert(items->element, room, some, (char *)to + k * WIDTH);
  }
  return rc;
}

th_status th_items_whole(struct th_items *items, int64_t first, int64_t count,
                         int64_t *to, struct th_error *err)
{
  return items->element == TH_ELEMENT_I64
             ? items->read(items, first, count, to, err)
             : read_converted(items, first, count, to_whole, to, err);
}

th_status th_items_numbers(struct th_items *items, int64_t first, int64_t count,
                           double *to, struct th_error *err)
{
  return read_converted(items, first, count, to_numbers, to, err);
}
