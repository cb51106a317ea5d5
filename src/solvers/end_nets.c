/* end_nets.c - elastic nets on the list of an end, each path on one rank
 * SPDX-License-Identifier: MIT */
#include "core/memory.h"
#include "solvers/end_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double mixes[TH_MIXES] = {1, 0.5, 0.1};
static const double slack = 100; /* of candidates; the final model has none */
static const double decades = 3; /* of lambda */
static const double few_decades = 2; /* with half as many columns as rows */

double th_end_mix(int64_t mix)
{
  return mixes[mix];
}

/* One path: without fold f, or on all rows. */
struct task {
  struct th_end_work *work;
  int64_t fold;
  int mix;
  int64_t steps; /* lambdas of the final model's path; 0: all candidates */
};

/* The largest lambda of a path follows from the list of all rows. Local. */
static th_status make_grid(struct th_end_work *w, struct th_error *err)
{
  const struct th_end_list *list = &w->list[w->end->folds];
  struct th_vector *columns = NULL;
  double largest = 0;
  double span = 2 * list->count >= w->rows ? few_decades : decades;
  th_status rc;
  TH_TRY(th_end_pick(w, list, w->scaled, &columns, err));
  const struct th_net_data data = {.rows = w->rows,
                                   .count = list->count,
                                   .column = columns,
                                   .target = w->target,
                                   .weight = w->weight,
                                   .loss = w->context->loss,
                                   .intercept = w->context->config->intercept};
  TH_TRY(th_net_largest(&data, &largest, err));
  for (int m = 0; m < TH_MIXES; m++) {
    TH_TRY(TH_NEW(&w->lambda[m], TH_LAMBDAS, "penalties", err));
    for (int k = 0; k < TH_LAMBDAS; k++)
      w->lambda[m][k] =
          largest / mixes[m] * pow(10, -k * span / (TH_LAMBDAS - 1));
  }
done:
  free(columns);
  return rc;
}

/* Of a path without a fold, its predictions there; else the size, and the
 * model where it is final. Local. */
static th_status take_point(void *self, int64_t k,
                            const struct th_net_point *point,
                            struct th_error *err)
{
  const struct task *task = self;
  struct th_end_work *w = task->work;
  int64_t at = task->mix * TH_LAMBDAS + k;
  w->points[task->fold * TH_MIXES + task->mix] = k + 1;
  if (task->fold < w->end->folds) {
    for (int64_t i = 0; i < w->held; i++)
      if (w->end->fold[w->held_row[i]] == task->fold)
        w->prediction[at * w->held + i] = point->prediction[w->held_row[i]];
    return TH_OK;
  }
  if (task->steps == 0)
    w->size[at] = point->size;
  if (task->steps != k + 1)
    return TH_OK;
  struct th_end_model *model = &w->net;
  th_status rc = th_end_model_reserve(model, point->size, err);
  if (rc != TH_OK)
    return rc;
  model->intercept = point->intercept;
  for (int64_t j = 0; j < point->size; j++) {
    model->place[j] = point->column[j];
    model->coef[j] = point->coef[j];
  }
  return TH_OK;
}

/* Local. */
static th_status run(struct task *task, struct th_error *err)
{
  struct th_end_work *w = task->work;
  const struct th_end_list *list = th_end_list_of(w, task->fold);
  struct th_vector *columns = NULL;
  double *weight = NULL;
  th_status rc;
  TH_TRY(th_end_pick(w, list, w->scaled, &columns, err));
  TH_TRY(th_end_weigh(w, task->fold, &weight, err));
  const struct th_net_data data = {.rows = w->rows,
                                   .count = list->count,
                                   .column = columns,
                                   .target = w->target,
                                   .weight = weight,
                                   .loss = w->context->loss,
                                   .intercept = w->context->config->intercept,
                                   .slack = slack,
                                   .last_slack = task->steps == 0 ? slack : 1};
  rc = th_net_path(&data, mixes[task->mix], w->lambda[task->mix],
                   task->steps == 0 ? TH_LAMBDAS : task->steps, take_point,
                   task, err);
done:
  free(columns);
  free(weight);
  return rc;
}

/* Every rank its share of the paths. Local. */
static th_status run_mine(struct th_end_work *w, struct th_error *err)
{
  const struct th_comm *comm = w->context->comm;
  int64_t tasks = TH_MIXES * (w->end->folds + 1);
  th_status rc = make_grid(w, err);
  bool any = rc == TH_OK && w->lambda[0][0] > 0;
  for (int64_t t = 0; t < tasks && any && rc == TH_OK; t++) {
    struct task task = {w, t / TH_MIXES, (int)(t % TH_MIXES), 0};
    if (t % comm->size == comm->rank)
      rc = run(&task, err);
    th_context_going(w->context, -1, "path %lld of %lld", (long long)t + 1,
                     (long long)tasks);
  }
  return rc;
}

/* Each number comes from one rank; the others have zeros. */
th_status th_end_nets(struct th_end_work *w, struct th_error *err)
{
  struct th_comm *comm = w->context->comm;
  th_status rc;
  th_profile_begin(w->context->profile);
  rc = th_agree(comm, run_mine(w, err), err);
  th_profile_end(w->context->profile, TH_PHASE_SOLVE);
  if (rc != TH_OK)
    return rc;
  comm->ops->sum_i64(comm, (int64_t *)(void *)w->prediction,
                     (size_t)(TH_NETS * w->held));
  comm->ops->sum_i64(comm, w->points, (size_t)((w->end->folds + 1) * TH_MIXES));
  comm->ops->sum_i64(comm, w->size, TH_NETS);
  return rc;
}

th_status th_end_net_final(struct th_end_work *w, int64_t mix, int64_t step,
                           struct th_error *err)
{
  struct task task = {w, w->end->folds, (int)mix, step + 1};
  return run(&task, err);
}
