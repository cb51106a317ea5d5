/* stochastic_pass.c - passes over all training examples: duals, gap, norms; and
 * what the engine keeps up to date between them: the iterate, bounds, step
 * sizes, active attributes
 *
 * In a pass deal units are visited in stored order; sums over examples run in
 * that order at the owner of an attribute.
 * SPDX-License-Identifier: MIT */
#include "solvers/stochastic/stochastic_pass.h"

#include "base/integer.h"
#include "base/memory.h"
#include "math/gap.h"
#include "ranks/fixed.h"
#include "ranks/partition.h"
#include "solvers/access/active.h"
#include "solvers/stochastic/stochastic.h"
#include "state/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Which derived quantities are current --------------------------------- */

/* What is no longer known after a change. */
static const unsigned forgotten[TH_CHANGES] = {
    [TH_CHANGE_LOOP] = TH_KNOWN_LOOKED | TH_KNOWN_PASS | TH_KNOWN_CERTIFICATE,
    [TH_CHANGE_STEPS] = TH_KNOWN_COEF_BOUND,
    [TH_CHANGE_PLACES] = TH_KNOWN_PASS | TH_KNOWN_CERTIFICATE,
    [TH_CHANGE_COEF] = TH_KNOWN_PASS | TH_KNOWN_COEF_BOUND,
    [TH_CHANGE_PROBLEM] = TH_KNOWN_PASS,
    [TH_CHANGE_COEF_BOUND] = TH_KNOWN_COEF_BOUND,
    [TH_CHANGE_END] = TH_KNOWN_CERTIFICATE};

void th_stochastic_learnt(struct th_stochastic *s, unsigned what)
{
  s->known |= what;
}

void th_stochastic_changed(struct th_stochastic *s, enum th_change change)
{
  s->known &= ~forgotten[change];
}

/* --- Predictions in fixed point while coefficients move ------------------- */

static const double room_to_grow = 16; /* a new scale lasts for some steps */

void th_stochastic_scaling_describe(struct th_scaling *scaling,
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

/* Set the bound to a new value; the scale is adapted when it is needed. Local.
 */
static void scaling_restart(struct th_scaling *scaling, double coef_bound)
{
  scaling->coef_bound = coef_bound;
  scaling->scaled_for = 0;
}

void th_stochastic_scaling_grow(struct th_scaling *scaling, double length)
{
  scaling->coef_bound += length * scaling->step_bound;
}

th_status th_stochastic_scale(struct th_stochastic *s, struct th_error *err)
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

th_status th_stochastic_bound(struct th_stochastic *s, const double *v,
                              double *bound, struct th_error *err)
{
  double *work = s->places.group_second;
  for (int64_t p = 0; p < s->active.count; p++)
    work[p] = fabs(v[p]) * s->active.bound[p];
  return th_stochastic_total(s, work, bound, err);
}

th_status th_stochastic_coef_bound(struct th_stochastic *s,
                                   struct th_error *err)
{
  double coef_bound = 0;
  th_status rc =
      th_stochastic_bound(s, th_stochastic_coef(s), &coef_bound, err);
  if (rc == TH_OK)
    scaling_restart(&s->scaling, coef_bound * TH_FIXED_SLACK);
  return rc;
}

/* --- The iterate of stochastic methods: what moves it --------------------- */

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

static void apply_lazy_threshold(struct th_stochastic *s, int64_t place)
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
    apply_lazy_threshold(s, row->place[k]);
}

void th_stochastic_lazy_flush(struct th_stochastic *s)
{
  if (!(s->control.threshold > 0))
    return;
  for (int64_t p = 0; p < s->active.count; p++) {
    apply_lazy_threshold(s, p);
    s->active.field[TH_FIELD_LAZY][p] = 0;
  }
  s->control.threshold = 0;
}

/* --- Passes over all training examples ------------------------------------ */

th_status th_stochastic_pass_init(struct th_full_pass *full, int64_t n,
                                  struct th_error *err)
{
  th_status rc;
  TH_TRY(TH_NEW(&full->prediction, n, "predictions", err));
  TH_TRY(TH_NEW(&full->theta, n, "a dual point", err));
  TH_TRY(TH_NEW(&full->sums, n + 1, "predictions", err));
done:
  return rc;
}

void th_stochastic_pass_describe(struct th_pass *pass, const char *name,
                                 struct th_state *state)
{
  th_state_enter(state, name);
  TH_STATE_ONE(state, pass, lambda);
  TH_STATE_ONE(state, pass, objective);
  TH_STATE_ONE(state, pass, omega);
  TH_STATE_ONE(state, pass, dual);
  TH_STATE_ONE(state, pass, gap);
  TH_STATE_ONE(state, pass, dual_norm);
  th_state_leave(state);
}

/* Called with the row of example i. Local. */
typedef bool visitor(struct th_stochastic *s, const struct th_row *row,
                     int64_t i);

/* Visit all rows in stored order; each deal unit is one draw. Local. */
static th_status visit_all_rows(struct th_stochastic *s, visitor *look,
                                struct th_error *err)
{
  bool good = true;
  th_status rc = TH_OK;
  for (int64_t k = 0; k < s->caches.count && rc == TH_OK && good; k++) {
    struct th_rows unit = th_row_caches_unit(&s->caches, k);
    rc = th_row_caches_draw(&s->caches, k, err);
    for (int64_t i = unit.first;
         i < unit.first + unit.count && rc == TH_OK && good; i++) {
      struct th_row row;
      th_row_caches_row(&s->caches, i, &row);
      good = look(s, &row, i);
    }
    th_row_caches_release(&s->caches, k);
  }
  if (rc == TH_OK && !good)
    rc = th_fail(err, TH_ENUMERIC,
                 "values or coefficients have become infinite; standardize, or "
                 "take a smaller step size");
  return rc;
}

/* ---- sums over attributes ---- */

th_status th_stochastic_total(struct th_stochastic *s, const double *v,
                              double *total, struct th_error *err)
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

/* ---- norms ---- */

/* Add to N_j, and form norm2(x_i)^2 as the product of a row with itself, which
 * is put into a vector of zeros for this. */
static bool visit_norms(struct th_stochastic *s, const struct th_row *row,
                        int64_t i)
{
  double *self = s->active.field[TH_FIELD_DUAL];
  th_row_add_squares(row, s->eta[i], s->active.field[TH_FIELD_SECOND]);
  th_row_add(row, 1, self);
  bool good = th_row_product(row, self, &s->places.cells, &s->scaling.fixed,
                             &s->full.sums[i]);
  th_row_add(row, -1, self);
  return good;
}

th_status th_stochastic_norms(struct th_stochastic *s, struct th_error *err)
{
  size_t bytes = (size_t)s->active.count * sizeof(double);
  double squares = 0;
  th_status rc;
  for (int64_t p = 0; p < s->active.count; p++)
    s->active.field[TH_FIELD_DUAL][p] = s->active.bound[p] * s->active.bound[p];
  TH_TRY(th_stochastic_total(s, s->active.field[TH_FIELD_DUAL], &squares, err));
  memset(s->active.field[TH_FIELD_DUAL], 0, bytes);
  memset(s->active.field[TH_FIELD_SECOND], 0, bytes);
  memset(s->full.sums, 0, (size_t)s->n * sizeof *s->full.sums);
  scaling_restart(&s->scaling, squares);
  rc = th_stochastic_scale(s, err);
  if (rc == TH_OK)
    rc = visit_all_rows(s, visit_norms, err);
  TH_TRY(
      th_comm_sum_agree(s->context->comm, s->full.sums, (size_t)s->n, rc, err));
  s->control.largest = 0;
  s->control.curvature = 0;
  s->control.heaviest = 0;
  for (int64_t i = 0; i < s->n; i++) {
    double square = th_fixed_to(&s->scaling.fixed, s->full.sums[i]);
    double weight = s->eta[i] * (double)s->n;
    s->control.heaviest = fmax(s->control.heaviest, weight);
    s->control.largest = fmax(s->control.largest, square);
    s->control.curvature =
        fmax(s->control.curvature, s->control.smoothness * weight * square);
  }
  s->scaling.step_bound = TH_FIXED_SLACK * sqrt(squares * s->control.largest);
  s->control.measured = s->active.total;
  s->control.epoch_half = 0;
  th_stochastic_changed(s, TH_CHANGE_COEF_BOUND);
done:
  return rc;
}

/* ---- a full pass ---- */

static bool visit_prediction(struct th_stochastic *s, const struct th_row *row,
                             int64_t i)
{
  return th_row_product(row, th_stochastic_coef(s), &s->places.cells,
                        &s->scaling.fixed, &s->full.sums[i]);
}

/* Z = -(1/lambda) sum eta_i theta_i x_i. */
static bool visit_dual(struct th_stochastic *s, const struct th_row *row,
                       int64_t i)
{
  th_row_add(row, -s->eta[i] * s->full.theta[i] / s->lambda,
             s->active.field[TH_FIELD_DUAL]);
  return true;
}

/* x_i'b of all examples, without b0. Collective. */
static th_status predict_all(struct th_stochastic *s, struct th_error *err)
{
  th_status rc;
  TH_TRY(th_stochastic_coef_bound(s, err));
  th_stochastic_learnt(s, TH_KNOWN_COEF_BOUND);
  memset(s->full.sums, 0, (size_t)s->n * sizeof *s->full.sums);
  rc = th_stochastic_scale(s, err);
  if (rc == TH_OK)
    rc = visit_all_rows(s, visit_prediction, err);
  TH_TRY(
      th_comm_sum_agree(s->context->comm, s->full.sums, (size_t)s->n, rc, err));
  th_fixed_read(&s->scaling.fixed, 0, s->full.sums, s->n, s->full.prediction);
done:
  return rc;
}

/* Find the best b0, and the duals there. Local; replicated. */
static th_status dualize(struct th_stochastic *s, struct th_error *err)
{
  const struct th_loss *loss = s->context->loss;
  bool intercept = s->context->config->intercept;
  th_status rc = TH_OK;
  if (intercept)
    rc = th_gap_intercept(loss, s->n, s->eta, s->target, s->full.prediction,
                          &s->intercept, err);
  for (int64_t i = 0; i < s->n; i++)
    s->full.prediction[i] += s->intercept;
  th_loss_df_all(loss, s->n, s->full.prediction, s->target, s->full.theta);
  if (intercept)
    th_gap_centre(loss, s->n, s->eta, s->target, s->full.theta);
  return rc;
}

double th_stochastic_dual_norm(struct th_stochastic *s, const double *v)
{
  double *dual = s->places.group_dual;
  double largest = 0;
  if (!th_stochastic_separable(s))
    th_grouping_dual(&s->grouping, s->context->comm, v, dual);
  else /* groups are places */
    for (int64_t p = 0; p < s->active.count; p++)
      dual[p] = fabs(v[p]);
  for (int64_t g = 0; g < s->grouping.groups; g++)
    largest = dual[g] > largest ? dual[g] : largest;
  s->context->comm->ops->max_f64(s->context->comm, &largest, 1);
  return largest;
}

const double *th_stochastic_second(struct th_stochastic *s)
{
  const double *second = s->active.field[TH_FIELD_SECOND];
  if (th_stochastic_separable(s))
    return second;
  th_grouping_second(&s->grouping, s->context->comm, second,
                     s->places.group_second);
  return s->places.group_second;
}

static th_status pass_over(struct th_stochastic *s, struct th_error *err)
{
  const struct th_loss *loss = s->context->loss;
  struct th_pass *pass = &s->full.pass;
  th_status rc;
  TH_TRY(predict_all(s, err));
  TH_TRY(dualize(s, err));
  TH_TRY(th_grouping_norm(&s->grouping, s->context->comm, th_stochastic_coef(s),
                          &pass->omega, err));
  memset(s->active.field[TH_FIELD_DUAL], 0,
         (size_t)s->active.count * sizeof(double));
  rc = visit_all_rows(s, visit_dual, err);
  TH_TRY(th_agree(s->context->comm, rc, err));
  pass->dual_norm = th_stochastic_dual_norm(s, s->active.field[TH_FIELD_DUAL]);
  pass->lambda = s->lambda;
  pass->objective =
      th_gap_primal(loss, s->n, s->eta, s->target, s->full.prediction) +
      s->lambda * pass->omega;
  pass->dual = th_gap_dual(loss, s->n, s->eta, s->target, s->full.theta,
                           1 / fmax(1, pass->dual_norm));
  pass->gap = th_gap_bound(pass->objective, pass->dual);
  th_stochastic_learnt(s, TH_KNOWN_LOOKED | TH_KNOWN_PASS);
done:
  return rc;
}

th_status th_stochastic_pass(struct th_stochastic *s, struct th_error *err)
{
  th_profile_begin(s->context->profile);
  th_status rc = pass_over(s, err);
  th_profile_end(s->context->profile, TH_PHASE_PASS);
  return rc;
}

void th_stochastic_pass_restore(struct th_stochastic *s,
                                const struct th_pass *pass, double intercept)
{
  s->full.pass = *pass;
  s->intercept = intercept;
}

/* --- The step sizes of mini-batches and of the intercept
 *
 * Steps solve the problem in b and u, with b0 = c u: the intercept is an
 * attribute of the constant value c. With c = 1, results would depend on the
 * unit of the other attributes. If that unit made them small, the longest
 * example would be nearly all constant, and the steps would suit b0 alone. Here
 * c^2 is a share of the largest eigenvalue of X_b'X_b / b (of Lmax / L if b =
 * 1). It scales with the unit, shortens steps by that share at most, and lets
 * b0 follow within some steps. */

static const double share_of_constant = 1.0 / 16;

enum { MOST_ROWS = 128, ITERATIONS = 100 };

/* x_r'x_q of rows spread over the data, for q <= r: this rank's share. Local.
 */
static th_status multiply_row_pairs(struct th_stochastic *s, int64_t rows,
                                    int64_t *sums, struct th_error *err)
{
  double *self = s->active.field[TH_FIELD_DUAL];
  th_status rc = TH_OK;
  memset(self, 0, (size_t)s->active.count * sizeof *self);
  for (int64_t r = 0; r < rows && rc == TH_OK; r++)
    rc = th_row_caches_draw(
        &s->caches, th_row_caches_unit_of(&s->caches, r * s->n / rows), err);
  for (int64_t r = 0; r < rows && rc == TH_OK; r++) {
    struct th_row row;
    th_row_caches_row(&s->caches, r * s->n / rows, &row);
    th_row_add(&row, 1, self);
    for (int64_t q = 0; q <= r; q++) {
      struct th_row other;
      th_row_caches_row(&s->caches, q * s->n / rows, &other);
      th_row_product(&other, self, &s->places.cells, &s->scaling.fixed,
                     &sums[r * rows + q]);
    }
    th_row_add(&row, -1, self);
  }
  for (int64_t r = 0; r < rows; r++)
    th_row_caches_release(&s->caches,
                          th_row_caches_unit_of(&s->caches, r * s->n / rows));
  return rc;
}

/* The largest eigenvalue of a symmetric matrix, by power iteration. */
static double largest_eigenvalue(int64_t n, const double *a)
{
  double v[MOST_ROWS];
  double w[MOST_ROWS];
  double norm = 0;
  for (int64_t i = 0; i < n; i++)
    v[i] = 1 / sqrt((double)n) + 1e-3 * (double)i / (double)n;
  for (int iteration = 0; iteration < ITERATIONS; iteration++) {
    double squares = 0;
    for (int64_t i = 0; i < n; i++) {
      w[i] = 0;
      for (int64_t j = 0; j < n; j++)
        w[i] += a[i * n + j] * v[j];
      squares += w[i] * w[i];
    }
    norm = sqrt(squares);
    for (int64_t i = 0; i < n && norm > 0; i++)
      v[i] = w[i] / norm;
  }
  return norm;
}

/* Choose the speed-up and the constant from the largest eigenvalue of a
 * mini-batch without the constant. Without mini-batches, long rows with small
 * weights count by their weights. */
static void choose_speedup(struct th_stochastic *s, double eigenvalue)
{
  bool alone = !(eigenvalue > 0);
  bool intercept = s->context->config->intercept;
  double moved = eigenvalue;
  s->control.batch_speedup = 1;
  s->control.constant = 0;
  if (alone && s->control.heaviest > 0)
    moved =
        s->control.curvature / (s->control.smoothness * s->control.heaviest);
  if (intercept && moved > 0)
    s->control.constant = share_of_constant * moved;
  if (!alone)
    s->control.batch_speedup =
        fmax(1, (s->control.largest + s->control.constant) /
                    (eigenvalue + s->control.constant));
}

th_status th_stochastic_batch_speedup(struct th_stochastic *s,
                                      struct th_error *err)
{
  int64_t rows = th_min_i64(s->minibatch.capacity, th_min_i64(MOST_ROWS, s->n));
  int64_t *sums = NULL;
  double *gram = NULL;
  th_status rc;
  choose_speedup(s, 0);
  if (rows == 1)
    return TH_OK;
  rc = TH_NEW(&sums, rows * rows + 1, "the step size", err);
  if (rc == TH_OK)
    rc = TH_NEW(&gram, rows * rows, "the step size", err);
  TH_TRY(th_agree(s->context->comm, rc, err));
  scaling_restart(&s->scaling,
                  fmax(s->scaling.step_bound * s->scaling.step_bound,
                       s->control.largest)); /* a scale for small units */
  rc = th_stochastic_scale(s, err);
  if (rc == TH_OK)
    rc = multiply_row_pairs(s, rows, sums, err);
  TH_TRY(th_comm_sum_agree(s->context->comm, sums, (size_t)(rows * rows), rc,
                           err));
  for (int64_t r = 0; r < rows; r++)
    for (int64_t q = 0; q <= r; q++) {
      double product = th_fixed_to(&s->scaling.fixed, sums[r * rows + q]);
      gram[r * rows + q] = product / (double)rows;
      gram[q * rows + r] = product / (double)rows;
    }
  choose_speedup(s, largest_eigenvalue(rows, gram));
done:
  TH_FREE(sums, gram);
  return rc;
}

/* --- What is derived from the set of active attributes -------------------- */

static const struct th_array active_work[] = {
    TH_ARRAY(struct th_places, keep), TH_ARRAY(struct th_places, group_keep),
    TH_ARRAY(struct th_places, group_dual),
    TH_ARRAY(struct th_places, group_second)};

void th_stochastic_pass_free(struct th_full_pass *full,
                             struct th_places *places)
{
  TH_FREE(full->prediction, full->theta, full->sums);
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

th_status th_stochastic_form(struct th_stochastic *s, struct th_error *err)
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
                                   .groups = config->groups};
  return th_grouping_build(&s->grouping, &of, s->context->comm,
                           s->active.attribute, s->active.count, err);
}

th_status th_stochastic_keep(struct th_stochastic *s, struct th_error *err)
{
  int64_t dropped = 0;
  th_status rc = TH_OK;
  for (int64_t p = 0; p < s->active.count; p++)
    dropped += !s->places.keep[p];
  s->context->comm->ops->sum_i64(s->context->comm, &dropped, 1);
  if (dropped == 0)
    return rc;
  th_stochastic_changed(s, TH_CHANGE_PLACES);
  th_row_caches_keep(&s->caches, s->places.keep);
  TH_TRY(th_active_keep(&s->active, s->context, s->places.keep, err));
  rc = th_stochastic_form(s, err);
done:
  return rc;
}

th_status th_stochastic_rebuild(struct th_stochastic *s, struct th_error *err)
{
  th_status rc = TH_OK;
  th_stochastic_changed(s, TH_CHANGE_PLACES);
  th_row_caches_forget(&s->caches);
  TH_TRY(th_stochastic_form(s, err));
  for (int64_t k = 0; k < s->minibatch.holds && rc == TH_OK; k++) {
    rc = th_row_caches_draw(&s->caches, s->minibatch.held[k], err);
    th_row_caches_release(&s->caches, s->minibatch.held[k]);
  }
  TH_TRY(th_agree(s->context->comm, rc, err));
  TH_TRY(th_stochastic_norms(s, err));
  TH_TRY(th_stochastic_batch_speedup(s, err));
done:
  return rc;
}

double *th_stochastic_update_field(const struct th_stochastic *s, int field)
{
  return s->active.field[TH_FIELD_UPDATE + field];
}

double *th_stochastic_screening_field(const struct th_stochastic *s, int field)
{
  return s->active.field[TH_FIELD_UPDATE + s->update->fields + field];
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
  double now = active_imbalance(s, &most);
  if (now <= worth_moving * s->balanced || most <= WORTH_MOVING)
    return rc;
  TH_TRY(place_evenly(s, &placement, err));
  TH_TRY(move_all(s, &placement, err));
  s->moves++;
  s->balanced = active_imbalance(s, &most);
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
