/* looks.h - a mini-batch under a budget: of each example the support, and other
 * attributes that are drawn uniformly at random
 *
 * Ito et al. 2017 and Kale et al. 2017 look at examples in this way. The others
 * are drawn without replacement, anew for each example. A member of the support
 * is seen with probability 1. Let m of the d - s others be drawn. Each is seen
 * with probability p = m / (d - s), and two of them together with probability
 * q = p (m - 1) / (d - s - 1). A member and another one are seen together with
 * probability p. What is seen, divided by these, is what unbiased estimates are
 * made of.
 *
 * The draws are named by the example, so that every rank knows all of them.
 * SPDX-License-Identifier: MIT */
#ifndef TH_LOOKS_H
#define TH_LOOKS_H

#include "solvers/access/context.h"
#include "solvers/access/example_order.h"
#include "solvers/access/support.h"
#include "solvers/plan.h"

#include <stdbool.h>
#include <stdint.h>

/* The options of solvers that look at the support and at others at random. */
#define TH_LOOK_OPTIONS "sparsity", "budget", "passes", "validation", "lambda"

/* With which probability attributes are seen. */
struct th_looks_odds {
  double one; /* p: an attribute outside of the support */
  double two; /* q: two of them together */
};

/* The odds where `known` of d attributes are seen for sure and the budget is
 * used up. Local. */
struct th_looks_odds th_looks_odds_of(int64_t d, int64_t known, int64_t budget);

/* Replicated but for the values of this rank. */
struct th_looks {
  uint64_t seed;
  int64_t capacity; /* rows */
  int64_t rows;
  int64_t examples; /* taken so far */
  struct th_example_order order;
  struct th_pieces pieces; /* single rows */
  int64_t known;           /* size of the support */
  struct th_looks_odds odds;
  struct th_draw draw;
  int64_t slot_capacity;
  int64_t *attribute; /* of each slot, row by row: the support comes first */
  int32_t *cell;
  double *number; /* of each slot: what its owner tells all ranks */
  int64_t *message;
  int64_t count; /* slots whose attribute is this rank's */
  int64_t *slot;
  int64_t *mine; /* their attributes */
  double *value; /* as solvers see them */
};

/* Room for `rows` examples. Local. Release with th_looks_free. */
th_status th_looks_init(struct th_looks *looks,
                        const struct th_context *context, int64_t rows,
                        struct th_error *err);
void th_looks_free(struct th_looks *looks);

/* Take at most so many of the next examples, and read the support and other
 * attributes of them up to the budget. *more = false: none is left, and nothing
 * has changed. Afterwards number[] is the value in each slot, times
 * coef[attribute - owned.first] if coef is given. Collective: one sum of 8
 * bytes for each slot. */
th_status th_looks_draw(struct th_looks *looks, struct th_context *context,
                        const struct th_support *support, int64_t most,
                        const double *coef, bool *more, struct th_error *err);

/* Its state: the order of examples. Local. */
void th_looks_describe(struct th_looks *looks, struct th_state *state);

/* The stored row of example r of the mini-batch. Local. */
static inline int64_t th_looks_row(const struct th_looks *looks, int64_t r)
{
  return looks->pieces.items[r].first;
}

/* --- What plans of solvers that look so have in common */

/* Check loss and budget, and choose the passes. Local. */
th_status th_looks_plan_begin(struct th_config *config, int64_t attributes,
                              struct th_error *err);

/* Bytes of a rank for looks, support and attributes. Local. */
int64_t th_looks_plan_memory(const struct th_config *config,
                             const struct th_plan_size *size);

#endif
