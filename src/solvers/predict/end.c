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

/* Local. */
static th_status add_all(struct th_end_candidates *c,
                         const struct th_end_work *w, struct th_error *err)
{
  th_status rc;
  TH_TRY(th_end_candidates_add(c, TH_CANDIDATE_NULL, 0, w->null, err));
  TH_TRY(th_end_candidates_add(c, TH_CANDIDATE_STRICT, w->best.size, w->strict,
                               err));
  for (int m = 0; m < TH_MIXES; m++)
    TH_TRY(th_end_candidates_add_nets(
        c, w, m, th_end_candidates_points(w, m, th_end_sizes_fold(w) + 1), true,
        err));
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
  e->mix = net ? th_end_mix[chosen->mix] : 0;
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
  struct th_end_candidates c = {0};
  struct th_chosen made;
  th_status rc;
  TH_TRY(th_end_candidates_invite(&c, w, -1, err));
  TH_TRY(add_all(&c, w, err));
  TH_TRY(th_choice_make(&c.choice, least_gain(w), &made, err));
  w->end->chosen = c.choice.candidate[made.chosen];
  const struct th_candidate *best = &c.choice.candidate[made.best];
  w->at_end = best->kind == TH_CANDIDATE_NET && best->step == w->lambdas - 1;
  note_candidates(w, &c.choice, &made);
done:
  th_end_candidates_dismiss(&c);
  return rc;
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
  TH_TRY(th_end_nets_final(w, chosen->mix, chosen->step, err));
  TH_TRY(publish(w, &w->net, &w->list[w->end->folds], w->scaled, support, err));
  th_support_drop_dust(support);
  w->end->ending.size = support->size;
  w->end->ending.lambda = w->lambda[chosen->mix][w->net_step];
done:
  return rc;
}

/* Tell the user what was chosen beside the model: the unit, and a limit of the
 * list or of the grid. */
static void tell_choice(const struct th_end_work *w)
{
  const struct th_candidate *chosen = &w->end->chosen;
  const struct th_shape *shape = th_source_shape(w->context->source);
  int64_t seen = w->list[w->end->folds].count;
  if (chosen->kind != TH_CANDIDATE_NET)
    return;
  if (w->in_use == TH_UNIT_DEVIATION)
    th_context_notice(w->context,
                      "attributes are penalised by their deviations, which "
                      "predicts better here than by deviations and ranges");
  if (seen < shape->attributes && (2 * chosen->size > seen || w->at_end))
    th_context_notice(w->context,
                      "the net uses %lld of the %lld attributes that the "
                      "budget let it see. A larger budget may predict better",
                      (long long)chosen->size, (long long)seen);
}

static void release(struct th_end_work *w)
{
  for (int64_t f = 0; w->list != NULL && f <= w->end->folds; f++)
    th_end_list_free(&w->list[f]);
  th_end_rows_free_model(&w->net);
  for (int m = 0; m < TH_MIXES; m++)
    free(w->lambda[m]);
  for (int u = 0; u < TH_UNITS; u++)
    free(w->unit[u]);
  th_end_rows_free_model(&w->best);
  th_end_list_free(&w->all);
  th_replicated_columns_free(&w->columns);
  TH_FREE(w->list, w->target, w->weight, w->scale, w->plain, w->scaled,
          w->held_row, w->prediction, w->strict, w->null, w->points);
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
    tell_choice(w);
  }
  TH_TRY(finish(w, &end->chosen, support, err));
done:
  if (w != NULL)
    release(w);
  free(w);
  return rc;
}
