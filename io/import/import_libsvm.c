/* import_libsvm.c - the files of an import of LIBSVM text
 * SPDX-License-Identifier: MIT */
#include "io/import/import_job.h"
#include "io/import/libsvm.h"

#include <stdio.h>
#include <string.h>

/* An index is suspicious that is so many times the next one, and so far. */
static const int64_t far_times = 100;
static const int64_t far_away = 1000000;

struct state {
  struct th_libsvm format;
  int64_t last[2]; /* the two largest attributes, behind one another; 0-based,
                      -1: none */
  struct th_import_place place; /* of the first entry of the largest */
};

static struct th_libsvm *mine(const struct th_importing *im)
{
  return &((struct state *)im->state)->format;
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
                      im->limits.line.bytes, 0);
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

static th_status open_files(struct th_importing *im, struct th_error *err)
{
  const struct th_import *job = im->job;
  struct th_libsvm *format = mine(im);
  th_status rc = find_labels(im, err);
  *format = (struct th_libsvm){.zero_based = job->zero_based,
                               .unlabelled = im->unlabelled,
                               .class = im->class,
                               .attributes = job->attributes,
                               .limiter = "{attributes}"};
  if (im->like.attributes > 0) {
    format->attributes = im->like.attributes;
    format->limiter = job->like;
  }
  im->attributes = format->attributes;
  ((struct state *)im->state)->last[0] = -1;
  ((struct state *)im->state)->last[1] = -1;
  if (rc == TH_OK && im->unlabelled)
    th_import_notice(im, "target:   none");
  return rc;
}

static bool is_example(const struct th_importing *im, int64_t k,
                       const struct th_line *line)
{
  (void)k;
  if (th_libsvm_is_example(line->text, line->length))
    return true;
  /* without a label, an example of zeros is an empty line */
  return mine(im)->unlabelled &&
         memchr(line->text, '#', (size_t)line->length) == NULL;
}

static void see_index(struct state *s, int64_t attribute,
                      struct th_import_place place)
{
  if (attribute > s->last[0]) {
    s->last[1] = s->last[0];
    s->last[0] = attribute;
    s->place = place;
  } else if (attribute < s->last[0] && attribute > s->last[1]) {
    s->last[1] = attribute;
  }
}

static th_status read_line(struct th_importing *im, int64_t k,
                           const struct th_line *line, struct th_text_row *row,
                           struct th_error *err)
{
  struct state *s = im->state;
  struct th_import_place place = {k, line->number};
  th_status rc = th_libsvm_row(&s->format, line, row, err);
  for (int64_t j = row->count > 2 ? row->count - 2 : 0;
       rc == TH_OK && j < row->count; j++)
    see_index(s, row->index[j], place);
  return rc;
}

/* Where the largest index stands first. Collective. */
static void find_place(struct th_importing *im, int64_t largest)
{
  const struct state *s = im->state;
  const struct th_comm *comm = im->comm;
  bool mine = s->last[0] == largest;
  int64_t file = mine ? -s->place.file : -im->files;
  comm->ops->max_i64(im->comm, &file, 1);
  int64_t line = mine && s->place.file == -file ? -s->place.line : -INT64_MAX;
  comm->ops->max_i64(im->comm, &line, 1);
  im->last = (struct th_import_place){-file, -line};
}

/* A mistyped index makes as many attributes as it says. It is told by the next
 * one, or by how few values there are for so many attributes. */
static void tell_far(const struct th_importing *im, int64_t largest,
                     int64_t next)
{
  static const char last[] = "every index up to it is an attribute. If it is a "
                             "mistake, correct the file";
  int64_t base = !mine(im)->zero_based;
  if (next >= 0 && largest / far_times > next && largest - next > far_away)
    th_import_notice(im,
                     "note:     index %lld is far beyond the next one, %lld; "
                     "%s",
                     (long long)largest + base, (long long)next + base, last);
  else if (largest > far_away && largest / far_times > im->nonzeros)
    th_import_notice(im,
                     "note:     index %lld (%s:%lld) is far beyond the number "
                     "of values, %lld; %s",
                     (long long)largest + base, im->file[im->last.file].name,
                     (long long)im->last.line, (long long)im->nonzeros, last);
}

static th_status check(struct th_importing *im, struct th_error *err)
{
  struct state *s = im->state;
  const struct th_comm *comm = im->comm;
  int64_t largest = s->last[0];
  (void)err;
  if (s->format.attributes > 0)
    return TH_OK; /* it is known how many there are */
  comm->ops->max_i64(im->comm, &largest, 1);
  int64_t next = s->last[0] < largest ? s->last[0] : s->last[1];
  comm->ops->max_i64(im->comm, &next, 1);
  find_place(im, largest);
  tell_far(im, largest, next);
  return TH_OK;
}

static void call(const struct th_importing *im, int64_t attribute,
                 char text[TH_IMPORT_CALLED])
{
  snprintf(text, TH_IMPORT_CALLED, "index %lld",
           (long long)attribute + !mine(im)->zero_based);
}

static const char *const options[] = {"zero-based", NULL};

const struct th_importer th_import_libsvm = {.title = "LIBSVM",
                                             .size = sizeof(struct state),
                                             .options = options,
                                             .recognises = th_libsvm_recognise,
                                             .open = open_files,
                                             .count = th_import_count_lines,
                                             .next = th_import_next_line,
                                             .is_example = is_example,
                                             .read_line = read_line,
                                             .check = check,
                                             .call = call};
