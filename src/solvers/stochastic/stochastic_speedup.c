/* stochastic_speedup.c - the step sizes of mini-batches and of the intercept
 *
 * Steps solve the problem in b and u, with b0 = c u: the intercept is an
 * attribute of the constant value c. With c = 1, results would depend on the
 * unit of the other attributes. If that unit made them small, the longest
 * example would be nearly all constant, and the steps would suit b0 alone. Here
 * c^2 is a share of the largest eigenvalue of X_b'X_b / b (of Lmax / L if b =
 * 1). It scales with the unit, shortens steps by that share at most, and lets
 * b0 follow within some steps.
 * SPDX-License-Identifier: MIT */
#include "solvers/stochastic/stochastic_parts.h"

#include "core/integer.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

static const double share_of_constant = 1.0 / 16;

enum { MOST_ROWS = 128, ITERATIONS = 100 };

/* x_r'x_q of rows spread over the data, for q <= r: this rank's share. Local.
 */
static th_status multiply(struct th_stochastic *s, int64_t rows, int64_t *sums,
                          struct th_error *err)
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
static void choose(struct th_stochastic *s, double eigenvalue)
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
  choose(s, 0);
  if (rows == 1)
    return TH_OK;
  rc = TH_NEW(&sums, rows * rows + 1, "the step size", err);
  if (rc == TH_OK)
    rc = TH_NEW(&gram, rows * rows, "the step size", err);
  TH_TRY(th_agree(s->context->comm, rc, err));
  th_stochastic_scaling_restart(
      &s->scaling, fmax(s->scaling.step_bound * s->scaling.step_bound,
                        s->control.largest)); /* a scale for small units */
  rc = th_stochastic_scale(s, err);
  if (rc == TH_OK)
    rc = multiply(s, rows, sums, err);
  TH_TRY(th_comm_sum_agree(s->context->comm, sums, (size_t)(rows * rows), rc,
                           err));
  for (int64_t r = 0; r < rows; r++)
    for (int64_t q = 0; q <= r; q++) {
      double product = th_fixed_to(&s->scaling.fixed, sums[r * rows + q]);
      gram[r * rows + q] = product / (double)rows;
      gram[q * rows + r] = product / (double)rows;
    }
  choose(s, largest_eigenvalue(rows, gram));
done:
  TH_FREE(sums, gram);
  return rc;
}
