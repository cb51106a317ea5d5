/* end.c - an end that predicts: candidates on a list, chosen on rows that no
 * step has seen
 * SPDX-License-Identifier: MIT */
#include "solvers/predict/end.h"

#include "base/elementary.h"
#include "base/integer.h"
#include "base/memory.h"
#include "solvers/access/replicated_columns.h"
#include "solvers/exact/net.h"
#include "solvers/predict/end_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The share of norm1 in the nets of each mix. */
static const double mixes[TH_MIXES] = {1, 0.5, 0.1};

/* The rows that tell how large nets are: all rows if folds have lists of their
 * own, else those outside the held-out part. */
static int64_t sizes_fold(const struct th_end_work *w)
{
  return w->end->folds == 1 ? 0 : w->end->folds;
}

/* How many lambdas the path of a mix without fold f has got; f = folds: that on
 * all rows. */
static int64_t *path_points(const struct th_end_work *w, int mix, int64_t f)
{
  return &w->points[mix * (w->end->folds + 1) + f];
}

/* --- The candidates of an end, and which of them is taken ----------------- */

enum {
  ENOUGH_ROWS = 100,    /* of a fold that tells mixes apart */
  MANY_VALUES = 1000000 /* of a list: the paths of fewer take no time */
};

/* Candidates, with what their choice borrows. */
struct candidates {
  struct th_choice choice;
  double *target; /* of the rows that choose */
  double *weight;
  int64_t *place; /* of these rows among all that were held out */
  double *prediction;
};

static void dismiss(struct candidates *c)
{
  th_choice_free(&c->choice);
  TH_FREE(c->target, c->weight, c->place, c->prediction);
}

/* No candidates. The rows of one fold choose, or all that were held out (fold
 * -1). Equal rows choose as one row with their weight: they are predicted alike
 * and tell no more than it. Local; release with `dismiss`, also after a
 * failure. */
static th_status invite(struct candidates *c, const struct th_end_work *w,
                        int64_t fold, struct th_error *err)
{
  static const char what[] = "the examples that choose the model";
  int64_t most = fold < 0 ? w->context->config->sparsity : 0;
  int64_t *at = NULL;    /* of a row of the end: its place in the choice + 1 */
  int64_t *equal = NULL; /* of a row of the choice: how many it stands for */
  int64_t rows = 0;
  th_status rc;
  TH_TRY(TH_NEW(&at, w->rows, what, err));
  TH_TRY(TH_NEW(&equal, w->held, what, err));
  TH_TRY(TH_NEW(&c->target, w->held, what, err));
  TH_TRY(TH_NEW(&c->weight, w->held, what, err));
  TH_TRY(TH_NEW(&c->place, w->held, what, err));
  TH_TRY(TH_NEW(&c->prediction, w->held, what, err));
  for (int64_t k = 0; k < w->held; k++) {
    int64_t i = w->held_row[k];
    if (fold >= 0 && w->end->fold[i] != fold)
      continue;
    int64_t lead = th_end_lead(w, i);
    if (at[lead] > 0) {
      c->weight[at[lead] - 1] += w->weight[i];
      equal[at[lead] - 1]++;
      continue;
    }
    c->place[rows] = k;
    c->target[rows] = w->target[i];
    equal[rows] = 1;
    c->weight[rows++] = w->weight[i];
    at[lead] = rows;
  }
  rc = th_choice_init(&c->choice, rows, c->target, c->weight, w->context->loss,
                      most, err);
  th_choice_count(&c->choice, th_end_rows_effective(c->weight, equal, rows));
done:
  TH_FREE(at, equal);
  return rc;
}

/* Add the first nets of a mix, with the sizes that are known. */
static th_status add_nets(struct candidates *c, const struct th_end_work *w,
                          int mix, int64_t points, bool sized,
                          struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t k = 0; k < points && rc == TH_OK; k++) {
    int64_t net = mix * TH_LAMBDAS + k;
    for (int64_t i = 0; i < c->choice.rows; i++)
      c->prediction[i] = w->prediction[net * w->held + c->place[i]];
    rc = th_choice_add(&c->choice, TH_CANDIDATE_NET, mix, k,
                       sized ? w->size[net] : 1, c->prediction, err);
  }
  return rc;
}

/* Lambdas at which the first paths of a mix, so many, all have a model. */
static int64_t points_of(const struct th_end_work *w, int mix, int64_t paths)
{
  int64_t least = TH_LAMBDAS;
  for (int64_t f = 0; f < paths; f++)
    least = th_min_i64(least, *path_points(w, mix, f));
  return least;
}

/* Add predictions of all rows that were held out. */
static th_status add_one(struct candidates *c, enum th_candidate_kind kind,
                         int64_t size, const double *prediction,
                         struct th_error *err)
{
  for (int64_t i = 0; i < c->choice.rows; i++)
    c->prediction[i] = prediction[c->place[i]];
  return th_choice_add(&c->choice, kind, 0, 0, size, c->prediction, err);
}

/* Local. */
static th_status add_all(struct candidates *c, const struct th_end_work *w,
                         struct th_error *err)
{
  th_status rc;
  TH_TRY(add_one(c, TH_CANDIDATE_NULL, 0, w->null, err));
  TH_TRY(add_one(c, TH_CANDIDATE_STRICT, w->best.size, w->strict, err));
  for (int m = 0; m < TH_MIXES; m++)
    TH_TRY(add_nets(c, w, m, points_of(w, m, sizes_fold(w) + 1), true, err));
done:
  return rc;
}

/* What the model is told of an end of that kind, but for its choice
 * (end.c). Local. */
static struct th_ending end_note(const struct th_end_work *w,
                                 enum th_ending_kind kind)
{
  int64_t budget = th_source_budget(w->context->source);
  return (struct th_ending){
      .kind = kind,
      .screen_passes = w->end->screened,
      .end_passes = w->end->once
                        ? 1 - w->end->screened
                        : (double)th_integer_ceil_divide(w->all.count, budget)};
}

/* Describe the candidates for the model. */
static void note_candidates(const struct th_end_work *w,
                            const struct th_choice *choice,
                            const struct th_chosen *made)
{
  static const enum th_ending_kind kinds[] = {
      [TH_CANDIDATE_NULL] = TH_ENDING_NULL,
      [TH_CANDIDATE_STRICT] = TH_ENDING_STRICT,
      [TH_CANDIDATE_NET] = TH_ENDING_NET};
  const struct th_candidate *c = choice->candidate;
  const struct th_candidate *chosen = &c[made->chosen];
  bool net = chosen->kind == TH_CANDIDATE_NET;
  struct th_ending *e = &w->end->ending;
  *e = end_note(w, kinds[chosen->kind]);
  e->size = chosen->size;
  e->mix = net ? mixes[chosen->mix] : 0;
  e->lambda = net ? w->lambda[chosen->mix][chosen->step] : 0;
  e->null_loss = c[made->null].loss;
  e->null_se = c[made->null].se;
  e->strict_loss = c[made->strict].loss;
  e->strict_se = c[made->strict].se;
  e->best_loss = c[made->best].loss;
  e->best_se = c[made->best].se;
}

/* In a single pass a third of the examples choose. So few are led by chance
 * more often, and have to gain as much as among very many attributes. */
static double least_gain(const struct th_end_work *w)
{
  const struct th_context *context = w->context;
  int64_t all = th_source_shape(context->source)->attributes;
  return th_choice_least_gain(w->end->once ? INT64_MAX
                                           : all - context->left_out);
}

/* Choose among the candidates (end.c). Local. */
static th_status end_choose(struct th_end_work *w, struct th_error *err)
{
  struct candidates c = {0};
  struct th_chosen made;
  th_status rc;
  TH_TRY(invite(&c, w, -1, err));
  TH_TRY(add_all(&c, w, err));
  TH_TRY(th_choice_make(&c.choice, least_gain(w), &made, err));
  w->end->chosen = c.choice.candidate[made.chosen];
  const struct th_candidate *best = &c.choice.candidate[made.best];
  w->at_end = best->kind == TH_CANDIDATE_NET && best->step == w->lambdas - 1;
  note_candidates(w, &c.choice, &made);
done:
  dismiss(&c);
  return rc;
}

/* *goes_on: the mix that was tried last is worth its other paths, or the mixes
 * behind it are worth trying. Of its path without the first fold, the best
 * prediction of this fold is not far behind that of the mix before
 * (th_choice_trails), and no net so far comes near the strict support
 * (th_choice_leads); or this cannot be told of so few rows, or the paths are
 * short. Local. */
static th_status end_goes_on(const struct th_end_work *w, int mix,
                             bool *goes_on, struct th_error *err)
{
  struct candidates c = {0};
  th_status rc = TH_OK;
  *goes_on = true;
  if (th_end_list_of(w, 0)->count * w->rows < MANY_VALUES)
    return rc;
  TH_TRY(invite(&c, w, 0, err));
  TH_TRY(add_one(&c, TH_CANDIDATE_NULL, 0, w->null, err));
  TH_TRY(add_one(&c, TH_CANDIDATE_STRICT, 1, w->strict, err));
  for (int m = 0; m <= mix; m++)
    TH_TRY(add_nets(&c, w, m, *path_points(w, m, 0), false, err));
  *goes_on = th_choice_effective(&c.choice) < ENOUGH_ROWS ||
             !(th_choice_leads(&c.choice) ||
               (mix > 0 && th_choice_trails(&c.choice, mix, mix - 1)));
done:
  dismiss(&c);
  return rc;
}

th_status th_end_model_reserve(struct th_end_model *model, int64_t size,
                               struct th_error *err)
{
  th_status rc;
  th_end_model_free(model);
  model->size = size;
  TH_TRY(TH_NEW(&model->place, size, "the models compared at the end", err));
  TH_TRY(TH_NEW(&model->coef, size, "the models compared at the end", err));
done:
  return rc;
}

void th_end_model_free(struct th_end_model *model)
{
  TH_FREE(model->place, model->coef);
  *model = (struct th_end_model){0};
}

th_status th_end_pick(const struct th_end_work *w,
                      const struct th_end_list *list,
                      const struct th_vector *from, struct th_vector **out,
                      struct th_error *err)
{
  th_status rc =
      TH_NEW(out, list->count, "the values of candidate attributes", err);
  for (int64_t k = 0; k < list->count && rc == TH_OK; k++)
    (*out)[k] = from[th_end_list_find(&w->all, list->attribute[k])];
  return rc;
}

th_status th_end_weigh(const struct th_end_work *w, int64_t f, double **weight,
                       struct th_error *err)
{
  th_status rc = TH_NEW(weight, w->rows, "weights", err);
  for (int64_t i = 0; i < w->rows && rc == TH_OK; i++) {
    bool out = f < w->end->folds && w->end->fold[i] == f;
    (*weight)[i] = out ? 0 : w->weight[i];
  }
  return rc;
}

/* --- Elastic nets on the list of an end
 *
 * Paths that can be made at the same time are dealt to teams of ranks. The
 * ranks of a team make a path together (solvers/exact/net.h). */

/* of a path of a mix, roughly, over one of the first */
static const int64_t cost[TH_MIXES] = {1, 3, 10};
/* The share of a path that every rank of a team does alike, which is descent:
 * from a tenth with products to a half without. */
static const double alike = 0.3;
/* of the gap of candidates; the final model has none */
static const double slack = 100;
static const double decades = 3;     /* of lambda */
static const double few_decades = 2; /* with half as many columns as rows */

enum {
  /* lambdas in a row that predict no better, before a path ends */
  PATIENCE = 5,
  LEAST_VALUES = 1 << 19, /* of a path for each rank of its team: with fewer,
                             exchanges take longer than they save */
  SPAN_STEPS = TH_USUAL_LAMBDAS - 1
};

/* A path to solve: without fold f, or on all rows. */
struct task {
  struct th_end_work *work;
  struct th_comm *team; /* makes it together */
  int64_t fold;
  int mix;
  int64_t most;            /* lambdas */
  bool final;              /* only the last one's model is wanted */
  double least;            /* loss on the part that was held out, so far */
  int64_t since;           /* lambdas since then */
  struct candidates *seen; /* its nets, where the rows of its fold can tell that
                              smaller lambdas are worse; NULL: they cannot */
};

/* Lambdas of a mix, from the largest slope of the zero model on. */
static void fill_grid(double *lambda, double largest, double span)
{
  for (int k = 0; k < TH_LAMBDAS; k++)
    lambda[k] = largest * th_pow(10, -k * span / SPAN_STEPS);
}

/* The largest lambda of a path follows from the list of all rows. Collective.
 */
static th_status make_grid(struct th_end_work *w, struct th_error *err)
{
  struct th_comm *comm = w->context->comm;
  const struct th_end_list *list = &w->list[w->end->folds];
  struct th_vector *columns = NULL;
  double largest = 0;
  double span = 2 * list->count >= w->rows ? few_decades : decades;
  th_status rc = th_end_pick(w, list, w->scaled, &columns, err);
  for (int m = 0; m < TH_MIXES && rc == TH_OK; m++) {
    free(w->lambda[m]);
    w->lambda[m] = NULL;
    rc = TH_NEW(&w->lambda[m], TH_LAMBDAS, "penalties", err);
  }
  TH_TRY(th_agree(comm, rc, err));
  const struct th_net_data data = {.comm = comm,
                                   .rows = w->rows,
                                   .count = list->count,
                                   .column = columns,
                                   .target = w->target,
                                   .weight = w->weight,
                                   .loss = w->context->loss,
                                   .intercept = w->context->config->intercept};
  TH_TRY(th_net_largest(&data, &largest, err));
  for (int m = 0; m < TH_MIXES; m++)
    fill_grid(w->lambda[m], largest / mixes[m], span);
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

/* With folds, the best lambda of one is not that of all. A path ends when its
 * net is worse beyond doubt than one that lies far behind. Local. */
static th_status watch(struct task *task, int64_t k, const double *prediction,
                       bool *enough, struct th_error *err)
{
  const struct th_end_work *w = task->work;
  struct candidates *c = task->seen;
  if (c == NULL)
    return TH_OK;
  for (int64_t i = 0; i < c->choice.rows; i++)
    c->prediction[i] = prediction[w->held_row[c->place[i]]];
  th_status rc = th_choice_add(&c->choice, TH_CANDIDATE_NET, task->mix, k, 1,
                               c->prediction, err);
  *enough = rc == TH_OK && th_choice_rises(&c->choice, PATIENCE);
  return rc;
}

/* Ready to watch a path, where that can be told and is worth it. Local; release
 * with `dismiss`. */
static th_status be_watched(struct task *task, struct candidates *seen,
                            struct th_error *err)
{
  const struct th_end_work *w = task->work;
  if (task->final || w->end->folds == 1 || task->fold == w->end->folds ||
      th_end_list_of(w, task->fold)->count * w->rows < MANY_VALUES)
    return TH_OK;
  th_status rc = invite(seen, w, task->fold, err);
  if (rc == TH_OK && th_choice_effective(&seen->choice) >= ENOUGH_ROWS)
    task->seen = seen;
  return rc;
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

/* What candidates are told of a point. Local. */
static void take_scores(const struct task *task, int64_t k,
                        const struct th_net_point *point)
{
  struct th_end_work *w = task->work;
  int64_t at = task->mix * TH_LAMBDAS + k;
  *path_points(w, task->mix, task->fold) = k + 1;
  if (task->fold == sizes_fold(w))
    w->size[at] = point->size;
  if (task->fold == w->end->folds)
    return;
  for (int64_t i = 0; i < w->held; i++)
    if (w->end->fold[w->held_row[i]] == task->fold)
      w->prediction[at * w->held + i] = point->prediction[w->held_row[i]];
}

/* Take what is needed of a point of a path. A path without a fold gives its
 * predictions of the fold, on the first rank of its team. A path that tells the
 * sizes of models gives the size. The final path gives the model. Local. */
static th_status take_point(void *self, int64_t k,
                            const struct th_net_point *point, bool *enough,
                            struct th_error *err)
{
  struct task *task = self;
  struct th_end_work *w = task->work;
  int64_t largest = w->context->config->sparsity;
  th_status rc = th_source_leave(w->context->source, err);
  if (rc != TH_OK)
    return rc;
  if (task->final) {
    bool fits = largest == 0 ? k + 1 == task->most : point->size <= largest;
    return fits ? keep_net(w, k, point, err) : TH_OK;
  }
  if (task->team->rank == 0)
    take_scores(task, k, point);
  if (w->end->folds > 1)
    return watch(task, k, point->prediction, enough, err);
  *enough = is_enough(task, point->prediction);
  return TH_OK;
}

/* Make a path. Collective over its team. */
static th_status run(struct task *task, struct th_error *err)
{
  struct th_end_work *w = task->work;
  const struct th_end_list *list = th_end_list_of(w, task->fold);
  struct candidates seen = {0};
  struct th_vector *columns = NULL;
  double *weight = NULL;
  th_status rc = th_end_pick(w, list, w->scaled, &columns, err);
  if (rc == TH_OK)
    rc = th_end_weigh(w, task->fold, &weight, err);
  if (rc == TH_OK)
    rc = be_watched(task, &seen, err);
  TH_TRY(th_agree(task->team, rc, err));
  const struct th_net_data data = {.comm = task->team,
                                   .rows = w->rows,
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
  dismiss(&seen);
  TH_FREE(columns, weight);
  return rc;
}

/* With folds, the next mix is tried on the first of them while this one is made
 * on the others. */
static bool tries_next(const struct th_end_work *w, int turn)
{
  return w->end->folds > 1 && turn < TH_MIXES;
}

/* The t-th path of a turn, if there are so many: the first one of mix `turn` if
 * that is tried, then those of the mix before that leave a fold out and have
 * not been made. Turns count from 1. */
static bool task_at(struct th_end_work *w, int turn, int64_t t,
                    struct task *task)
{
  bool tries = tries_next(w, turn);
  bool first = tries && t == 0;
  int64_t fold = t - tries + (w->end->folds > 1 && turn > 1);
  *task = (struct task){.work = w,
                        .fold = first ? 0 : fold,
                        .mix = first ? turn : turn - 1,
                        .most = w->lambdas,
                        .least = INFINITY};
  return task->fold < w->end->folds;
}

/* The first team with the least to do. load: of each team. */
static int least_busy(const int64_t *load, int teams)
{
  int least = 0;
  for (int r = 1; r < teams; r++)
    if (load[r] < load[least])
      least = r;
  return least;
}

/* How long a turn takes so many teams, of `each` ranks. load: work array. */
static double turn_time(struct th_end_work *w, int turn, int teams, int each,
                        int64_t *load)
{
  struct task task;
  int64_t most = 0;
  memset(load, 0, (size_t)teams * sizeof *load);
  for (int64_t t = 0; task_at(w, turn, t, &task); t++) {
    int team = least_busy(load, teams);
    load[team] += cost[task.mix];
    most = th_max_i64(most, load[team]);
  }
  return (double)most * (alike + (1 - alike) / each);
}

/* The most ranks that a path on the list of all rows is worth. */
static int largest_team(const struct th_end_work *w)
{
  const struct th_end_list *list = &w->list[w->end->folds];
  int64_t values = 0;
  for (int64_t k = 0; k < list->count; k++)
    values += w->scaled[th_end_list_find(&w->all, list->attribute[k])].items;
  return (int)th_min_i64(w->context->comm->size,
                         th_max_i64(1, values / LEAST_VALUES));
}

/* Teams that make the paths of a turn. */
struct teams {
  int count;
  int each; /* ranks of a team; the ranks that are left over wait */
};

/* Those that are done first; of equals as many as there are. */
static struct teams best_teams(struct th_end_work *w, int turn, int64_t *load)
{
  int ranks = w->context->comm->size;
  int largest = largest_team(w);
  struct teams best = {1, 1};
  struct task task;
  double least = INFINITY;
  for (int count = 1; count <= ranks && task_at(w, turn, count - 1, &task);
       count++) {
    int each = ranks / count < largest ? ranks / count : largest;
    double time = turn_time(w, turn, count, each, load);
    if (time <= least)
      best = (struct teams){count, each};
    least = fmin(least, time);
  }
  return best;
}

/* What all paths cost. */
static double all_paths(const struct th_end_work *w)
{
  double sum = 0;
  for (int m = 0; m < TH_MIXES; m++)
    sum += (double)cost[m] * (double)(sizes_fold(w) + 1);
  return sum;
}

/* One path more is made, or dealt to others. */
static void tell_path(struct th_end_work *w, int mix)
{
  w->paths++;
  w->done += (double)cost[mix];
  th_context_going(w->context, w->done / all_paths(w),
                   "path %lld of at most %lld", (long long)w->paths,
                   (long long)(TH_MIXES * (sizes_fold(w) + 1)));
}

/* Make the paths of a turn that are dealt to a team. load: zeros, for each
 * team. Collective over the team, of which this rank is one. */
static th_status run_dealt(struct th_end_work *w, int turn, int teams,
                           struct th_comm *team, int mine, int64_t *load,
                           struct th_error *err)
{
  struct task task;
  th_status rc = TH_OK;
  memset(load, 0, (size_t)teams * sizeof *load);
  for (int64_t t = 0; rc == TH_OK && task_at(w, turn, t, &task); t++) {
    int dealt = least_busy(load, teams);
    load[dealt] += cost[task.mix];
    task.team = team;
    if (dealt == mine)
      rc = run(&task, err);
    tell_path(w, task.mix);
  }
  return rc;
}

/* Make the paths of a turn, each by a team of ranks. Collective. */
static th_status run_turn(struct th_end_work *w, int turn, struct th_error *err)
{
  struct th_comm *comm = w->context->comm;
  struct th_comm team = {0};
  int64_t *load = NULL;
  th_status rc =
      TH_NEW(&load, comm->size, "the models compared at the end", err);
  TH_TRY(th_agree(comm, rc, err));
  struct teams teams = best_teams(w, turn, load);
  int mine = comm->rank / teams.each; /* from teams.count on: none is dealt */
  comm->ops->split(comm, mine, &team);
  rc = run_dealt(w, turn, teams.count, &team, mine, load, err);
  rc = th_agree(comm, rc, err);
  if (team.size > 1)
    th_comm_charge(comm, &team, &(struct th_comm){0});
  th_comm_free(&team);
done:
  free(load);
  return rc;
}

/* The sizes of the nets of a mix: the path on all rows, as far as those without
 * a fold have come. One team makes it; the other ranks wait. Collective. */
static th_status run_sizes(struct th_end_work *w, int mix, struct th_error *err)
{
  struct th_comm *comm = w->context->comm;
  struct th_comm team = {0};
  struct task task = {.work = w,
                      .team = &team,
                      .fold = w->end->folds,
                      .mix = mix,
                      .most = points_of(w, mix, w->end->folds)};
  bool mine = comm->rank < largest_team(w);
  comm->ops->split(comm, mine ? 0 : 1, &team);
  th_status rc = mine ? run(&task, err) : TH_OK;
  rc = th_agree(comm, rc, err);
  if (team.size > 1)
    th_comm_charge(comm, &team, &(struct th_comm){0});
  th_comm_free(&team);
  comm->ops->sum_i64(comm, path_points(w, mix, w->end->folds), 1);
  comm->ops->sum_i64(comm, w->size + (int64_t)mix * TH_LAMBDAS, TH_LAMBDAS);
  tell_path(w, mix);
  return rc;
}

/* Forget what a mix gave on this rank. */
static void clear_mix(struct th_end_work *w, int mix)
{
  int64_t net = mix * TH_LAMBDAS;
  size_t predictions = (size_t)(TH_LAMBDAS * w->held);
  size_t paths = (size_t)(w->end->folds + 1);
  memset(w->prediction + net * w->held, 0, predictions * sizeof *w->prediction);
  memset(path_points(w, mix, 0), 0, paths * sizeof *w->points);
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
  comm->ops->sum_i64(comm, path_points(w, mix, 0), (size_t)(w->end->folds + 1));
  comm->ops->sum_i64(comm, w->size + net, TH_LAMBDAS);
}

/* Complete a mix and, with folds, try the next one on the first of them.
 * *goes_on: the mix after that which was tried last is promising. Collective.
 */
static th_status take_turn(struct th_end_work *w, int turn, bool *goes_on,
                           struct th_error *err)
{
  struct th_comm *comm = w->context->comm;
  bool tries = tries_next(w, turn);
  th_status rc;
  if (w->end->folds > 1 && turn > 1 && comm->rank != 0)
    clear_mix(w, turn - 1); /* its first path is shared: one rank keeps it */
  th_comm_profile_begin(w->context->profile);
  rc = run_turn(w, turn, err);
  if (rc == TH_OK)
    share_mix(w, turn - 1);
  if (rc == TH_OK && tries)
    share_mix(w, turn);
  if (rc == TH_OK && w->end->folds > 1)
    rc = run_sizes(w, turn - 1, err);
  th_comm_profile_end(w->context->profile, TH_PHASE_SOLVE);
  *goes_on = rc == TH_OK && turn < TH_MIXES;
  if (!*goes_on)
    return rc;
  return th_agree(comm, end_goes_on(w, tries ? turn : turn - 1, goes_on, err),
                  err);
}

/* Mixes with less of norm1 have more attributes, and take the most time. A mix
 * whose first path is far behind that of the mix before is left out, and so are
 * those behind it. */
static th_status end_nets(struct th_end_work *w, int64_t lambdas,
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
  TH_TRY(make_grid(w, err));
  goes_on = w->lambda[0][0] > 0;
  for (int turn = 1; turn <= TH_MIXES && goes_on; turn++)
    TH_TRY(take_turn(w, turn, &goes_on, err));
done:
  return rc;
}

/* Fit the chosen net again, to the precision of its reported loss: all ranks
 * together, or each by itself where that is not worth it. Collective. */
static th_status end_net_final(struct th_end_work *w, int64_t mix, int64_t step,
                               struct th_error *err)
{
  struct th_comm *comm = w->context->comm;
  struct th_comm alone;
  th_comm_self(&alone);
  struct task task = {.work = w,
                      .team = largest_team(w) < comm->size ? &alone : comm,
                      .fold = w->end->folds,
                      .mix = (int)mix,
                      .most = step + 1,
                      .final = true};
  return th_agree(comm, run(&task, err), err);
}

/* --- The model ------------------------------------------------------------ */

/* Coefficients of columns become those of (x - centre) scale, and the support.
 * Entries of sparse data had no centre. Collective. */
static th_status publish(struct th_end_work *w,
                         const struct th_end_model *model,
                         const struct th_end_list *list,
                         const struct th_vector *vector,
                         struct th_support *support, struct th_error *err)
{
  struct th_index_value *members = NULL;
  double intercept = model->intercept;
  th_status rc = TH_NEW(&members, model->size, "the support", err);
  TH_TRY(th_agree(w->context->comm, rc, err));
  for (int64_t k = 0; k < model->size; k++) {
    int64_t attribute = list->attribute[model->place[k]];
    int64_t at = th_end_list_find(&w->all, attribute);
    double unit = vector[at].scale / w->plain[at].scale;
    members[k] = (struct th_index_value){attribute, model->coef[k] * unit};
  }
  TH_TRY(th_support_assign(support, w->context, members, model->size, err));
  bool centred =
      w->columns.count > 0 && w->columns.vector[0].form != TH_VECTOR_ENTRIES;
  for (int64_t k = 0; k < support->size && !centred; k++)
    intercept += support->coef[k] * support->centre[k] * support->scale[k];
  support->intercept = intercept;
done:
  free(members);
  return rc;
}

/* Collective. */
static th_status finish(struct th_end_work *w,
                        const struct th_candidate *chosen,
                        struct th_support *support, struct th_error *err)
{
  const struct th_end_model null = {.intercept = w->context->target.offset};
  const struct th_end_list members = {support->size, support->attribute};
  th_status rc = TH_OK;
  if (chosen->kind == TH_CANDIDATE_NULL)
    return publish(w, &null, &members, w->plain, support, err);
  if (chosen->kind == TH_CANDIDATE_STRICT)
    return publish(w, &w->best, th_end_members(w, &members), w->plain, support,
                   err);
  TH_TRY(end_net_final(w, chosen->mix, chosen->step, err));
  TH_TRY(publish(w, &w->net, &w->list[w->end->folds], w->scaled, support, err));
  th_support_drop_dust(support);
  w->end->ending.size = support->size;
  w->end->ending.lambda = w->lambda[chosen->mix][w->net_step];
done:
  return rc;
}

/* Tell the user if the choice lies at a limit of its grid. */
static void tell_limits(const struct th_end_work *w)
{
  const struct th_candidate *chosen = &w->end->chosen;
  const struct th_shape *shape = th_source_shape(w->context->source);
  int64_t seen = w->list[w->end->folds].count;
  if (chosen->kind != TH_CANDIDATE_NET || seen == shape->attributes)
    return;
  if (2 * chosen->size > seen || w->at_end)
    th_context_notice(w->context,
                      "the net uses %lld of the %lld attributes that the "
                      "budget let it see. A larger budget may predict better",
                      (long long)chosen->size, (long long)seen);
}

static void release(struct th_end_work *w)
{
  for (int64_t f = 0; w->list != NULL && f <= w->end->folds; f++)
    th_end_list_free(&w->list[f]);
  th_end_model_free(&w->net);
  for (int m = 0; m < TH_MIXES; m++)
    free(w->lambda[m]);
  th_end_model_free(&w->best);
  th_end_list_free(&w->all);
  th_replicated_columns_free(&w->columns);
  TH_FREE(w->list, w->target, w->weight, w->scale, w->factor, w->plain,
          w->scaled, w->held_row, w->prediction, w->strict, w->null, w->points);
}

th_status th_end_run(struct th_end *end, struct th_context *context,
                     struct th_marginal *scores,
                     const struct th_end_known *known,
                     struct th_support *support, struct th_error *err)
{
  struct th_end_work *w = NULL;
  th_status rc = TH_NEW(&w, 1, "the models compared at the end", err);
  if (rc == TH_OK) {
    w->end = end;
    w->context = context;
    w->known = known;
    w->rows = end->rows;
    rc = th_end_rows_reserve(w, err);
  }
  TH_TRY(th_agree(context->comm, rc, err));
  TH_TRY(th_end_rows_fetch_lists(w, scores, support, err));
  if (w->blind == NULL)
    TH_TRY(th_end_strict(w, support, err));
  if (w->blind != NULL) {
    /* nothing guards a strict support of the list against chance here */
    end->chosen = (struct th_candidate){.kind = TH_CANDIDATE_NULL};
    end->ending = end_note(w, TH_ENDING_BLIND);
    th_context_notice(context,
                      "the model is empty, since predictions cannot choose "
                      "one: %s. {select} truth keeps what stands out beyond "
                      "doubt",
                      w->blind);
  } else {
    TH_TRY(end_nets(w, TH_USUAL_LAMBDAS, err));
    TH_TRY(th_agree(context->comm, end_choose(w, err), err));
    /* on large data this is dear, and no better */
    if (w->at_end && end->folds > 1) {
      TH_TRY(end_nets(w, TH_LAMBDAS, err));
      TH_TRY(th_agree(context->comm, end_choose(w, err), err));
    }
    tell_limits(w);
  }
  TH_TRY(finish(w, &end->chosen, support, err));
done:
  if (w != NULL)
    release(w);
  free(w);
  return rc;
}
