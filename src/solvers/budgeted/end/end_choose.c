/* end_choose.c - the candidates of an end, and which of them is taken
 * SPDX-License-Identifier: MIT */
#include "core/integer.h"
#include "core/memory.h"
#include "solvers/budgeted/end/end_parts.h"

#include <stdlib.h>

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
  th_choice_count(&c->choice, th_end_effective(c->weight, equal, rows));
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

/* Lambdas at which all paths of a mix have a model. */
static int64_t points_of(const struct th_end_work *w, int mix)
{
  int64_t least = TH_LAMBDAS;
  for (int64_t f = 0; f <= th_end_sizes(w); f++)
    least = th_min_i64(least, *th_end_points(w, mix, f));
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
    TH_TRY(add_nets(c, w, m, points_of(w, m), true, err));
done:
  return rc;
}

struct th_ending th_end_note(const struct th_end_work *w,
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
static void note(const struct th_end_work *w, const struct th_choice *choice,
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
  *e = th_end_note(w, kinds[chosen->kind]);
  e->size = chosen->size;
  e->mix = net ? th_end_mix(chosen->mix) : 0;
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

th_status th_end_choose(struct th_end_work *w, struct th_error *err)
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
  note(w, &c.choice, &made);
done:
  dismiss(&c);
  return rc;
}

th_status th_end_goes_on(const struct th_end_work *w, int mix, bool *goes_on,
                         struct th_error *err)
{
  struct candidates c = {0};
  th_status rc = TH_OK;
  *goes_on = true;
  if (th_end_list_of(w, 0)->count * w->rows < MANY_VALUES)
    return rc;
  TH_TRY(invite(&c, w, 0, err));
  TH_TRY(add_one(&c, TH_CANDIDATE_NULL, 0, w->null, err));
  for (int m = mix - 1; m <= mix; m++)
    TH_TRY(add_nets(&c, w, m, *th_end_points(w, m, 0), false, err));
  *goes_on = th_choice_effective(&c.choice) < ENOUGH_ROWS ||
             !th_choice_trails(&c.choice, mix, mix - 1);
done:
  dismiss(&c);
  return rc;
}
