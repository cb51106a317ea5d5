/* forecast.c - slopes of all attributes without a pass
 * SPDX-License-Identifier: MIT */
#include "solvers/greedy/forecast.h"

#include "base/memory.h"
#include "math/select.h"
#include "solvers/greedy/pursuit.h"

#include <math.h>
#include <string.h>

enum { WIDTH = TH_FORECAST_WIDTH };

static const double rounding = 0x1p-40;  /* of residuals in double */
static const double slack = 1 + 0x1p-10; /* of the bounds themselves */

th_status th_forecast_reserve(struct th_forecast *o, const struct th_problem *p,
                              struct th_error *err)
{
  th_status rc = TH_OK;
  if (o->right != NULL)
    return TH_OK;
  TH_TRY(TH_NEW(&o->right, p->rows * WIDTH, "a forecast", err));
  TH_TRY(TH_NEW(&o->gradient, p->active.count * WIDTH, "a forecast", err));
done:
  return rc;
}

void th_forecast_free(struct th_forecast *o)
{
  TH_FREE(o->right, o->gradient);
  *o = (struct th_forecast){0};
}

void th_forecast_clear(struct th_forecast *o, const struct th_problem *p)
{
  memset(o->unit, 0, sizeof o->unit);
  memset(o->norm, 0, sizeof o->norm);
  memset(o->right, 0, (size_t)(p->rows * WIDTH) * sizeof *o->right);
}

void th_forecast_put(struct th_forecast *o, const struct th_problem *p, int k,
                     double factor, const double *z)
{
  double largest = 0;
  double sum = 0;
  int exponent = 0;
  for (int64_t i = 0; i < p->rows; i++) {
    largest = fmax(largest, fabs(p->eta[i] * z[i] * factor));
    sum += p->eta[i] * z[i] * z[i];
  }
  frexp(largest, &exponent);
  o->unit[k] = ldexp(1, exponent);
  o->norm[k] = fabs(factor) * sqrt(sum);
  factor /= o->unit[k];
  for (int64_t i = 0; i < p->rows; i++)
    o->right[i * WIDTH + k] = (float)(p->eta[i] * z[i] * factor);
}

int th_forecast_find(const struct th_forecast *o, int64_t attribute)
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

struct th_forecast_view th_forecast_view(const struct th_forecast *o,
                                         const struct th_problem *p,
                                         const double *theta,
                                         const double factor[WIDTH])
{
  struct th_forecast_view view;
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
                       const struct th_forecast_view *view, int64_t group)
{
  int64_t place = th_problem_place(p, th_problem_members(p, group).first);
  const double *gradient = o->gradient + place * WIDTH;
  double sum = 0;
  for (int k = 0; k < WIDTH; k++)
    sum += view->weight[k] * gradient[k];
  return fabs(sum);
}

double th_forecast_least(const struct th_forecast *o,
                         const struct th_problem *p,
                         const struct th_forecast_view *view,
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

void th_forecast_estimate(const struct th_forecast *o,
                          const struct th_problem *p,
                          const struct th_forecast_view *view, double least,
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

/* --- The forecast of a path: its candidates, and what S leaves of them */

enum { MOST = TH_FORECAST_MOST };

static struct th_comm *comm_of(const struct th_pursuit *path)
{
  return path->data.problem->context->comm;
}

bool th_pursuit_sees(const struct th_pursuit *path,
                     double factor[TH_FORECAST_WIDTH])
{
  const struct th_forecast *o = &path->forecast;
  memset(factor, 0, TH_FORECAST_WIDTH * sizeof(double));
  factor[0] = 1;
  for (int64_t j = o->base; j < path->size && o->count > 0; j++) {
    int k = th_forecast_find(o, path->attribute[j]);
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
static th_status centre(const struct th_pursuit *path, struct projection *on,
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
  TH_TRY(centre(path, on, slot, &constant, err));
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
  th_status rc = th_forecast_reserve(o, p, err);
  if (rc == TH_OK)
    rc = reserve(&on, path, err);
  TH_TRY(th_agree(comm_of(path), rc, err));
  th_forecast_clear(o, p);
  th_forecast_put(o, p, 0, -1, path->work);
  for (int k = 0; k < o->count; k++) {
    TH_TRY(th_pursuit_fetch(path, o->candidate[k], &slot, err));
    TH_TRY(project(path, &on, slot, err));
    th_forecast_put(o, p, k + 1, 1, on.rest);
  }
done:
  release(&on);
  return rc;
}

/* The attributes with the largest slopes. Collective. */
static th_status find_candidates(struct th_pursuit *path, struct th_error *err)
{
  const struct th_problem *p = path->data.problem;
  struct th_forecast *o = &path->forecast;
  struct th_selection work = {0};
  struct th_index_value chosen[MOST];
  const struct th_select_among among = {.values = path->data.duals->value,
                                        .attribute = p->key,
                                        .count = p->grouping.groups,
                                        .k = MOST};
  th_status rc = th_select_largest(comm_of(path), &work, &among, TH_OK, chosen,
                                   &o->count, err);
  for (int64_t k = 0; k < o->count && rc == TH_OK; k++)
    o->candidate[k] = chosen[k].attribute;
  th_select_free(&work);
  return rc;
}

th_status th_pursuit_forecast(struct th_pursuit *path, struct th_error *err)
{
  th_status rc;
  TH_TRY(find_candidates(path, err));
  path->forecast.base = path->size;
  TH_TRY(put_vectors(path, err));
done:
  return rc;
}

th_status th_pursuit_forecast_again(struct th_pursuit *path,
                                    struct th_error *err)
{
  struct th_problem_block block;
  th_status rc;
  th_pursuit_theta(path);
  TH_TRY(put_vectors(path, err));
  block =
      (struct th_problem_block){path->forecast.right, path->forecast.gradient};
  TH_TRY(th_problem_gradients(path->data.problem, &block, 1, err));
done:
  return rc;
}
