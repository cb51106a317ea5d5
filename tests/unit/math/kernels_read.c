/* kernels_read.c - what measures the memory reads all of it
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "math/kernels/kernels.h"

#include "math/kernels/dense.h"

/* Every set reads all of it. */
static void test_read(void)
{
  static float values[640];
  const struct th_dense_set *set = th_kernel_sets();
  for (int k = 0; k < 640; k++)
    values[k] = (float)k;
  for (; set->name != NULL; set++)
    for (int count = 64; count <= 640; count += 64)
      if (th_kernel_runs_here(set))
        CHECK(set->kernels->read(values, count) ==
              0.5 * (double)count * (double)(count - 1));
}

int main(void)
{
  CASE(test_read());
  return check_finish(NULL);
}
