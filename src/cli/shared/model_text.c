/* model_text.c - what a model says of itself, as text and as JSON
 * SPDX-License-Identifier: MIT */
#include "cli/shared/model_text.h"

#include "base/printable.h"
#include "cli/options/options.h"
#include "cli/shared/json.h"
#include "cli/shared/wording.h"
#include "math/loss.h"
#include "model/model.h"
#include "solvers/solver_table.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Records as JSON ------------------------------------------------------ */

static json_t *value_of(const struct th_fields_row *f, const void *record,
                        double unit)
{
  double value = th_claims_field_number(f, record);
  if (f->word != NULL)
    return th_json_string(f->word((int64_t)value));
  if (f->type == TH_FIELD_FLAG)
    return json_boolean(value != 0);
  if (f->type == TH_FIELD_COUNT)
    return json_integer((int64_t)value);
  value *= f->type == TH_FIELD_LOSS ? unit : 1;
  return isfinite(value) && !(f->zero_unknown && value == 0) ? json_real(value)
                                                             : json_null();
}

/* Add a field where it is shown. A group must be there, be it as null; groups
 * in it are made. unit: of losses. */
static void add_field(json_t *object, const struct th_fields_row *f,
                      const void *values, double unit)
{
  enum { LONG = 64 };
  char path[LONG];
  char *name = path;
  json_t *to = object;
  snprintf(path, LONG, "%s", f->shown);
  for (char *dot = strchr(name, '.'); dot != NULL; dot = strchr(name, '.')) {
    *dot = '\0';
    json_t *group = json_object_get(to, name);
    if (group == NULL && to == object)
      return;
    if (!json_is_object(group)) {
      group = json_object();
      json_object_set_new(to, name, group);
    }
    to = group;
    name = dot + 1;
  }
  if (*name != '\0')
    json_object_set_new(to, name, value_of(f, values, unit));
}

static void add_record(json_t *object, const struct th_fields *record,
                       const void *values, double unit)
{
  for (int k = 0; k < record->rows; k++)
    add_field(object, &record->row[k], values, unit);
}

/* Lay out members in the order in which they are to be shown. */
static void lay_out(json_t *object, const char *const *name, size_t names)
{
  for (size_t k = 0; k < names; k++)
    json_object_set_new(object, name[k], json_null());
}

/* --- What a model was trained with ---------------------------------------- */

/* "auto" and other words may stand in the place of a number. */
static bool text_is_number(const char *text)
{
  char *end;
  strtod(text, &end);
  return end != text && *end == '\0';
}

/* A line of the deck in the type of its option. */
static void add_setting(json_t *deck, const struct th_setting *setting)
{
  int row = th_option_table_find(setting->name);
  enum th_option_kind kind =
      row < 0 ? TH_OPT_TEXT : th_option_table_row(row)->kind;
  bool number = text_is_number(setting->value);
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

json_t *th_model_text_deck_json(const struct th_model *model)
{
  json_t *deck = json_object();
  for (int64_t k = 0; k < model->settings; k++)
    add_setting(deck, &model->deck[k]);
  return deck;
}

/* --- How a run ended, as text and as JSON --------------------------------- */

static const char *const kinds[] = {[TH_ENDING_NULL] = "null",
                                    [TH_ENDING_STRICT] = "strict",
                                    [TH_ENDING_NET] = "net",
                                    [TH_ENDING_BLIND] = "null"};

/* The loss of an ending in the unit that evaluate prints. */
static double evaluated_factor(const char *loss)
{
  const struct th_loss *row = loss != NULL ? th_loss_find(loss) : NULL;
  return row != NULL ? 1 / row->half : 1;
}

void th_model_text_ending_json(json_t *object, const struct th_ending *e,
                               const char *loss)
{
  json_t *chosen = json_object();
  if (e->kind != TH_ENDING_NONE && e->kind != TH_ENDING_BLIND) {
    json_object_set_new(object, "candidates", json_object());
    th_json_text(object, "candidates_loss", th_wording_loss(loss));
  }
  if (e->kind != TH_ENDING_NONE) {
    th_json_text(chosen, "kind", kinds[e->kind]);
    json_object_set(object, "chosen", chosen);
    json_object_set_new(object, "passes", json_object());
    add_record(object, &th_ending_fields, e, evaluated_factor(loss));
  }
  json_decref(chosen);
}

void th_model_text_loss_json(json_t *object, const struct th_model *model)
{
  const struct th_loss *loss =
      model->loss != NULL ? th_loss_find(model->loss) : NULL;
  th_json_text(object, "loss", model->loss);
  if (loss == NULL || !loss->scaled)
    return;
  th_json_real(object, "loss_scale", model->claims.loss_scale);
  if (loss->by_share)
    th_json_real(object, "quantile", model->claims.quantile);
}

void th_model_text_loss_print(FILE *out, const char *label,
                              const struct th_model *model)
{
  const struct th_loss *loss = th_loss_find(model->loss);
  const struct th_claims *claims = &model->claims;
  if (loss == NULL || !loss->scaled)
    return;
  if (loss->by_share)
    fprintf(out, "%sof the quantile %g, smoothed within %.6g of the target\n",
            label, claims->quantile, claims->loss_scale);
  else
    fprintf(out, "%serrors beyond %.6g count linearly\n", label,
            claims->loss_scale);
}

void th_model_text_ending_json_model(json_t *object,
                                     const struct th_model *model)
{
  bool chose = model->ending.kind != TH_ENDING_NONE;
  const struct th_solver_row *row =
      model->solver != NULL ? th_solver_find(model->solver) : NULL;
  if (row != NULL && row->why_truth != NULL)
    th_json_text(object, "select", chose ? "predict" : "truth");
  th_model_text_ending_json(object, &model->ending, model->loss);
}

static int64_t ended_by(const struct th_model *model)
{
  return model->stopped ? TH_ENDED_TIME : model->claims.ended_by;
}

void th_model_text_ending_by_json(json_t *object, const struct th_model *model)
{
  int64_t end = ended_by(model);
  json_object_set_new(object, "ended_by",
                      end == TH_ENDED_UNKNOWN
                          ? json_null()
                          : json_string(th_claims_end_word(end)));
}

void th_model_text_ending_by_print(FILE *out, const char *label,
                                   const struct th_model *model)
{
  int64_t end = ended_by(model);
  if (end != TH_ENDED_UNKNOWN)
    fprintf(out, "%s%s: %s\n", label, th_claims_end_word(end),
            th_claims_end_meaning(end));
}

static void print_loss(FILE *out, const char *name, double loss, double se)
{
  fprintf(out, "%s %.5g (%.2g)", name, loss, se);
}

void th_model_text_ending_print(FILE *out, const char *label,
                                const struct th_model *model)
{
  const struct th_ending *e = &model->ending;
  double unit = evaluated_factor(model->loss);
  if (e->kind == TH_ENDING_NONE)
    return;
  fprintf(out, "%s", label);
  if (e->kind == TH_ENDING_BLIND) {
    fprintf(out, "the mean of the targets, since too few examples could choose "
                 "a model\n");
    return;
  }
  if (e->kind == TH_ENDING_NULL)
    fprintf(out,
            "the mean of the targets, since nothing predicts beyond doubt");
  else if (e->kind == TH_ENDING_STRICT)
    fprintf(out, "the strict support");
  else
    fprintf(out, "an elastic net, mix %g, lambda %.3g", e->mix, e->lambda);
  fprintf(out,
          "\n%*s%s on unseen examples (standard error):", (int)strlen(label),
          "", th_wording_loss(model->loss));
  print_loss(out, " best", unit * e->best_loss, unit * e->best_se);
  print_loss(out, ", strict support", unit * e->strict_loss,
             unit * e->strict_se);
  print_loss(out, ", mean", unit * e->null_loss, unit * e->null_se);
  fprintf(out, "\n");
}

/* --- In which order a model's attributes were chosen ---------------------- */

enum { CONDITION = 160 };

/* 0 where examples served twice, NaN where it rests on what is assumed. */
static double guarantee_of(const struct th_model *model)
{
  bool assumed = model->claims.guarantee_if > 0;
  return assumed && !(model->selected.guarantee > 0)
             ? NAN
             : model->selected.guarantee;
}

void th_model_text_selected_json(json_t *object, const struct th_model *model)
{
  static const char *const shown[] = {"guarantee",  "remaining_bound",
                                      "if_assumed", "examples_to_select",
                                      "complete",   "cost",
                                      "assumed",    "assumed_from"};
  const struct th_selected *s = &model->selected;
  if (s->size == 0 && !(s->cost_try_select > 0))
    return;
  json_t *selected = json_array();
  for (int64_t k = 0; k < s->size; k++)
    json_array_append_new(selected, json_integer(s->attribute[k]));
  json_object_set_new(object, "selected", selected);
  if (!(s->cost_try_select > 0))
    return;
  lay_out(object, shown, sizeof shown / sizeof *shown);
  add_record(object, &th_selected_fields, s, 1);
  add_record(object, &th_claims_fields, &model->claims, 1);
  th_json_real(object, "guarantee", guarantee_of(model));
}

/* "if mu is at most 0.5 (assumed)", and so on: the constants that are not
 * known; "" where all are. */
static void write_condition(const struct th_model *model, bool bound,
                            char text[CONDITION])
{
  const struct th_claims *c = &model->claims;
  const struct th_selected *s = &model->selected;
  const struct {
    const char *name;
    double value;
    int64_t from;
    const char *side;
    bool counts;
  } constants[] = {
      {"mu", s->mu, c->mu_from, "most", true},
      {"rho", s->rho, c->rho_from, "least", bound},
      {"smoothness", s->smoothness, c->smoothness_from, "most", bound}};
  int used = 0;
  text[0] = '\0';
  for (size_t k = 0; k < sizeof constants / sizeof *constants; k++)
    if (constants[k].counts && !th_claims_holds(constants[k].from))
      used += snprintf(text + used, CONDITION - (size_t)used,
                       "%s%s is at %s %.4g (%s)", used > 0 ? " and " : "if ",
                       constants[k].name, constants[k].side, constants[k].value,
                       th_claims_from_word(constants[k].from));
  if (used > 0)
    snprintf(text + used, CONDITION - (size_t)used, ": ");
}

static void print_guarantee(FILE *out, const char *label,
                            const struct th_model *model)
{
  char condition[CONDITION];
  if (!(model->claims.guarantee_if > 0)) {
    fprintf(out, "%sno guarantee, since examples were used again\n", label);
    return;
  }
  write_condition(model,
                  !(model->selected.guarantee > 0) &&
                      th_claims_holds(model->claims.mu_from),
                  condition);
  fprintf(out, "%s%sall attributes are true with probability %g\n", label,
          condition, model->claims.guarantee_if);
}

void th_model_text_selected_print(FILE *out, const char *label,
                                  const struct th_model *model)
{
  const struct th_selected *s = &model->selected;
  char condition[CONDITION];
  if (!(s->cost_try_select > 0))
    return;
  if (s->size > 0)
    print_guarantee(out, label, model);
  if (model->claims.remaining_if > 0) {
    write_condition(model, true, condition);
    fprintf(out,
            "%s%sthe coefficients of true attributes that are left out have a "
            "root mean square below %.3g, in the units of the data\n",
            label, condition, model->claims.remaining_if);
  }
  if (!s->complete)
    fprintf(out, "%snot complete: there may be other true attributes\n", label);
}

void th_model_text_certificate_json(json_t *object,
                                    const struct th_certificate *certificate)
{
  json_t *margin = json_array();
  if (!(certificate->lambda > 0)) {
    json_decref(margin);
    return;
  }
  add_record(object, &th_certificate_fields, certificate, 1);
  for (int k = 0; k < TH_MARGINS; k++)
    json_array_append_new(margin, json_integer(certificate->margin[k]));
  json_object_set_new(object, "margin", margin);
}

static void print_field(FILE *out, const struct th_fields_row *field,
                        const struct th_certificate *certificate)
{
  double value = th_claims_field_number(field, certificate);
  fprintf(out, "  %-18s %-22.15g %s\n", field->name, value, field->what);
}

void th_model_text_certificate_print(FILE *out,
                                     const struct th_certificate *certificate)
{
  if (!(certificate->lambda > 0))
    return;
  fprintf(out, "certificate:\n");
  for (int k = 0; k < th_certificate_fields.rows; k++)
    print_field(out, &th_certificate_fields.row[k], certificate);
  fprintf(out, "  %-18s", "margin");
  for (int k = 0; k < TH_MARGINS; k++)
    fprintf(out, " %" PRId64, certificate->margin[k]);
  fprintf(out,
          "\n  %-18s outside the support, 1 - Omega^D(Z) by decades from 1 "
          "down\n",
          "");
}

/* --- The text that data were imported from -------------------------------- */

static void print_label(int width, const char *label)
{
  printf("%-*s", width, label);
}

static void print_form(const struct th_origin *origin)
{
  th_printable_put(stdout, origin->format);
  if (origin->zero_based != TH_FACT_UNKNOWN)
    printf(", indices from %d", origin->zero_based == TH_FACT_YES ? 0 : 1);
  if (origin->indexed == TH_FACT_YES)
    printf(", attributes are those that occur");
  if (origin->label_weights != TH_FACT_UNKNOWN)
    printf(", labels %s weights",
           origin->label_weights == TH_FACT_YES ? "with" : "without");
  if (origin->header != TH_FACT_UNKNOWN)
    printf(", %s header", origin->header == TH_FACT_YES ? "a" : "no");
  if (origin->separator == '\t')
    printf(", separator tab");
  else if (origin->separator != '\0')
    printf(", separator '%c'", origin->separator);
  if (origin->decimal != '\0')
    printf(", decimal mark '%c'", origin->decimal);
  putchar('\n');
}

/* A few names, or else numbers, of columns. */
static void print_columns(const struct th_origin *origin)
{
  enum { SHOWN = 8 };
  printf("%" PRId64 " of %" PRId64 " columns hold no attribute and no target: ",
         origin->others, origin->columns);
  for (int64_t k = 0; k < origin->others && k < SHOWN; k++) {
    fputs(k > 0 ? ", " : "", stdout);
    printf("%" PRId64, origin->other[k]);
    if (origin->name == NULL)
      continue;
    fputs(" '", stdout);
    th_printable_put(stdout, origin->name[k]);
    putchar('\'');
  }
  puts(origin->others > SHOWN ? ", .." : "");
}

static void print_weights(const struct th_origin *origin)
{
  printf("column %" PRId64 " of %" PRId64 " of the text", origin->weight,
         origin->columns);
  if (origin->weight_name != NULL) {
    fputs(", '", stdout);
    th_printable_put(stdout, origin->weight_name);
    putchar('\'');
  }
  putchar('\n');
}

static void print_list(const struct th_origin *origin)
{
  for (int64_t k = 0; k < origin->classes; k++) {
    fputs(k > 0 ? ", '" : "'", stdout);
    th_printable_put(stdout, origin->class_name[k]);
    putchar('\'');
  }
  for (int64_t k = 0; k < origin->labels; k++)
    printf("%s%.9g", k > 0 ? ", " : "", origin->label[k]);
  putchar('\n');
}

void th_model_text_origin_print(int width, const struct th_origin *origin)
{
  if (origin->format != NULL) {
    print_label(width, "text:");
    print_form(origin);
  }
  if (origin->others > 0) {
    print_label(width, "left out:");
    print_columns(origin);
  }
  if (origin->weight > 0) {
    print_label(width, "weights:");
    print_weights(origin);
  }
  if (origin->classes > 0 || origin->labels > 0) {
    print_label(width, origin->classes > 0 ? "others:" : "targets:");
    print_list(origin);
  }
}

static void add_fact(json_t *o, const char *name, enum th_fact fact)
{
  json_object_set_new(o, name,
                      fact == TH_FACT_UNKNOWN
                          ? json_null()
                          : json_boolean(fact == TH_FACT_YES));
}

static void add_mark(json_t *o, const char *name, char mark)
{
  const char text[] = {mark, '\0'};
  th_json_text(o, name, mark == '\0' ? NULL : text);
}

/* A column counted from 1, or null. */
static void add_column(json_t *o, const char *name, int64_t column)
{
  if (column > 0)
    th_json_int(o, name, column);
  else
    json_object_set_new(o, name, json_null());
}

static void add_columns_json(json_t *o, const struct th_origin *origin)
{
  json_t *others = json_array();
  json_t *names = origin->name == NULL ? json_null() : json_array();
  for (int64_t k = 0; k < origin->others; k++) {
    json_array_append_new(others, json_integer(origin->other[k]));
    if (origin->name != NULL)
      json_array_append_new(names, th_json_string(origin->name[k]));
  }
  add_column(o, "columns", origin->columns);
  add_column(o, "target_column", origin->target);
  add_column(o, "weight_column", origin->weight);
  th_json_text(o, "weight_name", origin->weight_name);
  add_column(o, "id_column", origin->id);
  th_json_text(o, "id_name", origin->id_name);
  json_object_set_new(o, "other_columns", others);
  json_object_set_new(o, "other_names", names);
}

void th_model_text_origin_json(json_t *object, const struct th_origin *origin)
{
  json_t *o = json_object();
  json_t *classes = json_array();
  json_t *labels = json_array();
  for (int64_t k = 0; k < origin->classes; k++)
    json_array_append_new(classes, th_json_string(origin->class_name[k]));
  for (int64_t k = 0; k < origin->labels; k++)
    json_array_append_new(labels, json_real(origin->label[k]));
  th_json_text(o, "format", origin->format);
  add_fact(o, "zero_based", origin->zero_based);
  add_fact(o, "indexed", origin->indexed);
  add_fact(o, "label_weights", origin->label_weights);
  add_fact(o, "header", origin->header);
  add_mark(o, "separator", origin->separator);
  add_mark(o, "decimal", origin->decimal);
  add_columns_json(o, origin);
  th_json_text(o, "target", origin->target_name);
  th_json_text(o, "positive_class", origin->positive_class);
  json_object_set_new(o, "other_classes", classes);
  json_object_set_new(o, "targets", labels);
  bool known = origin->format != NULL || origin->columns > 0;
  if (known)
    json_object_set_new(object, "text", o);
  else {
    json_decref(o);
    json_object_set_new(object, "text", json_null());
  }
}
