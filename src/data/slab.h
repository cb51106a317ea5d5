/* slab.h - a view of stored values as kernels see them
 *
 * A slab is a part of a store that lies together: the values of consecutive
 * attributes on consecutive rows of one row group, in their storage type.
 * Kernels compute from it directly, without a conversion.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SLAB_H
#define TH_SLAB_H

#include "base/range.h"
#include "base/search.h"
#include "data/type.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Borrowed view; valid until the store is asked for the next slab.
 * Dense: attribute first + a has its rows a * stride items behind values; the
 * first row is item th_slab_skip of the byte that values points to, since runs
 * begin with a byte, but deal units inside of one; stride is whole bytes.
 * Sparse: run k belongs to attribute base + attribute[k] (ascending, not
 * empty); its entries are start[k] - start[0] .. start[k + 1] - start[0] of
 * row[] and value, rows ascending and counted from the row group's first;
 * attributes of the slab without a run are zero.
 * stand_in: NULL, or what stands for the missing values of each attribute, in
 * dense slabs of whole numbers (th_type_missing); it is a float.
 * list: NULL, or the slab numbers attributes that do not lie together as if
 * they did: first + a is attribute list[a] of the data set. */
struct th_slab {
  enum th_layout layout;
  enum th_type type;
  struct th_range attributes; /* of the data set */
  int64_t row; /* first row, counted from the row group's first */
  int32_t rows;
  const void *values;
  int64_t stride;    /* dense: items from one attribute to the next */
  int64_t following; /* dense: so many attributes lie behind these in the same
                        way, and are probably wanted next; a hint */
  int64_t runs;      /* sparse */
  int64_t base;      /* sparse: what attribute[] counts from */
  const uint32_t *attribute;
  const uint32_t *start;
  const uint16_t *row_in_group; /* hence R <= TH_SPARSE_ROWS */
  const int64_t *list;
  const double *stand_in;
};

/* Which attribute of the data set is the slab's a-th. Local. */
static inline int64_t th_slab_attribute(const struct th_slab *slab, int64_t a)
{
  return slab->list == NULL ? slab->attributes.first + a : slab->list[a];
}

/* Dense: values of the slab's first byte that lie before its first row. Local.
 */
int th_slab_skip(const struct th_slab *slab);

/* Dense: the value of row i of attribute first + a. Local. */
double th_slab_load(const struct th_slab *slab, int64_t a, int64_t i);

/* The value of one of the slab's attributes on its row i; 0 where a sparse slab
 * has no entry. O(log runs + log rows). Local. */
double th_slab_value(const struct th_slab *slab, int64_t attribute, int64_t i);

/* The entries of run k of a sparse slab that lie on its rows: places in
 * row_in_group and values. Local. */
static inline struct th_range th_slab_entries(const struct th_slab *slab,
                                              int64_t k)
{
  const uint16_t *rows = slab->row_in_group;
  int64_t low = (int64_t)slab->start[k] - slab->start[0];
  int64_t high = (int64_t)slab->start[k + 1] - slab->start[0];
  int64_t end = slab->row + slab->rows;
  /* most runs are short, and lie inside or outside as a whole */
  if (low < high && rows[low] < slab->row)
    low = th_search_u16(rows, low + 1, high, slab->row);
  if (low < high && rows[high - 1] >= end)
    high = th_search_u16(rows, low, high - 1, end);
  return (struct th_range){low, high};
}

/* The part of a slab that holds these of its attributes; sparse: O(log runs).
 * Local. */
struct th_slab th_slab_part(const struct th_slab *slab, struct th_range part);

/* Number a sparse slab by the entries of an ascending list of attributes, which
 * it borrows, and of which list[0] is the slab's first. The slab ends
 * before the first run of an attribute that is not listed, so that it holds
 * nothing else. numbers: room for its runs, into which the slab then points;
 * it covers at least one entry of the list. Local; O(runs + entries covered).
 */
void th_slab_select(struct th_slab *slab, const int64_t *list, int64_t count,
                    uint32_t *numbers);

/* --- The entries of a sparse slab row by row, in one allocation
 *
 * A slab of one row looks at all runs, most of which have no entry on it. Where
 * many rows are asked for one by one, these are quicker. */

struct th_slab_rows {
  int64_t base;        /* as of a slab */
  uint32_t *first;     /* first entry of each row, and the end */
  uint32_t *attribute; /* of each entry, ascending in a row */
  uint16_t *row;       /* of each entry */
  uint32_t *start;     /* 0, 1, 2, ...: a run has one entry */
  void *values;
};

/* Bytes of the room that a slab's entries need; rows: of its row group. Local.
 */
int64_t th_slab_rows_bytes(const struct th_slab *slab, int64_t rows);

/* Lay them out in that room, which begins with the record that is returned. The
 * slab has all rows of its row group. Local. */
struct th_slab_rows *th_slab_rows_make(const struct th_slab *slab, int64_t rows,
                                       void *room);

/* Turn a slab of one row to these: its runs are those with an entry, and its
 * attributes stay. Local. */
void th_slab_rows_take(const struct th_slab_rows *rows, struct th_slab *slab);

/* Bytes of the stored values on the slab's rows; sparse: of the entries, with
 * their rows. row_group: R. Local. */
int64_t th_slab_bytes(const struct th_slab *slab, int64_t row_group);

#endif
