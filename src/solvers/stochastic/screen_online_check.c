/* screen_online_check.c - what online screening left out may have been needed
 *
 * Its radius is proved for the weights of the stream, not for the examples as a
 * whole. An iterate near the solution on the active attributes hardly ever
 * shows what is missing. So a check solves the problem exactly on the active
 * attributes, and there looks at the optimality conditions of all other groups:
 * Omega_g^D(Z_g) <= 1 where b_g = 0. Groups that break them come back. If none
 * does, the solution is that of the whole problem. (When to check: Liang & Poon
 * 2022, section 3.4; how: Tibshirani et al. 2012.)
 * SPDX-License-Identifier: MIT */
#include "base/integer.h"
#include "base/memory.h"
#include "math/gap.h"
#include "math/online.h"
#include "solvers/stochastic/screen_gap_safe.h"
#include "solvers/stochastic/screen_online.h"
#include "solvers/stochastic/stochastic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- The anchor point of online screening
 *
 * The paper takes the last iterate (Algorithm 2, line 16), which has few zeros
 * and the noise of a step. Ours for rule proj: the average of the block's
 * iterates behind a hard threshold (math/online.h). Any point is as safe; a
 * better one makes the gap smaller. */

/* sum |v_j| bound_j, a bound on predictions at the anchor. Collective. */
static th_status bound_coefs(struct th_stochastic *s, const double *v,
                             struct th_error *err)
{
  th_status rc = th_coef_bound_of(s, v, &s->scaling.anchor_coef_bound, err);
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
static void level_part(const struct th_stochastic *s, const double *v,
                       const double *level, int low, int high, double *part)
{
  for (int64_t p = 0; p < s->active.count; p++) {
    int k = th_online_sparse_average_level(level, v[p]);
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
  th_status rc = th_coef_scale(s, err);
  for (; drawn < rows && rc == TH_OK; drawn++)
    rc = th_row_caches_draw(&s->caches,
                            th_row_caches_unit_of(&s->caches, row[drawn]), err);
  for (int k = 0; k < TH_ANCHOR_LEVELS && rc == TH_OK; k++) {
    level_part(s, v, level, k, k, part);
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
  int64_t rows = list_recent(s->screening_state, row);
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
    level_part(s, v, level, 0, k, s->places.group_second);
    TH_TRY(th_grouping_norm(&s->grouping, comm, s->places.group_second, &omega,
                            err));
    objective[k] += s->lambda * omega;
  }
  *best = th_online_sparse_average_best(objective);
done:
  free(sums);
  return rc;
}

/* Collective. */
static th_status sparse_average(struct th_stochastic *s, double *anchor,
                                struct th_error *err)
{
  struct th_online_screen *screen = s->screening_state;
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
  th_online_sparse_average_levels(largest, level);
  TH_TRY(bound_coefs(s, average, err));
  TH_TRY(choose_level(s, average, level, &best, err));
  level_part(s, average, level, 0, best, anchor);
  memset(average, 0, (size_t)s->active.count * sizeof *average);
  screen->averaged = 0;
  screen->intercept = 0;
done:
  return rc;
}

th_status th_screen_online_check_anchor(struct th_stochastic *s,
                                        struct th_error *err)
{
  struct th_online_screen *screen = s->screening_state;
  double *anchor = th_stochastic_screening_field(s, TH_ONLINE_ANCHOR);
  th_status rc;
  if (screen->averaged > 0) {
    TH_TRY(sparse_average(s, anchor, err));
  } else {
    memcpy(anchor, th_coef_of(s), (size_t)s->active.count * sizeof *anchor);
    s->anchor_intercept = s->intercept;
    TH_TRY(bound_coefs(s, anchor, err));
  }
  rc = th_grouping_norm(&s->grouping, s->context->comm, anchor,
                        &screen->held_omega, err);
done:
  return rc;
}

/* --- What was left out is looked at, and may come back -------------------- */

enum {
  ROUNDS = 100,
  PATIENCE_IN_PASSES = 400 /* passes in which the gap has to halve */
};

static const double exact_gap = 1e-10; /* over the objective at zero */
static const double rounding = 1e-9;   /* of dual norms at a solution */

/* Attributes of this rank that are not active, nor left out. Local. */
static th_status list_screened(const struct th_stochastic *s, int64_t **missing,
                               int64_t *count, struct th_error *err)
{
  const struct th_context *context = s->context;
  struct th_range owned = s->active.owned;
  int64_t at = 0;
  *count = 0;
  th_status rc = TH_NEW(missing, th_range_count(owned) - s->active.count,
                        "a check of screening", err);
  for (int64_t j = owned.first; j < owned.last && rc == TH_OK; j++) {
    if (at < s->active.count && s->active.attribute[at] == j)
      at++;
    else if (context->scale[j - context->owned.first] > 0)
      (*missing)[(*count)++] = j;
  }
  return rc;
}

th_status th_screen_online_check_readmit(struct th_stochastic *s,
                                         struct th_error *err)
{
  int64_t *missing = NULL;
  int64_t count = 0;
  double *was;
  th_status rc;
  TH_TRY(th_coef_places_home(s, err));
  rc = list_screened(s, &missing, &count, err);
  TH_TRY(th_agree(s->context->comm, rc, err));
  was = th_stochastic_screening_field(s, TH_ONLINE_WAS);
  for (int64_t p = 0; p < s->active.count; p++)
    was[p] = 1;
  TH_TRY(th_active_add(&s->active, s->context, missing, count, err));
  rc = th_pass_rebuild(s, err);
done:
  free(missing);
  return rc;
}

/* Set s->places.keep for groups that were active, that break the optimality
 * conditions, or that b uses. The latter two are marked. Whether any group is
 * marked. Collective. */
static bool judge_violations(struct th_stochastic *s)
{
  const double *was = th_stochastic_screening_field(s, TH_ONLINE_WAS);
  double *back = th_stochastic_screening_field(s, TH_ONLINE_BACK);
  double *marked = s->places.group_second;
  int64_t any = 0;
  th_grouping_dual(&s->grouping, s->context->comm, was, marked);
  for (int64_t g = 0; g < s->grouping.groups; g++)
    s->places.group_keep[g] =
        marked[g] > 0 || s->places.group_dual[g] > 1 + rounding;
  th_grouping_dual(&s->grouping, s->context->comm, th_coef_of(s), marked);
  for (int64_t g = 0; g < s->grouping.groups; g++)
    s->places.group_keep[g] = s->places.group_keep[g] || marked[g] > 0;
  th_grouping_spread(&s->grouping, s->places.group_keep, s->places.keep);
  for (int64_t p = 0; p < s->active.count; p++)
    if (s->places.keep[p] && was[p] == 0) {
      back[p] = 1;
      any = 1;
    }
  s->context->comm->ops->max_i64(s->context->comm, &any, 1);
  return any > 0;
}

/* Attributes of the solution that had been left out. Collective. */
static int64_t count_needed(struct th_stochastic *s)
{
  double *back = th_stochastic_screening_field(s, TH_ONLINE_BACK);
  int64_t needed = 0;
  for (int64_t p = 0; p < s->active.count; p++) {
    needed += back[p] != 0 && th_coef_of(s)[p] != 0;
    back[p] = 0;
  }
  s->context->comm->ops->sum_i64(s->context->comm, &needed, 1);
  return needed;
}

/* Solve on from where the last check ended. *exact: b solves the problem on the
 * active attributes. Collective. */
static th_status solve_screened(struct th_stochastic *s, int64_t most,
                                bool *exact, struct th_error *err)
{
  struct th_sparsa sparsa = {.fields = {TH_ONLINE_X, TH_ONLINE_AVERAGE},
                             .patience = PATIENCE_IN_PASSES};
  const struct th_online_screen *screen = s->screening_state;
  double gap =
      screen->wanted > 0 ? screen->wanted : exact_gap * s->goal.zero_objective;
  th_status rc = th_screen_gap_safe_refine(s, &sparsa, gap, most, err);
  *exact = s->full.pass.gap <= gap;
  th_coef_hold(s, TH_ONLINE_EXACT, NULL);
  return rc;
}

/* Look at all attributes once, at b or at `other` unless that is NULL. *more:
 * some of them come back. Collective. */
static th_status look_around(struct th_stochastic *s,
                             const struct th_support *solution, bool *more,
                             struct th_error *err)
{
  struct th_pass whole;
  th_status rc;
  TH_TRY(th_screen_online_check_readmit(s, err));
  if (solution != NULL)
    th_coef_assign(s, solution);
  TH_TRY(th_pass_measure(s, err));
  TH_TRY(th_pass_make(s, err));
  whole = s->full.pass;
  *more = judge_violations(s);
  TH_TRY(th_coef_places_keep(s, err));
  th_pass_restore(s, &whole, s->intercept);
  if (*more)
    th_stochastic_changed(s, TH_CHANGE_PROBLEM);
  else
    th_stochastic_learnt(s, TH_KNOWN_PASS);
done:
  return rc;
}

/* Return to the solution of the last check; whether it is exact and nothing has
 * been left out since. Local; replicated. */
static bool return_to_solution(struct th_stochastic *s)
{
  struct th_online_screen *screen = s->screening_state;
  bool known = screen->certified_active == s->active.total;
  if (screen->refined)
    th_coef_return(s, TH_ONLINE_EXACT, s->intercept);
  screen->refined = true;
  if (known) {
    th_pass_restore(s, &screen->certified, screen->certified_intercept);
    th_stochastic_learnt(s, TH_KNOWN_PASS);
  }
  return known;
}

/* Remember that b is an exact solution of the whole problem. */
static void remember(struct th_stochastic *s)
{
  struct th_online_screen *screen = s->screening_state;
  screen->certified = s->full.pass;
  screen->certified_intercept = s->intercept;
  screen->certified_active = s->active.total;
}

th_status th_screen_online_check_refine(struct th_stochastic *s, int64_t most,
                                        int64_t *readmitted,
                                        struct th_error *err)
{
  bool more = true;
  bool exact = true;
  th_status rc = TH_OK;
  *readmitted = 0;
  if (return_to_solution(s))
    return TH_OK;
  for (int round = 0; more && exact && round < ROUNDS; round++) {
    TH_TRY(solve_screened(s, most, &exact, err));
    if (exact)
      TH_TRY(look_around(s, NULL, &more, err));
  }
  th_screen_online_clear(s, TH_ONLINE_AVERAGE);
  *readmitted = exact ? count_needed(s) : -1;
  s->certificate.screened_wrongly += exact ? *readmitted : 0;
  if (exact)
    remember(s);
done:
  return rc;
}

th_status th_screen_online_check_adopt(struct th_stochastic *s,
                                       const struct th_support *solution,
                                       int64_t *readmitted,
                                       struct th_error *err)
{
  bool more = false;
  th_status rc = look_around(s, solution, &more, err);
  if (rc != TH_OK)
    return rc;
  *readmitted = count_needed(s);
  s->certificate.screened_wrongly += *readmitted;
  th_stochastic_learnt(s, TH_KNOWN_PASS); /* the pass is of this solution */
  remember(s);
  return rc;
}

/* ---- checks during the run ---- */
