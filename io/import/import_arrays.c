/* import_arrays.c - the columns of the matrices of an import
 * SPDX-License-Identifier: MIT */
#include "io/import/import_arrays.h"

#include "base/memory.h"
#include "io/import/arrays/h5_matrix.h"
#include "io/import/arrays/npz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct th_import_arrays *arrays_of(const struct th_importing *im)
{
  return im->state;
}

/* --- The file that is open ------------------------------------------------ */

void th_import_arrays_shut(struct th_import_arrays *arrays)
{
  struct th_error ignored = {0};
  th_matrix_close(&arrays->matrix);
  if (arrays->target.in_table)
    th_frame_free(&arrays->target.values);
  if (arrays->weight.in_table)
    th_frame_free(&arrays->weight.values);
  th_h5_close(&arrays->h5, &ignored);
  arrays->h5 = (struct th_h5){0};
  arrays->open = -1;
}

static th_status open_hdf5(struct th_import_arrays *a,
                           const struct th_text_file *file, const char *member,
                           struct th_error *err)
{
  if (file->base >= 0)
    return th_fail(err, TH_EFORMAT,
                   "%s: HDF5 in a compressed file, whose parts cannot be read; "
                   "decompress it first",
                   file->name);
  th_status rc = th_h5_open(&a->h5, file->path, file->name, err);
  return rc != TH_OK
             ? rc
             : th_h5_matrix_open(&a->matrix, &a->h5, member, a->path, err);
}

static th_status open_numpy(struct th_import_arrays *a,
                            const struct th_text_file *file, const char *member,
                            struct th_error *err)
{
  struct th_stretch_place place = {.path = file->path,
                                   .name = file->name,
                                   .offset = file->base < 0 ? 0 : file->base,
                                   .stored = file->size,
                                   .bytes = file->size};
  return th_npz_open(&a->matrix, &place, member, err);
}

static th_status open_text(struct th_importing *im, int64_t k,
                           struct th_error *err)
{
  struct th_matrix *m = &arrays_of(im)->matrix;
  int64_t shape[2] = {0};
  th_status rc =
      th_mtx_open(&m->text, &im->file[k], im->limits.line.bytes, shape, err);
  if (rc != TH_OK)
    return rc;
  snprintf(m->name, sizeof m->name, "%s", im->file[k].name);
  m->form = TH_MATRIX_TEXT;
  m->rows = shape[0];
  m->columns = shape[1];
  return th_matrix_open(m, err);
}

/* A block takes a part of what parsed entries may take, on each thread. */
static int64_t block_memory(const struct th_importing *im)
{
  enum { SHARE = 4 };
  int threads = im->job->threads < 0 ? -im->job->threads : im->job->threads;
  return im->limits.memory / SHARE / (threads > 1 ? threads : 1);
}

th_status th_import_arrays_turn(struct th_importing *im, int64_t k,
                                struct th_error *err)
{
  struct th_import_arrays *a = arrays_of(im);
  const struct th_importer *importer = im->format->importer;
  const struct th_text_file *file = &im->file[k];
  const char *member = im->member[k];
  th_status rc = TH_OK;
  if (a->open == k)
    return TH_OK;
  th_import_arrays_shut(a);
  if (importer == &th_import_hdf5)
    TH_TRY(open_hdf5(a, file, member, err));
  else if (importer == &th_import_mtx)
    TH_TRY(open_text(im, k, err));
  else
    TH_TRY(open_numpy(a, file, member, err));
  a->matrix.memory = block_memory(im);
  a->open = k;
  rc = th_import_arrays_table(im, k, err);
done:
  return rc;
}

/* --- What each example has one of ----------------------------------------- */

static const char *table_of(const struct th_import_arrays *a)
{
  return a->h5.file > 0 && th_frame_kind_of(&a->h5, "/obs") != TH_FRAME_NOTHING
             ? "/obs"
             : NULL;
}

static th_status read_column(const struct th_importing *im,
                             struct th_import_role *role, struct th_error *err)
{
  const struct th_import_arrays *a = arrays_of(im);
  if (!role->in_table)
    return TH_OK;
  if (table_of(a) == NULL)
    return th_fail(err, TH_EDATA,
                   "%s has no table of examples, and no '%.60s'; import it "
                   "apart",
                   a->matrix.name, role->name);
  return th_frame_read(&a->h5, table_of(a), role->name, a->matrix.rows,
                       &role->values, err);
}

th_status th_import_arrays_table(struct th_importing *im, int64_t k,
                                 struct th_error *err)
{
  struct th_import_arrays *a = arrays_of(im);
  (void)k;
  th_status rc = read_column(im, &a->target, err);
  return rc != TH_OK ? rc : read_column(im, &a->weight, err);
}

/* Where is what was named: in the examples' table, in a file, or a column. */
static th_status find_role(struct th_importing *im, const char *given,
                           struct th_import_role *role, struct th_error *err)
{
  struct th_import_arrays *a = arrays_of(im);
  *role = (struct th_import_role){.name = given, .column = -1};
  if (given == NULL)
    return TH_OK;
  if (table_of(a) != NULL && th_frame_has(&a->h5, table_of(a), given)) {
    role->in_table = true;
    return read_column(im, role, err);
  }
  if (th_vector_named(given))
    return th_vector_read(given, &role->values, err);
  role->column = 0; /* th_csv_columns finds it */
  return TH_OK;
}

/* The target of data like others is in their table too, if it is there at all.
 */
static const char *known_target(const struct th_importing *im)
{
  const struct th_import_arrays *a = arrays_of(im);
  const char *known = im->like.origin.target_name;
  if (im->job->target != NULL)
    return im->job->target;
  return known != NULL && table_of(a) != NULL &&
                 th_frame_has(&a->h5, table_of(a), known)
             ? known
             : NULL;
}

/* --- Columns as of a table ------------------------------------------------ */

static bool is_beside(const struct th_import_role *role)
{
  return role->name != NULL && role->column < 0;
}

static th_status copy_name(const char *name, char **to, struct th_error *err)
{
  th_status rc = TH_NEW(to, (int64_t)strlen(name) + 1, "names of columns", err);
  if (rc == TH_OK)
    memcpy(*to, name, strlen(name));
  return rc;
}

/* The names of the matrix's columns, if there are any. */
static th_status read_names(struct th_importing *im, char ***names,
                            struct th_error *err)
{
  struct th_import_arrays *a = arrays_of(im);
  if (im->job->names != NULL)
    return th_vector_lines(im->job->names, a->matrix.columns, names, err);
  if (a->h5.file > 0)
    return th_h5_matrix_names(&a->h5, a->path, a->matrix.columns, names, err);
  return TH_OK;
}

/* What lies beside the matrix stands behind its columns. */
static th_status list_columns(struct th_importing *im, struct th_error *err)
{
  struct th_import_arrays *a = arrays_of(im);
  struct th_import_role *roles[] = {&a->target, &a->weight};
  struct th_csv *table = &a->table;
  char **names = NULL;
  th_status rc = TH_OK;
  table->columns = a->matrix.columns;
  TH_TRY(read_names(im, &names, err));
  if (names != NULL)
    TH_TRY(
        TH_NEW(&table->names, a->matrix.columns + 2, "names of columns", err));
  for (int64_t k = 0; names != NULL && k < a->matrix.columns; k++)
    table->names[k] = names[k];
  free(names);
  names = NULL;
  for (int k = 0; k < 2; k++) {
    if (!is_beside(roles[k]))
      continue;
    int64_t place = table->columns++;
    if (table->names != NULL)
      TH_TRY(copy_name(roles[k]->in_table ? roles[k]->name : "",
                       &table->names[place], err));
  }
done:
  if (names != NULL)
    TH_FREE_LIST(names, a->matrix.columns);
  return rc;
}

static struct th_csv_choice choice_of(const struct th_importing *im)
{
  const struct th_import_arrays *a = arrays_of(im);
  const struct th_import *job = im->job;
  struct th_csv_choice choice = {
      .ignore = job->ignore, .decimal = '.', .may_lack = job->like != NULL};
  int64_t behind = a->matrix.columns;
  if (is_beside(&a->target))
    choice.target_place = ++behind;
  else
    choice.target = a->target.name;
  if (is_beside(&a->weight))
    choice.weights_place = ++behind;
  else
    choice.weights = a->weight.name;
  if (im->like.origin.columns > 0)
    choice.origin = &im->like.origin;
  if (job->like != NULL)
    choice.told = &im->like.origin;
  return choice;
}

/* Attributes of other data, by name where both have names. */
static struct th_csv_reference reference_of(const struct th_importing *im)
{
  const struct th_import *job = im->job;
  bool named = arrays_of(im)->table.names != NULL;
  if (job->like == NULL)
    return (struct th_csv_reference){job->attributes > 0 ? "{attributes}"
                                                         : NULL,
                                     job->attributes, NULL, false};
  if (im->like.support != NULL && named)
    return (struct th_csv_reference){job->like, im->like.support_size,
                                     (const char *const *)im->like.support,
                                     true};
  return (struct th_csv_reference){
      job->like, im->like.attributes,
      named ? (const char *const *)im->like.names : NULL, false};
}

static th_status ask_for_target(const struct th_importing *im,
                                struct th_error *err)
{
  const struct th_import_arrays *a = arrays_of(im);
  return th_fail(
      err, TH_EUSAGE,
      "%s: %lld x %lld, and which are the targets? Say {target} "
      "FILE.npy for a vector in a file%s, or {target} NUMBER for a "
      "column; data without a target are imported with {like} "
      "TRAIN.h5, the data that the model was trained on",
      a->matrix.name, (long long)a->matrix.rows, (long long)a->matrix.columns,
      table_of(a) != NULL ? ", {target} NAME for a column of obs" : "");
}

/* Columns that are all attributes, without names, need no table: there may be
 * very many. */
static bool is_plain(const struct th_importing *im)
{
  const struct th_import_arrays *a = arrays_of(im);
  return a->table.names == NULL && im->job->ignore == NULL &&
         a->target.column < 0 && a->weight.column < 0 &&
         (im->job->like == NULL || !a->dense);
}

static th_status take_plain(struct th_importing *im,
                            const struct th_csv_reference *reference,
                            struct th_error *err)
{
  struct th_import_arrays *a = arrays_of(im);
  a->table.attributes = a->matrix.columns;
  if (reference->attributes == 0 || reference->attributes == a->matrix.columns)
    return TH_OK;
  return th_fail(err, TH_EDATA,
                 "%s: %lld columns found, expected %lld attributes (%s); match "
                 "the columns",
                 a->matrix.name, (long long)a->matrix.columns,
                 (long long)reference->attributes, reference->origin);
}

/* Roles that change nothing are forgotten. */
static void simplify(struct th_import_arrays *a)
{
  struct th_csv *table = &a->table;
  bool as_is = table->attributes == a->matrix.columns;
  for (int64_t k = 0; as_is && k < a->matrix.columns; k++)
    as_is = table->role[k] == k;
  if (!as_is)
    return;
  free(table->role);
  table->role = NULL;
}

/* What stands in the matrix, or was found there as in other data. */
static void settle_role(struct th_import_role *role, int64_t column)
{
  if (is_beside(role))
    return;
  role->column = column;
  if (role->name == NULL && column >= 0)
    role->name = "";
}

static th_status take_table(struct th_importing *im,
                            const struct th_csv_reference *reference,
                            struct th_error *err)
{
  struct th_import_arrays *a = arrays_of(im);
  struct th_csv_choice choice = choice_of(im);
  struct th_text_file file = im->file[0];
  file.name = a->matrix.name;
  th_status rc = th_csv_columns(&a->table, &file, &choice, reference, err);
  if (rc != TH_OK)
    return rc;
  settle_role(&a->target, a->table.target);
  settle_role(&a->weight, a->table.weight);
  return TH_OK;
}

/* The names of attributes that the data set will have. */
static th_status name_attributes(struct th_importing *im,
                                 const struct th_csv_reference *reference,
                                 struct th_error *err)
{
  struct th_import_arrays *a = arrays_of(im);
  im->text.part = reference->part;
  if (a->table.names == NULL || (im->job->like != NULL && !reference->part))
    return TH_OK;
  return th_csv_header_names(&a->table, &im->names, err);
}

th_status th_import_arrays_columns(struct th_importing *im,
                                   struct th_error *err)
{
  struct th_import_arrays *a = arrays_of(im);
  th_status rc = TH_OK;
  a->dense =
      a->matrix.form == TH_MATRIX_DENSE || a->matrix.form == TH_MATRIX_TURNED;
  a->element = a->matrix.form == TH_MATRIX_TEXT ? TH_ELEMENT_F64
                                                : a->matrix.data.element;
  TH_TRY(find_role(im, known_target(im), &a->target, err));
  TH_TRY(find_role(im, im->job->weights, &a->weight, err));
  if (a->target.name == NULL && im->job->like == NULL)
    return ask_for_target(im, err);
  TH_TRY(list_columns(im, err));
  a->table.target = -1;
  a->table.weight = -1;
  struct th_csv_reference reference = reference_of(im);
  TH_TRY(is_plain(im) ? take_plain(im, &reference, err)
                      : take_table(im, &reference, err));
  TH_TRY(name_attributes(im, &reference, err));
  if (a->table.role != NULL)
    simplify(a);
  im->attributes = a->table.attributes;
  im->text.unlabelled = a->target.name == NULL;
  im->text.weighted = a->weight.name != NULL;
  if (a->target.in_table)
    im->text.target_name = a->target.name;
  else if (a->target.column >= 0 && a->table.names != NULL)
    im->text.target_name = a->table.names[a->target.column];
done:
  return rc;
}
