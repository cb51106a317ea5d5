/* tiles_dense.h - the loops of a blocked Cholesky factor, once per instruction
 * set
 *
 * math/kernels/tiles_dense.c is compiled for several instruction sets, like
 * math/kernels/dense.c. A tile is sixteen columns of sixteen lanes. Each number
 * is computed on its own, its terms one after the other, each product fused
 * with its subtraction: so each set gives the same bits.
 * SPDX-License-Identifier: MIT */
#ifndef TH_TILES_DENSE_H
#define TH_TILES_DENSE_H

#include <stdint.h>

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

/* The latter two on x86-64 only. */
extern const struct th_tile_kernels th_tiles_plain;
extern const struct th_tile_kernels th_tiles_avx2;
extern const struct th_tile_kernels th_tiles_avx512;

#endif
