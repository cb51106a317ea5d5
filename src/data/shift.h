/* shift.h - sparse attributes whose mean is far from zero, less a constant
 *
 * Sparse data keep their zeros out, so nothing is subtracted from a value. But
 * where a mean is many deviations from zero, squares of values lose the digits
 * of the variance, and an intercept that is a variable of its own goes with the
 * attribute: steps are short, and search directions point along each other.
 *
 * Such an attribute has hardly a zero: where the mean is L deviations, at least
 * L^2 of L^2 + 1 values are something else. So little is lost by handing it out
 * as x - shift on every example. A free intercept makes up for the shift. Which
 * attributes these are, and their shifts, follow from the statistics of the
 * data set alone.
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SHIFT_H
#define TH_SHIFT_H

#include "base/error.h"
#include "data/slab.h"
#include "data/store.h"

#include <stdint.h>

struct th_shift {
  int64_t attribute;
  double value;
};

/* The shift of a sparse attribute of that storage type: near its mean if that
 * is far from zero, or 0. x - shift is a whole number where values are; of
 * floats it is a double. */
double th_shift_of(const struct th_statistics *statistics, enum th_type type);

/* Statistics of x become those of x - shift. */
void th_shift_statistics(struct th_statistics *statistics, double shift);

/* All shifts that are not 0, and the slab that was shifted last. */
struct th_shifts {
  int64_t count;
  struct th_shift *item; /* ascending; owned */
  int64_t runs;          /* capacities */
  int64_t entries;
  uint32_t *attribute; /* of the slab's runs */
  uint32_t *start;
  uint16_t *row; /* of its entries */
  double *value;
};

void th_shift_free(struct th_shifts *shifts);

/* The shift of an attribute. */
double th_shift_find(const struct th_shifts *shifts, int64_t attribute);

/* Shift the statistics of a range of attributes. */
void th_shift_range_statistics(const struct th_shifts *shifts,
                               struct th_range range,
                               struct th_statistics *statistics);

/* If a sparse slab has attributes with a shift, make it another one, of
 * doubles, in which these have an entry on every row. It borrows the shifts
 * until the next call. */
th_status th_shift_apply(struct th_shifts *shifts, struct th_slab *slab,
                         struct th_error *err);

#endif
