/* column_kernels.h - one attribute on all examples: sums and updates in double
 *
 * What coordinate descent does with a column. Sums run in eight fixed lanes
 * over the examples, in four over the entries of sparse attributes, so that
 * every rank, and every instruction set, gets the same bits. Values are worked
 * with as (x - centre) * scale. All functions are local; none allocates.
 * SPDX-License-Identifier: MIT */
#ifndef TH_COLUMN_KERNELS_H
#define TH_COLUMN_KERNELS_H

#include <stdint.h>

enum th_vector_form {
  TH_VECTOR_SINGLE,  /* a float for every example */
  TH_VECTOR_DOUBLE,  /* a double for every example */
  TH_VECTOR_ENTRIES, /* doubles, where they are not zero */
  TH_VECTOR_FORMS
};

/* Borrowed arrays. Entries have no centre: a sparse attribute's centre is 0. */
struct th_vector {
  enum th_vector_form form;
  int64_t items; /* examples, or entries */
  double centre;
  double scale;
  const void *values;
  const int32_t *row; /* of each entry, ascending */
};

/* Plain numbers as such a vector. */
static inline struct th_vector th_column_vector_of(const double *values,
                                                   int64_t items)
{
  return (struct th_vector){
      .form = TH_VECTOR_DOUBLE, .items = items, .scale = 1, .values = values};
}

/* Return the sum of u_i x_i over the examples. */
double th_column_dot(const struct th_vector *x, const double *u);

/* Return the sum of h_i x_i^2. */
double th_column_square(const struct th_vector *x, const double *h);

/* Return the sum of a_i b_i over plain numbers. */
static inline double th_column_dot_plain(const double *a, const double *b,
                                         int64_t count)
{
  const struct th_vector x = th_column_vector_of(a, count);
  return th_column_dot(&x, b);
}

/* u_i += factor x_i; u_i += factor h_i x_i. */
void th_column_add(const struct th_vector *x, double factor, double *u);
static inline void th_column_add_plain(const double *x, double factor,
                                       int64_t count, double *u)
{
  const struct th_vector vector = th_column_vector_of(x, count);
  th_column_add(&vector, factor, u);
}
void th_column_add_weighted(const struct th_vector *x, double factor,
                            const double *h, double *u);

/* out[i] = (x_i - mean) * weight_i for examples first .. first + count - 1 of a
 * dense attribute; weight[0] belongs to the first of them. */
void th_column_unpack(const struct th_vector *x, int64_t first, int64_t count,
                      double mean, const double *weight, double *out);

#endif
