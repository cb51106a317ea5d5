/* origin_text.c - what is known of the text that data were imported from, for
 * people and as JSON
 * SPDX-License-Identifier: MIT */
#include "cli/origin_text.h"

#include "base/printable.h"
#include "cli/shared/json.h"

#include <inttypes.h>
#include <stdio.h>

static void print_label(int width, const char *label)
{
  printf("%-*s", width, label);
}

static void print_form(const struct th_origin *origin)
{
  th_printable_put(stdout, origin->format);
  if (origin->zero_based != TH_FACT_UNKNOWN)
    printf(", indices from %d", origin->zero_based == TH_FACT_YES ? 0 : 1);
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

void th_origin_text_print(int width, const struct th_origin *origin)
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

static void add_columns(json_t *o, const struct th_origin *origin)
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
  json_object_set_new(o, "other_columns", others);
  json_object_set_new(o, "other_names", names);
}

void th_origin_text_json(json_t *object, const struct th_origin *origin)
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
  add_fact(o, "label_weights", origin->label_weights);
  add_fact(o, "header", origin->header);
  add_mark(o, "separator", origin->separator);
  add_mark(o, "decimal", origin->decimal);
  add_columns(o, origin);
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
