/* thresher_model.c - models of thresher.h
 * SPDX-License-Identifier: MIT */
#include "api/handle.h"
#include "core/memory.h"
#include "io/model/model_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
  TH_TRY(th_model_read(&fresh->model, &team->comm, path, &err));
done:
  if (rc != TH_OK) {
    thresher_model_free(fresh);
    fresh = NULL;
  }
  if (model != NULL)
    *model = fresh;
  return th_handle_tell(rc, &err, error);
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
  TH_TRY(th_model_write(&model->model, &team->comm, path, force != 0, &err));
done:
  return th_handle_tell(rc, &err, error);
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
