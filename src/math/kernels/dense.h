/* dense.h - the loops over arrays, once per instruction set
 *
 * The files *_dense.c and dense.c beside this one are compiled for several
 * instruction sets, each into tables of the same functions that give the same
 * bits. kernels.c takes those that base/processor.h names; tests call them all.
 * Tables for AVX are there on x86-64 only.
 *
 * All functions that do not say otherwise are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_DENSE_H
#define TH_DENSE_H

#include "math/kernels/column.h"
#include "math/kernels/kernels.h"

#include <stdbool.h>
#include <stdint.h>

/* --- Dense slabs (dense.c) ------------------------------------------------ */

/* As th_kernel_gradient and th_kernel_evidence, for dense slabs of one type; as
 * th_kernel_read. */
typedef void th_dense_gradient(const struct th_slab *slab,
                               const struct th_row_weights *m,
                               const double *centre, double *grad);
typedef void th_dense_evidence(const struct th_slab *slab,
                               const struct th_row_weights *m,
                               const double *centre, const double *own,
                               double *u, double *v, double *q);

typedef double th_dense_read(const float *values, int64_t count);

struct th_dense_kernels {
  th_dense_read *read;
  th_dense_gradient *gradient[TH_TYPE_COUNT];
  th_dense_evidence *evidence[TH_TYPE_COUNT];
};

extern const struct th_dense_kernels th_dense_plain;
extern const struct th_dense_kernels th_dense_avx2;
extern const struct th_dense_kernels th_dense_avx512;

/* --- Sixteen gradients at once (gradients_dense.c) ------------------------ */

/* As th_kernel_gradients_add, for dense slabs of one type, and for sparse ones,
 * of which u2 are none; as th_kernel_gradients_add_entries. */
struct th_gradients_kernels {
  void (*add[TH_TYPE_COUNT])(const struct th_slab *slab, const float *residual,
                             const double *centre, double *grad);
  void (*add_sparse[TH_TYPE_COUNT])(const struct th_slab *slab,
                                    const float *residual, double *grad);
  void (*add_entries)(const struct th_gradients_entries *entries,
                      const float *residual, double *grad);
};

extern const struct th_gradients_kernels th_gradients_plain;
extern const struct th_gradients_kernels th_gradients_avx2;
extern const struct th_gradients_kernels th_gradients_avx512;

/* --- Rows of dense values (rows_dense.c) ---------------------------------- */

/* By type of the values, f32 or f64. */
struct th_row_kernels {
  /* sum x_k v_k for first <= k < last */
  double (*dot[TH_TYPE_COUNT])(const void *values, int64_t first, int64_t last,
                               const double *v);
  /* v += factor x */
  void (*add[TH_TYPE_COUNT])(const void *values, double factor, double *v,
                             int64_t count);
  /* v += factor x, w += square x^2 */
  void (*moments[TH_TYPE_COUNT])(const void *values, double factor, double *v,
                                 double square, double *w, int64_t count);
  /* v = soft(v + factor x, t) */
  void (*step[TH_TYPE_COUNT])(const void *values, double factor, double t,
                              double *v, int64_t count);
  /* v = soft(v, t) */
  void (*soft)(double t, double *v, int64_t count);
};

extern const struct th_row_kernels th_rows_plain;
extern const struct th_row_kernels th_rows_avx2;
extern const struct th_row_kernels th_rows_avx512;

/* --- One dense attribute on all examples (columns_dense.c) ----------------
 *
 * By the form of the vector; c is the attribute's centre. All but the last
 * leave the vector's scale to the caller. */

struct th_column_kernels {
  /* sum of (x - c) u */
  double (*dot[TH_VECTOR_ENTRIES])(const struct th_vector *x, const double *u);
  /* sum of (x - c)^2 h */
  double (*square[TH_VECTOR_ENTRIES])(const struct th_vector *x,
                                      const double *h);
  /* u += (x - c) factor */
  void (*add[TH_VECTOR_ENTRIES])(const struct th_vector *x, double factor,
                                 double *restrict u);
  /* u += (x - c) factor h */
  void (*add_weighted[TH_VECTOR_ENTRIES])(const struct th_vector *x,
                                          double factor, const double *h,
                                          double *restrict u);
  /* as th_column_unpack */
  void (*unpack[TH_VECTOR_ENTRIES])(const struct th_vector *x, int64_t first,
                                    int64_t count, double mean,
                                    const double *weight, double *restrict out);
  /* as th_column_lanes, th_column_tile and th_column_add_several */
  void (*lanes)(const double *const *x, const double *u, int64_t count,
                double (*lane)[TH_COLUMN_LANES]);
  void (*tile)(const double *const *x, const double *const *u, int64_t count,
               double (*lane)[TH_COLUMN_DOTS][TH_COLUMN_LANES]);
  void (*several)(const double *const *x, const double *factor, int64_t count,
                  double *u);
};

extern const struct th_column_kernels th_columns_plain;
extern const struct th_column_kernels th_columns_avx2;
extern const struct th_column_kernels th_columns_avx512;

/* --- Sums of products (products_dense.c) ---------------------------------- */

struct th_products_kernels {
  void (*add)(const struct th_products *p); /* as th_column_products_add */
};

extern const struct th_products_kernels th_products_plain;
extern const struct th_products_kernels th_products_avx2;
extern const struct th_products_kernels th_products_avx512;

/* --- The logistic loss on all examples (logistic_dense.c) ----------------- */

/* As th_column_logistic_at, whose four sums are out's, and
 * th_column_logistic_dual. */
struct th_logistic_kernels {
  void (*at)(int64_t n, const double *eta, const double *label,
             const double *prediction, double offset, double *theta,
             double out[4]);
  double (*dual)(int64_t n, const double *eta, const double *theta,
                 double scale);
};

extern const struct th_logistic_kernels th_logistic_plain;
extern const struct th_logistic_kernels th_logistic_avx2;
extern const struct th_logistic_kernels th_logistic_avx512;

/* --- A blocked Cholesky factor (tiles_dense.c) ----------------------------
 *
 * A tile is sixteen columns of sixteen lanes. Each number is computed on its
 * own, its terms one after the other, each product fused with its subtraction:
 * so each set gives the same bits. */

enum { TH_TILE = 16, TH_TILE_SIZE = TH_TILE * TH_TILE };

struct th_tile_kernels {
  /* c[j][l] -= sum over k < count of lanes[k][l] * with[k][j] */
  void (*subtract)(int64_t count, const double *lanes, const double *with,
                   double *c);
  /* Column j of c, of a tile L on the diagonal: c_j = (c_j - sum over k < j of
   * L[k][j] c_k) reciprocal[j]. */
  void (*solve)(const double *diagonal, const double *reciprocal, double *c);
  /* The factor of a tile, L[j][l] with l >= j, in its place, and 1 / L[j][j].
   * Column j is left out, and its reciprocal 0, where its pivot is not above
   * least[j]. */
  void (*factor)(const double *least, double *reciprocal, double *c);
  /* y: L z = y of a tile on the diagonal, in its place; the same with L'. */
  void (*forward)(const double *diagonal, const double *reciprocal, double *y);
  void (*back)(const double *diagonal, const double *reciprocal, double *y);
  /* y[l] -= sum over k < count of lanes[k][l] x[k] */
  void (*multiply)(int64_t count, const double *lanes, const double *x,
                   double *y);
  /* y[k] -= sum of lanes[k][l] x[l], for k < count; lanes by a fixed tree */
  void (*transposed)(int64_t count, const double *lanes, const double *x,
                     double *y);
};

extern const struct th_tile_kernels th_tiles_plain;
extern const struct th_tile_kernels th_tiles_avx2;
extern const struct th_tile_kernels th_tiles_avx512;

/* --- All of them ---------------------------------------------------------- */

/* All loops over arrays, of one instruction set. */
struct th_dense_set {
  const char *name;
  const struct th_dense_kernels *kernels;
  const struct th_row_kernels *rows;
  const struct th_products_kernels *products;
  const struct th_column_kernels *columns;
  const struct th_logistic_kernels *logistic;
  const struct th_tile_kernels *tiles;
  const struct th_gradients_kernels *gradients;
};

#endif
