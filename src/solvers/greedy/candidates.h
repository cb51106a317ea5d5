/* candidates.h - Try-Select: attributes that may be next, and who stands out
 *
 * Saad, Blanchard & Arlot 2024, Algorithm 6. Z_i is the mean of
 * x_i (x'beta - y). Everything is replicated unless it is said to be an
 * owner's.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CANDIDATES_H
#define TH_CANDIDATES_H

#include "solvers/access/batch.h"
#include "solvers/access/context.h"
#include "solvers/greedy/oomp.h"

#include <stdbool.h>
#include <stdint.h>

/* Try-Select: attributes that may be next, and what is known of them. */
struct th_candidates {
  int64_t owned;
  bool *alive;    /* owned: not in S, and not eliminated */
  double *sum;    /* owned: of x_i (x'beta - y) over the rows */
  double *square; /* owned: of its squares */
  int64_t *list;  /* the owned ones that are alive, ascending */
  int64_t count;  /* of them */
  double *value;  /* of each in the list: |Z|, by the last test */
  double *half;   /* and half of its confidence interval */
  int64_t total;  /* alive, of all ranks */
  int64_t rows;   /* n */
};

/* What a test says. */
struct th_verdict_of_candidates {
  double upper;                     /* largest |Z| + conf */
  double least;                     /* smallest conf of those alive */
  int64_t chosen;                   /* attributes that stand out */
  struct th_index_value *attribute; /* those, with |Z|, the largest first;
                                       owned */
};

/* Room for the owned attributes. Local. */
th_status th_candidates_init(struct th_candidates *c,
                             const struct th_context *context,
                             struct th_error *err);
void th_candidates_free(struct th_candidates *c);

/* Begin anew with all useful attributes outside of S, and no row.
 * Collective. */
th_status th_candidates_begin(struct th_candidates *c,
                              struct th_context *context,
                              const struct th_support *support,
                              struct th_error *err);

/* Look at so many fresh rows, with the residuals of `support`. *more: there
 * were so many. Collective. */
th_status th_candidates_read(struct th_candidates *c,
                             struct th_context *context, struct th_batch *batch,
                             const struct th_support *support, int64_t rows,
                             bool *more, struct th_error *err);

/* Test all candidates (Algorithm 6), and eliminate those that are not the best.
 * delta: of this call. Collective. Free the list of the verdict. */
th_status th_candidates_test(struct th_candidates *c,
                             struct th_context *context,
                             const struct th_oomp_law *law, double delta,
                             double norm1, struct th_verdict_of_candidates *v,
                             struct th_error *err);

/* Their state. Collective while it is put. */
void th_candidates_describe(struct th_candidates *c, struct th_context *context,
                            struct th_state *state);

#endif
