/* check.h - checks that count failures and go on, so that ranks stay together
 * SPDX-License-Identifier: MIT */
#ifndef TH_CHECK_H
#define TH_CHECK_H

#include "core/comm.h"

#include <math.h>
#include <stdio.h>

/* Failures so far in this test program: one count for all of its files. */
__attribute__((weak)) int check_failures = 0;

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      check_failures++;                                                        \
      fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__,         \
              #condition);                                                     \
    }                                                                          \
  } while (0)

/* Both values within a relative tolerance of the larger magnitude, or an
 * absolute one of the same size near zero. */
#define CHECK_NEAR(a, b, tolerance)                                            \
  do {                                                                         \
    double check_a = (a);                                                      \
    double check_b = (b);                                                      \
    double check_size = fmax(1.0, fmax(fabs(check_a), fabs(check_b)));         \
    if (!(fabs(check_a - check_b) <= (tolerance)*check_size)) {                \
      check_failures++;                                                        \
      fprintf(stderr, "%s:%d: %s = %.17g, %s = %.17g\n", __FILE__, __LINE__,   \
              #a, check_a, #b, check_b);                                       \
    }                                                                          \
  } while (0)

/* Sum the failures of all ranks, so that all leave together; the exit status
 * of the program. Collective; comm may be NULL for a serial test. */
static inline int check_finish(struct th_comm *comm)
{
  int64_t failures = check_failures;
  if (comm != NULL)
    comm->ops->sum_i64(comm, &failures, 1);
  return failures == 0 ? 0 : 1;
}

#endif
