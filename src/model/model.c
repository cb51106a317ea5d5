/* model.c - a trained model: sparse coefficients and how they came about
 * SPDX-License-Identifier: MIT */
#include "model/model.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/search.h"

#include <stdlib.h>
#include <string.h>

char *th_model_copy_string(const char *text)
{
  size_t size = strlen(text) + 1;
  char *copy = malloc(size);
  if (copy != NULL)
    memcpy(copy, text, size);
  return copy;
}

th_status th_model_set(struct th_model *model, const char *name,
                       const char *value, struct th_error *err)
{
  int64_t capacity = model->settings;
  th_status rc =
      TH_GROW(&model->deck, &capacity, model->settings + 1, "the deck", err);
  if (rc != TH_OK)
    return rc;
  struct th_setting line = {th_model_copy_string(name),
                            th_model_copy_string(value)};
  if (line.name == NULL || line.value == NULL) {
    TH_FREE(line.name, line.value);
    return th_fail(err, TH_ENOMEM, "no memory for the deck");
  }
  model->deck[model->settings++] = line;
  return TH_OK;
}

static void free_support(struct th_model *model)
{
  TH_FREE(model->support, model->coef, model->deviation, model->mean);
  TH_FREE_LIST(model->name, model->support_size);
  TH_FREE_LIST(model->allele, model->support_size);
  TH_FREE_LIST(model->other, model->support_size);
  model->support = NULL;
  model->coef = NULL;
  model->deviation = NULL;
  model->mean = NULL;
  model->name = NULL;
  model->allele = NULL;
  model->other = NULL;
}

static void free_path(struct th_model *model)
{
  th_path_free(&model->path);
  if (model->members != NULL)
    free_support(model->members);
  TH_FREE(model->members);
  model->members = NULL;
}

th_status th_model_reserve(struct th_model *model, int64_t support_size,
                           struct th_error *err)
{
  free_support(model);
  model->support_size = support_size;
  th_status rc = TH_NEW(&model->support, support_size, "the support", err);
  return rc == TH_OK
             ? TH_NEW(&model->coef, support_size, "the coefficients", err)
             : rc;
}

struct member {
  int64_t attribute;
  double coef;
  double deviation;
  double mean;
  char *name;
  char *allele;
  char *other;
};

/* Members that the other data do not have leave the sorted list, where they
 * come first. */
static void drop_absent(struct th_model *model, const struct member **member)
{
  int64_t left = 0;
  while (left < model->support_size && (*member)[left].attribute < 0) {
    free((*member)[left].name);
    free((*member)[left].allele);
    free((*member)[left++].other);
  }
  *member += left;
  for (int64_t k = model->support_size - left; k < model->support_size; k++) {
    if (model->name != NULL)
      model->name[k] = NULL;
    if (model->allele != NULL)
      model->allele[k] = NULL;
    if (model->other != NULL)
      model->other[k] = NULL;
  }
  model->support_size -= left;
}

th_status th_model_renumber(struct th_model *model, const int64_t *number,
                            int64_t attributes, struct th_error *err)
{
  int64_t size = model->support_size;
  struct member *all = NULL;
  th_status rc = TH_NEW(&all, size, "the support", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t k = 0; k < size; k++)
    all[k] = (struct member){number[k],
                             model->coef[k],
                             model->deviation != NULL ? model->deviation[k] : 0,
                             model->mean != NULL ? model->mean[k] : 0,
                             model->name != NULL ? model->name[k] : NULL,
                             model->allele != NULL ? model->allele[k] : NULL,
                             model->other != NULL ? model->other[k] : NULL};
  qsort(all, (size_t)size, sizeof *all, th_integer_ascending);
  const struct member *member = all;
  drop_absent(model, &member);
  for (int64_t k = 0; k < model->support_size; k++) {
    model->support[k] = member[k].attribute;
    model->coef[k] = member[k].coef;
    if (model->deviation != NULL)
      model->deviation[k] = member[k].deviation;
    if (model->mean != NULL)
      model->mean[k] = member[k].mean;
    if (model->name != NULL)
      model->name[k] = member[k].name;
    if (model->allele != NULL)
      model->allele[k] = member[k].allele;
    if (model->other != NULL)
      model->other[k] = member[k].other;
  }
  th_claims_selected_free(&model->selected); /* has no new numbers, */
  free_path(model);                          /* nor has this */
  model->attributes = attributes;
  free(all);
  return TH_OK;
}

const char *th_model_name_of(const struct th_model *model, int64_t k)
{
  const struct th_covariates *covariates = &model->covariates;
  int64_t place = model->support[k] - (model->attributes - covariates->count);
  if (model->name != NULL)
    return model->name[k];
  return place >= 0 && covariates->count > 0 ? covariates->name[place] : NULL;
}

int64_t th_model_members_below(const struct th_model *model, int64_t attribute)
{
  return th_search_i64(model->support, 0, model->support_size, attribute);
}

bool th_model_has_names(const struct th_model *model)
{
  return model->name != NULL ||
         (model->support_size > 0 &&
          th_model_name_of(model, model->support_size - 1) != NULL);
}

void th_model_free(struct th_model *model)
{
  TH_FREE(model->solver, model->loss);
  free_support(model);
  TH_FREE(model->statistics, model->type);
  th_origin_free(&model->origin);
  th_covariates_free(&model->covariates);
  th_claims_certificate_free(&model->certificate);
  th_claims_selected_free(&model->selected);
  free_path(model);
  th_groups_free(&model->groups);
  for (int64_t k = 0; model->deck != NULL && k < model->settings; k++) {
    TH_FREE(model->deck[k].name, model->deck[k].value);
  }
  free(model->deck);
  *model = (struct th_model){0};
}

/* --- The path that a model was chosen from -------------------------------- */

th_status th_model_list_members(struct th_model *model, struct th_error *err)
{
  int64_t *all = NULL;
  int64_t size = 0;
  th_status rc;
  TH_TRY(th_path_union(&model->path, &all, &size, err));
  TH_TRY(TH_NEW(&model->members, 1, "the path", err));
  TH_TRY(th_model_reserve(model->members, size, err));
  if (size > 0)
    memcpy(model->members->support, all, (size_t)size * sizeof *all);
  model->members->attributes = model->attributes;
done:
  free(all);
  return rc;
}

/* Room for what is known of the path's attributes, also where the model has
 * none of them. */
static th_status reserve_known(struct th_model *model, int64_t size,
                               struct th_error *err)
{
  const struct th_model *from = model->members;
  char **const known[] = {from->name, from->allele, from->other};
  char ***const text[] = {&model->name, &model->allele, &model->other};
  th_status rc;
  TH_TRY(th_model_reserve(model, size, err));
  for (size_t k = 0; k < TH_COUNT(text); k++)
    if (known[k] != NULL)
      TH_TRY(TH_NEW(text[k], size, "names", err));
  if (from->deviation != NULL)
    TH_TRY(TH_NEW(&model->deviation, size, "deviations", err));
  if (from->mean != NULL)
    TH_TRY(TH_NEW(&model->mean, size, "means", err));
done:
  return rc;
}

/* What is known of attribute `at` of the path becomes that of member k. */
static th_status copy_member(struct th_model *model, int64_t k, int64_t at,
                             struct th_error *err)
{
  const struct th_model *from = model->members;
  char **const known[] = {from->name, from->allele, from->other};
  char **const text[] = {model->name, model->allele, model->other};
  model->support[k] = from->support[at];
  if (from->deviation != NULL)
    model->deviation[k] = from->deviation[at];
  if (from->mean != NULL)
    model->mean[k] = from->mean[at];
  for (size_t t = 0; t < TH_COUNT(text); t++)
    if (known[t] != NULL &&
        (text[t][k] = th_model_copy_string(known[t][at])) == NULL)
      return th_fail(err, TH_ENOMEM, "no memory for names");
  return TH_OK;
}

th_status th_model_set_lambda(struct th_model *model, double lambda,
                              struct th_error *err)
{
  const struct th_model *members = model->members;
  double *coef = NULL;
  int64_t size = 0;
  th_status rc;
  TH_TRY(TH_NEW(&coef, members->support_size, "the path", err));
  th_path_at(&model->path, lambda, members->support, members->support_size,
             coef, &model->intercept);
  for (int64_t k = 0; k < members->support_size; k++)
    size += coef[k] != 0;
  TH_TRY(reserve_known(model, size, err));
  for (int64_t k = 0, at = 0; k < members->support_size; k++)
    if (coef[k] != 0) {
      TH_TRY(copy_member(model, at, k, err));
      model->coef[at++] = coef[k];
    }
done:
  free(coef);
  return rc;
}
