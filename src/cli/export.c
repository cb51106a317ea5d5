/* export.c - the command that writes a model for other programs
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "base/printable.h"
#include "base/search.h"
#include "cli/commands.h"
#include "cli/export_c.h"
#include "cli/options/options.h"
#include "cli/shared/input.h"
#include "cli/shared/json.h"
#include "cli/shared/model_text.h"
#include "cli/shared/wording.h"
#include "io/files/output.h"
#include "io/model/model_file.h"
#include "model/model.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is written of a model, and where to. All but `order` is borrowed. */
struct exported {
  const struct th_model *model;
  const char *path;             /* of the model, for messages */
  const struct th_output *file; /* its text is open */
  int64_t *order; /* aligned with the support: place in the order of entry,
                     counted from 1; 0: none */
};

/* NULL: the data have no names. */
static const char *name_of(const struct exported *e, int64_t k)
{
  return th_model_name_of(e->model, k);
}

/* The coefficient per deviation of the attribute; NaN: not known. */
static double standardized_of(const struct exported *e, int64_t k)
{
  const struct th_model *model = e->model;
  double coef =
      model->deviation != NULL ? model->coef[k] * model->deviation[k] : NAN;
  return isfinite(coef) ? coef : NAN;
}

/* Attributes may have left the support after they were chosen. */
static th_status find_order(struct exported *e, struct th_error *err)
{
  const struct th_model *model = e->model;
  const struct th_selected *selected = &model->selected;
  th_status rc = TH_NEW(&e->order, model->support_size, "the order", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t place = selected->size; place > 0; place--) {
    int64_t attribute = selected->attribute[place - 1];
    int64_t k =
        th_search_i64(model->support, 0, model->support_size, attribute);
    if (k < model->support_size && model->support[k] == attribute)
      e->order[k] = place;
  }
  return TH_OK;
}

/* --- A table, with tabs between its fields -------------------------------- */

/* A character that would end a field, or that a terminal does not show; and a
 * double quote, by which many programs join fields. */
static void put_hidden(FILE *out, const char *text, int length)
{
  static const char plain[] = "\t\n\r\\";
  static const char letters[] = "tnr\\";
  const char *known = strchr(plain, *text);
  if (known != NULL) {
    fprintf(out, "\\%c", letters[known - plain]);
    return;
  }
  for (int k = 0; k < length; k++)
    fprintf(out, "\\x%02x", (unsigned)(unsigned char)text[k]);
}

static void put_field(FILE *out, const char *text)
{
  while (*text != '\0') {
    uint32_t code = 0;
    int bytes = th_printable_decode(text, &code);
    int length = bytes > 0 ? bytes : 1;
    if (bytes > 0 && th_printable_code(code) && *text != '\\' && *text != '"')
      fwrite(text, 1, (size_t)length, out);
    else
      put_hidden(out, text, length);
    text += length;
  }
}

static th_status write_table(const struct exported *e, struct th_error *err)
{
  const struct th_model *model = e->model;
  FILE *out = e->file->text;
  (void)err;
  fputs("attribute\tname\tcoefficient\tstandardized\torder\tmean\n", out);
  fprintf(out, "(intercept)\t\t%.17g\t\t\t\n", model->intercept);
  for (int64_t k = 0; k < model->support_size; k++) {
    double standardized = standardized_of(e, k);
    fprintf(out, "%" PRId64 "\t", model->support[k]);
    put_field(out, name_of(e, k) != NULL ? name_of(e, k) : "");
    fprintf(out, "\t%.17g\t", model->coef[k]);
    if (!isnan(standardized))
      fprintf(out, "%.17g", standardized);
    fputc('\t', out);
    if (e->order[k] > 0)
      fprintf(out, "%" PRId64, e->order[k]);
    fputc('\t', out);
    if (model->mean != NULL)
      fprintf(out, "%.17g", model->mean[k]);
    fputc('\n', out);
  }
  return TH_OK;
}

/* --- JSON ----------------------------------------------------------------- */

static json_t *member_json(const struct exported *e, int64_t k)
{
  json_t *o = json_object();
  th_json_int(o, "attribute", e->model->support[k]);
  th_json_text(o, "name", name_of(e, k));
  th_json_real(o, "coefficient", e->model->coef[k]);
  th_json_real(o, "standardized", standardized_of(e, k));
  json_object_set_new(
      o, "order", e->order[k] > 0 ? json_integer(e->order[k]) : json_null());
  th_json_real(o, "mean", e->model->mean != NULL ? e->model->mean[k] : NAN);
  return o;
}

static th_status write_json(const struct exported *e, struct th_error *err)
{
  const struct th_model *model = e->model;
  json_t *o = json_object();
  json_t *members = json_array();
  for (int64_t k = 0; k < model->support_size; k++)
    json_array_append_new(members, member_json(e, k));
  th_json_text(o, "solver", model->solver);
  th_json_text(o, "loss", model->loss);
  th_json_text(o, "target", model->origin.target_name);
  th_json_text(o, "positive_class", model->origin.positive_class);
  th_json_int(o, "attributes", model->attributes);
  th_json_text(o, "type", model->type);
  th_json_real(o, "intercept", model->intercept);
  json_object_set_new(o, "members", members);
  json_object_set_new(o, "settings", th_model_text_deck_json(model));
  th_json_hex(o, "dataset_fingerprint", model->fingerprint);
  return th_json_write(e->file, o, JSON_INDENT(2), err);
}

/* --- The table of forms --------------------------------------------------- */

static th_status write_c(const struct exported *e, struct th_error *err)
{
  (void)err;
  th_export_c_write(e->file->text, e->model);
  return TH_OK;
}

/* Members that are no covariates, which come last. */
static int64_t count_variants(const struct th_model *model)
{
  return th_model_members_below(model,
                                model->attributes - model->covariates.count);
}

/* True for a text that is one word of a table. */
static bool is_field(const char *text)
{
  return text[0] != '\0' && strpbrk(text, " \t\r\n\v\f") == NULL;
}

/* A weight means nothing without its allele, and blanks would part a name. */
static th_status check_variants(const struct exported *e, struct th_error *err)
{
  const struct th_model *model = e->model;
  char text[TH_NAME_SHORT];
  if (model->name == NULL || model->allele == NULL)
    return th_fail(err, TH_EDATA,
                   "%s: this model was not trained on genotypes with alleles, "
                   "and plink-score needs the counted allele of each variant; "
                   "write --as tsv",
                   e->path);
  for (int64_t k = 0; k < count_variants(model); k++)
    if (!is_field(model->name[k]) || !is_field(model->allele[k]))
      return th_fail(err, TH_EDATA,
                     "%s: attribute %" PRId64 " (%s) is no variant that plink2 "
                     "knows: its ID or its allele is missing, or has a blank; "
                     "write --as tsv",
                     e->path, model->support[k],
                     th_printable_name(model->name[k], text, sizeof text));
  return TH_OK;
}

static th_status write_score(const struct exported *e, struct th_error *err)
{
  const struct th_model *model = e->model;
  FILE *out = e->file->text;
  th_status rc = check_variants(e, err);
  if (rc != TH_OK)
    return rc;
  fputs("ID\tALLELE\tWEIGHT\n", out);
  if (count_variants(model) < model->support_size)
    fprintf(stderr,
            "note: the %" PRId64 " covariates are left out: the score is that "
            "of the variants alone\n",
            model->support_size - count_variants(model));
  for (int64_t k = 0; k < count_variants(model); k++)
    fprintf(out, "%s\t%s\t%.17g\n", model->name[k], model->allele[k],
            model->coef[k]);
  return TH_OK;
}

/* By enum th_export_form. */
static th_status (*const forms[TH_EXPORT_FORMS])(const struct exported *,
                                                 struct th_error *) = {
    write_table, write_json, write_c, write_score};

/* --- The command ---------------------------------------------------------- */

/* Local: rank 0. */
static th_status write_form(struct exported *e,
                            const struct th_options *options, const char *path,
                            struct th_error *err)
{
  struct th_output output = {.file = -1};
  char note[TH_LOCK_NOTE];
  th_status rc;
  TH_TRY(find_order(e, err));
  TH_TRY(th_output_begin_text(&output, path, options->force, err));
  th_output_note(&output, note);
  th_wording_note(options, note);
  TH_TRY(th_output_text(&output, err));
  e->file = &output;
  TH_TRY(forms[options->form](e, err));
  TH_TRY(th_output_commit(&output, err));
done:
  th_output_abort(&output);
  free(e->order);
  return rc;
}

static void print_exported(const char *path, const struct th_model *model,
                           bool score)
{
  th_printable_put(stderr, th_output_name(path));
  fprintf(stderr, ": %s%" PRId64 " attribute%s\n",
          score ? "" : "intercept and ", model->support_size,
          th_wording_s(model->support_size));
  if (score)
    fprintf(stderr,
            "next:    plink2 --bfile DATA --score FILE header cols=+scoresums\n"
            "         A prediction is %.17g plus SCORE1_SUM\n",
            model->intercept);
}

th_status th_export_command(const struct th_options *options,
                            struct th_comm *comm, struct th_error *err)
{
  const char *path = options->output != NULL ? options->output : "-";
  struct th_model model = {0};
  struct exported exported = {.model = &model, .path = options->argument[0]};
  th_status rc;
  TH_TRY(th_options_output_check(comm, path, true, options->force, err));
  TH_TRY(
      th_input_refuse_text(comm, options->argument[0], TH_TEXT_AS_MODEL, err));
  TH_TRY(th_model_file_read(&model, comm, options->argument[0], err));
  if (comm->rank == 0)
    rc = write_form(&exported, options, path, err);
  TH_TRY(th_agree(comm, rc, err));
  if (comm->rank == 0 && !options->quiet)
    print_exported(path, &model, options->form == TH_EXPORT_PLINK);
done:
  th_model_free(&model);
  return rc;
}
