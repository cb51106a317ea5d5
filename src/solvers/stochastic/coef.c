/* coef.c - the iterate of stochastic methods: its copies and its prox, how
 * large its predictions may be, and on which rank each of its places lies
 * SPDX-License-Identifier: MIT */
#include "solvers/stochastic/coef.h"

#include "base/integer.h"
#include "base/memory.h"
#include "ranks/partition.h"
#include "solvers/access/active.h"
#include "solvers/stochastic/stochastic.h"
#include "state/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Predictions in fixed point while coefficients move ------------------- */

static const double room_to_grow = 16; /* a new scale lasts for some steps */

void th_coef_scaling_describe(struct th_scaling *scaling,
                              struct th_state *state)
{
  th_state_enter(state, "scaling");
  TH_STATE_ONE(state, scaling, coef_bound);
  TH_STATE_ONE(state, scaling, anchor_coef_bound);
  TH_STATE_ONE(state, scaling, step_bound);
  TH_STATE_ONE(state, scaling, scaled_for);
  TH_STATE_ONE(state, &scaling->fixed, scale);
  TH_STATE_ONE(state, &scaling->fixed, inverse);
  th_state_leave(state);
}

void th_coef_restart(struct th_scaling *scaling, double coef_bound)
{
  scaling->coef_bound = coef_bound;
  scaling->scaled_for = 0;
}

th_status th_coef_scale(struct th_stochastic *s, struct th_error *err)
{
  double coef_bound = fmax(s->scaling.coef_bound, s->scaling.anchor_coef_bound);
  if (coef_bound <= s->scaling.scaled_for)
    return TH_OK;
  s->scaling.scaled_for = room_to_grow * coef_bound;
  if (!th_fixed_init(&s->scaling.fixed, s->scaling.scaled_for))
    return th_fail(err, TH_ENUMERIC,
                   "the coefficients have become infinite; standardize, or "
                   "take a smaller step size");
  return TH_OK;
}

th_status th_coef_total(struct th_stochastic *s, const double *v, double *total,
                        struct th_error *err)
{
  struct th_comm *comm = s->context->comm;
  struct th_fixed fixed;
  double largest = 0;
  int64_t sums[2] = {0, 0};
  th_status rc = TH_OK;
  for (int64_t p = 0; p < s->active.count; p++)
    largest = fmax(largest, isfinite(v[p]) ? fabs(v[p]) : INFINITY);
  comm->ops->max_f64(comm, &largest, 1);
  if (!th_fixed_init(&fixed, largest * (double)s->active.total) ||
      !th_row_cells_sum(v, &s->places.cells, &fixed, &sums[0]))
    rc = th_fail(err, TH_ENUMERIC,
                 "the coefficients have become infinite; standardize, or take "
                 "a smaller step size");
  rc = th_comm_sum_agree(comm, sums, 1, rc, err);
  if (rc == TH_OK)
    *total = th_fixed_to(&fixed, sums[0]);
  return rc;
}

th_status th_coef_bound_of(struct th_stochastic *s, const double *v,
                           double *bound, struct th_error *err)
{
  double *work = s->places.group_second;
  for (int64_t p = 0; p < s->active.count; p++)
    work[p] = fabs(v[p]) * s->active.bound[p];
  return th_coef_total(s, work, bound, err);
}

th_status th_coef_bound(struct th_stochastic *s, struct th_error *err)
{
  double coef_bound = 0;
  th_status rc = th_coef_bound_of(s, th_coef_of(s), &coef_bound, err);
  if (rc == TH_OK)
    th_coef_restart(&s->scaling, coef_bound * TH_FIXED_SLACK);
  return rc;
}

/* --- The iterate and its copies ------------------------------------------- */

double *th_coef_of(const struct th_stochastic *s)
{
  return s->active.field[TH_FIELD_COEF];
}

bool th_coef_separable(const struct th_stochastic *s)
{
  return s->context->config->group.all == NULL && s->exempt.count == 0;
}

void th_coef_assign(struct th_stochastic *s, const struct th_support *model)
{
  double *b = th_coef_of(s);
  memset(b, 0, (size_t)s->active.count * sizeof *b);
  for (int64_t k = 0; k < model->size; k++) {
    int64_t place = th_active_place(&s->active, model->attribute[k]);
    if (place >= 0)
      b[place] = model->coef[k];
  }
  s->intercept = model->intercept;
}

void th_coef_hold(const struct th_stochastic *s, int field, double *intercept)
{
  memcpy(th_stochastic_screening_field(s, field), th_coef_of(s),
         (size_t)s->active.count * sizeof(double));
  if (intercept != NULL)
    *intercept = s->intercept;
}

void th_coef_return(struct th_stochastic *s, int field, double intercept)
{
  memcpy(th_coef_of(s), th_stochastic_screening_field(s, field),
         (size_t)s->active.count * sizeof(double));
  s->intercept = intercept;
}

void th_coef_prox(struct th_stochastic *s, double t, double *v)
{
  if (th_coef_separable(s))
    th_row_soft_all(t * s->lambda, v, s->active.count);
  else
    th_grouping_prox(&s->grouping, s->context->comm, t * s->lambda, v);
}

/* --- What is derived from the set of active attributes -------------------- */

static const struct th_array active_work[] = {
    TH_ARRAY(struct th_places, keep), TH_ARRAY(struct th_places, group_keep),
    TH_ARRAY(struct th_places, group_dual),
    TH_ARRAY(struct th_places, group_second)};

void th_coef_places_free(struct th_places *places)
{
  TH_FREE(places->edge, places->choice);
  th_memory_arrays_free(TH_ARRAYS(places, active_work));
}

/* Room for all places and their cells. Local. */
static th_status reserve(struct th_stochastic *s, struct th_error *err)
{
  struct th_range owned = s->active.owned;
  th_status rc;
  TH_TRY(TH_GROW(&s->places.edge, &s->places.edge_capacity,
                 th_integer_ceil_divide(th_range_count(owned), TH_CELL) + 1,
                 "the attributes left after screening", err));
  TH_TRY(th_row_caches_reserve(&s->caches, err));
  TH_TRY(th_memory_arrays_reserve(
      TH_ARRAYS(&s->places, active_work), &s->places.capacity,
      th_max_i64(s->active.count, 1), "screening", err));
done:
  return rc;
}

/* Where cells begin among the active places. Local. */
static void form_cells(struct th_stochastic *s)
{
  int64_t cells = 0;
  for (int64_t p = 0; p < s->active.count;) {
    s->places.edge[cells++] = p;
    p = th_active_cell_end(&s->active, p);
  }
  s->places.edge[cells] = s->active.count;
  s->places.cells =
      (struct th_cells){cells, s->places.edge, s->active.attribute};
}

th_status th_coef_places_form(struct th_stochastic *s, struct th_error *err)
{
  const struct th_config *config = s->context->config;
  th_status rc = reserve(s, err);
  if (rc == TH_OK)
    form_cells(s);
  rc = th_agree(s->context->comm, rc, err);
  if (rc != TH_OK)
    return rc;
  struct th_grouping_penalty of = {.penalty = th_penalty_find(config->penalty),
                                   .mix = config->group.mix,
                                   .groups = config->group.all,
                                   .exempt = s->exempt.attribute,
                                   .exempt_count = s->exempt.count};
  return th_grouping_build(&s->grouping, &of, s->context->comm,
                           s->active.attribute, s->active.count, err);
}

th_status th_coef_places_keep(struct th_stochastic *s, struct th_error *err)
{
  int64_t dropped = 0;
  th_status rc = TH_OK;
  for (int64_t k = 0; k < s->exempt.count; k++) {
    int64_t p = th_active_place(&s->active, s->exempt.attribute[k]);
    if (p >= 0)
      s->places.keep[p] = true;
  }
  for (int64_t p = 0; p < s->active.count; p++)
    dropped += !s->places.keep[p];
  s->context->comm->ops->sum_i64(s->context->comm, &dropped, 1);
  if (dropped == 0)
    return rc;
  th_stochastic_changed(s, TH_CHANGE_PLACES);
  th_row_caches_keep(&s->caches, s->places.keep);
  TH_TRY(th_active_keep(&s->active, s->context, s->places.keep, err));
  rc = th_coef_places_form(s, err);
done:
  return rc;
}

/* --- Spreads active attributes evenly over the ranks again ---------------- */

/* Moving pays when the rank with the most has that much more than the mean,
 * and that much more than after the last move. */
static const double worth_moving = 1.3;

enum { WORTH_MOVING = 32 }; /* attributes; with fewer, steps cost the same */

/* The attributes of the rank that has the most, over the mean. Collective. */
static double active_imbalance(struct th_stochastic *s, int64_t *most)
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
  rc = th_partition_by_cost(placement, &cost, comm->size, err);
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
  *placement = (struct th_placement){.size = size, .edge = edge};
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
  if (redistribution.moves)
    TH_TRY(th_row_caches_move(&s->caches, &redistribution, err));
  TH_TRY(th_active_move(&s->active, s->context, &redistribution, owned, err));
  TH_TRY(th_coef_places_form(s, err));
done:
  th_active_redistribute_free(&redistribution);
  return rc;
}

th_status th_coef_places_balance(struct th_stochastic *s, struct th_error *err)
{
  struct th_placement placement = {0};
  int64_t most = 0;
  th_status rc = TH_OK;
  if (s->context->comm->size == 1)
    return rc;
  double now = active_imbalance(s, &most);
  if (now <= worth_moving * s->balanced || most <= WORTH_MOVING)
    return rc;
  TH_TRY(place_evenly(s, &placement, err));
  TH_TRY(move_all(s, &placement, err));
  s->moves++;
  s->balanced = active_imbalance(s, &most);
done:
  th_partition_placement_free(&placement);
  return rc;
}

th_status th_coef_places_home(struct th_stochastic *s, struct th_error *err)
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
  th_partition_placement_free(&placement);
  return rc;
}
