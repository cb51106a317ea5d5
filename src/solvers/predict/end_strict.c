/* end_strict.c - the strict support and the mean as candidates of an end
 * SPDX-License-Identifier: MIT */
#include "base/elementary.h"
#include "base/memory.h"
#include "solvers/predict/end.h"
#include "solvers/predict/end_list.h"
#include "solvers/predict/strict.h"

#include <stdlib.h>

/* Predict the held-out rows by the mean of the other rows. Local. */
static th_status predict_mean(struct th_end_work *w, struct th_error *err)
{
  bool labels = w->context->target.labels;
  double *weight = NULL;
  th_status rc = TH_OK;
  for (int64_t f = 0; f < w->end->folds; f++) {
    double sum = 0;
    double all = 0;
    double mean = 0;
    TH_TRY(th_end_rows_weigh(w, f, &weight, err));
    for (int64_t i = 0; i < w->rows; i++) {
      sum += weight[i] * w->target[i];
      all += weight[i];
    }
    if (all > 0 && w->context->config->intercept)
      mean = labels ? th_log((all + sum) / (all - sum)) : sum / all;
    for (int64_t i = 0; i < w->held; i++)
      if (w->end->fold[w->held_row[i]] == f)
        w->null[i] = mean;
    free(weight);
    weight = NULL;
  }
done:
  free(weight);
  return rc;
}

/* The strict support for some rows. Small data: it is selected anew on a list,
 * by the same rule for folds and for all rows, because the support of a few
 * rounds may be far from it. Large data: the members of S that stand out
 * without the held-out part. A single pass: the same, together with what
 * earlier rows have said. Local. */
static th_status select_for(const struct th_end_work *w,
                            const struct th_end_list *from,
                            const double *weight, struct th_end_model *model,
                            struct th_error *err)
{
  const struct th_context *context = w->context;
  struct th_vector *columns = NULL;
  th_status rc;
  TH_TRY(th_end_rows_pick(w, from, w->plain, &columns, err));
  TH_TRY(th_end_rows_reserve_model(model, from->count, err));
  const struct th_strict_data data = {
      .rows = w->rows,
      .count = from->count,
      .column = columns,
      .target = w->target,
      .weight = weight,
      .attributes = th_source_shape(context->source)->attributes,
      .largest = context->config->sparsity,
      .intercept = context->config->intercept};
  if (w->known != NULL)
    rc = th_strict_join(&w->known->squares, &data, model->place, &model->size,
                        model->coef, &model->intercept, err);
  else
    rc = th_strict_select(&data, !w->end->small, model->place, &model->size,
                          err);
done:
  free(columns);
  return rc;
}

/* Restrict what is known to the members that are left; the others are 0. Local.
 */
static th_status restrict_known(const struct th_strict_known *all, int64_t old,
                                const struct th_end_model *model,
                                bool intercept, struct th_strict_known *known,
                                struct th_error *err)
{
  int64_t before = old + intercept;
  int64_t order = model->size + intercept;
  th_status rc;
  TH_TRY(TH_NEW(&known->precision, order * order, "the strict support", err));
  TH_TRY(TH_NEW(&known->moment, order, "the strict support", err));
  TH_TRY(TH_NEW(&known->centre, model->size, "the strict support", err));
  for (int64_t k = 0; k < order; k++) {
    int64_t b = k < model->size ? model->place[k] : old;
    for (int64_t j = 0; j < order; j++) {
      int64_t a = j < model->size ? model->place[j] : old;
      known->precision[j + k * order] = all->precision[a + b * before];
    }
    known->moment[k] = all->moment[b];
  }
  for (int64_t k = 0; k < model->size; k++)
    known->centre[k] = all->centre[model->place[k]];
done:
  return rc;
}

/* Labels: Newton steps on the columns of the model. Local. */
static th_status fit_columns(const struct th_end_work *w, int64_t members,
                             const struct th_vector *columns,
                             const double *weight, struct th_end_model *model,
                             struct th_error *err)
{
  const struct th_context *context = w->context;
  bool intercept = context->config->intercept;
  bool more = w->known != NULL && w->known->labels.precision != NULL;
  struct th_strict_known known = {0};
  th_status rc = TH_OK;
  if (more)
    TH_TRY(restrict_known(&w->known->labels, members, model, intercept, &known,
                          err));
  const struct th_strict_data data = {.rows = w->rows,
                                      .count = model->size,
                                      .column = columns,
                                      .target = w->target,
                                      .weight = weight,
                                      .intercept = intercept};
  rc = th_strict_fit(more ? &known : NULL, &data, context->loss, model->coef,
                     &model->intercept, err);
done:
  th_strict_known_free(&known);
  return rc;
}

/* Fit its coefficients on these rows, unless they are known, and predict with
 * them. Local. */
static th_status fit(const struct th_end_work *w,
                     const struct th_end_list *from, const double *weight,
                     struct th_end_model *model, double *out,
                     struct th_error *err)
{
  struct th_vector *columns = NULL;
  th_status rc =
      TH_NEW(&columns, model->size, "the values of candidate attributes", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t k = 0; k < model->size; k++)
    columns[k] =
        w->plain[th_end_list_find(&w->all, from->attribute[model->place[k]])];
  if (w->known == NULL || w->context->target.labels)
    rc = fit_columns(w, from->count, columns, weight, model, err);
  if (rc == TH_OK && out != NULL)
    th_strict_predict(w->rows, model->size, columns, model->coef,
                      model->intercept, out);
  free(columns);
  return rc;
}

/* Fit without fold f, and predict fold f. Local. */
static th_status predict_fold(struct th_end_work *w, int64_t f,
                              const struct th_end_list *members,
                              struct th_error *err)
{
  const struct th_end_list *from =
      w->end->small ? th_end_list_of(w, f) : members;
  struct th_end_model model = {0};
  double *weight = NULL;
  double *out = NULL;
  th_status rc;
  TH_TRY(th_end_rows_weigh(w, f, &weight, err));
  TH_TRY(TH_NEW(&out, w->rows, "predictions", err));
  TH_TRY(select_for(w, from, weight, &model, err));
  TH_TRY(fit(w, from, weight, &model, out, err));
  for (int64_t i = 0; i < w->held; i++)
    if (w->end->fold[w->held_row[i]] ==
        f) /* an empty support predicts the mean */
      w->strict[i] = model.size > 0 ? out[w->held_row[i]] : w->null[i];
done:
  th_end_rows_free_model(&model);
  TH_FREE(weight, out);
  return rc;
}

/* Fit on all rows: the model, if this candidate is chosen. Local; the same on
 * every rank. */
static th_status fit_all(struct th_end_work *w,
                         const struct th_end_list *members,
                         struct th_error *err)
{
  const struct th_end_list *from = th_end_members(w, members);
  th_status rc = select_for(w, from, w->weight, &w->best, err);
  if (rc == TH_OK)
    rc = fit(w, from, w->weight, &w->best, NULL, err);
  return rc;
}

/* Local. */
static th_status run_folds(struct th_end_work *w,
                           const struct th_end_list *members,
                           struct th_error *err)
{
  const struct th_comm *comm = w->context->comm;
  th_status rc;
  TH_TRY(fit_all(w, members, err));
  TH_TRY(predict_mean(w, err));
  for (int64_t f = 0; f < w->end->folds; f++)
    if (f % comm->size == comm->rank)
      TH_TRY(predict_fold(w, f, members, err));
done:
  return rc;
}

th_status th_end_strict(struct th_end_work *w, const struct th_support *support,
                        struct th_error *err)
{
  struct th_comm *comm = w->context->comm;
  const struct th_end_list members = {support->size, support->attribute};
  th_comm_profile_begin(w->context->profile);
  th_status rc = th_agree(comm, run_folds(w, &members, err), err);
  th_comm_profile_end(w->context->profile, TH_PHASE_SOLVE);
  if (rc == TH_OK)
    th_comm_share_numbers(comm, w->strict, (size_t)w->held);
  return rc;
}
