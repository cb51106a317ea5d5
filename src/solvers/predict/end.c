/* end.c - an end that predicts: candidates on a list, chosen on rows that no
 * step has seen
 * SPDX-License-Identifier: MIT */
#include "solvers/predict/end.h"

#include "base/integer.h"
#include "base/memory.h"
#include "solvers/access/replicated_columns.h"
#include "solvers/exact/net.h"
#include "solvers/predict/end_list.h"

#include <stdlib.h>

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
  e->mix = net ? th_end_nets_mix(chosen->mix) : 0;
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

/* ---- the model ---- */

/* Rank 0 fits the net and tells the others. Collective. */
static th_status share_net(struct th_end_work *w, int64_t mix, int64_t step,
                           struct th_error *err)
{
  struct th_comm *comm = w->context->comm;
  struct th_end_model *model = &w->net;
  const int root = 0;
  th_status rc = TH_OK;
  if (comm->rank == root)
    rc = th_end_net_final(w, mix, step, err);
  TH_TRY(th_agree(comm, rc, err));
  int64_t size = comm->rank == root ? model->size : 0;
  comm->ops->bcast(comm, &size, sizeof size, root);
  comm->ops->bcast(comm, &w->net_step, sizeof w->net_step, root);
  if (comm->rank != root)
    rc = th_end_model_reserve(model, size, err);
  TH_TRY(th_agree(comm, rc, err));
  comm->ops->bcast(comm, model->place, (size_t)size * sizeof *model->place,
                   root);
  comm->ops->bcast(comm, model->coef, (size_t)size * sizeof *model->coef, root);
  comm->ops->bcast(comm, &model->intercept, sizeof model->intercept, root);
done:
  return rc;
}

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
  TH_TRY(share_net(w, chosen->mix, chosen->step, err));
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
    TH_TRY(th_end_nets(w, TH_USUAL_LAMBDAS, err));
    TH_TRY(th_agree(context->comm, end_choose(w, err), err));
    /* on large data this is dear, and no better */
    if (w->at_end && end->folds > 1) {
      TH_TRY(th_end_nets(w, TH_LAMBDAS, err));
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
