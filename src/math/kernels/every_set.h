/* every_set.h - functions that are compiled for several instruction sets
 *
 * The best of which runs; none contracts products and sums, so the bits are the
 * same.
 * SPDX-License-Identifier: MIT */
#ifndef TH_EVERY_SET_H
#define TH_EVERY_SET_H

#if defined(__x86_64__) && defined(__gnu_linux__)
#define FOR_EVERY_SET                                                          \
  __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FOR_EVERY_SET
#endif

/* What such a function is made of, or it is not compiled along. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

#endif
