/* end_nets.c - elastic nets on the list of an end, each path on one rank
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"

#include "base/elementary.h"
#include "solvers/exact/net.h"
#include "solvers/predict/end.h"
#include "solvers/predict/end_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double mixes[TH_MIXES] = {1, 0.5, 0.1};
/* of a path of a mix, roughly, over one of the first */
static const int64_t cost[TH_MIXES] = {1, 3, 10};
/* of the gap of candidates; the final model has none */
static const double slack = 100;
static const double decades = 3;     /* of lambda */
static const double few_decades = 2; /* with half as many columns as rows */

enum {
  /* lambdas in a row that predict no better, before a path ends */
  PATIENCE = 5,
  SPAN_STEPS = TH_USUAL_LAMBDAS - 1
};

double th_end_nets_mix(int64_t mix)
{
  return mixes[mix];
}

/* A path to solve: without fold f, or on all rows. */
struct task {
  struct th_end_work *work;
  int64_t fold;
  int mix;
  int64_t most;  /* lambdas */
  bool final;    /* only the last one's model is wanted */
  double least;  /* loss on the part that was held out, so far */
  int64_t since; /* lambdas since then */
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
    free(w->lambda[m]);
    w->lambda[m] = NULL;
    TH_TRY(TH_NEW(&w->lambda[m], TH_LAMBDAS, "penalties", err));
    for (int k = 0; k < TH_LAMBDAS; k++)
      w->lambda[m][k] = largest / mixes[m] * th_pow(10, -k * span / SPAN_STEPS);
  }
done:
  free(columns);
  return rc;
}

/* Small lambdas take most of the time. If a single part chooses, a path ends
 * when smaller lambdas no longer predict it better. */
static bool is_enough(struct task *task, const double *prediction)
{
  const struct th_end_work *w = task->work;
  double loss = 0;
  double weight = 0;
  if (w->end->folds > 1)
    return false;
  for (int64_t k = 0; k < w->held; k++) {
    int64_t i = w->held_row[k];
    loss +=
        w->weight[i] * th_loss_f(w->context->loss, prediction[i], w->target[i]);
    weight += w->weight[i];
  }
  loss = weight > 0 ? loss / weight : 0;
  task->since = loss < task->least ? 0 : task->since + 1;
  task->least = fmin(task->least, loss);
  return task->since >= PATIENCE;
}

/* The model at the last lambda, or at the last that has few enough attributes.
 * Local. */
static th_status keep_net(struct th_end_work *w, int64_t k,
                          const struct th_net_point *point,
                          struct th_error *err)
{
  w->net_step = k;
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

/* Take what is needed of a point of a path. A path without a fold gives its
 * predictions of the fold. A path that tells the sizes of models gives the
 * size. The final path gives the model. Local. */
static th_status take_point(void *self, int64_t k,
                            const struct th_net_point *point, bool *enough,
                            struct th_error *err)
{
  struct task *task = self;
  struct th_end_work *w = task->work;
  int64_t at = task->mix * TH_LAMBDAS + k;
  int64_t largest = w->context->config->sparsity;
  th_status rc = th_source_leave(w->context->source, err);
  if (rc != TH_OK)
    return rc;
  if (task->final) {
    bool fits = largest == 0 ? k + 1 == task->most : point->size <= largest;
    return fits ? keep_net(w, k, point, err) : TH_OK;
  }
  *th_end_points(w, task->mix, task->fold) = k + 1;
  if (task->fold == th_end_sizes(w))
    w->size[at] = point->size;
  if (task->fold == w->end->folds)
    return TH_OK;
  for (int64_t i = 0; i < w->held; i++)
    if (w->end->fold[w->held_row[i]] == task->fold)
      w->prediction[at * w->held + i] = point->prediction[w->held_row[i]];
  *enough = is_enough(task, point->prediction);
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
                                   .last_slack = task->final ? 1 : slack};
  rc = th_net_path(&data, mixes[task->mix], w->lambda[task->mix], task->most,
                   take_point, task, err);
done:
  TH_FREE(columns, weight);
  return rc;
}

/* The t-th path of a turn, if there are so many: the first one of mix `turn`,
 * then those of the mix before that have not been made. Turns count from 1. */
static bool task_at(struct th_end_work *w, int turn, int64_t t,
                    struct task *task)
{
  bool first = turn < TH_MIXES && t == 0;
  int64_t fold = t - (turn < TH_MIXES) + (turn > 1);
  *task = (struct task){.work = w,
                        .fold = first ? 0 : fold,
                        .mix = first ? turn : turn - 1,
                        .most = w->lambdas,
                        .least = INFINITY};
  return task->fold <= th_end_sizes(w);
}

/* The first rank with the least to do. load: of each rank. */
static int least_busy(const int64_t *load, int ranks)
{
  int least = 0;
  for (int r = 1; r < ranks; r++)
    if (load[r] < load[least])
      least = r;
  return least;
}

/* What all paths cost. */
static double all_paths(const struct th_end_work *w)
{
  double sum = 0;
  for (int m = 0; m < TH_MIXES; m++)
    sum += (double)cost[m] * (double)(th_end_sizes(w) + 1);
  return sum;
}

/* Solve this rank's share of the paths of a turn. Local. */
static th_status run_mine(struct th_end_work *w, int turn, struct th_error *err)
{
  const struct th_comm *comm = w->context->comm;
  int64_t *load = NULL;
  struct task task;
  th_status rc =
      TH_NEW(&load, comm->size, "the models compared at the end", err);
  for (int64_t t = 0; rc == TH_OK && task_at(w, turn, t, &task); t++) {
    int rank = least_busy(load, comm->size);
    load[rank] += cost[task.mix];
    if (rank == comm->rank)
      rc = run(&task, err);
    w->paths++;
    w->done += (double)cost[task.mix];
    th_context_going(w->context, w->done / all_paths(w),
                     "path %lld of at most %lld", (long long)w->paths,
                     (long long)(TH_MIXES * (th_end_sizes(w) + 1)));
  }
  free(load);
  return rc;
}

/* Forget what a mix gave on this rank. */
static void clear_mix(struct th_end_work *w, int mix)
{
  int64_t net = mix * TH_LAMBDAS;
  size_t predictions = (size_t)(TH_LAMBDAS * w->held);
  size_t paths = (size_t)(w->end->folds + 1);
  memset(w->prediction + net * w->held, 0, predictions * sizeof *w->prediction);
  memset(th_end_points(w, mix, 0), 0, paths * sizeof *w->points);
  memset(w->size + net, 0, TH_LAMBDAS * sizeof *w->size);
}

/* Each number comes from one rank, and the others have zeros, so that a sum
 * shares it. Collective. */
static void share_mix(struct th_end_work *w, int mix)
{
  struct th_comm *comm = w->context->comm;
  int64_t net = mix * TH_LAMBDAS;
  th_comm_share_numbers(comm, w->prediction + net * w->held,
                        (size_t)(TH_LAMBDAS * w->held));
  comm->ops->sum_i64(comm, th_end_points(w, mix, 0),
                     (size_t)(w->end->folds + 1));
  comm->ops->sum_i64(comm, w->size + net, TH_LAMBDAS);
}

/* Complete a mix, and try the next one on the first fold. *goes_on: that one is
 * promising. Collective. */
static th_status take_turn(struct th_end_work *w, int turn, bool *goes_on,
                           struct th_error *err)
{
  struct th_comm *comm = w->context->comm;
  th_status rc;
  if (turn > 1 && comm->rank != 0)
    clear_mix(w, turn - 1); /* its first path is shared: one rank keeps it */
  th_comm_profile_begin(w->context->profile);
  rc = th_agree(comm, run_mine(w, turn, err), err);
  th_comm_profile_end(w->context->profile, TH_PHASE_SOLVE);
  *goes_on = rc == TH_OK && turn < TH_MIXES;
  if (rc == TH_OK)
    share_mix(w, turn - 1);
  if (!*goes_on)
    return rc;
  share_mix(w, turn);
  return th_agree(comm, th_end_goes_on(w, turn, goes_on, err), err);
}

/* Mixes with less of norm1 have more attributes, and take the most time. A mix
 * whose first path is far behind that of the mix before is left out, and so are
 * those behind it. */
th_status th_end_nets(struct th_end_work *w, int64_t lambdas,
                      struct th_error *err)
{
  bool goes_on = true;
  th_status rc;
  w->lambdas = lambdas;
  w->paths = 0;
  w->done = 0;
  th_context_part(w->context, true);
  for (int mix = 0; mix < TH_MIXES; mix++)
    clear_mix(w, mix);
  TH_TRY(th_agree(w->context->comm, make_grid(w, err), err));
  goes_on = w->lambda[0][0] > 0;
  for (int turn = 1; turn <= TH_MIXES && goes_on; turn++)
    TH_TRY(take_turn(w, turn, &goes_on, err));
done:
  return rc;
}

th_status th_end_net_final(struct th_end_work *w, int64_t mix, int64_t step,
                           struct th_error *err)
{
  struct task task = {.work = w,
                      .fold = w->end->folds,
                      .mix = (int)mix,
                      .most = step + 1,
                      .final = true};
  return run(&task, err);
}
