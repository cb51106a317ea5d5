/* import_threads.c - counting and parsing on several threads, each as if it
 * were a rank
 * SPDX-License-Identifier: MIT */
#include "io/import/import_job.h"

#include "core/memory.h"
#include "core/team.h"

#include <stdlib.h>
#include <string.h>

enum {
  TEXT_EACH = 4 << 20,  /* bytes of text that are worth a thread */
  MEMORY_EACH = 4 << 20 /* bytes that it takes beside its records, about */
};

/* Half of the memory is for their records. */
static int count_threads(const struct th_importing *im)
{
  return th_team_size(im->job->threads,
                      1 + im->text_bytes / im->comm->size / TEXT_EACH,
                      im->limits.memory / 2 / MEMORY_EACH);
}

/* What a thread has of its own. */
static th_status begin_thread(const struct th_importing *first,
                              struct th_import_thread *thread,
                              struct th_error *err)
{
  const struct th_importer *importer = first->format->importer;
  struct th_importing *im = &thread->im;
  th_status rc = TH_OK;
  thread->job = *first->job;
  thread->job.monitor = NULL;
  *im = *first;
  im->job = &thread->job;
  im->share = (struct th_import_share){0};
  im->examples = NULL;
  im->state = NULL;
  im->lines = (struct th_text_lines){0};
  im->own = (struct th_import_rows){0};
  im->bins = (struct th_import_bins){0};
  im->rounding = (struct th_rounding){0};
  TH_TRY(th_import_list_files(im, err));
  if (importer->size > 0) {
    TH_TRY(th_alloc(&im->state, 1, importer->size, "the format", err));
    memcpy(im->state, first->state, importer->size);
    if (importer->part != NULL)
      TH_TRY(importer->part(im, err));
  }
done:
  return rc;
}

static void end_thread(struct th_import_thread *thread)
{
  struct th_importing *im = &thread->im;
  if (im->job == NULL)
    return;
  if (im->state != NULL && im->format->importer->close != NULL)
    im->format->importer->close(im);
  TH_FREE(im->state, im->share.range, im->share.line, im->share.counted,
          im->share.weightless, im->examples);
  th_text_lines_free(&im->lines);
  th_bucket_spill_free(im->bins.own);
  TH_FREE(im->own.target, im->own.weight, im->own.key, im->own.stored);
  th_rounding_free(&im->rounding);
  th_row_assignment_free(&im->assignment);
}

void th_import_free_threads(struct th_importing *im)
{
  for (int t = 0; t < im->bins.others; t++)
    end_thread(&im->bins.other[t]);
  TH_FREE(im->bins.other, im->bins.all);
  im->bins.other = NULL;
  im->bins.others = 0;
}

static th_status begin_threads(struct th_importing *im, int others,
                               struct th_error *err)
{
  th_status rc = TH_NEW(&im->bins.other, others, "threads", err);
  if (rc != TH_OK)
    return rc;
  im->bins.others = others;
  for (int t = 0; rc == TH_OK && t < others; t++)
    rc = begin_thread(im, &im->bins.other[t], err);
  return rc;
}

/* What a thread works on. */
struct reading {
  struct th_importing *im;
  int ranks; /* that are no threads */
  bool first;
};

static th_status read_part(struct th_comm *comm, void *self,
                           struct th_error *err)
{
  struct reading *reading = self;
  struct th_importing *im = reading->im;
  th_status rc = TH_OK;
  im->comm = comm;
  TH_TRY(th_import_count(im, err));
  if (reading->first)
    rc = th_import_make_bins(im, comm->size / reading->ranks, err);
  TH_TRY(th_agree(comm, rc, err));
  rc = th_import_parse(im, err);
done:
  return rc;
}

/* Put the rows of the other threads behind those of the first one. */
static th_status join_rows(struct th_importing *im, struct th_error *err)
{
  struct th_import_rows *own = &im->own;
  const char *what = "targets";
  int64_t count = own->count;
  th_status rc = TH_OK;
  for (int t = 0; t < im->bins.others; t++)
    count += im->bins.other[t].im.own.count;
  if (count == own->count)
    return TH_OK;
  int64_t held[4] = {own->capacity, own->capacity, own->capacity,
                     own->capacity};
  TH_TRY(TH_GROW(&own->target, &held[0], count, what, err));
  TH_TRY(TH_GROW(&own->weight, &held[1], count, what, err));
  TH_TRY(TH_GROW(&own->stored, &held[2], count, what, err));
  TH_TRY(TH_GROW(&own->key, &held[3], count, what, err));
  for (int t = 0; t < im->bins.others; t++) {
    const struct th_import_rows *more = &im->bins.other[t].im.own;
    size_t bytes = (size_t)more->count * sizeof(double);
    if (bytes == 0)
      continue;
    memcpy(own->target + own->count, more->target, bytes);
    memcpy(own->weight + own->count, more->weight, bytes);
    memcpy(own->key + own->count, more->key, bytes);
    memcpy(own->stored + own->count, more->stored, bytes);
    own->count += more->count;
  }
done:
  return rc;
}

th_status th_import_read(struct th_importing *im, struct th_error *err)
{
  struct th_comm *comm = im->comm;
  int threads = count_threads(im);
  struct reading *reading = NULL;
  int made = 1;
  th_status rc = begin_threads(im, threads - 1, err);
  if (rc == TH_OK)
    rc = TH_NEW(&reading, threads, "threads", err);
  TH_TRY(th_agree(comm, rc, err));
  for (int t = 0; t < threads; t++) {
    reading[t].im = t == 0 ? im : &im->bins.other[t - 1].im;
    reading[t].ranks = comm->size;
    reading[t].first = t == 0;
  }
  rc = th_team_run(comm, threads, read_part, reading, sizeof *reading, &made,
                   err);
  im->comm = comm;
  TH_TRY(rc);
  TH_TRY(th_agree(comm, join_rows(im, err), err));
done:
  free(reading);
  return rc;
}
