/* targets.c - targets from a table, joined to data by the IDs of their examples
 * SPDX-License-Identifier: MIT */
#include "api/targets.h"

#include "base/memory.h"
#include "io/targets/id_join.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A join on rank 0. */
struct join {
  struct th_data *data;
  struct th_id_join of;
  double *target; /* of each example, in stored order */
  double *weight;
  int64_t missing; /* of those that have a row, without a target or a weight */
  int64_t counted; /* examples that count; of these, for training */
  int64_t training;
  int64_t positives; /* of those that count, of the class that is 1 */
};

/* Give an example its row's target and weight, or weight 0. One that had weight
 * 0 before is stored apart, and keeps it. */
static void label_example(struct join *j, int64_t i)
{
  const struct th_shape *shape = &j->data->store->shape;
  const int64_t row = j->of.row[i];
  const struct th_target_row *r = &j->of.table.row[row < 0 ? 0 : row];
  bool known = row >= 0 && !isnan(r->target) && !isnan(r->weight);
  j->missing += row >= 0 && !known;
  j->target[i] = known ? r->target : (double)NAN;
  if (!known)
    j->weight[i] = 0;
  else if (j->of.table.weighted && i < shape->examples - shape->weightless)
    j->weight[i] = r->weight;
  bool counts = j->weight[i] > 0;
  j->counted += counts;
  j->training += counts && i < shape->training;
  j->positives += counts && r->target > 0;
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
  struct th_data *data = j->data;
  const struct th_rows all = {0, data->store->shape.examples};
  th_status rc;
  j->of.beside = 2 * (int64_t)sizeof(double);
  TH_TRY(th_id_join_read(&j->of, choice, data->room, err));
  TH_TRY(TH_NEW(&j->target, all.count, "targets", err));
  TH_TRY(TH_NEW(&j->weight, all.count, "weights", err));
  TH_TRY(data->store->ops->targets(data->store, all, NULL, j->weight, err));
  for (int64_t i = 0; i < all.count; i++)
    label_example(j, i);
  fill_missing(j);
  if (j->training == 0 && all.count > 0)
    rc = th_fail(err, TH_EDATA,
                 "%s: no training example of %s has a target '%.60s' and a "
                 "weight above 0; name another column with {target}",
                 j->of.name, data->name, j->of.table.target);
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

static void note_join(const struct th_data *data, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void note_join(const struct th_data *data, const char *format, ...)
{
  char text[TH_ERROR_TEXT];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  th_error_one_line(text);
  if (data->note != NULL)
    data->note(text);
}

/* What is 1, and what -1. */
static void tell_classes_joined(const struct join *j)
{
  const struct th_target_table *table = &j->of.table;
  if (table->positive[0] == '\0')
    return;
  note_join(j->data,
            "target '%.60s': class '%s' is 1, of %lld examples that count; %s "
            "is -1, of %lld%s",
            table->target, table->positive, (long long)j->positives,
            table->others.count == 1 && !table->others.more
                ? table->others.name[0]
                : "every other one",
            (long long)(j->counted - j->positives),
            table->zeros > 0 ? "; 0 is missing, as in PLINK" : "");
}

static void tell_join(const struct join *j, bool trains)
{
  const struct th_data *data = j->data;
  const struct th_target_table *table = &j->of.table;
  const struct th_shape *shape = &data->store->shape;
  note_join(
      data,
      "target '%.60s' of %.200s, by %.60s: %lld of %lld examples matched, "
      "%lld of them without a value; %lld are not in the table, %lld of its "
      "rows not in the data; %lld examples count, %lld of them for training",
      table->target, j->of.name, th_id_join_called(&j->of),
      (long long)j->of.common, (long long)shape->examples,
      (long long)j->missing, (long long)(shape->examples - j->of.common),
      (long long)(table->rows - j->of.common), (long long)j->counted,
      (long long)j->training);
  if (table->nines > 0)
    note_join(data,
              "%lld rows of %.200s have the target -9, a missing value beside "
              "FID and IID, as in PLINK",
              (long long)table->nines, j->of.name);
  tell_classes_joined(j);
  if (trains && j->training < shape->training)
    note_join(data,
              "means and deviations of attributes are those of all %lld "
              "training examples of %.200s, where a solver does not compute "
              "its own",
              (long long)shape->training, data->name);
}

static void free_join(struct join *j)
{
  th_id_join_free(&j->of);
  TH_FREE(j->target, j->weight);
}

/* What other ranks want to know. */
enum { NAME = 4104 }; /* more than the name of a column may have */

struct joined {
  int64_t weighted;
  int64_t bytes;
  char name[NAME];
  char positive[TH_CLASS_ROOM];
  struct th_class_set others;
};

static void tell_ranks(const struct join *j, struct joined *shared)
{
  const struct th_target_table *table = &j->of.table;
  shared->weighted = is_weighted(j);
  shared->bytes = j->of.bytes;
  snprintf(shared->name, NAME, "%s", table->target);
  memcpy(shared->positive, table->positive, sizeof shared->positive);
  if (!table->others.more)
    shared->others = table->others;
}

/* The words of missing values that a model keeps for other tables. */
static const char *kept_missing(const struct th_target_choice *choice)
{
  bool refused =
      choice->missing != NULL && strcmp(choice->missing, "error") == 0;
  return refused ? NULL : choice->missing;
}

th_status th_targets_join(struct th_data *data,
                          const struct th_target_choice *choice, bool trains,
                          struct th_comm *comm, struct th_error *err)
{
  struct join j = {.data = data,
                   .of = {.dataset = data->dataset, .data = data->name}};
  struct joined shared = {.weighted = 0};
  const char *other[TH_CLASSES_KEPT];
  th_status rc;
  TH_TRY(th_agree(comm,
                  th_id_join_check(data->dataset, data->name, "{targets}", err),
                  err));
  if (comm->rank == 0)
    rc = join_table(&j, choice, err);
  TH_TRY(th_agree(comm, rc, err));
  if (comm->rank == 0) {
    tell_ranks(&j, &shared);
    tell_join(&j, trains);
    data->joins.most = shared.bytes;
  }
  comm->ops->bcast(comm, &shared, sizeof shared, 0);
  data->joins.kept = 2 * data->store->shape.examples * (int64_t)sizeof(double);
  for (int64_t k = 0; k < shared.others.count; k++)
    other[k] = shared.others.name[k];
  const struct th_relabelling labels = {.target = j.target,
                                        .weight = j.weight,
                                        .name = shared.name,
                                        .positive = shared.positive,
                                        .missing = kept_missing(choice),
                                        .other = other,
                                        .others = shared.others.count,
                                        .weighted = shared.weighted != 0};
  TH_TRY(th_dataset_relabel(data->dataset, comm, &labels, err));
done:
  free_join(&j);
  return rc;
}
