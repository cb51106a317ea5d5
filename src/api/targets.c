/* targets.c - targets from a table, joined to data by the IDs of their examples
 * SPDX-License-Identifier: MIT */
#include "api/targets.h"

#include "base/memory.h"
#include "io/files/hash.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A join on rank 0. */
struct join {
  struct th_data *data; /* borrowed */
  const char *name;     /* of the table; borrowed */
  struct th_target_table table;
  struct th_ids ids;
  bool single;   /* by IID alone, of the table, */
  bool tail;     /* or of the data, behind FID and a blank */
  int64_t *slot; /* open addressing, at most half full: row + 1, or 0 */
  uint64_t mask;
  int64_t *matched; /* of each row of the table: stored row + 1, or 0 */
  double *target;   /* of each example, in stored order */
  double *weight;
  int64_t common;  /* rows that have an example */
  int64_t missing; /* of these, without a target or a weight */
  int64_t counted; /* examples that count; of these, for training */
  int64_t training;
};

/* --- IDs of the table, by their hash -------------------------------------- */

static const char *id_of(const struct join *j, int64_t row)
{
  const struct th_target_row *r = &j->table.row[row];
  return j->table.text + (j->single ? r->single : r->pair);
}

/* The slot of an ID, or the free one for it. */
static int64_t *slot_by_id(const struct join *j, const char *id, size_t length)
{
  uint64_t at = th_hash(id, length) & j->mask;
  for (; j->slot[at] != 0; at = (at + 1) & j->mask) {
    const char *other = id_of(j, j->slot[at] - 1);
    if (strncmp(other, id, length) == 0 && other[length] == '\0')
      break;
  }
  return &j->slot[at];
}

/* The row that has the ID of an example, or -1. An empty ID is nobody's. */
static int64_t row_by_id(const struct join *j, int64_t example, size_t *length)
{
  const char *id = j->ids.text + (size_t)example * j->ids.width;
  *length = strnlen(id, j->ids.width);
  const char *blank = j->tail ? memchr(id, ' ', *length) : NULL;
  if (blank != NULL) {
    *length -= (size_t)(blank + 1 - id);
    id = blank + 1;
  }
  return *length == 0 ? -1 : *slot_by_id(j, id, *length) - 1;
}

/* Put all rows in their slots; the first of equal IDs has it. */
static void fill_slots(struct join *j, bool single)
{
  j->single = single;
  memset(j->slot, 0, ((size_t)j->mask + 1) * sizeof *j->slot);
  for (int64_t k = 0; k < j->table.rows; k++) {
    const char *id = id_of(j, k);
    int64_t *slot = slot_by_id(j, id, strlen(id));
    if (*slot == 0)
      *slot = k + 1;
  }
}

static int64_t count_matches(const struct join *j)
{
  const int64_t n = j->data->store->shape.examples;
  size_t length;
  int64_t count = 0;
  for (int64_t i = 0; i < n; i++)
    count += row_by_id(j, i, &length) >= 0;
  return count;
}

/* Data may have FID and IID, or IID alone, and so may a table: whichever
 * matches more. */
static th_status index_rows(struct join *j, struct th_error *err)
{
  int64_t size = 2;
  while (size < 2 * j->table.rows)
    size *= 2;
  j->mask = (uint64_t)size - 1;
  th_status rc = TH_NEW(&j->slot, size, "the table of targets", err);
  if (rc != TH_OK)
    return rc;
  fill_slots(j, false);
  int64_t pairs = count_matches(j);
  if (!j->table.paired) {
    j->tail = true;
    j->tail = count_matches(j) > pairs;
    return TH_OK;
  }
  fill_slots(j, true);
  if (count_matches(j) <= pairs)
    fill_slots(j, false);
  return TH_OK;
}

/* --- Examples and rows that belong together ------------------------------- */

/* A few IDs, in quotes. */
enum { SHOWN = 3, LIST = 256 };
static void show_ids(const struct join *j, bool of_data, char text[LIST])
{
  const int64_t n = of_data ? j->data->store->shape.examples : j->table.rows;
  size_t used = 0;
  text[0] = '\0';
  for (int64_t k = 0; k < SHOWN && k < n; k++) {
    const char *id =
        of_data ? j->ids.text + (size_t)k * j->ids.width : id_of(j, k);
    int length = (int)(of_data ? strnlen(id, j->ids.width) : strlen(id));
    used += (size_t)snprintf(text + used, LIST - used, "%s'%.*s'",
                             k > 0 ? ", " : "", length < 60 ? length : 60, id);
  }
}

static th_status nothing_matches(const struct join *j, struct th_error *err)
{
  char mine[LIST];
  char theirs[LIST];
  show_ids(j, true, mine);
  show_ids(j, false, theirs);
  return th_fail(err, TH_EDATA,
                 "%s: no ID (%s) is one of %s: there %s, here %s; name another "
                 "column with {ids}, or import the data with other IDs, by "
                 "import {ids} FILE",
                 j->name, j->table.ids, j->data->name, mine, theirs);
}

static th_status twice_in_table(const struct join *j, int64_t row,
                                int64_t other, struct th_error *err)
{
  int64_t first = j->table.row[row].line;
  int64_t second = j->table.row[other].line;
  return th_fail(err, TH_EDATA,
                 "%s:%lld: ID '%.60s' stands on line %lld, too; leave one of "
                 "the rows out",
                 j->name, (long long)(first > second ? first : second),
                 id_of(j, row), (long long)(first > second ? second : first));
}

/* The first ID of the table that stands there twice, and is one of the data. */
static th_status check_repeats(const struct join *j, struct th_error *err)
{
  for (int64_t k = 0; k < j->table.rows; k++) {
    const char *id = id_of(j, k);
    int64_t first = *slot_by_id(j, id, strlen(id)) - 1;
    if (first != k && j->matched[first] != 0)
      return twice_in_table(j, first, k, err);
  }
  return TH_OK;
}

static th_status twice_in_data(const struct join *j, int64_t row,
                               int64_t example, struct th_error *err)
{
  int64_t number[2] = {0};
  const int64_t stored[2] = {j->matched[row] - 1, example};
  for (int k = 0; k < 2; k++) {
    th_status rc = th_data_row_numbers(j->data, (struct th_rows){stored[k], 1},
                                       &number[k], err);
    if (rc != TH_OK)
      return rc;
  }
  return th_fail(
      err, TH_EDATA,
      "%s: examples %lld and %lld of the input, counted from 0, have "
      "the same ID, '%.60s'; import it with IDs that differ",
      j->data->name, (long long)(number[0] < number[1] ? number[0] : number[1]),
      (long long)(number[0] < number[1] ? number[1] : number[0]),
      id_of(j, row));
}

/* Give every example its row's target and weight, or weight 0. Examples that
 * had weight 0 before are stored apart, and keep it. */
static th_status match_examples(struct join *j, struct th_error *err)
{
  const struct th_shape *shape = &j->data->store->shape;
  th_status rc = TH_OK;
  for (int64_t i = 0; i < shape->examples; i++) {
    size_t length;
    int64_t row = row_by_id(j, i, &length);
    const struct th_target_row *r = &j->table.row[row < 0 ? 0 : row];
    j->target[i] = NAN;
    if (row < 0) {
      j->weight[i] = 0;
      continue;
    }
    if (j->matched[row] != 0)
      return twice_in_data(j, row, i, err);
    j->matched[row] = i + 1;
    j->common++;
    if (isnan(r->target) || isnan(r->weight)) {
      j->missing++;
      j->weight[i] = 0;
      continue;
    }
    j->target[i] = r->target;
    if (j->table.weighted && i < shape->examples - shape->weightless)
      j->weight[i] = r->weight;
    j->counted += j->weight[i] > 0;
    j->training += j->weight[i] > 0 && i < shape->training;
  }
  if (j->common == 0)
    return nothing_matches(j, err);
  rc = check_repeats(j, err);
  if (rc == TH_OK && j->training == 0)
    rc = th_fail(err, TH_EDATA,
                 "%s: no training example of %s has a target '%.60s' and a "
                 "weight above 0; name another column with {target}",
                 j->name, j->data->name, j->table.target);
  return rc;
}

/* Nobody looks at the targets of weight 0, which are one of the others. */
static void fill_missing(struct join *j)
{
  const int64_t n = j->data->store->shape.examples;
  double some = 0;
  for (int64_t i = n - 1; i >= 0; i--)
    if (j->weight[i] > 0)
      some = j->target[i];
  for (int64_t i = 0; i < n; i++)
    if (!(j->weight[i] > 0))
      j->target[i] = some;
}

/* --- The join ------------------------------------------------------------- */

/* Local: rank 0. */
static th_status join_table(struct join *j,
                            const struct th_target_choice *choice,
                            struct th_error *err)
{
  struct th_dataset *dataset = j->data->dataset;
  struct th_store *store = j->data->store;
  const struct th_rows all = {0, store->shape.examples};
  th_status rc;
  TH_TRY(th_target_table_read(&j->table, choice, err));
  TH_TRY(th_dataset_ids(dataset, all, &j->ids, err));
  TH_TRY(TH_NEW(&j->target, all.count, "targets", err));
  TH_TRY(TH_NEW(&j->weight, all.count, "weights", err));
  TH_TRY(TH_NEW(&j->matched, j->table.rows, "the table of targets", err));
  TH_TRY(store->ops->targets(store, all, NULL, j->weight, err));
  TH_TRY(index_rows(j, err));
  TH_TRY(match_examples(j, err));
  fill_missing(j);
done:
  return rc;
}

static bool is_weighted(const struct join *j)
{
  for (int64_t i = 0; j->weight != NULL && i < j->data->store->shape.examples;
       i++)
    if (j->weight[i] != 1)
      return true;
  return false;
}

static void tell_join(const struct join *j, bool trains)
{
  const struct th_shape *shape = &j->data->store->shape;
  char text[512];
  if (j->data->note == NULL)
    return;
  snprintf(
      text, sizeof text,
      "target '%.60s' of %.200s, by %.60s: %lld of %lld examples matched, "
      "%lld of them without a value; %lld are not in the table, %lld of its "
      "rows not in the data; %lld examples count, %lld of them for training",
      j->table.target, j->name,
      j->single && j->table.paired ? "IID" : j->table.ids, (long long)j->common,
      (long long)shape->examples, (long long)j->missing,
      (long long)(shape->examples - j->common),
      (long long)(j->table.rows - j->common), (long long)j->counted,
      (long long)j->training);
  j->data->note(text);
  if (j->table.nines > 0) {
    snprintf(text, sizeof text,
             "%lld rows of %.200s have the target -9, a missing value beside "
             "FID and IID, as in PLINK",
             (long long)j->table.nines, j->name);
    j->data->note(text);
  }
  if (!trains || j->training == shape->training)
    return;
  snprintf(text, sizeof text,
           "means and deviations of attributes are those of all %lld training "
           "examples of %.200s, where a solver does not compute its own",
           (long long)shape->training, j->data->name);
  j->data->note(text);
}

static void free_join(struct join *j)
{
  th_target_table_free(&j->table);
  TH_FREE(j->ids.text, j->slot, j->matched, j->target, j->weight);
}

/* Replicated, local. */
static th_status check_data(const struct th_data *data, struct th_error *err)
{
  if (data->dataset == NULL)
    return th_fail(err, TH_EUSAGE,
                   "{targets} is for a data set, and %s are computed; leave it "
                   "out",
                   data->name);
  if (th_dataset_has_ids(data->dataset))
    return TH_OK;
  return th_fail(err, TH_EDATA,
                 "%s has no IDs, by which {targets} finds its examples; import "
                 "it with {id} COLUMN or {ids} FILE",
                 data->name);
}

th_status th_targets_join(struct th_data *data,
                          const struct th_target_choice *choice, bool trains,
                          struct th_comm *comm, struct th_error *err)
{
  enum { NAME = 4104 }; /* more than the name of a column may have */
  struct join j = {.data = data, .name = choice->table};
  struct {
    int64_t weighted;
    char name[NAME];
  } shared = {.weighted = 0};
  th_status rc;
  TH_TRY(th_agree(comm, check_data(data, err), err));
  if (comm->rank == 0)
    rc = join_table(&j, choice, err);
  TH_TRY(th_agree(comm, rc, err));
  if (comm->rank == 0) {
    shared.weighted = is_weighted(&j);
    snprintf(shared.name, NAME, "%s", j.table.target);
    tell_join(&j, trains);
  }
  comm->ops->bcast(comm, &shared, sizeof shared, 0);
  const struct th_relabelling labels = {.target = j.target,
                                        .weight = j.weight,
                                        .name = shared.name,
                                        .weighted = shared.weighted != 0};
  TH_TRY(th_dataset_relabel(data->dataset, comm, &labels, err));
done:
  free_join(&j);
  return rc;
}
