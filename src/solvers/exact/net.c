/* net.c - elastic-net paths on columns in memory
 * SPDX-License-Identifier: MIT */
#include "solvers/exact/net.h"

#include "base/integer.h"
#include "base/memory.h"
#include "solvers/exact/working_set_solver.h"

#include <math.h>
#include <stdlib.h>

/* Tolerances of the gap that no prediction shows: over the deviance that the
 * last model explained, and at least over the null deviance. */
static const double precision = 1e-6;
static const double least_precision = 1e-8;

/* With slack, the gap is at most 1 / left_over of the deviance that is left. */
static const double left_over = 10;

/* The path ends when this share of the deviance is explained. */
static const double explained = 0.995;

/* lambda over the largest slope from which on the zero model is the solution,
 * up to rounding. */
static const double nothing_enters = 1 - 1e-12;

/* A solver without data files, and the parts of a context that it needs. */
struct net {
  struct th_config config;
  struct th_profile profile;
  struct th_context context;
  struct th_problem_kept kept;
  struct th_problem problem;
  struct th_working_set_solver exact;
  struct th_index_value *chosen; /* columns: members with a coefficient */
  int64_t *column;
  double *coef;
};

static void net_free(struct net *net)
{
  th_working_set_solver_free(&net->exact);
  th_problem_free(&net->problem);
  TH_FREE(net->chosen, net->column, net->coef);
}

/* Make the problem and its zero model. duals: the slopes there. */
static th_status begin(struct net *net, const struct th_net_data *data,
                       struct th_duals *duals, struct th_error *err)
{
  net->config = (struct th_config){.intercept = data->intercept,
                                   .screening.how = TH_SCREEN_NONE};
  net->context = (struct th_context){.comm = data->comm,
                                     .config = &net->config,
                                     .loss = data->loss,
                                     .profile = &net->profile};
  net->kept = (struct th_problem_kept){.rows = data->rows,
                                       .count = data->count,
                                       .column = data->column,
                                       .target = data->target,
                                       .weight = data->weight};
  return th_problem_init_kept(&net->problem, &net->context, &net->kept, duals,
                              err);
}

th_status th_net_largest(const struct th_net_data *data, double *largest,
                         struct th_error *err)
{
  struct net net = {0};
  struct th_duals duals = {0};
  th_status rc = begin(&net, data, &duals, err);
  *largest = net.problem.lambda_max;
  th_problem_duals_free(&duals);
  net_free(&net);
  return rc;
}

static th_status reserve(struct net *net, struct th_error *err)
{
  th_status rc;
  TH_TRY(TH_NEW(&net->chosen, net->kept.count, "a model", err));
  TH_TRY(TH_NEW(&net->column, net->kept.count, "a model", err));
  TH_TRY(TH_NEW(&net->coef, net->kept.count, "a model", err));
done:
  return rc;
}

/* l1: lambda of the exact solver. At the largest slope nothing enters, and the
 * solver stays at its beginning. */
static th_status solve_net(struct net *net, double l1, double ridge,
                           struct th_error *err)
{
  struct th_working_set_solver *e = &net->exact;
  th_status rc = TH_OK;
  net->problem.ridge = ridge;
  if (l1 >= nothing_enters * net->problem.lambda_max)
    return th_inner_solver_screen_at(&e->inner, &e->working, l1, err);
  TH_TRY(th_working_set_solver_guess(e, l1, true, err));
  TH_TRY(th_working_set_solver_solve(e, l1, err));
done:
  return rc;
}

static double share_of(const struct net *net)
{
  const struct th_problem *p = &net->problem;
  if (th_working_set_support(&net->exact.working) == 0)
    return 0;
  return p->zero > 0 ? 1 - net->exact.inner.loss / p->zero : 0;
}

static struct th_net_point point_of(struct net *net)
{
  const struct th_working_set *w = &net->exact.working;
  int64_t size = 0;
  for (int64_t k = 0; k < w->members; k++)
    if (w->coef[k] != 0)
      net->chosen[size++] =
          (struct th_index_value){w->attribute[k], w->coef[k]};
  qsort(net->chosen, (size_t)size, sizeof *net->chosen, th_integer_ascending);
  for (int64_t k = 0; k < size; k++) {
    net->column[k] = net->chosen[k].attribute;
    net->coef[k] = net->chosen[k].value;
  }
  return (struct th_net_point){share_of(net), net->exact.inner.intercept,
                               size,          net->column,
                               net->coef,     net->exact.inner.prediction};
}

/* The gap to reach, over the null deviance, when this share of it is explained.
 */
static double goal_at(double share, double slack)
{
  if (!(slack > 1))
    return fmax(precision * share, least_precision);
  double most = fmin(share, left_over * (1 - share));
  return slack * fmax(precision * most, least_precision);
}

th_status th_net_path(const struct th_net_data *data, double mix,
                      const double *lambda, int64_t lambdas,
                      th_net_visitor *visit, void *self, struct th_error *err)
{
  struct net net = {0};
  struct th_duals duals = {0};
  double share = 0;
  bool enough = false;
  th_status rc;
  TH_TRY(begin(&net, data, &duals, err));
  TH_TRY(th_working_set_solver_init(&net.exact, &net.problem, &duals, err));
  TH_TRY(th_agree(net.context.comm, reserve(&net, err), err));
  for (int64_t k = 0; k < lambdas && share < explained && !enough; k++) {
    double slack = k + 1 < lambdas ? data->slack : data->last_slack;
    net.exact.tolerance = goal_at(share, slack) * net.problem.zero;
    TH_TRY(solve_net(&net, mix * lambda[k], (1 - mix) * lambda[k], err));
    struct th_net_point point = point_of(&net);
    share = point.share;
    TH_TRY(
        th_agree(net.context.comm, visit(self, k, &point, &enough, err), err));
  }
done:
  if (rc != TH_OK)
    err->rank = -1; /* of the team; the caller's ranks agree again */
  th_problem_duals_free(&duals);
  net_free(&net);
  return rc;
}
