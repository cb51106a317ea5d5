/* import_array.c - arrays of NumPy, SciPy, HDF5 and Matrix Market as examples
 * SPDX-License-Identifier: MIT */
#include "io/import/arrays/example.h"
#include "io/import/arrays/h5_matrix.h"
#include "io/import/arrays/npy.h"
#include "io/import/arrays/npz.h"
#include "io/import/arrays/vector.h"
#include "io/import/import_job.h"

#include "base/memory.h"
#include "base/printable.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- The file that is open ------------------------------------------------ */

static void shut_file(struct th_array_files *arrays)
{
  if (arrays->id != NULL)
    TH_FREE_LIST(arrays->id, arrays->in.matrix.rows);
  arrays->id = NULL;
  if (arrays->target.in_table)
    th_frame_free(&arrays->target.values);
  if (arrays->weight.in_table)
    th_frame_free(&arrays->weight.values);
  th_matrix_file_close(&arrays->in);
  arrays->open = -1;
}

/* A block takes a part of what parsed entries may take, on each thread. */
static int64_t block_memory(const struct th_importing *im)
{
  enum { SHARE = 4 };
  int threads = im->job->threads < 0 ? -im->job->threads : im->job->threads;
  return im->limits.memory / SHARE / (threads > 1 ? threads : 1);
}

static const char *table_of(const struct th_array_files *a)
{
  return th_matrix_file_table(&a->in);
}

static th_status read_column(const struct th_importing *im,
                             struct th_array_role *role, struct th_error *err)
{
  const struct th_array_files *a = th_import_job_arrays(im);
  if (!role->in_table)
    return TH_OK;
  if (table_of(a) == NULL)
    return th_fail(err, TH_EDATA,
                   "%s has no table of examples, and no '%.60s'; import it "
                   "apart",
                   a->in.matrix.name, role->name);
  return th_frame_read(a->in.h5, table_of(a), role->name, a->in.matrix.rows,
                       &role->values, err);
}

/* Of the file that is open. */
static th_status read_beside(const struct th_importing *im,
                             struct th_error *err)
{
  struct th_array_files *a = th_import_job_arrays(im);
  th_status rc = TH_OK;
  if (im->job->id.file == NULL)
    TH_TRY(th_matrix_file_ids(&a->in, &a->id, err));
  TH_TRY(read_column(im, &a->target, err));
  rc = read_column(im, &a->weight, err);
done:
  return rc;
}

th_status th_import_array_turn(struct th_importing *im, int64_t k,
                               struct th_error *err)
{
  struct th_array_files *a = th_import_job_arrays(im);
  const struct th_text_file *file = &im->file[k];
  const char *member = im->text.member[k];
  th_status rc = TH_OK;
  if (a->open == k)
    return TH_OK;
  shut_file(a);
  a->in.verify = a->file[k].rows == 0 && k % im->comm->size == im->comm->rank;
  a->in.given = im->job->files.given;
  TH_TRY(th_matrix_file_open(&a->in, a->kind, file, member,
                             im->limits.line.bytes, err));
  a->in.matrix.memory = block_memory(im);
  th_import_array_columns_renumber(im);
  a->open = k;
  rc = read_beside(im, err);
done:
  return rc;
}

/* --- What each example has one of ----------------------------------------- */

/* A copy of what stands in memory for each example. */
static th_status copy_role(struct th_array_role *role, const double *number,
                           int64_t count, struct th_error *err)
{
  th_status rc = TH_NEW(&role->values.number, count, "targets", err);
  if (rc != TH_OK)
    return rc;
  role->values.count = count;
  memcpy(role->values.number, number, (size_t)count * sizeof *number);
  return TH_OK;
}

/* Where is what was named: in the examples' table, in a file, in memory, or a
 * column. */
static th_status find_role(struct th_importing *im, const char *given,
                           struct th_array_role *role, struct th_error *err)
{
  struct th_array_files *a = th_import_job_arrays(im);
  *role = (struct th_array_role){.name = given, .column = -1};
  if (given == NULL)
    return TH_OK;
  if (im->job->files.given != NULL && strcmp(given, TH_IMPORT_TARGETS) == 0)
    return copy_role(role, im->job->files.given->target,
                     im->job->files.given->rows, err);
  if (im->job->files.given != NULL && strcmp(given, TH_IMPORT_WEIGHTS) == 0)
    return copy_role(role, im->job->files.given->weight,
                     im->job->files.given->rows, err);
  if (table_of(a) != NULL && th_frame_has(a->in.h5, table_of(a), given)) {
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
  const struct th_array_files *a = th_import_job_arrays(im);
  const char *known = im->like.origin.target_name;
  if (im->job->target != NULL)
    return im->job->target;
  return known != NULL && table_of(a) != NULL &&
                 th_frame_has(a->in.h5, table_of(a), known)
             ? known
             : NULL;
}

/* --- Columns as of a table ------------------------------------------------ */

static bool is_beside(const struct th_array_role *role)
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
  struct th_array_files *a = th_import_job_arrays(im);
  if (im->job->names != NULL)
    return th_vector_lines(im->job->names, im->job->output,
                           a->in.matrix.columns, names, err);
  return th_matrix_file_names(&a->in, names, err);
}

/* What lies beside the matrix stands behind its columns. */
static th_status list_columns(struct th_importing *im, struct th_error *err)
{
  struct th_array_files *a = th_import_job_arrays(im);
  struct th_array_role *roles[] = {&a->target, &a->weight};
  struct th_csv *table = &a->table;
  char **names = NULL;
  th_status rc = TH_OK;
  table->columns = a->in.matrix.columns;
  TH_TRY(read_names(im, &names, err));
  if (names != NULL)
    TH_TRY(TH_NEW(&table->names, a->in.matrix.columns + 2, "names of columns",
                  err));
  for (int64_t k = 0; names != NULL && k < a->in.matrix.columns; k++)
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
    TH_FREE_LIST(names, a->in.matrix.columns);
  return rc;
}

/* The text of other data, as if what lies beside its matrix lay beside this one
 * alike: there may be no target now. */
static void recall_origin(struct th_importing *im)
{
  struct th_array_files *a = th_import_job_arrays(im);
  struct th_origin *origin = &a->origin;
  const int64_t columns = a->in.matrix.columns;
  *origin = im->like.origin;
  int64_t behind = (origin->target > columns) + (origin->weight > columns);
  if (origin->columns - behind != columns)
    return;
  origin->columns = a->table.columns;
  if (origin->target > columns)
    origin->target = is_beside(&a->target) ? columns + 1 : 0;
  if (origin->weight > columns)
    origin->weight = is_beside(&a->weight) ? a->table.columns : 0;
  while (origin->others > 0 && origin->other[origin->others - 1] > columns)
    origin->others--;
}

static struct th_csv_choice choice_of(const struct th_importing *im)
{
  const struct th_array_files *a = th_import_job_arrays(im);
  const struct th_import *job = im->job;
  struct th_csv_choice choice = {
      .ignore = job->ignore, .decimal = '.', .may_lack = job->like != NULL};
  int64_t behind = a->in.matrix.columns;
  if (is_beside(&a->target))
    choice.target_place = ++behind;
  else
    choice.target = a->target.name;
  if (is_beside(&a->weight))
    choice.weights_place = ++behind;
  else
    choice.weights = a->weight.name;
  if (a->origin.columns > 0)
    choice.origin = &a->origin;
  if (job->like != NULL)
    choice.told = &im->like.origin;
  return choice;
}

/* Attributes of other data, by name where both have names. */
static struct th_csv_reference reference_of(const struct th_importing *im)
{
  const struct th_import *job = im->job;
  bool named = th_import_job_arrays(im)->table.names != NULL;
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

static th_status ask_for_vector(const struct th_importing *im,
                                struct th_error *err)
{
  const struct th_array_files *a = th_import_job_arrays(im);
  return th_fail(
      err, TH_EUSAGE,
      "%s: %lld x %lld, and which are the targets? Say {target} "
      "FILE.npy for a vector in a file%s, or {target} NUMBER for a "
      "column; {target} none if they are in a table, for train "
      "with {targets}; new data for a model are imported with {like} "
      "TRAIN.h5, the data that the model was trained on",
      a->in.matrix.name, (long long)a->in.matrix.rows,
      (long long)a->in.matrix.columns,
      table_of(a) != NULL ? ", {target} NAME for a column of obs" : "");
}

/* Columns that are all attributes, without names, need no table: there may be
 * very many. */
static bool is_plain(const struct th_importing *im)
{
  const struct th_array_files *a = th_import_job_arrays(im);
  return a->table.names == NULL && im->job->ignore == NULL &&
         a->target.column < 0 && a->weight.column < 0 &&
         (im->job->like == NULL || (!a->dense && im->like.origin.others == 0));
}

static th_status take_plain(struct th_importing *im,
                            const struct th_csv_reference *reference,
                            struct th_error *err)
{
  struct th_array_files *a = th_import_job_arrays(im);
  a->plain = true;
  a->table.attributes = a->in.matrix.columns;
  if (im->job->like != NULL && !a->dense &&
      im->like.origin.indexed == TH_FACT_YES) {
    a->numbers = &im->text.occur.set;
    return th_import_indices_like(im, &a->table.attributes, err);
  }
  if (reference->attributes == 0 ||
      reference->attributes == a->in.matrix.columns)
    return TH_OK;
  return th_fail(err, TH_EDATA,
                 "%s: %lld columns found, expected %lld attributes (%s); match "
                 "the columns",
                 a->in.matrix.name, (long long)a->in.matrix.columns,
                 (long long)reference->attributes, reference->origin);
}

/* Roles that change nothing are forgotten. */
static void simplify(struct th_array_files *a)
{
  struct th_csv *table = &a->table;
  bool as_is = table->attributes == a->in.matrix.columns;
  for (int64_t k = 0; as_is && k < a->in.matrix.columns; k++)
    as_is = table->role[k] == k;
  if (!as_is)
    return;
  free(table->role);
  table->role = NULL;
}

/* What stands in the matrix, or was found there as in other data. */
static void settle_role(struct th_array_role *role, int64_t column)
{
  if (is_beside(role))
    return;
  role->column = column;
  if (column < 0) /* {target} none */
    role->name = NULL;
  else if (role->name == NULL)
    role->name = "";
}

enum { LEAST_ROOM = 64 << 20 }; /* bytes */

static th_status take_table(struct th_importing *im,
                            const struct th_csv_reference *reference,
                            struct th_error *err)
{
  struct th_array_files *a = th_import_job_arrays(im);
  recall_origin(im);
  struct th_csv_choice choice = choice_of(im);
  struct th_text_file file = im->file[0];
  int64_t most = th_max_i64(im->limits.memory, LEAST_ROOM);
  char size[TH_SIZE_TEXT];
  if (a->table.columns >
      th_min_i64(most / (int64_t)sizeof *a->table.role, TH_TEXT_ATTRIBUTES))
    return th_fail(err, TH_EDATA,
                   "%s: a list of its %lld columns needs more than %s of "
                   "memory; raise {memory}, or keep the targets in a file of "
                   "their own, for which no list is needed",
                   a->in.matrix.name, (long long)a->in.matrix.columns,
                   th_printable_size(most, size));
  file.name = a->in.matrix.name;
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
  struct th_array_files *a = th_import_job_arrays(im);
  im->text.part = im->text.part || reference->part;
  if (a->table.names == NULL || (im->job->like != NULL && !reference->part))
    return TH_OK;
  return th_csv_header_names(&a->table, &im->names, err);
}

/* What indices call the first column: as in the file, or in other data. */
static uint64_t first_column(const struct th_importing *im)
{
  enum th_fact from_zero = im->like.origin.zero_based;
  if (im->job->like != NULL && from_zero != TH_FACT_UNKNOWN)
    return from_zero != TH_FACT_YES;
  return th_import_job_arrays(im)->kind == TH_MATRIX_MARKET;
}

static th_status decide_columns(struct th_importing *im, struct th_error *err)
{
  struct th_array_files *a = th_import_job_arrays(im);
  th_status rc = TH_OK;
  a->dense = a->in.matrix.form == TH_MATRIX_DENSE ||
             a->in.matrix.form == TH_MATRIX_TURNED;
  a->element = a->in.matrix.form == TH_MATRIX_TEXT ? TH_ELEMENT_F64
                                                   : a->in.matrix.data.element;
  if (!a->dense && im->job->missing.words != NULL &&
      th_missing_is_number(&im->text.missing, 0))
    return th_fail(err, TH_EUSAGE,
                   "{missing} %s: what sparse %s does not list is 0, and not "
                   "missing; leave 0 out",
                   im->job->missing.words, a->in.matrix.name);
  TH_TRY(find_role(im, known_target(im), &a->target, err));
  TH_TRY(find_role(im, im->job->weights, &a->weight, err));
  if (a->target.name == NULL && im->job->like == NULL)
    return ask_for_vector(im, err);
  TH_TRY(list_columns(im, err));
  if (a->target.column >= 0 && a->table.names == NULL &&
      th_import_open_targetless(im->job))
    settle_role(&a->target, -1); /* no column can be called so */
  a->table.target = -1;
  a->table.weight = -1;
  struct th_csv_reference reference = reference_of(im);
  a->first = first_column(im);
  TH_TRY(is_plain(im) ? take_plain(im, &reference, err)
                      : take_table(im, &reference, err));
  th_import_array_columns_renumber(im);
  TH_TRY(name_attributes(im, &reference, err));
  if (a->table.role != NULL)
    simplify(a);
  im->attributes = a->table.attributes;
  im->text.unlabelled = a->target.name == NULL;
  im->text.weighted = a->weight.name != NULL;
  im->text.named = a->id != NULL;
  if (a->target.in_table)
    im->text.target_name = a->target.name;
  else if (a->target.column >= 0 && a->table.names != NULL)
    im->text.target_name = a->table.names[a->target.column];
done:
  return rc;
}

/* --- The files, and which of their rows a rank reads ---------------------- */

/* Rows of file k in this rank's range of its bytes: each rank takes a part of
 * the rows as large as that of the bytes. */
static struct th_range rows_of(const struct th_importing *im, int64_t k)
{
  const struct th_text_file *file = &im->file[k];
  if (im->job->files.given != NULL) /* whose rows are dealt, not bytes */
    return im->share.range[k];
  double bytes = (double)(file->size - file->body);
  double rows = (double)th_import_job_arrays(im)->file[k].rows;
  struct th_range range = im->share.range[k];
  int64_t edge[2] = {range.first - file->body, range.last - file->body};
  for (int j = 0; j < 2; j++)
    edge[j] = file->body + edge[j] == file->size
                  ? th_import_job_arrays(im)->file[k].rows
                  : (int64_t)((double)edge[j] / bytes * rows);
  return (struct th_range){edge[0], edge[1]};
}

/* Files have the same columns, by the same names. */
static th_status check_same_columns(const struct th_importing *im,
                                    struct th_error *err)
{
  const struct th_array_files *a = th_import_job_arrays(im);
  int64_t beside = (a->target.name != NULL && a->target.column < 0) +
                   (a->weight.name != NULL && a->weight.column < 0);
  if (a->in.matrix.columns == a->table.columns - beside)
    return TH_OK;
  return th_fail(err, TH_EDATA,
                 "%s: %lld columns found, expected %lld as in %s; match the "
                 "columns, or import them apart",
                 a->in.matrix.name, (long long)a->in.matrix.columns,
                 (long long)(a->table.columns - beside), im->file[0].name);
}

/* A file of targets or weights has one for each example. */
static th_status check_lengths(const struct th_importing *im, int64_t rows,
                               struct th_error *err)
{
  const struct th_array_files *a = th_import_job_arrays(im);
  const struct th_array_role *roles[] = {&a->target, &a->weight};
  for (int k = 0; k < 2; k++)
    if (roles[k]->name != NULL && roles[k]->column < 0 && !roles[k]->in_table &&
        roles[k]->values.count != rows)
      return th_fail(err, TH_EDATA,
                     "%s: %lld numbers found, expected %lld, one for each "
                     "example; check which file it is",
                     roles[k]->name, (long long)roles[k]->values.count,
                     (long long)rows);
  return TH_OK;
}

static th_status list_rows(struct th_importing *im, struct th_error *err)
{
  struct th_array_files *a = th_import_job_arrays(im);
  int64_t rows = 0;
  th_status rc = TH_OK;
  for (int64_t k = 0; k < im->files; k++) {
    TH_TRY(th_import_array_turn(im, k, err));
    TH_TRY(check_same_columns(im, err));
    bool named = a->id != NULL;
    if (named != im->text.named)
      return th_import_mixed_ids(im, named ? k : 0, named ? 0 : k, err);
    a->file[k].rows = a->in.matrix.rows;
    a->file[k].before = rows;
    if (__builtin_add_overflow(rows, a->in.matrix.rows, &rows))
      return th_fail(err, TH_EFORMAT, "%s: more rows than can be counted",
                     a->in.matrix.name);
  }
  rc = check_lengths(im, rows, err);
done:
  return rc;
}

/* Without another word, bytes stay bytes. */
static void choose_type(struct th_importing *im)
{
  enum th_element element = th_import_job_arrays(im)->element;
  if (im->job->type >= 0 || im->job->like != NULL)
    return;
  im->type = element == TH_ELEMENT_U8   ? TH_U8
             : element == TH_ELEMENT_I8 ? TH_I8
                                        : TH_F32;
}

static void tell_role(const struct th_importing *im, const char *what,
                      const struct th_array_role *role)
{
  const struct th_csv *table = &th_import_job_arrays(im)->table;
  if (role->column >= 0)
    th_import_notice(im, "%s column %lld of %lld%s%.60s%s", what,
                     (long long)role->column + 1, (long long)table->columns,
                     table->names != NULL ? ", '" : "",
                     table->names != NULL ? table->names[role->column] : "",
                     table->names != NULL ? "'" : "");
  else
    th_import_notice(im, "%s %s%.200s", what,
                     role->in_table ? "obs column " : "", role->name);
}

static void tell_arrays(const struct th_importing *im)
{
  const struct th_array_files *a = th_import_job_arrays(im);
  th_import_notice(im, "matrix:   %.200s, %lld x %lld, %s", a->in.matrix.name,
                   (long long)a->in.matrix.rows,
                   (long long)a->in.matrix.columns,
                   a->dense ? "dense" : "sparse");
  if (a->id != NULL)
    th_import_notice(im, "IDs:      the names of %.60s", table_of(a) + 1);
  if (a->target.name == NULL)
    th_import_notice(im, "target:   none");
  else
    tell_role(im, "target:  ", &a->target);
  if (a->weight.name != NULL)
    tell_role(im, "weights: ", &a->weight);
  if (a->table.surplus > 0)
    th_import_notice(im, "left out: %lld columns, which %.200s does not use",
                     (long long)a->table.surplus, im->job->like);
}

/* Rows of a file that the system has room to keep need not be kept here, if
 * they are long enough to be worth a call each. */
static bool may_reread(const struct th_importing *im)
{
  enum { LEAST = 1024 }; /* bytes of a row */
  const struct th_array_files *a = th_import_job_arrays(im);
  const struct th_matrix *m = &a->in.matrix;
  return im->files == 1 && m->form == TH_MATRIX_DENSE && m->data.in_place &&
         m->columns * (int64_t)th_items_size(m->data.element) >= LEAST &&
         im->text_bytes <= im->limits.memory && !im->before.old.on;
}

static th_status open_arrays(struct th_importing *im, enum th_matrix_kind kind,
                             struct th_error *err)
{
  struct th_array_files *a = th_import_job_arrays(im);
  th_status rc = TH_OK;
  a->kind = kind;
  a->open = -1;
  TH_TRY(TH_NEW(&a->file, im->files, "the list of files", err));
  TH_TRY(th_import_array_turn(im, 0, err));
  TH_TRY(decide_columns(im, err));
  choose_type(im);
  tell_arrays(im);
  TH_TRY(list_rows(im, err));
  im->text.reread = may_reread(im);
done:
  return rc;
}

static th_status open_numpy_files(struct th_importing *im, struct th_error *err)
{
  return open_arrays(im, TH_MATRIX_NUMPY, err);
}

static th_status open_hdf5_files(struct th_importing *im, struct th_error *err)
{
  return open_arrays(im, TH_MATRIX_HDF5, err);
}

static th_status open_market_files(struct th_importing *im,
                                   struct th_error *err)
{
  return open_arrays(im, TH_MATRIX_MARKET, err);
}

static th_status count_array_rows(struct th_importing *im, int64_t k,
                                  int64_t *lines, int64_t *examples,
                                  int64_t *weightless, struct th_error *err)
{
  struct th_array_files *a = th_import_job_arrays(im);
  struct th_range share = rows_of(im, k);
  struct th_matrix_row values = {0};
  th_status rc = TH_OK;
  *lines = th_range_count(share);
  *examples = *lines;
  if (a->weight.name == NULL || *lines == 0)
    return TH_OK;
  TH_TRY(th_import_array_turn(im, k, err));
  TH_TRY(th_import_array_labels_check(im, err));
  for (int64_t row = share.first; row < share.last; row++) {
    if (a->weight.column >= 0)
      TH_TRY(th_matrix_next(&a->in.matrix, share, row, &values, err));
    *weightless +=
        th_import_array_labels_number(a, &a->weight, k, row, &values) == 0;
  }
done:
  return rc;
}

/* --- Examples ------------------------------------------------------------- */

static th_status make_example(struct th_importing *im, int64_t k, int64_t row,
                              const struct th_matrix_row *values,
                              struct th_text_row *to, struct th_error *err)
{
  struct th_array_files *a = th_import_job_arrays(im);
  struct th_example_fault fault = {0};
  th_status rc = TH_OK;
  if (im->job->files.held != NULL) { /* which takes its values later */
    to->measured = false;
    rc = th_text_row_reset(to, 0, err);
    return rc == TH_OK
               ? th_import_array_labels_give(im, k, row, values, to, err)
               : rc;
  }
  to->place = im->text.reread ? row : -1;
  TH_TRY(th_text_row_reset(
      to, th_max_i64(values->count, a->dense ? a->table.attributes : 0), err));
  if (!th_example_put(values, a->table.role, a->table.attributes,
                      &im->text.missing, to, &fault))
    return th_example_refuse(&fault, a->in.matrix.name, row, im->type,
                             &im->text.missing, err);
  rc = th_import_array_labels_give(im, k, row, values, to, err);
done:
  return rc;
}

static th_status next_example(struct th_importing *im, int64_t k, int64_t end,
                              struct th_text_row *to, bool *more,
                              struct th_error *err)
{
  struct th_array_files *a = th_import_job_arrays(im);
  struct th_range share = rows_of(im, k);
  struct th_matrix_row values = {0};
  int64_t row = share.last - (end - im->own.count);
  th_status rc = TH_OK;
  *more = im->own.count < end;
  if (!*more)
    return TH_OK;
  if (a->open != k) {
    TH_TRY(th_import_array_turn(im, k, err));
    if (a->in.matrix.rows != a->file[k].rows)
      return th_text_changed(&im->file[k], err);
  }
  if (row % 1024 == 0)
    th_import_tell(im, TH_IMPORT_PARSES, row - share.first,
                   th_range_count(share));
  if (im->job->files.held == NULL)
    TH_TRY(th_matrix_next(&a->in.matrix, share, row, &values, err));
  rc = make_example(im, k, row, &values, to, err);
done:
  return rc;
}

static th_status reread_row(struct th_importing *im, int64_t place,
                            void *values, struct th_error *err)
{
  struct th_matrix *m = &th_import_job_arrays(im)->in.matrix;
  th_status rc = th_import_array_turn(im, 0, err);
  return rc == TH_OK ? m->data.read(&m->data, place * m->columns, m->columns,
                                    values, err)
                     : rc;
}

/* --- What is said and kept of it ------------------------------------------ */

static void name_place(const struct th_importing *im, int64_t attribute,
                       char text[TH_IMPORT_CALLED])
{
  if (im->text.index != NULL) {
    snprintf(text, TH_IMPORT_CALLED, "index %llu",
             (unsigned long long)im->text.index[attribute]);
    return;
  }
  const struct th_csv *table = &th_import_job_arrays(im)->table;
  int64_t column = attribute;
  if (table->role != NULL)
    for (column = 0;
         column + 1 < table->columns && table->role[column] != attribute;)
      column++;
  snprintf(text, TH_IMPORT_CALLED, "column %lld", (long long)column + 1);
}

/* What the data set keeps: which columns there were. What lies beside a matrix
 * stands behind its columns. */
static th_status tell_origin(const struct th_importing *im,
                             struct th_origin *origin, struct th_error *err)
{
  const struct th_array_files *a = th_import_job_arrays(im);
  const struct th_csv *table = &a->table;
  if (im->text.indexed && a->plain && !a->dense) { /* columns are indices */
    origin->zero_based = a->first == 0 ? TH_FACT_YES : TH_FACT_NO;
    return TH_OK;
  }
  bool beside = a->target.name != NULL && a->target.column < 0;
  int64_t behind =
      table->columns - (a->weight.name != NULL && a->weight.column < 0);
  int64_t others =
      table->columns - table->attributes - (a->target.name != NULL ? 1 : 0);
  th_status rc = TH_NEW(&origin->other, others, "columns", err);
  if (rc != TH_OK)
    return rc;
  origin->columns = table->columns;
  origin->target = beside ? behind : a->target.column + 1;
  origin->weight = a->weight.name == NULL ? 0
                   : a->weight.column < 0 ? table->columns
                                          : a->weight.column + 1;
  if (a->weight.in_table)
    origin->weight_name = (char *)a->weight.name;
  for (int64_t k = 0; k < table->columns && origin->others < others; k++) {
    bool attribute =
        table->role == NULL ? k < table->attributes : table->role[k] >= 0;
    if (!attribute && k + 1 != origin->target)
      origin->other[origin->others++] = k + 1;
  }
  return TH_OK;
}

static int64_t ignored_in_table(const struct th_importing *im)
{
  return th_import_job_arrays(im)->table.ignored;
}

/* Files are open for each thread. */
static th_status part_arrays(struct th_importing *other, struct th_error *err)
{
  struct th_array_files *a = th_import_job_arrays(other);
  (void)err;
  a->borrowed = true;
  a->open = -1;
  a->id = NULL;
  a->in = (struct th_matrix_file){0};
  return TH_OK;
}

static void close_arrays(struct th_importing *im)
{
  struct th_array_files *a = th_import_job_arrays(im);
  shut_file(a);
  if (a->borrowed)
    return;
  th_frame_free(&a->target.values);
  th_frame_free(&a->weight.values);
  th_csv_header_free(&a->table);
  free(a->file);
}

/* --- The formats ---------------------------------------------------------- */

/* A file that is called so, also with something in it. */
static bool is_called(const char *name, const char *const *endings)
{
  char file[TH_ITEMS_NAME];
  size_t length = th_vector_file(name);
  if (length >= sizeof file)
    return false;
  snprintf(file, sizeof file, "%.*s", (int)length, name);
  return th_import_open_named(file, endings);
}

static const char *const npy[] = {".npy", NULL};
static const char *const npz[] = {".npz", NULL};
static const char *const hdf5[] = {".h5", ".hdf5", ".hdf", ".h5ad", NULL};
static const char *const mtx[] = {".mtx", NULL};

static bool is_npy(const char *name)
{
  return is_called(name, npy);
}

static bool is_npz(const char *name)
{
  return is_called(name, npz);
}

static bool is_hdf5(const char *name)
{
  return is_called(name, hdf5);
}

static bool is_mtx(const char *name)
{
  return is_called(name, mtx);
}

static const char *const options[] = {"target", "weights", "ignore", "names",
                                      NULL};

#define TH_ARRAYS_IMPORTER                                                     \
  .size = sizeof(struct th_array_files), .binary = true, .options = options,   \
  .count = count_array_rows, .next = next_example, .call = name_place,         \
  .told = tell_origin, .left_out = ignored_in_table, .part = part_arrays,      \
  .later.leave_out = th_import_array_columns_leave_out,                        \
  .later.reread = reread_row, .numbering = &th_import_array_columns_numbering, \
  .close = close_arrays

const struct th_importer th_import_npy = {.title = "an array of NumPy",
                                          .open = open_numpy_files,
                                          .named = is_npy,
                                          .begins = th_npy_begins,
                                          TH_ARRAYS_IMPORTER};
const struct th_importer th_import_npz = {.title = "arrays of NumPy",
                                          .members = true,
                                          .open = open_numpy_files,
                                          .named = is_npz,
                                          .begins = th_npz_begins,
                                          TH_ARRAYS_IMPORTER};
const struct th_importer th_import_hdf5 = {.title = "HDF5",
                                           .alone = true,
                                           .members = true,
                                           .open = open_hdf5_files,
                                           .named = is_hdf5,
                                           .begins = th_h5_matrix_begins,
                                           TH_ARRAYS_IMPORTER};
const struct th_importer th_import_mtx = {.title = "Matrix Market",
                                          .open = open_market_files,
                                          .named = is_mtx,
                                          .begins = th_mtx_begins,
                                          TH_ARRAYS_IMPORTER};
