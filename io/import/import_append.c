/* import_append.c - the data set that examples are appended to: what an import
 * takes over from it, and its examples
 * SPDX-License-Identifier: MIT */
#include "io/import/import_job.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/search.h"
#include "io/import/bins/stored_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- It is opened --------------------------------------------------------- */

enum {
  DATA_SHARE = 8
}; /* one in so many bytes of memory is for what is read */

/* Behind what begins a text, or NULL. */
static const char *text_behind(const char *text, const char *beginning)
{
  size_t length = strlen(beginning);
  return strncmp(text, beginning, length) == 0 ? text + length : NULL;
}

/* "imported from csv text, shuffled with seed 1, test fraction 0.2, .." */
static bool read_provenance(const char *text, struct th_import *job, bool *file)
{
  const char *at = text_behind(text, "imported from ");
  at = at != NULL ? strchr(at, ',') : NULL;
  if (at == NULL)
    return false;
  const char *seed = text_behind(at, ", shuffled with seed ");
  char *end = NULL;
  job->order.shuffle = seed != NULL;
  if (seed != NULL)
    job->order.seed = strtoull(seed, &end, 10);
  at = seed != NULL ? end : text_behind(at, ", in input order");
  if (at == NULL)
    return false;
  const char *test = text_behind(at, ", test fraction ");
  job->order.test_fraction = test != NULL ? strtod(test, NULL) : 0;
  *file = text_behind(at, ", test examples from a file") != NULL;
  return job->order.test_fraction >= 0 && job->order.test_fraction < 1;
}

static th_status check_old(const struct th_append *old, const char *name,
                           struct th_error *err)
{
  const struct th_shape *shape = &th_dataset_store(old->data)->shape;
  if (old->tests > 0 && shape->weightless > 0)
    return th_fail(err, TH_EUSAGE,
                   "%s has test examples of a file of their own, and examples "
                   "of weight 0; import all files again",
                   name);
  return TH_OK;
}

static th_status find_variants(struct th_append *old, struct th_error *err)
{
  struct th_variants variants = {0};
  th_status rc = th_dataset_variants(old->data, &variants, err);
  old->variants = variants.count > 0;
  th_variants_free(&variants);
  return rc;
}

/* Bytes that the examples take on their way, about. */
static int64_t stored_bytes(const struct th_shape *shape)
{
  double each = (double)th_type_size(shape->type);
  double values =
      shape->layout == TH_DENSE
          ? each * (double)shape->attributes * (double)shape->examples
          : (4 + each) * (double)shape->nonzeros;
  return (int64_t)fmin(values + 40.0 * (double)shape->examples,
                       (double)(INT64_MAX / 16));
}

/* Where nobody says otherwise, it stays as the data set has it. */
static void keep_form(const struct th_append *old, struct th_import *job)
{
  const struct th_shape *shape = &th_dataset_store(old->data)->shape;
  int64_t shards = th_dataset_shards(old->data);
  int64_t usual = th_row_assignment_usual_group(
      shape->examples, shape->examples - shape->weightless, old->variants);
  if (job->shards == 0 && shards > 1)
    job->shards = shards;
  if (job->row_group == 0 && shape->row_group != usual)
    job->row_group = shape->row_group;
  if (job->layout < 0)
    job->layout = (int)shape->layout;
  if (job->type < 0)
    job->type = (int)shape->type;
}

th_status th_import_append_open(struct th_append *old, struct th_import *job,
                                struct th_comm *comm, struct th_error *err)
{
  const char *name = job->output;
  bool file = false;
  th_status rc;
  if (comm->rank == 0)
    (void)th_file_identity_of(name, &old->master);
  TH_TRY(
      th_dataset_open(&old->data, comm, name, job->memory / DATA_SHARE, err));
  const struct th_shape *shape = &th_dataset_store(old->data)->shape;
  old->on = true;
  old->name = name;
  old->memory = job->memory / DATA_SHARE;
  old->rank = comm->rank;
  old->size = comm->size;
  old->reads = true;
  old->shape = *shape;
  old->bytes = stored_bytes(shape);
  snprintf(old->provenance, sizeof old->provenance, "%s",
           th_dataset_provenance(old->data));
  if (!read_provenance(th_dataset_provenance(old->data), job, &file))
    return th_fail(err, TH_EUSAGE,
                   "%s was not imported, so nothing can be appended to it",
                   name);
  old->tests = file ? shape->examples - shape->training : 0;
  old->main = shape->examples - old->tests;
  TH_TRY(th_agree(comm, check_old(old, name, err), err));
  TH_TRY(th_agree(comm, find_variants(old, err), err));
  keep_form(old, job);
  job->like = name;
  job->force = true;
done:
  return rc;
}

void th_import_append_close(struct th_append *old)
{
  if (old->data != NULL)
    th_dataset_close(old->data);
  old->data = NULL;
}

th_status th_import_append_check(const struct th_importing *im,
                                 struct th_error *err)
{
  const struct th_append *old = &im->before.old;
  const char *name = im->job->output;
  const struct {
    const char *what;
    bool mine;
    bool theirs;
  } all[] = {
      {"a target", !im->text.unlabelled, !old->shape.unlabelled},
      {"weights", im->text.weighted, old->shape.weighted},
      {"IDs", im->text.named || im->text.listed, th_dataset_has_ids(old->data)},
      {"genotypes", im->listed.examples > 0, old->variants}};
  for (size_t k = 0; k < TH_COUNT(all); k++)
    if (all[k].mine != all[k].theirs)
      return th_fail(err, TH_EDATA,
                     "%s has %s%s, %s has %s%s; give files like those that it "
                     "was imported from",
                     im->file[0].name, all[k].mine ? "" : "not ", all[k].what,
                     name, all[k].theirs ? "" : "not ", all[k].what);
  return TH_OK;
}

/* --- Its groups of attributes; numbers of examples ------------------------ */

th_status th_import_append_groups(struct th_importing *im, struct th_error *err)
{
  struct th_groups groups = {0};
  const int64_t d = im->attributes;
  struct th_range mine = {0, im->comm->rank == 0 ? d : 0};
  th_status rc = th_dataset_groups(im->before.old.data, im->comm, &groups, err);
  if (rc == TH_OK && groups.attributes == d)
    rc = th_groups_fetch(&groups, im->comm, mine, &im->groups.piece,
                         &im->groups.pieces, err);
  th_groups_free(&groups);
  return rc;
}

th_status th_import_append_number(struct th_importing *im, struct th_error *err)
{
  const struct th_append *old = &im->before.old;
  th_status rc = TH_NEW(&im->own.number, im->own.count, "examples", err);
  for (int64_t k = 0; rc == TH_OK && k < im->own.count; k++) {
    int64_t before = th_max_i64(0, th_min_i64(k - old->first, old->count));
    bool is_old = k >= old->first && k < old->first + old->count;
    im->own.number[k] =
        is_old ? old->number[k - old->first] : im->before.rows + k - before;
  }
  return rc;
}

/* --- Its examples, where they are parsed into bins like new ones ---------- */

static th_status spoilt(const struct th_importing *im, const char *what,
                        struct th_error *err)
{
  return th_fail(err, TH_EFORMAT,
                 "%s: %s that cannot be; import all files again",
                 im->job->output, what);
}

/* Where row k of those at hand is going to be stored; its number becomes that
 * in the input of all. */
static th_status place_old(struct th_importing *im, struct th_stored_rows *a,
                           int64_t k, int64_t *stored, bool *weightless,
                           struct th_error *err)
{
  const struct th_append *old = &im->before.old;
  const struct th_row_assignment *assignment = &im->assignment;
  const int64_t kept = old->shape.examples - old->shape.weightless;
  const int64_t new_kept = assignment->examples - assignment->weightless - kept;
  const int64_t at = a->part.first + k;
  const int64_t number = a->number[k];
  if (number < 0 || number >= old->shape.examples)
    return spoilt(im, "a number of an example", err);
  *weightless = at >= kept;
  if (a->store->shape.weighted && (a->weight[k] == 0) != *weightless)
    return spoilt(im, "weights of 0 among others", err);
  if (number >= old->main)
    a->number[k] += assignment->examples - old->shape.examples;
  if (*weightless) {
    *stored = th_row_assignment_weightless(assignment, at - kept);
    return TH_OK;
  }
  int64_t before =
      th_search_i64(a->weightless, 0, old->shape.weightless, number);
  int64_t place = number - before;
  if (number >= old->main)
    place += new_kept;
  *stored = th_row_assignment_row(assignment, place);
  return TH_OK;
}

static th_status keep_old(struct th_importing *im, struct th_stored_rows *a,
                          struct th_text_row *row, struct th_error *err)
{
  struct th_append *old = &im->before.old;
  th_status rc = TH_OK;
  for (int64_t k = 0; k < a->part.count && rc == TH_OK; k++) {
    int64_t stored = 0;
    bool weightless = false;
    TH_TRY(th_stored_rows_fill(a, k, row, err));
    TH_TRY(place_old(im, a, k, &stored, &weightless, err));
    TH_TRY(TH_GROW(&old->number, &old->room, old->count + 1, "examples", err));
    old->number[old->count++] = a->number[k];
    rc = th_import_parse_keep(im, row, stored, weightless, err);
  }
done:
  return rc;
}

th_status th_import_append_parse(struct th_importing *im,
                                 struct th_text_row *row, struct th_error *err)
{
  struct th_append *old = &im->before.old;
  struct th_stored_rows a = {0};
  if (!old->reads)
    return TH_OK;
  const int64_t groups = th_store_shape_groups(&old->shape);
  old->first = im->own.count;
  th_status rc = th_stored_rows_begin(&a, old->data, im->job->output,
                                      im->text.named, old->memory, err);
  row->measured = false;
  for (int64_t g = old->rank; rc == TH_OK && g < groups; g += old->size) {
    struct th_rows left = th_store_shape_group(&old->shape, g);
    while (rc == TH_OK && left.count > 0) {
      rc = th_stored_rows_read(&a, &left, err);
      if (rc == TH_OK)
        rc = keep_old(im, &a, row, err);
    }
  }
  th_stored_rows_end(&a);
  return rc;
}

/* --- Its examples, where attributes come whole ---------------------------- */

/* One of them. */
struct th_append_example {
  int64_t number; /* in the input */
  int64_t row;    /* where it is stored */
  double target;
  double weight;
};

static int by_number(const void *a, const void *b)
{
  const struct th_append_example *left = a;
  const struct th_append_example *right = b;
  if (left->number != right->number)
    return left->number < right->number ? -1 : 1;
  return left->row < right->row ? -1 : 1;
}

/* What is known of the examples of a row group beside their values. */
static th_status read_labels(struct th_append *old, struct th_rows rows,
                             int64_t *number, double *label,
                             struct th_error *err)
{
  struct th_store *store = th_dataset_store(old->data);
  double *weight = label + rows.count;
  th_status rc = th_dataset_row_numbers(old->data, rows, number, err);
  for (int64_t k = 0; k < rows.count; k++) {
    label[k] = NAN;
    weight[k] = 1;
  }
  if (rc == TH_OK && !old->shape.unlabelled)
    rc = store->ops->targets(store, rows, label, weight, err);
  for (int64_t k = 0; rc == TH_OK && k < rows.count; k++) {
    old->example[rows.first + k] = (struct th_append_example){
        number[k], rows.first + k, label[k], weight[k]};
    if (number[k] < 0)
      rc = th_fail(err, TH_EFORMAT,
                   "%s: an example has the number %lld; import all files again",
                   old->name, (long long)number[k]);
  }
  return rc;
}

/* The input of all goes on behind the last example of its main inputs. */
static th_status sort_examples(struct th_append *old, struct th_error *err)
{
  const int64_t groups = th_store_shape_groups(&old->shape);
  const int64_t most = old->shape.row_group;
  int64_t *number = NULL;
  double *label = NULL;
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&old->example, old->shape.examples, "examples", err));
  TH_TRY(TH_NEW(&number, most, "examples", err));
  TH_TRY(TH_NEW(&label, 2 * most, "examples", err));
  for (int64_t g = 0; g < groups; g++)
    TH_TRY(read_labels(old, th_store_shape_group(&old->shape, g), number, label,
                       err));
  qsort(old->example, (size_t)old->shape.examples, sizeof *old->example,
        by_number);
done:
  TH_FREE(number, label);
  return rc;
}

/* Row group g begins at place g R of a run. */
static int64_t old_place(const struct th_append *old, int64_t row)
{
  const struct th_shape *shape = &old->shape;
  const int64_t groups =
      th_integer_ceil_divide(shape->training, shape->row_group);
  return row < shape->training
             ? row
             : groups * shape->row_group + row - shape->training;
}

/* Is it of the test file? */
static bool is_of_tests(const struct th_append *old, int64_t row)
{
  return old->tests > 0 && row >= old->shape.training;
}

static th_status list_examples(struct th_importing *im, bool tests,
                               int64_t shift, const struct th_ids *ids,
                               struct th_error *err)
{
  const struct th_append *old = &im->before.old;
  struct th_import_listed *listed = &im->listed;
  char id[TH_ID_LONGEST + 1];
  th_status rc = TH_OK;
  for (int64_t k = 0; rc == TH_OK && k < old->shape.examples; k++) {
    const struct th_append_example *one = &old->example[k];
    if (is_of_tests(old, one->row) != tests)
      continue;
    int64_t at = listed->examples++;
    listed->target[at] = one->target;
    listed->weight[at] = one->weight;
    listed->number[at] = one->number + shift;
    listed->place[at] = old_place(old, one->row);
    if (ids->text == NULL)
      continue;
    snprintf(id, sizeof id, "%.*s", (int)ids->width,
             ids->text + (size_t)one->row * ids->width);
    rc = th_text_ids_add(&im->own.ids, id, err);
  }
  return rc;
}

/* On rank 0, as it has those of all examples. */
static th_status list_with_ids(struct th_importing *im, bool tests,
                               int64_t shift, struct th_error *err)
{
  const struct th_append *old = &im->before.old;
  const struct th_rows all = {0, old->shape.examples};
  struct th_ids ids = {0};
  th_status rc = TH_OK;
  if (im->comm->rank == 0 && th_dataset_has_ids(old->data))
    rc = th_dataset_ids(old->data, all, &ids, err);
  if (rc == TH_OK)
    rc = list_examples(im, tests, shift, &ids, err);
  free(ids.text);
  return rc;
}

th_status th_import_append_list(struct th_importing *im, int64_t *next,
                                struct th_error *err)
{
  struct th_append *old = &im->before.old;
  const int64_t width =
      th_store_shape_groups(&old->shape) * old->shape.row_group;
  th_status rc;
  TH_TRY(th_stored_rows_show_missing(old->data, err));
  TH_TRY(sort_examples(old, err));
  TH_TRY(list_with_ids(im, false, 0, err));
  im->listed.places = width;
  *next = im->listed.number[im->listed.examples - 1] + 1;
  for (int64_t k = 0; k < old->shape.examples; k++)
    if (is_of_tests(old, old->example[k].row)) {
      *next = old->example[k].number; /* the first one is the lowest */
      break;
    }
done:
  return rc;
}

th_status th_import_append_list_tests(struct th_importing *im, int64_t more,
                                      struct th_error *err)
{
  return list_with_ids(im, true, more, err);
}

/* Values of another type. */
static th_status convert_slab(const struct th_importing *im,
                              const struct th_slab *slab, int64_t a, char *run,
                              int64_t place, struct th_error *err)
{
  for (int64_t i = 0; i < slab->rows; i++) {
    double value = th_slab_load(slab, a, i);
    bool missing = isnan(value);
    if (missing)
      value = th_type_missing(im->type);
    if (!th_type_store(im->type, run, place + i, value) && !missing)
      return th_fail(err, TH_EDATA,
                     "%s has values that type %s cannot hold; append with "
                     "{type} f32",
                     im->job->output, th_type_name(im->type));
  }
  return TH_OK;
}

static th_status copy_slab(const struct th_importing *im,
                           const struct th_slab *slab, int64_t first,
                           int64_t place, char *runs, int64_t stride,
                           struct th_error *err)
{
  const size_t bytes = th_type_bytes(im->type, slab->rows);
  th_status rc = TH_OK;
  for (int64_t a = 0; rc == TH_OK && a < th_range_count(slab->attributes);
       a++) {
    char *run = runs + (slab->attributes.first + a - first) * stride;
    if (slab->type != im->type)
      rc = convert_slab(im, slab, a, run, place, err);
    else
      memcpy(run + th_type_offset(im->type, place),
             (const char *)slab->values +
                 th_type_offset(im->type, a * slab->stride),
             bytes);
  }
  return rc;
}

th_status th_import_append_runs(const struct th_importing *im,
                                struct th_range range, char *runs,
                                int64_t stride, struct th_error *err)
{
  const struct th_append *old = &im->before.old;
  struct th_store *store = th_dataset_store(old->data);
  const int64_t groups = th_store_shape_groups(&old->shape);
  struct th_slab slab;
  th_status rc = TH_OK;
  for (int64_t g = 0; g < groups; g++)
    for (int64_t a = range.first; a < range.last; a = slab.attributes.last) {
      struct th_rows rows = th_store_shape_group(&old->shape, g);
      TH_TRY(store->ops->slab(store, rows, (struct th_range){a, range.last},
                              false, &slab, err));
      TH_TRY(copy_slab(im, &slab, range.first, g * old->shape.row_group, runs,
                       stride, err));
    }
done:
  return rc;
}

void th_import_append_free(struct th_append *old)
{
  th_import_append_close(old);
  TH_FREE(old->number, old->example);
}
