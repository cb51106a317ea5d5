/* screen_online_anchor.c - the anchor point of online screening
 *
 * The paper takes the last iterate (Algorithm 2, line 16), which has few zeros
 * and the noise of a step. Ours for rule proj: the average of the block's
 * iterates behind a hard threshold (math/sparse_average.h). Any point is as
 * safe; a better one makes the gap smaller.
 * SPDX-License-Identifier: MIT */
#include "solvers/stochastic/screen_online.h"

#include "core/integer.h"
#include "core/memory.h"
#include "math/sparse_average.h"
#include "solvers/stochastic/stochastic_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { IN_AVERAGE = 64 }; /* iterates of a block, evenly spaced */

void th_screen_online_follow(struct th_stochastic *s)
{
  struct th_online_screen *screen = th_screen_online_of(s);
  const struct th_online *online = &screen->online;
  double *average = th_stochastic_screening_field(s, TH_ONLINE_AVERAGE);
  int64_t every = th_integer_ceil_divide(online->length, IN_AVERAGE);
  for (int64_t r = 0; r < s->minibatch.rows; r++)
    screen->recent[screen->seen++ % TH_ONLINE_RECENT] = s->minibatch.index[r];
  if (online->rule != TH_RULE_PROJ || online->block.steps % every != 0)
    return;
  if (s->update->flush != NULL)
    s->update->flush(s);
  for (int64_t p = 0; p < s->active.count; p++)
    average[p] += th_stochastic_coef(s)[p];
  screen->intercept += s->intercept;
  screen->averaged++;
}

/* sum |v_j| bound_j, a bound on predictions at the anchor. Collective. */
static th_status bound_coefs(struct th_stochastic *s, const double *v,
                             struct th_error *err)
{
  th_status rc = th_stochastic_bound(s, v, &s->scaling.anchor_coef_bound, err);
  s->scaling.anchor_coef_bound *= TH_FIXED_SLACK;
  return rc;
}

/* ---- the examples seen last ---- */

/* List the examples of the ring in ascending order, each once. */
static int64_t list_recent(const struct th_online_screen *screen, int64_t *row)
{
  int64_t filled = th_min_i64(screen->seen, TH_ONLINE_RECENT);
  int64_t count = 0;
  memcpy(row, screen->recent, (size_t)filled * sizeof *row);
  qsort(row, (size_t)filled, sizeof *row, th_integer_ascending);
  for (int64_t k = 0; k < filled; k++)
    if (count == 0 || row[count - 1] != row[k])
      row[count++] = row[k];
  return count;
}

/* v_j if the level that first keeps it is in [low, high], else 0. */
static void part_of(const struct th_stochastic *s, const double *v,
                    const double *level, int low, int high, double *part)
{
  for (int64_t p = 0; p < s->active.count; p++) {
    int k = th_sparse_average_level(level, v[p]);
    part[p] = k >= low && k <= high ? v[p] : 0;
  }
}

/* sums[k * rows + r]: what attributes of level k add to the prediction of row
 * r. Local. */
static th_status multiply(struct th_stochastic *s, const double *v,
                          const double *level, const int64_t *row, int64_t rows,
                          int64_t *sums, struct th_error *err)
{
  double *part = s->places.group_second;
  int64_t drawn = 0;
  bool good = true;
  th_status rc = th_stochastic_scale(s, err);
  for (; drawn < rows && rc == TH_OK; drawn++)
    rc = th_row_caches_draw(&s->caches,
                            th_row_caches_unit_of(&s->caches, row[drawn]), err);
  for (int k = 0; k < TH_ANCHOR_LEVELS && rc == TH_OK; k++) {
    part_of(s, v, level, k, k, part);
    for (int64_t r = 0; r < rows; r++) {
      struct th_row values;
      th_row_caches_row(&s->caches, row[r], &values);
      good &= th_row_product(&values, part, &s->places.cells, &s->scaling.fixed,
                             &sums[k * rows + r]);
    }
  }
  for (int64_t r = 0; r < drawn; r++)
    th_row_caches_release(&s->caches,
                          th_row_caches_unit_of(&s->caches, row[r]));
  if (rc == TH_OK && !good)
    rc = th_fail(err, TH_ENUMERIC,
                 "predictions have become too large; "
                 "standardize, or take a smaller step size");
  return rc;
}

/* Mean loss of each level on the rows. */
static void losses(const struct th_stochastic *s, const int64_t *row,
                   int64_t rows, const int64_t *sums,
                   double loss[TH_ANCHOR_LEVELS])
{
  for (int k = 0; k < TH_ANCHOR_LEVELS; k++)
    loss[k] = 0;
  for (int64_t r = 0; r < rows; r++) {
    double p = s->anchor_intercept;
    double weight = s->eta[row[r]] * (double)s->n / (double)rows;
    for (int k = 0; k < TH_ANCHOR_LEVELS; k++) {
      p += th_fixed_to(&s->scaling.fixed, sums[k * rows + r]);
      loss[k] += weight * th_loss_f(s->context->loss, p, s->target[row[r]]);
    }
  }
}

/* ---- the threshold ---- */

/* Objective of v behind each threshold, and which is best. Collective. */
static th_status choose_level(struct th_stochastic *s, const double *v,
                              const double *level, int *best,
                              struct th_error *err)
{
  struct th_comm *comm = s->context->comm;
  double objective[TH_ANCHOR_LEVELS];
  int64_t row[TH_ONLINE_RECENT];
  int64_t rows = list_recent(th_screen_online_of(s), row);
  int64_t *sums = NULL;
  th_status rc =
      TH_NEW(&sums, TH_ANCHOR_LEVELS * rows + 1, "online screening", err);
  TH_TRY(th_agree(comm, rc, err));
  rc = multiply(s, v, level, row, rows, sums, err);
  TH_TRY(th_comm_sum_agree(comm, sums, (size_t)(TH_ANCHOR_LEVELS * rows), rc,
                           err));
  losses(s, row, rows, sums, objective);
  for (int k = 0; k < TH_ANCHOR_LEVELS; k++) {
    double omega = 0;
    part_of(s, v, level, 0, k, s->places.group_second);
    TH_TRY(th_grouping_norm(&s->grouping, comm, s->places.group_second, &omega,
                            err));
    objective[k] += s->lambda * omega;
  }
  *best = th_sparse_average_best(objective);
done:
  free(sums);
  return rc;
}

/* Collective. */
static th_status sparse_average(struct th_stochastic *s, double *anchor,
                                struct th_error *err)
{
  struct th_online_screen *screen = th_screen_online_of(s);
  double *average = th_stochastic_screening_field(s, TH_ONLINE_AVERAGE);
  double level[TH_ANCHOR_LEVELS];
  double largest = 0;
  int best = 0;
  th_status rc;
  for (int64_t p = 0; p < s->active.count; p++) {
    average[p] /= (double)screen->averaged;
    largest = fmax(largest, fabs(average[p]));
  }
  s->anchor_intercept = screen->intercept / (double)screen->averaged;
  s->context->comm->ops->max_f64(s->context->comm, &largest, 1);
  th_sparse_average_levels(largest, level);
  TH_TRY(bound_coefs(s, average, err));
  TH_TRY(choose_level(s, average, level, &best, err));
  part_of(s, average, level, 0, best, anchor);
  memset(average, 0, (size_t)s->active.count * sizeof *average);
  screen->averaged = 0;
  screen->intercept = 0;
done:
  return rc;
}

th_status th_screen_online_anchor(struct th_stochastic *s, struct th_error *err)
{
  struct th_online_screen *screen = th_screen_online_of(s);
  double *anchor = th_stochastic_screening_field(s, TH_ONLINE_ANCHOR);
  th_status rc;
  if (screen->averaged > 0) {
    TH_TRY(sparse_average(s, anchor, err));
  } else {
    memcpy(anchor, th_stochastic_coef(s),
           (size_t)s->active.count * sizeof *anchor);
    s->anchor_intercept = s->intercept;
    TH_TRY(bound_coefs(s, anchor, err));
  }
  rc = th_grouping_norm(&s->grouping, s->context->comm, anchor,
                        &screen->held_omega, err);
done:
  return rc;
}
