/* model_file.c - models as HDF5 files: the same model gives the same bytes
 * SPDX-License-Identifier: MIT */
#include "io/model/model_file.h"

#include "base/memory.h"
#include "io/dataset/attributes.h"
#include "io/dataset/format.h"
#include "io/dataset/master.h"
#include "io/dataset/origin_file.h"
#include "io/dataset/row_groups.h"
#include "io/files/file.h"
#include "io/files/hash.h"
#include "io/files/output.h"
#include "io/hdf5/h5.h"
#include "io/hdf5/message.h"
#include "io/model/covariates_file.h"
#include "io/model/path_file.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Records: the attributes of a group ----------------------------------- */

static th_status put_record(const struct th_h5 *h5, const char *group,
                            const struct th_fields *record, const void *values,
                            struct th_error *err)
{
  th_status rc = TH_OK;
  for (int k = 0; k < record->rows && rc == TH_OK; k++) {
    const struct th_fields_row *f = &record->row[k];
    const void *value = (const char *)values + f->place;
    if (th_claims_field_left_out(f, values))
      continue;
    if (f->type == TH_FIELD_TEXT)
      rc = th_h5_put_text(h5, group, f->name, *(char *const *)value, err);
    else if (th_claims_field_is_real(f))
      rc = th_h5_put_f64(h5, group, f->name, *(const double *)value, err);
    else if (f->type == TH_FIELD_BITS)
      rc = th_h5_put_u64(h5, group, f->name, *(const uint64_t *)value, err);
    else
      rc = th_h5_put_i64(h5, group, f->name, *(const int64_t *)value, err);
  }
  return rc;
}

static th_status get_record(const struct th_h5 *h5, const char *group,
                            const struct th_fields *record, void *values,
                            struct th_error *err)
{
  th_status rc = TH_OK;
  for (int k = 0; k < record->rows && rc == TH_OK; k++) {
    const struct th_fields_row *f = &record->row[k];
    void *value = th_claims_field_at(f, values);
    if (f->later && !th_h5_has(h5, group, f->name)) {
      if (th_claims_field_is_real(f))
        *(double *)value = f->absent;
      else
        *(int64_t *)value = (int64_t)f->absent;
    } else if (f->type == TH_FIELD_TEXT)
      rc = th_h5_get_line(h5, group, f->name, value, err);
    else if (th_claims_field_is_real(f))
      rc = th_h5_get_f64(h5, group, f->name, value, err);
    else if (f->type == TH_FIELD_BITS)
      rc = th_h5_get_u64(h5, group, f->name, value, err);
    else
      rc = th_h5_get_i64(h5, group, f->name, value, err);
  }
  return rc;
}

/* Fields that every file has; that only files of later programs have; of these,
 * to be hashed, not those that the file leaves out. */
enum { EVERYWHERE = 1, LATER = 2, HASHED = 4 };

/* Pack or unpack such fields. */
static th_status walk_fields(struct th_message *pack,
                             const struct th_fields *record, void *values,
                             int which, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int k = 0; k < record->rows && rc == TH_OK; k++) {
    const struct th_fields_row *f = &record->row[k];
    if ((which & (f->later ? LATER : EVERYWHERE)) != 0 &&
        !((which & HASHED) != 0 && th_claims_field_left_out(f, values)))
      rc = th_message_bytes(pack, th_claims_field_at(f, values), sizeof(double),
                            err);
  }
  return rc;
}

/* --- The certificate of a model in its file ------------------------------- */

enum { PATH_COLUMNS = 4 };

/* Pack or unpack a certificate. Local. */
static th_status certificate_walk(struct th_message *pack,
                                  struct th_certificate *certificate,
                                  struct th_error *err)
{
  th_status rc;
  TH_TRY(
      walk_fields(pack, &th_certificate_fields, certificate, EVERYWHERE, err));
  TH_TRY(th_message_bytes(pack, certificate->margin, sizeof certificate->margin,
                          err));
  TH_TRY(th_message_bytes(pack, &certificate->path_size,
                          sizeof certificate->path_size, err));
  TH_TRY(th_message_array(pack, (void **)&certificate->path,
                          certificate->path_size, sizeof *certificate->path,
                          err));
done:
  return rc;
}

/* Make a table of doubles from the path, one row per lambda; the caller frees
 * it. */
static th_status tabulate(const struct th_certificate *c, double **table,
                          struct th_error *err)
{
  th_status rc = TH_NEW(table, c->path_size * PATH_COLUMNS, "the path", err);
  for (int64_t k = 0; k < c->path_size && rc == TH_OK; k++) {
    double *row = *table + k * PATH_COLUMNS;
    row[0] = c->path[k].lambda;
    row[1] = c->path[k].objective;
    row[2] = c->path[k].gap;
    row[3] = (double)c->path[k].support_size;
  }
  return rc;
}

/* Write or read the group /certificate. A model without a penalty has none.
 * Local. */
static th_status certificate_put(const struct th_h5 *h5,
                                 const struct th_certificate *certificate,
                                 struct th_error *err)
{
  double *path = NULL;
  th_status rc = TH_OK;
  if (!(certificate->lambda > 0))
    return rc;
  TH_TRY(tabulate(certificate, &path, err));
  TH_TRY(th_h5_group(h5, TH_G_CERTIFICATE, err));
  TH_TRY(put_record(h5, TH_G_CERTIFICATE, &th_certificate_fields, certificate,
                    err));
  TH_TRY(th_h5_put_i64(h5, TH_G_CERTIFICATE, TH_A_PATH, certificate->path_size,
                       err));
  TH_TRY(th_h5_set_put(h5, TH_D_MARGIN, H5T_NATIVE_INT64, TH_MARGINS,
                       certificate->margin, err));
  TH_TRY(th_h5_set_put(h5, TH_D_PATH, H5T_NATIVE_DOUBLE,
                       certificate->path_size * PATH_COLUMNS, path, err));
done:
  free(path);
  return rc;
}

static th_status get_path(const struct th_h5 *h5, struct th_certificate *c,
                          struct th_error *err)
{
  double *table = NULL;
  int64_t size = 0;
  th_status rc = TH_OK;
  TH_TRY(th_h5_get_i64(h5, TH_G_CERTIFICATE, TH_A_PATH, &size, err));
  if (size < 0 || size > INT64_MAX / PATH_COLUMNS)
    return TH_TRAIN_AGAIN(err, "%s: a path of impossible length", h5->name);
  TH_TRY(th_h5_set_expect(h5, TH_D_PATH, size * PATH_COLUMNS, err));
  c->path_size = size;
  TH_TRY(TH_NEW(&c->path, c->path_size, "the path", err));
  TH_TRY(TH_NEW(&table, c->path_size * PATH_COLUMNS, "the path", err));
  TH_TRY(th_h5_set_get(h5, TH_D_PATH, H5T_NATIVE_DOUBLE,
                       c->path_size * PATH_COLUMNS, table, err));
  for (int64_t k = 0; k < c->path_size; k++) {
    const double *row = table + k * PATH_COLUMNS;
    if (!(row[3] >= 0 && row[3] <= (double)TH_MOST_ATTRIBUTES)) {
      rc = TH_TRAIN_AGAIN(err, "%s: a path with a support of impossible size",
                          h5->name);
      goto done;
    }
    c->path[k] =
        (struct th_path_point){row[0], row[1], row[2], (int64_t)row[3]};
  }
done:
  free(table);
  return rc;
}

static th_status certificate_get(const struct th_h5 *h5,
                                 struct th_certificate *certificate,
                                 struct th_error *err)
{
  th_status rc = TH_OK;
  if (!th_h5_set_exists(h5, TH_G_CERTIFICATE))
    return rc;
  TH_TRY(get_record(h5, TH_G_CERTIFICATE, &th_certificate_fields, certificate,
                    err));
  TH_TRY(th_h5_set_get(h5, TH_D_MARGIN, H5T_NATIVE_INT64, TH_MARGINS,
                       certificate->margin, err));
  TH_TRY(get_path(h5, certificate, err));
done:
  return rc;
}

/* --- How a run ended, in its model's file ---------------------------------
 *
 * The groups /ending and /claims have checksums of their own, so programs that
 * do not know them can read the model, too. Models of runs that ended without a
 * choice do not have the one, those of older programs not the other. */

static th_status hash_of(const struct th_fields *record, void *values,
                         uint64_t *hash, struct th_error *err)
{
  struct th_message pack = {0};
  th_status rc =
      walk_fields(&pack, record, values, EVERYWHERE | LATER | HASHED, err);
  if (rc == TH_OK)
    *hash = th_hash(pack.data, (size_t)pack.used);
  th_message_free(&pack);
  return rc;
}

static th_status put_checked(const struct th_h5 *h5, const char *group,
                             const struct th_fields *record, void *values,
                             struct th_error *err)
{
  uint64_t content = 0;
  th_status rc;
  TH_TRY(hash_of(record, values, &content, err));
  TH_TRY(th_h5_group(h5, group, err));
  TH_TRY(put_record(h5, group, record, values, err));
  TH_TRY(th_h5_put_u64(h5, group, TH_A_CONTENT, content, err));
done:
  return rc;
}

static th_status ending_damaged(const struct th_h5 *h5, struct th_error *err)
{
  return TH_TRAIN_AGAIN(
      err, "%s: what it says of its end is not what was written", h5->name);
}

/* *there: the file has the group. */
static th_status get_checked(const struct th_h5 *h5, const char *group,
                             const struct th_fields *record, void *values,
                             bool *there, struct th_error *err)
{
  uint64_t content = 0;
  uint64_t wanted = 0;
  th_status rc = TH_OK;
  *there = th_h5_set_exists(h5, group);
  if (!*there)
    return TH_OK;
  TH_TRY(get_record(h5, group, record, values, err));
  TH_TRY(th_h5_get_u64(h5, group, TH_A_CONTENT, &wanted, err));
  TH_TRY(hash_of(record, values, &content, err));
  if (content != wanted || !th_claims_good(record, values, false))
    rc = ending_damaged(h5, err);
done:
  return rc;
}

static th_status get_end(const struct th_h5 *h5, struct th_model *m,
                         struct th_error *err)
{
  bool chose = false;
  bool claims = false;
  th_status rc;
  TH_TRY(
      get_checked(h5, TH_G_ENDING, &th_ending_fields, &m->ending, &chose, err));
  TH_TRY(get_checked(h5, TH_G_CLAIMS, &th_claims_fields, &m->claims, &claims,
                     err));
  if ((chose && m->ending.kind == TH_ENDING_NONE) ||
      (claims && m->claims.ended_by == TH_ENDED_UNKNOWN) ||
      !th_claims_good(&th_claims_fields, &m->claims, true))
    rc = ending_damaged(h5, err);
done:
  return rc;
}

/* --- Names and deviations of a model's attributes; what other text is to
 * be read like */

/* Pack or unpack names, deviations and means. */
static th_status names_walk(struct th_message *pack, struct th_model *model,
                            struct th_error *err)
{
  int64_t size = model->support_size;
  int64_t known[5] = {model->deviation != NULL, model->name != NULL,
                      model->mean != NULL, model->allele != NULL,
                      model->other != NULL};
  th_status rc = TH_OK;
  TH_TRY(th_message_bytes(pack, known, sizeof known, err));
  TH_TRY(th_message_bytes(pack, &model->names, sizeof model->names, err));
  if (known[0] != 0)
    TH_TRY(th_message_array(pack, (void **)&model->deviation, size,
                            sizeof *model->deviation, err));
  if (known[2] != 0)
    TH_TRY(th_message_array(pack, (void **)&model->mean, size,
                            sizeof *model->mean, err));
  if (known[1] != 0)
    TH_TRY(th_message_texts(pack, &model->name, size, err));
  if (known[3] != 0)
    TH_TRY(th_message_texts(pack, &model->allele, size, err));
  if (known[4] != 0)
    TH_TRY(th_message_texts(pack, &model->other, size, err));
  TH_TRY(th_message_text(pack, &model->type, err));
  TH_TRY(th_origin_file_pack(pack, &model->origin, err));
  TH_TRY(th_covariates_file_pack(pack, &model->covariates, err));
done:
  return rc;
}

/* Write or read them. A file of an older minor version has none. */
static th_status names_put(const struct th_h5 *h5, const struct th_model *model,
                           struct th_error *err)
{
  th_status rc = TH_OK;
  if (model->type != NULL)
    TH_TRY(th_h5_put_text(h5, "/", TH_A_TYPE, model->type, err));
  TH_TRY(th_origin_file_put(h5, &model->origin, err));
  TH_TRY(th_covariates_file_put(h5, &model->covariates, err));
  if (model->deviation != NULL)
    TH_TRY(th_h5_set_put(h5, TH_D_DEVIATION, H5T_NATIVE_DOUBLE,
                         model->support_size, model->deviation, err));
  if (model->mean != NULL)
    TH_TRY(th_h5_set_put(h5, TH_D_MEAN, H5T_NATIVE_DOUBLE, model->support_size,
                         model->mean, err));
  if (model->allele != NULL)
    TH_TRY(th_h5_set_put_texts(h5, TH_D_ALLELES, model->support_size,
                               (const char *const *)model->allele, err));
  if (model->other != NULL)
    TH_TRY(th_h5_set_put_texts(h5, TH_D_OTHER_ALLELES, model->support_size,
                               (const char *const *)model->other, err));
  if (model->name == NULL)
    goto done;
  TH_TRY(th_h5_set_put_texts(h5, TH_D_NAMES, model->support_size,
                             (const char *const *)model->name, err));
  TH_TRY(th_h5_put_u64(h5, "/", TH_A_NAMES_LIST, model->names.list, err));
  TH_TRY(th_h5_put_u64(h5, "/", TH_A_NAMES_SET, model->names.set, err));
done:
  return rc;
}

static th_status get_names(const struct th_h5 *h5, struct th_model *model,
                           struct th_error *err)
{
  th_status rc = TH_OK;
  TH_TRY(th_h5_get_u64(h5, "/", TH_A_NAMES_LIST, &model->names.list, err));
  TH_TRY(th_h5_get_u64(h5, "/", TH_A_NAMES_SET, &model->names.set, err));
  TH_TRY(th_h5_set_get_copies(h5, TH_D_NAMES, model->support_size, &model->name,
                              err));
done:
  return rc;
}

static th_status get_type(const struct th_h5 *h5, struct th_model *model,
                          struct th_error *err)
{
  th_status rc = th_h5_get_text(h5, "/", TH_A_TYPE, &model->type, err);
  if (rc == TH_OK && th_type_find(model->type) < 0)
    rc = th_fail(err, TH_EFORMAT, "%s: unknown type \"%s\"; update thresher",
                 h5->name, model->type);
  return rc;
}

static th_status names_get(const struct th_h5 *h5, struct th_model *model,
                           struct th_error *err)
{
  th_status rc = TH_OK;
  if (th_h5_set_exists(h5, TH_D_DEVIATION)) {
    TH_TRY(TH_NEW(&model->deviation, model->support_size, "deviations", err));
    TH_TRY(th_h5_set_get(h5, TH_D_DEVIATION, H5T_NATIVE_DOUBLE,
                         model->support_size, model->deviation, err));
  }
  if (th_h5_set_exists(h5, TH_D_MEAN)) {
    TH_TRY(TH_NEW(&model->mean, model->support_size, "means", err));
    TH_TRY(th_h5_set_get(h5, TH_D_MEAN, H5T_NATIVE_DOUBLE, model->support_size,
                         model->mean, err));
  }
  if (th_h5_set_exists(h5, TH_D_NAMES))
    TH_TRY(get_names(h5, model, err));
  if (th_h5_set_exists(h5, TH_D_ALLELES))
    TH_TRY(th_h5_set_get_copies(h5, TH_D_ALLELES, model->support_size,
                                &model->allele, err));
  if (th_h5_set_exists(h5, TH_D_OTHER_ALLELES))
    TH_TRY(th_h5_set_get_copies(h5, TH_D_OTHER_ALLELES, model->support_size,
                                &model->other, err));
  if (th_h5_has(h5, "/", TH_A_TYPE))
    TH_TRY(get_type(h5, model, err));
  TH_TRY(
      th_covariates_file_get(h5, model->attributes, &model->covariates, err));
  TH_TRY(th_origin_file_get(h5, model->attributes - model->covariates.count,
                            &model->origin, err));
done:
  return rc;
}

/* --- The order of selection, in a model's file ---------------------------- */

/* The checksum of counts, numbers and the order. */
static uint64_t selected_content_of(const struct th_selected *s)
{
  const struct th_fields *record = &th_selected_fields;
  uint64_t hash = 0;
  for (int reals = 0; reals < 2; reals++)
    for (int k = 0; k < record->rows; k++) {
      const struct th_fields_row *f = &record->row[k];
      if (th_claims_field_is_real(f) == reals &&
          !th_claims_field_left_out(f, s))
        hash = th_hash_from((const char *)s + f->place, sizeof(double), hash);
    }
  return th_hash_from(s->attribute, (size_t)s->size * sizeof *s->attribute,
                      hash);
}

/* Write or read the group /selection. It has a checksum of its own. Models of
 * solvers that choose in no order do not have it. attributes: d. Local.
 * TH_EFORMAT if it is damaged. */
static th_status selected_put(const struct th_h5 *h5,
                              const struct th_selected *selection,
                              struct th_error *err)
{
  th_status rc = TH_OK;
  if (selection->size == 0 && !(selection->cost_try_select > 0))
    return rc;
  TH_TRY(th_h5_group(h5, TH_G_SELECTED, err));
  TH_TRY(put_record(h5, TH_G_SELECTED, &th_selected_fields, selection, err));
  TH_TRY(th_h5_set_put(h5, TH_D_ORDER, H5T_NATIVE_INT64, selection->size,
                       selection->attribute, err));
  TH_TRY(th_h5_put_u64(h5, TH_G_SELECTED, TH_A_CONTENT,
                       selected_content_of(selection), err));
done:
  return rc;
}

static th_status selected_damaged(const struct th_h5 *h5, struct th_error *err)
{
  return TH_TRAIN_AGAIN(
      err, "%s: what it says of its selection is not what was written",
      h5->name);
}

/* Local. */
static bool selected_is_good(const struct th_selected *s, int64_t attributes)
{
  bool good = th_claims_good(&th_selected_fields, s, true);
  for (int64_t k = 0; k < s->size; k++)
    good = good && s->attribute[k] >= 0 && s->attribute[k] < attributes;
  return good;
}

static th_status selected_get(const struct th_h5 *h5, int64_t attributes,
                              struct th_selected *selection,
                              struct th_error *err)
{
  uint64_t content = 0;
  th_status rc = TH_OK;
  if (!th_h5_set_exists(h5, TH_G_SELECTED))
    return rc;
  TH_TRY(get_record(h5, TH_G_SELECTED, &th_selected_fields, selection, err));
  if (selection->size < 0 || selection->size > attributes)
    return selected_damaged(h5, err);
  TH_TRY(th_h5_set_expect(h5, TH_D_ORDER, selection->size, err));
  TH_TRY(TH_NEW(&selection->attribute, selection->size, "the selection", err));
  TH_TRY(th_h5_set_get(h5, TH_D_ORDER, H5T_NATIVE_INT64, selection->size,
                       selection->attribute, err));
  TH_TRY(th_h5_get_u64(h5, TH_G_SELECTED, TH_A_CONTENT, &content, err));
  if (content != selected_content_of(selection) ||
      !selected_is_good(selection, attributes))
    rc = selected_damaged(h5, err);
done:
  return rc;
}

/* --- A model as a whole --------------------------------------------------- */

/* Texts and numbers of a model, in the order of its file; the counts of the
 * ledger come last. */
#define ROW(name, type, member)                                                \
  {                                                                            \
    (name), TH_FIELD_##type, offsetof(struct th_model, member), .what = ""     \
  }
static const struct th_fields_row model_rows[] = {
    ROW(TH_A_SOLVER, TEXT, solver),
    ROW(TH_A_LOSS, TEXT, loss),
    ROW(TH_A_STATISTICS, TEXT, statistics),
    ROW(TH_A_ATTRIBUTES, COUNT, attributes),
    ROW(TH_A_COUNT, COUNT, support_size),
    ROW(TH_A_INTERCEPT, REAL, intercept),
    ROW(TH_A_PASSES, COUNT, passes),
    ROW(TH_A_FINGERPRINT, BITS, fingerprint),
    ROW(TH_A_LEDGER "examples", COUNT, ledger.examples),
    ROW(TH_A_LEDGER "attributes", COUNT, ledger.attributes),
    ROW(TH_A_LEDGER "max_attributes_per_example", COUNT,
        ledger.max_attributes_per_example),
    ROW(TH_A_LEDGER "validation_examples", COUNT, ledger.validation_examples),
    ROW(TH_A_LEDGER "validation_attributes", COUNT,
        ledger.validation_attributes)};
#undef ROW
static const struct th_fields model_record = TH_FIELDS(model_rows);

/* Pack or unpack the model. */
static th_status model_walk(struct th_message *pack, struct th_model *m,
                            struct th_error *err)
{
  th_status rc = TH_OK;
  TH_TRY(th_message_text(pack, &m->solver, err));
  TH_TRY(th_message_text(pack, &m->loss, err));
  TH_TRY(th_message_text(pack, &m->statistics, err));
  TH_TRY(th_message_bytes(pack, &m->attributes, sizeof m->attributes, err));
  TH_TRY(th_message_bytes(pack, &m->support_size, sizeof m->support_size, err));
  TH_TRY(th_message_bytes(pack, &m->settings, sizeof m->settings, err));
  TH_TRY(th_message_bytes(pack, &m->intercept, sizeof m->intercept, err));
  TH_TRY(th_message_bytes(
      pack, &m->ledger, offsetof(struct th_ledger, distinct_attributes), err));
  TH_TRY(th_message_bytes(pack, &m->passes, sizeof m->passes, err));
  TH_TRY(th_message_bytes(pack, &m->fingerprint, sizeof m->fingerprint, err));
  TH_TRY(th_message_array(pack, (void **)&m->support, m->support_size,
                          sizeof *m->support, err));
  TH_TRY(th_message_array(pack, (void **)&m->coef, m->support_size,
                          sizeof *m->coef, err));
  TH_TRY(certificate_walk(pack, &m->certificate, err));
  if (pack->taking)
    TH_TRY(TH_NEW(&m->deck, m->settings, "the deck", err));
  for (int64_t k = 0; k < m->settings; k++) {
    TH_TRY(th_message_text(pack, &m->deck[k].name, err));
    TH_TRY(th_message_text(pack, &m->deck[k].value, err));
  }
done:
  return rc;
}

/* Programs that wrote no claims took constants for known that were assumed,
 * and a bound in the units of the solver. */
static void doubt(struct th_model *model)
{
  model->claims.guarantee_if = model->selected.guarantee;
  model->selected.guarantee = 0;
  model->selected.remaining_bound = 0;
}

static th_status walk_all(struct th_message *pack, struct th_model *m,
                          struct th_error *err)
{
  int64_t *distinct = &m->ledger.distinct_attributes;
  int64_t *unpenalised = &m->ledger.unpenalised_attributes;
  th_status rc;
  TH_TRY(model_walk(pack, m, err));
  TH_TRY(
      walk_fields(pack, &th_certificate_fields, &m->certificate, LATER, err));
  TH_TRY(th_message_bytes(pack, distinct, sizeof *distinct, err));
  TH_TRY(th_message_bytes(pack, unpenalised, sizeof *unpenalised, err));
  TH_TRY(walk_fields(pack, &th_selected_fields, &m->selected,
                     EVERYWHERE | LATER, err));
  TH_TRY(th_message_array(pack, (void **)&m->selected.attribute,
                          m->selected.size, sizeof *m->selected.attribute,
                          err));
  TH_TRY(walk_fields(pack, &th_claims_fields, &m->claims, EVERYWHERE | LATER,
                     err));
  TH_TRY(walk_fields(pack, &th_ending_fields, &m->ending, EVERYWHERE | LATER,
                     err));
  TH_TRY(names_walk(pack, m, err));
  TH_TRY(th_path_file_walk(pack, m, err));
done:
  return rc;
}

/* Names and deviations have checksums of their own, so programs of the minor
 * version before can read the model, too. */
static th_status content_of(struct th_model *model, uint64_t *content,
                            struct th_error *err)
{
  struct th_message pack = {0};
  th_status rc = model_walk(&pack, model, err);
  if (rc == TH_OK)
    rc = walk_fields(&pack, &th_certificate_fields, &model->certificate,
                     LATER | HASHED, err);
  if (rc == TH_OK)
    *content = th_hash(pack.data, (size_t)pack.used);
  th_message_free(&pack);
  return rc;
}

static th_status put_deck(const struct th_h5 *h5, const struct th_model *model,
                          struct th_error *err)
{
  int64_t k = model->settings;
  const char **texts = NULL;
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&texts, 2 * k, "the deck", err));
  for (int64_t i = 0; i < k; i++) {
    texts[i] = model->deck[i].name;
    texts[k + i] = model->deck[i].value;
  }
  TH_TRY(th_h5_group(h5, TH_G_DECK, err));
  TH_TRY(th_h5_set_put_texts(h5, TH_D_DECK_NAME, k, texts, err));
  TH_TRY(th_h5_set_put_texts(h5, TH_D_DECK_VALUE, k, texts + k, err));
done:
  free(texts);
  return rc;
}

/* The value of an option; "" where the deck does not have it. */
static const char *setting_of(const struct th_model *m, const char *name)
{
  for (int64_t k = 0; k < m->settings; k++)
    if (strcmp(m->deck[k].name, name) == 0)
      return m->deck[k].value;
  return "";
}

static th_status put_model(const struct th_h5 *h5, struct th_model *m,
                           struct th_error *err)
{
  uint64_t content = 0;
  th_status rc = TH_OK;
  TH_TRY(content_of(m, &content, err));
  TH_TRY(th_h5_put_text(h5, "/", TH_A_FORMAT, TH_FORMAT_MODEL, err));
  TH_TRY(th_h5_put_i64(h5, "/", TH_A_MAJOR, TH_FORMAT_MAJOR, err));
  TH_TRY(th_h5_put_i64(h5, "/", TH_A_MINOR, TH_FORMAT_MINOR, err));
  TH_TRY(put_record(h5, "/", &model_record, m, err));
  TH_TRY(th_h5_put_i64(h5, "/", TH_A_DISTINCT, m->ledger.distinct_attributes,
                       err));
  if (m->ledger.unpenalised_attributes > 0)
    TH_TRY(th_h5_put_i64(h5, "/", TH_A_UNPENALISED,
                         m->ledger.unpenalised_attributes, err));
  TH_TRY(th_h5_put_u64(h5, "/", TH_A_CONTENT, content, err));
  TH_TRY(th_h5_set_put(h5, TH_D_SUPPORT, H5T_NATIVE_INT64, m->support_size,
                       m->support, err));
  TH_TRY(th_h5_set_put(h5, TH_D_COEF, H5T_NATIVE_DOUBLE, m->support_size,
                       m->coef, err));
  TH_TRY(names_put(h5, m, err));
  TH_TRY(th_h5_put_i64(h5, "/", TH_A_SETTINGS, m->settings, err));
  TH_TRY(put_deck(h5, m, err));
  TH_TRY(certificate_put(h5, &m->certificate, err));
  if (m->ending.kind != TH_ENDING_NONE)
    TH_TRY(put_checked(h5, TH_G_ENDING, &th_ending_fields, &m->ending, err));
  TH_TRY(selected_put(h5, &m->selected, err));
  TH_TRY(th_path_file_put(h5, m, setting_of(m, "penalty"), err));
  if (m->claims.ended_by != TH_ENDED_UNKNOWN)
    TH_TRY(put_checked(h5, TH_G_CLAIMS, &th_claims_fields, &m->claims, err));
done:
  return rc;
}

/* Collect the pieces of all groups on the rank that writes. Pieces that were
 * cut at borders of ranks are joined again. Collective. */
static th_status collect_groups(const struct th_model *model,
                                struct th_comm *comm,
                                struct th_group_piece **piece, int64_t *count,
                                struct th_error *err)
{
  struct th_range all = {0, comm->rank == 0 ? model->groups.attributes : 0};
  int64_t kept = 0;
  th_status rc = th_groups_fetch(&model->groups, comm, all, piece, count, err);
  for (int64_t k = 0; k < *count && rc == TH_OK; k++) {
    struct th_group_piece *last = *piece + kept - 1;
    if (kept > 0 && last->group == (*piece)[k].group)
      last->range.last = (*piece)[k].range.last;
    else
      (*piece)[kept++] = (*piece)[k];
  }
  *count = kept;
  return rc;
}

/* Local: rank 0. piece[pieces]: of the groups. */
static th_status write_model(const struct th_model *model,
                             const struct th_group_piece *piece, int64_t pieces,
                             struct th_output *output, struct th_error *err)
{
  struct th_model copy = *model; /* its pointers are only read */
  struct th_error ignored = {0};
  struct th_h5 h5 = {0};
  struct th_h5_image image = {0};
  th_status rc = TH_OK;
  copy.solver = copy.solver != NULL ? copy.solver : (char[]){""};
  copy.loss = copy.loss != NULL ? copy.loss : (char[]){""};
  copy.statistics = copy.statistics != NULL ? copy.statistics : (char[]){""};
  TH_TRY(th_h5_create_memory(&h5, &image, output->path, err));
  TH_TRY(put_model(&h5, &copy, err));
  TH_TRY(th_attribute_groups_put(&h5, piece, pieces, err));
  TH_TRY(th_h5_close(&h5, err));
  TH_TRY(th_output_write(output, image.bytes, image.count, err));
  TH_TRY(th_output_commit(output, err));
done:
  th_h5_close(&h5, &ignored);
  free(image.bytes);
  return rc;
}

th_status th_model_file_write_to(const struct th_model *model,
                                 struct th_comm *comm, struct th_output *output,
                                 struct th_error *err)
{
  struct th_group_piece *piece = NULL;
  int64_t pieces = 0;
  th_status rc = TH_OK;
  if (model->groups.attributes > 0)
    TH_TRY(collect_groups(model, comm, &piece, &pieces, err));
  if (comm->rank == 0)
    rc = write_model(model, piece, pieces, output, err);
  TH_TRY(th_agree(comm, rc, err));
done:
  free(piece);
  return rc;
}

th_status th_model_file_write(const struct th_model *model,
                              struct th_comm *comm, const char *path,
                              bool force, struct th_error *err)
{
  struct th_output output = {.file = -1};
  th_status rc = TH_OK;
  if (comm->rank == 0)
    rc = th_output_begin(&output, path, force, err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(th_model_file_write_to(model, comm, &output, err));
done:
  th_output_abort(&output);
  return rc;
}

static th_status model_damaged(const struct th_h5 *h5, struct th_error *err)
{
  return TH_TRAIN_AGAIN(err, "%s: the content is not what was written",
                        h5->name);
}

static th_status get_deck(const struct th_h5 *h5, struct th_model *m,
                          int64_t settings, struct th_error *err)
{
  char **names = NULL;
  char **values = NULL;
  th_status rc = TH_OK;
  TH_TRY(th_h5_set_get_texts(h5, TH_D_DECK_NAME, settings, &names, err));
  TH_TRY(th_h5_set_get_texts(h5, TH_D_DECK_VALUE, settings, &values, err));
  for (int64_t k = 0; k < settings; k++)
    TH_TRY(th_model_set(m, names[k], values[k], err));
done:
  TH_FREE(names, values);
  return rc;
}

static th_status get_support(const struct th_h5 *h5, struct th_model *m,
                             struct th_error *err)
{
  int64_t size = m->support_size;
  int64_t before = -1;
  th_status rc = TH_OK;
  if (m->attributes < 1 || size < 0 || size > m->attributes)
    return model_damaged(h5, err);
  TH_TRY(th_h5_set_expect(h5, TH_D_SUPPORT, size, err));
  TH_TRY(th_model_reserve(m, size, err));
  TH_TRY(
      th_h5_set_get(h5, TH_D_SUPPORT, H5T_NATIVE_INT64, size, m->support, err));
  TH_TRY(th_h5_set_get(h5, TH_D_COEF, H5T_NATIVE_DOUBLE, size, m->coef, err));
  for (int64_t k = 0; k < size; k++) {
    if (m->support[k] <= before || m->support[k] >= m->attributes ||
        !isfinite(m->coef[k]))
      return model_damaged(h5, err);
    before = m->support[k];
  }
done:
  return rc;
}

static bool numbers_good(const struct th_model *m)
{
  bool good = isfinite(m->intercept) && th_claims_good(&model_record, m, false);
  for (int64_t k = 0; m->deviation != NULL && k < m->support_size; k++)
    good = good && m->deviation[k] >= 0;
  for (int64_t k = 0; m->mean != NULL && k < m->support_size; k++)
    good = good && isfinite(m->mean[k]);
  return good;
}

/* Older models do not know: nothing was drawn twice then. */
static th_status get_distinct(const struct th_h5 *h5, struct th_model *m,
                              struct th_error *err)
{
  int64_t *distinct = &m->ledger.distinct_attributes;
  *distinct = m->ledger.attributes;
  if (!th_h5_has(h5, "/", TH_A_DISTINCT))
    return TH_OK;
  th_status rc = th_h5_get_i64(h5, "/", TH_A_DISTINCT, distinct, err);
  if (rc == TH_OK && (*distinct < 0 || *distinct > m->ledger.attributes))
    rc = model_damaged(h5, err);
  return rc;
}

/* There are none in most models. */
static th_status get_unpenalised(const struct th_h5 *h5, struct th_model *m,
                                 struct th_error *err)
{
  int64_t *observed = &m->ledger.unpenalised_attributes;
  if (!th_h5_has(h5, "/", TH_A_UNPENALISED))
    return TH_OK;
  th_status rc = th_h5_get_i64(h5, "/", TH_A_UNPENALISED, observed, err);
  return rc == TH_OK && *observed < 0 ? model_damaged(h5, err) : rc;
}

static th_status get_model(const struct th_h5 *h5, struct th_model *m,
                           struct th_error *err)
{
  uint64_t content = 0;
  uint64_t wanted = 0;
  int64_t settings = 0;
  th_status rc = TH_OK;
  TH_TRY(get_record(h5, "/", &model_record, m, err));
  TH_TRY(get_distinct(h5, m, err));
  TH_TRY(get_unpenalised(h5, m, err));
  TH_TRY(get_support(h5, m, err));
  TH_TRY(names_get(h5, m, err));
  TH_TRY(th_h5_get_i64(h5, "/", TH_A_SETTINGS, &settings, err));
  TH_TRY(get_deck(h5, m, settings, err));
  TH_TRY(certificate_get(h5, &m->certificate, err));
  TH_TRY(get_end(h5, m, err));
  TH_TRY(selected_get(h5, m->attributes, &m->selected, err));
  TH_TRY(th_path_file_get(h5, m, err));
  if (m->claims.ended_by == TH_ENDED_UNKNOWN)
    doubt(m);
  TH_TRY(th_h5_get_u64(h5, "/", TH_A_CONTENT, &wanted, err));
  TH_TRY(content_of(m, &content, err));
  if (content != wanted || !numbers_good(m))
    rc = model_damaged(h5, err);
done:
  return rc;
}

/* Local: rank 0. *piece receives the groups, where there are any. */
static th_status read_model(struct th_model *model, const char *path,
                            struct th_group_piece **piece, int64_t *pieces,
                            struct th_error *err)
{
  struct th_h5 h5 = {0};
  struct th_error ignored = {0};
  th_status rc = TH_OK;
  TH_TRY(th_format_check_file(path, path, err));
  TH_TRY(th_h5_open_own(&h5, path, path, err));
  TH_TRY(th_format_check(&h5, TH_FORMAT_MODEL, err));
  TH_TRY(get_model(&h5, model, err));
  TH_TRY(th_attribute_groups_get(&h5, model->attributes, piece, pieces, err));
done:
  th_h5_close(&h5, &ignored);
  return rc;
}

th_status th_model_file_share(struct th_model *model, struct th_comm *comm,
                              struct th_error *err)
{
  struct th_message pack = {0};
  th_status rc = comm->rank == 0 ? walk_all(&pack, model, err) : TH_OK;
  rc = th_message_share(&pack, comm, rc, err);
  if (rc == TH_OK && comm->rank != 0) {
    struct th_groups groups = model->groups;
    model->groups = (struct th_groups){0};
    th_model_free(model);
    *model = (struct th_model){.groups = groups};
    rc = walk_all(&pack, model, err);
  }
  th_message_free(&pack);
  return th_agree(comm, rc, err);
}

th_status th_model_file_read(struct th_model *model, struct th_comm *comm,
                             const char *path, struct th_error *err)
{
  struct th_message pack = {0};
  struct th_group_piece *piece = NULL;
  int64_t pieces = 0;
  th_status rc = TH_OK;
  *model = (struct th_model){0};
  if (comm->rank == 0)
    rc = read_model(model, path, &piece, &pieces, err);
  if (rc == TH_OK && comm->rank == 0)
    rc = walk_all(&pack, model, err);
  rc = th_message_share(&pack, comm, rc, err);
  if (rc == TH_OK && comm->rank != 0)
    rc = walk_all(&pack, model, err);
  int64_t most[2] = {pieces};
  TH_TRY(th_comm_max_agree(comm, most, 1, rc, err));
  if (most[0] > 0)
    TH_TRY(th_groups_share(&model->groups, comm, model->attributes, piece,
                           most[0], TH_OK, err));
done:
  free(piece);
  th_message_free(&pack);
  if (rc != TH_OK)
    th_model_free(model);
  return rc;
}
