/* stochastic_pass.c - passes over all training examples: duals, gap, norms
 *
 * Deal units are visited in stored order; sums over examples run in that order
 * at the owner of an attribute.
 * SPDX-License-Identifier: MIT */
#include "solvers/stochastic/stochastic_parts.h"

#include "core/memory.h"
#include "math/gap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

void th_stochastic_pass_free(struct th_full_pass *full)
{
  TH_FREE(full->prediction, full->theta, full->sums);
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
static th_status visit(struct th_stochastic *s, visitor *look,
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
  th_stochastic_scaling_restart(&s->scaling, squares);
  rc = th_stochastic_scale(s, err);
  if (rc == TH_OK)
    rc = visit(s, visit_norms, err);
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
static th_status predict(struct th_stochastic *s, struct th_error *err)
{
  th_status rc;
  TH_TRY(th_stochastic_coef_bound(s, err));
  th_stochastic_learnt(s, TH_KNOWN_COEF_BOUND);
  memset(s->full.sums, 0, (size_t)s->n * sizeof *s->full.sums);
  rc = th_stochastic_scale(s, err);
  if (rc == TH_OK)
    rc = visit(s, visit_prediction, err);
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
  TH_TRY(predict(s, err));
  TH_TRY(dualize(s, err));
  TH_TRY(th_grouping_norm(&s->grouping, s->context->comm, th_stochastic_coef(s),
                          &pass->omega, err));
  memset(s->active.field[TH_FIELD_DUAL], 0,
         (size_t)s->active.count * sizeof(double));
  rc = visit(s, visit_dual, err);
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
