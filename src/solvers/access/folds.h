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
  const int64_t *group; /* the first row of its group, which stays together and
                           takes the place of twins; NULL: there are none */
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
 * for themselves.
 *
 * Groups are dealt as wholes, from the largest to the smallest, those of a size
 * in seeded order. Each goes to the fold that has the fewest rows so far
 * (Graham 1969: no fold then has more than 4/3 of what the best deal gives its
 * largest). With labels c it is that of the least sum of n_c g_c / N_c^2, where
 * n_c are the fold's rows, g_c the group's, and N_c all of them: what then
 * grows least is the sum of (n_c / N_c)^2 over folds and classes. Folds are
 * numbered at random. Rows of weight 0 follow their group. */
th_status th_folds_make(const struct th_folds_rows *given, uint64_t seed,
                        int64_t count, uint8_t *fold, struct th_error *err);

/* Join the groups that equal rows lie in: first[i], the first row of the group
 * of row i, is that of the joint group afterwards. Return how many groups
 * there are. twins: NULL: nobody knows of any. */
int64_t th_folds_unite(int64_t *first, int64_t rows,
                       const struct th_twins *twins);

#endif
