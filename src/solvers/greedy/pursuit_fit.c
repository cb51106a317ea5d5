/* pursuit_fit.c - the fit on S: least squares, or Newton's steps for other
 * losses
 *
 * Where attributes separate the labels there is no solution. A ridge so small
 * that it changes no other fit by more than about 1e-8 bounds the coefficients
 * there: at some twenty times the inverse of the margin.
 * SPDX-License-Identifier: MIT */
#include "core/memory.h"
#include "math/gap.h"
#include "solvers/greedy/pursuit_parts.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 50, MOST_HALVINGS = 20 };

static const double flattest = 1e-13; /* smallest curvature that counts */
/* of coefficients in standard deviations, beside the mean loss */
static const double ridge = 1e-10;
static const double longest_step = 5;   /* in standard deviations */
static const double least_gain = 1e-12; /* relative decrease that goes on */

/* The constant that goes with the coefficients: mean target less mean
 * prediction. */
static void find_intercept(struct th_pursuit *path)
{
  const struct th_problem *p = path->data.problem;
  if (!p->intercept)
    return;
  double sum = 0;
  for (int64_t i = 0; i < p->rows; i++)
    sum += path->weight[i] * p->target[i];
  path->intercept = sum / path->total;
  for (int64_t j = 0; j < path->size; j++)
    path->intercept -= path->mean[j] * path->coef[j];
}

static th_status fit_squares(struct th_pursuit *path, struct th_error *err)
{
  th_cholesky_solve(&path->factor, path->factor.rank, path->product,
                    path->coef);
  find_intercept(path);
  return th_pursuit_predict(path, err);
}

/* Work arrays of Newton's steps. */
struct newton {
  double *curvature; /* h f'' of each example */
  double *slope;     /* f' / f'' */
  double *step;      /* |S|, then the constant's */
  double *coef;      /* where the step begins */
};

static th_status reserve(struct newton *n, const struct th_pursuit *path,
                         struct th_error *err)
{
  int64_t rows = path->data.problem->rows;
  th_status rc;
  TH_TRY(TH_NEW(&n->curvature, rows, "Newton steps", err));
  TH_TRY(TH_NEW(&n->slope, rows, "Newton steps", err));
  TH_TRY(TH_NEW(&n->step, path->size + 1, "Newton steps", err));
  TH_TRY(TH_NEW(&n->coef, path->size, "Newton steps", err));
  memcpy(n->coef, path->coef, (size_t)path->size * sizeof *n->coef);
done:
  return rc;
}

static void release(struct newton *n)
{
  TH_FREE(n->curvature, n->slope, n->step, n->coef);
}

static double ridge_of(const struct th_pursuit *path)
{
  return ridge * path->total;
}

/* The objective that the steps decrease. */
static double objective(const struct th_pursuit *path)
{
  double sum = 0;
  for (int64_t j = 0; j < path->size; j++)
    sum +=
        path->coef[j] * path->coef[j] * path->deviation[j] * path->deviation[j];
  return path->total * path->loss + ridge_of(path) / 2 * sum;
}

/* Curvatures and slopes at the predictions. Returns sum h f'. */
static double differentiate(struct th_pursuit *path, struct newton *n,
                            double *curvature)
{
  const struct th_problem *p = path->data.problem;
  double sum = 0;
  *curvature = 0;
  th_loss_d2f_all(p->loss, p->rows, path->prediction, p->target, n->curvature);
  th_loss_df_all(p->loss, p->rows, path->prediction, p->target, n->slope);
  for (int64_t i = 0; i < p->rows; i++) {
    double second = fmax(n->curvature[i], flattest);
    sum += path->weight[i] * n->slope[i];
    n->slope[i] /= second;
    n->curvature[i] = path->weight[i] * second;
    *curvature += n->curvature[i];
  }
  return sum;
}

/* Solve the equations, with the ridge on their diagonal. Local. */
static th_status solve(struct th_pursuit *path, struct newton *n,
                       struct th_error *err)
{
  int64_t size = path->size;
  double *right = n->coef; /* saved before the step is taken */
  for (int64_t j = 0; j < size; j++) {
    double *diagonal = &path->gram[j * path->room + j];
    double own = ridge_of(path) * path->deviation[j] * path->deviation[j];
    *diagonal += own;
    right[j] = -path->product[j] - own * path->coef[j];
  }
  th_status rc = th_cholesky_pivot(&path->factor, size, path->gram, path->room,
                                   TH_PURSUIT_DEPENDS, err);
  if (rc == TH_OK)
    th_cholesky_solve(&path->factor, path->factor.rank, right, n->step);
  return rc;
}

/* No coefficient moves by more than longest_step standard deviations. */
static void shorten(struct newton *n, const struct th_pursuit *path)
{
  int64_t size = path->size;
  double most = fabs(n->step[size]);
  for (int64_t j = 0; j < size; j++)
    most = fmax(most, fabs(n->step[j]) * path->deviation[j]);
  for (int64_t j = 0; j <= size && most > longest_step; j++)
    n->step[j] *= longest_step / most;
}

/* Collective. */
static th_status find_step(struct th_pursuit *path, struct newton *n,
                           struct th_error *err)
{
  int64_t size = path->size;
  double curvature = 0;
  double slope = differentiate(path, n, &curvature);
  th_status rc;
  TH_TRY(th_pursuit_means(path, 0, n->curvature, n->slope, err));
  TH_TRY(th_pursuit_products(path, 0, n->curvature, err));
  TH_TRY(th_agree(path->data.problem->context->comm, solve(path, n, err), err));
  n->step[size] = path->data.problem->intercept ? -slope / curvature : 0;
  for (int64_t j = 0; j < size; j++)
    n->step[size] -= path->mean[j] * n->step[j];
  shorten(n, path);
done:
  return rc;
}

/* Go along the step, halving it until the objective falls. *goes_on: it fell
 * enough for another step. Collective. */
static th_status descend(struct th_pursuit *path, struct newton *n,
                         bool *goes_on, struct th_error *err)
{
  int64_t size = path->size;
  double before = objective(path);
  double constant = path->intercept;
  double length = 1;
  th_status rc = TH_OK;
  memcpy(n->coef, path->coef, (size_t)size * sizeof *n->coef);
  for (int k = 0; k <= MOST_HALVINGS; k++, length /= 2) {
    if (k == MOST_HALVINGS)
      length = 0;
    for (int64_t j = 0; j < size; j++)
      path->coef[j] = n->coef[j] + length * n->step[j];
    path->intercept = constant + length * n->step[size];
    TH_TRY(th_pursuit_predict(path, err));
    if (objective(path) <= before)
      break;
  }
  *goes_on = objective(path) < before * (1 - least_gain);
done:
  return rc;
}

static th_status fit_by_steps(struct th_pursuit *path, struct th_error *err)
{
  struct newton n = {0};
  bool goes_on = true;
  th_status rc = reserve(&n, path, err);
  TH_TRY(th_agree(path->data.problem->context->comm, rc, err));
  for (int k = 0; k < MOST_STEPS && goes_on; k++) {
    TH_TRY(find_step(path, &n, err));
    TH_TRY(descend(path, &n, &goes_on, err));
  }
done:
  release(&n);
  return rc;
}

th_status th_pursuit_fit(struct th_pursuit *path, struct th_error *err)
{
  return path->data.problem->loss->quadratic ? fit_squares(path, err)
                                             : fit_by_steps(path, err);
}
