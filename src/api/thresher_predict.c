/* thresher_predict.c - predictions and scores of thresher.h
 * SPDX-License-Identifier: MIT */
#include "api/evaluated.h"
#include "api/handle.h"
#include "api/match.h"
#include "api/split.h"
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

/* What predicting needs of a model, as one that may be renumbered. Local. */
static th_status copy_support(struct th_model *to, const struct th_model *from,
                              struct th_error *err)
{
  int64_t size = from->support_size;
  th_status rc;
  TH_TRY(th_model_reserve(to, size, err));
  to->support_size = size;
  to->attributes = from->attributes;
  to->intercept = from->intercept;
  to->fingerprint = from->fingerprint;
  to->names = from->names;
  if (size > 0) {
    memcpy(to->support, from->support, (size_t)size * sizeof *to->support);
    memcpy(to->coef, from->coef, (size_t)size * sizeof *to->coef);
  }
  to->loss = th_model_copy_string(from->loss);
  bool whole = to->loss != NULL;
  if (from->name != NULL)
    TH_TRY(TH_NEW(&to->name, size, "names", err));
  for (int64_t k = 0; from->name != NULL && k < size; k++) {
    to->name[k] = th_model_copy_string(from->name[k]);
    whole = whole && to->name[k] != NULL;
  }
  if (!whole)
    rc = th_fail(err, TH_ENOMEM, "no memory for a support");
done:
  return rc;
}

/* A model of these data. Collective. */
static th_status match(struct th_model *matched, const struct th_model *model,
                       struct thresher_data *data, struct th_error *err)
{
  const struct th_shape *shape = &data->data.store->shape;
  th_status rc = copy_support(matched, model, err);
  TH_TRY(th_agree(data->comm, rc, err));
  TH_TRY(th_match(matched, &data->data, TH_MATCH_SUPPORT, "given", data->comm,
                  err));
  if (matched->attributes != shape->attributes)
    return th_fail(err, TH_EDATA,
                   "the model is for %lld attributes, %s has %lld",
                   (long long)matched->attributes, data->data.name,
                   (long long)shape->attributes);
done:
  return rc;
}

/* Look at the arguments of a call, and find its examples. Collective, if there
 * are data. */
static th_status begin(const char *call,
                       const struct th_handle_argument *arguments,
                       struct thresher_data *data, enum thresher_examples which,
                       struct th_rows *rows, struct th_error *err)
{
  const struct th_handle_argument team[] = {{data, "data"}, {NULL, NULL}};
  th_status rc;
  TH_TRY(th_handle_given(call, team, err));
  rc = th_handle_given(call, arguments, err);
  if (rc == TH_OK)
    rc = th_handle_which(call, which, err);
  if (rc == TH_OK)
    rc = th_split_rows(&data->data.store->shape, (int)which, rows, err);
  TH_TRY(th_agree(data->comm, rc, err));
  TH_TRY(th_handle_alike(data->comm, (uint64_t)which, "examples", err));
done:
  return rc;
}

static void give(void *to, const void *from, int64_t count)
{
  if (to != NULL && count > 0)
    memcpy(to, from, (size_t)count * 8);
}

enum thresher_status
thresher_predict(const struct thresher_model *model, struct thresher_data *data,
                 enum thresher_examples which, double *prediction,
                 double *target, int64_t *row, struct thresher_error *error)
{
  struct th_model matched = {0};
  struct th_evaluated evaluated = {0};
  struct th_rows rows = {0, 0};
  struct th_error err;
  th_status rc;
  th_error_clear(&err);
  const struct th_handle_argument given[] = {{model, "model"}, {NULL, NULL}};
  bool keep = prediction != NULL || target != NULL || row != NULL;
  TH_TRY(begin(__func__, given, data, which, &rows, &err));
  TH_TRY(match(&matched, &model->model, data, &err));
  TH_TRY(th_evaluated_collect(&evaluated, &matched, &data->data, rows, keep,
                              data->comm, &err));
  if (keep) {
    give(prediction, evaluated.prediction, rows.count);
    give(target, evaluated.target, rows.count);
    give(row, evaluated.row, rows.count);
  }
done:
  th_evaluated_free(&evaluated);
  th_model_free(&matched);
  return th_handle_tell(rc, &err, error);
}

/* Rank 0 computes for all; *count receives the rows that count. Collective. */
static th_status score(const struct th_model *model, struct thresher_data *data,
                       struct th_rows rows, int64_t *count,
                       struct th_metrics *scores, struct th_error *err)
{
  struct th_evaluated evaluated = {0};
  struct th_comm *comm = data->comm;
  th_status rc;
  TH_TRY(th_evaluated_collect(&evaluated, model, &data->data, rows,
                              comm->rank == 0, comm, err));
  if (comm->rank == 0)
    rc = th_evaluated_weigh(&evaluated, false, err);
  if (comm->rank == 0 && rc == TH_OK)
    rc = th_evaluated_scores(&evaluated, model, &data->data, scores, err);
  TH_TRY(th_agree(comm, rc, err));
  *count = evaluated.count;
  comm->ops->bcast(comm, count, sizeof *count, 0);
  comm->ops->bcast(comm, scores, sizeof *scores, 0);
done:
  th_evaluated_free(&evaluated);
  return rc;
}

enum thresher_status thresher_evaluate(const struct thresher_model *model,
                                       struct thresher_data *data,
                                       enum thresher_examples which,
                                       struct thresher_scores *scores,
                                       struct thresher_error *error)
{
  struct th_model matched = {0};
  struct th_metrics found = {0};
  struct th_rows rows = {0, 0};
  int64_t count = 0;
  struct th_error err;
  th_status rc;
  th_error_clear(&err);
  const struct th_handle_argument given[] = {
      {model, "model"}, {scores, "scores"}, {NULL, NULL}};
  TH_TRY(begin(__func__, given, data, which, &rows, &err));
  TH_TRY(th_data_need_targets(&data->data, "a score", data->data.name, &err));
  TH_TRY(match(&matched, &model->model, data, &err));
  TH_TRY(score(&matched, data, rows, &count, &found, &err));
  *scores = (struct thresher_scores){.examples = count,
                                     .mse = found.mse,
                                     .r2 = found.r2,
                                     .auc = found.auc,
                                     .accuracy = found.accuracy,
                                     .log_loss = found.log_loss,
                                     .relative_loss = found.relative_loss};
done:
  th_model_free(&matched);
  return th_handle_tell(rc, &err, error);
}
