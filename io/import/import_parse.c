/* import_parse.c - this rank's byte ranges parsed into bins
 * SPDX-License-Identifier: MIT */
#include "base/integer.h"
#include "base/memory.h"
#include "io/dataset/fingerprint.h"
#include "io/import/import_job.h"
#include "ranks/team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- How far it is -------------------------------------------------------- */

/* Tell the monitor what im->lines have read of file k. Local. */
static void tell_read(struct th_importing *im, enum th_import_step step,
                      int64_t k)
{
  int64_t done = 0;
  int64_t total = 0;
  im->shown.offset = im->lines.next;
  for (int64_t j = 0; j < im->files; j++) {
    int64_t bytes = th_range_count(im->share.range[j]);
    total += bytes;
    done += j < k    ? bytes
            : j == k ? im->shown.offset - im->share.range[j].first
                     : 0;
  }
  th_import_tell(im, step, done, total);
}

/* --- Byte ranges on ranks; how many examples they hold -------------------- */

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
      rc = th_text_align(&im->lines, file, im->limits.line.bytes,
                         &im->share.range[k], err);
    if (rc == TH_OK && th_range_count(im->share.range[k]) > 0 &&
        im->format->importer->prepare != NULL)
      rc = im->format->importer->prepare(im, k, err);
    if (rc != TH_OK)
      return rc;
    before += bytes;
  }
  return TH_OK;
}

/* Tell of the lines that have been read of file k. Cheap for every line. */
static inline void tell_line(struct th_importing *im, enum th_import_step step,
                             int64_t k)
{
  if (im->shown.offset != im->lines.next)
    tell_read(im, step, k);
}

/* Lines and examples of this rank's part of file k. A line that is too long
 * ends the count: parsing will stop there. */
th_status th_import_parse_count(struct th_importing *im, int64_t k,
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
    tell_line(im, TH_IMPORT_COUNTS, k);
    im->share.cut = im->share.cut || line.too_long;
    bool example = line.too_long || importer->is_example(im, k, &line);
    *examples += example;
    if (example && !line.too_long && importer->numbering != NULL)
      importer->numbering->see(im, &line);
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
    im->share.counted[k] = counts[k].examples;
    im->share.weightless[k] = counts[k].weightless;
  }
  return rc;
}

/* Those of the data set that is appended to come before the new ones. */
static void count_appended_to(struct th_importing *im)
{
  const struct th_append *old = &im->before.old;
  struct th_row_assignment *assignment = &im->assignment;
  assignment->examples += old->shape.examples;
  assignment->weightless += old->shape.weightless;
  assignment->main += old->main - old->shape.weightless;
  im->before.rows += old->main;
  im->before.weightless += old->shape.weightless;
}

/* What is counted of all files by all ranks, and by the lower ones. */
static th_status sum_counts(struct th_importing *im, const struct count *all,
                            const struct count *lower, struct th_error *err)
{
  struct th_row_assignment *assignment = &im->assignment;
  for (int64_t k = 0; k < im->files; k++) {
    if (all[k].examples == 0)
      return th_fail(err, TH_EDATA,
                     "%s:1:1: %s found, expected at least one example; check "
                     "the file",
                     im->file[k].name,
                     im->file[k].size == 0 ? "an empty file" : "no example");
    im->share.line[k] = im->file[k].header_lines + lower[k].lines;
    im->before.rows += lower[k].examples;
    im->before.weightless += lower[k].weightless;
    im->examples[k] = all[k].examples;
    assignment->examples += all[k].examples;
    assignment->weightless += all[k].weightless;
    if (k < im->share.inputs.mains)
      assignment->main += all[k].examples - all[k].weightless;
  }
  if (im->before.old.on)
    count_appended_to(im);
  return TH_OK;
}

th_status th_import_parse_assign(struct th_importing *im, struct th_error *err)
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
  if (job->order.test_fraction > 0.0) {
    test =
        (int64_t)llround((double)assignment->main * job->order.test_fraction);
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
                         : th_row_assignment_usual_group(
                               assignment->examples,
                               assignment->examples - assignment->weightless,
                               im->listed.examples > 0);
  assignment->shuffle = job->order.shuffle;
  assignment->seed = job->order.seed;
  return th_row_assignment_divide(assignment,
                                  2 * im->text_bytes + im->before.old.bytes,
                                  im->limits.memory, im->limits.ranks, err);
}

th_status th_import_parse_visit(struct th_importing *im,
                                th_status (*see)(struct th_importing *im,
                                                 int64_t k,
                                                 const struct th_line *line,
                                                 struct th_error *err),
                                struct th_error *err)
{
  struct th_line line;
  bool more = true;
  th_status rc = take_ranges(im, err);
  for (int64_t k = 0; k < im->files && rc == TH_OK; k++) {
    th_text_lines_begin(&im->lines, &im->file[k], im->share.range[k],
                        im->limits.line.bytes, 0);
    for (;;) {
      TH_TRY(th_text_lines_next(&im->lines, &line, &more, err));
      if (!more || line.too_long)
        break;
      if (im->format->importer->is_example(im, k, &line))
        TH_TRY(see(im, k, &line, err));
    }
  }
done:
  return rc;
}

th_status th_import_parse_divide(struct th_importing *im, struct th_error *err)
{
  struct count *counts = NULL;
  struct count *lower = NULL;
  const size_t numbers = (size_t)im->files * 3;
  /* behind them, whether a line is cut, and a place for the sum */
  th_status rc = TH_NEW(&counts, im->files + 1, "counts of lines", err);
  if (rc == TH_OK)
    rc = TH_NEW(&lower, im->files, "counts of lines", err);
  TH_TRY(th_agree(im->comm, rc, err));
  rc = count_own(im, counts, err);
  memcpy(lower, counts, numbers * sizeof(int64_t));
  int64_t *sums = &counts->lines;
  sums[numbers] = im->share.cut;
  rc = th_comm_sum_agree(im->comm, sums, numbers + 1, rc, err);
  if (rc != TH_OK) {
    rc = th_text_files_unchanged(&im->texts, im->comm, rc, err);
    goto done;
  }
  im->comm->ops->prefix_i64(im->comm, &lower->lines, numbers);
  im->share.cut = sums[numbers] > 0;
  rc = sum_counts(im, counts, lower, err);
done:
  TH_FREE(counts, lower);
  return rc;
}

/* --- Ranges parsed into bins ---------------------------------------------- */

/* This rank's parsing. */
struct parsing {
  struct th_text_row row;
  struct th_class *known; /* classes of --like, but for the positive one */
  int64_t rounded; /* attributes of which a rank has measured the rounding */
};

static const struct th_array by_row[] = {
    TH_ARRAY(struct th_import_rows, target),
    TH_ARRAY(struct th_import_rows, weight),
    TH_ARRAY(struct th_import_rows, key),
    TH_ARRAY(struct th_import_rows, stored)};

static th_status keep_labels(struct th_importing *im,
                             const struct th_text_row *row, int64_t stored,
                             struct th_error *err)
{
  th_status rc = th_memory_arrays_reserve(
      TH_ARRAYS(&im->own, by_row), &im->own.capacity,
      th_memory_roomier(im->own.capacity, im->own.count + 1), "targets", err);
  if (rc != TH_OK)
    return rc;
  im->own.stored[im->own.count] = stored;
  im->own.target[im->own.count] = row->target;
  im->own.weight[im->own.count] = row->weight;
  im->own.key[im->own.count] = th_fingerprint_example(
      row->first, row->index, row->values,
      th_type_size(th_type_single(row->type)), row->count);
  return im->text.named ? th_text_ids_add(&im->own.ids, row->id, err) : rc;
}

/* Where the next example is stored, the one of weight 0 apart from the others:
 * they were counted apart. -1: more of one kind than were counted. */
static int64_t next_stored_row(struct th_importing *im, bool weightless)
{
  const struct th_row_assignment *assignment = &im->assignment;
  int64_t before = im->before.weightless + im->own.weightless;
  int64_t row = im->before.rows + im->own.count - before;
  int64_t kept = assignment->examples - assignment->weightless;
  if (weightless ? before >= assignment->weightless : row >= kept)
    return -1;
  im->own.weightless += weightless;
  return weightless ? th_row_assignment_weightless(assignment, before)
                    : th_row_assignment_row(assignment, row);
}

th_status th_import_parse_keep(struct th_importing *im,
                               const struct th_text_row *row, int64_t stored,
                               bool weightless, struct th_error *err)
{
  const struct th_row_assignment *assignment = &im->assignment;
  int64_t bucket = th_row_assignment_bin_of(assignment, stored);
  uint32_t in_bin =
      (uint32_t)(stored - th_row_assignment_bin(assignment, bucket).first);
  th_status rc = keep_labels(im, row, stored, err);
  if (rc != TH_OK)
    return rc;
  im->own.count++;
  im->nonzeros += row->nonzeros;
  im->positives += row->target == 1;
  if (row->count > 0) {
    int64_t last = row->first < 0 ? row->index[row->count - 1]
                                  : row->first + row->count - 1;
    im->attributes = last >= im->attributes ? last + 1 : im->attributes;
  }
  bool training = !weightless && stored < assignment->training;
  if (row->measured && training)
    rc = th_text_row_rounding_see(&im->rounding, row, err);
  if (rc == TH_OK)
    rc = th_lacking_see(&im->text.lacking, row, training, err);
  if (im->job->files.held != NULL)
    return rc;
  if (rc == TH_OK && row->as_is && row->place >= 0)
    return th_bucket_spill_again(im->bins.own, bucket, in_bin, row->place, err);
  return rc == TH_OK
             ? th_bucket_spill_add(im->bins.own, bucket, in_bin, row, err)
             : rc;
}

/* Put the parsed example of file k where it belongs. */
static th_status keep_row(struct th_importing *im, struct parsing *parsing,
                          int64_t k, struct th_error *err)
{
  const struct th_text_row *row = &parsing->row;
  bool weightless = im->text.weighted && row->weight == 0.0;
  int64_t stored = next_stored_row(im, weightless);
  if (stored < 0)
    return th_text_changed(&im->file[k], err);
  return th_import_parse_keep(im, row, stored, weightless, err);
}

th_status th_import_parse_next(struct th_importing *im, int64_t k, int64_t end,
                               struct th_text_row *row, bool *more,
                               struct th_error *err)
{
  const struct th_importer *importer = im->format->importer;
  struct th_line line;
  th_status rc;
  do {
    TH_TRY(th_text_lines_next(&im->lines, &line, more, err));
    if (!*more)
      return rc;
    TH_TRY(th_text_row_check(&line, err));
    tell_line(im, TH_IMPORT_PARSES, k);
  } while (!line.too_long && !importer->is_example(im, k, &line));
  if (im->own.count == end)
    return th_text_changed(&im->file[k], err);
  if (line.too_long)
    return th_text_row_fail(&line, line.text + im->limits.line.bytes, err,
                            "the line is longer than %lld bytes; %s",
                            (long long)im->limits.line.bytes,
                            im->limits.line.remedy);
  rc = importer->read_line(im, k, &line, row, err);
done:
  return rc;
}

/* As many examples as were counted, or the file has changed: every example has
 * its place in the data set by then. */
static th_status parse_file(struct th_importing *im, struct parsing *parsing,
                            int64_t k, struct th_error *err)
{
  int64_t end = im->own.count + im->share.counted[k];
  bool more = true;
  th_status rc = TH_OK;
  th_text_lines_begin(&im->lines, &im->file[k], im->share.range[k],
                      im->limits.line.bytes, im->share.line[k]);
  while (true) {
    parsing->row.measured =
        im->type == TH_F32 &&
        th_text_row_rounding_wants(im->before.rows + im->own.count);
    TH_TRY(im->format->importer->next(im, k, end, &parsing->row, &more, err));
    if (!more)
      break;
    TH_TRY(keep_row(im, parsing, k, err));
  }
  if (im->own.count < end)
    return th_text_changed(&im->file[k], err);
done:
  return rc;
}

/* --- All that a rank parses ----------------------------------------------- */

/* The classes that --like's data set knows of, for the rows to look out for. */
static th_status list_known(const struct th_importing *im,
                            struct parsing *parsing, struct th_error *err)
{
  const struct th_origin *like = &im->like.origin;
  th_status rc = TH_NEW(&parsing->known, like->classes, "classes", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t k = 0; k < like->classes; k++)
    parsing->known[k] = th_text_row_class_named(like->class_name[k]);
  parsing->row.known = parsing->known;
  parsing->row.known_count = like->classes;
  return TH_OK;
}

static th_status parse_own(struct th_importing *im, struct parsing *parsing,
                           struct th_error *err)
{
  th_status rc = TH_OK;
  parsing->row.type = im->type;
  parsing->row.unseen = &im->text.occur.unseen;
  TH_TRY(list_known(im, parsing, err));
  for (int64_t k = 0; k < im->files; k++) {
    TH_TRY(parse_file(im, parsing, k, err));
  }
  if (im->before.old.on)
    rc = th_import_append_parse(im, &parsing->row, err);
done:
  return rc;
}

/* The most bytes that the records of a thread's text can take: two bytes of
 * text make a row of one value. */
static int64_t most_records(const struct th_importing *im)
{
  const int64_t of_a_byte = 40;
  const struct th_given_matrix *given = im->job->files.given;
  int64_t bytes =
      im->before.old.reads ? im->before.old.bytes / of_a_byte + 1 : 0;
  if (given != NULL) /* whose ranges are rows, each with a record's head */
    bytes += th_given_bytes(given) + given->rows;
  for (int64_t k = 0; k < im->files; k++)
    bytes += th_range_count(im->share.range[k]);
  return bytes < INT64_MAX / of_a_byte ? of_a_byte * bytes : INT64_MAX;
}

th_status th_import_parse_make_bins(struct th_importing *im, int threads,
                                    struct th_error *err)
{
  struct th_import_bins *bins = &im->bins;
  th_status rc = TH_NEW(&bins->all, threads, "threads", err);
  for (int t = 0; rc == TH_OK && t < threads; t++) {
    struct th_importing *one = t == 0 ? im : &bins->other[t - 1].im;
    rc = th_bucket_spill_create(
        &one->bins.own, im->job->output, im->assignment.bins,
        im->job->memory / 2 / threads, im->type, most_records(one), err);
    if (rc == TH_OK)
      bins->all[bins->count++] = one->bins.own;
  }
  return rc;
}

/* What only all examples together can show. */
static th_status check_parsed(const struct th_importing *im,
                              const struct parsing *parsing, bool knows,
                              struct th_error *err)
{
  if (im->attributes == 0)
    return th_fail(err, TH_EDATA,
                   "%s:1:1: no example has an attribute; say how many there "
                   "are with {attributes}",
                   im->file[0].name);
  if (im->class.name != NULL && im->job->like == NULL && im->positives == 0)
    return th_fail(err, TH_EDATA,
                   "%s:1:1: no example has the target '%s', the first has "
                   "'%s'; name a class that occurs with {positive-class}",
                   im->file[0].name, im->class.name, parsing->row.other_class);
  if (im->class.name != NULL && !im->text.unlabelled && !knows &&
      im->like.origin.classes > 0)
    return th_import_no_class(im, parsing->row.other_class, err);
  return TH_OK;
}

/* The sums of what all ranks have parsed; rc: of this one's parsing. A file
 * that has changed is the reason of all other failures. Collective. */
static th_status sum_parsed(struct th_importing *im, struct th_text_row *row,
                            th_status rc, struct th_error *err)
{
  struct th_lacking *lacking = &im->text.lacking;
  enum { SUMS = 5 };
  int64_t sums[SUMS + 1] = {im->nonzeros, im->positives,
                            row->left_out + im->text.occur.left_out,
                            lacking->values, lacking->aside};
  if (rc == TH_OK)
    rc = th_text_files_check(&im->texts, err);
  rc = th_comm_sum_agree(im->comm, sums, SUMS, rc, err);
  if (rc != TH_OK)
    return th_text_files_unchanged(&im->texts, im->comm, rc, err);
  im->nonzeros = sums[0];
  im->positives = sums[1];
  im->text.left_out = sums[2];
  lacking->values = sums[3];
  lacking->aside = sums[4];
  return TH_OK;
}

/* The lengths of the lists of all ranks; and the first target of another class,
 * in the order of the text. Collective. */
static void share_lengths(struct th_importing *im, struct parsing *parsing)
{
  struct th_comm *comm = im->comm;
  struct th_text_row *row = &parsing->row;
  int64_t most[3] = {im->attributes, im->rounding.attributes,
                     row->other_class[0] != '\0' ? comm->size - comm->rank : 0};
  comm->ops->max_i64(comm, most, 3);
  im->attributes = most[0];
  parsing->rounded = most[1];
  if (most[2] > 0)
    comm->ops->bcast(comm, row->other_class, sizeof row->other_class,
                     comm->size - (int)most[2]);
}

/* rc: of this rank's parsing. Collective. */
static th_status share_parsed(struct th_importing *im, struct parsing *parsing,
                              th_status rc, struct th_error *err)
{
  TH_TRY(sum_parsed(im, &parsing->row, rc, err));
  share_lengths(im, parsing);
  im->others = parsing->row.others;
  if (im->class.name != NULL)
    rc = th_text_row_class_set_join(&im->others, &parsing->row.knows, im->comm,
                                    err);
done:
  return rc;
}

/* What is known of each attribute: of how many values were rounded, and what
 * lacks. Collective. */
static th_status share_lists(struct th_importing *im, int64_t rounded,
                             struct th_error *err)
{
  struct th_lacking *lacking = &im->text.lacking;
  if (rounded == 0 && lacking->values == 0)
    return TH_OK;
  th_status rc = th_text_row_rounding_reserve(&im->rounding, rounded, err);
  if (rc == TH_OK)
    rc = th_lacking_reserve(lacking, im->attributes, err);
  TH_TRY(th_agree(im->comm, rc, err));
  th_text_row_rounding_join(&im->rounding, im->comm);
  th_lacking_sum(lacking, im->attributes, im->comm);
done:
  return rc;
}

/* How many examples each class has: of the first ones by name. */
static void tell_classes(const struct th_importing *im)
{
  enum { SHOWN = 8 };
  const struct th_class_set *others = &im->others;
  int64_t shown = others->more            ? 0
                  : others->count < SHOWN ? others->count
                                          : SHOWN;
  int64_t rest = im->assignment.examples - im->positives;
  char text[SHOWN * (TH_CLASS_ROOM + 32)] = "";
  size_t used = 0;
  for (int64_t k = 0; k < shown; k++) {
    used += (size_t)snprintf(text + used, sizeof text - used, "'%s' %lld, ",
                             others->name[k], (long long)others->times[k]);
    rest -= others->times[k];
  }
  th_import_notice(im, "positive: '%.60s', %lld of %lld examples",
                   im->class.name, (long long)im->positives,
                   (long long)im->assignment.examples);
  if (shown == others->count && !others->more)
    th_import_notice(im, "negative: %.*s", used > 2 ? (int)used - 2 : 4,
                     used > 2 ? text : "none");
  else
    th_import_notice(im, "negative: %s%lld of other classes", text,
                     (long long)rest);
}

th_status th_import_parse(struct th_importing *im, struct th_error *err)
{
  struct parsing parsing = {0};
  th_status rc = share_parsed(im, &parsing, parse_own(im, &parsing, err), err);
  if (rc == TH_OK)
    rc = check_parsed(im, &parsing, parsing.row.knows, err);
  if (rc == TH_OK)
    rc = share_lists(im, parsing.rounded, err);
  if (rc == TH_OK && im->format->importer->check != NULL)
    rc = im->format->importer->check(im, err);
  if (rc == TH_OK && im->assignment.weightless > 0)
    th_import_notice(im,
                     "weights:  %lld of %lld examples have weight 0, and are "
                     "neither trained on nor tested",
                     (long long)im->assignment.weightless,
                     (long long)im->assignment.examples);
  if (rc == TH_OK && im->class.name != NULL && !im->text.unlabelled &&
      !im->before.old.on)
    tell_classes(im);
  free(parsing.known);
  th_text_row_free(&parsing.row);
  return rc;
}

/* --- Counting and parsing on several threads, each as if it were a rank */

enum {
  TEXT_EACH = 4 << 20,  /* bytes of text that are worth a thread */
  MEMORY_EACH = 4 << 20 /* bytes that it takes beside its records, about */
};

/* Half of the memory is for their records. */
static int parser_threads(const struct th_importing *im)
{
  if (im->format->importer->alone || im->job->files.held != NULL)
    return 1;
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
  im->share = (struct th_import_share){.inputs = first->share.inputs};
  im->examples = NULL;
  im->state = NULL;
  im->lines = (struct th_text_lines){0};
  im->own = (struct th_import_rows){0};
  im->before.old.reads = false;
  im->before.old.data = NULL;
  im->bins = (struct th_import_bins){0};
  im->rounding = (struct th_rounding){0};
  im->text.lacking = (struct th_lacking){0};
  im->text.occur = (struct th_import_indices){0};
  TH_TRY(th_import_open_reserve_files(im, err));
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
  th_text_ids_free(&im->own.ids);
  th_text_row_rounding_free(&im->rounding);
  th_lacking_free(&im->text.lacking);
  th_import_indices_free(&im->text.occur);
  th_row_assignment_free(&im->assignment);
}

void th_import_parse_free_threads(struct th_importing *im)
{
  for (int t = 0; t < im->bins.others; t++)
    end_thread(&im->bins.other[t]);
  TH_FREE(im->bins.other, im->bins.all);
  im->bins.other = NULL;
  im->bins.others = 0;
}

static th_status begin_parsers(struct th_importing *im, int others,
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
  const struct th_importing *leader; /* the first thread of this rank */
  struct th_comm *ranks;             /* that are no threads */
  bool first;
};

/* While the first threads work, the others wait, and leave the ranks to them.
 * rc: how this thread's work has gone so far. Collective over all threads; the
 * status is this thread's own. */
static th_status find_numbers(const struct reading *reading,
                              struct th_comm *comm, th_status rc,
                              struct th_error *err)
{
  struct th_importing *im = reading->im;
  const struct th_import_numbering *how = im->format->importer->numbering;
  if (how == NULL)
    return rc;
  rc = how->collect(im, rc, err);
  if (rc == TH_OK && reading->first) {
    im->comm = reading->ranks;
    rc = how->number(im, err);
    im->comm = comm;
  }
  if (comm->size > reading->ranks->size) /* threads wait for it */
    rc = th_agree(comm, rc, err);
  if (rc == TH_OK && !reading->first)
    how->adopt(im, reading->leader);
  return rc;
}

static th_status parse_part(struct th_comm *comm, void *self,
                            struct th_error *err)
{
  struct reading *reading = self;
  struct th_importing *im = reading->im;
  th_status rc = TH_OK;
  im->comm = comm;
  TH_TRY(th_import_parse_divide(im, err));
  rc = th_import_parse_assign(im, err);
  rc = find_numbers(reading, comm, rc, err);
  if (rc == TH_OK && reading->first && im->job->files.held == NULL)
    rc = th_import_parse_make_bins(im, comm->size / reading->ranks->size, err);
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
  for (int t = 0; t < im->bins.others; t++)
    TH_TRY(th_text_ids_join(&own->ids, &im->bins.other[t].im.own.ids, err));
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

th_status th_import_parse_all(struct th_importing *im, struct th_error *err)
{
  struct th_comm *comm = im->comm;
  int threads = parser_threads(im);
  struct reading *reading = NULL;
  int made = 1;
  th_status rc = begin_parsers(im, threads - 1, err);
  if (rc == TH_OK)
    rc = TH_NEW(&reading, threads, "threads", err);
  TH_TRY(th_agree(comm, rc, err));
  for (int t = 0; t < threads; t++) {
    reading[t].im = t == 0 ? im : &im->bins.other[t - 1].im;
    reading[t].leader = im;
    reading[t].ranks = comm;
    reading[t].first = t == 0;
  }
  rc = th_team_run(comm, threads, parse_part, reading, sizeof *reading, &made,
                   err);
  im->comm = comm;
  TH_TRY(rc);
  TH_TRY(th_agree(comm, join_rows(im, err), err));
done:
  free(reading);
  return rc;
}
