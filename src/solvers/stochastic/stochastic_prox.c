/* stochastic_prox.c - the iterate of stochastic methods: what moves it
 * SPDX-License-Identifier: MIT */
#include "solvers/stochastic/stochastic.h"

#include <math.h>
#include <string.h>

void th_stochastic_assign(struct th_stochastic *s,
                          const struct th_support *model)
{
  double *b = th_stochastic_coef(s);
  memset(b, 0, (size_t)s->active.count * sizeof *b);
  for (int64_t k = 0; k < model->size; k++) {
    int64_t place = th_active_place(&s->active, model->attribute[k]);
    if (place >= 0)
      b[place] = model->coef[k];
  }
  s->intercept = model->intercept;
}

void th_stochastic_hold(const struct th_stochastic *s, int field,
                        double *intercept)
{
  memcpy(th_stochastic_screening_field(s, field), th_stochastic_coef(s),
         (size_t)s->active.count * sizeof(double));
  if (intercept != NULL)
    *intercept = s->intercept;
}

void th_stochastic_return(struct th_stochastic *s, int field, double intercept)
{
  memcpy(th_stochastic_coef(s), th_stochastic_screening_field(s, field),
         (size_t)s->active.count * sizeof(double));
  s->intercept = intercept;
}

void th_stochastic_descend(struct th_stochastic *s, double g,
                           const double *factor, double *b)
{
  for (int64_t r = 0; r < s->minibatch.rows; r++) {
    double step = g * factor[r];
    th_row_add(&s->minibatch.row[r], -step, b);
    s->intercept -= s->control.constant * step;
    th_stochastic_scaling_grow(&s->scaling, fabs(step));
  }
}

bool th_stochastic_separable(const struct th_stochastic *s)
{
  return s->context->config->groups == NULL;
}

void th_stochastic_prox(struct th_stochastic *s, double t, double *v)
{
  if (th_stochastic_separable(s))
    th_row_soft_all(t * s->lambda, v, s->active.count);
  else
    th_grouping_prox(&s->grouping, s->context->comm, t * s->lambda, v);
}

/* One dense example: gradient step and prox at once. Local. */
static void fused_step(struct th_stochastic *s, double g)
{
  double step = g * s->minibatch.factor[0];
  th_row_step(&s->minibatch.row[0], -step, g * s->lambda,
              th_stochastic_coef(s));
  s->intercept -= s->control.constant * step;
  th_stochastic_scaling_grow(&s->scaling, fabs(step));
}

void th_stochastic_batch_prox(struct th_stochastic *s, double g)
{
  if (th_stochastic_is_lazy(s))
    s->control.threshold += g * s->lambda;
  else
    th_stochastic_prox(s, g, th_stochastic_coef(s));
}

void th_stochastic_prox_step(struct th_stochastic *s, double g)
{
  bool separable = th_stochastic_separable(s);
  if (separable && !s->caches.sparse && s->minibatch.rows == 1) {
    fused_step(s, g);
    return;
  }
  th_stochastic_descend(s, g, s->minibatch.factor, th_stochastic_coef(s));
  th_stochastic_batch_prox(s, g);
}

static void catch_up(struct th_stochastic *s, int64_t place)
{
  double *done = &s->active.field[TH_FIELD_LAZY][place];
  double *b = &th_stochastic_coef(s)[place];
  *b = th_row_soft(*b, s->control.threshold - *done);
  *done = s->control.threshold;
}

void th_stochastic_lazy_catch_up(struct th_stochastic *s,
                                 const struct th_row *row)
{
  for (int64_t k = 0; row->place != NULL && k < row->count; k++)
    catch_up(s, row->place[k]);
}

void th_stochastic_lazy_flush(struct th_stochastic *s)
{
  if (!(s->control.threshold > 0))
    return;
  for (int64_t p = 0; p < s->active.count; p++) {
    catch_up(s, p);
    s->active.field[TH_FIELD_LAZY][p] = 0;
  }
  s->control.threshold = 0;
}
