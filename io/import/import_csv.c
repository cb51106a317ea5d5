/* import_csv.c - the columns of all CSV files of an import
 * SPDX-License-Identifier: MIT */
#include "io/import/csv/csv.h"
#include "io/import/import_csv_notices.h"
#include "io/import/import_job.h"

#include "base/memory.h"
#include "io/files/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is known of the columns before a file is opened. */
struct known {
  struct th_csv_reference reference;
  struct th_csv_choice choice;
};

/* The state of the format. */
struct csv_files {
  struct th_csv *csv; /* of each file; zeroed: another rank has looked at it */
  bool part;          /* of another thread, which owns the words */
  bool *borrowed;     /* what it owns belongs to another thread */
  char *head;         /* the line that the first file begins with, where others
                         may begin alike; NULL: none; owned by the first thread */
  int64_t head_length;
  int64_t head_bytes; /* with its end */
  struct th_csv_fields words;
  struct known known;        /* by the first file that has columns, */
  int64_t first;             /* which is this one; -1: none has */
  struct th_csv_kinds kinds; /* while they are learnt */
  bool *looked;              /* of each place: see th_csv */
  unsigned char *kind;       /* enum th_kind of each place, after it was learnt
                                or as in other data; NULL: no columns */
  struct th_csv_parser *parser;
};

static struct csv_files *csv_files_of(const struct th_importing *im)
{
  return im->state;
}

/* A model knows the names of its support alone. */
static void know_support(const struct th_importing *im,
                         struct th_csv_reference *reference)
{
  reference->names = (const char *const *)im->like.support;
  reference->attributes = im->like.support_size;
  reference->part = true;
}

/* In text without a header, all attributes have their places. */
static void forget_support(const struct th_importing *im,
                           struct th_csv_reference *reference)
{
  reference->names = NULL;
  reference->attributes = im->like.attributes;
  reference->part = false;
}

static char decimal_of(const struct th_importing *im)
{
  enum th_decimal given = im->job->table.decimal;
  bool comma = given == TH_DECIMAL_COMMA ||
               (given == TH_DECIMAL_LIKE && im->like.origin.decimal == ',');
  return comma ? ',' : '.';
}

/* --like, or else the first file, says which attributes there are. */
static struct known known_before(const struct th_importing *im)
{
  const struct th_import *job = im->job;
  struct known known = {
      .reference = {job->like, im->like.attributes,
                    (const char *const *)im->like.names, false},
      .choice = {.target = job->target,
                 .weights = job->weights,
                 .ignore = job->ignore,
                 .id = job->id.column,
                 .named = job->id.file != NULL,
                 .header = job->table.header,
                 .decimal = decimal_of(im),
                 .unsure = decimal_of(im) == ',' &&
                           job->table.decimal == TH_DECIMAL_LIKE,
                 .known_target = im->like.origin.target_name,
                 .may_lack = job->like != NULL}};
  if (im->like.origin.columns > 0)
    known.choice.origin = &im->like.origin;
  if (job->like != NULL)
    known.choice.told = &im->like.origin;
  if (im->like.support != NULL)
    know_support(im, &known.reference);
  if (job->like == NULL && job->attributes > 0)
    known.reference =
        (struct th_csv_reference){"{attributes}", job->attributes, NULL, false};
  return known;
}

/* --- Columns of words ----------------------------------------------------- */

/* What kinds of fields columns have: as far as the first examples show. */
static th_status sample_kinds(struct th_importing *im, struct th_error *err)
{
  enum { EXAMPLES = 1000, FEWEST = 20, BYTES = 1 << 20 };
  struct csv_files *files = csv_files_of(im);
  const struct th_text_file *file = &im->file[files->first];
  int64_t bytes = 0;
  bool more = true;
  th_status rc = TH_OK;
  struct th_line line;
  th_text_lines_begin(&im->lines, file,
                      (struct th_range){file->body, file->size},
                      im->limits.line.bytes, 0);
  for (int k = 0; k < EXAMPLES && (k < FEWEST || bytes < BYTES); k++) {
    TH_TRY(th_text_lines_next(&im->lines, &line, &more, err));
    if (!more || line.too_long)
      break;
    bytes += line.length;
    TH_TRY(th_csv_reader_see(files->parser, &files->csv[files->first], &line,
                             files->kinds.seen, files->kinds.wanted, 1, err));
  }
done:
  return rc;
}

static th_status see_kinds(struct th_importing *im, int64_t k,
                           const struct th_line *line, struct th_error *err)
{
  struct csv_files *files = csv_files_of(im);
  return th_csv_reader_see(files->parser, &files->csv[k], line,
                           files->kinds.seen, files->kinds.wanted,
                           im->job->table.levels, err);
}

/* What was made of columns of words, for the user to see. */
/* Columns have words: their attributes. */
static th_status spread_words(struct th_importing *im, struct th_error *err)
{
  struct csv_files *files = csv_files_of(im);
  const struct th_csv *csv = &files->csv[files->first];
  struct th_csv_fields *w = &files->words;
  th_status rc = TH_OK;
  TH_TRY(th_csv_words_reserve(w, csv->attributes, err));
  for (int64_t f = 0; f < w->fields; f++) {
    TH_TRY(th_file_text(&w->field[f], err, "%s", im->names[f]));
    if (!th_csv_kinds_words(&files->kinds, csv, f))
      continue;
    w->levels[f] = files->kinds.seen[f];
    files->kinds.seen[f] = (struct th_levels){0};
  }
  TH_TRY(th_csv_words_number(w, err));
  for (int64_t k = 0; k < im->files; k++)
    TH_TRY(th_csv_words_spread(w, &files->csv[k], err));
  im->attributes = w->attributes;
  th_import_csv_notices_words(im, w);
done:
  return rc;
}

/* --- The kind of each column, which stays the same in other data ---------- */

/* The places of attributes are those of the support, where only that is used.
 */
static th_status recall_kinds(struct th_importing *im, struct th_error *err)
{
  struct csv_files *files = csv_files_of(im);
  bool part = files->known.reference.part;
  return th_csv_told_recall(&files->csv[files->first], &im->like.origin,
                            part ? im->like.support_place : NULL,
                            part ? im->like.support_size : 0, &files->kind,
                            err);
}

/* The line of the first field that is of another kind than in other data, as
 * "FILE:LINE", in a file that this rank knows. */
static th_status find_strange(struct th_importing *im, char *at, size_t size,
                              struct th_error *err)
{
  struct csv_files *files = csv_files_of(im);
  int64_t line = 0;
  th_status rc = TH_OK;
  for (int64_t k = files->first; k < im->files && line == 0; k++) {
    if (files->csv[k].columns == 0)
      continue;
    const struct th_text_file *file = &im->file[k];
    th_text_lines_begin(&im->lines, file,
                        (struct th_range){file->body, file->size},
                        im->limits.line.bytes, file->header_lines);
    TH_TRY(th_csv_told_find(&files->csv[k], files->parser, &im->lines,
                            files->kind, &line, err));
    if (line > 0)
      snprintf(at, size, "%s:%lld", im->file[k].name, (long long)line);
  }
done:
  return rc;
}

static th_status compare_kinds(struct th_importing *im, struct th_error *err)
{
  const struct csv_files *files = csv_files_of(im);
  const struct th_csv *csv = &files->csv[files->first];
  char at[TH_ERROR_TEXT / 4];
  bool strange = false;
  th_status rc = TH_OK;
  for (int64_t p = 0; p < files->kinds.places; p++)
    strange =
        strange || th_csv_kinds_strange(&files->kinds, p, files->kind) >= 0;
  if (!strange)
    return TH_OK;
  snprintf(at, sizeof at, "%s:1", im->file[files->first].name);
  rc = find_strange(im, at, sizeof at, err);
  if (rc == TH_OK)
    rc = th_csv_kinds_compare(&files->kinds, csv, files->kind, im->job->like,
                              at, err);
  return rc;
}

/* The kinds of all ranks are known. */
static th_status judge_kinds(struct th_importing *im, struct th_error *err)
{
  struct csv_files *files = csv_files_of(im);
  const struct th_csv *csv = &files->csv[files->first];
  bool words = false;
  th_status rc = im->job->like != NULL ? compare_kinds(im, err) : TH_OK;
  if (rc == TH_OK)
    rc = th_csv_kinds_check(&files->kinds, csv, im->file[files->first].name,
                            im->job->ignore, im->job->table.levels, err);
  for (int64_t f = 0; f < csv->attributes; f++)
    words = words || th_csv_kinds_words(&files->kinds, csv, f);
  if (rc == TH_OK && words)
    rc = spread_words(im, err);
  if (rc == TH_OK && im->job->like == NULL)
    rc = th_csv_told_note(csv, &files->kinds, &files->words, &files->kind, err);
  return rc;
}

/* What of each place of the attributes that there are now was looked at. */
static th_status list_looked(struct th_importing *im, struct th_error *err)
{
  struct csv_files *files = csv_files_of(im);
  const struct th_csv_kinds *kinds = &files->kinds;
  const struct th_csv_fields *w = &files->words;
  int64_t attributes = files->csv[files->first].attributes;
  int64_t others = kinds->places - 2;
  bool spread = im->job->like == NULL && w->fields > 0;
  th_status rc = TH_NEW(&files->looked, attributes + 2, "columns", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t f = 0; f < others; f++)
    files->looked[spread ? w->first[f] : f] = kinds->wanted[f];
  files->looked[attributes] = kinds->wanted[others];
  files->looked[attributes + 1] = kinds->wanted[others + 1];
  for (int64_t k = 0; k < im->files; k++)
    files->csv[k].looked = files->looked;
  return rc;
}

/* Attributes are called as the fields are, or as their words. The list of the
 * fields' names stays with the reference of later files. */
static th_status rename_attributes(struct th_importing *im,
                                   struct th_error *err)
{
  struct csv_files *files = csv_files_of(im);
  struct th_csv_fields *w = &files->words;
  th_status rc = TH_OK;
  if (w->fields == 0 || im->names == NULL)
    return TH_OK;
  files->known.reference.names = (const char *const *)w->field;
  free(im->names);
  TH_TRY(TH_NEW(&im->names, w->attributes, "names of attributes", err));
  for (int64_t a = 0; a < w->attributes; a++)
    im->names[a] = w->name[a];
done:
  return rc;
}

/* The first rows say which columns are looked at as a whole: one that seems to
 * have plain numbers alone is not. Where another kind comes to light in it
 * later, all is read again, and all columns are looked at. */
static th_status begin_kinds(struct th_importing *im, bool *wanted,
                             struct th_error *err)
{
  struct csv_files *files = csv_files_of(im);
  *wanted = true;
  th_status rc =
      th_csv_kinds_begin(&files->kinds, &files->csv[files->first], err);
  if (rc == TH_OK)
    rc = recall_kinds(im, err);
  if (rc == TH_OK && !im->text.again) {
    rc = sample_kinds(im, err);
    th_csv_kinds_sampled(&files->kinds);
    *wanted = th_csv_kinds_told(&files->kinds, files->kind) > 0;
  }
  return rc;
}

static th_status learn_kinds(struct th_importing *im, struct th_error *err)
{
  struct csv_files *files = csv_files_of(im);
  bool wanted = false;
  th_status rc = TH_OK;
  if (files->first < 0)
    return TH_OK;
  TH_TRY(th_agree(im->comm, begin_kinds(im, &wanted, err), err));
  if (wanted) {
    rc = th_import_parse_visit(im, see_kinds, err);
    TH_TRY(th_agree(im->comm, rc, err));
    TH_TRY(th_levels_join(files->kinds.seen, files->kinds.places,
                          im->job->table.levels, im->comm, err));
    TH_TRY(th_agree(im->comm, judge_kinds(im, err), err));
  }
  rc = list_looked(im, err);
  if (rc == TH_OK && im->job->like == NULL)
    rc = rename_attributes(im, err);
  rc = th_agree(im->comm, rc, err);
done:
  th_csv_kinds_free(&files->kinds);
  return rc;
}

/* On rank 0, the words of a column make a group. */
static th_status group_words(struct th_importing *im, struct th_error *err)
{
  const struct th_csv_fields *w = &csv_files_of(im)->words;
  th_status rc = TH_OK;
  if (w->words == 0 || im->job->like != NULL)
    return TH_OK;
  TH_TRY(TH_NEW(&im->groups.piece, w->fields, "groups", err));
  for (int64_t f = 0; f < w->fields; f++) {
    int64_t size = w->levels[f].count > 0 ? w->levels[f].count : 1;
    if (w->first[f] < 0)
      continue;
    im->groups.piece[im->groups.pieces++] =
        (struct th_group_piece){.range = {w->first[f], w->first[f] + size},
                                .group = w->first[f],
                                .size = size};
  }
done:
  return rc;
}

/* Columns that are left out become ignored ones. */
static th_status leave_out_columns(struct th_importing *im,
                                   struct th_error *err)
{
  struct csv_files *files = csv_files_of(im);
  (void)err;
  th_csv_words_renumber(&files->words, files->csv, im->files,
                        im->text.lacking.number);
  return TH_OK;
}

/* From the first file that has columns on. */
static th_status learn_columns(struct th_importing *im, int64_t k,
                               struct known *known, struct th_error *err)
{
  const struct th_csv *csv = &csv_files_of(im)->csv[k];
  im->text.unlabelled = csv->target < 0;
  im->text.weighted = csv->weight >= 0;
  im->text.named = csv->id >= 0;
  if (csv->names != NULL && csv->id >= 0)
    known->choice.known_id = csv->names[csv->id];
  if (csv->names != NULL && csv->target >= 0 &&
      csv->names[csv->target][0] != '\0')
    im->text.target_name = csv->names[csv->target];
  im->text.part = known->reference.part;
  if (im->text.part) {
    th_status rc = th_csv_header_names(csv, &im->names, err);
    return rc == TH_OK ? rename_attributes(im, err) : rc;
  }
  if (im->job->like != NULL)
    return TH_OK;
  known->choice.known_target = im->text.target_name;
  if (known->reference.names != NULL)
    return TH_OK;
  th_status rc = th_csv_header_names(csv, &im->names, err);
  known->reference = (struct th_csv_reference){
      im->file[k].name, csv->attributes, im->names, false};
  return rc;
}

static bool has_csv_ending(const char *name)
{
  static const char *const endings[] = {".csv", ".tsv", NULL};
  return th_import_open_named(name, endings);
}

/* A delimiter between other things; not in a comment or at the line's end. A
 * bar is one where nothing reads like index:value. */
static bool recognises(const char *text, int64_t length)
{
  const char *comment = memchr(text, '#', (size_t)length);
  length = comment == NULL ? length : comment - text;
  while (length > 0 && strchr(" \t", text[length - 1]) != NULL)
    length--;
  bool pairs = memchr(text, ':', (size_t)length) != NULL;
  for (int64_t k = 0; k < length; k++)
    if (text[k] == ',' || text[k] == ';' || text[k] == '\t' ||
        (text[k] == '|' && !pairs))
      return true;
  return false;
}

/* --- Thousands of parts have one head: its columns are found once --------- */

/* That of the first file, if it is one line, and names all columns. */
static th_status keep_first_head(struct th_importing *im, struct th_error *err)
{
  struct csv_files *files = csv_files_of(im);
  const struct th_csv *csv = &files->csv[files->first];
  const struct th_text_file *file = &im->file[files->first];
  struct th_line line = {0};
  bool whole = false;
  th_status rc = TH_OK;
  if (csv->names == NULL || csv->row_names || csv->index ||
      file->header_lines != 1)
    return TH_OK;
  int64_t bytes = file->body - file->begin;
  TH_TRY(th_text_lines_first(&im->lines, file, bytes, &line, &whole, err));
  if (!whole)
    return TH_OK;
  TH_TRY(TH_NEW(&files->head, line.length + 1, "the first row", err));
  memcpy(files->head, line.text, (size_t)line.length);
  files->head_length = line.length;
  files->head_bytes = bytes;
done:
  return rc;
}

/* Take over what the first file's columns are; *same: file k begins alike. */
static th_status take_first_head(struct th_importing *im, int64_t k,
                                 struct th_text_file *file, bool *same,
                                 struct th_error *err)
{
  struct csv_files *files = csv_files_of(im);
  struct th_csv *csv = &files->csv[k];
  const struct th_csv *first = &files->csv[files->first];
  struct th_line line = {0};
  th_status rc = TH_OK;
  TH_TRY(th_text_lines_first(&im->lines, &im->file[k], files->head_bytes, &line,
                             same, err));
  *same = *same && line.length == files->head_length &&
          memcmp(line.text, files->head, (size_t)line.length) == 0;
  if (!*same)
    return TH_OK;
  *csv = *first;
  csv->role = NULL;
  csv->words = NULL;
  TH_TRY(TH_NEW(&csv->role, first->columns, "columns", err));
  memcpy(csv->role, first->role, (size_t)first->columns * sizeof *csv->role);
  if (first->words != NULL) {
    TH_TRY(TH_NEW(&csv->words, first->columns, "columns of words", err));
    memcpy(csv->words, first->words,
           (size_t)first->columns * sizeof *csv->words);
  }
  if (im->job->like == NULL)
    th_csv_columns_find_counters(csv);
  file->body = file->begin + files->head_bytes;
  file->header_lines = 1;
done:
  return rc;
}

/* Read the head of file k. */
static th_status open_csv_file(struct th_importing *im, int64_t k,
                               struct th_text_file *file, struct th_error *err)
{
  struct csv_files *files = csv_files_of(im);
  struct known *known = &files->known;
  struct th_csv *csv = &files->csv[k];
  bool same = false;
  th_status rc = TH_OK;
  if (files->head != NULL)
    TH_TRY(take_first_head(im, k, file, &same, err));
  if (same)
    return TH_OK;
  TH_TRY(th_csv_header_open(csv, file, &im->limits.line, &known->choice,
                            &known->reference, err));
  if (csv->columns == 0)
    return TH_OK; /* said when the examples are counted */
  if (files->first < 0 && known->reference.part && csv->names == NULL)
    forget_support(im, &known->reference);
  csv->class = im->class;
  csv->missing = &im->text.missing;
  csv->mixable = im->job->like == NULL;
  csv->wordy = csv->mixable && csv->names != NULL && im->job->table.levels > 0;
  csv->looked = files->looked;
  TH_TRY(th_csv_columns(csv, file, &known->choice, &known->reference, err));
  if (im->job->like == NULL)
    th_csv_columns_find_counters(csv);
  if (csv->names == NULL && files->words.fields > 0)
    return th_fail(err, TH_EDATA,
                   "%s:1:1: no header found, and %s has columns of words; name "
                   "the columns in the first row",
                   file->name, im->job->like);
  rc = th_csv_words_spread(&files->words, csv, err);
done:
  return rc;
}

/* Files have targets and weights, or all of them have none. */
static th_status check_roles(const struct th_importing *im, int64_t k,
                             struct th_error *err)
{
  const struct th_csv *csv = &csv_files_of(im)->csv[k];
  int64_t first = csv_files_of(im)->first;
  if ((csv->target < 0) != im->text.unlabelled)
    return th_import_mixed(im, im->text.unlabelled ? k : first,
                           im->text.unlabelled ? first : k, err);
  if ((csv->weight >= 0) != im->text.weighted)
    return th_import_mixed_weights(im, im->text.weighted ? first : k,
                                   im->text.weighted ? k : first, err);
  if ((csv->id >= 0) != im->text.named)
    return th_import_mixed_ids(im, im->text.named ? first : k,
                               im->text.named ? k : first, err);
  return TH_OK;
}

static th_status open_csv_files(struct th_importing *im, struct th_error *err)
{
  struct csv_files *files = csv_files_of(im);
  th_status rc = TH_OK;
  files->known = known_before(im);
  files->first = -1;
  TH_TRY(th_csv_words_fold(&files->words, &im->like.origin,
                           &files->known.reference, err));
  TH_TRY(TH_NEW(&files->csv, im->files, "the list of files", err));
  TH_TRY(TH_NEW(&files->borrowed, im->files, "the list of files", err));
  TH_TRY(th_csv_reader_create(&files->parser, err));
  for (int64_t k = 0; k < im->files; k++) {
    if (files->first >= 0 && !im->file[k].mine)
      continue;
    TH_TRY(open_csv_file(im, k, &im->file[k], err));
    if (files->csv[k].columns == 0)
      continue;
    if (files->first >= 0) {
      TH_TRY(check_roles(im, k, err));
      continue;
    }
    TH_TRY(learn_columns(im, k, &files->known, err));
    files->first = k;
    TH_TRY(keep_first_head(im, err));
  }
  im->attributes = files->words.fields > 0 ? files->words.attributes
                                           : files->known.reference.attributes;
  th_import_csv_notices_columns(im, &csv_files_of(im)->csv[0]);
  if (files->words.fields > 0)
    th_import_csv_notices_words(im, &files->words);
done:
  return rc;
}

/* The head of a file at which another rank has looked: it stands before the
 * body that is known. */
static th_status prepare_csv_file(struct th_importing *im, int64_t k,
                                  struct th_error *err)
{
  struct csv_files *files = csv_files_of(im);
  struct th_text_file file = im->file[k];
  if (files->csv[k].columns > 0)
    return TH_OK;
  file.body = file.begin;
  file.header_lines = 0;
  files->borrowed[k] = false;
  return open_csv_file(im, k, &file, err);
}

/* One number of a rank for each counter: the largest of all ranks decides. */
enum { OFFSET, MINUS_OFFSET, BROKEN, NUMBERS };

static void put_counter(const struct th_csv_counter *counter,
                        double number[NUMBERS])
{
  bool seen = counter->rows > 0;
  number[OFFSET] = seen ? counter->offset : -INFINITY;
  number[MINUS_OFFSET] = seen ? -counter->offset : -INFINITY;
  number[BROKEN] = counter->broken;
}

/* all[] is what all ranks have seen of a column that is called like a row
 * index. */
static th_status judge_counter(const struct th_importing *im, int64_t k,
                               int64_t column, const double all[NUMBERS],
                               struct th_error *err)
{
  const struct th_csv *csv = &csv_files_of(im)->csv[k];
  char typed[TH_COLUMN_TEXT];
  char kept[TH_COLUMN_TEXT + 32] = "";
  bool counts = im->examples[k] > 1 && all[BROKEN] == 0 &&
                all[OFFSET] == -all[MINUS_OFFSET];
  if (!counts) {
    if (k == csv_files_of(im)->first)
      th_import_notice(im,
                       "note:     column %lld, '%.60s', is an attribute; "
                       "{ignore} %s leaves it out",
                       (long long)column + 1, csv->names[column],
                       th_csv_match_text(csv, column, typed));
    return TH_OK;
  }
  const char *word = th_csv_match_text(csv, column, typed);
  if (word == typed) /* fit for any option */
    snprintf(kept, sizeof kept, "keep it as IDs with {id} %s, ", word);
  return th_fail(err, TH_EDATA,
                 "%s:1:1: column %lld, '%.60s', only counts the rows; leave it "
                 "out with {ignore} %s, %sor rename it if it is meant",
                 im->file[k].name, (long long)column + 1, csv->names[column],
                 word, kept);
}

/* An attribute that only counts the rows of a file, as all ranks have found,
 * is refused. Collective; the status is this rank's own. */
static th_status refuse_counters(struct th_importing *im, struct th_error *err)
{
  enum { OF_FILE = NUMBERS * TH_CSV_COUNTERS };
  double *number = NULL;
  th_status rc = TH_NEW(&number, im->files * OF_FILE, "counts of rows", err);
  TH_TRY(th_agree(im->comm, rc, err));
  for (int64_t k = 0; k < im->files; k++)
    for (int c = 0; c < TH_CSV_COUNTERS; c++)
      put_counter(&csv_files_of(im)->csv[k].counter[c],
                  number + k * OF_FILE + c * NUMBERS);
  im->comm->ops->max_f64(im->comm, number, (size_t)(im->files * OF_FILE));
  for (int64_t k = 0; rc == TH_OK && k < im->files; k++)
    for (int c = 0; rc == TH_OK && im->file[k].mine &&
                    c < csv_files_of(im)->csv[k].counters;
         c++)
      rc = judge_counter(im, k, csv_files_of(im)->csv[k].counter[c].column,
                         number + k * OF_FILE + c * NUMBERS, err);
done:
  free(number);
  return rc;
}

static th_status check_columns(struct th_importing *im, struct th_error *err)
{
  const struct csv_files *files = csv_files_of(im);
  /* fields of each form, and words that are not known */
  int64_t sums[TH_CELL_COUNT + 2] = {0};
  bool told = false;
  th_status rc = refuse_counters(im, err);
  for (int k = 0; k < TH_CELL_COUNT; k++)
    sums[k] = th_csv_reader_forms(files->parser)->fields[k];
  sums[TH_CELL_COUNT] = th_csv_reader_unseen(files->parser);
  rc = th_comm_sum_agree(im->comm, sums, TH_CELL_COUNT + 1, rc, err);
  for (int k = 0; k < TH_CELL_COUNT; k++)
    told = told || (sums[k] > 0 && th_cell_meaning((enum th_cell)k) != NULL);
  if (rc == TH_OK && files->first >= 0 && told)
    th_import_csv_notices_forms(im, &files->csv[files->first],
                                th_csv_reader_forms(files->parser), sums);
  if (rc == TH_OK)
    th_import_csv_notices_unseen(im, sums[TH_CELL_COUNT]);
  return rc;
}

static bool is_csv_example(const struct th_importing *im, int64_t k,
                           const struct th_line *line)
{
  return th_csv_reader_is_example(&csv_files_of(im)->csv[k], line->text,
                                  line->length);
}

static bool csv_weightless(const struct th_importing *im, int64_t k,
                           const struct th_line *line)
{
  return th_csv_weightless(&csv_files_of(im)->csv[k], line);
}

static th_status read_csv_row(struct th_importing *im, int64_t k,
                              const struct th_line *line,
                              struct th_text_row *row, struct th_error *err)
{
  th_status rc = th_csv_reader_row(csv_files_of(im)->parser,
                                   &csv_files_of(im)->csv[k], line, row, err);
  if (rc == TH_OK)
    th_csv_reader_count(&csv_files_of(im)->csv[k], csv_files_of(im)->parser,
                        im->before.rows + im->own.count);
  return rc;
}

static void name_column(const struct th_importing *im, int64_t attribute,
                        char text[TH_IMPORT_CALLED])
{
  const struct th_csv *csv = &csv_files_of(im)->csv[0];
  int64_t column = 0;
  while (column + 1 < csv->columns && csv->role[column] != attribute)
    column++;
  snprintf(text, TH_IMPORT_CALLED, "column %lld", (long long)column + 1);
}

/* Of the first file that has columns. */
static th_status csv_origin(const struct th_importing *im,
                            struct th_origin *origin, struct th_error *err)
{
  const struct th_csv *csv = csv_files_of(im)->csv;
  const struct th_csv *last = csv + im->files - 1;
  th_status rc = TH_OK;
  while (csv < last && csv->columns == 0)
    csv++;
  if (csv->columns == 0)
    return TH_OK;
  rc = th_csv_words_told(&csv_files_of(im)->words, origin, err);
  if (rc != TH_OK)
    return rc;
  rc = th_csv_told_keep(csv, csv_files_of(im)->kind, origin, err);
  if (rc != TH_OK)
    return rc;
  origin->header = csv->names != NULL ? TH_FACT_YES : TH_FACT_NO;
  origin->separator = csv->delimiter;
  origin->decimal = csv->decimal;
  origin->weight = csv->weight + 1;
  origin->id = csv->id + 1;
  if (csv->names != NULL && csv->id >= 0)
    origin->id_name = csv->names[csv->id];
  if (csv->names != NULL && csv->weight >= 0)
    origin->weight_name = csv->names[csv->weight];
  rc = TH_NEW(&origin->other, csv->columns, "columns", err);
  if (rc == TH_OK && csv->names != NULL)
    rc = TH_NEW(&origin->name, csv->columns, "names of columns", err);
  if (rc != TH_OK)
    return rc;
  origin->columns = csv->columns;
  origin->target = csv->target + 1;
  for (int64_t k = 0; k < csv->columns; k++) {
    if (csv->role[k] >= 0 || csv->role[k] == TH_COLUMN_WORDS ||
        k == csv->target)
      continue;
    if (csv->names != NULL)
      origin->name[origin->others] = csv->names[k];
    origin->other[origin->others++] = k + 1;
  }
  return TH_OK;
}

static int64_t ignored_columns(const struct th_importing *im)
{
  return csv_files_of(im)->csv[0].ignored;
}

/* The counters of columns are each thread's own. */
static th_status part(struct th_importing *other, struct th_error *err)
{
  struct csv_files *files = csv_files_of(other);
  const struct th_csv *all = files->csv;
  const size_t count = (size_t)other->files;
  files->part = true;
  files->csv = NULL;
  files->borrowed = NULL;
  files->parser = NULL;
  th_status rc = TH_NEW(&files->csv, other->files, "the list of files", err);
  if (rc == TH_OK)
    rc = TH_NEW(&files->borrowed, other->files, "the list of files", err);
  if (rc != TH_OK)
    return rc;
  memset(files->borrowed, true, count * sizeof *files->borrowed);
  memcpy(files->csv, all, count * sizeof *all);
  return th_csv_reader_create(&files->parser, err);
}

static void release(struct th_importing *im)
{
  struct csv_files *files = csv_files_of(im);
  char **names = files->head != NULL ? files->csv[files->first].names : NULL;
  for (int64_t k = 0; files->borrowed != NULL && k < im->files; k++) {
    struct th_csv *csv = &files->csv[k];
    if (names != NULL && k != files->first && csv->names == names)
      csv->names = NULL; /* those of the first file */
    if (!files->borrowed[k])
      th_csv_header_free(csv);
  }
  if (!files->part) {
    free(files->head);
    th_csv_words_free(&files->words);
    TH_FREE(files->looked, files->kind);
  }
  th_csv_reader_free(files->parser);
  TH_FREE(files->csv, files->borrowed);
}

static const char *const options[] = {"header",  "target", "weights", "ignore",
                                      "decimal", "levels", "id",      NULL};

const struct th_importer th_import_csv = {.title = "CSV",
                                          .size = sizeof(struct csv_files),
                                          .options = options,
                                          .named = has_csv_ending,
                                          .recognises = recognises,
                                          .may_be = th_csv_has_blanks,
                                          .open = open_csv_files,
                                          .prepare = prepare_csv_file,
                                          .learn = learn_kinds,
                                          .later.leave_out = leave_out_columns,
                                          .later.groups = group_words,
                                          .count = th_import_parse_count,
                                          .next = th_import_parse_next,
                                          .is_example = is_csv_example,
                                          .is_weightless = csv_weightless,
                                          .read_line = read_csv_row,
                                          .check = check_columns,
                                          .call = name_column,
                                          .told = csv_origin,
                                          .left_out = ignored_columns,
                                          .part = part,
                                          .close = release};
