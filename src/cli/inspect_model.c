/* inspect_model.c - describes a model
 * SPDX-License-Identifier: MIT */
#include "cli/inspect_model.h"

#include "api/name_text.h"
#include "cli/certificate_text.h"
#include "cli/ending.h"
#include "cli/explained.h"
#include "cli/origin_text.h"
#include "cli/selected.h"
#include "cli/shared/json.h"
#include "cli/wording.h"
#include "core/printable.h"
#include "io/dataset/format.h"
#include "io/model/model_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "auto" and other words may stand in the place of a number. */
static bool is_number(const char *text)
{
  char *end;
  strtod(text, &end);
  return end != text && *end == '\0';
}

/* A line of the deck in the type of its option. */
static void add_setting(json_t *deck, const struct th_setting *setting)
{
  int row = th_option_find(setting->name);
  enum th_option_kind kind = row < 0 ? TH_OPT_TEXT : th_option_row(row)->kind;
  bool number = is_number(setting->value);
  if (kind == TH_OPT_FLAG)
    json_object_set_new(deck, setting->name,
                        json_boolean(strcmp(setting->value, "yes") == 0));
  else if (kind == TH_OPT_INT && number)
    th_json_int(deck, setting->name, strtoll(setting->value, NULL, 10));
  else if (kind == TH_OPT_REAL && number)
    th_json_real(deck, setting->name, strtod(setting->value, NULL));
  else
    th_json_text(deck, setting->name, setting->value);
}

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
  th_json_text(o, "statistics", model->statistics);
  return o;
}

/* Names and coefficients per deviation of their attribute; null where they are
 * not known. */
static void add_known(json_t *o, const struct th_model *model)
{
  json_t *names = model->name != NULL ? json_array() : json_null();
  json_t *standardized = model->deviation != NULL ? json_array() : json_null();
  for (int64_t k = 0; k < model->support_size; k++) {
    if (model->name != NULL)
      json_array_append_new(names, th_json_string(model->name[k]));
    double coef =
        model->deviation != NULL ? model->coef[k] * model->deviation[k] : NAN;
    if (model->deviation != NULL)
      json_array_append_new(standardized,
                            isfinite(coef) ? json_real(coef) : json_null());
  }
  json_object_set_new(o, "names", names);
  json_object_set_new(o, "standardized_coef", standardized);
}

static json_t *model_json(const struct th_model *model,
                          const struct th_explained *explained)
{
  json_t *o = json_object();
  json_t *support = json_array();
  json_t *coef = json_array();
  json_t *deck = json_object();
  for (int64_t k = 0; k < model->support_size; k++) {
    json_array_append_new(support, json_integer(model->support[k]));
    json_array_append_new(coef, json_real(model->coef[k]));
  }
  for (int64_t k = 0; k < model->settings; k++)
    add_setting(deck, &model->deck[k]);
  th_json_text(o, "kind", "model");
  th_json_text(o, "solver", model->solver);
  th_json_text(o, "loss", model->loss);
  th_json_int(o, "attributes", model->attributes);
  json_object_set_new(o, "support", support);
  json_object_set_new(o, "coef", coef);
  add_known(o, model);
  th_json_real(o, "intercept", model->intercept);
  th_json_int(o, "passes", model->passes);
  json_object_set_new(o, "ledger", ledger_json(model));
  json_object_set_new(o, "deck", deck);
  th_json_hex(o, "dataset_fingerprint", model->fingerprint);
  th_origin_text_json(o, &model->origin);
  th_certificate_json(o, &model->certificate);
  th_ending_json_model(o, model);
  th_selected_json(o, model);
  th_ending_by_json(o, model);
  th_explained_json(o, explained);
  return o;
}

/* The model's deck as a deck that train accepts. */
static void print_deck(const struct th_model *model)
{
  int count = th_option_count();
  const char *section = "";
  for (int row = 0; row < count; row++) {
    for (int64_t k = 0; k < model->settings; k++) {
      if (strcmp(model->deck[k].name, th_option_row(row)->name) != 0)
        continue;
      if (strcmp(section, th_option_row(row)->section) != 0)
        printf("[%s]\n", th_option_row(row)->section);
      section = th_option_row(row)->section;
      printf("%s = ", th_option_row(row)->name);
      th_printable_put(stdout, model->deck[k].value);
      putchar('\n');
    }
  }
}

/* A line for each: number, coefficient, the same per deviation, name. */
static void print_support(const struct th_model *model)
{
  const int width = model->name != NULL ? 22 : 0;
  char text[TH_NAME_LONG];
  printf("support:     %" PRId64 " attribute%s\n", model->support_size,
         th_wording_s(model->support_size));
  if (model->support_size > 0 && model->deviation != NULL)
    printf("%12s  %-22s  %-*s%s\n", "attribute", "coefficient", width,
           "standardized", model->name != NULL ? "  name" : "");
  for (int64_t k = 0; k < model->support_size; k++) {
    printf("%12" PRId64 "  ", model->support[k]);
    if (model->deviation != NULL)
      printf("%-22.17g  %-*.10g", model->coef[k], width,
             model->coef[k] * model->deviation[k]);
    else
      printf("%.17g", model->coef[k]);
    if (model->name != NULL)
      printf("  %s", th_name_text(model->name[k], text, sizeof text));
    putchar('\n');
  }
}

/* What other text is read by. */
static void print_text(const struct th_origin *origin)
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
  th_origin_text_print(TEXT_AT, origin);
}

static void print_model(const struct th_model *model,
                        const struct th_explained *explained)
{
  const struct th_ledger *ledger = &model->ledger;
  printf("model:       %s, %s loss, %" PRId64 " attribute%s\n", model->solver,
         model->loss, model->attributes, th_wording_s(model->attributes));
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
  printf("validation:  %" PRId64 " example%s, %" PRId64 " attribute%s\n",
         ledger->validation_examples, th_wording_s(ledger->validation_examples),
         ledger->validation_attributes,
         th_wording_s(ledger->validation_attributes));
  printf("statistics:  %s\n",
         model->statistics == NULL ? "none" : model->statistics);
  print_text(&model->origin);
  th_certificate_print(stdout, &model->certificate);
  th_ending_print(stdout, "end:         ", model);
  th_selected_print(stdout, "selection:   ", model);
  th_ending_by_print(stdout, "ended by:    ", model);
  th_explained_print(explained);
  printf("intercept:   %.17g\n", model->intercept);
  print_support(model);
  print_deck(model);
}

th_status th_inspect_model(const struct th_options *options,
                           struct th_comm *comm, struct th_error *err)
{
  struct th_model model = {0};
  struct th_explained explained;
  th_status rc;
  TH_TRY(th_model_read(&model, comm, options->argument[0], err));
  TH_TRY(th_explained_find(&explained, &model, options, comm, err));
  if (comm->rank == 0 && options->check)
    rc = th_format_check_bytes(options->argument[0], err);
  TH_TRY(th_agree(comm, rc, err));
  if (comm->rank == 0 && options->json)
    rc = th_json_print(stdout, model_json(&model, &explained), JSON_INDENT(2),
                       err);
  else if (comm->rank == 0)
    print_model(&model, &explained);
  if (comm->rank == 0 && options->check && !options->json)
    printf("check:       every byte is right\n");
  TH_TRY(th_agree(comm, rc, err));
done:
  th_model_free(&model);
  return rc;
}
