/* import.c - text files to data sets: the job from end to end
 * SPDX-License-Identifier: MIT */
#include "io/import/import.h"

#include "base/memory.h"
#include "io/dataset/origin_file.h"
#include "io/dataset/writer/writer.h"
#include "io/import/groups_file.h"
#include "io/import/import_job.h"
#include "ranks/partition.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- What an import takes over from another data set, or from a model ----- */

static th_status like_data(struct th_like *like, struct th_dataset *dataset,
                           struct th_error *err)
{
  const struct th_shape *shape = &th_dataset_store(dataset)->shape;
  th_status rc = TH_OK;
  like->attributes = shape->attributes;
  like->layout = (int)shape->layout;
  like->type = shape->type;
  TH_TRY(th_dataset_names(dataset, &like->names, err));
  TH_TRY(th_origin_file_copy(&like->origin, th_dataset_origin(dataset), err));
done:
  return rc;
}

static th_status open_like(struct th_importing *im, struct th_error *err)
{
  struct th_dataset *dataset = NULL;
  th_status rc = th_dataset_open(&dataset, im->comm, im->job->like, 0, err);
  if (rc != TH_OK)
    return rc;
  rc = th_agree(im->comm, like_data(&im->like, dataset, err), err);
  th_dataset_close(dataset);
  return rc;
}

/* Of a model only the support has names; it does not say how its data were laid
 * out. Local. */
static th_status like_model(struct th_like *like, const struct th_model *model,
                            const char *path, struct th_error *err)
{
  int type = model->type == NULL ? -1 : th_type_find(model->type);
  if (model->support_size == 0)
    return th_fail(err, TH_EDATA,
                   "%s uses no attribute: its prediction is %.17g for every "
                   "example; import with {like} a data set",
                   path, model->intercept);
  like->attributes = model->attributes;
  like->layout = -1;
  like->type = type < 0 ? TH_F32 : (enum th_type)type;
  like->support = model->name;
  like->support_size = model->support_size;
  return th_origin_file_copy(&like->origin, &model->origin, err);
}

th_status th_import_read_like(struct th_importing *im, struct th_error *err)
{
  const struct th_import *job = im->job;
  th_status rc = TH_OK;
  im->like.type = TH_F32;
  if (job->like != NULL && job->model != NULL)
    rc = th_agree(im->comm, like_model(&im->like, job->model, job->like, err),
                  err);
  else if (job->like != NULL)
    rc = open_like(im, err);
  if (rc != TH_OK)
    return rc;
  im->type = job->type >= 0 ? (enum th_type)job->type : im->like.type;
  enum th_layout layout = job->layout == TH_SPARSE ? TH_SPARSE : TH_DENSE;
  return th_type_allows(im->type, layout, job->row_group, err);
}

void th_import_free_like(struct th_like *like)
{
  free(like->names);
  th_origin_free(&like->origin);
  *like = (struct th_like){0};
}

/* --- What the user says of text that is imported like other text must not
 * contradict what is known of that */

/* What an option says, and what it says of the other text. */
struct told {
  const char *option;
  const char *mine;   /* NULL: nothing was said */
  const char *theirs; /* NULL: nothing is known */
};

static const char *yes_or_no(enum th_fact fact)
{
  return fact == TH_FACT_UNKNOWN ? NULL : fact == TH_FACT_YES ? "yes" : "no";
}

static const char *said_header(enum th_header header)
{
  return header == TH_HEADER_AUTO  ? NULL
         : header == TH_HEADER_YES ? "yes"
                                   : "no";
}

static th_status refuse_contradiction(const struct th_importing *im,
                                      const struct told *told,
                                      struct th_error *err)
{
  return th_fail(err, TH_EUSAGE,
                 "{%s} %s contradicts %s, where it is %s; that is taken over, "
                 "so leave the option out, or write the text as that one was",
                 told->option, told->mine, im->job->like, told->theirs);
}

/* Text of another format may be told so: its attributes go by their numbers.
 * Weights may be added to the labels, but not denied. */
th_status th_import_check_told(const struct th_importing *im,
                               struct th_error *err)
{
  const struct th_import *job = im->job;
  const struct th_origin *origin = &im->like.origin;
  bool plain = job->labels == TH_LABELS_PLAIN;
  const struct told all[] = {
      {"format", strcmp(job->format, "auto") == 0 ? NULL : job->format,
       origin->format},
      {"header", said_header(job->header), yes_or_no(origin->header)},
      {"zero-based", yes_or_no(job->zero_based), yes_or_no(origin->zero_based)},
      {"labels", plain ? "plain" : NULL,
       origin->label_weights == TH_FACT_YES ? "weighted" : NULL}};
  if (job->like == NULL)
    return TH_OK;
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    if (all[k].mine != NULL && all[k].theirs != NULL &&
        strcmp(all[k].mine, all[k].theirs) != 0)
      return refuse_contradiction(im, &all[k], err);
  return TH_OK;
}

/* --- What the master remembers of the text; classes that are known from
 * other data */

/* Classes are remembered where all of them are known. */
static void list_classes(struct th_importing *im, struct th_origin *origin,
                         char *class_name[TH_CLASSES_KEPT])
{
  const struct th_origin *like = &im->like.origin;
  if (im->class.name == NULL || im->text.unlabelled ||
      (im->job->like != NULL && like->classes == 0))
    return;
  for (int64_t k = 0; k < like->classes; k++)
    th_text_row_class_set_add(&im->others, like->class_name[k],
                              (int64_t)strlen(like->class_name[k]), 0);
  if (im->others.more)
    return;
  for (int64_t k = 0; k < im->others.count; k++)
    class_name[k] = im->others.name[k];
  origin->class_name = class_name;
  origin->classes = im->others.count;
}

/* Distinct targets in ascending order, where they are few, and whether all are
 * whole. */
static void list_labels(const double *target, int64_t count,
                        struct th_origin *origin,
                        double label[TH_ORIGIN_LABELS])
{
  int64_t kept = 0;
  origin->whole_targets = TH_FACT_YES;
  for (int64_t i = 0; i < count; i++) {
    if (target[i] != floor(target[i]))
      origin->whole_targets = TH_FACT_NO;
    int64_t at = 0;
    while (at < kept && label[at] < target[i])
      at++;
    if (kept < 0 || (at < kept && label[at] == target[i]))
      continue;
    if (kept == TH_ORIGIN_LABELS) {
      kept = -1; /* too many */
      continue;
    }
    memmove(label + at + 1, label + at, (size_t)(kept - at) * sizeof *label);
    label[at] = target[i];
    kept++;
  }
  origin->label = label;
  origin->labels = kept > 0 ? kept : 0;
}

/* Text without a target is like the other one, which says what is its target,
 * what was left out, and so on; it adds what is not known of that. */
static void inherit_origin(const struct th_origin *like,
                           const struct th_origin *own, struct th_origin *found)
{
  *found = *like;
  found->format = like->format == NULL ? own->format : like->format;
  found->decimal = like->decimal == '\0' ? own->decimal : like->decimal;
  if (like->zero_based == TH_FACT_UNKNOWN)
    found->zero_based = own->zero_based;
  if (like->header == TH_FACT_UNKNOWN)
    found->header = own->header;
  if (like->separator == '\0')
    found->separator = own->separator;
  if (like->columns > 0)
    return;
  found->columns = own->columns;
  found->target = own->target;
  found->weight = own->weight;
  found->others = own->others;
  found->other = own->other;
  found->name = own->name;
}

/* Columns of the data of a model count among those of its text; those of its
 * support alone do not. */
static void forget_columns(struct th_origin *origin)
{
  origin->columns = 0;
  origin->target = 0;
  origin->weight = 0;
  origin->others = 0;
  origin->other = NULL;
  origin->name = NULL;
}

th_status th_import_origin(struct th_importing *im, const double *target,
                           struct th_origin *origin, struct th_error *err)
{
  char *class_name[TH_CLASSES_KEPT];
  double label[TH_ORIGIN_LABELS];
  struct th_origin like = im->like.origin;
  struct th_origin own = {.format = (char *)im->format->name, .decimal = '.'};
  struct th_origin found;
  th_status rc = TH_OK;
  *origin = (struct th_origin){0};
  if (im->format->importer->told != NULL)
    TH_TRY(im->format->importer->told(im, &own, err));
  found = own;
  if (im->text.part)
    forget_columns(&like);
  if (im->text.unlabelled)
    inherit_origin(&like, &own, &found);
  else {
    found.positive_class = (char *)im->class.name;
    found.target_name = (char *)im->text.target_name;
    list_classes(im, &found, class_name);
    if (im->class.name == NULL && target != NULL)
      list_labels(target, im->assignment.examples, &found, label);
  }
  TH_TRY(th_origin_file_copy(origin, &found, err));
done:
  TH_FREE(own.name, own.other);
  return rc;
}

/* Every rank's classes and whether a known one was met. */
struct met {
  struct th_class_set others;
  bool knows;
};

th_status th_import_join_classes(struct th_importing *im, bool *knows,
                                 struct th_error *err)
{
  struct met mine;
  struct met *all = NULL;
  int64_t *sizes = NULL;
  memset(&mine, 0, sizeof mine);
  mine.others = im->others;
  mine.knows = *knows;
  im->others = (struct th_class_set){0}; /* comes back with those of all */
  th_status rc = TH_NEW(&sizes, im->comm->size, "classes", err);
  TH_TRY(th_agree(im->comm, rc, err));
  TH_TRY(
      th_comm_gather(im->comm, &mine, sizeof mine, sizes, (void **)&all, err));
  for (int r = 0; r < im->comm->size; r++) {
    *knows = *knows || all[r].knows;
    im->others.more = im->others.more || all[r].others.more;
    for (int64_t k = 0; k < all[r].others.count; k++)
      th_text_row_class_set_add(&im->others, all[r].others.name[k],
                                (int64_t)strlen(all[r].others.name[k]),
                                all[r].others.times[k]);
  }
done:
  TH_FREE(all, sizes);
  return rc;
}

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

void th_import_tell_read(struct th_importing *im, enum th_import_step step,
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

void th_import_notice(const struct th_importing *im, const char *format, ...)
{
  const struct th_import_monitor *monitor = im->job->monitor;
  char text[TH_ERROR_TEXT];
  if (monitor == NULL || monitor->notice == NULL)
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
  if (th_text_row_rounding_notable(&im->rounding, attribute,
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

/* Look at the attributes of the data set that was written: *constant receives
 * how many are the same in all training examples; those that lose by their type
 * are said. Collective. */
static th_status import_judge(const struct th_importing *im, int64_t *constant,
                              struct th_error *err)
{
  struct th_dataset *dataset = NULL;
  struct judged judged = {.first = INT64_MAX};
  th_status rc = th_dataset_open(&dataset, im->comm, im->job->output, 0, err);
  if (rc != TH_OK)
    return rc;
  rc = judge_own(im, dataset, &judged, err);
  th_dataset_close(dataset);
  rc = th_agree(im->comm, rc, err);
  if (rc != TH_OK)
    return rc;
  int64_t sums[2] = {judged.constant, judged.rounded};
  int64_t first = -judged.first; /* the lowest of all ranks */
  im->comm->ops->sum_i64(im->comm, sums, 2);
  im->comm->ops->max_i64(im->comm, &first, 1);
  tell_rounded(im, sums[1], -first);
  *constant = sums[0];
  return TH_OK;
}

/* --- The job -------------------------------------------------------------- */

static const struct th_importer_row importers[] = {
    {"auto", "by the first line of the first file", NULL},
    {"libsvm", "LIBSVM text: label index:value ...", &th_import_libsvm},
    {"csv",
     "values between commas, semicolons or tabs, with or without a header",
     &th_import_csv},
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
  if (job->input_count < 1)
    return th_fail(err, TH_EUSAGE, "nothing to import; name a file");
  if (!(job->test_fraction >= 0.0 && job->test_fraction < 1.0))
    return th_fail(err, TH_EUSAGE, "test fraction %g, expected 0 <= F < 1",
                   job->test_fraction);
  if (job->test_fraction > 0.0 && job->test_file != NULL)
    return th_fail(err, TH_EUSAGE,
                   "test examples by fraction or by file, not both");
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
 * The writer claims it for good. */
static th_status check_output(const struct th_import *job, struct th_comm *comm,
                              struct th_error *err)
{
  th_status rc = TH_OK;
  if (comm->rank == 0)
    rc = th_writer_check(job->output, job->force, err);
  return th_agree(comm, rc, err);
}

/* Now that the attributes are known; before shards are written. Collective. */
static th_status read_groups_file(struct th_importing *im, struct th_error *err)
{
  th_status rc = TH_OK;
  if (im->comm->rank == 0 && im->job->groups != NULL)
    rc = th_groups_file_whole(im->job->groups, im->job->output, im->attributes,
                              &im->piece, &im->pieces, err);
  return th_agree(im->comm, rc, err);
}

th_status th_import_run(const struct th_import *job, struct th_comm *comm,
                        struct th_import_result *result, struct th_error *err)
{
  struct th_importing im = {.job = job, .comm = comm};
  double began = th_comm_clock();
  th_status rc = check_job(job, err);
  if (rc != TH_OK)
    return rc;
  TH_TRY(check_output(job, comm, err));
  TH_TRY(th_import_open(&im, err));
  TH_TRY(th_import_parse_all(&im, err));
  TH_TRY(read_groups_file(&im, err));
  TH_TRY(th_import_write(&im, err));
  *result = (struct th_import_result){
      .examples = im.assignment.examples,
      .test_examples = im.assignment.examples - im.assignment.weightless -
                       im.assignment.training,
      .attributes = im.attributes,
      .nonzeros = im.nonzeros,
      .unlabelled = im.text.unlabelled,
      .text_bytes = im.text_bytes};
  TH_TRY(import_judge(&im, &result->constant_attributes, err));
  result->seconds = th_comm_clock() - began;
done:
  th_import_open_close(&im);
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

th_status th_import_open_reserve_files(struct th_importing *im,
                                       struct th_error *err)
{
  const char *what = "the list of files";
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&im->share.range, im->files, what, err));
  TH_TRY(TH_NEW(&im->share.line, im->files, what, err));
  TH_TRY(TH_NEW(&im->share.counted, im->files, what, err));
  TH_TRY(TH_NEW(&im->share.weightless, im->files, what, err));
  TH_TRY(TH_NEW(&im->examples, im->files, what, err));
done:
  return rc;
}
