/* elementary_set.h - the array forms of elementary.h, once per instruction set
 *
 * base/elementary_set.c is compiled for several instruction sets; each gives
 * the bits of the scalar functions.
 * SPDX-License-Identifier: MIT */
#ifndef TH_ELEMENTARY_SET_H
#define TH_ELEMENTARY_SET_H

#include <stdint.h>

typedef void th_elementary_array(int64_t n, const double *x, double *y);

struct th_elementary_set {
  th_elementary_array *exp;
  th_elementary_array *log;
  th_elementary_array *log1p;
  void (*pow)(int64_t n, const double *x, double exponent, double *y);
  void (*sincos)(int64_t n, const double *x, double *sine, double *cosine);
};

extern const struct th_elementary_set th_elementary_plain;
extern const struct th_elementary_set th_elementary_avx2;
extern const struct th_elementary_set th_elementary_avx512;

#endif
