/* csv_numbers.c - whether numbers in the first row of CSV may name the columns
 *
 * Names are in order more often than examples are, and they have nothing to do
 * with the values below them: years over prices, wavelengths over absorbances.
 * A row of few columns is in order by chance (three columns: one row in three),
 * so that order alone tells nothing there. A row of many columns is in order
 * where all of them are: then the rows below show it, too.
 * SPDX-License-Identifier: MIT */
#include "io/import/csv_numbers.h"

#include <math.h>

enum {
  FEW = 3,         /* columns that the first rule wants */
  FEW_EVEN = 4,    /* in equal steps, with nothing else to tell */
  FEW_ORDERED = 6, /* in order, likewise */
  PAIR_ROWS = 10,  /* below two columns */
  RANGE_ROWS = 3,  /* that make a range */
  MANY_ROWS = 40   /* below three columns in equal steps: a share p of such
                      rows lets p (1 - p)^40 < 1 % pass */
};

static const double most = 0.8; /* of the columns */
static const double far = 3;    /* times the largest value below */

/* 1: every number is larger than the one before; -1: smaller; 0: neither. */
static int direction(const double *row, int64_t columns)
{
  int sign = columns < 2 ? 0 : row[1] > row[0] ? 1 : -1;
  for (int64_t k = 1; k < columns; k++)
    if (!(sign * (row[k] - row[k - 1]) > 0))
      return 0;
  return sign;
}

/* In equal steps, as far as decimals can tell. */
static bool is_even(const double *row, int64_t columns)
{
  double step = row[1] - row[0];
  for (int64_t k = 2; k < columns; k++) {
    double room = 1e-9 * (fabs(row[k]) + fabs(step));
    if (!(fabs(row[k] - row[k - 1] - step) <= room))
      return false;
  }
  return step != 0;
}

bool th_csv_numbers_count(const double *row, int64_t columns)
{
  return columns >= FEW && (row[0] == 0 || row[0] == 1) &&
         row[1] - row[0] == 1 && is_even(row, columns);
}

static bool differ(const double *row, int64_t columns)
{
  enum { LOOKED_AT = 64 }; /* columns: equal ones among these tell enough */
  int64_t count = columns < LOOKED_AT ? columns : LOOKED_AT;
  for (int64_t k = 0; k < count; k++)
    for (int64_t j = 0; j < k; j++)
      if (row[j] == row[k])
        return false;
  return true;
}

/* Of the columns that tell something: in how many the first row is what the
 * rows below are not. */
struct contrast {
  int64_t told;
  int64_t outside; /* farther from the values below than these are apart */
  int64_t whole;   /* a whole number over others */
};

static void look_at_column(const double *row, int64_t columns,
                           const double *below, int64_t rows, int64_t column,
                           struct contrast *contrast)
{
  double lowest = INFINITY;
  double highest = -INFINITY;
  int64_t seen = 0;
  int64_t broken = 0;
  double value = row[column];
  for (int64_t i = 0; i < rows; i++) {
    double x = below[i * columns + column];
    if (isnan(x))
      continue;
    lowest = x < lowest ? x : lowest;
    highest = x > highest ? x : highest;
    broken += x != floor(x);
    seen++;
  }
  if (seen == 0 || (lowest == highest && seen > 1))
    return; /* a constant is far from anything */
  double range = highest - lowest;
  double size = fmax(fabs(lowest), fabs(highest));
  contrast->told++;
  contrast->whole += value == floor(value) && 2 * broken > seen;
  contrast->outside += (seen >= RANGE_ROWS &&
                        (value < lowest - range || value > highest + range)) ||
                       (size > 0 && fabs(value) > far * size);
}

static struct contrast compare(const double *row, int64_t columns,
                               const double *below, int64_t rows)
{
  struct contrast contrast = {0};
  for (int64_t k = 0; k < columns; k++)
    look_at_column(row, columns, below, rows, k, &contrast);
  return contrast;
}

static bool all_whole(const double *row, int64_t columns)
{
  for (int64_t k = 0; k < columns; k++)
    if (row[k] != floor(row[k]))
      return false;
  return true;
}

/* Numbers in order. */
static bool ordered_names(const double *row, int64_t columns,
                          const double *below, int64_t rows, int sign)
{
  struct contrast contrast = compare(row, columns, below, rows);
  double least = most * (double)contrast.told;
  bool alike = false; /* some row below is in order, too */
  bool even = is_even(row, columns);
  bool even_below = false;
  bool stands_out =
      contrast.told > 0 && 2 * contrast.told >= columns &&
      ((double)contrast.outside >= least || (double)contrast.whole >= least);
  for (int64_t i = 0; i < rows; i++) {
    const double *other = below + i * columns;
    bool same = direction(other, columns) == sign;
    alike = alike || same;
    even_below = even_below || (same && is_even(other, columns));
  }
  if (columns < FEW)
    return rows >= PAIR_ROWS && contrast.outside == columns;
  return stands_out ||
         (rows >= RANGE_ROWS && ((even && !even_below && columns >= FEW_EVEN) ||
                                 (!alike && columns >= FEW_ORDERED))) ||
         (rows >= MANY_ROWS && even && !even_below);
}

/* Two columns that are counted, from 0 or 1, above numbers that are not whole.
 */
static bool counts_two(const double *row, int64_t columns, const double *below,
                       int64_t rows)
{
  return columns == 2 && (row[0] == 0 || row[0] == 1) && row[1] - row[0] == 1 &&
         compare(row, columns, below, rows).whole == 2;
}

bool th_csv_numbers_are_names(const double *row, int64_t columns,
                              const double *below, int64_t rows)
{
  int sign = direction(row, columns);
  if (th_csv_numbers_count(row, columns))
    return true;
  if (columns < 2 || rows == 0)
    return false;
  if (counts_two(row, columns, below, rows))
    return true;
  if (sign != 0)
    return ordered_names(row, columns, below, rows, sign);
  if (columns < FEW || rows < RANGE_ROWS || !all_whole(row, columns) ||
      !differ(row, columns))
    return false;
  struct contrast contrast = compare(row, columns, below, rows);
  return contrast.told == columns &&
         (contrast.whole == columns ||
          (rows >= PAIR_ROWS && contrast.outside == columns));
}
