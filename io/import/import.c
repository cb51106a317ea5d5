/* import.c - text files and arrays to data sets: the job from end to end
 * SPDX-License-Identifier: MIT */
#include "io/import/import.h"

#include "base/memory.h"
#include "base/search.h"
#include "io/dataset/origin_file.h"
#include "io/dataset/writer/writer.h"
#include "io/import/import_job.h"
#include "io/import/text/groups_file.h"
#include "ranks/partition.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- How far an import is, for who watches it ----------------------------- */

/* Shares of the time that steps take, about: those of LIBSVM text with 60
 * of 60,000 attributes a row. */
static const struct step {
  const char *name;
  double share;
} steps[] = {
    [TH_IMPORT_UNPACKS] = {"unpacking", 40},
    [TH_IMPORT_COUNTS] = {"counting examples", 5},
    [TH_IMPORT_PARSES] = {"reading text", 45},
    [TH_IMPORT_WRITES] = {"writing", 50},
};

static double whole_fraction(const struct th_importing *im,
                             enum th_import_step step, double share)
{
  double done = 0;
  double all = 0;
  for (int k = im->shown.unpacked ? 0 : TH_IMPORT_COUNTS; k <= TH_IMPORT_WRITES;
       k++) {
    all += steps[k].share;
    done += (k < (int)step ? 1 : k == (int)step ? share : 0) * steps[k].share;
  }
  return done / all;
}

void th_import_tell(const struct th_importing *im, enum th_import_step step,
                    int64_t done, int64_t total)
{
  const struct th_import_monitor *monitor = im->job->monitor;
  if (monitor == NULL || monitor->progress == NULL || total <= 0)
    return;
  double share = (double)(done < total ? done : total) / (double)total;
  struct th_import_progress progress = {
      .step = steps[step].name, .fraction = whole_fraction(im, step, share)};
  if (step != TH_IMPORT_WRITES) {
    progress.total =
        step == TH_IMPORT_UNPACKS ? im->shown.file_bytes : im->text_bytes;
    progress.bytes = (int64_t)(share * (double)progress.total);
  }
  monitor->progress(monitor->self, &progress);
}

void th_import_notice(const struct th_importing *im, const char *format, ...)
{
  const struct th_import_monitor *monitor = im->job->monitor;
  char text[TH_ERROR_TEXT];
  if (monitor == NULL || monitor->notice == NULL || im->shown.quiet)
    return;
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  monitor->notice(monitor->self, text);
}

/* --- Attributes of little use: constants, and those that rounding has
 * spoilt */

struct judged {
  int64_t constant;
  int64_t rounded;
  int64_t first; /* of the rounded ones */
};

/* One that is constant since it was rounded counts as rounded. */
static void judge(const struct th_importing *im, int64_t attribute,
                  const struct th_statistics *statistics, struct judged *judged)
{
  const struct th_lacking *lacking = &im->text.lacking;
  if (lacking->dropped != NULL && lacking->dropped[attribute])
    return; /* it was said */
  if (th_text_row_rounding_notable(&im->rounding,
                                   th_lacking_before(lacking, attribute),
                                   statistics->deviation)) {
    judged->first = judged->rounded++ == 0 ? attribute : judged->first;
    return;
  }
  judged->constant += statistics->lowest == statistics->highest;
}

/* This rank's share of the attributes. Local. */
static th_status judge_own(const struct th_importing *im,
                           struct th_dataset *dataset, struct judged *judged,
                           struct th_error *err)
{
  enum { PART = 4096 };
  struct th_store *store = th_dataset_store(dataset);
  struct th_statistics *part = NULL;
  struct th_range mine = th_partition_rank(store->shape.attributes,
                                           im->comm->rank, im->comm->size);
  th_status rc = TH_NEW(&part, PART, "statistics", err);
  for (int64_t a = mine.first; rc == TH_OK && a < mine.last; a += PART) {
    struct th_range some =
        th_range_intersect(mine, (struct th_range){a, a + PART});
    rc = store->ops->statistics(store, some, part, err);
    for (int64_t k = 0; rc == TH_OK && k < th_range_count(some); k++)
      judge(im, a + k, &part[k], judged);
  }
  free(part);
  return rc;
}

/* How the text calls an attribute. */
static void attribute_as_named(const struct th_importing *im, int64_t attribute,
                               char text[TH_IMPORT_CALLED])
{
  if (im->names != NULL)
    snprintf(text, TH_IMPORT_CALLED, "'%.60s'", im->names[attribute]);
  else
    im->format->importer->call(im, attribute, text);
}

static void tell_rounded(const struct th_importing *im, int64_t rounded,
                         int64_t first)
{
  char text[TH_IMPORT_CALLED];
  if (rounded == 0)
    return;
  attribute_as_named(im, first, text);
  th_import_notice(im,
                   "note:     %lld attribute%s %s digits that matter as f32, "
                   "first %s; {type} f64 keeps them",
                   (long long)rounded, rounded == 1 ? "" : "s",
                   rounded == 1 ? "loses" : "lose", text);
}

/* Look at the attributes of the data set that was written: the result receives
 * how many are the same in all training examples, and how many values are not
 * 0; attributes that lose by their type are said. Collective. */
static th_status import_judge(const struct th_importing *im,
                              struct th_import_result *result,
                              struct th_error *err)
{
  struct th_dataset *dataset = NULL;
  struct judged judged = {.first = INT64_MAX};
  th_status rc = th_dataset_open(&dataset, im->comm, im->job->output, 0, err);
  if (rc != TH_OK)
    return rc;
  rc = judge_own(im, dataset, &judged, err);
  result->shape = th_dataset_store(dataset)->shape;
  result->nonzeros = result->shape.nonzeros;
  result->fingerprint = th_dataset_store(dataset)->fingerprint;
  result->shards = th_dataset_shards(dataset);
  th_dataset_close(dataset);
  int64_t sums[3] = {judged.constant, judged.rounded};
  rc = th_comm_sum_agree(im->comm, sums, 2, rc, err);
  if (rc != TH_OK)
    return rc;
  int64_t first = -judged.first; /* the lowest of all ranks */
  if (sums[1] > 0)
    im->comm->ops->max_i64(im->comm, &first, 1);
  tell_rounded(im, sums[1], -first);
  result->constant_attributes = sums[0];
  return TH_OK;
}

/* Attributes of one name: other data like these, and predictions, go by names
 * and would not know which is which. Local. */
static th_status tell_twins(const struct th_importing *im, struct th_error *err)
{
  const char **sorted = NULL;
  const char *first = NULL;
  int64_t twins = 0;
  const struct th_import_monitor *monitor = im->job->monitor;
  if (im->names == NULL || monitor == NULL || monitor->notice == NULL ||
      im->job->like != NULL)
    return TH_OK;
  th_status rc = TH_NEW(&sorted, im->attributes, "names of attributes", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t a = 0; a < im->attributes; a++)
    sorted[a] = im->names[a];
  qsort(sorted, (size_t)im->attributes, sizeof *sorted,
        th_search_compare_texts);
  for (int64_t a = 1; a < im->attributes; a++) {
    if (strcmp(sorted[a], sorted[a - 1]) != 0)
      continue;
    first = twins++ == 0 ? sorted[a] : first;
  }
  if (twins > 0)
    th_import_notice(
        im,
        "note:     %lld attribute%s the name of another one, "
        "first '%.60s': {like} and predict will refuse other data; "
        "give each its own name",
        (long long)twins, twins == 1 ? " has" : "s have", first);
  free(sorted);
  return TH_OK;
}

/* --- The job -------------------------------------------------------------- */

static const struct th_importer_row importers[] = {
    {"auto", "by the first line of the first file", NULL},
    {"libsvm", "LIBSVM text: label index:value ...", &th_import_libsvm},
    {"csv",
     "values between commas, semicolons or tabs, with or without a header",
     &th_import_csv},
    {"npy", "an array of NumPy", &th_import_npy},
    {"npz", "arrays of NumPy, or a sparse matrix of SciPy", &th_import_npz},
    {"hdf5", "a matrix in HDF5: a data set, a sparse group, AnnData",
     &th_import_hdf5},
    {"mtx", "a matrix of Matrix Market", &th_import_mtx},
    {"bed", "genotypes of PLINK 1: .bed, with .bim and .fam beside it",
     &th_import_bed},
    {NULL, NULL, NULL},
};

const struct th_importer_row *th_import_table(void)
{
  return importers;
}

/* The command line has checked all of it; a caller of the library may not
 * have. */
static th_status check_job(const struct th_import *job, struct th_error *err)
{
  if (job->input_count < 1 && job->files.list == NULL &&
      job->files.given == NULL)
    return th_fail(err, TH_EUSAGE, "nothing to import; name a file");
  if (!(job->order.test_fraction >= 0.0 && job->order.test_fraction < 1.0))
    return th_fail(err, TH_EUSAGE, "test fraction %g, expected 0 <= F < 1",
                   job->order.test_fraction);
  if (job->order.test_fraction > 0.0 && job->files.test != NULL)
    return th_fail(err, TH_EUSAGE,
                   "test examples by fraction or by file, not both");
  if (job->id.column != NULL && job->id.file != NULL)
    return th_fail(err, TH_EUSAGE,
                   "IDs by a column, {id}, or by a file, {ids}, not both");
  if (job->attributes < 0 || job->attributes > TH_TEXT_ATTRIBUTES)
    return th_fail(err, TH_EUSAGE, "%lld attributes, expected at most %lld",
                   (long long)job->attributes, (long long)TH_TEXT_ATTRIBUTES);
  if (job->max_line < 1 || job->memory < 1 || job->row_group < 0 ||
      job->shards < 0 || job->type >= TH_TYPE_COUNT)
    return th_fail(err, TH_EUSAGE,
                   "max_line, memory, row_group, shards or type out of range");
  return TH_OK;
}

/* Fail before hours of reading where the output could not be written anyway.
 * The writer claims it for good. Local. */
static th_status check_output(const struct th_import *job,
                              const struct th_comm *comm, struct th_error *err)
{
  return comm->rank == 0 && job->files.held == NULL
             ? th_writer_check(job->output, job->force, err)
             : TH_OK;
}

/* Now that the attributes are known; before shards are written. A file goes by
 * the numbers before some were left out. Local. */
static th_status read_groups_file(struct th_importing *im, struct th_error *err)
{
  th_status rc = TH_OK;
  if (im->comm->rank == 0 && im->job->groups != NULL)
    rc = th_groups_file_whole(im->job->groups, im->job->output, im->attributes,
                              im->text.index != NULL ? im->text.index
                                                     : im->text.lacking.kept,
                              &im->groups.piece, &im->groups.pieces, err);
  else if (im->comm->rank == 0 && im->format->importer->later.groups != NULL)
    rc = im->format->importer->later.groups(im, err);
  return rc;
}

/* Now that examples are counted; before shards are written. Local. */
static th_status read_ids_file(struct th_importing *im, struct th_error *err)
{
  th_status rc = TH_OK;
  im->text.listed = im->text.listed || im->job->id.file != NULL;
  if (im->comm->rank == 0 && im->job->id.file != NULL)
    rc = th_text_ids_read(&im->own.ids, im->job->id.file, im->job->output,
                          im->assignment.examples, err);
  return rc;
}

/* What is known of all examples when they have been parsed, and what is read
 * beside them. Collective where values were left out, and where a data set is
 * appended to; the status is this rank's own. */
static th_status know_all(struct th_importing *im, struct th_error *err)
{
  th_status rc = TH_OK;
  TH_TRY(th_import_indices_tell_unseen(im, err));
  rc = th_import_lacking(im, err);
  if (rc == TH_OK)
    rc = tell_twins(im, err);
  if (im->before.old.on) {
    if (rc == TH_OK && im->listed.examples == 0)
      rc = th_import_append_number(im, err);
    TH_TRY(th_agree(im->comm, rc, err));
    TH_TRY(th_import_append_groups(im, err));
  } else if (rc == TH_OK)
    rc = read_groups_file(im, err);
  if (rc == TH_OK)
    rc = read_ids_file(im, err);
done:
  return rc;
}

/* --- The three steps of an import; all are collective --------------------- */

typedef th_status import_step(struct th_importing *im, struct th_error *err);

static th_status step_open(struct th_importing *im, struct th_error *err)
{
  th_status rc = TH_OK;
  if (!im->job->append)
    rc = check_output(im->job, im->comm, err);
  TH_TRY(th_import_open(im, rc, err));
  im->shown.quiet = false;
  if (im->job->append)
    TH_TRY(th_agree(im->comm, th_import_append_check(im, err), err));
  if (im->format->importer->learn != NULL)
    rc = im->format->importer->learn(im, err);
done:
  return rc;
}

static th_status step_parse(struct th_importing *im, struct th_error *err)
{
  return im->listed.examples > 0 ? th_import_columns_place(im, err)
                                 : th_import_parse_all(im, err);
}

static th_status step_write(struct th_importing *im, struct th_error *err)
{
  th_status rc = know_all(im, err);
  if (im->listed.examples == 0) /* else its values are read while it writes */
    th_import_append_close(&im->before.old);
  TH_TRY(th_import_write(im, rc, err));
  th_import_append_close(&im->before.old);
done:
  return rc;
}

static th_status measured(struct th_importing *im, import_step *step,
                          enum th_phase phase, struct th_error *err)
{
  const struct th_import_monitor *monitor = im->job->monitor;
  struct th_profile *profile = monitor != NULL ? monitor->profile : NULL;
  if (profile != NULL)
    th_comm_profile_begin(profile);
  th_status rc = step(im, err);
  if (profile != NULL)
    th_comm_profile_end(profile, phase);
  return rc;
}

/* TH_EAGAIN where later rows have other kinds of fields than the first ones;
 * the inputs are then kept, as pipes are read but once, and this is called
 * again with them. Collective. */
static th_status import_once(const struct th_import *job, struct th_comm *comm,
                             struct th_inputs *kept,
                             struct th_import_result *result,
                             struct th_error *err)
{
  bool again = kept->count > 0;
  struct th_import own = *job;
  struct th_importing im = {.job = &own,
                            .comm = comm,
                            .share.inputs = *kept,
                            .text.again = again,
                            .shown.quiet = again};
  th_status rc = TH_OK;
  *kept = (struct th_inputs){0};
  own.force = job->force || job->append;
  if (job->append) {
    TH_TRY(th_agree(comm, check_output(&own, comm, err), err));
    TH_TRY(th_import_append_open(&im.before.old, &own, comm, err));
  }
  TH_TRY(measured(&im, step_open, TH_PHASE_OPEN, err));
  TH_TRY(measured(&im, step_parse, TH_PHASE_PARSE, err));
  TH_TRY(measured(&im, step_write, TH_PHASE_WRITE, err));
  *result = (struct th_import_result){
      .examples = im.assignment.examples,
      .test_examples = im.assignment.examples - im.assignment.weightless -
                       im.assignment.training,
      .attributes = im.attributes,
      .unlabelled = im.text.unlabelled,
      .text = !im.format->importer->binary,
      .text_bytes = im.text_bytes};
  if (job->files.held == NULL)
    rc = import_judge(&im, result, err);
  if (job->like != NULL) /* it was trained on other data */
    result->constant_attributes = 0;
done:
  if (rc == TH_EAGAIN) {
    *kept = im.share.inputs;
    im.share.inputs = (struct th_inputs){0};
  }
  th_import_append_free(&im.before.old);
  th_import_open_close(&im);
  return rc;
}

th_status th_import_run(const struct th_import *job, struct th_comm *comm,
                        struct th_import_result *result, struct th_error *err)
{
  double began = th_comm_clock();
  struct th_inputs kept = {0};
  th_status rc = check_job(job, err);
  if (rc == TH_OK)
    rc = import_once(job, comm, &kept, result, err);
  if (rc == TH_EAGAIN) {
    th_error_clear(err);
    rc = import_once(job, comm, &kept, result, err);
  }
  th_inputs_free(&kept);
  result->seconds = th_comm_clock() - began;
  return rc;
}

th_status th_import_mixed(const struct th_importing *im, int64_t labelled,
                          int64_t unlabelled, struct th_error *err)
{
  return th_fail(err, TH_EDATA,
                 "%s has a target and %s has none; import them apart",
                 im->file[labelled].name, im->file[unlabelled].name);
}

th_status th_import_mixed_weights(const struct th_importing *im,
                                  int64_t weighted, int64_t unweighted,
                                  struct th_error *err)
{
  return th_fail(err, TH_EDATA,
                 "%s has weights and %s has none; import them apart",
                 im->file[weighted].name, im->file[unweighted].name);
}

th_status th_import_mixed_ids(const struct th_importing *im, int64_t named,
                              int64_t unnamed, struct th_error *err)
{
  return th_fail(
      err, TH_EDATA,
      "%s has IDs of examples and %s has none; add them, leave their "
      "column out with {ignore}, or read IDs from a file by {ids}",
      im->file[named].name, im->file[unnamed].name);
}

th_status th_import_no_class(const struct th_importing *im, const char *first,
                             struct th_error *err)
{
  const struct th_origin *like = &im->like.origin;
  return th_fail(err, TH_EDATA,
                 "%s:1:1: no target is one of the classes of %s, '%.60s', "
                 "'%.60s'%s, the first is '%s'; name the column of the classes "
                 "with {target}, or leave out what is no attribute with "
                 "{ignore}",
                 im->file[0].name, im->job->like, im->class.name,
                 like->class_name[0], like->classes > 1 ? ",.." : "", first);
}
