/* import_libsvm.c - the files of an import of LIBSVM text
 * SPDX-License-Identifier: MIT */
#include "io/import/import_job.h"
#include "io/import/libsvm.h"

#include <stdio.h>
#include <string.h>

static struct th_libsvm *mine(const struct th_importing *im)
{
  return im->state;
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

static th_status read_line(struct th_importing *im, int64_t k,
                           const struct th_line *line, struct th_text_row *row,
                           struct th_error *err)
{
  (void)k;
  return th_libsvm_row(mine(im), line, row, err);
}

static void call(const struct th_importing *im, int64_t attribute,
                 char text[TH_IMPORT_CALLED])
{
  snprintf(text, TH_IMPORT_CALLED, "index %lld",
           (long long)attribute + !mine(im)->zero_based);
}

static const char *const options[] = {"zero-based", NULL};

const struct th_importer th_import_libsvm = {.title = "LIBSVM",
                                             .size = sizeof(struct th_libsvm),
                                             .options = options,
                                             .recognises = th_libsvm_recognise,
                                             .open = open_files,
                                             .count = th_import_count_lines,
                                             .next = th_import_next_line,
                                             .is_example = is_example,
                                             .read_line = read_line,
                                             .call = call};
