/* folds.h - folds of rows for cross-validation
 *
 * Replicated where rows and targets are. Local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_FOLDS_H
#define TH_FOLDS_H

#include <stdbool.h>
#include <stdint.h>

/* The number of folds: 10 below 500 rows, where every row for training counts,
 * else 5. */
int64_t th_folds_count(int64_t rows);

/* fold[i], 0 .. count - 1, of every row. A seeded order of the rows is dealt
 * round robin. With labels there is one order for each class, -1 and +1 (target
 * <= 0, > 0), and the second is dealt from where the first ended. So the sizes
 * of folds differ by one at most, also within each class. If there are fewer
 * rows than folds, some folds are empty. target is not read without labels. */
void th_folds_make(int64_t rows, const double *target, bool labels,
                   uint64_t seed, int64_t count, uint8_t *fold);

#endif
