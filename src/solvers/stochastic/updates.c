/* updates.c - update rules that remember no examples: proximal stochastic
 * gradient descent, dual averaging, the truncated gradient
 *
 * All are for min P(b) = E f(x'b; y) + lambda Omega(b).
 * SPDX-License-Identifier: MIT */
#include "solvers/algorithms.h"
#include "solvers/stochastic/stochastic.h"

#include <math.h>

/* --- Regularised dual averaging
 *
 * Xiao 2010, Algorithm 1 with the enhanced l1 of Algorithm 2: from the mean of
 * all gradients so far, gbar_t = (1/t) sum theta_k x_k,
 *   b_{t+1} = argmin gbar_t'b + lambda_t Omega(b)
 *                    + gamma norm2(b)^2 / (2 sqrt(t)),
 * which is the prox of g t lambda_t Omega at -g t gbar_t, g = 1 / (gamma
 * sqrt(t)). What the paper leaves open: g is the first step of the other
 * methods for half an epoch, then falls with the root of the epochs; lambda_t =
 * lambda (1 + 1 / sqrt(half epochs)), which is its rho. The reconstruction is
 * from general knowledge of the paper. */

/* Replicated. */
struct rda {
  double first;     /* the first step size, which later ones never exceed */
  double constant;  /* that of the intercept, kept for the same reason */
  double intercept; /* sum of its gradients */
  double step;      /* g t, t counted in mini-batches */
  double threshold; /* g t lambda_t */
  double pull;      /* bounds sum_j bound_j |sum of gradients|_j */
};

static double *gradients(const struct th_stochastic *s)
{
  return th_stochastic_update_field(s, 0);
}

static th_status create(struct th_stochastic *s, struct th_error *err)
{
  struct rda *state = s->update_state;
  (void)err;
  state->first = th_stochastic_first_step(s);
  state->constant = s->control.constant;
  return TH_OK;
}

static th_status begin(struct th_stochastic *s, struct th_error *err)
{
  struct rda *state = s->update_state;
  return th_coef_bound_of(s, gradients(s), &state->pull, err);
}

/* The coefficient of one attribute. */
static void refresh(struct th_stochastic *s, int64_t place)
{
  const struct rda *state = s->update_state;
  th_coef_of(s)[place] =
      th_row_soft(-state->step * gradients(s)[place], state->threshold);
}

static void refresh_row(struct th_stochastic *s, const struct th_row *row)
{
  for (int64_t k = 0; th_coef_is_lazy(s) && k < row->count; k++)
    refresh(s, row->place[k]);
}

static void refresh_all(struct th_stochastic *s)
{
  for (int64_t p = 0; th_coef_is_lazy(s) && p < s->active.count; p++)
    refresh(s, p);
}

static void rda_step(struct th_stochastic *s)
{
  struct rda *state = s->update_state;
  const struct th_minibatch *minibatch = &s->minibatch;
  double halves = fmax(1, 2 * (double)s->control.drawn / (double)s->n);
  for (int64_t r = 0; r < minibatch->rows; r++) {
    th_row_add(&minibatch->row[r], minibatch->factor[r], gradients(s));
    state->intercept += minibatch->factor[r];
    state->pull += fabs(minibatch->factor[r]) * s->scaling.step_bound;
  }
  s->control.step_size = state->first / sqrt(halves);
  state->step = s->control.step_size;
  double t =
      s->control.step_size * (double)s->control.steps * (1 + 1 / sqrt(halves));
  state->threshold = t * s->lambda;
  s->scaling.coef_bound =
      fmax(s->scaling.coef_bound, state->step * state->pull);
  if (s->context->config->intercept)
    s->intercept =
        s->start_intercept - state->constant * state->step * state->intercept;
  if (th_coef_is_lazy(s))
    return;
  const double *sum = gradients(s);
  double *b = th_coef_of(s);
  for (int64_t p = 0; p < s->active.count; p++)
    b[p] = -state->step * sum[p];
  th_coef_prox(s, t, b);
}

static void rda_describe(struct th_stochastic *s, struct th_state *list)
{
  struct rda *state = s->update_state;
  TH_STATE_ONE(list, state, first);
  TH_STATE_ONE(list, state, constant);
  TH_STATE_ONE(list, state, intercept);
  TH_STATE_ONE(list, state, step);
  TH_STATE_ONE(list, state, threshold);
  TH_STATE_ONE(list, state, pull);
}

const struct th_update th_rda_update = {.size = sizeof(struct rda),
                                        .fields = 1,
                                        .create = create,
                                        .begin = begin,
                                        .catch_up = refresh_row,
                                        .step = rda_step,
                                        .flush = refresh_all,
                                        .describe = rda_describe};

/* --- Gradient steps, truncated every K of them
 *
 * Langford, Li & Zhang 2009: b = b - gamma theta x at each step; after each K
 * of them every coefficient is pulled towards 0 by the sum of K steps times the
 * gravity, and stops there. Gravity is lambda, so that the problem is that of
 * the other methods, K = 10, and the paper's bound on the coefficients that are
 * pulled is infinity. For group penalties the pull is their prox. */

enum { K = 10 };

struct truncation {
  double pending; /* sum of the steps since the last truncation */
};

static void truncated_gradient_step(struct th_stochastic *s)
{
  struct truncation *state = s->update_state;
  th_coef_descend(s, s->control.step_size, s->minibatch.factor, th_coef_of(s));
  state->pending += s->control.step_size;
  if (s->control.steps % K != 0)
    return;
  th_coef_batch_prox(s, state->pending);
  state->pending = 0;
}

static void truncated_gradient_describe(struct th_stochastic *s,
                                        struct th_state *list)
{
  struct truncation *state = s->update_state;
  TH_STATE_ONE(list, state, pending);
}

const struct th_update th_truncated_gradient_update = {
    .size = sizeof(struct truncation),
    .memoryless = true,
    .catch_up = th_coef_catch_up,
    .step = truncated_gradient_step,
    .flush = th_coef_flush,
    .describe = truncated_gradient_describe};

/* --- Gradient steps, each with its prox
 *
 * Duchi & Singer 2009, in the form of Liang & Poon 2022, section 1.2: with
 * theta_t = f'(x_t'b_t; y_t),
 *   b_{t+1} = prox_{lambda gamma_t Omega}(b_t - gamma_t theta_t x_t).
 * A mini-batch takes the mean of theta x over its examples. */

static void prox_sgd_step(struct th_stochastic *s)
{
  th_coef_prox_step(s, s->control.step_size);
}

const struct th_update th_prox_sgd_update = {.memoryless = true,
                                             .catch_up = th_coef_catch_up,
                                             .step = prox_sgd_step,
                                             .flush = th_coef_flush};
