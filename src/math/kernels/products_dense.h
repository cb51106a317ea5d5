/* products_dense.h - the kernel of products, once per instruction set
 *
 * math/kernels/products_dense.c is compiled for several instruction sets, like
 * math/kernels/dense.c; each gives the same bits.
 * SPDX-License-Identifier: MIT */
#ifndef TH_PRODUCTS_DENSE_H
#define TH_PRODUCTS_DENSE_H

#include "math/kernels/column.h"

/* As th_column_products_add. */
typedef void th_products_kernel(const struct th_products *p);

/* The latter two on x86-64 only. */
th_products_kernel th_products_plain;
th_products_kernel th_products_avx2;
th_products_kernel th_products_avx512;

#endif
