/* coef.c - the iterate of stochastic methods: what moves it, and how large its
 * predictions may be
 * SPDX-License-Identifier: MIT */
#include "solvers/stochastic/coef.h"

#include "base/memory.h"
#include "solvers/access/active.h"
#include "solvers/stochastic/stochastic.h"
#include "state/state.h"

#include <math.h>
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

void th_coef_grow(struct th_scaling *scaling, double length)
{
  scaling->coef_bound += length * scaling->step_bound;
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

/* --- The iterate of stochastic methods: what moves it --------------------- */

double *th_coef_of(const struct th_stochastic *s)
{
  return s->active.field[TH_FIELD_COEF];
}

bool th_coef_separable(const struct th_stochastic *s)
{
  return s->context->config->group.all == NULL;
}

bool th_coef_is_lazy(const struct th_stochastic *s)
{
  return s->caches.sparse && th_coef_separable(s);
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

void th_coef_descend(struct th_stochastic *s, double g, const double *factor,
                     double *b)
{
  for (int64_t r = 0; r < s->minibatch.rows; r++) {
    double step = g * factor[r];
    th_row_add(&s->minibatch.row[r], -step, b);
    s->intercept -= s->control.constant * step;
    th_coef_grow(&s->scaling, fabs(step));
  }
}

void th_coef_prox(struct th_stochastic *s, double t, double *v)
{
  if (th_coef_separable(s))
    th_row_soft_all(t * s->lambda, v, s->active.count);
  else
    th_grouping_prox(&s->grouping, s->context->comm, t * s->lambda, v);
}

/* One dense example: gradient step and prox at once. Local. */
static void fused_step(struct th_stochastic *s, double g)
{
  double step = g * s->minibatch.factor[0];
  th_row_step(&s->minibatch.row[0], -step, g * s->lambda, th_coef_of(s));
  s->intercept -= s->control.constant * step;
  th_coef_grow(&s->scaling, fabs(step));
}

void th_coef_batch_prox(struct th_stochastic *s, double g)
{
  if (th_coef_is_lazy(s))
    s->control.threshold += g * s->lambda;
  else
    th_coef_prox(s, g, th_coef_of(s));
}

void th_coef_prox_step(struct th_stochastic *s, double g)
{
  bool separable = th_coef_separable(s);
  if (separable && !s->caches.sparse && s->minibatch.rows == 1) {
    fused_step(s, g);
    return;
  }
  th_coef_descend(s, g, s->minibatch.factor, th_coef_of(s));
  th_coef_batch_prox(s, g);
}

static void apply_lazy_threshold(struct th_stochastic *s, int64_t place)
{
  double *done = &s->active.field[TH_FIELD_LAZY][place];
  double *b = &th_coef_of(s)[place];
  *b = th_row_soft(*b, s->control.threshold - *done);
  *done = s->control.threshold;
}

void th_coef_catch_up(struct th_stochastic *s, const struct th_row *row)
{
  for (int64_t k = 0; row->place != NULL && k < row->count; k++)
    apply_lazy_threshold(s, row->place[k]);
}

void th_coef_flush(struct th_stochastic *s)
{
  if (!(s->control.threshold > 0))
    return;
  for (int64_t p = 0; p < s->active.count; p++) {
    apply_lazy_threshold(s, p);
    s->active.field[TH_FIELD_LAZY][p] = 0;
  }
  s->control.threshold = 0;
}
