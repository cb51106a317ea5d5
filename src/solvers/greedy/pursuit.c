/* pursuit.c - attributes that are chosen one after the other
 * SPDX-License-Identifier: MIT */
#include "solvers/greedy/pursuit.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/range.h"
#include "math/gap.h"
#include "math/select.h"

#include <math.h>
#include <string.h>

/* --- A forecast: slopes of all attributes without a pass
 *
 * Sixteen vectors over the examples, and their products with all attributes, by
 * one pass: the residuals r of a fit on S, and what S leaves of some
 * candidates, u_k = x_k less its projection on S. While attributes are chosen
 * among the candidates, the residuals are r - sum b_k u_k with the present
 * coefficients, and all slopes follow. This is Batch-OMP (Rubinstein,
 * Zibulevsky & Elad 2008) with some columns of the Gram matrix at a time,
 * orthogonal to S: so it holds no more than these, and errors do not add up.
 *
 * Vectors and products are formed in float. What the residuals differ from
 * their combination is known, example by example; by Cauchy and Schwarz it
 * bounds how far a slope may be off. Slopes that may be the largest are then
 * computed exactly (th_problem_settle), so that the choice is that of a pass.
 */

enum { WIDTH = TH_FORECAST_WIDTH };

static const double rounding = 0x1p-40;  /* of residuals in double */
static const double slack = 1 + 0x1p-10; /* of the bounds themselves */

/* Number of the vector of a candidate; 0: it is none. */
static int candidate_vector(const struct th_forecast *o, int64_t attribute)
{
  for (int k = 0; k < o->count; k++)
    if (o->candidate[k] == attribute)
      return k + 1;
  return 0;
}

/* The norm of what theta and the combination add up to; and of theta, in
 * *whole. Few vectors are in use. */
static double difference(const struct th_forecast *o,
                         const struct th_problem *p, const double *theta,
                         const double *weight, double *whole)
{
  int used[WIDTH];
  int count = 0;
  double sum = 0;
  double all = 0;
  for (int k = 0; k < WIDTH; k++)
    if (weight[k] != 0)
      used[count++] = k;
  for (int64_t i = 0; i < p->rows; i++) {
    const float *right = o->right + i * WIDTH;
    double rest = p->eta[i] * theta[i];
    all += rest * theta[i];
    for (int k = 0; k < count; k++)
      rest += weight[used[k]] * (double)right[used[k]];
    if (p->eta[i] > 0)
      sum += rest * rest / p->eta[i];
  }
  *whole = sqrt(all);
  return sqrt(sum);
}

/* The vectors at some theta, which is about - sum factor[k] times vector k. */
struct forecast_view {
  double weight[TH_FORECAST_WIDTH]; /* factor times unit */
  double norm;                      /* root of sum eta theta^2 */
  double off; /* at most, what a slope may be off over its rounding_bound */
};

static struct forecast_view view_forecast(const struct th_forecast *o,
                                          const struct th_problem *p,
                                          const double *theta,
                                          const double factor[WIDTH])
{
  struct forecast_view view;
  double terms = 0;
  for (int k = 0; k < WIDTH; k++) {
    view.weight[k] = factor[k] * o->unit[k];
    terms += fabs(factor[k]) * o->norm[k];
  }
  view.off = difference(o, p, theta, view.weight, &view.norm);
  view.off += TH_PROBLEM_ROUNDING * terms + rounding * view.norm;
  view.off *= slack;
  return view;
}

/* A group's products with the combination. */
static double slope_of(const struct th_forecast *o, const struct th_problem *p,
                       const struct forecast_view *view, int64_t group)
{
  int64_t place = th_problem_place(p, th_problem_members(p, group).first);
  const double *gradient = o->gradient + place * WIDTH;
  double sum = 0;
  for (int k = 0; k < WIDTH; k++)
    sum += view->weight[k] * gradient[k];
  return fabs(sum);
}

/* A lower bound of the largest slope of a wanted candidate of this rank; 0:
 * there is none. */
static double least_of_candidates(const struct th_forecast *o,
                                  const struct th_problem *p,
                                  const struct forecast_view *view,
                                  const struct th_duals *duals)
{
  double least = 0;
  for (int64_t k = 0; k < o->count; k++) {
    int64_t g = th_problem_group(p, o->candidate[k]);
    if (g >= 0 && duals->wanted[g])
      least = fmax(least,
                   slope_of(o, p, view, g) - view->off * p->rounding_bound[g]);
  }
  return least;
}

/* Values and slacks of the wanted attributes. Where the slope is less than half
 * of `least`, since the values are so small, the value may be 0. */
static void slopes_of_view(const struct th_forecast *o,
                           const struct th_problem *p,
                           const struct forecast_view *view, double least,
                           struct th_duals *duals)
{
  double most = slack * view->norm; /* by Cauchy and Schwarz */
  for (int64_t g = 0; g < p->grouping.groups; g++) {
    if (!duals->wanted[g])
      continue;
    bool small = most * p->rounding_bound[g] < least / 2;
    duals->value[g] = small ? 0 : slope_of(o, p, view, g);
    duals->slack[g] = (small ? most : view->off) * p->rounding_bound[g];
  }
}

/* --- The forecast of a path: its residuals, and what S leaves of candidates */

static struct th_comm *comm_of(const struct th_pursuit *path)
{
  return path->data.problem->context->comm;
}

enum { MOST = TH_FORECAST_MOST };

/* path->work = f' at the predictions, 0 where an example is left out. Local. */
static void form_theta(struct th_pursuit *path)
{
  const struct th_problem *p = path->data.problem;
  th_loss_df_all(p->loss, p->rows, path->prediction, p->target, path->work);
  for (int64_t i = 0; i < p->rows; i++)
    if (!(path->weight[i] > 0))
      path->work[i] = 0;
}

/* Say whether the path's forecast shows its slopes: all that it has chosen
 * since were candidates. The residuals are the sum of factor[k] times vector k.
 * Local. */
static bool sees(const struct th_pursuit *path,
                 double factor[TH_FORECAST_WIDTH])
{
  const struct th_forecast *o = &path->forecast;
  memset(factor, 0, TH_FORECAST_WIDTH * sizeof(double));
  factor[0] = 1;
  for (int64_t j = o->base; j < path->size && o->count > 0; j++) {
    int k = candidate_vector(o, path->attribute[j]);
    if (k == 0)
      return false;
    factor[k] = -path->coef[j];
  }
  return o->count > 0;
}

/* Work arrays over S and one more column. */
struct projection {
  int64_t *slot;   /* the column, then S */
  double *coef;    /* of a combination of them; 1 + path->room */
  double *product; /* with the columns of S */
  double *rest;    /* examples: what S leaves */
};

static th_status reserve(struct projection *on, const struct th_pursuit *path,
                         struct th_error *err)
{
  th_status rc;
  TH_TRY(TH_NEW(&on->slot, path->size + 1, "a forecast", err));
  TH_TRY(TH_NEW(&on->coef, path->room + 1, "a forecast", err));
  TH_TRY(TH_NEW(&on->product, path->size, "a forecast", err));
  TH_TRY(TH_NEW(&on->rest, path->data.problem->rows, "a forecast", err));
done:
  return rc;
}

static void release(struct projection *on)
{
  TH_FREE(on->slot, on->coef, on->product, on->rest);
}

/* rest = h (x - mean) of a column; the mean. Collective. */
static th_status less_mean(const struct th_pursuit *path, struct projection *on,
                           int64_t slot, double *mean, struct th_error *err)
{
  const struct th_problem *p = path->data.problem;
  const struct th_vector *x = &path->data.columns->vector[slot];
  th_status rc = TH_OK;
  *mean = 0;
  if (p->intercept)
    rc = th_replicated_columns_dots(path->data.columns, comm_of(path), &slot, 1,
                                    path->weight, mean, err);
  *mean /= path->total;
  memset(on->rest, 0, (size_t)p->rows * sizeof *on->rest);
  th_column_add(x, 1, on->rest);
  for (int64_t i = 0; i < p->rows; i++)
    on->rest[i] = path->weight[i] * (on->rest[i] - *mean);
  return rc;
}

/* rest = the column less its projection on S; 0 where an example is left out.
 * Collective. */
static th_status project(const struct th_pursuit *path, struct projection *on,
                         int64_t slot, struct th_error *err)
{
  const struct th_problem *p = path->data.problem;
  double constant = 0;
  th_status rc;
  TH_TRY(less_mean(path, on, slot, &constant, err));
  TH_TRY(th_replicated_columns_dots(path->data.columns, comm_of(path),
                                    path->slot, path->size, on->rest,
                                    on->product, err));
  th_cholesky_solve(&path->factor, path->factor.rank, on->product,
                    on->coef + 1);
  on->slot[0] = slot;
  on->coef[0] = 1;
  for (int64_t j = 0; j < path->size; j++) {
    on->slot[1 + j] = path->slot[j];
    on->coef[1 + j] = -on->coef[1 + j];
    constant += path->mean[j] * on->coef[1 + j];
  }
  TH_TRY(th_replicated_columns_predict(path->data.columns, comm_of(path),
                                       on->slot, on->coef, path->size + 1,
                                       on->rest, err));
  for (int64_t i = 0; i < p->rows; i++)
    on->rest[i] = path->weight[i] > 0 ? on->rest[i] - constant : 0;
done:
  return rc;
}

/* The residuals, and what S leaves of the candidates. Collective. */
static th_status put_vectors(struct th_pursuit *path, struct th_error *err)
{
  const struct th_problem *p = path->data.problem;
  struct th_forecast *o = &path->forecast;
  struct projection on = {0};
  int64_t slot;
  th_status rc = th_pursuit_fit_forecast_reserve(o, p, err);
  if (rc == TH_OK)
    rc = reserve(&on, path, err);
  TH_TRY(th_agree(comm_of(path), rc, err));
  th_pursuit_fit_forecast_clear(o, p);
  th_pursuit_fit_forecast_put(o, p, 0, -1, path->work);
  for (int k = 0; k < o->count; k++) {
    TH_TRY(th_pursuit_fit_fetch(path, o->candidate[k], &slot, err));
    TH_TRY(project(path, &on, slot, err));
    th_pursuit_fit_forecast_put(o, p, k + 1, 1, on.rest);
  }
done:
  release(&on);
  return rc;
}

/* The attributes with the largest slopes. Collective. */
static th_status list_steepest(struct th_pursuit *path, struct th_error *err)
{
  const struct th_problem *p = path->data.problem;
  struct th_forecast *o = &path->forecast;
  struct th_selection work = {0};
  struct th_index_value chosen[MOST];
  const struct th_select_among among = {.values = path->data.duals->value,
                                        .attribute = p->key,
                                        .count = p->grouping.groups,
                                        .k = MOST};
  th_comm_profile_begin(p->context->profile);
  th_status rc = th_select_largest(comm_of(path), &work, &among, TH_OK, chosen,
                                   &o->count, err);
  th_comm_profile_end(p->context->profile, TH_PHASE_SELECT);
  for (int64_t k = 0; k < o->count && rc == TH_OK; k++)
    o->candidate[k] = chosen[k].attribute;
  th_select_free(&work);
  return rc;
}

/* Begin a forecast at the fit on S, with the largest of the duals' values as
 * candidates; path->work is theta. Its products with attributes are left to the
 * caller. Collective. */
static th_status begin_forecast(struct th_pursuit *path, struct th_error *err)
{
  th_status rc;
  TH_TRY(list_steepest(path, err));
  path->forecast.base = path->size;
  TH_TRY(put_vectors(path, err));
done:
  return rc;
}

/* Form the vectors of a forecast anew for the candidates that it has, and their
 * products with attributes. Collective. */
static th_status renew_forecast(struct th_pursuit *path, struct th_error *err)
{
  struct th_problem_block block;
  th_status rc;
  form_theta(path);
  TH_TRY(put_vectors(path, err));
  block =
      (struct th_problem_block){path->forecast.right, path->forecast.gradient};
  TH_TRY(th_problem_gradients(path->data.problem, &block, 1, err));
done:
  return rc;
}

/* --- The state of a path -------------------------------------------------- */

/* Choose attributes again, up to number `last`. Collective. */
static void choose_again(struct th_pursuit *path, struct th_state *state,
                         const int64_t *attribute, int64_t last)
{
  bool depends = false;
  while (path->size < last && th_state_agree(state, comm_of(path)) &&
         attribute != NULL) {
    th_state_note(state, th_pursuit_fit_add(path, attribute[path->size],
                                            &depends, state->err));
    if (depends)
      th_state_note(state, th_fail(state->err, TH_EFORMAT,
                                   "the state has attributes that depend on "
                                   "each other"));
  }
}

/* Have the forecast again, at the fit that it was made at. Collective. */
static void have_forecast(struct th_pursuit *path, struct th_state *state)
{
  if (th_state_agree(state, comm_of(path)) && path->size > 0)
    th_state_note(state, th_pursuit_fit_solve(path, state->err));
  if (th_state_agree(state, comm_of(path)))
    th_state_note(state, renew_forecast(path, state->err));
}

/* Choose the attributes again that an image names. Collective. */
static void restore_path(struct th_pursuit *path, struct th_state *state)
{
  int64_t size = path->size;
  int64_t *attribute = NULL;
  if (th_state_next_has(state, size))
    th_state_note(state, TH_NEW(&attribute, size, "the support", state->err));
  th_state_attributes(state, "attribute", attribute, size);
  path->size = 0;
  path->factor.size = 0; /* begins anew: --start has put members into it */
  path->known = path->known && size == 0;
  if (path->forecast.count > 0) {
    choose_again(path, state, attribute, path->forecast.base);
    have_forecast(path, state);
  }
  choose_again(path, state, attribute, size);
  TH_FREE(attribute);
}

void th_pursuit_describe(struct th_pursuit *path, struct th_state *state)
{
  struct th_forecast *forecast = &path->forecast;
  th_state_one(state, "base", TH_STATE_I64, &forecast->base);
  th_state_one(state, "candidates", TH_STATE_I64, &forecast->count);
  th_state_limit(state, "candidates", &forecast->count, 1, 0, TH_FORECAST_MOST);
  if (th_state_next_has(state, forecast->count))
    TH_STATE_ARRAY(state, forecast, candidate, forecast->count);
  TH_STATE_ONE(state, path, size);
  th_state_limit(state, "base", &forecast->base, 1, 0, path->size);
  if (th_state_puts(state))
    restore_path(path, state);
  else
    TH_STATE_ARRAY(state, path, attribute, path->size);
  TH_STATE_ARRAY(state, path, coef, path->size);
  TH_STATE_ONE(state, path, intercept);
  TH_STATE_ONE(state, path, ended);
  if (th_state_puts(state) && th_state_agree(state, comm_of(path)))
    th_state_note(state, th_pursuit_fit_predict(path, state->err));
}

/* --- The next attribute of some paths
 *
 * All slopes come from a path's forecast, where it shows them; else from one
 * pass for all paths that lack it. An attribute that is no candidate makes a
 * new forecast, by one pass for all paths that need it. */

enum { FEW = 16 /* one in so many slopes may be computed again by itself */ };

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
static double largest_wanted(const struct th_pursuit *path, double slacks)
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
static int64_t steepest_attribute(struct th_pursuit *path, double *slope)
{
  const struct th_problem *p = path->data.problem;
  const struct th_duals *duals = path->data.duals;
  double most = largest_wanted(path, 0);
  int64_t first = INT64_MIN;
  for (int64_t g = 0; g < p->grouping.groups; g++)
    if (duals->wanted[g] && duals->value[g] == most)
      first = th_max_i64(first, -p->key[g]);
  comm_of(path)->ops->max_i64(comm_of(path), &first, 1);
  *slope = most;
  return first == INT64_MIN ? INT64_MAX : -first;
}

/* May few of the slopes be the largest? Collective. */
static bool is_clear(const struct th_pursuit *path)
{
  const struct th_problem *p = path->data.problem;
  const struct th_duals *duals = path->data.duals;
  double least = largest_wanted(path, 1);
  int64_t counts[2] = {0, p->grouping.groups}; /* that may be, all */
  for (int64_t g = 0; g < p->grouping.groups; g++)
    counts[0] += duals->wanted[g] && duals->value[g] + duals->slack[g] >= least;
  comm_of(path)->ops->sum_i64(comm_of(path), counts, 2);
  return counts[0] <= 1 + counts[1] / FEW;
}

/* Approximate slopes by vectors of a forecast. Collective. */
static void estimate_slopes(struct th_pursuit *path,
                            const struct th_forecast *by, const double *factor)
{
  const struct th_problem *p = path->data.problem;
  struct th_duals *duals = path->data.duals;
  struct forecast_view view = view_forecast(by, p, path->work, factor);
  double least = least_of_candidates(by, p, &view, duals);
  comm_of(path)->ops->max_f64(comm_of(path), &least, 1);
  slopes_of_view(by, p, &view, least, duals);
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
  bool seen = sees(path, factor);
  bool shared = !seen && s->common.right != NULL;
  if (seen)
    estimate_slopes(path, &path->forecast, factor);
  if (shared)
    estimate_slopes(path, &s->common, alone);
  if ((seen || shared) && is_clear(path))
    return th_problem_settle(p, path->work, 1, INFINITY, duals, err);
  return th_problem_pass(p, path->work, 1, INFINITY, duals, err);
}

/* Choose for path f, and prepare a forecast unless the choice was foreseen.
 * Collective. */
static th_status choose_attribute(struct step *s, int64_t f, int64_t most,
                                  struct th_error *err)
{
  struct th_pursuit *path = &s->path[f];
  const struct th_problem *p = path->data.problem;
  double slope = 0;
  mark_members(path, false);
  th_status rc = find_slopes(s, f, err);
  if (rc == TH_OK) {
    s->attribute[f] = steepest_attribute(path, &slope);
    path->ended = s->attribute[f] == INT64_MAX || slope < path->least ||
                  !(slope > nothing * p->lambda_max);
  }
  bool expected = candidate_vector(&path->forecast, s->attribute[f]) > 0;
  bool last = path->ended || path->size + 1 >= most;
  if (rc == TH_OK && path->data.forecast && !expected && !last) {
    rc = begin_forecast(path, err);
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
  rc = th_pursuit_fit_forecast_reserve(&s->common, p, err);
  TH_TRY(th_agree(comm_of(s->path), rc, err));
  th_pursuit_fit_forecast_clear(&s->common, p);
  for (int64_t f = 0; f < s->count; f++)
    if (s->blind[f])
      th_pursuit_fit_forecast_put(&s->common, p, (int)f, -1, s->path[f].work);
  block = (struct th_problem_block){s->common.right, s->common.gradient};
  TH_TRY(th_problem_gradients(p, &block, 1, err));
done:
  return rc;
}

/* Add what was chosen, and fit. Collective. */
static th_status add_and_fit(struct th_pursuit *path, int64_t attribute,
                             struct th_error *err)
{
  bool depends = false;
  th_status rc;
  TH_TRY(th_pursuit_fit_add(path, attribute, &depends, err));
  path->ended = depends;
  if (!depends)
    TH_TRY(th_pursuit_fit_solve(path, err));
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
    form_theta(path);
    s->blind[f] = !path->known && !sees(path, factor);
  }
  TH_TRY(share_pass(s, err));
  for (int64_t f = 0; f < s->count; f++)
    if (!s->path[f].ended)
      TH_TRY(choose_attribute(s, f, most, err));
  if (s->blocks > 0)
    TH_TRY(
        th_problem_gradients(s->path->data.problem, s->block, s->blocks, err));
  for (int64_t f = 0; f < s->count; f++)
    if (!s->path[f].ended)
      TH_TRY(add_and_fit(&s->path[f], s->attribute[f], err));
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
    th_pursuit_fit_forecast_free(&s.common);
  }
  return rc;
}
