/* variance_reduced.c - steps of reduced variance: saga and svrg
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "math/online.h"
#include "solvers/algorithms.h"
#include "solvers/stochastic/stochastic.h"

#include <math.h>
#include <stdlib.h>

/* --- Variance-reduced steps, which saga and svrg share
 *
 * The gradient of example i is corrected by its last known value: n eta_i
 * (theta - table_i) x_i + mean, with mean = sum eta_i table_i x_i. */

/* Replicated; the state of both update rules, whose only vector is the mean. */
struct th_variance_reduced {
  double *table;         /* n: the last known theta_i */
  double intercept_mean; /* sum eta_i table_i */
  double size;           /* sum eta_i |table_i| */
};

enum { TH_REDUCED_FIELDS = 1 };

static double *mean_gradient(const struct th_stochastic *s)
{
  return th_stochastic_update_field(s, 0);
}

/* The table, and its sums, from the last full pass. Local. */
static void variance_reduced_restart(struct th_stochastic *s)
{
  struct th_variance_reduced *state = s->update_state;
  const double *z = s->active.field[TH_FIELD_DUAL];
  state->intercept_mean = 0;
  state->size = 0;
  for (int64_t i = 0; i < s->n; i++) {
    state->table[i] = s->full.theta[i];
    state->intercept_mean += s->eta[i] * s->full.theta[i];
    state->size += s->eta[i] * fabs(s->full.theta[i]);
  }
  for (int64_t p = 0; p < s->active.count; p++)
    mean_gradient(s)[p] = -s->full.pass.lambda * z[p];
}

/* The table and its mean from the last full pass. Collective. */
static th_status create(struct th_stochastic *s, struct th_error *err)
{
  struct th_variance_reduced *state = s->update_state;
  th_status rc =
      TH_NEW(&state->table, s->n, "the gradients of all examples", err);
  rc = th_agree(s->context->comm, rc, err);
  if (rc == TH_OK)
    variance_reduced_restart(s);
  return rc;
}

static void describe(struct th_stochastic *s, struct th_state *list)
{
  struct th_variance_reduced *state = s->update_state;
  th_state_examples(list, "table", TH_STATE_F64, state->table, s->n);
  TH_STATE_ONE(list, state, intercept_mean);
  TH_STATE_ONE(list, state, size);
}

static void variance_reduced_free(struct th_stochastic *s)
{
  struct th_variance_reduced *state = s->update_state;
  free(state->table);
}

/* ---- attributes that an example does not have (sparse data, l1) ---- */

/* Apply to a coefficient all steps since it was last current. */
static void apply_lazy_steps(struct th_stochastic *s, int64_t place)
{
  int64_t steps = s->control.steps - s->control.flushed_at;
  double *done = &s->active.field[TH_FIELD_LAZY][place];
  double *b = &th_coef_of(s)[place];
  double g = s->control.step_size;
  *b = th_online_lazy_prox(*b, g * mean_gradient(s)[place], g * s->lambda,
                           steps - (int64_t)*done);
  *done = (double)steps;
}

/* catch_up and flush of both rules. Coefficients that the mini-batch does not
 * have move along the mean later. Local. */
static void variance_reduced_catch_up(struct th_stochastic *s,
                                      const struct th_row *row)
{
  for (int64_t k = 0; th_coef_is_lazy(s) && k < row->count; k++)
    apply_lazy_steps(s, row->place[k]);
}

static void variance_reduced_flush(struct th_stochastic *s)
{
  for (int64_t p = 0; th_coef_is_lazy(s) && p < s->active.count; p++) {
    apply_lazy_steps(s, p);
    s->active.field[TH_FIELD_LAZY][p] = 0;
  }
  s->control.flushed_at = s->control.steps;
}

/* ---- a step ---- */

/* theta[r] becomes its correction, factor[r] what multiplies x_r for it.
 * Replicated. */
static void correct(struct th_stochastic *s, bool remember)
{
  struct th_variance_reduced *state = s->update_state;
  struct th_minibatch *minibatch = &s->minibatch;
  double scale = (double)s->n / (double)minibatch->rows;
  for (int64_t r = 0; r < minibatch->rows; r++) {
    int64_t i = minibatch->index[r];
    double theta = minibatch->theta[r];
    minibatch->theta[r] -= state->table[i];
    minibatch->factor[r] = minibatch->theta[r] * s->eta[i] * scale;
    if (remember) {
      state->size += s->eta[i] * (fabs(theta) - fabs(state->table[i]));
      state->table[i] = theta;
    }
  }
}

/* mean += sum eta_i correction_i x_i. */
static void move_mean(struct th_stochastic *s)
{
  struct th_variance_reduced *state = s->update_state;
  const struct th_minibatch *minibatch = &s->minibatch;
  for (int64_t r = 0; r < minibatch->rows; r++) {
    double change = s->eta[minibatch->index[r]] * minibatch->theta[r];
    th_row_add(&minibatch->row[r], change, mean_gradient(s));
    state->intercept_mean += change;
  }
}

/* Apply the mean and the prox: to the attributes of the mini-batch alone, while
 * the others wait; or to all. */
static void step_met(struct th_stochastic *s)
{
  for (int64_t r = 0; r < s->minibatch.rows; r++)
    for (int64_t k = 0; k < s->minibatch.row[r].count; k++)
      apply_lazy_steps(s, s->minibatch.row[r].place[k]);
}

static void step_all(struct th_stochastic *s)
{
  struct th_row mean = {
      .type = TH_F64, .count = s->active.count, .values = mean_gradient(s)};
  th_row_add(&mean, -s->control.step_size, th_coef_of(s));
  th_coef_prox(s, s->control.step_size, th_coef_of(s));
}

/* b = prox of g lambda Omega at b - g (corrected gradient of the mini-batch).
 * remember: put the mini-batch's theta into the table, and update its mean.
 * theta then holds the corrections. Collective. */
static void step(struct th_stochastic *s, bool remember)
{
  struct th_variance_reduced *state = s->update_state;
  double g = s->control.step_size;
  th_coef_grow(&s->scaling, g * state->size * TH_FIXED_SLACK);
  s->intercept -= s->control.constant * g * state->intercept_mean;
  correct(s, remember);
  th_coef_descend(s, g, s->minibatch.factor, th_coef_of(s));
  if (th_coef_is_lazy(s))
    step_met(s);
  else
    step_all(s);
  if (remember)
    move_mean(s);
}

/* --- SAGA with a prox
 *
 * Defazio, Bach & Lacoste-Julien 2014, on min sum eta_i f(x_i'b; y_i) + lambda
 * Omega(b): at each step, for an example i,
 *   b = prox_{lambda g Omega}(b - g (n eta_i (theta - theta_i) x_i + mean)),
 *   mean += eta_i (theta - theta_i) x_i,  theta_i = theta,
 * theta = f'(x_i'b; y_i), mean = sum eta_i theta_i x_i, constant step g = 1 /
 * (3 Lmax). The paper draws examples with replacement; here they come in a new
 * order in each pass. The table of theta starts from a full pass. */

static void saga_step(struct th_stochastic *s)
{
  step(s, true);
}

const struct th_update th_saga_update = {.size =
                                             sizeof(struct th_variance_reduced),
                                         .fields = TH_REDUCED_FIELDS,
                                         .constant = 1.0 / 3,
                                         .create = create,
                                         .catch_up = variance_reduced_catch_up,
                                         .step = saga_step,
                                         .flush = variance_reduced_flush,
                                         .describe = describe,
                                         .restart = variance_reduced_restart,
                                         .free = variance_reduced_free};

/* --- SVRG with a prox
 *
 * Johnson & Zhang 2013, Xiao & Zhang 2014, on min sum eta_i f(x_i'b; y_i) +
 * lambda Omega(b). Each outer loop begins with a full pass at an anchor a:
 *   theta_i = f'(x_i'a; y_i), mean = sum eta_i theta_i x_i;
 * then at each step, for an example i and theta = f'(x_i'b; y_i),
 *   b = prox_{lambda g Omega}(b - g (n eta_i (theta - theta_i) x_i + mean)),
 * constant step g = 1 / (3 Lmax). The next anchor is the last iterate. */

static th_status begin(struct th_stochastic *s, struct th_error *err)
{
  th_status rc = th_pass_make(s, err);
  if (rc == TH_OK)
    variance_reduced_restart(s);
  return rc;
}

static void svrg_step(struct th_stochastic *s)
{
  step(s, false);
}

const struct th_update th_svrg_update = {.size =
                                             sizeof(struct th_variance_reduced),
                                         .fields = TH_REDUCED_FIELDS,
                                         .constant = 1.0 / 3,
                                         .create = create,
                                         .begin = begin,
                                         .catch_up = variance_reduced_catch_up,
                                         .step = svrg_step,
                                         .flush = variance_reduced_flush,
                                         .describe = describe,
                                         .free = variance_reduced_free};
