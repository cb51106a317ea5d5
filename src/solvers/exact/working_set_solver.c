/* working_set_solver.c - the exact solution at one lambda: working sets,
 * gap-safe spheres
 * SPDX-License-Identifier: MIT */
#include "solvers/exact/working_set_solver.h"
#include "solvers/access/csc_cache.h"

#include "base/elementary.h"
#include "base/integer.h"
#include "base/memory.h"
#include "data/store.h"
#include "math/gap.h"
#include "ranks/partition.h"
#include "solvers/penalised/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Estimates of slopes from earlier passes ------------------------------ */

/* Slopes -sum eta theta x are linear in theta. If they are known at two thetas,
 * they are known on the whole line through these. At another theta they differ
 * by at most its distance from the line times sqrt(N_g). This is the sphere of
 * Liang & Poon 2022, Algorithm 1, with a known centre and radius in place of
 * bounded ones. Groups that stay below lambda need not be read. While the
 * support stays the same, theta follows such a line. The ridge's part of a
 * slope is not remembered, as it is known from the coefficient. */

/* Rounds distances upward. */
static const double upward = 1 + 1e-10;

/* A point on a line: first + part (first - second). */
struct line_point {
  const struct th_point *first;
  const struct th_point *second; /* equal to first: the point alone */
  double part;
  double beside; /* its distance from theta */
  double level;  /* typical error, over sqrt(N_g) */
};

static th_status reserve_point(struct th_point *point,
                               const struct th_problem *p, struct th_error *err)
{
  th_status rc;
  TH_TRY(TH_NEW(&point->theta, p->rows, "dual variables", err));
  TH_TRY(TH_NEW(&point->slope, p->active.count, "slopes of attributes", err));
  TH_TRY(
      TH_NEW(&point->error, p->grouping.groups, "slopes of attributes", err));
done:
  return rc;
}

static void record_point(const struct th_gradient_history *history,
                         struct th_point *point, const double *theta,
                         const struct th_duals *duals)
{
  const struct th_problem *p = history->problem;
  memcpy(point->theta, theta, (size_t)p->rows * sizeof *theta);
  memcpy(point->slope, duals->z,
         (size_t)p->active.count * sizeof *point->slope);
  memcpy(point->error, duals->slack,
         (size_t)p->grouping.groups * sizeof *point->error);
}

static void gradient_history_free(struct th_gradient_history *history)
{
  for (int k = 0; k < TH_POINTS; k++) {
    TH_FREE(history->point[k].theta, history->point[k].slope,
            history->point[k].error);
  }
  *history = (struct th_gradient_history){0};
}

/* List errors by attribute, since ranks may share groups: each attribute has
 * the error of its group. Local. */
static void describe_error(struct th_point *point, const struct th_problem *p,
                           struct th_range here, struct th_state *state)
{
  double *error = th_state_scratch(state, p->active.count);
  bool puts = th_state_puts(state);
  for (int64_t g = 0; error != NULL && !puts && g < p->grouping.groups; g++)
    for (int64_t m = th_problem_members(p, g).first;
         m < th_problem_members(p, g).last; m++)
      error[th_problem_place(p, m)] = point->error[g];
  th_state_spread(state, "error", TH_STATE_F64, error, 1, here);
  for (int64_t g = 0; error != NULL && puts && g < p->grouping.groups; g++)
    point->error[g] =
        error[th_problem_place(p, th_problem_members(p, g).first)];
}

/* There is a last lambda, always. Local. */
static void check_points(const struct th_gradient_history *history,
                         struct th_state *state)
{
  bool good = history->count > 0;
  for (int64_t k = 0; k < history->count && good; k++)
    good = isfinite(history->point[k].lambda) && history->point[k].lambda > 0;
  if (th_state_puts(state) && th_state_good(state) && !good)
    th_state_note(state, th_fail(state->err, TH_EFORMAT,
                                 "the state goes on from no lambda"));
}

void th_working_set_solver_history_describe(struct th_gradient_history *history,
                                            struct th_state *state)
{
  static const char *const names[TH_POINTS] = {"0", "1", "2", "3"};
  struct th_problem *p = history->problem;
  int64_t count = p->active.count;
  int64_t total = 0;
  int64_t first = th_comm_prefix(p->context->comm, count, &total);
  struct th_range here = {first, first + count};
  th_state_enter(state, "history");
  TH_STATE_AT_MOST(state, history, count, TH_POINTS);
  TH_STATE_ONE(state, history, clock);
  for (int k = 0; k < TH_POINTS; k++) {
    struct th_point *point = &history->point[k];
    th_state_enter(state, names[k]);
    TH_STATE_ONE(state, point, lambda);
    TH_STATE_ONE(state, point, level);
    TH_STATE_ONE(state, point, used);
    th_state_examples(state, "theta", TH_STATE_F64, point->theta, p->rows);
    th_state_spread(state, "slope", TH_STATE_F64, point->slope, 1, here);
    describe_error(point, p, here, state);
    th_state_leave(state);
  }
  check_points(history, state);
  th_state_leave(state);
}

/* The nearest point on the line through two points. */
static struct line_point nearest_on_line(const struct th_problem *p,
                                         const double *theta,
                                         const struct th_point *first,
                                         const struct th_point *second)
{
  double along = 0;
  double length = 0;
  double sum = 0;
  for (int64_t i = 0; i < p->rows; i++) {
    double direction = first->theta[i] - second->theta[i];
    along += p->eta[i] * (theta[i] - first->theta[i]) * direction;
    length += p->eta[i] * direction * direction;
  }
  struct line_point nearest = {first, second, length > 0 ? along / length : 0,
                               0, 0};
  for (int64_t i = 0; i < p->rows; i++) {
    double direction = first->theta[i] - second->theta[i];
    double beside = theta[i] - first->theta[i] - nearest.part * direction;
    sum += p->eta[i] * beside * beside;
  }
  nearest.beside = sqrt(sum) * upward;
  nearest.level = nearest.beside + fabs(1 + nearest.part) * first->level +
                  fabs(nearest.part) * second->level;
  return nearest;
}

/* Estimate z, values and slacks of all groups at theta, from the points around
 * it. Returns the typical error over sqrt(N_g), replicated. Collective where
 * groups are shared. */
static double gradient_history_estimate(struct th_gradient_history *history,
                                        const double *theta,
                                        struct th_duals *duals)
{
  struct th_problem *p = history->problem;
  struct line_point best =
      nearest_on_line(p, theta, &history->point[0], &history->point[0]);
  for (int64_t a = 1; a < history->count; a++)
    for (int64_t b = 0; b <= a; b++) {
      struct line_point nearest =
          nearest_on_line(p, theta, &history->point[a], &history->point[b]);
      if (nearest.level < best.level)
        best = nearest;
    }
  const struct th_point *first = best.first;
  const struct th_point *second = best.second;
  for (int64_t k = 0; k < p->active.count; k++)
    duals->z[k] =
        first->slope[k] + best.part * (first->slope[k] - second->slope[k]);
  th_grouping_dual(&p->grouping, p->context->comm, duals->z, duals->value);
  for (int64_t g = 0; g < p->grouping.groups; g++)
    duals->slack[g] = best.beside * p->norm_bound[g] +
                      fabs(1 + best.part) * first->error[g] +
                      fabs(best.part) * second->error[g];
  history->clock++;
  history->point[first - history->point].used = history->clock;
  history->point[second - history->point].used = history->clock;
  return best.level;
}

/* The point to overwrite: that of the same lambda, a free one, or the one used
 * longest ago. */
static struct th_point *choose_point(struct th_gradient_history *history,
                                     double lambda)
{
  struct th_point *oldest = &history->point[0];
  for (int64_t k = 0; k < history->count; k++)
    if (history->point[k].lambda == lambda)
      return &history->point[k];
  if (history->count < TH_POINTS)
    return &history->point[history->count++];
  for (int k = 1; k < TH_POINTS; k++)
    if (history->point[k].used < oldest->used)
      oldest = &history->point[k];
  return oldest;
}

/* Keep a pass at lambda as a point, in place of one at the same lambda, or else
 * of the one that was useful longest ago. level: see struct th_point. Local,
 * replicated. */
static void gradient_history_keep(struct th_gradient_history *history,
                                  double lambda, const double *theta,
                                  double level, const struct th_duals *duals)
{
  struct th_point *point = choose_point(history, lambda);
  point->lambda = lambda;
  point->level = level;
  point->used = ++history->clock;
  record_point(history, point, theta, duals);
}

/* Begin with one point: the zero model at lambda_max. Local; release with
 * gradient_history_free. */
static th_status gradient_history_init(struct th_gradient_history *history,
                                       struct th_problem *p,
                                       const struct th_duals *duals,
                                       struct th_error *err)
{
  double *theta = NULL;
  th_status rc;
  *history = (struct th_gradient_history){.problem = p};
  for (int k = 0; k < TH_POINTS; k++)
    TH_TRY(reserve_point(&history->point[k], p, err));
  TH_TRY(TH_NEW(&theta, p->rows, "dual variables", err));
  th_problem_predict_start(p, theta);
  th_problem_theta(p, theta, theta);
  /* The slopes of the zero model. If all are 0, any lambda may label them. */
  gradient_history_keep(history, p->lambda_max > 0 ? p->lambda_max : 1, theta,
                        0, duals);
done:
  free(theta);
  return rc;
}

/* Below every lambda, even below the 0 of a target that nothing correlates
 * with. */
static const double below_all = -1;

/* The point at the smallest lambda above `lambda`, or NULL. */
static const struct th_point *
point_above(const struct th_gradient_history *history, double lambda)
{
  const struct th_point *best = NULL;
  for (int64_t k = 0; k < history->count; k++) {
    const struct th_point *point = &history->point[k];
    if (point->lambda > lambda &&
        (best == NULL || point->lambda < best->lambda))
      best = point;
  }
  return best;
}

/* The last lambda. Local. */
static double gradient_history_lambda(const struct th_gradient_history *history)
{
  return point_above(history, below_all)->lambda;
}

/* Extrapolate z and dual values along the line through the last two lambdas.
 * Returns how far beyond the last one that is; 0 if there is only one, whose
 * values are then given. Collective where groups are shared. */
static double gradient_history_ahead(struct th_gradient_history *history,
                                     double lambda, double *z, double *value)
{
  struct th_problem *p = history->problem;
  const struct th_point *last = point_above(history, below_all);
  const struct th_point *before = point_above(history, last->lambda);
  double part = 0;
  if (before != NULL)
    part = (last->lambda - lambda) / (before->lambda - last->lambda);
  else
    before = last;
  for (int64_t k = 0; k < p->active.count; k++)
    z[k] = last->slope[k] + part * (last->slope[k] - before->slope[k]);
  th_grouping_dual(&p->grouping, p->context->comm, z, value);
  return part;
}

static bool all_known(const struct th_working_set_solver *e);
static bool stays(const struct th_working_set_solver *e);
static void stay(struct th_working_set_solver *e, double lambda);
static th_status enter_all(struct th_working_set_solver *e,
                           struct th_error *err);

enum {
  MOST_ROUNDS = 200,
  LEAST_GROWTH = 100,   /* units that may join at once */
  WORTH_A_SLAB = 16,    /* places: a shorter gap between wanted ones is read */
  USUAL_MEMBERS = 1000, /* at one lambda */
  USUAL_OF_PATH = 2000, /* at the usual end of a path, and below */
  MOST_MODELS = 200,
  FEW_MODELS = 3,                            /* while members may be missing */
  ATTRIBUTE_BYTES = 26 * 8 + TH_POINTS * 16, /* vectors over attributes */
  EXAMPLE_BYTES = 16 * 8 + TH_POINTS * 8     /* of each rank */
};

static const double usual_ratio = 0.01;     /* of lambda_max: where paths end */
static const double usual_tolerance = 1e-9; /* of the zero model's objective */
static const double usual_precision = 1e-8; /* of the model's own */
static const double for_the_set = 0.3;      /* of the goal: the set's own gap */
static const double safely_below =
    1 - 1e-3;                     /* of lambda: groups below need no look */
static const double hair = 1e-10; /* of lambda: a polished slope is no higher */
static const double nearly = 0.99; /* of lambda: groups above may join, too */
/* of the gap, before the next pass if that is cheap */
static const double soon = 0.1;
/* of lambda: extrapolated slopes above join at once */
static const double reaches = 0.98;

/* Members at the end of a path, of which more join as lambda falls. */
static int64_t usual_members(const struct th_shape *shape, double ratio)
{
  int64_t most = th_min_i64(shape->training, shape->attributes);
  double usual = USUAL_MEMBERS;
  if (ratio > 0)
    usual = USUAL_OF_PATH * fmin(1, sqrt(usual_ratio / ratio));
  return th_min_i64((int64_t)usual, most);
}

int64_t th_working_set_solver_bytes(const struct th_plan_size *size,
                                    double ratio)
{
  const struct th_shape *shape = size->shape;
  int64_t n = shape->training;
  int64_t members = usual_members(shape, ratio);
  int64_t slots = th_min_i64(members + members / 2, shape->attributes);
  int64_t bytes = size->owned * ATTRIBUTE_BYTES + n * EXAMPLE_BYTES +
                  th_problem_bytes(size) + th_active_set_bytes(members) +
                  th_csc_cache_bytes(size);
  double shared = (double)slots * th_plan_column(size, (double)n);
  if (th_store_shape_is_full(shape))
    shared += (double)th_covariance_shared_bytes(slots);
  bytes += (int64_t)th_plan_part(size, shared);
  return bytes + (th_store_shape_is_full(shape)
                      ? th_covariance_bytes(slots)
                      : th_active_set_form_bytes(members));
}

/* Attributes without a penalty are members from the beginning. Collective. */
static th_status enter_exempt(struct th_working_set_solver *e,
                              struct th_error *err)
{
  const struct th_exempt *x = &e->problem->exempt;
  struct th_working_set *w = &e->working;
  if (x->count == 0)
    return TH_OK;
  th_status rc = th_working_set_add(w, e->problem, x->attribute, x->count, err);
  for (int64_t k = 0; k < x->count && rc == TH_OK; k++)
    w->coef[k] = w->earlier[k] = x->coef[k];
  return rc;
}

th_status th_working_set_solver_init(struct th_working_set_solver *e,
                                     struct th_problem *p,
                                     struct th_duals *duals,
                                     struct th_error *err)
{
  int64_t groups = p->grouping.groups;
  th_status rc;
  *e = (struct th_working_set_solver){
      .problem = p,
      .screens = p->context->config->screening.how == TH_SCREEN_GAP_SAFE,
      .tolerance = p->context->config->tolerance,
      .duals = *duals};
  *duals = (struct th_duals){0};
  TH_TRY(TH_NEW(&e->score, groups, "candidate attributes", err));
  TH_TRY(TH_NEW(&e->name, groups, "candidate attributes", err));
  TH_TRY(TH_NEW(&e->ahead, p->active.count, "slopes of attributes", err));
  TH_TRY(TH_NEW(&e->value, groups, "slopes of attributes", err));
  TH_TRY(th_inner_solver_init(&e->inner, p, err));
  e->inner.intercept = p->exempt.start;
  TH_TRY(gradient_history_init(&e->history, p, &e->duals, err));
done:
  rc = th_agree(p->context->comm, rc, err);
  return rc == TH_OK ? enter_exempt(e, err) : rc;
}

void th_working_set_solver_free(struct th_working_set_solver *e)
{
  th_inner_solver_free(&e->inner);
  th_working_set_free(&e->working);
  th_problem_duals_free(&e->duals);
  th_select_free(&e->selection);
  gradient_history_free(&e->history);
  TH_FREE(e->ahead, e->value, e->score, e->name, e->chosen, e->key);
  *e = (struct th_working_set_solver){0};
}

double th_working_set_solver_goal(const struct th_working_set_solver *e,
                                  double objective)
{
  double goal = e->tolerance;
  if (!(goal > 0))
    goal =
        fmin(usual_tolerance * e->problem->zero, usual_precision * objective);
  return goal;
}

/* Room for a choice of so many units. Local. */
static th_status reserve(struct th_working_set_solver *e, int64_t count,
                         struct th_error *err)
{
  int64_t room = e->room;
  th_status rc;
  TH_TRY(TH_GROW(&e->chosen, &room, count, "candidate attributes", err));
  room = e->room;
  TH_TRY(TH_GROW(&e->key, &room, count, "candidate attributes", err));
  e->room = room;
done:
  return rc;
}

/* Add to the working set the groups whose value[] is above threshold, at most
 * the `most` largest of them. *added: how many. Collective. */
static th_status enlarge(struct th_working_set_solver *e, const double *value,
                         double threshold, int64_t most, int64_t *added,
                         struct th_error *err)
{
  const struct th_problem *p = e->problem;
  int64_t candidates = 0;
  th_status rc = reserve(e, most, err);
  for (int64_t g = 0; g < p->grouping.groups; g++)
    if (p->is_owner[g] && value[g] > threshold &&
        th_working_set_find(&e->working, p->key[g]) < 0) {
      e->score[candidates] = value[g];
      e->name[candidates++] = p->key[g];
    }
  struct th_select_among among = {.values = e->score,
                                  .attribute = e->name,
                                  .count = candidates,
                                  .threshold = threshold,
                                  .k = most};
  th_comm_profile_begin(p->context->profile);
  rc = th_select_largest(p->context->comm, &e->selection, &among, rc, e->chosen,
                         added, err);
  th_comm_profile_end(p->context->profile, TH_PHASE_SELECT);
  TH_TRY(rc);
  for (int64_t k = 0; k < *added; k++)
    e->key[k] = e->chosen[k].attribute;
  if (*added > 0)
    TH_TRY(th_working_set_add(&e->working, p, e->key, *added, err));
  TH_TRY(th_inner_solver_gather(&e->inner, &e->working, err));
done:
  return rc;
}

/* Extrapolate coefficients along their lines, as long as they keep their signs.
 */
static void extrapolate(struct th_working_set *w, double part)
{
  for (int64_t k = 0; k < w->members; k++) {
    double now = w->coef[k];
    double next = now + part * (now - w->earlier[k]);
    w->earlier[k] = now;
    if (next * now > 0)
      w->coef[k] = th_penalty_norm_clip(th_working_set_norm(w, k), next);
  }
}

th_status th_working_set_solver_guess(struct th_working_set_solver *e,
                                      double lambda, bool widens,
                                      struct th_error *err)
{
  struct th_working_set *w = &e->working;
  double threshold = reaches * lambda;
  int64_t added = 0;
  double part = gradient_history_ahead(&e->history, lambda, e->ahead, e->value);
  if (!e->inner.whole)
    th_working_set_drop_zeros(w);
  if (!stays(e))
    extrapolate(w, part);
  if (!widens)
    return TH_OK;
  if (e->inner.whole)
    return enter_all(e, err);
  if (part == 0)
    threshold = 2 * lambda - gradient_history_lambda(&e->history);
  return enlarge(e, e->value, threshold, w->units + 128, &added, err);
}

/* Take the dual value of a unit of the working set from its replicated slopes,
 * on a rank that holds members of it. Z is without the ridge. */
static void unit_dual(struct th_working_set_solver *e, int64_t unit, int64_t g)
{
  const struct th_problem *p = e->problem;
  const struct th_working_set *w = &e->working;
  int64_t k = w->start[unit];
  int64_t count = w->start[unit + 1] - k;
  e->duals.value[g] =
      w->norm[unit].bounded
          ? th_penalty_norm_dual_at(w->norm[unit], w->coef[k], -w->slope[k])
          : th_penalty_norm_dual(w->norm[unit], w->slope + k, count,
                                 e->inner.work);
  e->duals.slack[g] = 0;
  for (int64_t m = th_problem_members(p, g).first;
       m < th_problem_members(p, g).last; m++, k++) {
    int64_t place = th_problem_place(p, m);
    while (w->attribute[k] != p->active.attribute[place])
      k++; /* members on other ranks */
    e->duals.z[place] = p->ridge * w->q[k] * w->coef[k] - w->slope[k];
  }
}

/* Mark the working set's groups as known. not_wanted: also as not wanted. */
static void mark_known(struct th_working_set_solver *e, bool not_wanted)
{
  const struct th_problem *p = e->problem;
  const struct th_working_set *w = &e->working;
  struct th_duals *duals = &e->duals;
  memset(duals->known, 0, (size_t)p->grouping.groups * sizeof *duals->known);
  for (int64_t unit = 0; unit < w->units; unit++) {
    int64_t g = th_problem_group(p, w->key[unit]);
    if (g < 0)
      continue;
    duals->known[g] = true;
    if (not_wanted)
      duals->wanted[g] = false;
    unit_dual(e, unit, g);
  }
}

/* Read short gaps within a cell, too, since single attributes cost more than
 * their values. Gaps end at cells, so that what is read does not depend on
 * ranks. */
static void fill_holes(struct th_working_set_solver *e)
{
  const struct th_problem *p = e->problem;
  const int64_t *attribute = p->active.attribute;
  int64_t last = -1; /* wanted */
  if (p->grouping.start != NULL)
    return;
  for (int64_t g = 0; g < p->grouping.groups; g++) {
    if (!e->duals.wanted[g])
      continue;
    bool near = last >= 0 && g - last <= WORTH_A_SLAB &&
                attribute[g] / TH_CELL == attribute[last] / TH_CELL;
    for (int64_t k = last + 1; near && k < g; k++)
      e->duals.wanted[k] = true;
    last = g;
  }
}

/* Mark the groups that may reach lambda at the present theta, and take the
 * estimates of the others. Returns their typical error. Collective where groups
 * are shared. */
static double want(struct th_working_set_solver *e, double lambda)
{
  const struct th_problem *p = e->problem;
  struct th_duals *duals = &e->duals;
  double level = 0; /* of columns in memory, all are looked at */
  if (p->kept == NULL)
    level = gradient_history_estimate(&e->history, e->inner.theta, duals);
  for (int64_t g = 0; g < p->grouping.groups; g++) {
    double most = duals->value[g] + duals->slack[g];
    duals->wanted[g] = !e->screens || !(most < safely_below * lambda);
  }
  mark_known(e, true);
  fill_holes(e);
  return level;
}

/* The largest dual value of all, and how many groups were looked at.
 * Collective. */
static int64_t collect_dual_norm(struct th_working_set_solver *e)
{
  const struct th_problem *p = e->problem;
  int64_t wanted = 0;
  e->dual_norm = 0;
  for (int64_t g = 0; g < p->grouping.groups; g++) {
    wanted += e->duals.wanted[g] && p->is_owner[g];
    if (e->duals.wanted[g] || e->duals.known[g])
      e->dual_norm = fmax(e->dual_norm, e->duals.value[g]);
  }
  p->context->comm->ops->max_f64(p->context->comm, &e->dual_norm, 1);
  p->context->comm->ops->sum_i64(p->context->comm, &wanted, 1);
  return wanted;
}

/* The gap over all attributes at the working set's solution. Collective. */
static th_status pass(struct th_working_set_solver *e, double lambda,
                      struct th_error *err)
{
  struct th_problem *p = e->problem;
  double level = want(e, lambda);
  th_status rc = TH_OK;
  if (!all_known(e))
    rc = th_problem_pass(p, e->inner.theta, 1, lambda, &e->duals, err);
  if (rc != TH_OK)
    return rc;
  mark_known(e, false);
  double unread = 1 - (double)collect_dual_norm(e) / (double)p->active.total;
  gradient_history_keep(&e->history, lambda, e->inner.theta, unread * level,
                        &e->duals);
  e->objective = e->inner.primal;
  e->gap = th_inner_solver_screen_gap(&e->inner, &e->working, lambda,
                                      1 / fmax(1, e->dual_norm / lambda));
  return TH_OK;
}

/* Add groups that violate optimality, and those that nearly do. The groups that
 * the sphere would remove last come first: celer's priority (1 -
 * Omega_g^D(Z_g)) / sqrt(N_g) at the scaled dual point. Collective. */
static th_status add_violators(struct th_working_set_solver *e, double lambda,
                               int64_t *added, struct th_error *err)
{
  const struct th_problem *p = e->problem;
  int64_t groups = p->grouping.groups;
  int64_t most = e->working.units;
  double *priority = NULL;
  th_status rc = TH_NEW(&priority, groups, "candidate attributes", err);
  TH_TRY(th_agree(p->context->comm, rc, err));
  for (int64_t g = 0; g < groups; g++) {
    double nearness = e->duals.value[g] / fmax(lambda, e->dual_norm);
    if (e->duals.wanted[g] && e->duals.value[g] > nearly * lambda)
      priority[g] = p->norm_bound[g] / fmax(1 - nearness, 1e-12);
  }
  most = most < LEAST_GROWTH ? LEAST_GROWTH : most;
  TH_TRY(enlarge(e, priority, 0, most, added, err));
  if (*added > 0 && p->kept != NULL)
    stay(e, lambda);
  else if (*added > 0)
    TH_TRY(th_inner_solver_screen_at(&e->inner, &e->working, lambda, err));
done:
  free(priority);
  return rc;
}

/* How far a gap has come from the first one to the goal, in logarithms. */
static double share_of_way(double first, double gap, double goal)
{
  double share = th_log(first / gap) / th_log(first / goal);
  return first > goal && gap > goal ? fmax(share, 0) : 1;
}

/* The working set's gap before the next pass. A pass over columns in memory is
 * cheap, and missing units should join before the set is solved well. A model
 * by products is cheaper still. */
static double enough_of(const struct th_working_set_solver *e, double least)
{
  bool cheap = e->inner.cycles.used ||
               (e->problem->kept != NULL && !stays(e) && !all_known(e));
  return cheap ? fmax(least, soon * e->inner.gap) : least;
}

/* Is no attribute missing that a solution needs, however little? Its
 * coefficient is as large as the root of what the gap lacks. */
static bool is_whole(const struct th_working_set_solver *e, double lambda)
{
  return !e->inner.polishes || e->dual_norm <= lambda * (1 + hair);
}

/* Look at the coefficients that were guessed. Where the loss is steep, they may
 * be beyond all numbers: the last lambda's are better than the zero model.
 * Collective. */
static th_status look_at_guess(struct th_working_set_solver *e, double lambda,
                               struct th_error *err)
{
  struct th_working_set *w = &e->working;
  th_status rc;
  TH_TRY(th_inner_solver_screen_at(&e->inner, w, lambda, err));
  if (!th_loss_is_steep(e->problem->loss) ||
      e->inner.primal <= e->problem->zero)
    return rc;
  memcpy(w->coef, w->earlier, (size_t)w->members * sizeof *w->coef);
  rc = th_inner_solver_screen_at(&e->inner, w, lambda, err);
done:
  return rc;
}

th_status th_working_set_solver_solve(struct th_working_set_solver *e,
                                      double lambda, struct th_error *err)
{
  double part = for_the_set;
  double before = INFINITY;
  double first = 0;
  int64_t added = 0;
  int64_t given = e->problem->context->config->epochs;
  int64_t rounds = e->rough ? 1 : given > 0 ? given : MOST_ROUNDS;
  th_status rc = th_inner_solver_gather(&e->inner, &e->working, err);
  th_inner_solver_begin(&e->inner);
  if (rc == TH_OK && stays(e))
    stay(e, lambda);
  else if (rc == TH_OK)
    rc = look_at_guess(e, lambda, err);
  for (int64_t k = 0; k < rounds && rc == TH_OK; k++) {
    double goal = th_working_set_solver_goal(e, e->inner.primal);
    double least = all_known(e) && part == for_the_set ? goal : part * goal;
    double enough = enough_of(e, least);
    bool few = e->inner.cycles.used && (k == 0 || added > 0);
    e->inner.cycles.models = e->rough ? 1 : few ? FEW_MODELS : MOST_MODELS;
    th_comm_profile_begin(e->problem->context->profile);
    /* line 4 of lasso.c */
    rc = th_inner_solver_solve(&e->inner, &e->working, lambda, enough, err);
    th_comm_profile_end(e->problem->context->profile, TH_PHASE_SOLVE);
    if (rc != TH_OK)
      break;
    TH_TRY(pass(e, lambda, err));                       /* line 5 */
    goal = th_working_set_solver_goal(e, e->objective); /* line 6 */
    if (e->gap <= goal && is_whole(e, lambda))
      break;
    first = k == 0 ? e->gap : first;
    e->inner.done = share_of_way(first, e->gap, goal);
    added = 0;
    if (e->dual_norm > lambda)
      TH_TRY(add_violators(e, lambda, &added, err));
    if (added == 0 && !few && !(e->gap < 0.5 * before) &&
        !th_inner_solver_fall_back(&e->inner))
      break; /* the limit of doubles */
    if (added > 0)
      part = for_the_set;
    else if (enough == least)
      part *= 0.1;
    before = e->gap;
  }
done:
  return rc;
}

/* --- Short cuts of the exact solver for columns in memory ----------------- */

/* Are all columns members, so that no pass is needed? */
static bool all_known(const struct th_working_set_solver *e)
{
  const struct th_problem_kept *kept = e->problem->kept;
  return kept != NULL && e->working.members == kept->count;
}

/* Does the next lambda begin where the last one ended? A model by products
 * that is the problem itself leads to the solution from there as well as from
 * anywhere. */
static bool stays(const struct th_working_set_solver *e)
{
  return e->problem->kept != NULL && e->problem->loss->quadratic &&
         e->inner.by_products && e->inner.looked;
}

/* Slopes and gap of the working set as it is, with the coefficients of the last
 * pass, or of the zero model. Collective. */
static void stay(struct th_working_set_solver *e, double lambda)
{
  const struct th_problem *p = e->problem;
  struct th_working_set *w = &e->working;
  struct th_range mine = p->active.owned; /* a column is its own place there */
  for (int64_t k = 0; k < w->members; k++) {
    int64_t column = w->attribute[k];
    bool known = column >= mine.first && column < mine.last;
    w->slope[k] = known ? -e->duals.z[column - mine.first] : 0;
  }
  th_comm_share_numbers(p->context->comm, w->slope, (size_t)w->members);
  for (int64_t k = 0; k < w->members; k++)
    w->slope[k] += p->ridge * w->q[k] * w->coef[k];
  th_inner_solver_screen_stay(&e->inner, w, lambda);
}

/* If there are few columns, all join at once and stay. Collective. */
static th_status enter_all(struct th_working_set_solver *e,
                           struct th_error *err)
{
  int64_t added = 0;
  for (int64_t g = 0; g < e->problem->grouping.groups; g++)
    e->value[g] = 1;
  return enlarge(e, e->value, 0, e->problem->active.total, &added, err);
}
