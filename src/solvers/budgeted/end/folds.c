/* folds.c - folds of rows for cross-validation
 * SPDX-License-Identifier: MIT */
#include "solvers/budgeted/end/folds.h"

#include "core/random.h"

enum { FEW_ROWS = 500, FOLDS_OF_FEW = 10, FOLDS = 5 };

int64_t th_folds_count(int64_t rows)
{
  return rows < FEW_ROWS ? FOLDS_OF_FEW : FOLDS;
}

/* Whether a row is of a class: with labels its own, else the only one. */
static bool is_of(const double *target, bool labels, int64_t i, int which)
{
  return labels ? (target[i] > 0) == which : which == 0;
}

void th_folds_make(int64_t rows, const double *target, bool labels,
                   uint64_t seed, int64_t count, uint8_t *fold)
{
  struct th_stream stream = {seed, TH_PURPOSE_FOLD};
  int64_t dealt = 0;
  for (int which = 0; which < 2; which++) {
    int64_t size = 0;
    int64_t number = 0;
    for (int64_t i = 0; i < rows; i++)
      size += is_of(target, labels, i, which);
    for (int64_t i = 0; i < rows; i++)
      if (is_of(target, labels, i, which)) {
        int64_t place =
            th_random_place(stream, (uint64_t)which, size, number++);
        fold[i] = (uint8_t)((dealt + place) % count);
      }
    dealt += size;
  }
}
