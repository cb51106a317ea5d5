/* end.c - an end that predicts: candidates on a list, chosen on rows that no
 * step has seen
 * SPDX-License-Identifier: MIT */
#include "solvers/budgeted/end/end.h"

#include "core/integer.h"
#include "core/memory.h"
#include "solvers/budgeted/end/end_parts.h"

#include <stdlib.h>

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
    rc = th_end_reserve(w, err);
  }
  TH_TRY(th_agree(context->comm, rc, err));
  TH_TRY(th_end_gather(w, scores, support, err));
  if (w->blind == NULL)
    TH_TRY(th_end_strict(w, support, err));
  if (w->blind != NULL) {
    /* nothing guards a strict support of the list against chance here */
    end->chosen = (struct th_candidate){.kind = TH_CANDIDATE_NULL};
    end->ending = th_end_note(w, TH_ENDING_BLIND);
    th_context_notice(context,
                      "the model is empty, since predictions cannot choose "
                      "one: %s. {select} truth keeps what stands out beyond "
                      "doubt",
                      w->blind);
  } else {
    TH_TRY(th_end_nets(w, TH_USUAL_LAMBDAS, err));
    TH_TRY(th_agree(context->comm, th_end_choose(w, err), err));
    /* on large data this is dear, and no better */
    if (w->at_end && end->folds > 1) {
      TH_TRY(th_end_nets(w, TH_LAMBDAS, err));
      TH_TRY(th_agree(context->comm, th_end_choose(w, err), err));
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
