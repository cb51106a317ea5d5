/* folds.h - folds of rows for cross-validation
 *
 * Replicated where rows and targets are. Local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_FOLDS_H
#define TH_FOLDS_H

#include "data/store.h"

#include <stdbool.h>
#include <stdint.h>

/* What is known of the rows. Borrowed. */
struct th_folds_rows {
  int64_t rows;
  const double *target; /* read with labels alone */
  bool labels;
  const double *weight; /* NULL: all are 1 */
  const int64_t *twin;  /* the first row that equals this one, or itself; NULL:
                           no rows are equal */
};

/* twin[] of all training examples. twins: NULL: nobody knows of any. */
void th_folds_twins(const struct th_twins *twins, int64_t rows, int64_t *twin);

/* How many different rows there are with a weight above 0. */
int64_t th_folds_distinct(const struct th_folds_rows *given);

/* The number of folds for so many different rows: 10 below 500, where every row
 * for training counts, else 5; no more than there are rows. */
int64_t th_folds_count(int64_t distinct);

/* fold[i], 0 .. count - 1, of every row. A seeded order of the different rows
 * is dealt round robin, and equal ones follow. With labels there is one order
 * for each class, -1 and +1 (target <= 0, > 0), and the second is dealt from
 * where the first ended. So the numbers of different rows in folds differ by
 * one at most, also within each class. If there are fewer of them than folds,
 * some folds are empty. Rows of weight 0 take no part in this; they are dealt
 * for themselves. */
void th_folds_make(const struct th_folds_rows *given, uint64_t seed,
                   int64_t count, uint8_t *fold);

#endif
