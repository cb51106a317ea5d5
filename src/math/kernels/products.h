/* products.h - sums of products of columns, tile by tile
 *
 * Gram matrices are made of these. The rows of a product are summed in eight
 * lanes, row i in lane i % 8. The lanes are summed by the same tree as in
 * math/kernels/column_kernels.h. So the bits depend only on the two columns,
 * and not on which of them is left or on the instruction set. Local; nothing
 * allocates.
 * SPDX-License-Identifier: MIT */
#ifndef TH_PRODUCTS_H
#define TH_PRODUCTS_H

#include <stdint.h>

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
void th_products_add(const struct th_products *p);

/* Add the products in plain terms, for tests. */
void th_products_reference(const struct th_products *p);

/* Round columns up to whole tiles; round rows up to whole lanes. */
int64_t th_products_tiles(int64_t columns);
int64_t th_products_whole(int64_t rows);

#endif
