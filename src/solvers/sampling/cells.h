/* cells.h - numbers of cells that every rank knows
 *
 * A cell (TH_CELL attributes) has one owner. Sums over attributes are formed
 * cell by cell by the owners, and then over the cells by every rank, always in
 * the same order. So they do not depend on the number of ranks.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CELLS_H
#define TH_CELLS_H

#include "math/sum_tree.h"
#include "solvers/data/context.h"

/* How many cells there are. Local. */
int64_t th_cells_count(const struct th_context *context);
/* This rank's cells. Local. */
struct th_range th_cells_owned(const struct th_context *context);

/* sum[cells] = the sums of value[owned attributes], cell by cell, on every
 * rank. Collective. Returns the sum over all. */
double th_cells_sum(const struct th_context *context, const double *value,
                    double *sum);

/* all: a tree over all cells. Its leaves become the tops of this rank's tree
 * over its attributes, and those of the other ranks. Collective. */
void th_cells_share(const struct th_context *context,
                    const struct th_sum_tree *owned, struct th_sum_tree *all);

#endif
