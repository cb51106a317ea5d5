/* gradient_history.c - estimates of slopes from earlier passes
 * SPDX-License-Identifier: MIT */
#include "solvers/exact/gradient_history.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static th_status reserve(struct th_point *point, const struct th_problem *p,
                         struct th_error *err)
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

th_status th_gradient_history_init(struct th_gradient_history *history,
                                   struct th_problem *p,
                                   const struct th_duals *duals,
                                   struct th_error *err)
{
  double *theta = NULL;
  th_status rc;
  *history = (struct th_gradient_history){.problem = p};
  for (int k = 0; k < TH_POINTS; k++)
    TH_TRY(reserve(&history->point[k], p, err));
  TH_TRY(TH_NEW(&theta, p->rows, "dual variables", err));
  for (int64_t i = 0; i < p->rows; i++)
    theta[i] = p->start;
  th_problem_theta(p, theta, theta);
  /* The slopes of the zero model. If all are 0, any lambda may label them. */
  th_gradient_history_keep(history, p->lambda_max > 0 ? p->lambda_max : 1,
                           theta, 0, duals);
done:
  free(theta);
  return rc;
}

void th_gradient_history_free(struct th_gradient_history *history)
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

void th_gradient_history_describe(struct th_gradient_history *history,
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

double th_gradient_history_estimate(struct th_gradient_history *history,
                                    const double *theta, struct th_duals *duals)
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

void th_gradient_history_keep(struct th_gradient_history *history,
                              double lambda, const double *theta, double level,
                              const struct th_duals *duals)
{
  struct th_point *point = choose_point(history, lambda);
  point->lambda = lambda;
  point->level = level;
  point->used = ++history->clock;
  record_point(history, point, theta, duals);
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

double th_gradient_history_lambda(const struct th_gradient_history *history)
{
  return point_above(history, below_all)->lambda;
}

double th_gradient_history_ahead(struct th_gradient_history *history,
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
