/* import_open.c - the files of an import: format, headers, known attributes
 * SPDX-License-Identifier: MIT */
#include "io/import/import_job.h"

#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_TO_TELL = 1000 }; /* that may tell the format */

static const char *file_name(const struct th_import *job, int64_t k)
{
  return k < job->input_count ? job->inputs[k] : job->test_file;
}

static th_status make_room(struct th_importing *im, struct th_error *err)
{
  th_status rc = TH_OK;
  const struct th_import *job = im->job;
  int64_t files = job->input_count + (job->test_file != NULL);
  TH_TRY(TH_NEW(&im->file, files, "the list of files", err));
  TH_TRY(TH_NEW(&im->range, files, "the list of files", err));
  TH_TRY(TH_NEW(&im->line, files, "the list of files", err));
  TH_TRY(TH_NEW(&im->counted, files, "the list of files", err));
  TH_TRY(TH_NEW(&im->examples, files, "the list of files", err));
  im->files = files;
done:
  return rc;
}

static bool ends_in(const char *name, const char *ending)
{
  size_t length = strlen(name);
  size_t tail = strlen(ending);
  return length >= tail && strcmp(name + length - tail, ending) == 0;
}

static bool is_named_csv(const char *name)
{
  static const char *const endings[] = {
      ".csv", ".tsv", ".csv.gz", ".csv.bz2", ".csv.xz", ".tsv.gz", NULL};
  for (int k = 0; endings[k] != NULL; k++)
    if (ends_in(name, endings[k]))
      return true;
  return false;
}

/* A delimiter between other things; not in a comment or at the line's end. */
static bool has_delimiter(const struct th_line *line)
{
  const char *comment = memchr(line->text, '#', (size_t)line->length);
  int64_t length = comment == NULL ? line->length : comment - line->text;
  while (length > 0 && strchr(" \t", line->text[length - 1]) != NULL)
    length--;
  for (int64_t k = 0; k < length; k++)
    if (line->text[k] == ',' || line->text[k] == ';' || line->text[k] == '\t')
      return true;
  return false;
}

/* The format of a file by its first line that tells: most often the first one
 * that is neither blank nor a comment. Where none does, by its name. */
static th_status recognise(struct th_importing *im, struct th_error *err)
{
  const struct th_text_file *file = &im->file[0];
  struct th_text_lines lines = {0};
  struct th_line line = {.text = ""};
  bool more = true;
  th_status rc = TH_OK;
  im->format = is_named_csv(file->name) ? TH_IMPORT_CSV : TH_IMPORT_LIBSVM;
  th_text_lines_begin(&lines, file, (struct th_range){file->body, file->size},
                      im->job->max_line, 0);
  while (lines.number < LINES_TO_TELL) {
    TH_TRY(th_text_lines_next(&lines, &line, &more, err));
    if (!more)
      break;
    if (th_libsvm_recognise(line.text, line.length)) {
      im->format = TH_IMPORT_LIBSVM;
      break;
    }
    if (has_delimiter(&line)) {
      im->format = TH_IMPORT_CSV;
      break;
    }
  }
done:
  th_text_lines_free(&lines);
  return rc;
}

static th_status find_format(struct th_importing *im, struct th_error *err)
{
  const char *wanted = im->job->format;
  const struct th_importer_row *table = th_import_table();
  int k = 0;
  while (table[k].name != NULL && strcmp(table[k].name, wanted) != 0)
    k++;
  if (table[k].name == NULL)
    return th_fail(err, TH_EUSAGE, "no import format '%s'", wanted);
  im->format = (enum th_import_format)k;
  return k == TH_IMPORT_AUTO ? recognise(im, err) : TH_OK;
}

/* Whether the first example of a file has no label. */
static th_status look_for_label(const struct th_importing *im, int64_t k,
                                bool *unlabelled, struct th_error *err)
{
  const struct th_text_file *file = &im->file[k];
  struct th_text_lines lines = {0};
  struct th_line line;
  bool more = true;
  th_status rc = TH_OK;
  th_text_lines_begin(&lines, file, (struct th_range){file->body, file->size},
                      im->job->max_line, 0);
  do {
    TH_TRY(th_text_lines_next(&lines, &line, &more, err));
  } while (more && !th_libsvm_is_example(line.text, line.length));
  *unlabelled = more && th_libsvm_is_unlabelled(line.text, line.length);
done:
  th_text_lines_free(&lines);
  return rc;
}

/* Data without labels: told by their first lines, where they may be so. */
static th_status find_labels(struct th_importing *im, struct th_error *err)
{
  for (int64_t k = 0; im->job->like != NULL && k < im->files; k++) {
    bool unlabelled = false;
    th_status rc = look_for_label(im, k, &unlabelled, err);
    if (rc != TH_OK)
      return rc;
    if (k > 0 && unlabelled != im->unlabelled)
      return th_import_mixed(im, unlabelled ? 0 : k, unlabelled ? k : 0, err);
    im->unlabelled = unlabelled;
  }
  return TH_OK;
}

static th_status open_libsvm(struct th_importing *im, struct th_error *err)
{
  const struct th_import *job = im->job;
  th_status rc = find_labels(im, err);
  im->libsvm = (struct th_libsvm){.zero_based = job->zero_based,
                                  .unlabelled = im->unlabelled,
                                  .class = im->class,
                                  .attributes = job->attributes,
                                  .limiter = "--attributes"};
  if (im->like.attributes > 0) {
    im->libsvm.attributes = im->like.attributes;
    im->libsvm.limiter = job->like;
  }
  im->attributes = im->libsvm.attributes;
  if (rc == TH_OK && im->unlabelled)
    th_import_notice(im, "target:   none");
  return rc;
}

static th_status check_like(const struct th_importing *im, struct th_error *err)
{
  if (im->like.attributes > 0 && im->job->attributes > 0 &&
      im->like.attributes != im->job->attributes)
    return th_fail(err, TH_EDATA,
                   "%s: %lld attributes, but --attributes says %lld; leave one "
                   "of the two out",
                   im->job->like, (long long)im->like.attributes,
                   (long long)im->job->attributes);
  if (im->format != TH_IMPORT_CSV &&
      (im->job->target != NULL || im->job->weights != NULL ||
       im->job->ignore != NULL || im->job->header != TH_HEADER_AUTO))
    return th_fail(err, TH_EUSAGE,
                   "--header, --target, --weights and --ignore are for CSV; %s "
                   "is read as LIBSVM",
                   im->file[0].name);
  if (im->format == TH_IMPORT_CSV && im->job->zero_based)
    return th_fail(err, TH_EUSAGE,
                   "--zero-based is for LIBSVM; %s is read as CSV",
                   im->file[0].name);
  return TH_OK;
}

static th_status choose_class(struct th_importing *im, struct th_error *err)
{
  const char *mine = im->job->positive_class;
  const char *theirs = im->like.class_name;
  im->class = th_class_named(mine != NULL ? mine : theirs);
  if (mine == NULL || theirs == NULL || strcmp(mine, theirs) == 0)
    return TH_OK;
  return th_fail(err, TH_EUSAGE,
                 "--positive-class %s: the positive class of %s is '%s', and "
                 "is taken over; leave the option out",
                 mine, im->job->like, theirs);
}

static th_status open_format(struct th_importing *im, struct th_error *err)
{
  const struct th_import *job = im->job;
  th_status rc = TH_OK;
  TH_TRY(find_format(im, err));
  TH_TRY(check_like(im, err));
  TH_TRY(choose_class(im, err));
  if (im->format == TH_IMPORT_CSV)
    TH_TRY(th_import_open_csv(im, err));
  else
    TH_TRY(open_libsvm(im, err));
  if (im->unlabelled && job->positive_class != NULL)
    rc = th_fail(err, TH_EUSAGE,
                 "--positive-class is for targets, and %s has none; leave it "
                 "out",
                 im->file[0].name);
  if (im->like.names != NULL)
    im->names = (const char **)im->like.names;
done:
  return rc;
}

/* Bytes of all inputs on disk, for who watches: what cannot be opened is said
 * when it is its turn. */
static void measure_files(struct th_importing *im)
{
  struct th_identity file;
  for (int64_t k = 0; im->job->watch != NULL && k < im->files; k++)
    if (th_file_identity_of(file_name(im->job, k), &file))
      im->file_bytes += (int64_t)file.size;
}

static void on_reading(void *self, int64_t bytes)
{
  struct th_importing *im = self;
  im->unpacked = true;
  th_import_tell(im, TH_IMPORT_UNPACKS, im->opened + bytes, im->file_bytes);
}

/* Collective. */
static th_status open_files(struct th_importing *im, struct th_error *err)
{
  struct th_reading reading = {on_reading, im};
  th_status rc = TH_OK;
  measure_files(im);
  for (int64_t k = 0; rc == TH_OK && k < im->files; k++) {
    rc = th_text_open(&im->file[k], im->comm, file_name(im->job, k),
                      im->job->output, &reading, err);
    im->opened += (int64_t)im->file[k].identity.size;
    im->text_bytes += im->file[k].size;
  }
  return rc;
}

th_status th_import_open(struct th_importing *im, struct th_error *err)
{
  th_status rc = TH_OK;
  TH_TRY(th_agree(im->comm, make_room(im, err), err));
  TH_TRY(th_import_read_like(im, err));
  TH_TRY(open_files(im, err));
  rc = open_format(im, err);
  for (int64_t k = 0; k < im->files; k++)
    rc = th_text_unchanged(&im->file[k], rc, err);
  TH_TRY(th_agree(im->comm, rc, err));
done:
  return rc;
}

void th_import_close(struct th_importing *im)
{
  if (im->names != (const char **)im->like.names)
    free(im->names);
  th_import_free_like(&im->like);
  free(im->piece);
  for (int64_t k = 0; k < im->files; k++) {
    th_text_close(&im->file[k]);
    if (im->csv != NULL)
      th_csv_free(&im->csv[k]);
  }
  TH_FREE(im->csv, im->file, im->range, im->line, im->counted, im->examples);
  th_text_lines_free(&im->lines);
  th_bucket_spill_free(im->spill);
  TH_FREE(im->target, im->weight, im->stored);
  th_rounding_free(&im->rounding);
}
