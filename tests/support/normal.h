/* normal.h - standard normal numbers of tests
 * SPDX-License-Identifier: MIT */
#ifndef TH_TEST_NORMAL_H
#define TH_TEST_NORMAL_H

#include "base/random.h"

#include <stdint.h>

/* The same number for the same arguments. Local. */
static inline double test_normal(uint64_t seed, uint64_t step, int64_t index)
{
  struct th_stream stream = {seed, TH_PURPOSE_TEST};
  double pair[2];
  th_random_normal(stream, step, (uint64_t)index, pair);
  return pair[0];
}

#endif
