/* omp_folds.c - how many attributes predict best: examples held out in turn
 * SPDX-License-Identifier: MIT */
#include "solvers/greedy/omp_folds.h"

#include "core/integer.h"
#include "core/memory.h"
#include "solvers/data/folds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So many sizes without a gain end the paths: these, or half of the best. */
enum { STRIKES = 8 };

static const double gain = 1e-4; /* relative decrease that counts */

static struct th_context *context_of(const struct th_pursuit_data *data)
{
  return data->problem->context;
}

/* Whether the examples outside of fold f have both labels, or numbers. */
static bool has_both(const struct th_omp_folds *folds,
                     const struct th_problem *p, int64_t f)
{
  bool found[2] = {false};
  for (int64_t i = 0; i < p->rows; i++)
    if (folds->fold[i] != f && p->eta[i] > 0)
      found[p->target[i] > 0] = true;
  return !p->loss->labels || (found[0] && found[1]);
}

/* Examples in random order, dealt to the folds in turn; each class by itself,
 * if chance would put one into a single fold. Local. */
static th_status deal_folds(struct th_omp_folds *folds,
                            const struct th_pursuit_data *data,
                            struct th_error *err)
{
  const struct th_problem *p = data->problem;
  struct th_folds_rows given = {
      .rows = p->rows, .target = p->target, .weight = p->eta};
  int64_t *twin = NULL;
  th_status rc = TH_NEW(&twin, p->rows, "folds", err);
  if (rc != TH_OK)
    return rc;
  th_folds_twins(th_source_twins(p->context->source), p->rows, twin);
  given.twin = twin;
  th_folds_make(&given, p->context->config->seed, folds->count, folds->fold);
  for (int64_t f = 0; f < folds->count && !given.labels; f++)
    given.labels = !has_both(folds, p, f);
  if (given.labels)
    th_folds_make(&given, p->context->config->seed, folds->count, folds->fold);
  free(twin);
  return rc;
}

/* The units that are held out for other solvers, too. */
static void hold_out(struct th_omp_folds *folds, const struct th_deal *deal,
                     int64_t rows)
{
  memset(folds->fold, (int)folds->count, (size_t)rows);
  for (int64_t k = 0; k < th_deal_validation_units(deal); k++) {
    struct th_rows unit = th_deal_validation_unit(deal, k);
    memset(folds->fold + unit.first, 0, (size_t)unit.count);
  }
}

/* The loss on what is held out, at the present size. Local, replicated. */
static th_status judge(struct th_omp_folds *folds, struct th_error *err)
{
  const struct th_problem *p = folds->path->data.problem;
  double sum = 0;
  double total = 0;
  th_status rc =
      TH_GROW(&folds->loss, &folds->room, folds->sizes + 1, "losses", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t i = 0; i < p->rows; i++) {
    if (folds->fold[i] == folds->count || !(p->eta[i] > 0))
      continue;
    const struct th_pursuit *path = &folds->path[folds->fold[i]];
    sum += p->eta[i] * th_loss_f(p->loss, path->prediction[i], p->target[i]);
    total += p->eta[i];
  }
  double loss = total > 0 ? sum / total : INFINITY;
  double least = folds->sizes > 0 ? folds->loss[folds->best] : INFINITY;
  if (loss < least * (1 - gain) || folds->sizes == 0)
    folds->best = folds->sizes;
  folds->loss[folds->sizes++] = loss;
  return TH_OK;
}

/* Begin the path without fold f. Collective. */
static th_status begin_path(struct th_omp_folds *folds, int64_t f,
                            const struct th_pursuit_data *data, double *weight,
                            struct th_error *err)
{
  const struct th_problem *p = data->problem;
  bool any = false;
  for (int64_t i = 0; i < p->rows; i++) {
    weight[i] = folds->fold[i] == f ? 0 : p->eta[i];
    any = any || weight[i] > 0;
  }
  th_status rc = TH_OK;
  if (any && p->intercept && !has_both(folds, p, f))
    rc = th_fail(err, TH_EDATA,
                 "a class has too few examples to choose by folds how many "
                 "attributes predict best: they are all held out at once. Give "
                 "{sparsity}, or more examples of that class");
  else if (any)
    rc = th_pursuit_init(&folds->path[f], data, weight, err);
  else
    rc = th_fail(err, TH_EDATA,
                 "without the examples that are held out, no example has a "
                 "weight above 0; give {sparsity}");
  return rc;
}

th_status th_omp_folds_init(struct th_omp_folds *folds, int64_t count,
                            const struct th_pursuit_data *data,
                            struct th_error *err)
{
  struct th_context *context = context_of(data);
  int64_t rows = data->problem->rows;
  double *weight = NULL;
  *folds = (struct th_omp_folds){.count = count};
  if (count == 0)
    return TH_OK;
  th_status rc = TH_NEW(&folds->fold, rows, "folds", err);
  if (rc == TH_OK)
    rc = TH_NEW(&folds->path, count, "folds", err);
  if (rc == TH_OK)
    rc = TH_NEW(&weight, rows, "weights", err);
  TH_TRY(th_agree(context->comm, rc, err));
  if (count > 1)
    rc = deal_folds(folds, data, err);
  else
    hold_out(folds, &context->deal, rows);
  TH_TRY(th_agree(context->comm, rc, err));
  for (int64_t f = 0; f < count; f++)
    TH_TRY(begin_path(folds, f, data, weight, err));
  TH_TRY(th_agree(context->comm, judge(folds, err), err));
done:
  TH_FREE(weight);
  return rc;
}

void th_omp_folds_free(struct th_omp_folds *folds)
{
  for (int64_t f = 0; f < folds->count && folds->path != NULL; f++)
    th_pursuit_free(&folds->path[f]);
  TH_FREE(folds->fold, folds->path, folds->loss);
  *folds = (struct th_omp_folds){0};
}

/* Whether nothing has been gained for long, or all paths are at their end. */
static bool has_ended(const struct th_omp_folds *folds, int64_t most)
{
  int64_t last = folds->sizes - 1;
  int64_t patience = th_max_i64(STRIKES, folds->best / 2);
  bool all = true;
  for (int64_t f = 0; f < folds->count; f++)
    all = all && folds->path[f].ended;
  return all || last >= most || last - folds->best >= patience;
}

th_status th_omp_folds_extend(struct th_omp_folds *folds, int64_t most,
                              struct th_error *err)
{
  struct th_context *context = context_of(&folds->path->data);
  th_status rc;
  TH_TRY(th_pursuit_extend(folds->path, folds->count, most, err));
  TH_TRY(th_agree(context->comm, judge(folds, err), err));
  folds->ended = has_ended(folds, most);
  for (int64_t f = 0; f < folds->count && folds->ended; f++)
    th_forecast_free(&folds->path[f].forecast);
done:
  return rc;
}

void th_omp_folds_describe(struct th_omp_folds *folds, struct th_state *state)
{
  char name[32];
  struct th_state_growing loss = {"loss", TH_STATE_F64, 1,
                                  (void **)&folds->loss, &folds->room};
  th_state_enter(state, "folds");
  TH_STATE_ONE(state, folds, sizes);
  th_state_grow(state, loss, folds->sizes);
  TH_STATE_AT_MOST(state, folds, best, folds->sizes);
  TH_STATE_ONE(state, folds, ended);
  if (th_state_puts(state) && th_state_good(state) && folds->count == 0 &&
      !folds->ended)
    th_state_note(state, th_fail(state->err, TH_EFORMAT,
                                 "the state goes on with folds of which there "
                                 "are none"));
  for (int64_t f = 0; f < folds->count; f++) {
    snprintf(name, sizeof name, "fold%lld", (long long)f);
    th_state_enter(state, name);
    th_pursuit_describe(&folds->path[f], state);
    th_state_leave(state);
  }
  th_state_leave(state);
}
