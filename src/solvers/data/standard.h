/* standard.h - columns in units of their own, over weighted rows
 *
 * z = (x - offset) / spread: of mean 0 and mean square 1 over the rows, by
 * weights that add up to n, the rows that weigh anything. What is fitted on z
 * does not depend on the units of x, nor on those of the weights. All functions
 * are local; sums run in a fixed order.
 * SPDX-License-Identifier: MIT */
#ifndef TH_STANDARD_H
#define TH_STANDARD_H

#include "core/error.h"
#include "math/kernels/column_kernels.h"

#include <stdbool.h>
#include <stdint.h>

struct th_standard {
  int64_t rows;
  int64_t count;            /* columns */
  double n;                 /* rows with weight above 0 */
  double *weight;           /* rows: they add up to n */
  double *offset;           /* count: in the units of the column as given */
  double *spread;           /* count: likewise; 0: a constant, whose z is 0 */
  struct th_vector *column; /* count: values borrowed, z + mean */
  double *mean;             /* count: 0 but for sparse ones */
};

/* `columns` is borrowed for as long as the result lives. weight >= 0, of any
 * unit. Without `centred` offset is 0 and spread a root mean square: fits
 * without a constant. TH_ENOMEM. */
th_status th_standard_init(struct th_standard *s, int64_t rows, int64_t count,
                           const struct th_vector *columns,
                           const double *weight, bool centred,
                           struct th_error *err);
void th_standard_free(struct th_standard *s);

/* The weighted mean of numbers, one a row; 0 where no row weighs anything. */
double th_standard_mean(const struct th_standard *s, const double *value);

/* sum of u_i z_ik over the rows; `total` is the sum of u. */
double th_standard_dot(const struct th_standard *s, int64_t k, const double *u,
                       double total);

/* u_i += factor z_ik */
void th_standard_add(const struct th_standard *s, int64_t k, double factor,
                     double *u);

/* Places first .. size - 1 of h, size x size, and their mirror images: sums
 * over the rows of h_i z_ij z_ik, of the columns j, k that `list` names (NULL:
 * 0, 1, ..). h >= 0. The others stay. TH_ENOMEM. */
th_status th_standard_products(const struct th_standard *s, const int64_t *list,
                               int64_t first, int64_t size, const double *h,
                               double *out, struct th_error *err);

#endif
