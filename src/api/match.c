/* match.c - finds the attributes of a model in other data, by name
 * SPDX-License-Identifier: MIT */
#include "api/match.h"

#include "api/covered.h"
#include "api/training_options.h"
#include "base/memory.h"
#include "base/printable.h"
#include "io/dataset/origin_file.h"
#include "io/model/covariates_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct th_name_print name_print_of(const struct th_data *data)
{
  return data->dataset != NULL ? th_dataset_name_print(data->dataset)
                               : (struct th_name_print){0};
}

/* True if the data were made of text that had an attribute of this name, which
 * import left out. */
static bool was_left_out(const struct th_data *data, const char *name)
{
  const struct th_origin *origin = th_dataset_origin(data->dataset);
  for (int64_t k = 0; origin->name != NULL && k < origin->others; k++)
    if (strcmp(origin->name[k], name) == 0)
      return true;
  return false;
}

/* Of the data that the model was trained on. */
static int64_t attributes_of_data(const struct th_model *model)
{
  return model->attributes - model->covariates.count;
}

/* Refuse a name that does not belong to exactly one attribute. */
static th_status refuse_name(const struct th_data *data, const char *name,
                             int64_t place, const char *model,
                             struct th_error *err)
{
  char text[TH_NAME_LONG];
  th_printable_name(name, text, sizeof text);
  if (place == TH_NAME_ABSENT && was_left_out(data, name))
    return th_fail(err, TH_EDATA,
                   "%s: %s was left out by import, as it was told or as too "
                   "many examples lack it, and model %s uses it; import the "
                   "data with {like} the data it was trained on, or with "
                   "{max-missing} 1",
                   data->name, text, model);
  if (place == TH_NAME_ABSENT)
    return th_fail(err, TH_EDATA,
                   "%s: no attribute is named %s, which model %s uses; give "
                   "data that have all attributes of the model's support",
                   data->name, text, model);
  return th_fail(err, TH_EDATA,
                 "%s: %s is the name of more than one attribute, there or in "
                 "model %s; give every attribute a name of its own",
                 data->name, text, model);
}

/* A number of each member of a model's support. */
typedef th_status (*find_members)(const struct th_model *model,
                                  const struct th_data *data, const char *path,
                                  int64_t *found, struct th_error *err);

/* What rank 0 finds, on all ranks; the caller frees *found, also after a
 * failure. Collective. */
static th_status ask_rank_0(find_members find, const struct th_model *model,
                            const struct th_data *data, const char *path,
                            struct th_comm *comm, int64_t **found,
                            struct th_error *err)
{
  int64_t size = model->support_size;
  th_status rc = TH_NEW(found, size, "the support", err);
  if (rc == TH_OK && comm->rank == 0)
    rc = find(model, data, path, *found, err);
  TH_TRY(th_agree(comm, rc, err));
  comm->ops->bcast(comm, *found, (size_t)size * sizeof **found, 0);
done:
  return rc;
}

/* The support is at other places. Collective. */
static th_status move_support(struct th_model *model, const int64_t *place,
                              const struct th_data *data, struct th_comm *comm,
                              struct th_error *err)
{
  return th_agree(
      comm, th_model_renumber(model, place, data->store->shape.attributes, err),
      err);
}

/* Find the model's support in the data. Local: rank 0. */
static th_status find_support(const struct th_model *model,
                              const struct th_data *data, const char *path,
                              int64_t *place, struct th_error *err)
{
  int64_t size = th_model_members_below(model, attributes_of_data(model));
  th_status rc =
      th_dataset_names_find(data->dataset, model->name, size, place, err);
  for (int64_t k = 0; k < size && rc == TH_OK; k++)
    if (place[k] < 0)
      rc = refuse_name(data, model->name[k], place[k], path, err);
  return rc;
}

static bool model_has(const struct th_model *model, const char *option)
{
  for (int64_t k = 0; k < model->settings; k++)
    if (strcmp(model->deck[k].name, option) == 0)
      return true;
  return false;
}

/* Check the other attributes, which verifying needs, too. Local; replicated. */
static th_status check_other_names(const struct th_model *model,
                                   const struct th_data *data, const char *path,
                                   struct th_error *err)
{
  if (name_print_of(data).set != model->names.set)
    return th_fail(
        err, TH_EDATA,
        "%s: its attributes are not those that model %s was trained on, and a "
        "certificate is about all of them; import the data "
        "with {like} the data it was trained on",
        data->name, path);
  if (model->groups.attributes > 0)
    return th_fail(
        err, TH_EDATA,
        "%s: its attributes are in another order than those that model %s was "
        "trained on, and groups depend on the order; import "
        "the data with {like} the data it was trained on",
        data->name, path);
  if (model_has(model, "unpenalised") || model_has(model, "lower") ||
      model_has(model, "upper"))
    return th_fail(
        err, TH_EDATA,
        "%s: its attributes are in another order than those that model %s was "
        "trained on, and those without a penalty, or with bounds, go by their "
        "numbers; import "
        "the data with {like} the data it was trained on",
        data->name, path);
  return TH_OK;
}

static void note(const struct th_data *data, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void note(const struct th_data *data, const char *format, ...)
{
  char text[TH_ERROR_TEXT];
  va_list args;
  if (data->note == NULL)
    return;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  th_error_one_line(text);
  data->note(text);
}

static void tell_moved(const struct th_model *model, const struct th_data *data,
                       const int64_t *place)
{
  int64_t moved = 0;
  int64_t size = th_model_members_below(model, attributes_of_data(model));
  for (int64_t k = 0; k < size; k++)
    moved += place[k] != model->support[k];
  note(data,
       "attributes matched by name: %" PRId64 " of %" PRId64
       " are at other places",
       moved, size);
}

/* --- Alleles that have changed places --------------------------------------
 */

static th_status refuse_alleles(const struct th_model *model, int64_t k,
                                const struct th_variant *here,
                                const struct th_data *data, const char *path,
                                struct th_error *err)
{
  char text[TH_NAME_LONG];
  return th_fail(
      err, TH_EDATA,
      "%s: %s has the alleles %.20s and %.20s, and %.20s and %.20s "
      "in model %s; give it another ID in the data",
      data->name, th_printable_name(model->name[k], text, sizeof text),
      here->counted, here->other, model->allele[k], model->other[k], path);
}

/* Which members' values are copies of the other allele in the data. Local: rank
 * 0. */
static th_status compare_members(const struct th_model *model,
                                 const struct th_data *data, const char *path,
                                 int64_t *swapped, struct th_error *err)
{
  struct th_variants variants = {0};
  th_status rc = TH_OK;
  if (model->allele == NULL || model->name == NULL)
    return TH_OK;
  TH_TRY(th_dataset_variants(data->dataset, &variants, err));
  if (variants.count == 0)
    note(data, "%s does not say which alleles it counts; model %s does",
         data->name, path);
  for (int64_t k = 0;
       k < th_model_members_below(model, th_data_attributes(data)) &&
       variants.count > 0;
       k++) {
    const struct th_variant *here = &variants.variant[model->support[k]];
    const struct th_variant there = {.counted = model->allele[k],
                                     .other = model->other[k]};
    if (there.counted[0] == '\0')
      continue; /* no variant */
    enum th_variants_fit fit = th_variants_compare(here, &there);
    swapped[k] = fit == TH_VARIANTS_SWAPPED;
    if (fit == TH_VARIANTS_DIFFER) {
      rc = refuse_alleles(model, k, here, data, path, err);
      break;
    }
  }
done:
  th_variants_free(&variants);
  return rc;
}

/* Of x copies of one allele 2 - x are of the other one. Local; replicated. */
static int64_t turn_members(struct th_model *model, const int64_t *swapped)
{
  int64_t turned = 0;
  for (int64_t k = 0; k < model->support_size; k++) {
    if (swapped[k] == 0)
      continue;
    model->intercept += 2 * model->coef[k];
    model->coef[k] = -model->coef[k];
    if (model->mean != NULL)
      model->mean[k] = 2 - model->mean[k];
    turned++;
  }
  return turned;
}

/* The model counts the alleles of the data, by whose attributes it goes.
 * Collective. */
static th_status match_alleles(struct th_model *model, struct th_data *data,
                               enum th_match_part part, const char *path,
                               struct th_comm *comm, struct th_error *err)
{
  int64_t size = model->support_size;
  int64_t *swapped = NULL;
  th_status rc;
  TH_TRY(ask_rank_0(compare_members, model, data, path, comm, &swapped, err));
  int64_t turned = turn_members(model, swapped);
  if (turned > 0 && part == TH_MATCH_ALL)
    rc = th_fail(err, TH_EDATA,
                 "%s: A1 and A2 of %" PRId64 " of the %" PRId64
                 " variants of model %s have changed places; import the data "
                 "with {like} the data it was trained on",
                 data->name, turned, size, path);
  else if (turned > 0)
    note(data,
         "A1 and A2 of %" PRId64 " of the %" PRId64
         " variants of %s have changed places; their coefficients are turned",
         turned, size, path);
done:
  free(swapped);
  return rc;
}

/* --- By name, or by number -------------------------------------------------
 */

/* Members that are covariates have their places among those of the data. */
static void place_covariates(const struct th_model *model,
                             const struct th_data *data, int64_t *place)
{
  int64_t d = attributes_of_data(model);
  for (int64_t k = th_model_members_below(model, d); k < model->support_size;
       k++)
    place[k] =
        th_covered_first(data, &model->covariates) + model->support[k] - d;
}

/* Collective. */
static th_status match_support(struct th_model *model, struct th_data *data,
                               enum th_match_part part, const char *path,
                               struct th_comm *comm, struct th_error *err)
{
  int64_t *place = NULL;
  th_status rc;
  TH_TRY(ask_rank_0(find_support, model, data, path, comm, &place, err));
  if (part == TH_MATCH_ALL)
    TH_TRY(check_other_names(model, data, path, err));
  place_covariates(model, data, place);
  tell_moved(model, data, place);
  rc = move_support(model, place, data, comm, err);
done:
  free(place);
  return rc;
}

/* --- Attributes that are called by indices --------------------------------
 *
 * What sparse text does not mention is 0, so data need not have all indices. */

bool th_match_indexed(const struct th_data *data)
{
  return data->dataset != NULL &&
         th_dataset_origin(data->dataset)->indexed == TH_FACT_YES;
}

/* Attributes without names are indices, too, counted from the first one. */
static bool counts_indices(const struct th_origin *origin, uint64_t list)
{
  return list == 0 && origin->format != NULL &&
         strcmp(origin->format, "libsvm") == 0;
}

/* True if the attributes of both are indices, and of one of them are called so.
 */
static bool by_index(const struct th_model *model, const struct th_data *data)
{
  bool here = model->origin.indexed == TH_FACT_YES;
  bool there = th_match_indexed(data);
  if (data->dataset == NULL || here == there)
    return here && there;
  return here ? counts_indices(th_dataset_origin(data->dataset),
                               name_print_of(data).list)
              : counts_indices(&model->origin, model->names.list);
}

static uint64_t first_index(const struct th_origin *origin)
{
  return origin->zero_based == TH_FACT_YES ? 0 : 1;
}

/* The support by the names of its indices. */
static th_status find_called(const struct th_model *model,
                             const struct th_data *data, int64_t *place,
                             struct th_error *err)
{
  enum { DIGITS = 20 };
  int64_t size = th_model_members_below(model, attributes_of_data(model));
  char *room = NULL;
  char **name = NULL;
  th_status rc = TH_OK;
  if (model->name != NULL)
    return th_dataset_names_find(data->dataset, model->name, size, place, err);
  TH_TRY(TH_NEW(&room, size * (DIGITS + 1), "names", err));
  TH_TRY(TH_NEW(&name, size, "names", err));
  for (int64_t k = 0; k < size; k++) {
    name[k] = room + k * (DIGITS + 1);
    snprintf(name[k], DIGITS + 1, "%" PRIu64,
             (uint64_t)model->support[k] + first_index(&model->origin));
  }
  rc = th_dataset_names_find(data->dataset, name, size, place, err);
done:
  TH_FREE(room, name);
  return rc;
}

/* The support of a model whose attributes are called by indices, in data that
 * count them. */
static void find_counted(const struct th_model *model,
                         const struct th_data *data, int64_t *place)
{
  uint64_t first = first_index(th_dataset_origin(data->dataset));
  uint64_t count = (uint64_t)th_data_attributes(data);
  int64_t size = th_model_members_below(model, attributes_of_data(model));
  for (int64_t k = 0; k < size; k++) {
    char *end = NULL;
    errno = 0;
    uint64_t index = strtoull(model->name[k], &end, 10);
    bool there = errno == 0 && end != model->name[k] && *end == '\0' &&
                 index >= first && index - first < count;
    place[k] = there ? (int64_t)(index - first) : TH_NAME_ABSENT;
  }
}

/* Local: rank 0. */
static th_status find_indices(const struct th_model *model,
                              const struct th_data *data, const char *path,
                              int64_t *place, struct th_error *err)
{
  int64_t size = th_model_members_below(model, attributes_of_data(model));
  int64_t found = 0;
  th_status rc = TH_OK;
  if (th_match_indexed(data))
    TH_TRY(find_called(model, data, place, err));
  else
    find_counted(model, data, place);
  for (int64_t k = 0; k < size; k++)
    found += place[k] >= 0;
  if (found == 0 && size > 0)
    return th_fail(err, TH_EDATA,
                   "%s: none of the %lld indices that model %s uses occurs; "
                   "give data of the same kind",
                   data->name, (long long)size, path);
  if (found < size)
    note(data,
         "attributes matched by index: %" PRId64 " of %" PRId64
         " do not occur in %s, and are 0 there",
         size - found, size, data->name);
  else
    note(data, "attributes matched by index");
done:
  return rc;
}

/* Collective. */
static th_status match_indices(struct th_model *model, struct th_data *data,
                               enum th_match_part part, const char *path,
                               struct th_comm *comm, struct th_error *err)
{
  int64_t *place = NULL;
  th_status rc = TH_OK;
  if (part == TH_MATCH_ALL)
    TH_TRY(check_other_names(model, data, path, err));
  TH_TRY(ask_rank_0(find_indices, model, data, path, comm, &place, err));
  place_covariates(model, data, place);
  rc = move_support(model, place, data, comm, err);
done:
  free(place);
  return rc;
}

/* --- Attributes that import left out ---------------------------------------
 */

static th_status refuse_lacking(const struct th_model *model, int64_t k,
                                const struct th_data *data, const char *path,
                                struct th_error *err)
{
  char text[TH_NAME_LONG];
  if (model->name != NULL)
    th_printable_name(model->name[k], text, sizeof text);
  else
    snprintf(text, sizeof text, "attribute %" PRId64 ", counted from 0,",
             model->support[k]);
  return th_fail(err, TH_EDATA,
                 "%s: %s was left out by import, as too many examples lack it, "
                 "and model %s uses it; import the data with {like} the data "
                 "it was trained on, or with {max-missing} 1",
                 data->name, text, path);
}

/* Local: rank 0. */
static th_status find_lacking(const struct th_model *model,
                              struct th_data *data, const char *path,
                              struct th_error *err)
{
  const int64_t attributes = th_data_attributes(data);
  unsigned char *lacking = NULL;
  th_status rc = th_dataset_lacking(data->dataset, &lacking, err);
  for (int64_t k = 0; lacking != NULL && rc == TH_OK && k < model->support_size;
       k++)
    if (model->support[k] < attributes && lacking[model->support[k]] != 0)
      rc = refuse_lacking(model, k, data, path, err);
  free(lacking);
  return rc;
}

/* Their values are zeros, of which a model knows nothing. Collective. */
static th_status check_lacking(const struct th_model *model,
                               struct th_data *data, const char *path,
                               struct th_comm *comm, struct th_error *err)
{
  th_status rc = TH_OK;
  if (comm->rank == 0 && data->dataset != NULL)
    rc = find_lacking(model, data, path, err);
  return th_agree(comm, rc, err);
}

/* --- Attributes of a table beside the data ----------------------------------
 */

/* Local, replicated. */
static th_status need_covariates(const struct th_model *model,
                                 const struct th_data *data, const char *path,
                                 struct th_error *err)
{
  enum { SHOWN = 4, ROOM = 64 };
  const struct th_covariates *c = &model->covariates;
  char list[SHOWN * ROOM] = "";
  size_t used = 0;
  if (c->count == 0 || th_covered_first(data, c) >= 0)
    return TH_OK;
  for (int64_t k = 0; k < c->count && k < SHOWN; k++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%.40s",
                             k > 0 ? ", " : "", c->name[k]);
  return th_fail(err, TH_EUSAGE,
                 "model %s has covariates (%s%s)%s; give a table with them by "
                 "{covariates} TABLE",
                 path, list, c->count > SHOWN ? ", .." : "",
                 data->covered != NULL ? ", and the data have other ones" : "");
}

/* The attributes go by their numbers, and behind them come the covariates.
 * Local, replicated. */
static th_status renumber_covariates(struct th_model *model,
                                     const struct th_data *data,
                                     struct th_error *err)
{
  int64_t *place = NULL;
  const int64_t d = attributes_of_data(model);
  if (data->covered == NULL || d != th_data_attributes(data))
    return TH_OK; /* the caller compares the numbers of attributes */
  th_status rc = TH_NEW(&place, model->support_size, "the support", err);
  for (int64_t k = 0; rc == TH_OK && k < th_model_members_below(model, d); k++)
    place[k] = model->support[k];
  if (rc == TH_OK) {
    place_covariates(model, data, place);
    rc = th_model_renumber(model, place, data->store->shape.attributes, err);
  }
  free(place);
  return rc;
}

th_status th_match(struct th_model *model, struct th_data *data,
                   enum th_match_part part, const char *path,
                   struct th_comm *comm, struct th_error *err)
{
  uint64_t there = name_print_of(data).list;
  uint64_t here = model->names.list;
  th_status rc = TH_OK;
  bool named = here != 0 && there != 0;
  bool indices = here != there && by_index(model, data);
  if (model->fingerprint == data->store->fingerprint)
    return TH_OK;
  TH_TRY(need_covariates(model, data, path, err));
  if (indices)
    rc = match_indices(model, data, part, path, comm, err);
  else if (here != there && named)
    rc = match_support(model, data, part, path, comm, err);
  else
    rc = th_agree(comm, renumber_covariates(model, data, err), err);
  if (rc == TH_OK && named)
    rc = match_alleles(model, data, part, path, comm, err);
  if (rc == TH_OK)
    rc = check_lacking(model, data, path, comm, err);
  if (rc != TH_OK || here == there || named || indices)
    return rc;
  if (model->attributes == data->store->shape.attributes)
    note(data,
         "attributes matched by number: %s has no names of attributes, %s has",
         here == 0 ? path : data->name, here == 0 ? data->name : path);
done:
  return rc;
}

/* Local: rank 0. */
static th_status find_names(struct th_data *data, char *const *name,
                            int64_t count, int64_t *attribute,
                            const char *where, struct th_error *err)
{
  char text[TH_NAME_LONG];
  th_status rc =
      th_dataset_names_find(data->dataset, name, count, attribute, err);
  for (int64_t k = 0; k < count && rc == TH_OK; k++)
    if (attribute[k] < 0)
      rc = th_fail(err, TH_EUSAGE, "%s: %s %s", where,
                   th_printable_name(name[k], text, sizeof text),
                   attribute[k] == TH_NAME_ABSENT
                       ? strcmp(where, "{start}") == 0
                             ? "is neither a file nor the name of an attribute"
                             : "is not the name of an attribute"
                       : "is there twice, or names more than one attribute");
  return rc;
}

bool th_match_named(const struct th_data *data)
{
  return name_print_of(data).list != 0;
}

th_status th_match_names(struct th_data *data, char *const *name, int64_t count,
                         int64_t *attribute, const char *where,
                         struct th_comm *comm, struct th_error *err)
{
  th_status rc = TH_OK;
  if (comm->rank == 0)
    rc = find_names(data, name, count, attribute, where, err);
  TH_TRY(th_agree(comm, rc, err));
  comm->ops->bcast(comm, attribute, (size_t)count * sizeof *attribute, 0);
done:
  return rc;
}

/* What all words are called that the data have: a model uses only some. */
static th_status take_levels(struct th_model *model, struct th_data *data,
                             struct th_error *err)
{
  struct th_origin *origin = &model->origin;
  const char *word = NULL;
  char **name = NULL;
  int64_t count = 0;
  th_status rc = TH_OK;
  if (origin->words == 0)
    return rc;
  TH_TRY(th_dataset_names(data->dataset, &name, err));
  if (name == NULL)
    goto done;
  TH_TRY(TH_NEW(&origin->level, origin->levels, "words", err));
  for (int64_t k = 0; k < th_data_attributes(data); k++) {
    if (th_origin_word_column(origin, name[k], &word) == NULL)
      continue;
    if (count < origin->levels)
      origin->level[count] = th_model_copy_string(name[k]);
    count++;
  }
  if (count != origin->levels) { /* an attribute is called like a word */
    TH_FREE_LIST(origin->level, origin->levels);
    origin->level = NULL;
  }
done:
  free(name);
  return rc;
}

/* What text like that of the data is to be read by. The columns that were left
 * out go by their places; their names are the data's. Local: rank 0. */
static th_status take_origin(struct th_model *model, struct th_data *data,
                             struct th_error *err)
{
  struct th_origin origin = *th_dataset_origin(data->dataset);
  origin.name = NULL;
  th_status rc = th_origin_file_copy(&model->origin, &origin, err);
  if (rc == TH_OK)
    rc = take_levels(model, data, err);
  if (rc != TH_OK || origin.format == NULL)
    return rc; /* computed data have no text, and give the same models */
  model->type = th_model_copy_string(th_type_name(data->store->shape.type));
  return model->type != NULL ? TH_OK
                             : th_fail(err, TH_ENOMEM, "no memory for a name");
}

/* The alleles of attributes that are variants. */
static th_status take_alleles(struct th_model *model, struct th_data *data,
                              struct th_error *err)
{
  struct th_variants variants = {0};
  int64_t size = model->support_size;
  th_status rc = th_dataset_variants(data->dataset, &variants, err);
  const struct th_variant none = {.counted = (char *)"", .other = (char *)""};
  if (rc == TH_OK && variants.count > 0) {
    rc = TH_NEW(&model->allele, size, "alleles", err);
    if (rc == TH_OK)
      rc = TH_NEW(&model->other, size, "alleles", err);
  }
  for (int64_t k = 0; rc == TH_OK && variants.count > 0 && k < size; k++) {
    const struct th_variant *variant =
        model->support[k] < variants.count
            ? &variants.variant[model->support[k]]
            : &none;
    model->allele[k] = th_model_copy_string(variant->counted);
    model->other[k] = th_model_copy_string(variant->other);
    if (model->allele[k] == NULL || model->other[k] == NULL)
      rc = th_fail(err, TH_ENOMEM, "no memory for alleles");
  }
  th_variants_free(&variants);
  return rc;
}

/* Local: rank 0, where data have names. */
static th_status label_support(struct th_model *model, struct th_data *data,
                               struct th_error *err)
{
  int64_t size = model->support_size;
  th_status rc;
  TH_TRY(TH_NEW(&model->name, size, "names", err));
  TH_TRY(th_covered_names_of(data, model->support, size, model->name, err));
  TH_TRY(take_alleles(model, data, err));
done:
  return rc;
}

th_status th_match_label(struct th_model *model, struct th_data *data,
                         struct th_comm *comm, struct th_error *err)
{
  th_status rc = TH_OK;
  model->names = name_print_of(data);
  if (comm->rank == 0 && data->dataset != NULL)
    rc = take_origin(model, data, err);
  if (comm->rank == 0 && rc == TH_OK && data->covered != NULL)
    rc = th_covariates_file_copy(&model->covariates, th_covered_of(data), err);
  if (rc == TH_OK && comm->rank == 0 && model->names.list != 0)
    rc = label_support(model, data, err);
  if (rc == TH_OK && comm->rank == 0 && model->names.list != 0 &&
      model->path.points > 0)
    rc = label_support(model->members, data, err);
  return th_agree(comm, rc, err);
}
