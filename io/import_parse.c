/* import_parse.c - byte ranges on ranks: counting, then parsing into bins
 * SPDX-License-Identifier: MIT */
#include "io/import_job.h"

#include "core/integer.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>

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
      total / ranks * rank + th_smaller(rank, total % ranks),
      total / ranks * (rank + 1) + th_smaller(rank + 1, total % ranks)};
  for (int64_t k = 0; k < im->files; k++) {
    const struct th_text_file *file = &im->file[k];
    int64_t bytes = file->size - file->body;
    struct th_range part =
        th_range_meet(mine, (struct th_range){before, before + bytes});
    im->range[k] = (struct th_range){file->body, file->body};
    if (part.last > part.first)
      im->range[k] = (struct th_range){part.first - before + file->body,
                                       part.last - before + file->body};
    th_status rc = th_text_align(file, im->job->max_line, &im->range[k], err);
    if (rc != TH_OK)
      return rc;
    before += bytes;
  }
  return TH_OK;
}

static bool is_example(const struct th_importing *im, int64_t k,
                       const struct th_line *line)
{
  if (im->format == TH_IMPORT_CSV)
    return th_csv_is_example(&im->csv[k], line->text, line->length);
  return th_libsvm_is_example(line->text, line->length);
}

/* counts[2 k] lines and counts[2 k + 1] examples of this rank's part of file
 * k. A line that is too long ends the count: parsing will stop there. */
static th_status count_lines(struct th_importing *im, int64_t *counts,
                             struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t k = 0; k < im->files; k++) {
    struct th_line line;
    bool more = true;
    th_lines_begin(&im->lines, &im->file[k], im->range[k], im->job->max_line,
                   0);
    while (true) {
      TH_TRY(th_lines_next(&im->lines, &line, &more, err));
      if (!more)
        break;
      counts[2 * k + 1] += line.too_long || is_example(im, k, &line);
    }
    counts[2 * k] = im->lines.number;
  }
done:
  return rc;
}

static th_status count_own(struct th_importing *im, int64_t *counts,
                           struct th_error *err)
{
  th_status rc = take_ranges(im, err);
  return rc == TH_OK ? count_lines(im, counts, err) : rc;
}

/* What all ranks' counts say; all[r] begins with rank r's. */
static th_status sum_counts(struct th_importing *im, const int64_t *all,
                            struct th_error *err)
{
  int64_t *examples = &im->placing.examples;
  for (int64_t k = 0; k < im->files; k++) {
    int64_t here = 0;
    im->line[k] = im->file[k].header_lines;
    for (int r = 0; r < im->comm->size; r++) {
      const int64_t *counts = all + 2 * (r * im->files + k);
      bool lower = r < im->comm->rank;
      here += counts[1];
      im->line[k] += lower ? counts[0] : 0;
      im->first_row += lower ? counts[1] : 0;
    }
    if (here == 0)
      return th_fail(err, TH_EDATA,
                     "%s:1:1: %s found, expected at least one example; check "
                     "the file",
                     im->file[k].name,
                     im->file[k].size == 0 ? "an empty file" : "no example");
    *examples += here;
    if (k < im->job->input_count)
      im->placing.main += here;
  }
  return TH_OK;
}

/* Which examples are test examples, and where all of them go. */
static th_status place_examples(struct th_importing *im, int64_t memory,
                                struct th_error *err)
{
  const struct th_import *job = im->job;
  struct th_placing *placing = &im->placing;
  int64_t test = 0;
  if (job->test_fraction > 0.0) {
    test = (int64_t)llround((double)placing->main * job->test_fraction);
    test = test < 1 ? 1 : test;
  }
  if (test >= placing->main)
    return th_fail(err, TH_EDATA,
                   "%s: %lld of %lld examples would be test examples, expected "
                   "at least one to train on; lower --test",
                   im->file[0].name, (long long)test, (long long)placing->main);
  placing->training = placing->main - test;
  placing->row_group = job->row_group > 0
                           ? job->row_group
                           : th_row_group_size(placing->examples);
  placing->shuffle = job->shuffle;
  placing->seed = job->seed;
  th_placing_divide(placing, 2 * im->text_bytes, memory);
  return TH_OK;
}

th_status th_import_count(struct th_importing *im, struct th_error *err)
{
  int64_t *counts = NULL;
  int64_t *sizes = NULL;
  void *all = NULL;
  th_status rc = TH_NEW(&counts, 2 * im->files, "counts of lines", err);
  if (rc == TH_OK)
    rc = TH_NEW(&sizes, im->comm->size, "counts of lines", err);
  if (rc == TH_OK)
    rc = count_own(im, counts, err);
  TH_TRY(th_agree(im->comm, rc, err));
  TH_TRY(th_gather(im->comm, counts, 2 * im->files * (int64_t)sizeof *counts,
                   sizes, &all, err));
  TH_TRY(sum_counts(im, all, err));
  int64_t least = -im->job->memory; /* the smallest memory of all ranks */
  im->comm->ops->max_i64(im->comm, &least, 1);
  TH_TRY(place_examples(im, -least, err));
done:
  free(all);
  free(sizes);
  free(counts);
  return rc;
}

/* This rank's parsing. */
struct parsing {
  struct th_text_row row;
  struct th_csv_parser *csv;
  int64_t weighted; /* training examples with a weight that is not 0 */
};

static th_status parse_line(struct th_importing *im, struct parsing *parsing,
                            int64_t k, const struct th_line *line,
                            struct th_error *err)
{
  if (line->too_long)
    return th_line_fail(line, line->text + im->job->max_line, err,
                        "the line is longer than %lld bytes; allow longer "
                        "lines with --max-line",
                        (long long)im->job->max_line);
  if (im->format == TH_IMPORT_CSV)
    return th_csv_row(parsing->csv, &im->csv[k], line, &parsing->row, err);
  return th_libsvm_row(&im->libsvm, line, &parsing->row, err);
}

static th_status keep_labels(struct th_importing *im,
                             const struct th_text_row *row, int64_t stored,
                             struct th_error *err)
{
  th_status rc = TH_OK;
  TH_TRY(th_grow((void **)&im->target, &im->capacity, im->rows + 1,
                 sizeof *im->target, "targets", err));
  TH_TRY(th_grow((void **)&im->weight, &im->weight_capacity, im->rows + 1,
                 sizeof *im->weight, "weights", err));
  TH_TRY(th_grow((void **)&im->stored, &im->stored_capacity, im->rows + 1,
                 sizeof *im->stored, "row numbers", err));
  im->stored[im->rows] = stored;
  im->target[im->rows] = row->target;
  im->weight[im->rows] = row->weight;
done:
  return rc;
}

/* Put the parsed example where it belongs. */
static th_status keep_row(struct th_importing *im, struct parsing *parsing,
                          struct th_error *err)
{
  const struct th_text_row *row = &parsing->row;
  const struct th_placing *placing = &im->placing;
  int64_t stored = th_placing_row(placing, im->first_row + im->rows);
  int64_t bin = th_placing_bin_of(placing, stored);
  uint32_t in_bin = (uint32_t)(stored - th_placing_bin(placing, bin).first);
  th_status rc = keep_labels(im, row, stored, err);
  if (rc != TH_OK)
    return rc;
  im->rows++;
  im->nonzeros += row->nonzeros;
  parsing->weighted += stored < placing->training && row->weight != 0.0;
  if (row->count > 0) {
    int64_t last = row->first < 0 ? row->index[row->count - 1]
                                  : row->first + row->count - 1;
    im->attributes = last >= im->attributes ? last + 1 : im->attributes;
  }
  return th_spill_add(im->spill, bin, in_bin, row, err);
}

static th_status parse_file(struct th_importing *im, struct parsing *parsing,
                            int64_t k, struct th_error *err)
{
  struct th_line line;
  bool more = true;
  th_status rc = TH_OK;
  th_lines_begin(&im->lines, &im->file[k], im->range[k], im->job->max_line,
                 im->line[k]);
  while (true) {
    TH_TRY(th_lines_next(&im->lines, &line, &more, err));
    if (!more)
      return TH_OK;
    if (!line.too_long && !is_example(im, k, &line))
      continue;
    TH_TRY(parse_line(im, parsing, k, &line, err));
    TH_TRY(keep_row(im, parsing, err));
  }
done:
  return rc;
}

static th_status parse_own(struct th_importing *im, struct parsing *parsing,
                           struct th_error *err)
{
  const struct th_import *job = im->job;
  th_status rc = TH_OK;
  parsing->row.type = (enum th_type)job->type;
  TH_TRY(th_csv_parser_create(&parsing->csv, err));
  TH_TRY(th_spill_create(&im->spill, job->output, im->placing.bins,
                         job->memory / 2, (enum th_type)job->type, err));
  for (int64_t k = 0; k < im->files; k++)
    TH_TRY(parse_file(im, parsing, k, err));
done:
  return rc;
}

/* What only all examples together can show. */
static th_status check_whole(const struct th_importing *im, int64_t weighted,
                             struct th_error *err)
{
  if (im->attributes == 0)
    return th_fail(err, TH_EDATA,
                   "%s:1:1: no example has an attribute; say how many there "
                   "are with --attributes",
                   im->file[0].name);
  if (weighted == 0)
    return th_fail(err, TH_EDATA,
                   "%s:1:1: all weights of the training examples are 0; choose "
                   "another column with --weights",
                   im->file[0].name);
  return TH_OK;
}

th_status th_import_parse(struct th_importing *im, struct th_error *err)
{
  struct parsing parsing = {0};
  th_status rc = th_agree(im->comm, parse_own(im, &parsing, err), err);
  if (rc == TH_OK) {
    int64_t sums[2] = {im->nonzeros, parsing.weighted};
    im->comm->ops->sum_i64(im->comm, sums, 2);
    im->comm->ops->max_i64(im->comm, &im->attributes, 1);
    im->nonzeros = sums[0];
    rc = check_whole(im, sums[1], err);
  }
  th_text_row_free(&parsing.row);
  th_csv_parser_free(parsing.csv);
  return rc;
}
