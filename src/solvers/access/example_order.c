/* example_order.c - examples one after the other, in the order of stochastic
 * methods
 * SPDX-License-Identifier: MIT */
#include "solvers/access/example_order.h"

#include "base/memory.h"
#include "base/random.h"
#include "state/state.h"

#include <stdlib.h>

th_status th_example_order_init(struct th_example_order *order, int64_t unit,
                                struct th_error *err)
{
  *order = (struct th_example_order){.room = unit};
  return TH_NEW(&order->place, unit, "the order of examples", err);
}

void th_example_order_free(struct th_example_order *order)
{
  free(order->place);
  th_deal_pieces_free(&order->pieces);
  *order = (struct th_example_order){.place = NULL};
}

static void check_order(const struct th_example_order *order,
                        struct th_state *state)
{
  bool good = true;
  for (int64_t k = 0; k < order->unit.count && th_state_good(state); k++)
    good = good && order->place[k] >= 0 && order->place[k] < order->unit.count;
  if (th_state_puts(state) && !good)
    th_state_note(state, th_fail(state->err, TH_EFORMAT,
                                 "the state orders examples that there are "
                                 "not"));
}

void th_example_order_describe(struct th_example_order *order,
                               struct th_state *state)
{
  th_state_enter(state, "order");
  TH_STATE_AT_MOST(state, &order->unit, count, order->room);
  TH_STATE_ONE(state, &order->unit, first);
  if (state->examples > 0)
    th_state_limit(state, "first", &order->unit.first, 1, 0,
                   state->examples - order->unit.count);
  TH_STATE_AT_MOST(state, order, next, order->unit.count);
  TH_STATE_ONE(state, order, units);
  TH_STATE_ARRAY(state, order, place, order->unit.count);
  check_order(order, state);
  th_state_leave(state);
}

/* Fisher and Yates; a number of 32 bits for each row of a unit. */
static void shuffle_rows(struct th_example_order *order, uint64_t seed)
{
  struct th_stream stream = {seed, TH_PURPOSE_ORDER};
  uint32_t bits[4];
  for (int64_t k = 0; k < order->unit.count; k++) {
    if (k % 4 == 0)
      th_random_bits(stream, (uint64_t)order->units, (uint64_t)k, bits);
    int64_t other = (int64_t)((uint64_t)bits[k % 4] * (uint64_t)(k + 1) >> 32);
    order->place[k] = order->place[other];
    order->place[other] = (int32_t)k;
  }
}

/* Take the next unit: its first row, then the rows of it that the deal holds.
 */
static th_status next_unit(struct th_example_order *order, struct th_deal *deal,
                           struct th_error *err)
{
  th_status rc = TH_OK;
  order->pieces.count = 0;
  order->next = 0;
  TH_TRY(th_deal_begin(deal, err));
  TH_TRY(th_deal_rows(deal, TH_CONSUMER_EXPLOIT, 1, &order->pieces, err));
  if (order->pieces.count == 0)
    return th_fail(err, TH_EFORMAT,
                   "the state counts more examples than it deals");
  struct th_rows *first = &order->pieces.items[0];
  int64_t rest = deal->rest[TH_CONSUMER_EXPLOIT].count;
  order->unit = (struct th_rows){first->first, 1 + rest};
  TH_TRY(th_deal_rows(deal, TH_CONSUMER_EXPLOIT, rest, &order->pieces, err));
  shuffle_rows(order, deal->plan.seed);
  order->units++;
done:
  return rc;
}

int64_t th_example_order_left(const struct th_example_order *order,
                              const struct th_deal *deal)
{
  return order->unit.count - order->next + th_deal_left(deal);
}

th_status th_example_order_next(struct th_example_order *order,
                                struct th_deal *deal, int64_t *row, bool *more,
                                struct th_error *err)
{
  th_status rc = TH_OK;
  *more = order->next < order->unit.count || th_deal_left(deal) > 0;
  if (*more && order->next >= order->unit.count)
    rc = next_unit(order, deal, err);
  if (*more && rc == TH_OK)
    *row = order->unit.first + order->place[order->next++];
  return rc;
}

th_status th_example_order_rows(struct th_example_order *order,
                                struct th_deal *deal, int64_t rows,
                                struct th_pieces *pieces, struct th_error *err)
{
  th_status rc = TH_OK;
  bool more = true;
  pieces->count = 0;
  for (int64_t i = 0; i < rows && rc == TH_OK; i++) {
    struct th_rows one = {0, 1};
    rc = th_example_order_next(order, deal, &one.first, &more, err);
    if (rc == TH_OK)
      rc = th_deal_pieces_add(pieces, one, err);
  }
  return rc;
}
