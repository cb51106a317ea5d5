/* import_array_labels.c - targets, weights and IDs of examples in arrays
 * SPDX-License-Identifier: MIT */
#include "io/import/arrays/example.h"
#include "io/import/import_job.h"
#include "io/import/text/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Where an example stands, counted from 1, for messages. */
static th_status wrong_number(const struct th_importing *im,
                              const struct th_array_role *role,
                              const char *what, int64_t row, double value,
                              struct th_error *err)
{
  const struct th_array_files *a = th_import_job_arrays(im);
  return th_fail(
      err, TH_EDATA,
      "%s: %s %g found for row %lld, counted from 1, expected %s "
      "that is not missing; leave the example out",
      role->column < 0 && !role->in_table ? role->name : a->in.matrix.name,
      what, value, (long long)row + 1,
      role == &a->weight ? "a finite number of at least 0" : "a finite number");
}

/* What belongs to an example that is a number. */
double th_import_array_labels_number(const struct th_array_files *arrays,
                                     const struct th_array_role *role,
                                     int64_t k, int64_t row,
                                     const struct th_matrix_row *values)
{
  if (role->column >= 0)
    return th_example_value(values, role->column);
  return role->values
      .number[role->in_table ? row : arrays->file[k].before + row];
}

static th_status take_weight(struct th_importing *im, int64_t k, int64_t row,
                             const struct th_matrix_row *values,
                             struct th_text_row *to, struct th_error *err)
{
  const struct th_array_files *a = th_import_job_arrays(im);
  to->weight = th_import_array_labels_number(a, &a->weight, k, row, values);
  if (isfinite(to->weight) && to->weight >= 0 &&
      !th_missing_is_number(&im->text.missing, to->weight))
    return TH_OK;
  return wrong_number(im, &a->weight, "weight", row, to->weight, err);
}

/* A word is a class, or a number as text. */
static th_status take_target_word(struct th_importing *im, const char *word,
                                  int64_t row, struct th_text_row *to,
                                  struct th_error *err)
{
  const char *at = word, *end = word + strlen(word);
  bool named = th_missing_is_named(&im->text.missing, word, end - word);
  if (im->class.name != NULL) {
    if (!named && th_text_row_class(to, &im->class, word, end - word) != 0)
      return TH_OK;
  } else if (!named && th_number_parse(&at, end, &to->target) == TH_NUMBER_OK &&
             at == end) {
    return TH_OK;
  }
  return th_fail(err, TH_EDATA,
                 "%s: target '%.60s' found for row %lld, counted from 1, "
                 "expected %s",
                 th_import_job_arrays(im)->in.matrix.name, word,
                 (long long)row + 1,
                 im->class.name != NULL
                     ? "a class; leave the example out"
                     : "a number; where targets are classes, name one of them "
                       "with {positive-class}");
}

static th_status take_target(struct th_importing *im, int64_t k, int64_t row,
                             const struct th_matrix_row *values,
                             struct th_text_row *to, struct th_error *err)
{
  const struct th_array_files *a = th_import_job_arrays(im);
  const struct th_frame_column *column = &a->target.values;
  char text[32];
  to->target = NAN;
  if (a->target.name == NULL)
    return TH_OK;
  if (a->target.column < 0 && column->number == NULL) {
    int64_t at = a->target.in_table ? row : a->file[k].before + row;
    int64_t code = column->code[at];
    return take_target_word(im, code < 0 ? "" : column->word[code], row, to,
                            err);
  }
  double value = th_import_array_labels_number(a, &a->target, k, row, values);
  if (!isfinite(value) || th_missing_is_number(&im->text.missing, value))
    return wrong_number(im, &a->target, "target", row, value, err);
  to->target = value;
  if (im->class.name == NULL)
    return TH_OK;
  snprintf(text, sizeof text, "%.17g", value);
  return take_target_word(im, text, row, to, err);
}

th_status th_import_array_labels_give(struct th_importing *im, int64_t k,
                                      int64_t row,
                                      const struct th_matrix_row *values,
                                      struct th_text_row *to,
                                      struct th_error *err)
{
  const struct th_array_files *a = th_import_job_arrays(im);
  if (a->weight.name != NULL) {
    th_status rc = take_weight(im, k, row, values, to, err);
    if (rc != TH_OK)
      return rc;
  }
  if (a->id != NULL)
    snprintf(to->id, sizeof to->id, "%s", a->id[row]);
  return take_target(im, k, row, values, to, err);
}

th_status th_import_array_labels_check(const struct th_importing *im,
                                       struct th_error *err)
{
  const struct th_array_role *role = &th_import_job_arrays(im)->weight;
  if (role->name == NULL || role->column >= 0 || role->values.number != NULL)
    return TH_OK;
  return th_fail(err, TH_EDATA, "%s: %s holds words, expected weights",
                 th_import_job_arrays(im)->in.matrix.name, role->name);
}
