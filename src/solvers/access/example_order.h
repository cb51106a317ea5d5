/* example_order.h - examples one after the other, in the order of stochastic
 * methods
 *
 * Deal units come in the order in which th_deal deals them: a permutation in
 * each pass. The rows of a unit come in a shuffled order of their own. The
 * state is the same on every rank.
 * SPDX-License-Identifier: MIT */
#ifndef TH_EXAMPLE_ORDER_H
#define TH_EXAMPLE_ORDER_H

#include "data/deal.h"

#include <stdbool.h>
#include <stdint.h>

struct th_example_order {
  struct th_rows unit;     /* that is being handed out */
  int64_t next;            /* row of it, in its shuffled order */
  int64_t units;           /* handed out so far, in all passes */
  int64_t room;            /* rows of a unit, at most */
  int32_t *place;          /* of rows in the unit */
  struct th_pieces pieces; /* work list */
};

/* Room for units of at most `unit` rows. Local. Release with
 * th_example_order_free. */
th_status th_example_order_init(struct th_example_order *order, int64_t unit,
                                struct th_error *err);
void th_example_order_free(struct th_example_order *order);

/* Its state: the rest of the unit. Local. */
void th_example_order_describe(struct th_example_order *order,
                               struct th_state *state);

/* Examples that are left, in all passes. Local, replicated. */
int64_t th_example_order_left(const struct th_example_order *order,
                              const struct th_deal *deal);

/* The next example, by its stored row. *more = false: all passes are over, and
 * nothing has changed. Local; the same on every rank. An error if a state that
 * was put does not fit. */
th_status th_example_order_next(struct th_example_order *order,
                                struct th_deal *deal, int64_t *row, bool *more,
                                struct th_error *err);

/* Fill *pieces with the next `rows` examples, a piece each; so many are left.
 * Local; the same on every rank. An error if a state that was put does not
 * fit. */
th_status th_example_order_rows(struct th_example_order *order,
                                struct th_deal *deal, int64_t rows,
                                struct th_pieces *pieces, struct th_error *err);

#endif
