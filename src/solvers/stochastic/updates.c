/* updates.c - update rules: stochastic subgradients, proximal stochastic
 * gradient descent, dual averaging, the truncated gradient, and steps of
 * reduced variance
 *
 * All are for min P(b) = E f(x'b; y) + lambda Omega(b). saga and svrg remember
 * examples, the others do not.
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "math/online.h"
#include "solvers/algorithms.h"
#include "solvers/stochastic/stochastic.h"

#include <math.h>
#include <stdlib.h>

/* --- What moves the iterate ----------------------------------------------- */

/* Let the bound grow by a gradient step; length includes |theta|. Local. */
static void grow_bound(struct th_scaling *scaling, double length)
{
  scaling->coef_bound += length * scaling->step_bound;
}

/* Sparse data are updated lazily where it does. Local. */
static bool is_lazy(const struct th_stochastic *s)
{
  return s->caches.sparse && th_coef_separable(s);
}

/* b -= g times the sum of factor[r] x_r over the mini-batch; b0 likewise, with
 * its own constant. Local. */
static void descend(struct th_stochastic *s, double g, const double *factor,
                    double *b)
{
  for (int64_t r = 0; r < s->minibatch.rows; r++) {
    double step = g * factor[r];
    th_row_add(&s->minibatch.row[r], -step, b);
    s->intercept -= s->control.constant * step;
    grow_bound(&s->scaling, fabs(step));
  }
}

/* One dense example: gradient step and prox at once. Local. */
static void fused_step(struct th_stochastic *s, double g)
{
  double step = g * s->minibatch.factor[0];
  th_row_step(&s->minibatch.row[0], -step, g * s->lambda, th_coef_of(s));
  s->intercept -= s->control.constant * step;
  grow_bound(&s->scaling, fabs(step));
}

/* b = prox of g lambda Omega at b. On sparse data it is delayed if the penalty
 * allows; the rule's functions are then catch_up_row and flush_thresholds.
 * Collective. */
static void batch_prox(struct th_stochastic *s, double g)
{
  if (is_lazy(s))
    s->control.threshold += g * s->lambda;
  else
    th_coef_prox(s, g, th_coef_of(s));
}

/* Descend and prox, with the mini-batch's own factors. Collective. */
static void prox_step(struct th_stochastic *s, double g)
{
  bool separable = th_coef_separable(s);
  if (separable && !s->caches.sparse && s->minibatch.rows == 1) {
    fused_step(s, g);
    return;
  }
  descend(s, g, s->minibatch.factor, th_coef_of(s));
  batch_prox(s, g);
}

static void apply_lazy_threshold(struct th_stochastic *s, int64_t place)
{
  double *done = &s->active.field[TH_FIELD_LAZY][place];
  double *b = &th_coef_of(s)[place];
  *b = th_row_soft(*b, s->control.threshold - *done);
  *done = s->control.threshold;
}

/* Coefficients wait for their soft thresholds until an example has them.
 * Thresholds compose, so this is exact. Local. */
static void catch_up_row(struct th_stochastic *s, const struct th_row *row)
{
  for (int64_t k = 0; row->place != NULL && k < row->count; k++)
    apply_lazy_threshold(s, row->place[k]);
}

static void flush_thresholds(struct th_stochastic *s)
{
  if (!(s->control.threshold > 0))
    return;
  for (int64_t p = 0; p < s->active.count; p++) {
    apply_lazy_threshold(s, p);
    s->active.field[TH_FIELD_LAZY][p] = 0;
  }
  s->control.threshold = 0;
}

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
  for (int64_t k = 0; is_lazy(s) && k < row->count; k++)
    refresh(s, row->place[k]);
}

static void refresh_all(struct th_stochastic *s)
{
  for (int64_t p = 0; is_lazy(s) && p < s->active.count; p++)
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
        s->exempt.start - state->constant * state->step * state->intercept;
  if (is_lazy(s))
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
  descend(s, s->control.step_size, s->minibatch.factor, th_coef_of(s));
  state->pending += s->control.step_size;
  if (s->control.steps % K != 0)
    return;
  batch_prox(s, state->pending);
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
    .catch_up = catch_up_row,
    .step = truncated_gradient_step,
    .flush = flush_thresholds,
    .describe = truncated_gradient_describe};

/* --- Subgradient steps
 *
 * Liang & Poon 2022, equation 1.1: with theta_t = f'(x_t'b_t; y_t) and Z_t a
 * subgradient of Omega at b_t,
 *   b_{t+1} = b_t - gamma_t (theta_t x_t + lambda Z_t).
 * Z is 0 where b is. No coefficient stays at 0, so every step is over all of
 * them, on sparse data, too. */

struct subgradient {
  double pull; /* bounds sum_j bound_j |Z_j| */
};

/* Collective. */
static th_status subgradient_begin(struct th_stochastic *s,
                                   struct th_error *err)
{
  struct subgradient *state = s->update_state;
  double most = s->grouping.one.a + s->grouping.one.c;
  for (int64_t g = 0; g < s->grouping.groups && s->grouping.norm != NULL; g++)
    most = fmax(most, s->grouping.norm[g].a + s->grouping.norm[g].c);
  s->context->comm->ops->max_f64(s->context->comm, &most, 1);
  th_status rc = th_coef_total(s, s->active.bound, &state->pull, err);
  state->pull *= most * TH_FIXED_SLACK;
  return rc;
}

static void subgradient_step(struct th_stochastic *s)
{
  const struct subgradient *state = s->update_state;
  double g = s->control.step_size;
  th_grouping_descend(&s->grouping, s->context->comm, g * s->lambda,
                      th_coef_of(s));
  s->scaling.coef_bound += g * s->lambda * state->pull;
  descend(s, g, s->minibatch.factor, th_coef_of(s));
}

static void subgradient_describe(struct th_stochastic *s, struct th_state *list)
{
  struct subgradient *state = s->update_state;
  TH_STATE_ONE(list, state, pull);
}

const struct th_update th_sgd_update = {.size = sizeof(struct subgradient),
                                        .memoryless = true,
                                        .begin = subgradient_begin,
                                        .step = subgradient_step,
                                        .describe = subgradient_describe};

/* --- Gradient steps, each with its prox
 *
 * Duchi & Singer 2009, in the form of Liang & Poon 2022, section 1.2: with
 * theta_t = f'(x_t'b_t; y_t),
 *   b_{t+1} = prox_{lambda gamma_t Omega}(b_t - gamma_t theta_t x_t).
 * A mini-batch takes the mean of theta x over its examples. */

static void prox_sgd_step(struct th_stochastic *s)
{
  prox_step(s, s->control.step_size);
}

const struct th_update th_prox_sgd_update = {.memoryless = true,
                                             .catch_up = catch_up_row,
                                             .step = prox_sgd_step,
                                             .flush = flush_thresholds};

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
static th_status reduced_create(struct th_stochastic *s, struct th_error *err)
{
  struct th_variance_reduced *state = s->update_state;
  th_status rc =
      TH_NEW(&state->table, s->n, "the gradients of all examples", err);
  rc = th_agree(s->context->comm, rc, err);
  if (rc == TH_OK)
    variance_reduced_restart(s);
  return rc;
}

static void reduced_describe(struct th_stochastic *s, struct th_state *list)
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
  for (int64_t k = 0; is_lazy(s) && k < row->count; k++)
    apply_lazy_steps(s, row->place[k]);
}

static void variance_reduced_flush(struct th_stochastic *s)
{
  for (int64_t p = 0; is_lazy(s) && p < s->active.count; p++) {
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
static void reduced_step(struct th_stochastic *s, bool remember)
{
  struct th_variance_reduced *state = s->update_state;
  double g = s->control.step_size;
  grow_bound(&s->scaling, g * state->size * TH_FIXED_SLACK);
  s->intercept -= s->control.constant * g * state->intercept_mean;
  correct(s, remember);
  descend(s, g, s->minibatch.factor, th_coef_of(s));
  if (is_lazy(s))
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
  reduced_step(s, true);
}

const struct th_update th_saga_update = {.size =
                                             sizeof(struct th_variance_reduced),
                                         .fields = TH_REDUCED_FIELDS,
                                         .example_bytes = sizeof(double),
                                         .constant = 1.0 / 3,
                                         .create = reduced_create,
                                         .catch_up = variance_reduced_catch_up,
                                         .step = saga_step,
                                         .flush = variance_reduced_flush,
                                         .describe = reduced_describe,
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

static th_status svrg_begin(struct th_stochastic *s, struct th_error *err)
{
  th_status rc = th_pass_make(s, err);
  if (rc == TH_OK)
    variance_reduced_restart(s);
  return rc;
}

static void svrg_step(struct th_stochastic *s)
{
  reduced_step(s, false);
}

const struct th_update th_svrg_update = {.size =
                                             sizeof(struct th_variance_reduced),
                                         .fields = TH_REDUCED_FIELDS,
                                         .example_bytes = sizeof(double),
                                         .constant = 1.0 / 3,
                                         .create = reduced_create,
                                         .begin = svrg_begin,
                                         .catch_up = variance_reduced_catch_up,
                                         .step = svrg_step,
                                         .flush = variance_reduced_flush,
                                         .describe = reduced_describe,
                                         .free = variance_reduced_free};
