/* covariate_table.c - a table of covariates: its columns and its rows
 * SPDX-License-Identifier: MIT */
#include "api/covariate_table.h"

#include "base/memory.h"
#include "io/files/file.h"
#include "io/files/hash.h"
#include "io/kept/kept.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A table while it is read. */
struct reading {
  struct th_covariate_table *table;
  struct th_data *data;
  const struct th_covering *how;
  const char *columns; /* that are wanted, between commas; NULL: all */
  bool *left;          /* of each column: it is no covariate */
  char *ignore;        /* these, as import takes them; on every rank */
  bool paired;         /* there are FID and IID; on every rank */
  char decimal;        /* on every rank */
  char *missing;       /* how values are missing, or NULL; on every rank */
};

/* --- Columns that are covariates. Rank 0, local. ---------------------------
 */

/* FILE or FILE:COLUMNS. */
static th_status split_name(struct reading *r, struct th_error *err)
{
  struct th_identity there;
  const char *name = r->how->table;
  size_t length = strlen(name);
  for (const char *colon = strchr(name, ':');
       colon != NULL && !th_file_identity_of(name, &there) &&
       r->columns == NULL;
       colon = strchr(colon + 1, ':')) {
    char *file = NULL;
    th_status rc = th_file_text(&file, err, "%.*s", (int)(colon - name), name);
    if (rc != TH_OK)
      return rc;
    if (th_file_identity_of(file, &there)) {
      r->columns = colon + 1;
      length = (size_t)(colon - name);
    }
    free(file);
  }
  return th_file_text(&r->table->file, err, "%.*s", (int)length, name);
}

/* A column by its name, or else by its number from 1; -1: there is none. */
static int64_t find_covariate(const struct th_target_table *table,
                              const char *wanted)
{
  char *end = NULL;
  for (int64_t k = 0; k < table->columns; k++)
    if (strcmp(table->column[k], wanted) == 0)
      return k;
  errno = 0;
  long long number = strtoll(wanted, &end, 10);
  bool is_one = errno == 0 && end != wanted && *end == '\0' && number >= 1 &&
                number <= table->columns;
  return is_one ? number - 1 : -1;
}

/* Cut the next item off a list between commas; in double quotes where it holds
 * one. The room has as many bytes as the list. */
static const char *next_covariate(const char *at, char *item)
{
  bool quoted = false;
  for (; *at != '\0' && (quoted || *at != ','); at++) {
    quoted ^= *at == '"';
    if (*at != '"')
      *item++ = *at;
  }
  *item = '\0';
  return *at == ',' ? at + 1 : at;
}

/* Set left[] of the columns of a list. sure: all of them must be there. */
static th_status set_left(struct reading *r, const char *list, bool left,
                          bool sure, struct th_error *err)
{
  const struct th_target_table *table = &r->table->join.table;
  char *item = NULL;
  th_status rc = TH_NEW(&item, (int64_t)strlen(list) + 1, "columns", err);
  while (rc == TH_OK && *list != '\0') {
    list = next_covariate(list, item);
    int64_t column = find_covariate(table, item);
    if (column >= 0)
      r->left[column] = left;
    else if (sure)
      rc = th_fail(err, TH_EDATA,
                   "%s:1:1: no column '%.60s' found; correct {covariates}",
                   r->table->file, item);
  }
  free(item);
  return rc;
}

/* Targets of the same table are none. */
static th_status leave_targets(struct reading *r, struct th_error *err)
{
  struct th_identity mine;
  struct th_identity theirs;
  const struct th_covering *how = r->how;
  th_status rc = TH_OK;
  if (how->targets == NULL || !th_file_identity_of(how->targets, &theirs) ||
      !th_file_identity_of(r->table->file, &mine) ||
      !th_file_identity_same(&mine, &theirs))
    return rc;
  if (how->target != NULL)
    rc = set_left(r, how->target, true, false, err);
  if (rc == TH_OK && how->weights != NULL)
    rc = set_left(r, how->weights, true, false, err);
  return rc;
}

static th_status choose_columns(struct reading *r, struct th_error *err)
{
  const struct th_target_table *table = &r->table->join.table;
  th_status rc = TH_NEW(&r->left, table->columns, "columns", err);
  if (rc != TH_OK)
    return rc;
  memset(r->left, r->columns != NULL, (size_t)table->columns);
  if (r->columns != NULL)
    TH_TRY(set_left(r, r->columns, false, true, err));
  else if (r->how->model == NULL)
    TH_TRY(leave_targets(r, err));
  r->left[table->id] = true;
  if (table->family >= 0)
    r->left[table->family] = true;
  int64_t count = 0;
  for (int64_t k = 0; k < table->columns; k++)
    count += !r->left[k];
  if (count == 0)
    rc = th_fail(err, TH_EDATA,
                 "%s:1:1: no column is left for a covariate; name some by "
                 "{covariates} %s:COLUMN,COLUMN",
                 r->table->file, r->table->file);
done:
  return rc;
}

static bool is_plain_name(const struct th_target_table *table, int64_t column)
{
  const char *name = table->column[column];
  bool once = name[0] != '\0' && !(column == 0 && table->marked) &&
              strpbrk(name, ",\"\n") == NULL && name[0] != ' ';
  for (int64_t k = 0; once && k < table->columns; k++)
    once = k == column || strcmp(table->column[k], name) != 0;
  return once;
}

/* As import takes a list of columns: by names, or else by numbers. */
static th_status list_left(struct reading *r, struct th_error *err)
{
  enum { NUMBER = 24 };
  const struct th_target_table *table = &r->table->join.table;
  size_t used = 0;
  int64_t room = 1;
  for (int64_t k = 0; k < table->columns; k++)
    room += (int64_t)strlen(table->column[k]) + NUMBER;
  th_status rc = TH_NEW(&r->ignore, room, "columns", err);
  for (int64_t k = 0; k < table->columns && rc == TH_OK; k++) {
    const char *comma = used > 0 ? "," : "";
    if (!r->left[k])
      continue;
    used += (size_t)(is_plain_name(table, k)
                         ? snprintf(r->ignore + used, (size_t)room - used,
                                    "%s%s", comma, table->column[k])
                         : snprintf(r->ignore + used, (size_t)room - used,
                                    "%s%lld", comma, (long long)k + 1));
  }
  return rc;
}

/* Whose rows there are, and which columns. */
static th_status look_at_table(struct reading *r, struct th_error *err)
{
  struct th_id_join *join = &r->table->join;
  const struct th_origin *origin = th_dataset_origin(r->data->dataset);
  th_status rc;
  const struct th_target_choice choice = {.table = r->table->file,
                                          .ids = r->how->ids,
                                          .ids_only = true,
                                          .known = origin->id_name,
                                          .decimal = origin->decimal,
                                          .output = r->how->output};
  join->dataset = r->data->dataset;
  join->data = r->data->name;
  TH_TRY(th_id_join_read(join, &choice, r->data->room, err));
  TH_TRY(choose_columns(r, err));
  TH_TRY(list_left(r, err));
  r->paired = join->table.paired;
  r->decimal = join->table.decimal;
done:
  return rc;
}

/* Give every rank a text of rank 0. Collective. */
static th_status share_name(char **text, struct th_comm *comm,
                            struct th_error *err)
{
  int64_t bytes = *text != NULL ? (int64_t)strlen(*text) + 1 : 0;
  th_status rc = TH_OK;
  comm->ops->bcast(comm, &bytes, sizeof bytes, 0);
  if (comm->rank > 0)
    rc = TH_NEW(text, bytes, "a name", err);
  rc = th_agree(comm, rc, err);
  if (rc == TH_OK)
    comm->ops->bcast(comm, *text, (size_t)bytes, 0);
  return rc;
}

/* --- The import -------------------------------------------------------------
 */

/* A model that has nothing but the covariates: what import reads the table
 * like. */
struct likeness {
  struct th_model model;
  char **level;
};

static th_status make_likeness(struct likeness *like,
                               const struct th_covariates *c,
                               struct th_error *err)
{
  struct th_model *m = &like->model;
  const char *word = NULL;
  th_status rc;
  *m = (struct th_model){.attributes = c->count,
                         .support_size = c->count,
                         .name = c->name,
                         .type = (char *)"f64",
                         .origin = {.format = (char *)"csv",
                                    .header = TH_FACT_YES,
                                    .decimal = c->decimal,
                                    .missing.words = c->missing_words,
                                    .words = c->words,
                                    .word = c->word}};
  TH_TRY(TH_NEW(&like->level, c->count, "words", err));
  TH_TRY(TH_NEW(&m->support, c->count, "words", err));
  for (int64_t k = 0; k < c->count; k++)
    m->support[k] = k;
  for (int64_t k = 0; k < c->count; k++)
    if (th_origin_word_column(&m->origin, c->name[k], &word) != NULL)
      like->level[m->origin.levels++] = c->name[k];
  m->origin.level = like->level;
done:
  return rc;
}

/* Of what import tells, the words that it has found, and notes. */
static void pass_on_notice(void *self, const char *text)
{
  const struct th_data *data = self;
  static const char words[] = "words:";
  static const char note[] = "note:";
  char line[TH_ERROR_TEXT];
  bool about_words = strncmp(text, words, sizeof words - 1) == 0;
  if (!about_words && strncmp(text, note, sizeof note - 1) != 0)
    return;
  text += about_words ? sizeof words - 1 : sizeof note - 1;
  snprintf(line, sizeof line, "covariates: %s", text + strspn(text, " "));
  if (data->note != NULL)
    data->note(line);
}

/* Columns are left out by naming others. */
static void reword_refusal(const struct reading *r, struct th_error *err)
{
  char *at = strstr(err->text, "{ignore}");
  if (at == NULL)
    return;
  while (at > err->text && *at != ';')
    at--;
  snprintf(at, sizeof err->text - (size_t)(at - err->text),
           "; name the columns that are covariates: {covariates} "
           "%.200s:COLUMN,COLUMN",
           r->table->file);
}

static uint64_t hash_job(const struct th_import *job)
{
  uint64_t hash = th_hash("covariates", sizeof "covariates");
  if (job->ignore != NULL)
    hash = th_hash_from(job->ignore, strlen(job->ignore) + 1, hash);
  hash = th_hash_from(&job->table.decimal, sizeof job->table.decimal, hash);
  if (job->missing.words != NULL)
    hash =
        th_hash_from(job->missing.words, strlen(job->missing.words) + 1, hash);
  for (int64_t k = 0; job->model != NULL && k < job->model->support_size; k++)
    hash = th_hash_from(job->model->name[k], strlen(job->model->name[k]) + 1,
                        hash);
  return hash;
}

/* Beside FID and IID -9 is missing, too. Local, replicated. */
static th_status write_missing(struct reading *r, struct th_error *err)
{
  const char *given = r->how->missing;
  bool nine = r->paired && (given == NULL || strcmp(given, "error") != 0);
  if (!nine && given == NULL)
    return TH_OK;
  return th_file_text(&r->missing, err, "%s%s%s", nine ? "-9" : "",
                      nine && given != NULL ? "," : "",
                      given != NULL ? given : "");
}

/* Collective. */
static th_status import_covariates(struct reading *r, struct th_kept *kept,
                                   struct th_comm *comm, struct th_error *err)
{
  const struct th_covering *how = r->how;
  const char *input = r->table->file;
  const struct th_import_monitor monitor = {.notice = pass_on_notice,
                                            .self = r->data};
  struct likeness like = {.level = NULL};
  struct th_import job = how->job;
  th_status rc = TH_OK;
  job.inputs = &input;
  job.input_count = 1;
  job.format = "csv";
  job.layout = TH_DENSE;
  job.type = TH_F64;
  job.target = "none";
  job.ignore = r->ignore;
  job.table.header = TH_HEADER_YES;
  job.table.decimal = r->decimal == ',' ? TH_DECIMAL_COMMA : TH_DECIMAL_POINT;
  job.missing = (struct th_import_missing){r->missing, 1};
  job.shards = 1;
  job.monitor = &monitor;
  if (how->model != NULL) {
    rc = make_likeness(&like, &r->table->found, err);
    job.like = how->path[0];
    job.model = &like.model;
    job.missing.words = how->missing;
    job.table.header = TH_HEADER_AUTO;
    job.table.decimal = TH_DECIMAL_LIKE;
    job.type = -1;
  }
  TH_TRY(th_agree(comm, rc, err));
  rc = th_kept_import(kept, &job, how->folder, hash_job(&job), comm, err);
  if (rc != TH_OK)
    reword_refusal(r, err);
done:
  TH_FREE(like.level, like.model.support);
  return rc;
}

/* --- Names and values -------------------------------------------------------
 */

static th_status copy_column_names(char ***to, char *const *from, int64_t count,
                                   struct th_error *err)
{
  th_status rc = TH_NEW(to, count, "names", err);
  for (int64_t k = 0; k < count && rc == TH_OK; k++)
    rc = th_file_text(&(*to)[k], err, "%s", from[k]);
  return rc;
}

/* What a table is made of that nobody has read before. */
static th_status take_recipe(struct reading *r, struct th_dataset *imported,
                             char *const *name, struct th_error *err)
{
  struct th_covariates *found = &r->table->found;
  const struct th_origin *origin = th_dataset_origin(imported);
  int64_t count = th_dataset_store(imported)->shape.attributes;
  th_status rc;
  rc = copy_column_names(&found->name, name, count, err);
  found->count = found->name != NULL ? count : 0;
  TH_TRY(rc);
  if (origin->words > 0)
    TH_TRY(copy_column_names(&found->word, origin->word, origin->words, err));
  found->words = origin->words;
  found->decimal = r->decimal;
  if (r->missing != NULL && strcmp(r->missing, "error") != 0)
    TH_TRY(th_file_text(&found->missing_words, err, "%s", r->missing));
done:
  return rc;
}

/* The values of a row group. */
static th_status read_covariate_rows(struct th_dataset *imported,
                                     struct th_rows rows, double *value,
                                     struct th_error *err)
{
  struct th_store *store = th_dataset_store(imported);
  const int64_t count = store->shape.attributes;
  struct th_slab slab;
  int64_t *number = NULL;
  th_status rc = TH_NEW(&number, rows.count, "rows of a table", err);
  TH_TRY(rc);
  TH_TRY(th_dataset_row_numbers(imported, rows, number, err));
  for (int64_t a = 0; a < count; a = slab.attributes.last) {
    struct th_range rest = {a, count};
    TH_TRY(store->ops->slab(store, rows, rest, false, &slab, err));
    for (int64_t j = slab.attributes.first; j < slab.attributes.last; j++)
      for (int64_t i = 0; i < rows.count; i++)
        value[number[i] * count + j] = th_slab_value(&slab, j, i);
  }
done:
  free(number);
  return rc;
}

/* NaN stands for what is missing. */
static th_status unknown_as_nan(struct th_dataset *imported,
                                struct th_error *err)
{
  const int64_t count = th_dataset_store(imported)->shape.attributes;
  int64_t *attribute = NULL;
  double *nan = NULL;
  th_status rc;
  TH_TRY(TH_NEW(&attribute, count, "missing values", err));
  TH_TRY(TH_NEW(&nan, count, "missing values", err));
  for (int64_t k = 0; k < count; k++) {
    attribute[k] = k;
    nan[k] = (double)NAN;
  }
  rc = th_dataset_stand_in(imported, attribute, nan, count, err);
done:
  TH_FREE(attribute, nan);
  return rc;
}

/* Rank 0, local. */
static th_status read_covariates(struct reading *r, struct th_dataset *imported,
                                 struct th_error *err)
{
  struct th_covariate_table *table = r->table;
  const struct th_shape *shape = &th_dataset_store(imported)->shape;
  char **name = NULL;
  bool same = true;
  th_status rc;
  TH_TRY(th_dataset_names(imported, &name, err));
  if (table->found.count == 0)
    TH_TRY(take_recipe(r, imported, name, err));
  same = shape->attributes == table->found.count &&
         shape->examples == table->join.table.rows;
  for (int64_t k = 0; same && k < table->found.count; k++)
    same = strcmp(name[k], table->found.name[k]) == 0;
  if (!same)
    TH_TRY(th_fail(
        err, TH_EDATA,
        "%s: %lld rows of %lld covariates found where there are "
        "%lld IDs and %lld covariates; check the table",
        table->file, (long long)shape->examples, (long long)shape->attributes,
        (long long)table->join.table.rows, (long long)table->found.count));
  TH_TRY(unknown_as_nan(imported, err));
  TH_TRY(TH_NEW(&table->value, shape->examples * shape->attributes,
                "covariates", err));
  for (int64_t g = 0; g < th_store_shape_groups(shape); g++)
    TH_TRY(read_covariate_rows(imported, th_store_shape_group(shape, g),
                               table->value, err));
done:
  free(name);
  return rc;
}

/* --- The table as a whole ---------------------------------------------------
 */

/* Collective. */
static th_status read_imported(struct reading *r, const char *path,
                               struct th_comm *comm, struct th_error *err)
{
  enum { LITTLE = 16 << 20 };
  struct th_dataset *imported = NULL;
  th_status rc = th_dataset_open(&imported, comm, path, LITTLE, err);
  if (rc != TH_OK)
    return rc;
  if (comm->rank == 0)
    rc = read_covariates(r, imported, err);
  rc = th_agree(comm, rc, err);
  th_dataset_close(imported);
  return rc;
}

th_status th_covariate_table_open(struct th_covariate_table *table,
                                  struct th_data *data,
                                  const struct th_covering *how,
                                  struct th_comm *comm, struct th_error *err)
{
  struct reading r = {.table = table, .data = data, .how = how};
  struct th_kept kept = {.lock = -1};
  char facts[2] = {0};
  th_status rc = TH_OK;
  if (comm->rank == 0)
    rc = split_name(&r, err);
  if (comm->rank == 0 && rc == TH_OK)
    rc = look_at_table(&r, err);
  TH_TRY(th_agree(comm, rc, err));
  facts[0] = r.paired;
  facts[1] = r.decimal;
  comm->ops->bcast(comm, facts, sizeof facts, 0);
  r.paired = facts[0] != 0;
  r.decimal = facts[1];
  TH_TRY(th_agree(comm, write_missing(&r, err), err));
  TH_TRY(share_name(&table->file, comm, err));
  TH_TRY(share_name(&r.ignore, comm, err));
  TH_TRY(import_covariates(&r, &kept, comm, err));
  TH_TRY(read_imported(&r, kept.path, comm, err));
done:
  th_kept_forget(&kept, rc, err);
  th_kept_end(&kept);
  TH_FREE(r.left, r.ignore, r.missing);
  return rc;
}

void th_covariate_table_free(struct th_covariate_table *table)
{
  th_id_join_free(&table->join);
  th_covariates_free(&table->found);
  TH_FREE(table->file, table->value);
  *table = (struct th_covariate_table){0};
}
