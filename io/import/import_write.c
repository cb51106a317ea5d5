/* import_write.c - from bins of examples to shards and master
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "base/printable.h"
#include "io/dataset/origin_file.h"
#include "io/dataset/twins.h"
#include "io/dataset/writer/writer.h"
#include "io/import/arrays/given_held.h"
#include "io/import/bins/bucket.h"
#include "io/import/bins/handoff.h"
#include "io/import/import_job.h"
#include "ranks/team.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
  if (like->missing.words == NULL)
    found->missing.words = own->missing.words;
  if (like->zero_based == TH_FACT_UNKNOWN)
    found->zero_based = own->zero_based;
  if (like->header == TH_FACT_UNKNOWN)
    found->header = own->header;
  if (like->separator == '\0')
    found->separator = own->separator;
  if (like->columns > 0)
    return;
  found->words = own->words;
  found->word = own->word;
  found->levels = own->levels;
  found->kinds = own->kinds;
  found->kind = own->kind;
  found->columns = own->columns;
  found->target = own->target;
  found->weight = own->weight;
  found->id = own->id;
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
  origin->id = 0;
  origin->others = 0;
  origin->other = NULL;
  origin->name = NULL;
}

/* What the master is to remember of the text: of the first file, or of --like's
 * text where this one has no target. target: those of all examples, or NULL.
 * Release with th_origin_free. Local. */
static th_status origin_of(struct th_importing *im, const double *target,
                           struct th_origin *origin, struct th_error *err)
{
  char *class_name[TH_CLASSES_KEPT];
  double label[TH_ORIGIN_LABELS];
  struct th_origin like = im->like.origin;
  struct th_origin own = {.format = (char *)im->format->name,
                          .decimal = im->format->importer->binary ? '\0' : '.'};
  struct th_origin found;
  th_status rc = TH_OK;
  *origin = (struct th_origin){0};
  if (!im->text.missing.refused)
    own.missing.words =
        (char *)(im->job->missing.words != NULL ? im->job->missing.words
                                                : like.missing.words);
  if (im->format->importer->told != NULL)
    TH_TRY(im->format->importer->told(im, &own, err));
  found = own;
  if (im->text.part)
    forget_columns(&like);
  if (im->before.old.on)
    found = like;
  if (im->text.unlabelled && im->job->like != NULL)
    inherit_origin(&like, &own, &found);
  else if (!im->text.unlabelled) {
    found.positive_class = (char *)im->class.name;
    found.target_name = (char *)im->text.target_name;
    list_classes(im, &found, class_name);
    if (im->class.name == NULL && target != NULL)
      list_labels(target, im->assignment.examples, &found, label);
  }
  found.indexed = im->text.indexed ? TH_FACT_YES : TH_FACT_UNKNOWN;
  TH_TRY(th_origin_file_copy(origin, &found, err));
done:
  TH_FREE(own.name, own.other, own.word, own.kind);
  return rc;
}

/* --- Bins of examples become tiles, and tiles go into shards -------------- */

/* What is under way. The maker has the bucket and the rows; the writer tells
 * who watches. */
struct shards {
  struct th_importing *im;
  struct th_writer *writer;
  struct th_bucket bucket;
  const struct th_record **rows; /* of a bin */
  struct th_handoff handoff;
  int64_t told; /* row groups that were seen by who watches */
};

static th_status write_tile(struct shards *shards,
                            const struct th_transpose *tile,
                            struct th_error *err)
{
  int64_t groups = shards->im->assignment.groups;
  if (tile->turned.group != shards->told)
    th_import_tell(shards->im, TH_IMPORT_WRITES, tile->turned.group, groups);
  shards->told = tile->turned.group;
  return th_transpose_write(tile, err);
}

/* Make the tiles of this rank's part of a shard on a row group, and have them
 * written: by the other thread, or at once. */
static th_status make_group(struct shards *shards, bool alone, int64_t shard,
                            int64_t group, const struct th_record *const *rows,
                            int64_t count, struct th_error *err)
{
  struct th_range all = th_writer_mine(shards->writer, shard);
  for (int64_t first = all.first; first < all.last;) {
    struct th_transpose *place = th_handoff_place(&shards->handoff);
    if (place == NULL)
      return TH_OK; /* the other thread says why */
    th_status rc =
        th_transpose_make(place, shard, group, first, rows, count, err);
    if (rc == TH_OK && alone)
      rc = write_tile(shards, place, err);
    if (rc != TH_OK)
      return rc;
    first = place->turned.range.last;
    th_handoff_made(&shards->handoff);
    if (alone)
      th_handoff_written(&shards->handoff);
  }
  return TH_OK;
}

/* This rank's parts of shards, of a bin that has arrived. */
static th_status make_bin(struct shards *shards, bool alone, int64_t number,
                          struct th_error *err)
{
  const struct th_row_assignment *assignment = &shards->im->assignment;
  struct th_rows all = th_row_assignment_bin(assignment, number);
  int64_t first = number * assignment->bin_groups;
  int64_t last = first + assignment->bin_groups;
  last = last < assignment->groups ? last : assignment->groups;
  struct th_range touched =
      th_writer_touched(shards->writer, shards->im->comm->rank);
  for (int64_t shard = touched.first; shard < touched.last; shard++) {
    th_bucket_rows(&shards->bucket, shards->rows, all.count);
    for (int64_t group = first; group < last; group++) {
      struct th_rows part = th_row_assignment_group(assignment, group);
      th_status rc =
          make_group(shards, alone, shard, group,
                     shards->rows + (part.first - all.first), part.count, err);
      if (rc != TH_OK)
        return rc;
    }
  }
  return TH_OK;
}

/* Make tiles and write them, on one thread of each rank. Collective; the status
 * is this rank's own. */
static th_status make_and_write(struct shards *shards, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t b = 0; b < shards->im->assignment.bins; b++) {
    TH_TRY(th_bucket_exchange(&shards->bucket, b, rc, err));
    rc = make_bin(shards, true, b, err);
    rc = th_writer_deliver(shards->writer, rc, err);
  }
done:
  return rc;
}

static th_status make_all_bins(struct shards *shards, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t b = 0; rc == TH_OK && b < shards->im->assignment.bins; b++) {
    rc = th_bucket_read(&shards->bucket, b, err);
    if (rc == TH_OK)
      rc = make_bin(shards, false, b, err);
  }
  th_handoff_end(&shards->handoff);
  return rc;
}

static th_status write_tiles(struct shards *shards, struct th_error *err)
{
  const struct th_transpose *tile = th_handoff_next(&shards->handoff);
  th_status rc = TH_OK;
  while (rc == TH_OK && tile != NULL) {
    rc = write_tile(shards, tile, err);
    th_handoff_written(&shards->handoff);
    if (rc == TH_OK)
      tile = th_handoff_next(&shards->handoff);
  }
  th_handoff_end(&shards->handoff);
  return rc;
}

/* On two threads, or one, of the only rank. What the first one fails with comes
 * first in the data, too. */
static th_status work(struct th_comm *comm, void *self, struct th_error *err)
{
  struct shards *shards = self;
  if (comm->size == 1)
    return make_and_write(shards, err);
  th_status rc =
      comm->rank == 0 ? write_tiles(shards, err) : make_all_bins(shards, err);
  return th_agree(comm, rc, err);
}

static th_status reserve_bins(struct shards *shards, struct th_error *err)
{
  const struct th_row_assignment *assignment = &shards->im->assignment;
  th_status rc = th_bucket_init(&shards->bucket, err);
  if (rc != TH_OK)
    return rc;
  return th_alloc((void **)&shards->rows,
                  assignment->bin_groups * assignment->row_group,
                  sizeof(void *), "imported examples", err);
}

static th_status reread(void *self, int64_t place, void *values,
                        struct th_error *err)
{
  struct th_importing *im = self;
  return im->format->importer->later.reread(im, place, values, err);
}

/* Collective; the status is this rank's own. */
static th_status import_write_shards(struct th_importing *im,
                                     struct th_writer *writer,
                                     enum th_layout layout,
                                     struct th_error *err)
{
  const struct th_lacking *lacking = &im->text.lacking;
  int64_t before = lacking->kept != NULL ? lacking->attributes : im->attributes;
  struct shards shards = {.im = im,
                          .writer = writer,
                          .bucket = {.comm = im->comm,
                                     .writer = writer,
                                     .spill = im->bins.all,
                                     .spills = im->bins.count,
                                     .again = {reread, im, before},
                                     .size = th_type_size(im->type)},
                          .told = -1};
  struct th_transpose like = {.writer = writer,
                              .layout = layout,
                              .type = im->type,
                              .dropped = im->text.lacking.dropped,
                              .listed = im->text.lacking.attributes};
  int made = 1;
  th_handoff_init(&shards.handoff, &like);
  th_status rc = reserve_bins(&shards, err);
  TH_TRY(th_agree(im->comm, rc, err));
  if (im->comm->size == 1 && im->bins.count > 1)
    rc = th_team_run(im->comm, 2, work, &shards, 0, &made, err);
  else
    rc = make_and_write(&shards, err);
done:
  free(shards.rows);
  th_bucket_free(&shards.bucket);
  th_handoff_free(&shards.handoff);
  return rc;
}

/* --- The data set: its layout, its labels, its master --------------------- */

static const double sparse_density = 0.25; /* at most, for the sparse layout */

enum { LEAST_ROOM = 64 << 20, LOADS = 1 << 16 };

static enum th_layout choose_layout(const struct th_importing *im)
{
  if (im->listed.examples > 0 || im->job->files.held != NULL)
    return TH_DENSE;
  if (im->job->layout >= 0)
    return (enum th_layout)im->job->layout;
  if (th_type_packed(im->type) > 1)
    return TH_DENSE;
  if (im->like.attributes > 0 && im->like.layout >= 0)
    return (enum th_layout)im->like.layout;
  /* of the text: what is left out of it changes nothing */
  int64_t attributes = im->text.lacking.kept != NULL
                           ? im->text.lacking.attributes
                           : im->attributes;
  double cells = (double)im->assignment.examples * (double)attributes;
  return (double)im->nonzeros <= sparse_density * cells ? TH_SPARSE : TH_DENSE;
}

/* Stretches of the attributes whose values are counted; 0: none are. */
static int64_t count_loads(const struct th_importing *im)
{
  return choose_layout(im) == TH_DENSE || im->comm->size == 1
             ? 0
             : th_min_i64(im->attributes, LOADS);
}

/* How the values of sparse data lie over these, by some of the examples of all
 * ranks. Collective. */
static void sample_loads(const struct th_importing *im,
                         struct th_dataset_plan *plan, int64_t *load)
{
  int64_t loads = count_loads(im);
  if (loads == 0)
    return;
  for (int k = 0; k < im->bins.count; k++)
    th_bucket_spill_loads(im->bins.all[k], im->attributes, loads, load);
  im->comm->ops->sum_i64(im->comm, load, (size_t)loads);
  plan->load = load;
  plan->loads = loads;
}

/* More ranks than that get too little of each example, or of all, for the
 * messages to them. */
static int64_t most_writers(const struct th_importing *im,
                            const struct th_shape *shape)
{
  enum { LEAST_BYTES = 64 << 10, LEAST_VALUES = 4 };
  double n = (double)shape->examples;
  double values = shape->layout == TH_SPARSE ? (double)im->nonzeros
                                             : n * (double)shape->attributes;
  double bytes = values * (double)th_type_size(shape->type) /
                 (double)th_type_packed(shape->type);
  double most = fmin(bytes / LEAST_BYTES, values / n / LEAST_VALUES);
  return most >= 1 ? (int64_t)most : 1;
}

/* Whole numbers have one of them stand for a missing value, and only dense ones
 * do. */
static th_status check_aside(const struct th_importing *im,
                             enum th_layout layout, struct th_error *err)
{
  const struct th_lacking *lacking = &im->text.lacking;
  const char *type = th_type_name(im->type);
  if (lacking->values == 0 || !th_type_whole_numbers(im->type))
    return TH_OK;
  if (lacking->aside > 0)
    return th_fail(err, TH_EDATA,
                   "%s: %lld value%s missing, for which %s has the number "
                   "%g, and that is there, too; import with {type} f32",
                   im->file[0].name, (long long)lacking->values,
                   lacking->values == 1 ? " is" : "s are", type,
                   th_type_missing(im->type));
  if (layout == TH_SPARSE)
    return th_fail(err, TH_EDATA,
                   "%s: %lld value%s missing, which sparse data of type %s "
                   "cannot say; import with {type} f32, or {layout} dense",
                   im->file[0].name, (long long)lacking->values,
                   lacking->values == 1 ? " is" : "s are", type);
  return TH_OK;
}

static struct th_dataset_plan plan_dataset(const struct th_importing *im,
                                           const double *weight)
{
  struct th_shape shape = {.examples = im->assignment.examples,
                           .training = im->assignment.training,
                           .weightless = im->assignment.weightless,
                           .attributes = im->attributes,
                           .row_group = im->assignment.row_group,
                           .nonzeros = im->nonzeros,
                           .missing =
                               im->listed.missing ? 1 : im->text.lacking.values,
                           .layout = choose_layout(im),
                           .type = im->type,
                           .weighted = im->text.weighted,
                           .unlabelled = im->text.unlabelled};
  return (struct th_dataset_plan){.shape = shape,
                                  .shards = im->job->shards,
                                  .expected_entries = im->nonzeros,
                                  .weight = weight,
                                  .writers = most_writers(im, &shape)};
}

/* A few bytes of text may make any number of attributes: what is kept of each
 * may take as much memory as the entries, at least 64 MiB. Collective. */
static th_status check_room(const struct th_importing *im,
                            const struct th_dataset_plan *plan,
                            struct th_error *err)
{
  int64_t most =
      im->limits.memory > LEAST_ROOM ? im->limits.memory : LEAST_ROOM;
  int64_t needed = 0;
  char called[TH_IMPORT_CALLED];
  char sizes[2][TH_SIZE_TEXT];
  th_status rc = th_writer_statistics(plan, im->comm->size, &needed, err);
  if (rc != TH_OK || needed <= most)
    return rc;
  th_printable_size(needed, sizes[0]);
  th_printable_size(most, sizes[1]);
  struct th_import_place last = {0};
  if (im->format->importer->numbering != NULL &&
      im->format->importer->numbering->place != NULL)
    last = im->format->importer->numbering->place(im);
  if (last.line == 0)
    return th_fail(err, TH_EDATA,
                   "%s: statistics of %lld attributes need %s of memory on a "
                   "rank, and {memory} leaves %s; raise it, or take more ranks "
                   "and as many {shards}",
                   im->file[0].name, (long long)im->attributes, sizes[0],
                   sizes[1]);
  im->format->importer->call(im, im->attributes - 1, called);
  return th_fail(err, TH_EDATA,
                 "%s:%lld: %s makes %lld attributes, whose statistics need %s "
                 "of memory on a rank, and {memory} leaves %s; correct it, "
                 "raise {memory}, or take more ranks and as many {shards}",
                 im->file[last.file].name, (long long)last.line, called,
                 (long long)im->attributes, sizes[0], sizes[1]);
}

/* The weights of all training examples in stored order, on every rank, with
 * mean 1, for the statistics; none if weight is NULL. They are positive.
 * Collective. */
static void training_weights(const struct th_importing *im, double *weight)
{
  int64_t n = im->assignment.training;
  double sum = 0;
  if (weight == NULL)
    return;
  for (int64_t k = 0; k < im->own.count; k++)
    if (im->own.stored[k] < n)
      weight[im->own.stored[k]] = im->own.weight[k];
  im->comm->ops->max_f64(im->comm, weight, (size_t)n);
  for (int64_t i = 0; i < n; i++)
    sum += weight[i];
  for (int64_t i = 0; i < n; i++)
    weight[i] *= (double)n / sum;
}

/* What the master holds, on rank 0. */
struct labels {
  void *arrived;  /* items of 8 bytes, in input order */
  double *target; /* in stored order */
  double *weight;
  int64_t *row;
  uint64_t *key;  /* NULL: nobody looks for equal examples */
  char **id;      /* NULL: there are none; one allocation */
  int64_t *sizes; /* of an exchange to rank 0: what this rank sends, and what it
                     receives; every rank has them */
};

/* Are equal examples looked for? */
static bool looks_for_twins(const struct th_importing *im)
{
  return !im->text.unlabelled && im->assignment.training <= TH_TWINS_EXAMPLES;
}

static th_status make_labels(const struct th_importing *im,
                             struct labels *labels, struct th_error *err)
{
  int64_t count = im->assignment.examples;
  th_status rc = TH_OK;
  if (im->comm->rank > 0)
    return TH_OK;
  TH_TRY(th_alloc(&labels->arrived, count, sizeof(double), "targets", err));
  TH_TRY(TH_NEW(&labels->target, count, "targets", err));
  TH_TRY(TH_NEW(&labels->row, count, "row numbers", err));
  if (im->text.weighted)
    TH_TRY(TH_NEW(&labels->weight, count, "weights", err));
  if (looks_for_twins(im))
    TH_TRY(TH_NEW(&labels->key, count, "equal examples", err));
done:
  return rc;
}

/* How many bytes of items of 8 bytes each rank has, and room for them on rank
 * 0. rc: how this rank's work has gone so far. Collective. */
static th_status prepare_labels(const struct th_importing *im,
                                struct labels *labels, th_status rc,
                                struct th_error *err)
{
  const struct th_comm *comm = im->comm;
  int64_t bytes = im->own.count * (int64_t)sizeof(double);
  int64_t *receive = labels->sizes + comm->size;
  if (rc == TH_OK)
    rc = make_labels(im, labels, err);
  receive[comm->rank] = bytes;
  rc = th_comm_sum_agree(im->comm, receive, (size_t)comm->size, rc, err);
  labels->sizes[0] = bytes;
  for (int r = 0; comm->rank > 0 && r < comm->size; r++)
    receive[r] = 0;
  return rc;
}

/* All ranks' items of 8 bytes, in input order, to rank 0. Collective. */
static void gather_input(const struct th_importing *im, const void *mine,
                         const struct labels *labels)
{
  im->comm->ops->exchange(im->comm, mine, labels->sizes, labels->arrived,
                          labels->sizes + im->comm->size);
}

/* All ranks' items to stored order on rank 0. Collective. */
static void collect_stored(const struct th_importing *im, const void *mine,
                           const struct labels *labels, void *to)
{
  gather_input(im, mine, labels);
  const uint64_t *arrived = labels->arrived;
  uint64_t *stored = to;
  for (int64_t k = 0; im->comm->rank == 0 && k < im->assignment.examples; k++)
    stored[k] = arrived[labels->row[k]];
}

/* Ranks have their examples in an order of their own. Collective. */
static void number_stored(const struct th_importing *im, struct labels *labels)
{
  gather_input(im, im->own.number, labels);
  const int64_t *number = labels->arrived;
  for (int64_t k = 0; im->comm->rank == 0 && k < im->assignment.examples; k++)
    labels->row[k] = number[labels->row[k]];
}

/* rc: how this rank's work has gone so far. Collective. */
static th_status collect_labels(const struct th_importing *im,
                                struct labels *labels, th_status rc,
                                struct th_error *err)
{
  rc = prepare_labels(im, labels, rc, err);
  if (rc != TH_OK)
    return rc;
  gather_input(im, im->own.stored, labels);
  const int64_t *place = labels->arrived;
  for (int64_t k = 0; im->comm->rank == 0 && k < im->assignment.examples; k++)
    labels->row[place[k]] = k;
  collect_stored(im, im->own.target, labels, labels->target);
  if (im->text.weighted)
    collect_stored(im, im->own.weight, labels, labels->weight);
  if (looks_for_twins(im))
    collect_stored(im, im->own.key, labels, labels->key);
  if (im->text.named || im->text.listed)
    rc = th_text_ids_collect(&im->own.ids, im->comm, labels->row,
                             im->assignment.examples, im->limits.memory,
                             &labels->id, err);
  if (im->before.old.on)
    number_stored(im, labels);
  else
    for (int64_t k = 0; im->own.number != NULL && k < im->own.count; k++)
      labels->row[k] = im->own.number[labels->row[k]];
  return rc;
}

/* rc: of this rank's writing. Where rows were read again meanwhile, a file that
 * has changed is the reason of all other failures. Collective. */
static th_status collect_written(const struct th_importing *im,
                                 struct labels *labels, th_status rc,
                                 struct th_error *err)
{
  if (rc == TH_OK && im->text.reread)
    rc = th_text_files_check(&im->texts, err);
  rc = collect_labels(im, labels, rc, err);
  if (rc != TH_OK && im->text.reread)
    rc = th_text_files_unchanged(&im->texts, im->comm, rc, err);
  return rc;
}

/* Only rank 0 finds any. Local. */
static th_status find_twins(const struct th_importing *im,
                            const struct labels *labels, struct th_twins *twins,
                            struct th_error *err)
{
  const struct th_twins_given given = {.examples = im->assignment.training,
                                       .key = labels->key,
                                       .target = labels->target,
                                       .weight = labels->weight};
  th_status rc = TH_OK;
  if (im->comm->rank == 0 && looks_for_twins(im))
    rc = th_twins_find(twins, &given, err);
  return rc;
}

static void append(char *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void append(char *text, const char *format, ...)
{
  size_t used = strlen(text);
  va_list args;
  va_start(args, format);
  vsnprintf(text + used, TH_IMPORT_PROVENANCE - used, format, args);
  va_end(args);
}

/* No paths, no dates, nothing about ranks, memory or shards. */
static void describe(const struct th_importing *im, char *text)
{
  const struct th_import *job = im->job;
  const struct th_importer *importer = im->format->importer;
  int64_t left_out = importer->left_out != NULL ? importer->left_out(im) : 0;
  text[0] = '\0';
  append(text, "imported from %s%s, %s", im->format->name,
         importer->binary ? "" : " text",
         job->order.shuffle ? "shuffled" : "in input order");
  if (job->order.shuffle)
    append(text, " with seed %llu", (unsigned long long)job->order.seed);
  if (job->order.test_fraction > 0.0)
    append(text, ", test fraction %.17g", job->order.test_fraction);
  if (job->files.test != NULL)
    append(text, ", test examples from a file of their own");
  if (left_out > 0)
    append(text, ", %lld column%s left out", (long long)left_out,
           left_out == 1 ? "" : "s");
  if (im->text.unlabelled)
    append(text, ", without a target");
  else if (im->class.name != NULL)
    append(text, ", class '%.60s' against all others", im->class.name);
}

/* How the output is locked, where that is not as usual. */
static void notice_lock(const struct th_importing *im,
                        const struct th_writer *writer)
{
  char note[TH_LOCK_NOTE];
  th_writer_note(writer, note);
  if (note[0] != '\0')
    th_import_notice(im, "note:     %s", note);
}

/* An error where another run has replaced the data set that is appended to
 * since it was opened; its name is ours from now on. Collective. */
static th_status check_same_master(const struct th_importing *im,
                                   struct th_error *err)
{
  struct th_identity now;
  th_status rc = TH_OK;
  if (im->comm->rank == 0 &&
      (!th_file_identity_of(im->job->output, &now) ||
       !th_file_identity_same(&now, &im->before.old.master)))
    rc = th_fail(err, TH_EIO,
                 "%s was replaced by another run meanwhile; run the same again",
                 im->job->output);
  return th_agree(im->comm, rc, err);
}

/* What was left out of the data that are appended to stays left out. */
static const unsigned char *all_lacking(const struct th_importing *im)
{
  return im->before.old.on ? im->like.lacking
                           : (const unsigned char *)im->text.lacking.dropped;
}

/* Memory of this rank for what all ranks bring together. Local. */
static th_status reserve_shared(const struct th_importing *im, double **weight,
                                int64_t **load, struct labels *labels,
                                struct th_error *err)
{
  int64_t loads = count_loads(im);
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&labels->sizes, 2 * (int64_t)im->comm->size + 1,
                "counts of targets", err));
  if (im->text.weighted)
    TH_TRY(TH_NEW(weight, im->assignment.training, "weights", err));
  if (loads > 0)
    TH_TRY(TH_NEW(load, loads, "loads of attributes", err));
done:
  return rc;
}

/* Claim the output; where the data set is held in memory, there is none.
 * Collective. */
static th_status make_writer(const struct th_importing *im,
                             const struct th_dataset_plan *plan,
                             struct th_writer **writer, struct th_error *err)
{
  th_status rc = TH_OK;
  if (im->job->files.held != NULL)
    return TH_OK;
  TH_TRY(th_writer_create(writer, im->comm, im->job->output, plan,
                          im->job->force, err));
  notice_lock(im, *writer);
  if (im->before.old.on)
    rc = check_same_master(im, err);
done:
  return rc;
}

/* *good is false where values cannot be held in memory. Collective; the status
 * is this rank's own. */
static th_status bring_values(struct th_importing *im, struct th_writer *writer,
                              const struct th_dataset_plan *plan, bool *good,
                              struct th_error *err)
{
  const struct th_given_fill fill = {.given = im->job->files.given,
                                     .stored = im->own.stored,
                                     .shape = &plan->shape,
                                     .weight = plan->weight,
                                     .density = sparse_density};
  if (im->job->files.held != NULL)
    return th_given_held_fill(im->job->files.held, &fill, im->own.key, good,
                              err);
  if (im->listed.examples > 0)
    return th_import_columns_write(im, writer, err);
  return import_write_shards(im, writer, plan->shape.layout, err);
}

/* rc: how this rank's work has gone so far. Collective. */
static th_status commit_all(const struct th_importing *im,
                            struct th_writer *writer,
                            const struct th_master *master, th_status rc,
                            struct th_error *err)
{
  if (writer != NULL)
    return th_writer_commit(writer, master, rc, err);
  if (rc == TH_OK)
    rc = th_held_end(im->job->files.held, master, im->job->output, err);
  return th_agree(im->comm, rc, err);
}

th_status th_import_write(struct th_importing *im, th_status rc,
                          struct th_error *err)
{
  struct th_dataset_plan plan;
  int64_t *load = NULL;
  double *weight = NULL;
  struct th_writer *writer = NULL;
  struct labels labels = {0};
  struct th_origin origin = {0};
  struct th_twins twins = {0};
  bool good = true;
  char provenance[TH_IMPORT_PROVENANCE];
  if (rc == TH_OK)
    rc = reserve_shared(im, &weight, &load, &labels, err);
  TH_TRY(th_agree(im->comm, rc, err));
  training_weights(im, weight);
  plan = plan_dataset(im, weight);
  TH_TRY(check_aside(im, plan.shape.layout, err));
  sample_loads(im, &plan, load);
  TH_TRY(check_room(im, &plan, err));
  TH_TRY(make_writer(im, &plan, &writer, err));
  rc = bring_values(im, writer, &plan, &good, err);
  if (!good && rc == TH_OK)
    goto done;
  TH_TRY(collect_written(im, &labels, rc, err));
  rc = find_twins(im, &labels, &twins, err);
  if (rc == TH_OK)
    rc =
        origin_of(im, im->text.unlabelled ? NULL : labels.target, &origin, err);
  describe(im, provenance);
  if (im->before.old.on)
    snprintf(provenance, sizeof provenance, "%s", im->before.old.provenance);
  struct th_master master = {.target = labels.target,
                             .weight = labels.weight,
                             .row = labels.row,
                             .names = im->names,
                             .index = im->text.indexed ? im->text.index : NULL,
                             .variant = im->listed.variant,
                             .lacking = all_lacking(im),
                             .ids = (const char *const *)labels.id,
                             .origin = &origin,
                             .piece = im->groups.piece,
                             .pieces = im->groups.pieces,
                             .twins = &twins,
                             .provenance = provenance};
  rc = commit_all(im, writer, &master, rc, err);
  writer = NULL;
done:
  th_writer_abort(writer);
  th_origin_free(&origin);
  th_twins_free(&twins);
  TH_FREE(labels.arrived, labels.target, labels.weight, labels.row, labels.key,
          labels.sizes, labels.id, weight, load);
  return rc;
}
