/* standard.h - standardised columns, over weighted rows
 *
 * z = (x - offset) / spread has mean 0 and mean square 1 over the rows. The
 * weights add up to n, the number of rows of equal weight that tell as much as
 * these: (sum of w)^2 / sum of w^2. A fit on z depends neither on the units of
 * x nor on those of the weights. All functions are local; sums run in a fixed
 * order.
 * SPDX-License-Identifier: MIT */
#ifndef TH_STANDARD_H
#define TH_STANDARD_H

#include "base/error.h"
#include "math/kernels/column.h"

#include <stdbool.h>
#include <stdint.h>

struct th_standard {
  int64_t rows;
  int64_t count;  /* columns */
  double n;       /* rows that count: see above */
  double *weight; /* rows: they add up to n */
  double *offset; /* count: in the units of the column as given */
  double *spread; /* count: in the same units; 0: a constant, whose z is 0 */
  struct th_vector *column; /* count: values borrowed, z + mean */
  double *mean;             /* count: 0 but for sparse ones */
};

/* `columns` is borrowed for as long as the result lives. weight >= 0, of any
 * unit. Without `centred`, offset is 0 and spread is a root mean square, for
 * fits without a constant. */
th_status th_standard_init(struct th_standard *s, int64_t rows, int64_t count,
                           const struct th_vector *columns,
                           const double *weight, bool centred,
                           struct th_error *err);
void th_standard_free(struct th_standard *s);

/* The weighted mean of one number for each row; 0 if no row has a weight. */
double th_standard_mean(const struct th_standard *s, const double *value);

/* sum of u_i z_ik over the rows; `total` is the sum of u. */
double th_standard_dot(const struct th_standard *s, int64_t k, const double *u,
                       double total);

/* u_i += factor z_ik */
void th_standard_add(const struct th_standard *s, int64_t k, double factor,
                     double *u);

/* Sums over the rows of h_i z_ij z_ik, for the columns j, k that `list` names
 * (NULL: 0, 1, ..). out is size x size. Its places first .. size - 1 and their
 * mirror images are written; the others stay. h >= 0. */
th_status th_standard_products(const struct th_standard *s, const int64_t *list,
                               int64_t first, int64_t size, const double *h,
                               double *out, struct th_error *err);

#endif
