/* sampling.h - what the files of the attribute-efficient solvers share
 *
 * Kukliansky & Shamir 2015. One solver serves ridge regression and the lasso
 * (ball.h), and draws by equal, known or estimated second moments.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SAMPLING_H
#define TH_SAMPLING_H

#include "solvers/algorithms.h"
#include "solvers/sampling/learning.h"
#include "solvers/sampling/reads.h"

struct th_touched_place {
  double gradient;
  int64_t stamp; /* the update that touched the attribute last */
};

/* What an update has touched: attributes of this rank, and the cells of all
 * ranks that a data point was read in. */
struct th_touched {
  struct th_touched_place *at; /* of the owned attributes */
  int64_t *place; /* attributes touched, in the order of their slots */
  int64_t count;
  int64_t *cell_stamp; /* of all cells; replicated, as is the rest */
  int64_t *cell;
  int32_t *cell_place; /* of each cell in that list */
  int64_t cells;
  double *number; /* of cells: two for each */
};

struct th_sampling {
  struct th_head head;
  struct th_learning learning; /* w, steps, targets, moments */
  struct th_draws draws;
  struct th_example_order order;
  struct th_reads reads;
  struct th_touched touched;
  int64_t examples; /* so far */
  int64_t updates;
  int64_t first_phase; /* examples of the first phase; 0: there is one phase */
  bool second;         /* the second phase has begun */
};

/* Form the gradient of the mini-batch that was read: an unbiased estimate of
 * the mean gradient of its examples, 0 but for the attributes that are listed.
 * Also for tests. Local. */
void th_sampling_gradient(struct th_sampling *s);

#endif
