/* sparse_average.h - a sparse anchor point from the average of a block's
 * iterates
 *
 * Iterates of stochastic methods have few exact zeros. A hard threshold makes
 * their average sparse. Its level is the one that gives the smallest objective
 * on the examples that were seen last. The levels fall by a constant factor
 * from the largest magnitude. All functions are local and replicated.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SPARSE_AVERAGE_H
#define TH_SPARSE_AVERAGE_H

#include <stdint.h>

/* Levels from the largest magnitude down to 2^-10 of it; the last is 0. */
enum { TH_ANCHOR_LEVELS = 24 };

/* Compute the levels. Level k keeps magnitudes of level[k] at least. */
void th_sparse_average_levels(double largest, double level[TH_ANCHOR_LEVELS]);

/* Return the first level that keeps this value, or TH_ANCHOR_LEVELS for 0. */
int th_sparse_average_level(const double level[TH_ANCHOR_LEVELS], double value);

/* Return the level with the smallest objective; of equal ones the sparser.
 * Objectives that are not numbers lose. */
int th_sparse_average_best(const double objective[TH_ANCHOR_LEVELS]);

#endif
