/* folds.h - folds of rows, each of which validates what the others teach
 *
 * Replicated where rows and targets are. Local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_FOLDS_H
#define TH_FOLDS_H

#include <stdbool.h>
#include <stdint.h>

/* F: 10 below 500 rows, where each row that teaches counts; else 5. */
int64_t th_folds_count(int64_t rows);

/* fold[i], 0 .. count - 1, of every row: a seeded order of the rows is dealt
 * round robin. Labels: an order of each class, -1 and +1 (target <= 0, > 0),
 * the second dealt on from where the first ended: so the folds' sizes differ by
 * one at most, and those of either class too. Folds are empty where rows are
 * fewer than folds. target is not read without labels. */
void th_folds_make(int64_t rows, const double *target, bool labels,
                   uint64_t seed, int64_t count, uint8_t *fold);

#endif
