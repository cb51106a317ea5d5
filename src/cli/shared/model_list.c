/* model_list.c - the models of a command, between commas
 * SPDX-License-Identifier: MIT */
#include "cli/shared/model_list.h"

#include "base/memory.h"
#include "cli/shared/input.h"
#include "io/dataset/origin_file.h"
#include "io/files/file.h"
#include "io/files/output.h"
#include "io/model/covariates_file.h"
#include "io/model/model_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* As rank 0 sees it. Collective. */
static bool is_one_file(const char *path, struct th_comm *comm)
{
  struct th_identity file;
  bool is = comm->rank == 0 && th_file_identity_of(path, &file);
  comm->ops->bcast(comm, &is, sizeof is, 0);
  return is;
}

/* Local, replicated. */
static th_status cut_names(struct th_model_list *list, const char *argument,
                           bool whole, struct th_error *err)
{
  int64_t most = 1;
  th_status rc = TH_OK;
  for (const char *p = argument; !whole && *p != '\0'; p++)
    most += *p == ',';
  TH_TRY(TH_NEW(&list->path, most, "names of models", err));
  TH_TRY(TH_NEW(&list->name, most, "names of models", err));
  TH_TRY(TH_NEW(&list->model, most, "models", err));
  for (const char *p = argument; list->count < most; list->count++) {
    size_t length = most == 1 ? strlen(p) : strcspn(p, ",");
    if (length == 0)
      return th_fail(err, TH_EUSAGE,
                     "%s: a name of a model is missing between commas; give "
                     "A.h5,B.h5",
                     argument);
    TH_TRY(th_file_text(&list->path[list->count], err, "%.*s", (int)length, p));
    p += length + (p[length] == ',');
  }
done:
  return rc;
}

/* Names of columns: each is there once. Local, replicated. */
static th_status name_models(struct th_model_list *list, struct th_error *err)
{
  th_status rc = TH_OK;
  bool alike = false;
  for (int64_t k = 0; k < list->count; k++) {
    const char *name = th_file_name(list->path[k]);
    TH_TRY(th_file_text(&list->name[k], err, "%.*s", th_output_path_stem(name),
                        name));
    for (int64_t j = 0; j < k; j++) {
      if (strcmp(list->path[j], list->path[k]) == 0)
        return th_fail(err, TH_EUSAGE, "model %s is given twice; leave one out",
                       list->path[k]);
      alike = alike || strcmp(list->name[j], list->name[k]) == 0;
    }
  }
  for (int64_t k = 0; alike && k < list->count; k++) {
    char *path = NULL;
    TH_TRY(th_file_text(&path, err, "%s", list->path[k]));
    TH_FREE(list->name[k]);
    list->name[k] = path;
  }
done:
  return rc;
}

th_status th_model_list_read(struct th_model_list *list, const char *argument,
                             struct th_comm *comm, struct th_error *err)
{
  bool whole = strchr(argument, ',') == NULL || is_one_file(argument, comm);
  th_status rc;
  *list = (struct th_model_list){0};
  rc = cut_names(list, argument, whole, err);
  if (rc == TH_OK)
    rc = name_models(list, err);
  TH_TRY(th_agree(comm, rc, err));
  for (int64_t k = 0; k < list->count; k++) {
    TH_TRY(th_input_refuse_text(comm, list->path[k], TH_TEXT_AS_MODEL, err));
    TH_TRY(th_model_file_read(&list->model[k], comm, list->path[k], err));
  }
done:
  return rc;
}

/* --- One model for all, as far as import goes ------------------------------
 */

/* A member of any model. */
struct wanted {
  uint64_t key; /* members are in the order of these, and then of their names */
  char *name;
  char *allele;
  char *other;
};

static int compare_wanted(const void *a, const void *b)
{
  const struct wanted *x = a;
  const struct wanted *y = b;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return strcmp(x->name, y->name);
}

static bool same_text(const char *a, const char *b)
{
  return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* True if text for one may be imported for the other, too. Without a common
 * list of names they go by name, where no column has words. */
static bool are_importable(const struct th_model *a, const struct th_model *b)
{
  const struct th_origin *x = &a->origin;
  const struct th_origin *y = &b->origin;
  bool listed = a->names.list == b->names.list;
  bool by_name =
      a->name != NULL && b->name != NULL && x->words == 0 && y->words == 0;
  return same_text(x->format, y->format) && same_text(a->type, b->type) &&
         same_text(x->missing.words, y->missing.words) &&
         x->decimal == y->decimal && x->zero_based == y->zero_based &&
         x->indexed == y->indexed && (a->name == NULL) == (b->name == NULL) &&
         (a->allele == NULL) == (b->allele == NULL) &&
         (listed ? a->attributes - a->covariates.count ==
                       b->attributes - b->covariates.count
                 : by_name);
}

static int64_t count_wanted(const struct th_model *model)
{
  return th_model_members_below(model,
                                model->attributes - model->covariates.count);
}

/* In the order of the attributes, or of indices, or of names. */
static uint64_t wanted_key(const struct th_model_list *list,
                           const struct th_model *model, int64_t k)
{
  bool listed = true;
  for (int64_t m = 0; m < list->count; m++)
    listed = listed && list->model[m].names.list == model->names.list;
  if (listed)
    return (uint64_t)model->support[k];
  return model->origin.indexed == TH_FACT_YES
             ? strtoull(model->name[k], NULL, 10)
             : 0;
}

static th_status list_wanted(const struct th_model_list *list,
                             struct th_model *all, struct wanted *wanted,
                             int64_t count, struct th_error *err)
{
  const bool alleles = list->model[0].allele != NULL;
  th_status rc;
  TH_TRY(TH_NEW(&all->support, count, "the supports", err));
  TH_TRY(TH_NEW(&all->name, count, "the supports", err));
  if (alleles) {
    TH_TRY(TH_NEW(&all->allele, count, "the supports", err));
    TH_TRY(TH_NEW(&all->other, count, "the supports", err));
  }
  for (int64_t k = 0; k < count; k++) {
    if (k > 0 && compare_wanted(&wanted[k - 1], &wanted[k]) == 0)
      continue;
    int64_t to = all->support_size++;
    all->support[to] = to;
    all->name[to] = wanted[k].name;
    if (alleles) {
      all->allele[to] = wanted[k].allele;
      all->other[to] = wanted[k].other;
    }
  }
  all->attributes = all->support_size;
done:
  return rc;
}

th_status th_model_list_like(const struct th_model_list *list,
                             struct th_model *all, struct th_error *err)
{
  const struct th_model *first = &list->model[0];
  struct wanted *wanted = NULL;
  int64_t most = 0;
  int64_t count = 0;
  th_status rc = TH_OK;
  *all = (struct th_model){.origin = first->origin, .type = first->type};
  for (int64_t m = 0; m < list->count; m++) {
    most += count_wanted(&list->model[m]);
    if (!are_importable(first, &list->model[m]))
      return th_fail(err, TH_EUSAGE,
                     "%s and %s were trained on data of other kinds; give one "
                     "at a time, or import the file by thresher import --like",
                     list->path[0], list->path[m]);
  }
  if (first->name == NULL) { /* all attributes, by their numbers */
    all->attributes = first->attributes - first->covariates.count;
    all->support_size = most > 0;
    return TH_NEW(&all->support, 1, "the supports", err);
  }
  TH_TRY(TH_NEW(&wanted, most, "the supports", err));
  for (int64_t m = 0; m < list->count; m++) {
    const struct th_model *model = &list->model[m];
    for (int64_t k = 0; k < count_wanted(model); k++)
      wanted[count++] =
          (struct wanted){wanted_key(list, model, k), model->name[k],
                          model->allele != NULL ? model->allele[k] : NULL,
                          model->other != NULL ? model->other[k] : NULL};
  }
  qsort(wanted, (size_t)count, sizeof *wanted, compare_wanted);
  rc = list_wanted(list, all, wanted, count, err);
done:
  free(wanted);
  return rc;
}

void th_model_list_unlike(struct th_model *all)
{
  TH_FREE(all->support, all->name, all->allele, all->other);
  *all = (struct th_model){0};
}

/* --- Other lambdas of a path ---------------------------------------------- */

/* A copy without a path, certificate, deck and groups; *to is zeroed before. */
static th_status copy_model(struct th_model *to, const struct th_model *from,
                            struct th_error *err)
{
  th_status rc = TH_OK;
  to->solver = th_model_copy_string(from->solver);
  to->loss = th_model_copy_string(from->loss);
  if (from->type != NULL)
    to->type = th_model_copy_string(from->type);
  if (to->solver == NULL || to->loss == NULL ||
      (from->type != NULL && to->type == NULL))
    return th_fail(err, TH_ENOMEM, "no memory for a model");
  to->attributes = from->attributes;
  to->names = from->names;
  to->fingerprint = from->fingerprint;
  TH_TRY(th_origin_file_copy(&to->origin, &from->origin, err));
  TH_TRY(th_covariates_file_copy(&to->covariates, &from->covariates, err));
done:
  return rc;
}

/* The only model at all lambdas of its path, from the largest on. */
static th_status spread_path(struct th_model_list *list, struct th_error *err)
{
  struct th_model_list all = {0};
  struct th_model *from = &list->model[0];
  int64_t points = from->path.points;
  th_status rc;
  TH_TRY(TH_NEW(&all.path, points, "names of models", err));
  TH_TRY(TH_NEW(&all.name, points, "names of models", err));
  TH_TRY(TH_NEW(&all.model, points, "models", err));
  TH_TRY(TH_NEW(&all.lambda, points, "models", err));
  for (; all.count < points; all.count++) {
    int64_t k = all.count;
    struct th_model *to = &all.model[k];
    all.lambda[k] = from->path.lambda[k];
    TH_TRY(th_file_text(&all.path[k], err, "%s", list->path[0]));
    TH_TRY(th_file_text(&all.name[k], err, "lambda=%.6g", all.lambda[k]));
    TH_TRY(copy_model(to, from, err));
    to->path = from->path; /* both are lent */
    to->members = from->members;
    rc = th_model_set_lambda(to, all.lambda[k], err);
    to->path = (struct th_path){0};
    to->members = NULL;
    TH_TRY(rc);
  }
  th_model_list_free(list);
  *list = all;
  all = (struct th_model_list){0};
done:
  all.count = all.model == NULL ? 0 : points;
  th_model_list_free(&all);
  return rc;
}

/* The lambda that is meant, of one model. */
static th_status read_lambda(const struct th_model_list *list, int64_t k,
                             const char *text, double *lambda,
                             struct th_error *err)
{
  const struct th_path *path = &list->model[k].path;
  char *end = NULL;
  if (path->points == 0)
    return th_fail(err, TH_EDATA,
                   "%s keeps no path, so it has one lambda only; train keeps "
                   "one where lambda is chosen, as by solver lasso",
                   list->path[k]);
  *lambda = strtod(text, &end);
  if (strcmp(text, "best") == 0 || strcmp(text, "all") == 0)
    *lambda = path->lambda[path->best];
  else if (strcmp(text, "1se") == 0)
    *lambda = path->lambda[path->one_se];
  else if (end == text || *end != '\0' || !(*lambda > 0) || !isfinite(*lambda))
    return th_fail(err, TH_EUSAGE,
                   "--lambda %s is neither a number above 0 nor best, 1se or "
                   "all",
                   text);
  return TH_OK;
}

th_status th_model_list_set_lambda(struct th_model_list *list, const char *text,
                                   struct th_error *err)
{
  bool all = strcmp(text, "all") == 0;
  double lambda = 0;
  th_status rc;
  if (all && list->count > 1)
    return th_fail(err, TH_EUSAGE,
                   "--lambda all is for one model at a time; give one");
  TH_TRY(read_lambda(list, 0, text, &lambda, err));
  if (all)
    return spread_path(list, err);
  TH_TRY(TH_NEW(&list->lambda, list->count, "models", err));
  for (int64_t k = 0; k < list->count; k++) {
    TH_TRY(read_lambda(list, k, text, &lambda, err));
    TH_TRY(th_model_set_lambda(&list->model[k], lambda, err));
    list->lambda[k] = lambda;
  }
done:
  return rc;
}

void th_model_list_free(struct th_model_list *list)
{
  for (int64_t k = 0; k < list->count; k++)
    th_model_free(&list->model[k]);
  TH_FREE_LIST(list->path, list->count);
  TH_FREE_LIST(list->name, list->count);
  TH_FREE(list->model, list->lambda);
  *list = (struct th_model_list){0};
}
