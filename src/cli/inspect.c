/* inspect.c - the command that describes a data set or a model
 * SPDX-License-Identifier: MIT */
#include "api/match.h"
#include "api/training.h"
#include "api/training_options.h"
#include "base/memory.h"
#include "base/printable.h"
#include "base/search.h"
#include "cli/commands.h"
#include "cli/options/options.h"
#include "cli/shared/columns.h"
#include "cli/shared/input.h"
#include "cli/shared/json.h"
#include "cli/shared/model_text.h"
#include "cli/shared/path_text.h"
#include "cli/shared/wording.h"
#include "io/dataset/format.h"
#include "io/dataset/residency/dataset.h"
#include "io/model/model_file.h"
#include "model/model.h"
#include "ranks/team.h"
#include "solvers/driver/train.h"
#include "solvers/greedy/irrepresentable.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Mu_S of a model's support, on a data set (inspect --data) ------------ */

/* mu_S and who has it; data NULL: not asked for. */
struct th_explained {
  const char *data; /* the file; borrowed */
  double mu;
  double least; /* eigenvalues of the support's covariance */
  double most;
  int64_t attribute; /* of the data; -1: S has all of them */
};

/* How the model's solver saw the data; yes where its deck does not say. */
static bool was_on(const struct th_model *model, const char *name)
{
  for (int64_t k = 0; k < model->settings; k++)
    if (strcmp(model->deck[k].name, name) == 0)
      return strcmp(model->deck[k].value, "no") != 0;
  return true;
}

static th_status open_data(struct th_data *data, struct th_model *model,
                           const struct th_options *options, int64_t memory,
                           struct th_comm *comm, struct th_error *err)
{
  const char *path = options->checks.data;
  th_status rc;
  TH_TRY(th_input_open(data, options, "inspect", path, memory, comm, err));
  TH_TRY(th_data_need_targets(data, "inspect --data", path, err));
  TH_TRY(
      th_match(model, data, TH_MATCH_SUPPORT, options->argument[0], comm, err));
  if (data->store->shape.attributes != model->attributes)
    rc = th_fail(err, TH_EDATA,
                 "model %s is for %lld attributes, data set %s has %lld",
                 options->argument[0], (long long)model->attributes, path,
                 (long long)data->store->shape.attributes);
done:
  return rc;
}

static th_status explain(struct th_explained *explained,
                         const struct th_model *model, struct th_data *data,
                         struct th_comm *comm, struct th_error *err)
{
  struct th_profile profile = {.comm = comm};
  struct th_plan plan;
  struct th_config config = th_config_default();
  struct th_irrepresentable question = {.support = model->support,
                                        .size = model->support_size};
  struct th_store *store = data->store;
  config.solver = "omp";
  config.loss = "squared";
  config.sparsity = model->support_size;
  config.standardize = was_on(model, "standardize");
  config.intercept = was_on(model, "intercept");
  th_status rc;
  TH_TRY(th_train_plan(
      &config,
      (struct th_plan_size){.shape = &store->shape,
                            .ranks = comm->size,
                            .owned = th_store_most_owned(store, comm->size)},
      &plan, err));
  TH_TRY(th_irrepresentable_find(&question, &plan, store, comm, &profile, err));
  explained->mu = question.mu;
  explained->attribute = question.attribute;
  explained->least = question.least;
  explained->most = question.most;
done:
  return rc;
}

/* Compute it on the training examples of options->checks.data, or note that
 * it was not asked for. A model without attributes has 0. The model's support
 * gets the numbers of the data. Collective. TH_EDATA for a model of other
 * attributes, and failures of th_irrepresentable_find. */
static th_status explained_find(struct th_explained *explained,
                                struct th_model *model,
                                const struct th_options *options,
                                struct th_comm *comm, struct th_error *err)
{
  struct th_data data = {0};
  int64_t share = 0;
  th_status rc;
  *explained =
      (struct th_explained){.data = options->checks.data, .attribute = -1};
  if (explained->data == NULL || model->support_size == 0)
    return TH_OK;
  share = th_team_memory_share(comm);
  TH_TRY(open_data(&data, model, options,
                   th_options_memory_to_keep(options, share), comm, err));
  TH_TRY(explain(explained, model, &data, comm, err));
done:
  th_data_close(&data);
  return rc;
}

/* Add mu and mu_attribute; print them. Nothing where not asked for. Local. */
static void explained_json(json_t *object, const struct th_explained *explained)
{
  if (explained->data == NULL)
    return;
  th_json_real(object, "mu", explained->mu);
  json_object_set_new(object, "mu_attribute",
                      explained->attribute < 0
                          ? json_null()
                          : json_integer(explained->attribute));
  json_object_set_new(object, "eigenvalues",
                      json_pack("[f, f]", explained->least, explained->most));
}

static void explained_print(const struct th_explained *explained)
{
  if (explained->data == NULL)
    return;
  printf("mu:          %.4g on ", explained->mu);
  th_printable_put(stdout, explained->data);
  if (explained->attribute >= 0)
    printf(", of attribute %" PRId64, explained->attribute);
  printf(explained->mu < 1
             ? "; below 1, so that pursuit finds such a support from enough "
               "examples\n"
             : "; 1 or more, so that pursuit can be misled\n");
  printf("eigenvalues: %.4g to %.4g, of the covariance of its attributes\n",
         explained->least, explained->most);
}

/* --- Describes a model ---------------------------------------------------- */

static json_t *ledger_json(const struct th_model *model)
{
  const struct th_ledger *ledger = &model->ledger;
  json_t *o = json_object();
  th_json_int(o, "examples", ledger->examples);
  th_json_int(o, "attributes", ledger->attributes);
  th_json_int(o, "distinct_attributes", ledger->distinct_attributes);
  th_json_int(o, "max_attributes_per_example",
              ledger->max_attributes_per_example);
  th_json_int(o, "validation_examples", ledger->validation_examples);
  th_json_int(o, "validation_attributes", ledger->validation_attributes);
  if (ledger->unpenalised_attributes > 0)
    th_json_int(o, "unpenalised_attributes", ledger->unpenalised_attributes);
  th_json_text(o, "statistics", model->statistics);
  return o;
}

/* A text for each member of the support, where they are known. */
static void add_texts(json_t *o, const char *key, char *const *text,
                      int64_t count)
{
  json_t *list = text != NULL ? json_array() : NULL;
  for (int64_t k = 0; text != NULL && k < count; k++)
    json_array_append_new(list, th_json_string(text[k]));
  if (list != NULL)
    json_object_set_new(o, key, list);
}

/* Names and coefficients per deviation of their attribute; null where they are
 * not known. */
static void add_support_json(json_t *o, const struct th_model *model)
{
  bool named = th_model_has_names(model);
  json_t *names = named ? json_array() : json_null();
  json_t *standardized = model->deviation != NULL ? json_array() : json_null();
  for (int64_t k = 0; k < model->support_size; k++) {
    const char *name = th_model_name_of(model, k);
    if (named)
      json_array_append_new(names,
                            name != NULL ? th_json_string(name) : json_null());
    double coef =
        model->deviation != NULL ? model->coef[k] * model->deviation[k] : NAN;
    if (model->deviation != NULL)
      json_array_append_new(standardized,
                            isfinite(coef) ? json_real(coef) : json_null());
  }
  json_object_set_new(o, "names", names);
  add_texts(o, "counted_alleles", model->allele, model->support_size);
  add_texts(o, "other_alleles", model->other, model->support_size);
  json_object_set_new(o, "standardized_coef", standardized);
}

/* Attributes of a table beside the data: their numbers, names, and what stands
 * for a value that is missing. */
static void add_covariates_json(json_t *o, const struct th_model *model)
{
  const struct th_covariates *c = &model->covariates;
  json_t *all = json_array();
  for (int64_t k = 0; k < c->count; k++) {
    json_t *one = json_object();
    th_json_int(one, "attribute", model->attributes - c->count + k);
    th_json_text(one, "name", c->name[k]);
    th_json_real(one, "mean", c->mean[k]);
    json_array_append_new(all, one);
  }
  if (c->count > 0)
    json_object_set_new(o, "covariates", json_incref(all));
  json_decref(all);
}

/* The name of a member of the support where the data have names, else the
 * number. */
static json_t *attribute_json(const struct th_model *model, int64_t attribute)
{
  int64_t k = th_search_i64(model->support, 0, model->support_size, attribute);
  bool member = k < model->support_size && model->support[k] == attribute;
  return member && model->name != NULL ? th_json_string(model->name[k])
                                       : json_integer(attribute);
}

/* The attributes without a penalty, which the deck lists by number. */
static json_t *unpenalised_json(const struct th_model *model)
{
  json_t *list = json_array();
  for (int64_t k = 0; k < model->settings; k++) {
    char *at = model->deck[k].value;
    bool more = strcmp(model->deck[k].name, "unpenalised") == 0;
    while (more) {
      char *end = at;
      int64_t attribute = strtoll(at, &end, 10);
      if (end != at)
        json_array_append_new(list, attribute_json(model, attribute));
      more = end != at && *end == ',';
      at = end + 1;
    }
  }
  return list;
}

static json_t *model_json(const struct th_model *model,
                          const struct th_explained *explained)
{
  json_t *o = json_object();
  json_t *support = json_array();
  json_t *coef = json_array();
  for (int64_t k = 0; k < model->support_size; k++) {
    json_array_append_new(support, json_integer(model->support[k]));
    json_array_append_new(coef, json_real(model->coef[k]));
  }
  th_json_text(o, "kind", "model");
  th_json_text(o, "solver", model->solver);
  th_model_text_loss_json(o, model);
  th_json_int(o, "attributes", model->attributes);
  json_object_set_new(o, "support", support);
  json_object_set_new(o, "coef", coef);
  add_support_json(o, model);
  json_object_set_new(o, "unpenalised", unpenalised_json(model));
  add_covariates_json(o, model);
  th_json_real(o, "intercept", model->intercept);
  th_json_int(o, "passes", model->passes);
  json_object_set_new(o, "ledger", ledger_json(model));
  json_object_set_new(o, "deck", th_model_text_deck_json(model));
  th_json_hex(o, "dataset_fingerprint", model->fingerprint);
  th_model_text_origin_json(o, &model->origin);
  th_model_text_certificate_json(o, &model->certificate);
  if (model->certificate.lambda > 0)
    th_path_text_json(o, model);
  th_model_text_ending_json_model(o, model);
  th_model_text_selected_json(o, model);
  th_model_text_ending_by_json(o, model);
  explained_json(o, explained);
  return o;
}

/* The model's deck as a deck that train accepts. Of two options of one name,
 * the row that a deck means has it. */
static void print_deck(const struct th_model *model)
{
  int count = th_option_table_count();
  const char *section = "";
  for (int row = 0; row < count; row++) {
    for (int64_t k = 0; k < model->settings; k++) {
      if (th_option_table_find(model->deck[k].name) != row)
        continue;
      if (strcmp(section, th_option_table_row(row)->section) != 0)
        printf("[%s]\n", th_option_table_row(row)->section);
      section = th_option_table_row(row)->section;
      printf("%s = ", th_option_table_row(row)->name);
      th_printable_put(stdout, model->deck[k].value);
      putchar('\n');
    }
  }
}

/* A line for each: number, coefficient, the same per deviation, name. */
static void print_support_table(const struct th_model *model)
{
  const bool named = th_model_has_names(model);
  const int width = named ? 22 : 0;
  char text[TH_NAME_LONG];
  printf("support:     %" PRId64 " attribute%s\n", model->support_size,
         th_wording_s(model->support_size));
  if (model->support_size > 0 && model->deviation != NULL)
    printf("%12s  %-22s  %-*s%s\n", "attribute", "coefficient", width,
           "standardized", named ? "  name" : "");
  for (int64_t k = 0; k < model->support_size; k++) {
    printf("%12" PRId64 "  ", model->support[k]);
    if (model->deviation != NULL)
      printf("%-22.17g  %-*.10g", model->coef[k], width,
             model->coef[k] * model->deviation[k]);
    else
      printf("%.17g", model->coef[k]);
    const char *name = th_model_name_of(model, k);
    if (name != NULL)
      printf("  %s", th_printable_name(name, text, sizeof text));
    putchar('\n');
  }
}

/* What other text is read by. */
static void print_origin(const struct th_origin *origin)
{
  enum { TEXT_AT = 13 };
  if (origin->target_name != NULL) {
    fputs("target:      ", stdout);
    th_printable_put(stdout, origin->target_name);
    putchar('\n');
  }
  if (origin->positive_class != NULL) {
    fputs("classes:     1 is '", stdout);
    th_printable_put(stdout, origin->positive_class);
    puts("', -1 all others");
  }
  th_model_text_origin_print(TEXT_AT, origin);
}

static void print_model(const struct th_model *model,
                        const struct th_explained *explained)
{
  const struct th_ledger *ledger = &model->ledger;
  printf("model:       %s, %s loss, %" PRId64 " attribute%s\n", model->solver,
         model->loss, model->attributes, th_wording_s(model->attributes));
  th_model_text_loss_print(stdout, "loss:        ", model);
  printf("trained on:  data set %016" PRIx64, model->fingerprint);
  if (model->passes > 0) /* of solvers under a budget */
    printf(", %" PRId64 " pass%s", model->passes, th_wording_es(model->passes));
  putchar('\n');
  printf("ledger:      %" PRId64 " example%s, %" PRId64
         " attribute%s, at most %" PRId64 " of one\n",
         ledger->examples, th_wording_s(ledger->examples), ledger->attributes,
         th_wording_s(ledger->attributes), ledger->max_attributes_per_example);
  if (ledger->distinct_attributes < ledger->attributes)
    printf("             of these %" PRId64 " distinct ones\n",
           ledger->distinct_attributes);
  if (ledger->unpenalised_attributes > 0)
    printf("             and %" PRId64 " without a penalty\n",
           ledger->unpenalised_attributes);
  printf("validation:  %" PRId64 " example%s, %" PRId64 " attribute%s\n",
         ledger->validation_examples, th_wording_s(ledger->validation_examples),
         ledger->validation_attributes,
         th_wording_s(ledger->validation_attributes));
  printf("statistics:  %s\n",
         model->statistics == NULL ? "none" : model->statistics);
  print_origin(&model->origin);
  th_model_text_certificate_print(stdout, &model->certificate);
  th_path_text_print(stdout, model);
  th_model_text_ending_print(stdout, "end:         ", model);
  th_model_text_selected_print(stdout, "selection:   ", model);
  th_model_text_ending_by_print(stdout, "ended by:    ", model);
  explained_print(explained);
  printf("intercept:   %.17g\n", model->intercept);
  print_support_table(model);
  print_deck(model);
}

/* The path that the model was chosen from. Local. */
static th_status show_path(const struct th_options *options,
                           const struct th_model *model, struct th_error *err)
{
  if (model->path.points == 0)
    return th_fail(err, TH_EDATA,
                   "%s keeps no path; train keeps one where lambda is chosen, "
                   "as by solver lasso",
                   options->argument[0]);
  if (!options->json) {
    th_path_text_print(stdout, model);
    th_path_text_chosen(stdout, "chosen: ", model);
    return th_path_text_print_entered(stdout, model, err);
  }
  json_t *o = json_object();
  th_json_text(o, "kind", "path");
  th_path_text_json(o, model);
  th_path_text_json_entered(o, model);
  return th_json_print(stdout, o, JSON_INDENT(2), err);
}

/* Print the model in the first argument, as text or JSON, on rank 0.
 * Collective. TH_EDATA and TH_EUSAGE where --data does not fit, TH_EFORMAT,
 * TH_EIO, TH_ENOMEM, and of reading data TH_EARG, TH_EBUDGET, TH_ENUMERIC. */
static th_status inspect_model(const struct th_options *options,
                               struct th_comm *comm, struct th_error *err)
{
  struct th_model model = {0};
  struct th_explained explained;
  th_status rc;
  TH_TRY(th_model_file_read(&model, comm, options->argument[0], err));
  TH_TRY(explained_find(&explained, &model, options, comm, err));
  if (comm->rank == 0 && options->checks.bytes)
    rc = th_format_check_bytes(options->argument[0], err);
  TH_TRY(th_agree(comm, rc, err));
  if (comm->rank == 0 && options->checks.path)
    rc = show_path(options, &model, err);
  else if (comm->rank == 0 && options->json)
    rc = th_json_print(stdout, model_json(&model, &explained), JSON_INDENT(2),
                       err);
  else if (comm->rank == 0)
    print_model(&model, &explained);
  if (comm->rank == 0 && options->checks.bytes && !options->json)
    printf("check:       every byte is right\n");
  TH_TRY(th_agree(comm, rc, err));
done:
  th_model_free(&model);
  return rc;
}

enum {
  INSPECT_MEMORY = 1 << 26, /* bytes; nothing is read twice */
  TEXT_AT = 14              /* width of the labels of lines */
};

/* A number or a choice, where the family's data have it. */
static void add_own(json_t *o, const struct th_ground_truth *truth, int k)
{
  const struct th_family_parameter *row = th_origin_family_parameter(k);
  char text[32];
  th_origin_family_text(&truth->own, row, text, sizeof text);
  if (th_origin_family_has(truth->family, k) && row->choices != NULL)
    th_json_text(o, row->name, text);
  else if (th_origin_family_has(truth->family, k))
    th_json_real(o, row->name, th_origin_family_get(&truth->own, row));
}

static json_t *truth_json(const struct th_ground_truth *truth)
{
  if (truth == NULL || truth->family[0] == '\0')
    return json_null();
  json_t *o = json_object();
  json_t *support = json_array();
  json_t *coef = json_array();
  for (int64_t k = 0; k < truth->support_size; k++) {
    json_array_append_new(support, json_integer(truth->support[k]));
    json_array_append_new(coef, json_real(truth->coef[k]));
  }
  th_json_text(o, "family", truth->family);
  th_json_int(o, "seed", (int64_t)truth->seed);
  th_json_real(o, "noise", truth->noise);
  for (int k = 0; k < TH_FAMILY_PARAMETERS_COUNT; k++)
    add_own(o, truth, k);
  json_object_set_new(o, "support", support);
  json_object_set_new(o, "coef", coef);
  return o;
}

static json_t *groups_json(const struct th_groups *groups)
{
  if (groups->groups == 0)
    return json_null();
  json_t *o = json_object();
  th_json_int(o, "count", groups->groups);
  th_json_hex(o, "fingerprint", groups->fingerprint);
  return o;
}

/* --- What choosing attributes by their second moments can gain
 *
 * Kukliansky & Shamir 2015, equations 11 and 12: the factors by which the
 * risk bounds of attribute-efficient ridge and lasso shrink where attributes
 * are drawn by their second moments, not uniformly. */

/* 1: all second moments are the same, there is nothing to gain; near 0: few
 * attributes have nearly all of it. NaN where every value is zero, or where
 * moments are not finite. */
struct improvement {
  double ridge; /* (sum sqrt(m))^2 / (d sum m), m = E x^2 of an attribute */
  double lasso; /* sum m / (d max m) */
};

enum { PIECE = 1 << 16 }; /* attributes whose statistics are read at once */

/* Over attributes in ascending order. */
struct sums {
  double squares; /* of m */
  double squares_lost;
  double roots; /* of sqrt(m) */
  double roots_lost;
  double largest;
};

/* Neumaier's compensated sum of terms that are not negative. */
static void add_compensated(double *sum, double *lost, double term)
{
  double total = *sum + term;
  *lost += *sum >= term ? (*sum - total) + term : (term - total) + *sum;
  *sum = total;
}

static void add_moment(struct sums *sums, const struct th_statistics *moments)
{
  double mean = moments->mean;
  double m = mean * mean + moments->deviation * moments->deviation;
  add_compensated(&sums->squares, &sums->squares_lost, m);
  add_compensated(&sums->roots, &sums->roots_lost, sqrt(m));
  sums->largest = fmax(sums->largest, m);
}

static double finite(double value)
{
  return isfinite(value) ? value : NAN;
}

/* Compute both from the store's statistics of all attributes, a few at a time
 * and in their order: the same whatever the shards. Local. */
static th_status compute_improvement(struct improvement *improvement,
                                     struct th_store *store,
                                     struct th_error *err)
{
  const int64_t d = store->shape.attributes;
  struct th_statistics *statistics = NULL;
  struct sums sums = {0};
  th_status rc;
  *improvement = (struct improvement){NAN, NAN};
  TH_TRY(TH_NEW(&statistics, th_min_i64(d, PIECE), "statistics", err));
  for (int64_t first = 0; first < d; first += PIECE) {
    struct th_range part = {first, th_min_i64(first + PIECE, d)};
    TH_TRY(store->ops->statistics(store, part, statistics, err));
    for (int64_t k = 0; k < th_range_count(part); k++)
      add_moment(&sums, &statistics[k]);
  }
  double squares = sums.squares + sums.squares_lost;
  double roots = sums.roots + sums.roots_lost;
  improvement->ridge = finite(roots / squares * (roots / (double)d));
  improvement->lasso = finite(squares / sums.largest / (double)d);
done:
  free(statistics);
  return rc;
}

/* --- A data set ----------------------------------------------------------- */

/* What is known of a data set beyond its master. */
struct findings {
  struct th_groups groups;
  struct improvement improvement;
  struct th_ids ids; /* of the first stored examples; text NULL: none */
  int64_t shown;     /* how many these are */
  int64_t *missing;  /* values of each attribute; NULL: none is */
  char **name; /* of each attribute; one allocation; NULL: they have none */
  bool checked;
};

/* On rank 0: how much is missing, and for JSON the names. Local. */
static th_status look_at_attributes(struct th_dataset *dataset, bool names,
                                    struct findings *findings,
                                    struct th_error *err)
{
  const struct th_shape *shape = &th_dataset_store(dataset)->shape;
  th_status rc = TH_OK;
  if (shape->missing > 0) {
    TH_TRY(
        TH_NEW(&findings->missing, shape->attributes, "missing values", err));
    TH_TRY(th_dataset_missing(dataset, (struct th_range){0, shape->attributes},
                              findings->missing, err));
  }
  if (names)
    TH_TRY(th_dataset_names(dataset, &findings->name, err));
done:
  return rc;
}

/* Add the name and the number of missing values of each attribute; null where
 * there are no names, or nothing is missing. */
static void add_attributes_json(json_t *o, const struct findings *findings,
                                int64_t attributes)
{
  json_t *names = findings->name != NULL ? json_array() : json_null();
  json_t *missing = findings->missing != NULL ? json_array() : json_null();
  for (int64_t a = 0; a < attributes; a++) {
    if (findings->name != NULL)
      json_array_append_new(names, th_json_string(findings->name[a]));
    if (findings->missing != NULL)
      json_array_append_new(missing, json_integer(findings->missing[a]));
  }
  json_object_set_new(o, "names", names);
  json_object_set_new(o, "missing", missing);
}

/* The names of the targets that the data set has: none, or one, which is null
 * where the text had no name for it. */
static json_t *targets_json(const struct th_shape *shape,
                            const struct th_origin *origin)
{
  json_t *targets = json_array();
  if (!shape->unlabelled)
    json_array_append_new(targets, origin->target_name != NULL
                                       ? th_json_string(origin->target_name)
                                       : json_null());
  return targets;
}

/* A line, if values are missing. */
static void print_missing(const struct findings *findings, int64_t attributes)
{
  int64_t values = 0;
  int64_t lacking = 0;
  for (int64_t a = 0; findings->missing != NULL && a < attributes; a++) {
    values += findings->missing[a];
    lacking += findings->missing[a] > 0;
  }
  if (values > 0)
    printf("missing:      %" PRId64 " value%s of %" PRId64 " attribute%s\n",
           values, th_wording_s(values), lacking, th_wording_s(lacking));
}

/* Local: rank 0. */
static th_status look_at_ids(struct th_dataset *dataset,
                             struct findings *findings, struct th_error *err)
{
  enum { SHOWN = 3 };
  int64_t examples = th_dataset_store(dataset)->shape.examples;
  if (!th_dataset_has_ids(dataset))
    return TH_OK;
  findings->shown = examples < SHOWN ? examples : SHOWN;
  return th_dataset_ids(dataset, (struct th_rows){0, findings->shown},
                        &findings->ids, err);
}

static void copy_id(const struct findings *findings, int64_t k,
                    char text[TH_ID_LONGEST + 1])
{
  snprintf(text, TH_ID_LONGEST + 1, "%.*s", (int)findings->ids.width,
           findings->ids.text + (size_t)k * findings->ids.width);
}

/* How many IDs there are, and those of the first stored examples. */
static json_t *ids_json(const struct findings *findings, int64_t examples)
{
  char text[TH_ID_LONGEST + 1];
  if (findings->ids.text == NULL)
    return json_null();
  json_t *o = json_object();
  json_t *first = json_array();
  for (int64_t k = 0; k < findings->shown; k++) {
    copy_id(findings, k, text);
    json_array_append_new(first, th_json_string(text));
  }
  th_json_int(o, "count", examples);
  json_object_set_new(o, "first", first);
  return o;
}

static void print_ids(const struct findings *findings, int64_t examples)
{
  char text[TH_ID_LONGEST + 1];
  if (findings->ids.text == NULL)
    return;
  printf("IDs:          %" PRId64 ", stored first ", examples);
  for (int64_t k = 0; k < findings->shown; k++) {
    copy_id(findings, k, text);
    fputs(k > 0 ? ", '" : "'", stdout);
    th_printable_put(stdout, text);
    putchar('\'');
  }
  putchar('\n');
}

static json_t *dataset_json(struct th_dataset *dataset,
                            const struct findings *findings)
{
  const struct th_store *store = th_dataset_store(dataset);
  const struct th_shape *shape = &store->shape;
  const struct th_origin *from = th_dataset_origin(dataset);
  json_t *o = json_object();
  th_json_text(o, "kind", "dataset");
  th_json_int(o, "examples", shape->examples);
  th_json_int(o, "training", shape->training);
  th_json_int(o, "test", th_store_shape_tests(shape));
  th_json_int(o, "weightless", shape->weightless);
  th_json_int(o, "attributes", shape->attributes);
  th_json_int(o, "nonzeros", shape->nonzeros);
  th_json_text(o, "layout", th_type_layout_name(shape->layout));
  th_json_text(o, "type", th_type_name(shape->type));
  json_object_set_new(o, "weighted", json_boolean(shape->weighted));
  json_object_set_new(o, "labelled", json_boolean(!shape->unlabelled));
  th_json_text(o, "target", shape->unlabelled ? NULL : from->target_name);
  th_json_text(o, "positive_class",
               shape->unlabelled ? NULL : from->positive_class);
  th_json_int(o, "shards", th_dataset_shards(dataset));
  th_json_int(o, "row_group", shape->row_group);
  th_json_int(o, "bytes", th_dataset_bytes(dataset));
  th_json_hex(o, "fingerprint", store->fingerprint);
  th_json_text(o, "provenance", th_dataset_provenance(dataset));
  th_model_text_origin_json(o, from);
  add_attributes_json(o, findings, shape->attributes);
  json_object_set_new(o, "columns",
                      th_columns_json(from, findings->name, shape->attributes));
  json_object_set_new(o, "targets", targets_json(shape, from));
  json_object_set_new(o, "ids", ids_json(findings, shape->examples));
  json_object_set_new(o, "attribute_groups", groups_json(&findings->groups));
  th_json_real(o, "rho_ridge", findings->improvement.ridge);
  th_json_real(o, "rho_lasso", findings->improvement.lasso);
  json_object_set_new(o, "truth", truth_json(th_dataset_truth(dataset)));
  if (findings->checked)
    json_object_set_new(o, "checked", json_true());
  return o;
}

/* A line with a name or a text from the file. */
static void print_named(const char *before, const char *name, const char *after)
{
  fputs(before, stdout);
  th_printable_put(stdout, name);
  puts(after);
}

static void print_targets(struct th_dataset *dataset)
{
  const struct th_origin *origin = th_dataset_origin(dataset);
  const char *target = origin->target_name;
  const char *class = origin->positive_class;
  if (th_dataset_store(dataset)->shape.unlabelled)
    printf(
        "target:       no target; for predict, or for train with --targets\n");
  else if (target != NULL)
    print_named("target:       ", target, "");
  else if (origin->target > 0)
    printf("target:       column %" PRId64 " of %" PRId64 " of the text\n",
           origin->target, origin->columns);
  if (class != NULL)
    print_named("classes:      1 is '", class, "', -1 all others");
}

static void print_improvement(const struct improvement *improvement)
{
  if (isnan(improvement->ridge) || isnan(improvement->lasso))
    printf("moments:      not known\n");
  else
    printf("moments:      rho_ridge %.3g, rho_lasso %.3g; 1 means attributes "
           "alike, and the smaller they are, the more it helps to draw "
           "attributes by their moments\n",
           improvement->ridge, improvement->lasso);
}

static void print_truth(const struct th_ground_truth *truth)
{
  printf("truth:        ");
  th_printable_put(stdout, truth->family); /* the beginning of a text */
  printf(", %" PRId64 " true attributes, noise %g\n", truth->support_size,
         truth->noise);
}

static void print_dataset(struct th_dataset *dataset,
                          const struct findings *findings)
{
  const struct th_groups *groups = &findings->groups;
  const struct th_store *store = th_dataset_store(dataset);
  const struct th_shape *shape = &store->shape;
  const struct th_ground_truth *truth = th_dataset_truth(dataset);
  double cells = (double)shape->examples * (double)shape->attributes;
  printf("data set:     %s %s%s\n", th_type_layout_name(shape->layout),
         th_type_name(shape->type), shape->weighted ? ", weighted" : "");
  printf("examples:     %" PRId64 " (%" PRId64 " training, %" PRId64 " test",
         shape->examples, shape->training, th_store_shape_tests(shape));
  if (shape->weightless > 0)
    printf(", %" PRId64 " of weight 0", shape->weightless);
  printf(")\n");
  printf("attributes:   %" PRId64 "\n", shape->attributes);
  print_targets(dataset);
  printf("nonzeros:     %" PRId64 " (%.4g %%)\n", shape->nonzeros,
         100 * (double)shape->nonzeros / cells);
  print_missing(findings, shape->attributes);
  printf("shards:       %" PRId64 "\n", th_dataset_shards(dataset));
  printf("row group:    %" PRId64 " example%s\n", shape->row_group,
         th_wording_s(shape->row_group));
  printf("bytes:        %" PRId64 "\n", th_dataset_bytes(dataset));
  printf("fingerprint:  %016" PRIx64 "\n", store->fingerprint);
  const char *provenance = th_dataset_provenance(dataset);
  print_named("provenance:   ", provenance == NULL ? "unknown" : provenance,
              "");
  th_model_text_origin_print(TEXT_AT, th_dataset_origin(dataset));
  print_ids(findings, shape->examples);
  if (groups->groups > 0)
    printf("groups:       %" PRId64 " of attributes, %016" PRIx64 "\n",
           groups->groups, groups->fingerprint);
  if (truth != NULL && truth->family[0] != '\0')
    print_truth(truth);
  print_improvement(&findings->improvement);
  if (findings->checked)
    printf("check:        every checksum and index is right\n");
}

/* Data whose shards are not all there are described, too, but not as right.
 * Local: rank 0. */
static th_status look_at_moments(struct th_dataset *dataset,
                                 const struct th_options *options,
                                 struct improvement *improvement,
                                 struct th_error *err)
{
  struct th_error missing = {0};
  th_status rc = compute_improvement(improvement, th_dataset_store(dataset),
                                     options->checks.bytes ? err : &missing);
  if (rc != TH_OK && !options->checks.bytes && !options->quiet)
    th_wording_print(stderr, "note: no moments: ", missing.text);
  return options->checks.bytes ? rc : TH_OK;
}

static th_status inspect_dataset(const struct th_options *options,
                                 struct th_comm *comm, struct th_error *err)
{
  struct th_dataset *dataset = NULL;
  struct findings findings = {.checked = options->checks.bytes};
  th_status rc;
  TH_TRY(th_dataset_open(&dataset, comm, options->argument[0], INSPECT_MEMORY,
                         err));
  if (options->checks.bytes)
    TH_TRY(th_dataset_check(dataset, comm, err));
  if (options->checks.bytes && comm->rank == 0)
    rc = th_format_check_bytes(options->argument[0], err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(th_dataset_groups(dataset, comm, &findings.groups, err));
  if (comm->rank == 0)
    rc = look_at_moments(dataset, options, &findings.improvement, err);
  if (comm->rank == 0 && rc == TH_OK)
    rc = look_at_attributes(dataset, options->json, &findings, err);
  if (comm->rank == 0 && rc == TH_OK)
    rc = look_at_ids(dataset, &findings, err);
  TH_TRY(th_agree(comm, rc, err));
  if (comm->rank == 0 && options->json)
    rc = th_json_print(stdout, dataset_json(dataset, &findings), JSON_INDENT(2),
                       err);
  else if (comm->rank == 0)
    print_dataset(dataset, &findings);
  TH_TRY(th_agree(comm, rc, err));
done:
  th_groups_free(&findings.groups);
  TH_FREE(findings.missing, findings.name, findings.ids.text);
  if (dataset != NULL)
    th_dataset_close(dataset);
  return rc;
}

th_status th_inspect_command(const struct th_options *options,
                             struct th_comm *comm, struct th_error *err)
{
  enum th_file_kind kind = TH_FILE_OTHER;
  th_status rc = TH_OK;
  if (comm->rank == 0)
    rc = th_format_kind(options->argument[0], &kind, err);
  TH_TRY(th_agree(comm, rc, err));
  comm->ops->bcast(comm, &kind, sizeof kind, 0);
  TH_TRY(
      th_input_refuse_text(comm, options->argument[0], TH_TEXT_TO_TRAIN, err));
  if (options->checks.data != NULL && kind != TH_FILE_MODEL)
    return th_fail(err, TH_EUSAGE,
                   "inspect: --data goes with a model, and %s is none",
                   options->argument[0]);
  if (options->checks.path && kind != TH_FILE_MODEL)
    return th_fail(err, TH_EUSAGE,
                   "inspect: --path goes with a model, and %s is none",
                   options->argument[0]);
  if (kind != TH_FILE_MODEL && kind != TH_FILE_DATASET)
    return th_fail(err, TH_EFORMAT,
                   "%s: neither a data set nor a model; `thresher import` "
                   "makes data sets of text files",
                   options->argument[0]);
  rc = kind == TH_FILE_MODEL ? inspect_model(options, comm, err)
                             : inspect_dataset(options, comm, err);
done:
  return rc;
}
