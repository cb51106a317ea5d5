/* evaluated.c - models applied to data, row group by row group; models of
 * thresher.h
 * SPDX-License-Identifier: MIT */
#include "api/evaluated.h"

#include "api/handle.h"
#include "api/match.h"
#include "api/training.h"
#include "base/integer.h"
#include "base/memory.h"
#include "io/model/covariates_file.h"
#include "io/model/model_file.h"
#include "math/loss.h"
#include "solvers/driver/predict.h"
#include "solvers/driver/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void thresher_model_free(struct thresher_model *model);

/* --- Models of thresher.h ------------------------------------------------- */

enum thresher_status thresher_model_read(struct thresher_model **model,
                                         struct thresher_team *team,
                                         const char *path,
                                         struct thresher_error *error)
{
  struct thresher_model *fresh = NULL;
  struct th_error err;
  th_status rc;
  th_error_clear(&err);
  TH_TRY(TH_HANDLE_GIVEN(&err, {team, "team"}));
  rc = TH_HANDLE_GIVEN(&err, {model, "model"}, {path, "path"});
  if (rc == TH_OK)
    rc = TH_NEW(&fresh, 1, "a model", &err);
  TH_TRY(th_agree(&team->comm, rc, &err));
  TH_TRY(th_model_file_read(&fresh->model, &team->comm, path, &err));
done:
  if (rc != TH_OK) {
    thresher_model_free(fresh);
    fresh = NULL;
  }
  if (model != NULL)
    *model = fresh;
  return th_handle_status(rc, &err, error);
}

enum thresher_status thresher_model_write(const struct thresher_model *model,
                                          struct thresher_team *team,
                                          const char *path, int force,
                                          struct thresher_error *error)
{
  struct th_error err;
  th_status rc;
  th_error_clear(&err);
  TH_TRY(TH_HANDLE_GIVEN(&err, {team, "team"}));
  rc = TH_HANDLE_GIVEN(&err, {model, "model"}, {path, "path"});
  TH_TRY(th_agree(&team->comm, rc, &err));
  TH_TRY(
      th_model_file_write(&model->model, &team->comm, path, force != 0, &err));
done:
  return th_handle_status(rc, &err, error);
}

void thresher_model_free(struct thresher_model *model)
{
  if (model == NULL)
    return;
  th_model_free(&model->model);
  free(model);
}

int64_t thresher_model_attributes(const struct thresher_model *model)
{
  return model != NULL ? model->model.attributes : 0;
}

int64_t thresher_model_support_size(const struct thresher_model *model)
{
  return model != NULL ? model->model.support_size : 0;
}

const int64_t *thresher_model_support(const struct thresher_model *model)
{
  return model != NULL ? model->model.support : NULL;
}

const double *thresher_model_coefficients(const struct thresher_model *model)
{
  return model != NULL ? model->model.coef : NULL;
}

double thresher_model_intercept(const struct thresher_model *model)
{
  return model != NULL ? model->model.intercept : NAN;
}

const char *thresher_model_name(const struct thresher_model *model, int64_t k)
{
  return model != NULL && k >= 0 && k < model->model.support_size
             ? th_model_name_of(&model->model, k)
             : NULL;
}

const double *thresher_model_means(const struct thresher_model *model)
{
  return model != NULL ? model->model.mean : NULL;
}

const char *thresher_model_solver(const struct thresher_model *model)
{
  return model != NULL ? model->model.solver : NULL;
}

const char *thresher_model_loss(const struct thresher_model *model)
{
  return model != NULL ? model->model.loss : NULL;
}

const char *thresher_model_setting(const struct thresher_model *model,
                                   int64_t k, const char **value)
{
  bool there = model != NULL && k >= 0 && k < model->model.settings;
  if (value != NULL)
    *value = there ? model->model.deck[k].value : NULL;
  return there ? model->model.deck[k].name : NULL;
}

struct thresher_path thresher_model_path(const struct thresher_model *model)
{
  if (model == NULL)
    return (struct thresher_path){0};
  const struct th_path *path = &model->model.path;
  return (struct thresher_path){.points = path->points,
                                .folds = path->folds,
                                .best = path->best,
                                .one_se = path->one_se,
                                .chosen = path->chosen,
                                .lambda = path->lambda,
                                .loss = path->loss,
                                .se = path->se,
                                .intercept = path->intercept,
                                .start = path->start,
                                .attribute = path->attribute,
                                .coefficient = path->coef};
}

const char *thresher_model_option(const struct thresher_model *model,
                                  const char *name)
{
  if (model == NULL || name == NULL)
    return NULL;
  for (int64_t k = 0; k < model->model.settings; k++)
    if (strcmp(model->model.deck[k].name, name) == 0)
      return model->model.deck[k].value;
  return NULL;
}

struct thresher_ledger thresher_model_ledger(const struct thresher_model *model)
{
  if (model == NULL)
    return (struct thresher_ledger){0};
  const struct th_ledger *ledger = &model->model.ledger;
  return (struct thresher_ledger){
      .examples = ledger->examples,
      .attributes = ledger->attributes,
      .distinct_attributes = ledger->distinct_attributes,
      .most_of_one = ledger->max_attributes_per_example,
      .validation_examples = ledger->validation_examples,
      .validation_attributes = ledger->validation_attributes,
      .passes = model->model.passes};
}

/* NULL: the model has none. */
static const struct th_certificate *
certificate_of(const struct thresher_model *model)
{
  return model != NULL && model->model.certificate.lambda > 0
             ? &model->model.certificate
             : NULL;
}

double thresher_model_lambda(const struct thresher_model *model)
{
  const struct th_certificate *certificate = certificate_of(model);
  return certificate != NULL ? certificate->lambda : NAN;
}

double thresher_model_objective(const struct thresher_model *model)
{
  const struct th_certificate *certificate = certificate_of(model);
  return certificate != NULL ? certificate->objective : NAN;
}

double thresher_model_gap(const struct thresher_model *model)
{
  const struct th_certificate *certificate = certificate_of(model);
  return certificate != NULL ? certificate->gap : NAN;
}

/* --- Models applied to the rows of a split -------------------------------- */

enum { LABEL_ROWS = 4096 }; /* targets read at once */

/* Targets and row numbers of a piece, for rank 0. Local. */
static th_status read_targets(struct th_data *data, struct th_rows rows,
                              int64_t done, struct th_evaluated *evaluated,
                              struct th_error *err)
{
  struct th_store *store = data->store;
  th_status rc = TH_OK;
  if (!store->shape.unlabelled)
    rc = store->ops->targets(store, rows, evaluated->target + done,
                             evaluated->weight + done, err);
  if (rc == TH_OK)
    rc = th_data_row_numbers(data, rows, evaluated->row + done, err);
  return rc;
}

static th_status reserve_predictions(struct th_evaluated *evaluated,
                                     struct th_error *err)
{
  const int64_t rows = evaluated->count;
  th_status rc;
  TH_TRY(TH_NEW(&evaluated->prediction, rows * evaluated->models, "predictions",
                err));
  TH_TRY(TH_NEW(&evaluated->target, rows, "targets", err));
  TH_TRY(TH_NEW(&evaluated->weight, rows, "weights", err));
  TH_TRY(TH_NEW(&evaluated->row, rows, "row numbers", err));
done:
  return rc;
}

/* The next whole row groups of at most so many rows in all. */
static struct th_rows rows_at_once(const struct th_data *data, int64_t most,
                                   struct th_rows *rows)
{
  struct th_rows part = th_store_shape_next(&data->store->shape, rows);
  while (rows->count > 0 && part.count + data->store->shape.row_group <= most)
    part.count += th_store_shape_next(&data->store->shape, rows).count;
  return part;
}

/* Where values are missing, the means of the model's training data stand for
 * them, and not those of the data. */
static bool has_means(const struct th_model *model, const struct th_data *data)
{
  return data->dataset != NULL && model->mean != NULL &&
         model->fingerprint != data->store->fingerprint;
}

/* True if the same stands for missing values of what both models use. */
static bool means_agree(const struct th_model *a, const struct th_model *b,
                        const struct th_data *data)
{
  const int64_t own = th_model_members_below(a, th_data_attributes(data));
  const bool known[2] = {has_means(a, data), has_means(b, data)};
  int64_t j = 0;
  for (int64_t k = 0; k < own; k++) {
    while (j < b->support_size && b->support[j] < a->support[k])
      j++;
    bool both = j < b->support_size && b->support[j] == a->support[k];
    if (both &&
        (known[0] != known[1] || (known[0] && a->mean[k] != b->mean[j])))
      return false;
  }
  return true;
}

/* How many models, from the first one on, can be applied in one pass. */
static int64_t models_at_once(const struct th_model *models, int64_t count,
                              const struct th_data *data)
{
  int64_t last = 1;
  if (data->store->shape.missing == 0)
    return count;
  for (; last < count; last++)
    for (int64_t m = 0; m < last; m++)
      if (!means_agree(&models[m], &models[last], data))
        return last;
  return last;
}

/* Local. */
static th_status take_means(const struct th_model *models, int64_t count,
                            struct th_data *data, struct th_error *err)
{
  const int64_t d = th_data_attributes(data); /* covariates have none */
  int64_t *attribute = NULL;
  double *mean = NULL;
  int64_t listed = 0;
  th_status rc = TH_OK;
  for (int64_t m = 0; m < count; m++)
    listed +=
        has_means(&models[m], data) ? th_model_members_below(&models[m], d) : 0;
  if (listed == 0 || data->store->shape.missing == 0)
    return TH_OK;
  TH_TRY(TH_NEW(&attribute, listed, "means", err));
  TH_TRY(TH_NEW(&mean, listed, "means", err));
  listed = 0;
  for (int64_t m = 0; m < count; m++)
    for (int64_t k = 0; has_means(&models[m], data) &&
                        k < th_model_members_below(&models[m], d);
         k++) {
      attribute[listed] = models[m].support[k];
      mean[listed++] = models[m].mean[k];
    }
  rc = th_dataset_stand_in(data->dataset, attribute, mean, listed, err);
done:
  TH_FREE(attribute, mean);
  return rc;
}

static void own_means(struct th_data *data)
{
  struct th_error ignored = {0};
  if (data->dataset != NULL)
    th_dataset_stand_in(data->dataset, NULL, NULL, 0, &ignored);
}

/* Some models, the first of which has that number, in one pass over the data.
 * Collective. */
static th_status collect_some(struct th_evaluated *evaluated,
                              struct th_models some, int64_t first,
                              struct th_data *data, struct th_rows rows,
                              struct th_comm *comm, struct th_error *err)
{
  const int64_t most =
      th_predict_rows(some.model, some.count, &data->store->shape);
  const bool keep = evaluated->stride > 0;
  double *piece = NULL;
  int64_t begun = 0;
  th_status rc = TH_NEW(&piece, some.count * th_min_i64(most, rows.count),
                        "predictions of a row group", err);
  if (rc == TH_OK)
    rc = take_means(some.model, some.count, data, err);
  TH_TRY(th_agree(comm, rc, err));
  while (rows.count > 0) {
    struct th_rows part = rows_at_once(data, most, &rows);
    if (keep && first == 0)
      rc = read_targets(data, part, begun, evaluated, err);
    TH_TRY(th_agree(comm, rc, err));
    TH_TRY(th_predict(some.model, some.count, data->store, comm, part, piece,
                      err));
    for (int64_t m = 0; keep && m < some.count; m++)
      memcpy(th_evaluated_of(evaluated, first + m) + begun,
             piece + m * part.count, (size_t)part.count * sizeof *piece);
    begun += part.count;
  }
done:
  own_means(data);
  free(piece);
  return rc;
}

th_status th_evaluated_collect(struct th_evaluated *evaluated,
                               struct th_models models, struct th_data *data,
                               struct th_rows rows, bool keep,
                               struct th_comm *comm, struct th_error *err)
{
  struct th_models some = {models.model, 0};
  *evaluated = (struct th_evaluated){.models = models.count,
                                     .count = keep ? rows.count : 0,
                                     .stride = keep ? rows.count : 0};
  th_status rc = th_agree(comm, reserve_predictions(evaluated, err), err);
  for (int64_t first = 0; rc == TH_OK && first < models.count;
       first += some.count) {
    some.model = models.model + first;
    some.count = models_at_once(some.model, models.count - first, data);
    rc = collect_some(evaluated, some, first, data, rows, comm, err);
  }
  return rc;
}

void th_evaluated_free(struct th_evaluated *evaluated)
{
  TH_FREE(evaluated->prediction, evaluated->target, evaluated->weight,
          evaluated->row);
  *evaluated = (struct th_evaluated){0};
}

enum th_predictor th_evaluated_predictor(const struct th_model *model)
{
  const struct th_loss *loss = th_loss_find(model->loss);
  return loss != NULL ? loss->predicts : TH_PREDICTS_TARGET;
}

th_status th_evaluated_weigh(struct th_evaluated *evaluated, bool unweighted,
                             struct th_error *err)
{
  int64_t kept = 0;
  for (int64_t i = 0; i < evaluated->count; i++) {
    if (!(evaluated->weight[i] > 0))
      continue; /* not there, however the others count */
    evaluated->weight[kept] = unweighted ? 1 : evaluated->weight[i];
    for (int64_t m = 0; m < evaluated->models; m++)
      th_evaluated_of(evaluated, m)[kept] = th_evaluated_of(evaluated, m)[i];
    evaluated->target[kept] = evaluated->target[i];
    evaluated->row[kept++] = evaluated->row[i];
  }
  if (kept == 0)
    return th_fail(err, TH_EDATA,
                   "the %lld examples have weight 0, and count for nothing; "
                   "give another {split}",
                   (long long)evaluated->count);
  evaluated->count = kept;
  return TH_OK;
}

/* Those of some targets whose rows count; returns how many. */
static int64_t leave_weightless(double *target, const double *weight,
                                int64_t count)
{
  int64_t kept = 0;
  for (int64_t i = 0; i < count; i++)
    if (weight[i] > 0)
      target[kept++] = target[i];
  return kept;
}

/* Find the labels among all targets of the data set that count, not only those
 * of the split. Local. */
static th_status find_labels(const struct th_data *data,
                             struct th_labels *labels, struct th_error *err)
{
  double target[LABEL_ROWS];
  double weight[LABEL_ROWS];
  int64_t n = data->store->shape.examples;
  int64_t seen = 0;
  for (int64_t first = 0; first < n; first += LABEL_ROWS) {
    int64_t count = n - first < LABEL_ROWS ? n - first : LABEL_ROWS;
    struct th_rows rows = {first, count};
    th_status rc =
        data->store->ops->targets(data->store, rows, target, weight, err);
    if (rc != TH_OK)
      return rc;
    count = leave_weightless(target, weight, count);
    th_metrics_labels_add(labels, seen, target, count);
    seen += count;
  }
  return TH_OK;
}

th_status th_evaluated_scores(const struct th_evaluated *evaluated,
                              int64_t number, const struct th_model *model,
                              const struct th_data *data,
                              struct th_metrics *scores, struct th_error *err)
{
  const struct th_loss *row = th_loss_find(model->loss);
  const struct th_claims *claims = &model->claims;
  struct th_loss loss = {.name = NULL};
  if (row != NULL)
    loss = th_loss_of_scale(row, claims->loss_scale, claims->quantile);
  struct th_metrics_rows rows = {.count = evaluated->count,
                                 .predictor =
                                     th_evaluated_of(evaluated, number),
                                 .target = evaluated->target,
                                 .weight = evaluated->weight,
                                 .kind = th_evaluated_predictor(model),
                                 .loss = row != NULL ? &loss : NULL};
  th_status rc = find_labels(data, &rows.labels, err);
  return rc == TH_OK ? th_metrics_compute(scores, &rows, err) : rc;
}

/* --- Predictions and scores of thresher.h --------------------------------- */

/* One text for each member, or NULL. Local. */
static th_status copy_texts(char ***to, char *const *from, int64_t size,
                            struct th_error *err)
{
  if (from == NULL)
    return TH_OK;
  th_status rc = TH_NEW(to, size, "names", err);
  for (int64_t k = 0; k < size && rc == TH_OK; k++) {
    (*to)[k] = th_model_copy_string(from[k]);
    if ((*to)[k] == NULL)
      rc = th_fail(err, TH_ENOMEM, "no memory for names");
  }
  return rc;
}

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
  if (from->mean != NULL) {
    TH_TRY(TH_NEW(&to->mean, size, "means", err));
    memcpy(to->mean, from->mean, (size_t)size * sizeof *to->mean);
  }
  to->loss = th_model_copy_string(from->loss);
  if (to->loss == NULL)
    return th_fail(err, TH_ENOMEM, "no memory for a support");
  TH_TRY(th_covariates_file_copy(&to->covariates, &from->covariates, err));
  TH_TRY(copy_texts(&to->name, from->name, size, err));
  TH_TRY(copy_texts(&to->allele, from->allele, size, err));
  rc = copy_texts(&to->other, from->other, size, err);
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
    rc = th_data_split_rows(&data->data.store->shape, (int)which, rows, err);
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
  TH_TRY(th_evaluated_collect(&evaluated, (struct th_models){&matched, 1},
                              &data->data, rows, keep, data->comm, &err));
  if (keep) {
    give(prediction, evaluated.prediction, rows.count);
    give(target, evaluated.target, rows.count);
    give(row, evaluated.row, rows.count);
  }
done:
  th_evaluated_free(&evaluated);
  th_model_free(&matched);
  return th_handle_status(rc, &err, error);
}

/* Rank 0 computes for all; *count receives the rows that count. Collective. */
static th_status score(const struct th_model *model, struct thresher_data *data,
                       struct th_rows rows, int64_t *count,
                       struct th_metrics *scores, struct th_error *err)
{
  struct th_evaluated evaluated = {0};
  struct th_comm *comm = data->comm;
  th_status rc;
  TH_TRY(th_evaluated_collect(&evaluated, (struct th_models){model, 1},
                              &data->data, rows, comm->rank == 0, comm, err));
  if (comm->rank == 0)
    rc = th_evaluated_weigh(&evaluated, false, err);
  if (comm->rank == 0 && rc == TH_OK)
    rc = th_evaluated_scores(&evaluated, 0, model, &data->data, scores, err);
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
  *scores = (struct thresher_scores){
      .examples = count,
      .mse = th_metrics_score(&found, "mse"),
      .r2 = th_metrics_score(&found, "r2"),
      .auc = th_metrics_score(&found, "auc"),
      .accuracy = th_metrics_score(&found, "accuracy"),
      .log_loss = th_metrics_score(&found, "log_loss"),
      .relative_loss = th_metrics_score(&found, "relative_loss")};
done:
  th_model_free(&matched);
  return th_handle_status(rc, &err, error);
}
