/* forecast.c - slopes of all attributes without a pass
 * SPDX-License-Identifier: MIT */
#include "solvers/greedy/forecast.h"

#include "base/memory.h"

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
