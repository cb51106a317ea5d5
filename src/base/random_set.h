/* random_set.h - many random numbers at once, once per instruction set
 *
 * base/random_set.c is compiled for several instruction sets; each gives the
 * bits of the functions that draw one pair.
 * SPDX-License-Identifier: MIT */
#ifndef TH_RANDOM_SET_H
#define TH_RANDOM_SET_H

#include "base/random.h"

#include <stdint.h>

typedef void th_random_uniforms_of(const struct th_random_pairs *pairs,
                                   int64_t n, double *first, double *second);

struct th_random_set {
  th_random_uniforms_of *uniforms; /* th_random_uniform_pairs */
};

extern const struct th_random_set th_random_plain;
extern const struct th_random_set th_random_avx2;
extern const struct th_random_set th_random_avx512;

#endif
