/* import_count.c - byte ranges on ranks; how many examples they hold
 * SPDX-License-Identifier: MIT */
#include "core/partition.h"
#include "io/import/import_job.h"

#include "core/integer.h"
#include "core/memory.h"

#include <math.h>

/* Share the bytes of all files out evenly, in order: rank r's part of file k.
 */
static th_status take_ranges(struct th_importing *im, struct th_error *err)
{
  int64_t total = 0;
  int64_t before = 0; /* bytes of the files before */
  int64_t ranks = im->comm->size;
  int64_t rank = im->comm->rank;
  for (int64_t k = 0; k < im->files; k++)
    total += im->file[k].size - im->file[k].body;
  struct th_range mine = {
      total / ranks * rank + th_min_i64(rank, total % ranks),
      total / ranks * (rank + 1) + th_min_i64(rank + 1, total % ranks)};
  for (int64_t k = 0; k < im->files; k++) {
    const struct th_text_file *file = &im->file[k];
    int64_t bytes = file->size - file->body;
    struct th_range part =
        th_range_intersect(mine, (struct th_range){before, before + bytes});
    im->share.range[k] = (struct th_range){file->body, file->body};
    if (part.last > part.first)
      im->share.range[k] = (struct th_range){part.first - before + file->body,
                                             part.last - before + file->body};
    th_status rc = TH_OK;
    if (!im->format->importer->binary)
      rc = th_text_align(file, im->limits.line.bytes, &im->share.range[k], err);
    if (rc != TH_OK)
      return rc;
    before += bytes;
  }
  return TH_OK;
}

/* Lines and examples of this rank's part of file k. A line that is too long
 * ends the count: parsing will stop there. */
th_status th_import_count_lines(struct th_importing *im, int64_t k,
                                int64_t *lines, int64_t *examples,
                                int64_t *weightless, struct th_error *err)
{
  const struct th_importer *importer = im->format->importer;
  bool weighted = im->text.weighted;
  th_status rc = TH_OK;
  struct th_line line;
  bool more = true;
  th_text_lines_begin(&im->lines, &im->file[k], im->share.range[k],
                      im->limits.line.bytes, 0);
  while (true) {
    TH_TRY(th_text_lines_next(&im->lines, &line, &more, err));
    if (!more)
      break;
    th_import_tell_line(im, TH_IMPORT_COUNTS, k);
    im->share.cut = im->share.cut || line.too_long;
    bool example = line.too_long || importer->is_example(im, k, &line);
    *examples += example;
    if (weighted && example && !line.too_long)
      *weightless += importer->is_weightless(im, k, &line);
  }
  *lines = im->lines.number;
done:
  return rc;
}

/* What a rank counts in its part of a file. */
struct count {
  int64_t lines;
  int64_t examples;
  int64_t weightless;
};

/* Of this rank's part of each file. */
static th_status count_own(struct th_importing *im, struct count *counts,
                           struct th_error *err)
{
  th_status rc = take_ranges(im, err);
  for (int64_t k = 0; k < im->files; k++) {
    if (rc == TH_OK)
      rc = im->format->importer->count(im, k, &counts[k].lines,
                                       &counts[k].examples,
                                       &counts[k].weightless, err);
    rc = th_text_unchanged(&im->file[k], rc, err);
    im->share.counted[k] = counts[k].examples;
    im->share.weightless[k] = counts[k].weightless;
  }
  return rc;
}

/* What all ranks' counts say; all[r] begins with rank r's. */
static th_status sum_counts(struct th_importing *im, const struct count *all,
                            struct th_error *err)
{
  int64_t *examples = &im->assignment.examples;
  for (int64_t k = 0; k < im->files; k++) {
    int64_t here = 0;
    int64_t weightless = 0;
    im->share.line[k] = im->file[k].header_lines;
    for (int r = 0; r < im->comm->size; r++) {
      const struct count *counts = all + r * im->files + k;
      bool lower = r < im->comm->rank;
      here += counts->examples;
      weightless += counts->weightless;
      im->share.line[k] += lower ? counts->lines : 0;
      im->before.rows += lower ? counts->examples : 0;
      im->before.weightless += lower ? counts->weightless : 0;
    }
    if (here == 0)
      return th_fail(err, TH_EDATA,
                     "%s:1:1: %s found, expected at least one example; check "
                     "the file",
                     im->file[k].name,
                     im->file[k].size == 0 ? "an empty file" : "no example");
    *examples += here;
    im->assignment.weightless += weightless;
    im->examples[k] = here;
    if (k < im->job->input_count)
      im->assignment.main += here - weightless;
  }
  return TH_OK;
}

/* Which examples are test examples, and where all of them go. */
static th_status place_examples(struct th_importing *im, struct th_error *err)
{
  const struct th_import *job = im->job;
  struct th_row_assignment *assignment = &im->assignment;
  int64_t test = 0;
  if (assignment->main == 0)
    return th_fail(
        err, TH_EDATA,
        "%s:1:1: all weights of the training examples are 0; correct "
        "them, or choose another column with {weights}",
        im->file[0].name);
  if (job->test_fraction > 0.0) {
    test = (int64_t)llround((double)assignment->main * job->test_fraction);
    test = test < 1 ? 1 : test;
  }
  if (test >= assignment->main && im->share.cut)
    test = 0; /* there may be more; the line that is too long comes to light */
  if (test >= assignment->main)
    return th_fail(err, TH_EDATA,
                   "%s: %lld of %lld examples would be test examples, expected "
                   "at least one to train on; lower {test}",
                   im->file[0].name, (long long)test,
                   (long long)assignment->main);
  assignment->training = assignment->main - test;
  assignment->row_group =
      job->row_group > 0 ? job->row_group
                         : th_partition_row_group_size(assignment->examples -
                                                       assignment->weightless);
  assignment->shuffle = job->shuffle;
  assignment->seed = job->seed;
  return th_row_assignment_divide(assignment, 2 * im->text_bytes,
                                  im->limits.memory, err);
}

/* Collective. */
static bool any_is_cut(const struct th_importing *im)
{
  int64_t cut = im->share.cut;
  im->comm->ops->max_i64(im->comm, &cut, 1);
  return cut != 0;
}

th_status th_import_count(struct th_importing *im, struct th_error *err)
{
  struct count *counts = NULL;
  int64_t *sizes = NULL;
  void *all = NULL;
  th_status rc = TH_NEW(&counts, im->files, "counts of lines", err);
  if (rc == TH_OK)
    rc = TH_NEW(&sizes, im->comm->size, "counts of lines", err);
  if (rc == TH_OK)
    rc = count_own(im, counts, err);
  TH_TRY(th_agree(im->comm, rc, err));
  TH_TRY(th_comm_gather(im->comm, counts, im->files * (int64_t)sizeof *counts,
                        sizes, &all, err));
  TH_TRY(sum_counts(im, all, err));
  im->share.cut = any_is_cut(im);
  TH_TRY(th_agree(im->comm, place_examples(im, err), err));
done:
  TH_FREE(all, sizes, counts);
  return rc;
}
