/* products_dense.c - the kernel of products, once per instruction set
 *
 * Compiled once per set (src/math/kernels/CMakeLists.txt), which names its
 * kernel in TH_PRODUCTS_SET. A tile's sums stay in registers over the rows.
 * Where vectors are shorter than the lanes, the rows are gone through again for
 * the other lanes; where registers are few, again for the other half of the
 * tile.
 * SPDX-License-Identifier: MIT */
#include "math/kernels/dense.h"

#include "math/kernels/simd.h"

enum {
  TILE = TH_PRODUCTS_TILE,
  LANES = TH_PRODUCTS_LANES,
  PART = TH_VECTOR == 64 ? TILE : TILE / 2 /* right columns at a time */
};

TH_INLINE th_vector_f64 load(const double *x)
{
  th_vector_f64 vector;
  memcpy(&vector, x, sizeof vector);
  return vector;
}

/* TH_WIDTH_f64 lanes of PART columns of a tile. */
TH_INLINE void sum_lanes(const struct th_products *p, const double *left,
                         const double *right, double *lanes)
{
  th_vector_f64 sum[PART][TILE] = {{{0}}};
  th_vector_f64 with[PART];
  for (int64_t i = 0; i < p->rows; i += LANES) {
    for (int k = 0; k < PART; k++)
      with[k] = load(right + k * p->lead + i);
    for (int j = 0; j < TILE; j++) {
      th_vector_f64 value = load(left + j * p->lead + i);
      for (int k = 0; k < PART; k++)
        sum[k][j] += value * with[k];
    }
  }
  for (int k = 0; k < PART; k++)
    for (int j = 0; j < TILE; j++)
      memcpy(lanes + (k * TILE + j) * LANES, &sum[k][j], sizeof sum[k][j]);
}

static void add_tile(const struct th_products *p, const double *left,
                     const double *right, double *sum)
{
  double lanes[TILE * TILE * LANES];
  for (int k = 0; k < TILE; k += PART)
    for (int lane = 0; lane < LANES; lane += TH_WIDTH_f64)
      sum_lanes(p, left + lane, right + k * p->lead + lane,
                lanes + k * TILE * LANES + lane);
  const double *s = lanes;
  for (int k = 0; k < TILE; k++)
    for (int j = 0; j < TILE; j++, s += LANES)
      sum[j + k * p->stride] +=
          ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

static void add_products(const struct th_products *p)
{
  for (int64_t j = 0; j < p->left_tiles; j++)
    for (int64_t k = 0; k < p->right_tiles; k++)
      add_tile(p, p->left + j * TILE * p->lead, p->right + k * TILE * p->lead,
               p->sum + (j + k * p->stride) * TILE);
}

const struct th_products_kernels TH_PRODUCTS_SET = {add_products};
