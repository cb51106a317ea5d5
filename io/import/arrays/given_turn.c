/* given_turn.c - values of a dense matrix in memory, column after column
 *
 * Where rows lie together, a line of the processor's cache has some columns of
 * one row: they are all taken before the next ones are looked at.
 * SPDX-License-Identifier: MIT */
#include "io/import/arrays/given_turn.h"

#include "base/integer.h"

enum { ROWS = 64, AHEAD = 256 }; /* rows that are turned at once; bytes */

/* A part of a matrix that is turned. */
struct part {
  const char *items;
  const int64_t *row;
  int64_t rows;
  struct th_range columns;
  int64_t step; /* items from one column to the next */
  char *to;
  int64_t stride;
};

/* Values of some rows that are wanted soon. */
static void bring_rows(const struct part *part, int64_t first, int64_t last,
                       int64_t size)
{
  const char *next = part->items + part->columns.first * size + AHEAD;
  for (int64_t i = first; i < last; i++)
    __builtin_prefetch(next + part->row[i] * size);
}

#define DEFINE_TURN(name, from, into)                                          \
  static void name(const struct part *part, int64_t first, int64_t last)       \
  {                                                                            \
    const from *items = (const from *)(const void *)part->items;               \
    for (int64_t c = part->columns.first; c < part->columns.last; c++) {       \
      char *column_to = part->to + (c - part->columns.first) * part->stride *  \
                                       (int64_t)sizeof(into);                  \
      const from *column = items + c * part->step;                             \
      for (int64_t i = first; i < last; i++)                                   \
        ((into *)(void *)column_to)[i] = (into)column[part->row[i]];           \
    }                                                                          \
  }

DEFINE_TURN(turn_8, uint8_t, uint8_t)
DEFINE_TURN(turn_32, uint32_t, uint32_t)
DEFINE_TURN(turn_64, uint64_t, uint64_t)
DEFINE_TURN(shorten, double, float)
DEFINE_TURN(lengthen, float, double)
DEFINE_TURN(u8_to_float, uint8_t, float)
DEFINE_TURN(i8_to_float, int8_t, float)

/* From one element to one type. */
static const struct turn {
  enum th_element from;
  enum th_type to;
  void (*turn)(const struct part *part, int64_t first, int64_t last);
} turns[] = {
    {TH_ELEMENT_F32, TH_F32, turn_32},    {TH_ELEMENT_F64, TH_F64, turn_64},
    {TH_ELEMENT_U8, TH_U8, turn_8},       {TH_ELEMENT_I8, TH_I8, turn_8},
    {TH_ELEMENT_F64, TH_F32, shorten},    {TH_ELEMENT_F32, TH_F64, lengthen},
    {TH_ELEMENT_U8, TH_F32, u8_to_float}, {TH_ELEMENT_I8, TH_F32, i8_to_float}};

/* Value by value, each of which may not fit. */
static bool turn_singly(const struct part *part, enum th_element element,
                        enum th_type type)
{
  double value = 0;
  for (int64_t c = part->columns.first; c < part->columns.last; c++)
    for (int64_t i = 0; i < part->rows; i++) {
      th_items_doubles(element, part->items, c * part->step + part->row[i], 1,
                       &value);
      if (!th_type_store(type, part->to,
                         (c - part->columns.first) * part->stride + i, value))
        return false;
    }
  return true;
}

bool th_given_turn(const struct th_given_matrix *given, const int64_t *row,
                   int64_t rows, struct th_range columns, enum th_type type,
                   void *to, int64_t stride)
{
  const enum th_element element = given->values.element;
  const int64_t size = (int64_t)th_items_size(element);
  const struct part part = {given->values.items,  row, rows,  columns,
                            given->column_stride, to,  stride};
  const struct turn *with = NULL;
  for (size_t k = 0; k < sizeof turns / sizeof *turns; k++)
    if (turns[k].from == element && turns[k].to == type)
      with = &turns[k];
  if (with == NULL)
    return turn_singly(&part, element, type);
  for (int64_t first = 0; first < rows; first += ROWS) {
    int64_t last = th_min_i64(first + ROWS, rows);
    if (given->column_stride == 1)
      bring_rows(&part, first, last, size);
    with->turn(&part, first, last);
  }
  return true;
}
