/* pass.c - passes over training examples: of a mini-batch predictions and
 * duals, of all examples these, gap, norms, step sizes
 *
 * In a pass over all of them deal units are visited in stored order; sums over
 * examples run in that order at the owner of an attribute.
 * SPDX-License-Identifier: MIT */
#include "solvers/stochastic/pass.h"

#include "base/integer.h"
#include "base/memory.h"
#include "math/gap.h"
#include "solvers/stochastic/stochastic.h"
#include "state/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Passes over all training examples ------------------------------------ */

static int64_t room_of(int64_t n, int64_t unit)
{
  return th_min_i64(n, th_max_i64(unit, TH_FIXED_AT_ONCE));
}

int64_t th_pass_bytes(int64_t n, int64_t unit)
{
  return (room_of(n, unit) + 1) * (int64_t)sizeof(int64_t);
}

th_status th_pass_init(struct th_full_pass *full, struct th_comm *comm,
                       int64_t n, int64_t unit, struct th_error *err)
{
  th_status rc;
  full->room = room_of(n, unit);
  rc = TH_NEW(&full->sums, full->room + 1, "predictions", err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(th_comm_share(comm, 2 * (size_t)n * sizeof(double), "predictions",
                       &full->memory, err));
  full->prediction = full->memory.data;
  full->theta = full->prediction + n;
done:
  return rc;
}

void th_pass_free(struct th_full_pass *full)
{
  free(full->sums);
  th_comm_shared_free(&full->memory);
}

void th_pass_describe(struct th_pass *pass, const char *name,
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

/* Visit the rows of some deal units in stored order; each is one draw. Local.
 */
static th_status visit_units(struct th_stochastic *s, struct th_range units,
                             visitor *look, struct th_error *err)
{
  bool good = true;
  th_status rc = TH_OK;
  for (int64_t k = units.first; k < units.last && rc == TH_OK && good; k++) {
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

/* The deal units from `first` on that there is room for at once; *rows: how
 * many examples they have. */
static struct th_range units_at_once(const struct th_stochastic *s,
                                     int64_t first, int64_t *rows)
{
  struct th_range units = {first, first};
  *rows = 0;
  while (units.last < s->caches.count) {
    int64_t count = th_row_caches_unit(&s->caches, units.last).count;
    if (*rows + count > s->full.room)
      break;
    *rows += count;
    units.last++;
  }
  return units;
}

/* Told the sums of all ranks for the examples from full.first on. Local. */
typedef void taker(struct th_stochastic *s, int64_t rows);

/* Visit all rows, each of which adds to a sum over the ranks. rc: a failure of
 * this rank before. Collective. */
static th_status sum_rows(struct th_stochastic *s, th_status rc, visitor *look,
                          taker *take, struct th_error *err)
{
  struct th_full_pass *full = &s->full;
  for (struct th_range units = {0, 0}; units.first < s->caches.count;) {
    int64_t rows;
    units = units_at_once(s, units.first, &rows);
    full->first = th_row_caches_unit(&s->caches, units.first).first;
    memset(full->sums, 0, (size_t)rows * sizeof *full->sums);
    if (rc == TH_OK)
      rc = visit_units(s, units, look, err);
    TH_TRY(
        th_comm_sum_agree(s->context->comm, full->sums, (size_t)rows, rc, err));
    take(s, rows);
    units.first = units.last;
  }
done:
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
                             &s->full.sums[i - s->full.first]);
  th_row_add(row, -1, self);
  return good;
}

static void take_norms(struct th_stochastic *s, int64_t rows)
{
  struct th_step_control *control = &s->control;
  for (int64_t r = 0; r < rows; r++) {
    double square = th_fixed_to(&s->scaling.fixed, s->full.sums[r]);
    double weight = s->eta[s->full.first + r] * (double)s->n;
    control->heaviest = fmax(control->heaviest, weight);
    control->largest = fmax(control->largest, square);
    control->curvature =
        fmax(control->curvature, control->smoothness * weight * square);
  }
}

/* N_j and the largest norm2(x_i)^2. Collective. */
static th_status find_norms(struct th_stochastic *s, struct th_error *err)
{
  size_t bytes = (size_t)s->active.count * sizeof(double);
  double squares = 0;
  th_status rc;
  for (int64_t p = 0; p < s->active.count; p++)
    s->active.field[TH_FIELD_DUAL][p] = s->active.bound[p] * s->active.bound[p];
  TH_TRY(th_coef_total(s, s->active.field[TH_FIELD_DUAL], &squares, err));
  memset(s->active.field[TH_FIELD_DUAL], 0, bytes);
  memset(s->active.field[TH_FIELD_SECOND], 0, bytes);
  th_coef_restart(&s->scaling, squares);
  s->control.largest = 0;
  s->control.curvature = 0;
  s->control.heaviest = 0;
  TH_TRY(sum_rows(s, th_coef_scale(s, err), visit_norms, take_norms, err));
  s->scaling.step_bound = TH_FIXED_SLACK * sqrt(squares * s->control.largest);
  s->control.measured = s->active.total;
  s->control.epoch_half = 0;
  th_stochastic_changed(s, TH_CHANGE_COEF_BOUND);
done:
  return rc;
}

/* ---- a full pass ---- */

th_status th_pass_fetch_exempt(struct th_stochastic *s, struct th_error *err)
{
  struct th_context *context = s->context;
  th_status rc;
  s->exempt = (struct th_exempt){.loss = context->loss,
                                 .rows = s->n,
                                 .target = s->target,
                                 .eta = s->eta,
                                 .intercept = context->config->intercept};
  TH_TRY(th_exempt_init(&s->exempt, context, &s->active, NULL, err));
  if (s->exempt.count > 0)
    rc = th_source_activate(context->source, context->comm, s->active.attribute,
                            s->active.count, err);
done:
  return rc;
}

static bool visit_prediction(struct th_stochastic *s, const struct th_row *row,
                             int64_t i)
{
  return th_row_product(row, th_coef_of(s), &s->places.cells, &s->scaling.fixed,
                        &s->full.sums[i - s->full.first]);
}

/* Z = -(1/lambda) sum eta_i theta_i x_i. */
static bool visit_dual(struct th_stochastic *s, const struct th_row *row,
                       int64_t i)
{
  th_row_add(row, -s->eta[i] * s->full.theta[i] / s->lambda,
             s->active.field[TH_FIELD_DUAL]);
  return true;
}

static void take_predictions(struct th_stochastic *s, int64_t rows)
{
  struct th_full_pass *full = &s->full;
  if (full->memory.writer)
    th_fixed_read(&s->scaling.fixed, 0, full->sums, rows,
                  full->prediction + full->first);
}

/* x_i'b of all examples, without b0. Collective. */
static th_status predict_all(struct th_stochastic *s, struct th_error *err)
{
  th_status rc;
  TH_TRY(th_coef_bound(s, err));
  th_stochastic_learnt(s, TH_KNOWN_COEF_BOUND);
  TH_TRY(sum_rows(s, th_coef_scale(s, err), visit_prediction, take_predictions,
                  err));
  th_comm_shared_show(&s->full.memory);
done:
  return rc;
}

/* The duals at b0. By the writer. */
static void write_duals(struct th_stochastic *s)
{
  const struct th_loss *loss = s->context->loss;
  for (int64_t i = 0; i < s->n; i++)
    s->full.prediction[i] += s->intercept;
  if (s->exempt.count > 0) {
    th_exempt_add(&s->exempt, s->exempt.coef, s->full.prediction);
    th_exempt_theta(&s->exempt, s->full.prediction, s->full.theta);
    return;
  }
  th_loss_df_all(loss, s->n, s->full.prediction, s->target, s->full.theta);
  if (s->context->config->intercept)
    th_gap_centre(loss, s->n, s->eta, s->target, s->full.theta);
}

/* The coefficients of attributes without a penalty change. Collective. */
static th_status move_exempt(struct th_stochastic *s, struct th_error *err)
{
  for (int64_t k = 0; k < s->exempt.count; k++) {
    int64_t p = th_active_place(&s->active, s->exempt.attribute[k]);
    if (p >= 0)
      th_coef_of(s)[p] += s->exempt.coef[k];
  }
  return s->exempt.count > 0 ? th_coef_bound(s, err) : TH_OK;
}

/* Find the best b0, and the best coefficients of attributes without a penalty,
 * and the duals there. Collective. */
static th_status dualize(struct th_stochastic *s, struct th_error *err)
{
  th_status rc = TH_OK;
  if (s->exempt.count > 0)
    rc = th_exempt_fit(&s->exempt, s->full.prediction, s->exempt.coef,
                       &s->intercept, err);
  else if (s->context->config->intercept)
    rc = th_gap_intercept(s->context->loss, s->n, s->eta, s->target,
                          s->full.prediction, &s->intercept, err);
  th_comm_shared_show(&s->full.memory); /* all have looked at predictions */
  if (s->full.memory.writer)
    write_duals(s);
  th_comm_shared_show(&s->full.memory);
  return rc == TH_OK ? move_exempt(s, err) : rc;
}

double th_pass_dual_norm(struct th_stochastic *s, const double *v)
{
  double *dual = s->places.group_dual;
  double largest = 0;
  if (!th_coef_separable(s))
    th_grouping_dual(&s->grouping, s->context->comm, v, dual);
  else /* groups are places */
    for (int64_t p = 0; p < s->active.count; p++)
      dual[p] = fabs(v[p]);
  for (int64_t g = 0; g < s->grouping.groups; g++)
    largest = dual[g] > largest ? dual[g] : largest;
  s->context->comm->ops->max_f64(s->context->comm, &largest, 1);
  return largest;
}

static th_status pass_over(struct th_stochastic *s, struct th_error *err)
{
  const struct th_loss *loss = s->context->loss;
  struct th_pass *pass = &s->full.pass;
  th_status rc;
  TH_TRY(predict_all(s, err));
  TH_TRY(dualize(s, err));
  TH_TRY(th_grouping_norm(&s->grouping, s->context->comm, th_coef_of(s),
                          &pass->omega, err));
  memset(s->active.field[TH_FIELD_DUAL], 0,
         (size_t)s->active.count * sizeof(double));
  rc = visit_units(s, (struct th_range){0, s->caches.count}, visit_dual, err);
  TH_TRY(th_agree(s->context->comm, rc, err));
  pass->dual_norm = th_pass_dual_norm(s, s->active.field[TH_FIELD_DUAL]);
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

th_status th_pass_make(struct th_stochastic *s, struct th_error *err)
{
  th_comm_profile_begin(s->context->profile);
  th_status rc = pass_over(s, err);
  th_comm_profile_end(s->context->profile, TH_PHASE_PASS);
  return rc;
}

void th_pass_restore(struct th_stochastic *s, const struct th_pass *pass,
                     double intercept)
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

/* Set batch_speedup, by how much steps of mini-batches may be longer than those
 * of single examples: max norm2(x)^2 over the largest eigenvalue of X_b'X_b /
 * b, at least 1. Set constant, too. It follows find_norms. Collective. */
static th_status find_speedup(struct th_stochastic *s, struct th_error *err)
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
  th_coef_restart(&s->scaling,
                  fmax(s->scaling.step_bound * s->scaling.step_bound,
                       s->control.largest)); /* a scale for small units */
  rc = th_coef_scale(s, err);
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

th_status th_pass_measure(struct th_stochastic *s, struct th_error *err)
{
  th_status rc = find_norms(s, err);
  if (rc == TH_OK)
    rc = find_speedup(s, err);
  return rc;
}

th_status th_pass_rebuild(struct th_stochastic *s, struct th_error *err)
{
  th_status rc = TH_OK;
  th_stochastic_changed(s, TH_CHANGE_PLACES);
  th_row_caches_forget(&s->caches);
  TH_TRY(th_coef_places_form(s, err));
  for (int64_t k = 0; k < s->minibatch.holds && rc == TH_OK; k++) {
    rc = th_row_caches_draw(&s->caches, s->minibatch.held[k], err);
    th_row_caches_release(&s->caches, s->minibatch.held[k]);
  }
  rc = th_agree(s->context->comm, rc, err);
done:
  return rc;
}

/* --- Mini-batches --------------------------------------------------------- */

static const struct th_array arrays[] = {
    TH_ARRAY(struct th_minibatch, index),
    TH_ARRAY_OF(struct th_minibatch, held, 1, 1),
    TH_ARRAY(struct th_minibatch, row),
    TH_ARRAY(struct th_minibatch, prediction),
    TH_ARRAY(struct th_minibatch, anchored),
    TH_ARRAY(struct th_minibatch, theta),
    TH_ARRAY(struct th_minibatch, factor),
    TH_ARRAY_OF(struct th_minibatch, sums, 2, 1)};

th_status th_pass_batch_init(struct th_minibatch *minibatch, int64_t rows,
                             struct th_error *err)
{
  return th_memory_arrays_reserve(TH_ARRAYS(minibatch, arrays),
                                  &minibatch->capacity, rows, "a mini-batch",
                                  err);
}

void th_pass_batch_free(struct th_minibatch *minibatch)
{
  th_memory_arrays_free(TH_ARRAYS(minibatch, arrays));
}

void th_pass_batch_release(struct th_stochastic *s, bool all)
{
  struct th_minibatch *minibatch = &s->minibatch;
  bool last = all || s->order.next >= s->order.unit.count;
  int64_t keep = minibatch->holds > 0 && !last ? 1 : 0;
  for (int64_t k = 0; k < minibatch->holds - keep; k++)
    th_row_caches_release(&s->caches, minibatch->held[k]);
  if (keep == 1)
    minibatch->held[0] = minibatch->held[minibatch->holds - 1];
  minibatch->holds = keep;
  minibatch->rows = 0;
}

/* Take the next row, and hold the row cache that it lies in. Local. */
static th_status next_batch_row(struct th_stochastic *s, int64_t r,
                                struct th_error *err)
{
  struct th_minibatch *minibatch = &s->minibatch;
  int64_t units = s->order.units;
  int64_t row = 0;
  bool more;
  th_status rc;
  TH_TRY(th_example_order_next(&s->order, &s->context->deal, &row, &more, err));
  if (s->order.units != units) {
    int64_t unit = th_row_caches_unit_of(&s->caches, row);
    minibatch->held[minibatch->holds++] = unit;
    TH_TRY(th_row_caches_draw(&s->caches, unit, err));
  }
  minibatch->index[r] = row;
  th_row_caches_row(&s->caches, row, &minibatch->row[r]);
done:
  return rc;
}

/* This rank's share of the predictions, at b and at the anchor. Local. */
static th_status predict_own(struct th_stochastic *s, struct th_error *err)
{
  struct th_minibatch *minibatch = &s->minibatch;
  bool anchored = s->screening->anchored;
  bool good = true;
  for (int64_t r = 0; r < minibatch->rows; r++) {
    const struct th_row *row = &minibatch->row[r];
    if (s->update->catch_up != NULL)
      s->update->catch_up(s, row);
    good &= th_row_product(row, th_coef_of(s), &s->places.cells,
                           &s->scaling.fixed, &minibatch->sums[r]);
    if (anchored)
      good &= th_row_product(row, th_stochastic_screening_field(s, 0),
                             &s->places.cells, &s->scaling.fixed,
                             &minibatch->sums[minibatch->rows + r]);
  }
  if (good)
    return TH_OK;
  return th_fail(err, TH_ENUMERIC,
                 "predictions have become too large; standardize, or take a "
                 "smaller step size");
}

static th_status observe_rows(struct th_stochastic *s, int64_t rows,
                              struct th_error *err)
{
  th_status rc = th_source_leave(s->context->source, err);
  for (int64_t r = 0; r < rows && rc == TH_OK; r++)
    rc = next_batch_row(s, r, err);
  if (rc == TH_OK)
    rc = th_coef_scale(s, err);
  if (rc == TH_OK)
    rc = predict_own(s, err);
  return rc;
}

/* Derive predictions and duals from the sums; replicated. */
static void derive_duals(struct th_stochastic *s)
{
  const struct th_loss *loss = s->context->loss;
  struct th_minibatch *minibatch = &s->minibatch;
  th_fixed_read(&s->scaling.fixed, s->intercept, minibatch->sums,
                minibatch->rows, minibatch->prediction);
  if (s->screening->anchored)
    th_fixed_read(&s->scaling.fixed, s->anchor_intercept,
                  minibatch->sums + minibatch->rows, minibatch->rows,
                  minibatch->anchored);
  for (int64_t r = 0; r < minibatch->rows; r++)
    minibatch->theta[r] =
        s->target[minibatch->index[r]]; /* target for now; becomes f' */
  th_loss_f_all(loss, minibatch->rows, minibatch->prediction, minibatch->theta,
                minibatch->factor);
  th_loss_df_all(loss, minibatch->rows, minibatch->prediction, minibatch->theta,
                 minibatch->theta);
  for (int64_t r = 0; r < minibatch->rows; r++) {
    double weight = s->eta[minibatch->index[r]] * (double)s->n;
    s->control.loss += weight * minibatch->factor[r];
    minibatch->factor[r] =
        weight * minibatch->theta[r] / (double)minibatch->rows;
  }
}

th_status th_pass_batch_next(struct th_stochastic *s, bool *more,
                             struct th_error *err)
{
  struct th_minibatch *minibatch = &s->minibatch;
  int64_t left = th_example_order_left(&s->order, &s->context->deal);
  int64_t rows = th_min_i64(minibatch->capacity, left);
  int64_t sums = s->screening->anchored ? 2 * rows : rows;
  *more = rows > 0;
  if (!*more)
    return TH_OK;
  for (int64_t r = 0; r < sums; r++)
    minibatch->sums[r] = 0;
  minibatch->rows = rows;
  th_status rc = observe_rows(s, rows, err);
  if (s->context->comm->size > 1)
    rc = th_comm_sum_agree(s->context->comm, minibatch->sums, (size_t)sums, rc,
                           err);
  if (rc == TH_OK)
    derive_duals(s);
  return rc;
}
