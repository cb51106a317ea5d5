/* end_nets.c - elastic nets on the list of an end that predicts
 *
 * Paths that can be made at the same time are dealt to teams of ranks. The
 * ranks of a team make a path together (solvers/exact/net.h).
 * SPDX-License-Identifier: MIT */
#include "base/elementary.h"
#include "base/memory.h"
#include "solvers/exact/net.h"
#include "solvers/predict/end.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
  int64_t most;  /* lambdas */
  bool final;    /* only the last one's model is wanted */
  double least;  /* loss on the part that was held out, so far */
  int64_t since; /* lambdas since then */
  /* its nets, where the rows of its fold can tell that smaller lambdas are
   * worse; NULL: they cannot */
  struct th_end_candidates *seen;
};

/* Of a path of a mix, roughly, over one of the first. */
static int64_t path_cost(int mix)
{
  if (mix == 0)
    return 1;
  return mix == 1 ? 3 : 10;
}

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
  th_status rc = th_end_rows_pick(w, list, w->scaled, &columns, err);
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
    fill_grid(w->lambda[m], largest / th_end_mix[m], span);
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
static th_status see_point(struct task *task, int64_t k,
                           const double *prediction, bool *enough,
                           struct th_error *err)
{
  const struct th_end_work *w = task->work;
  struct th_end_candidates *c = task->seen;
  if (c == NULL)
    return TH_OK;
  for (int64_t i = 0; i < c->choice.rows; i++)
    c->prediction[i] = prediction[w->held_row[c->place[i]]];
  th_status rc = th_choice_add(&c->choice, TH_CANDIDATE_NET, task->mix, k, 1,
                               c->prediction, err);
  *enough = rc == TH_OK && th_choice_rises(&c->choice, PATIENCE);
  if (*enough && task->team->rank == 0)
    task->work->made.cut[task->mix]++;
  return rc;
}

/* Ready to watch a path, where that can be told and is worth it. Local; release
 * with `dismiss`. */
static th_status be_watched(struct task *task, struct th_end_candidates *seen,
                            struct th_error *err)
{
  const struct th_end_work *w = task->work;
  if (w->made.whole || task->final || w->end->folds == 1 ||
      task->fold == w->end->folds || !th_end_candidates_are_dear(w, task->fold))
    return TH_OK;
  th_status rc = th_end_candidates_invite(seen, w, task->fold, err);
  if (rc == TH_OK && th_end_candidates_can_tell(seen))
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
  th_status rc = th_end_rows_reserve_model(model, point->size, err);
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
  *th_end_path_points(w, task->mix, task->fold) = k + 1;
  if (task->fold == th_end_sizes_fold(w))
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
    /* on all rows, a path may end before: the labels are explained */
    bool fits = largest == 0 || point->size <= largest;
    return fits ? keep_net(w, k, point, err) : TH_OK;
  }
  if (task->team->rank == 0)
    take_scores(task, k, point);
  if (w->end->folds > 1)
    return see_point(task, k, point->prediction, enough, err);
  *enough = is_enough(task, point->prediction);
  return TH_OK;
}

/* Make a path. Collective over its team. */
static th_status run(struct task *task, struct th_error *err)
{
  struct th_end_work *w = task->work;
  const struct th_end_list *list = th_end_list_of(w, task->fold);
  struct th_end_candidates seen = {0};
  struct th_vector *columns = NULL;
  double *weight = NULL;
  th_status rc = th_end_rows_pick(w, list, w->scaled, &columns, err);
  if (rc == TH_OK)
    rc = th_end_rows_weigh(w, task->fold, &weight, err);
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
  rc = th_net_path(&data, th_end_mix[task->mix], w->lambda[task->mix],
                   task->most, take_point, task, err);
done:
  task->seen = NULL;
  th_end_candidates_dismiss(&seen);
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
 * not been made. Turns count from 1; turn -m is all of mix m. */
static bool task_at(struct th_end_work *w, int turn, int64_t t,
                    struct task *task)
{
  bool tries = turn > 0 && tries_next(w, turn);
  bool first = tries && t == 0;
  int64_t made = 0;
  if (turn == 1 && w->made.first)
    made = w->end->folds;
  else if (turn > 1 && w->end->folds > 1)
    made = 1;
  *task = (struct task){.work = w,
                        .fold = first ? 0 : t - tries + made,
                        .mix = first      ? turn
                               : turn > 0 ? turn - 1
                                          : -turn,
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
    load[team] += path_cost(task.mix);
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

/* How many paths there are, and what they cost. units: how many of them are
 * tried. */
static void expect(struct th_end_work *w, int units)
{
  int64_t paths = th_end_sizes_fold(w) + 1;
  int64_t more = (units - 1) * w->end->folds;
  w->made.most = TH_MIXES * paths + more;
  w->made.all = (double)(path_cost(0) * more);
  for (int m = 0; m < TH_MIXES; m++)
    w->made.all += (double)(path_cost(m) * paths);
}

/* One path more is made, or dealt to others. */
static void tell_made(struct th_end_work *w, int mix)
{
  struct th_end_made *made = &w->made;
  made->paths++;
  made->cost += (double)path_cost(mix);
  th_context_going(w->context, fmin(1, made->cost / made->all),
                   "path %lld of at most %lld", (long long)made->paths,
                   (long long)th_max_i64(made->most, made->paths));
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
    load[dealt] += path_cost(task.mix);
    task.team = team;
    if (dealt == mine)
      rc = run(&task, err);
    tell_made(w, task.mix);
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

/* Make a path by the ranks of this colour; those of colour -1 wait. Collective.
 */
static th_status run_by(struct task *task, int colour, struct th_error *err)
{
  struct th_comm *comm = task->work->context->comm;
  struct th_comm team = {0};
  comm->ops->split(comm, colour + 1, &team);
  task->team = &team;
  th_status rc = colour < 0 ? TH_OK : run(task, err);
  rc = th_agree(comm, rc, err);
  if (team.size > 1)
    th_comm_charge(comm, &team, &(struct th_comm){0});
  task->team = NULL;
  th_comm_free(&team);
  return rc;
}

/* The sizes of the nets of a mix: the path on all rows, as far as those without
 * a fold have come. Collective. */
static th_status run_sizes(struct th_end_work *w, int mix, struct th_error *err)
{
  struct th_comm *comm = w->context->comm;
  struct task task = {.work = w,
                      .fold = w->end->folds,
                      .mix = mix,
                      .most = th_end_candidates_points(w, mix, w->end->folds)};
  th_status rc = run_by(&task, comm->rank < largest_team(w) ? 0 : -1, err);
  comm->ops->sum_i64(comm, th_end_path_points(w, mix, w->end->folds), 1);
  comm->ops->sum_i64(comm, w->size + (int64_t)mix * TH_LAMBDAS, TH_LAMBDAS);
  tell_made(w, mix);
  return rc;
}

/* Forget what a mix gave on this rank. */
static void clear_mix(struct th_end_work *w, int mix)
{
  int64_t net = mix * TH_LAMBDAS;
  size_t predictions = (size_t)(TH_LAMBDAS * w->held);
  size_t paths = (size_t)(w->end->folds + 1);
  memset(w->prediction + net * w->held, 0, predictions * sizeof *w->prediction);
  memset(th_end_path_points(w, mix, 0), 0, paths * sizeof *w->points);
  memset(w->size + net, 0, TH_LAMBDAS * sizeof *w->size);
  w->made.cut[mix] = 0;
}

/* Each number comes from one rank, and the others have zeros, so that a sum
 * shares it. Collective. */
static void share_mix(struct th_end_work *w, int mix)
{
  struct th_comm *comm = w->context->comm;
  int64_t net = mix * TH_LAMBDAS;
  th_comm_share_numbers(comm, w->prediction + net * w->held,
                        (size_t)(TH_LAMBDAS * w->held));
  comm->ops->sum_i64(comm, th_end_path_points(w, mix, 0),
                     (size_t)(w->end->folds + 1));
  comm->ops->sum_i64(comm, w->size + net, TH_LAMBDAS);
  comm->ops->sum_i64(comm, &w->made.cut[mix], 1);
}

/* *falls: at the last lambda that all paths of a mix have, its nets are not
 * worse beyond doubt than at one before. Local. */
static th_status look_back(const struct th_end_work *w, int mix, bool *falls,
                           struct th_error *err)
{
  struct th_end_candidates c = {0};
  int64_t points = th_end_candidates_points(w, mix, w->end->folds);
  th_status rc;
  TH_TRY(th_end_candidates_invite(&c, w, -1, err));
  TH_TRY(th_end_candidates_add_nets(&c, w, mix, points, false, err));
  *falls = !th_choice_rises(&c.choice, 1);
done:
  th_end_candidates_dismiss(&c);
  return rc;
}

/* What one fold shows is not what all show, where folds differ: sites, say. A
 * mix some of whose paths were cut short is made again, whole, if the examples
 * of all folds together do not show the same. Collective. */
static th_status make_whole(struct th_end_work *w, int mix,
                            struct th_error *err)
{
  bool falls = false;
  th_status rc = TH_OK;
  if (w->made.cut[mix] == 0)
    return rc;
  TH_TRY(th_agree(w->context->comm, look_back(w, mix, &falls, err), err));
  if (!falls)
    return rc;
  clear_mix(w, mix);
  w->made.whole = true;
  rc = run_turn(w, -mix, err);
  w->made.whole = false;
  if (rc == TH_OK)
    share_mix(w, mix);
done:
  return rc;
}

/* --- The unit in which attributes are penalised --------------------------- */

/* Copy what a mix gave to the place of another one. */
static void copy_mix(struct th_end_work *w, int from, int to)
{
  size_t predictions = (size_t)(TH_LAMBDAS * w->held);
  size_t paths = (size_t)(w->end->folds + 1);
  memcpy(w->prediction + (int64_t)to * TH_LAMBDAS * w->held,
         w->prediction + (int64_t)from * TH_LAMBDAS * w->held,
         predictions * sizeof *w->prediction);
  memcpy(th_end_path_points(w, to, 0), th_end_path_points(w, from, 0),
         paths * sizeof *w->points);
  memcpy(w->size + (int64_t)to * TH_LAMBDAS,
         w->size + (int64_t)from * TH_LAMBDAS, TH_LAMBDAS * sizeof *w->size);
  w->made.cut[to] = w->made.cut[from];
}

/* The paths of the first mix without each fold, by one of the units.
 * Collective. */
static th_status run_unit(struct th_end_work *w, enum th_end_unit unit,
                          struct th_error *err)
{
  th_status rc;
  th_end_rows_take_unit(w, unit);
  clear_mix(w, 0);
  TH_TRY(make_grid(w, err));
  if (w->lambda[0][0] > 0)
    TH_TRY(run_turn(w, 0, err));
  share_mix(w, 0);
  rc = make_whole(w, 0, err);
done:
  return rc;
}

/* *worth: another unit makes a difference, and the examples that choose can
 * tell. With a limit to attributes, nets of any size would tell. Local. */
static th_status is_worth(const struct th_end_work *w, bool *worth,
                          struct th_error *err)
{
  struct th_end_candidates c = {0};
  *worth = false;
  if (w->context->config->sparsity > 0 || !th_end_rows_units_differ(w))
    return TH_OK;
  th_status rc = th_end_candidates_invite(&c, w, -1, err);
  *worth = rc == TH_OK && th_end_candidates_can_tell(&c);
  th_end_candidates_dismiss(&c);
  return rc;
}

/* *ahead: of the nets of the first mix, the best by deviations, which lie in
 * its place, is better than the best by the usual unit, in the place of the
 * second, beyond doubt. Local. */
static th_status compare_units(const struct th_end_work *w, bool *ahead,
                               struct th_error *err)
{
  struct th_end_candidates c = {0};
  th_status rc;
  *ahead = false;
  TH_TRY(th_end_candidates_invite(&c, w, -1, err));
  for (int m = 0; m < 2; m++)
    TH_TRY(th_end_candidates_add_nets(
        &c, w, m, th_end_candidates_points(w, m, w->end->folds), false, err));
  *ahead = th_choice_ahead(&c.choice, 0, 1);
done:
  th_end_candidates_dismiss(&c);
  return rc;
}

/* Choose the unit, where that makes a difference, by the nets of the first mix;
 * the paths of the one that is chosen are made then. Collective. */
static th_status choose_unit(struct th_end_work *w, struct th_error *err)
{
  bool ahead = false;
  th_status rc;
  TH_TRY(run_unit(w, TH_UNIT_REACH, err));
  copy_mix(w, 0, 1);
  TH_TRY(run_unit(w, TH_UNIT_DEVIATION, err));
  TH_TRY(th_agree(w->context->comm, compare_units(w, &ahead, err), err));
  if (!ahead) {
    th_end_rows_take_unit(w, TH_UNIT_REACH);
    copy_mix(w, 1, 0);
    TH_TRY(make_grid(w, err));
  }
  clear_mix(w, 1);
  w->made.first = true;
done:
  return rc;
}

/* --- All paths ------------------------------------------------------------ */

/* Complete a mix and, with folds, try the next one on the first of them.
 * *goes_on: the mix after that which was tried last is promising. Collective.
 */
static th_status take_turn(struct th_end_work *w, int turn, bool *goes_on,
                           struct th_error *err)
{
  struct th_comm *comm = w->context->comm;
  bool tries = tries_next(w, turn);
  th_status rc;
  bool shared = turn > 1 ? w->end->folds > 1 : w->made.first;
  if (shared && comm->rank != 0)
    clear_mix(w, turn - 1); /* what is shared of it, one rank keeps */
  th_comm_profile_begin(w->context->profile);
  rc = run_turn(w, turn, err);
  if (rc == TH_OK)
    share_mix(w, turn - 1);
  if (rc == TH_OK && tries)
    share_mix(w, turn);
  if (rc == TH_OK)
    rc = make_whole(w, turn - 1, err);
  if (rc == TH_OK && w->end->folds > 1)
    rc = run_sizes(w, turn - 1, err);
  th_comm_profile_end(w->context->profile, TH_PHASE_SOLVE);
  *goes_on = rc == TH_OK && turn < TH_MIXES;
  if (!*goes_on)
    return rc;
  return th_agree(
      comm, th_end_candidates_go_on(w, tries ? turn : turn - 1, goes_on, err),
      err);
}

th_status th_end_nets(struct th_end_work *w, int64_t lambdas,
                      struct th_error *err)
{
  bool again = w->made.first; /* with more lambdas: the unit stays */
  bool goes_on = true;
  bool worth = false;
  th_status rc;
  w->lambdas = lambdas;
  w->made = (struct th_end_made){0};
  th_context_part(w->context, true);
  for (int mix = 0; mix < TH_MIXES; mix++)
    clear_mix(w, mix);
  TH_TRY(make_grid(w, err));
  goes_on = w->lambda[0][0] > 0;
  if (goes_on && !again)
    TH_TRY(th_agree(w->context->comm, is_worth(w, &worth, err), err));
  expect(w, worth ? TH_UNITS : 1);
  if (worth) {
    th_comm_profile_begin(w->context->profile);
    rc = choose_unit(w, err);
    th_comm_profile_end(w->context->profile, TH_PHASE_SOLVE);
    TH_TRY(rc);
  }
  for (int turn = 1; turn <= TH_MIXES && goes_on; turn++)
    TH_TRY(take_turn(w, turn, &goes_on, err));
done:
  return rc;
}

th_status th_end_nets_final(struct th_end_work *w, int64_t mix, int64_t step,
                            struct th_error *err)
{
  struct th_comm *comm = w->context->comm;
  bool together = largest_team(w) == comm->size;
  struct task task = {.work = w,
                      .fold = w->end->folds,
                      .mix = (int)mix,
                      .most = step + 1,
                      .final = true};
  th_status rc = run_by(&task, together ? 0 : comm->rank, err);
  /* on all rows the path may end before: its last net is made exactly, too */
  if (rc != TH_OK || w->context->config->sparsity > 0 || w->net_step == step)
    return rc;
  task.most = w->net_step + 1;
  return run_by(&task, together ? 0 : comm->rank, err);
}
