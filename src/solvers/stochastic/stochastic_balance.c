/* stochastic_balance.c - spreads active attributes evenly over the ranks again
 * SPDX-License-Identifier: MIT */
#include "core/partition.h"
#include "solvers/stochastic/stochastic_parts.h"

#include "core/integer.h"
#include "core/memory.h"
#include "solvers/data/active_redistribute.h"

#include <stdlib.h>

/* Moving pays when the rank with the most has that much more than the mean,
 * and that much more than after the last move. */
static const double worth_moving = 1.3;

enum { WORTH_MOVING = 32 }; /* attributes; with fewer, steps cost the same */

/* The attributes of the rank that has the most, over the mean. Collective. */
static double imbalance(struct th_stochastic *s, int64_t *most)
{
  struct th_comm *comm = s->context->comm;
  *most = s->active.count;
  comm->ops->max_i64(comm, most, 1);
  return s->active.total > 0
             ? (double)*most * comm->size / (double)s->active.total
             : 1;
}

/* Borders by the active attributes of each cell. Collective. */
static th_status place_evenly(struct th_stochastic *s,
                              struct th_placement *placement,
                              struct th_error *err)
{
  struct th_comm *comm = s->context->comm;
  int64_t d = th_source_shape(s->context->source)->attributes;
  struct th_cost cost = {.attributes = d,
                         .cells = th_integer_ceil_divide(d, TH_CELL)};
  th_status rc = TH_NEW(&cost.cost, cost.cells, "balancing the ranks", err);
  TH_TRY(th_agree(comm, rc, err));
  for (int64_t p = 0; p < s->active.count; p++)
    cost.cost[s->active.attribute[p] / TH_CELL]++;
  comm->ops->sum_i64(comm, cost.cost, (size_t)cost.cells);
  rc = th_placement_by_cost(placement, &cost, comm->size, err);
  TH_TRY(th_agree(comm, rc, err));
done:
  free(cost.cost);
  return rc;
}

/* The borders of the store. Local. */
static th_status place_at_home(struct th_stochastic *s,
                               struct th_placement *placement,
                               struct th_error *err)
{
  int size = s->context->comm->size;
  int64_t *edge = NULL;
  th_status rc = TH_NEW(&edge, size + 1, "balancing the ranks", err);
  if (rc != TH_OK)
    return rc;
  for (int r = 0; r < size; r++)
    edge[r + 1] = th_source_owned(s->context->source, r, size).last;
  *placement = (struct th_placement){size, edge};
  return rc;
}

/* Move everything over the places. Collective. */
static th_status move_all(struct th_stochastic *s,
                          const struct th_placement *placement,
                          struct th_error *err)
{
  struct th_comm *comm = s->context->comm;
  struct th_active_redistribution redistribution = {0};
  struct th_range owned = {placement->edge[comm->rank],
                           placement->edge[comm->rank + 1]};
  th_status rc;
  TH_TRY(th_active_redistribute_plan(&redistribution, &s->active, placement,
                                     comm, err));
  TH_TRY(th_row_caches_move(&s->caches, &redistribution, err));
  TH_TRY(th_active_move(&s->active, s->context, &redistribution, owned, err));
  TH_TRY(th_stochastic_form(s, err));
done:
  th_active_redistribute_free(&redistribution);
  return rc;
}

th_status th_stochastic_balance(struct th_stochastic *s, struct th_error *err)
{
  struct th_placement placement = {0};
  int64_t most = 0;
  th_status rc = TH_OK;
  if (s->context->comm->size == 1)
    return rc;
  double now = imbalance(s, &most);
  if (now <= worth_moving * s->balanced || most <= WORTH_MOVING)
    return rc;
  TH_TRY(place_evenly(s, &placement, err));
  TH_TRY(move_all(s, &placement, err));
  s->moves++;
  s->balanced = imbalance(s, &most);
done:
  th_placement_free(&placement);
  return rc;
}

th_status th_stochastic_home(struct th_stochastic *s, struct th_error *err)
{
  struct th_placement placement = {0};
  th_status rc;
  if (s->moves == 0)
    return TH_OK;
  rc = place_at_home(s, &placement, err);
  TH_TRY(th_agree(s->context->comm, rc, err));
  TH_TRY(move_all(s, &placement, err));
  s->moves = 0;
  s->balanced = 1;
done:
  th_placement_free(&placement);
  return rc;
}
