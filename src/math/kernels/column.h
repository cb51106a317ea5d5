/* column.h - columns of double: sums, updates, products, the logistic loss
 *
 * What coordinate descent does with a column. Sums run in eight fixed lanes
 * over the examples, in four over the entries of sparse attributes, so that
 * every rank, and every instruction set, gets the same bits. Values are worked
 * with as (x - centre) * scale. All functions are local; none allocates.
 * SPDX-License-Identifier: MIT */
#ifndef TH_COLUMN_H
#define TH_COLUMN_H

#include <stdint.h>

enum th_vector_form {
  TH_VECTOR_SINGLE,  /* a float for every example */
  TH_VECTOR_DOUBLE,  /* a double for every example */
  TH_VECTOR_U8,      /* a byte for every example, */
  TH_VECTOR_I8,      /* one with a sign, */
  TH_VECTOR_U2,      /* or two bits, four examples in a byte */
  TH_VECTOR_ENTRIES, /* doubles, where they are not zero; behind the others */
  TH_VECTOR_FORMS
};

/* A part of a vector begins at a multiple of so many examples, as those of u2
 * share bytes. */
enum { TH_VECTOR_WHOLE = 8 };

/* Borrowed arrays. Entries have no centre: a sparse attribute's centre is 0. */
struct th_vector {
  enum th_vector_form form;
  int64_t items; /* examples, or entries */
  double centre;
  double scale;
  double stand_in; /* of u8, i8 and u2: what stands for the value that is set
                      aside (th_type_missing); NaN: none is */
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

/* --- Several sums over plain numbers at once, each with the bits of its own
 * th_column_dot_plain: item i is added to lane i % TH_COLUMN_LANES of its sum.
 */

enum { TH_COLUMN_LANES = 8, TH_COLUMN_DOTS = 4 };

/* lane[k] += products of items 0 .. count - 1 of x[k] and u; count is a
 * multiple of TH_COLUMN_LANES. */
void th_column_lanes(const double *const x[TH_COLUMN_DOTS], const double *u,
                     int64_t count,
                     double lane[TH_COLUMN_DOTS][TH_COLUMN_LANES]);

/* So for all pairs: lane[j][k] of x[j] and u[k]. */
void th_column_tile(
    const double *const x[TH_COLUMN_DOTS],
    const double *const u[TH_COLUMN_DOTS], int64_t count,
    double lane[TH_COLUMN_DOTS][TH_COLUMN_DOTS][TH_COLUMN_LANES]);

/* Return the sum, with the products of items first .. last - 1 that follow;
 * first is a multiple of TH_COLUMN_LANES. */
double th_column_lanes_sum(double lane[TH_COLUMN_LANES], const double *x,
                           const double *u, int64_t first, int64_t last);

/* u_i += factor[k] x[k]_i for one k after the other. */
void th_column_add_several(const double *const x[TH_COLUMN_DOTS],
                           const double factor[TH_COLUMN_DOTS], int64_t count,
                           double *u);

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
 * dense attribute; weight[0] belongs to the first of them, which is a multiple
 * of TH_VECTOR_WHOLE. */
void th_column_unpack(const struct th_vector *x, int64_t first, int64_t count,
                      double mean, const double *weight, double *out);

/* --- Sums of products of columns, tile by tile ----------------------------
 *
 * Gram matrices are made of these. The rows of a product are summed in eight
 * lanes, row i in lane i % 8, and the lanes by the tree of th_column_dot. So
 * the bits depend only on the two columns, and not on which of them is left or
 * on the instruction set. Local; nothing allocates. */

enum {
  TH_PRODUCTS_LANES = 8,
  TH_PRODUCTS_TILE = 4,  /* columns of a tile, on either side */
  TH_PRODUCTS_STRIP = 4, /* tiles on the right at a time, for the caches */
  TH_PRODUCTS_ROWS = 512 /* of a piece: two tiles stay in the nearest cache */
};

/* Whole tiles: columns that fill the last ones up belong to their arrays. The
 * same columns may be left and right. */
struct th_products {
  int64_t rows;        /* a multiple of TH_PRODUCTS_LANES */
  int64_t lead;        /* from one column to the next, likewise */
  const double *left;  /* TH_PRODUCTS_TILE * left_tiles columns */
  const double *right; /* TH_PRODUCTS_TILE * right_tiles columns */
  int64_t left_tiles;  /* read once */
  int64_t right_tiles; /* read once per left tile: few of them */
  double *sum;         /* a column for each right one, of left columns */
  int64_t stride;      /* from one column of sums to the next */
};

/* Add the products: sum[j + k * stride] += sum over the rows of left column j
 * times right column k. */
void th_column_products_add(const struct th_products *p);

/* Add the products in plain terms, for tests. */
void th_column_products_reference(const struct th_products *p);

/* Round columns up to whole tiles; round rows up to whole lanes. */
int64_t th_column_products_tiles(int64_t columns);
int64_t th_column_products_whole(int64_t rows);

/* --- The logistic loss on all examples at once ----------------------------
 *
 * These are the sums of math/gap.h, formed for eight examples at a time. The
 * exponential and the logarithms are our own and good to some units in the last
 * place. Sums run in eight lanes, so that every instruction set gives the same
 * bits. Labels are -1 and +1. An example of weight 0 adds nothing to any sum.
 * Local; nothing allocates. */

/* Sums over the examples: of eta f, eta f', |eta f'| and eta f''. */
struct th_logistic {
  double loss;
  double slope;
  double size;
  double curvature;
};

/* Compute the sums at predictions + offset; theta receives f'. */
struct th_logistic th_column_logistic_at(int64_t n, const double *eta,
                                         const double *label,
                                         const double *prediction,
                                         double offset, double *theta);

/* Return - sum of eta f*(scale theta), scale in 0 .. 1 and theta between 0 and
 * -label. */
double th_column_logistic_dual(int64_t n, const double *eta,
                               const double *theta, double scale);

#endif
