/* pursuit_extend.c - the next attribute of some paths
 *
 * All slopes come from a path's forecast, where it shows them; else from one
 * pass for all paths that lack it. An attribute that is no candidate makes a
 * new forecast, by one pass for all paths that need it.
 * SPDX-License-Identifier: MIT */
#include "core/integer.h"
#include "core/memory.h"
#include "solvers/greedy/pursuit_parts.h"

#include <math.h>

enum {
  WIDTH = TH_FORECAST_WIDTH,
  FEW = 16 /* one in so many slopes may be computed again by itself */
};

/* A slope below this share of the first one is rounding. */
static const double nothing = 1e-13;

/* Paths that are extended together. */
struct step {
  struct th_pursuit *path;
  int64_t count;
  int64_t attribute[WIDTH];  /* chosen; INT64_MAX: none */
  bool blind[WIDTH];         /* no forecast shows its slopes */
  struct th_forecast common; /* residuals of those that are blind, if they are
                               several */
  struct th_problem_block block[WIDTH];
  int64_t blocks; /* forecasts to be made */
};

static struct th_comm *comm_of(const struct th_pursuit *path)
{
  return path->data.problem->context->comm;
}

void th_pursuit_theta(struct th_pursuit *path)
{
  const struct th_problem *p = path->data.problem;
  th_loss_df_all(p->loss, p->rows, path->prediction, p->target, path->work);
  for (int64_t i = 0; i < p->rows; i++)
    if (!(path->weight[i] > 0))
      path->work[i] = 0;
}

/* Members are not wanted. */
static void mark_members(struct th_pursuit *path, bool wanted)
{
  struct th_duals *duals = path->data.duals;
  for (int64_t j = 0; j < path->size; j++) {
    int64_t g = th_problem_group(path->data.problem, path->attribute[j]);
    if (g < 0)
      continue;
    duals->wanted[g] = wanted;
    duals->value[g] = 0;
  }
}

/* The largest of the wanted values, each less so many times its slack. 0: none
 * is wanted. Collective. */
static double largest(const struct th_pursuit *path, double slacks)
{
  const struct th_duals *duals = path->data.duals;
  double most = 0;
  for (int64_t g = 0; g < path->data.problem->grouping.groups; g++) {
    double value = duals->value[g] - slacks * duals->slack[g];
    if (duals->wanted[g] && value > most)
      most = value;
  }
  comm_of(path)->ops->max_f64(comm_of(path), &most, 1);
  return most;
}

/* The attribute outside of S with the largest slope; of equal ones the first.
 * INT64_MAX: none is left. Collective. */
static int64_t best_of_all(struct th_pursuit *path, double *slope)
{
  const struct th_problem *p = path->data.problem;
  const struct th_duals *duals = path->data.duals;
  double most = largest(path, 0);
  int64_t first = INT64_MIN;
  for (int64_t g = 0; g < p->grouping.groups; g++)
    if (duals->wanted[g] && duals->value[g] == most)
      first = th_max_i64(first, -p->key[g]);
  comm_of(path)->ops->max_i64(comm_of(path), &first, 1);
  *slope = most;
  return first == INT64_MIN ? INT64_MAX : -first;
}

/* Whether few of the slopes may be the largest. Collective. */
static bool is_clear(const struct th_pursuit *path)
{
  const struct th_problem *p = path->data.problem;
  const struct th_duals *duals = path->data.duals;
  double least = largest(path, 1);
  int64_t counts[2] = {0, p->grouping.groups}; /* that may be, all */
  for (int64_t g = 0; g < p->grouping.groups; g++)
    counts[0] += duals->wanted[g] && duals->value[g] + duals->slack[g] >= least;
  comm_of(path)->ops->sum_i64(comm_of(path), counts, 2);
  return counts[0] <= 1 + counts[1] / FEW;
}

/* Approximate slopes by vectors of a forecast. Collective. */
static void estimate(struct th_pursuit *path, const struct th_forecast *by,
                     const double *factor)
{
  const struct th_problem *p = path->data.problem;
  struct th_duals *duals = path->data.duals;
  struct th_forecast_view view = th_forecast_view(by, p, path->work, factor);
  double least = th_forecast_least(by, p, &view, duals);
  comm_of(path)->ops->max_f64(comm_of(path), &least, 1);
  th_forecast_estimate(by, p, &view, least, duals);
}

/* The slopes of path f: exact where they may be the largest. Collective. */
static th_status find_slopes(struct step *s, int64_t f, struct th_error *err)
{
  struct th_pursuit *path = &s->path[f];
  struct th_problem *p = path->data.problem;
  struct th_duals *duals = path->data.duals;
  double factor[WIDTH] = {0};
  double alone[WIDTH] = {0};
  bool known = path->known;
  path->known = false;
  if (known)
    return TH_OK;
  alone[f] = 1;
  bool seen = th_pursuit_sees(path, factor);
  bool shared = !seen && s->common.right != NULL;
  if (seen)
    estimate(path, &path->forecast, factor);
  if (shared)
    estimate(path, &s->common, alone);
  if ((seen || shared) && is_clear(path))
    return th_problem_settle(p, path->work, 1, INFINITY, duals, err);
  return th_problem_pass(p, path->work, 1, INFINITY, duals, err);
}

/* Choose for path f, and prepare a forecast unless the choice was foreseen.
 * Collective. */
static th_status choose(struct step *s, int64_t f, int64_t most,
                        struct th_error *err)
{
  struct th_pursuit *path = &s->path[f];
  const struct th_problem *p = path->data.problem;
  double slope = 0;
  mark_members(path, false);
  th_status rc = find_slopes(s, f, err);
  if (rc == TH_OK) {
    s->attribute[f] = best_of_all(path, &slope);
    path->ended =
        s->attribute[f] == INT64_MAX || !(slope > nothing * p->lambda_max);
  }
  bool expected = th_forecast_find(&path->forecast, s->attribute[f]) > 0;
  bool last = path->ended || path->size + 1 >= most;
  if (rc == TH_OK && path->data.forecast && !expected && !last) {
    rc = th_pursuit_forecast(path, err);
    s->block[s->blocks++] = (struct th_problem_block){path->forecast.right,
                                                      path->forecast.gradient};
  }
  mark_members(path, true);
  return rc;
}

/* Form the slopes of paths that are blind, if a pass serves several of them.
 * Collective. */
static th_status share_pass(struct step *s, struct th_error *err)
{
  struct th_problem *p = s->path->data.problem;
  struct th_problem_block block;
  int64_t blind = 0;
  th_status rc = TH_OK;
  for (int64_t f = 0; f < s->count; f++)
    blind += s->blind[f];
  if (blind < 2 || p->beyond_float)
    return TH_OK;
  rc = th_forecast_reserve(&s->common, p, err);
  TH_TRY(th_agree(comm_of(s->path), rc, err));
  th_forecast_clear(&s->common, p);
  for (int64_t f = 0; f < s->count; f++)
    if (s->blind[f])
      th_forecast_put(&s->common, p, (int)f, -1, s->path[f].work);
  block = (struct th_problem_block){s->common.right, s->common.gradient};
  TH_TRY(th_problem_gradients(p, &block, 1, err));
done:
  return rc;
}

/* Add what was chosen, and fit. Collective. */
static th_status take(struct th_pursuit *path, int64_t attribute,
                      struct th_error *err)
{
  bool depends = false;
  th_status rc;
  TH_TRY(th_pursuit_add(path, attribute, &depends, err));
  path->ended = depends;
  if (!depends)
    TH_TRY(th_pursuit_fit(path, err));
done:
  return rc;
}

static th_status extend(struct step *s, int64_t most, struct th_error *err)
{
  double factor[WIDTH];
  th_status rc = TH_OK;
  for (int64_t f = 0; f < s->count; f++) {
    struct th_pursuit *path = &s->path[f];
    if (path->ended)
      continue;
    th_pursuit_theta(path);
    s->blind[f] = !path->known && !th_pursuit_sees(path, factor);
  }
  TH_TRY(share_pass(s, err));
  for (int64_t f = 0; f < s->count; f++)
    if (!s->path[f].ended)
      TH_TRY(choose(s, f, most, err));
  if (s->blocks > 0)
    TH_TRY(
        th_problem_gradients(s->path->data.problem, s->block, s->blocks, err));
  for (int64_t f = 0; f < s->count; f++)
    if (!s->path[f].ended)
      TH_TRY(take(&s->path[f], s->attribute[f], err));
done:
  return rc;
}

th_status th_pursuit_extend(struct th_pursuit *path, int64_t count,
                            int64_t most, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t f = 0; f < count && rc == TH_OK; f += WIDTH) {
    struct step s = {.path = path + f, .count = th_min_i64(count - f, WIDTH)};
    rc = extend(&s, most, err);
    th_forecast_free(&s.common);
  }
  return rc;
}
