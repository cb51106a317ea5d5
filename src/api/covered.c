/* covered.c - covariates: attributes of a table beside those of a data set
 * SPDX-License-Identifier: MIT */
#include "api/covered.h"

#include "base/memory.h"
#include "base/search.h"
#include "data/beside.h"
#include "io/dataset/fingerprint.h"
#include "io/files/hash.h"
#include "io/hdf5/message.h"
#include "io/model/covariates_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct th_covered {
  struct th_covariates made; /* with the means of the first set */
  int64_t base;              /* attributes of the data set */
  int64_t sets;              /* of columns, one after the other; */
  double *mean;              /* each has its means */
  struct th_shared values;   /* once a node */
  struct th_statistics *statistics;
  struct th_beside *beside;
};

/* While they are joined, on rank 0. */
struct covering {
  struct th_covered *to;
  struct th_data *data;
  const struct th_covering *how;
  struct th_covariate_table table;
  double *weight;  /* of each example */
  void *packed;    /* the values as th_beside has them */
  int64_t bytes;   /* of these */
  int64_t missing; /* values that a mean stands for */
};

static int64_t covered_columns(const struct th_covered *c)
{
  return c->sets * c->made.count;
}

/* --- Models and their covariates -------------------------------------------
 */

static th_status refuse_several(const struct th_covering *how, int64_t one,
                                int64_t other, struct th_error *err)
{
  return th_fail(err, TH_EUSAGE,
                 "%s and %s have other covariates; apply them one after the "
                 "other",
                 how->path[one], how->path[other]);
}

/* The sets of means of all models that have covariates. Local, replicated. */
static th_status take_means_of_models(struct th_covered *c,
                                      const struct th_covering *how,
                                      struct th_error *err)
{
  int64_t first = -1;
  th_status rc = TH_OK;
  for (int64_t m = 0; m < how->models; m++) {
    const struct th_covariates *has = &how->model[m].covariates;
    if (has->count == 0)
      continue;
    if (first < 0) {
      first = m;
      TH_TRY(th_covariates_file_copy(&c->made, has, err));
      TH_TRY(TH_NEW(&c->mean, how->models * has->count, "means", err));
    }
    if (!th_covariates_alike(has, &c->made))
      return refuse_several(how, first, m, err);
    size_t bytes = (size_t)has->count * sizeof *c->mean;
    bool known = false;
    for (int64_t s = 0; s < c->sets; s++)
      known = known || memcmp(c->mean + s * has->count, has->mean, bytes) == 0;
    if (!known)
      memcpy(c->mean + c->sets++ * has->count, has->mean, bytes);
  }
done:
  return rc;
}

/* --- Means, values and statistics. Rank 0, local. ---------------------------
 */

static const double *covariates_of_example(const struct covering *w,
                                           int64_t example)
{
  int64_t row = w->table.join.row[example];
  return row < 0 ? NULL : w->table.value + row * w->to->made.count;
}

static th_status no_value(const struct covering *w, int64_t a,
                          struct th_error *err)
{
  return th_fail(err, TH_EDATA,
                 "%s: no training example has a value of '%.60s'; name the "
                 "columns that are covariates: {covariates} %s:COLUMN,COLUMN",
                 w->table.file, w->to->made.name[a], w->table.file);
}

/* Those of the training examples that count, by their weights. */
static th_status find_covariate_means(struct covering *w, struct th_error *err)
{
  struct th_covered *c = w->to;
  const int64_t count = c->made.count;
  th_status rc;
  TH_TRY(TH_NEW(&c->mean, count, "means", err));
  TH_TRY(TH_NEW(&c->made.mean, count, "means", err));
  c->sets = 1;
  for (int64_t a = 0; a < count; a++) {
    double sum = 0;
    double weight = 0;
    for (int64_t i = 0; i < w->data->store->shape.training; i++) {
      const double *row = covariates_of_example(w, i);
      if (row == NULL || isnan(row[a]))
        continue;
      sum += w->weight[i] * row[a];
      weight += w->weight[i];
    }
    if (!(weight > 0))
      TH_TRY(no_value(w, a, err));
    c->mean[a] = sum / weight;
    c->made.mean[a] = c->mean[a];
  }
done:
  return rc;
}

static th_status pack_covariates(struct covering *w, struct th_error *err)
{
  const struct th_covered *c = w->to;
  const struct th_shape *shape = &w->data->store->shape;
  const enum th_type type = th_beside_type(shape);
  const int64_t all = covered_columns(c);
  th_status rc = th_alloc(&w->packed, shape->examples * all, th_type_size(type),
                          "covariates", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t i = 0; i < shape->examples; i++) {
    const double *row = covariates_of_example(w, i);
    for (int64_t k = 0; k < all; k++) {
      int64_t a = k % c->made.count;
      bool missing = row == NULL || isnan(row[a]);
      w->missing += missing && row != NULL && k < c->made.count;
      if (!th_type_store(type, w->packed, th_beside_item(shape, all, i, k),
                         missing ? c->mean[k] : row[a]))
        return th_fail(err, TH_EDATA,
                       "%s: the covariate '%.60s' is too large for data of "
                       "type %s; give it in another unit",
                       w->table.file, c->made.name[a],
                       th_type_name(shape->type));
    }
  }
  return TH_OK;
}

/* Of the values as they are stored, by the weights. */
static void measure_covariate(const struct covering *w, int64_t k)
{
  const struct th_shape *shape = &w->data->store->shape;
  const enum th_type type = th_beside_type(shape);
  struct th_statistics *s = &w->to->statistics[k];
  const int64_t all = covered_columns(w->to);
  double weight = 0;
  double sum = 0;
  double square = 0;
  s->lowest = INFINITY;
  s->highest = -INFINITY;
  for (int pass = 0; pass < 2; pass++)
    for (int64_t i = 0; i < shape->training; i++) {
      double value =
          th_type_load(type, w->packed, th_beside_item(shape, all, i, k));
      if (!(w->weight[i] > 0))
        continue;
      weight += pass == 0 ? w->weight[i] : 0;
      sum += pass == 0 ? w->weight[i] * value : 0;
      s->mean = sum / weight;
      s->lowest = fmin(s->lowest, value);
      s->highest = fmax(s->highest, value);
      double off = value - s->mean;
      square += pass == 0 ? 0 : w->weight[i] * off * off;
    }
  s->deviation = weight > 0 ? sqrt(square / weight) : 0;
  if (!(weight > 0)) /* nobody trains */
    *s = (struct th_statistics){0};
}

static void tell_covered(const struct covering *w)
{
  const struct th_data *data = w->data;
  const struct th_id_join *join = &w->table.join;
  char text[TH_ERROR_TEXT];
  if (data->note == NULL)
    return;
  snprintf(text, sizeof text,
           "covariates of %.200s, by %.60s: %lld attributes without a penalty; "
           "%lld of %lld examples matched, %lld values are missing; %lld are "
           "not in the table, %lld of its rows not in the data; means of the "
           "training examples stand for what is missing",
           w->table.file, th_id_join_called(join), (long long)w->to->made.count,
           (long long)join->common, (long long)data->store->shape.examples,
           (long long)w->missing,
           (long long)(data->store->shape.examples - join->common),
           (long long)(join->table.rows - join->common));
  th_error_one_line(text);
  data->note(text);
}

static th_status cover_data(struct covering *w, struct th_error *err)
{
  struct th_covered *c = w->to;
  struct th_store *store = w->data->store;
  const struct th_rows all = {0, store->shape.examples};
  th_status rc;
  TH_TRY(TH_NEW(&w->weight, all.count, "weights", err));
  TH_TRY(store->ops->targets(store, all, NULL, w->weight, err));
  if (w->how->model == NULL) {
    c->made = w->table.found; /* which is not wanted any more */
    w->table.found = (struct th_covariates){0};
    TH_TRY(find_covariate_means(w, err));
  }
  TH_TRY(pack_covariates(w, err));
  w->bytes = all.count * covered_columns(c) *
             (int64_t)th_type_size(th_beside_type(&store->shape));
  TH_TRY(TH_NEW(&c->statistics, covered_columns(c), "covariates", err));
  for (int64_t k = 0; k < covered_columns(c); k++)
    measure_covariate(w, k);
  tell_covered(w);
done:
  return rc;
}

/* --- What every rank has ----------------------------------------------------
 */

static th_status walk_covered(struct th_message *pack, struct th_covered *c,
                              struct th_error *err)
{
  th_status rc;
  TH_TRY(th_covariates_file_pack(pack, &c->made, err));
  TH_TRY(th_message_bytes(pack, &c->sets, sizeof c->sets, err));
  TH_TRY(th_message_array(pack, (void **)&c->mean, covered_columns(c),
                          sizeof *c->mean, err));
  TH_TRY(th_message_array(pack, (void **)&c->statistics, covered_columns(c),
                          sizeof *c->statistics, err));
done:
  return rc;
}

/* Collective. */
static th_status share_recipe(struct th_covered *c, struct th_comm *comm,
                              struct th_error *err)
{
  struct th_message pack = {0};
  th_status rc = TH_OK;
  if (comm->rank == 0)
    rc = walk_covered(&pack, c, err);
  rc = th_message_share(&pack, comm, rc, err);
  if (rc == TH_OK && comm->rank > 0) {
    th_covariates_free(&c->made);
    free(c->mean);
    c->mean = NULL;
    rc = walk_covered(&pack, c, err);
  }
  TH_TRY(th_agree(comm, rc, err));
done:
  th_message_free(&pack);
  return rc;
}

/* Collective. */
static th_status share_covariates(struct covering *w, struct th_comm *comm,
                                  uint64_t *print, struct th_error *err)
{
  struct th_covered *c = w->to;
  th_status rc;
  comm->ops->bcast(comm, &w->bytes, sizeof w->bytes, 0);
  TH_TRY(th_comm_share(comm, (size_t)w->bytes, "covariates", &c->values, err));
  TH_TRY(th_comm_shared_spread(comm, &c->values, 0, w->packed, (size_t)w->bytes,
                               err));
  th_comm_shared_show(&c->values);
  if (comm->rank == 0)
    *print = th_hash(w->packed, (size_t)w->bytes);
  comm->ops->bcast(comm, print, sizeof *print, 0);
done:
  return rc;
}

static void count_covered_memory(struct covering *w, const struct th_comm *comm)
{
  struct th_join_costs *joins = &w->data->joins;
  const struct th_id_join *join = &w->table.join;
  int64_t values =
      join->table.rows * w->to->made.count * (int64_t)sizeof(double);
  int64_t weights = w->data->store->shape.examples * (int64_t)sizeof *w->weight;
  int64_t bytes = join->bytes + values + weights + w->bytes;
  if (comm->rank == 0 && bytes > joins->most)
    joins->most = bytes;
  joins->kept += w->bytes;
}

/* Collective. */
static void free_covered(struct th_covered *covered)
{
  if (covered == NULL)
    return;
  th_beside_free(covered->beside);
  th_comm_shared_free(&covered->values);
  th_covariates_free(&covered->made);
  TH_FREE(covered->mean, covered->statistics, covered);
}

th_status th_covered_open(struct th_data *data, const struct th_covering *how,
                          struct th_comm *comm, struct th_error *err)
{
  struct th_covered *c = NULL;
  struct covering w = {.data = data, .how = how};
  struct th_store *base = data->store;
  uint64_t print = 0;
  th_status rc;
  TH_TRY(th_agree(
      comm, th_id_join_check(data->dataset, data->name, "{covariates}", err),
      err));
  TH_TRY(th_agree(comm, TH_NEW(&c, 1, "covariates", err), err));
  data->covered = c;
  data->uncover = free_covered;
  w.to = c;
  c->base = base->shape.attributes;
  rc = take_means_of_models(c, how, err);
  if (rc == TH_OK && how->model != NULL)
    rc = th_covariates_file_copy(&w.table.found, &c->made, err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(th_covariate_table_open(&w.table, data, how, comm, err));
  if (comm->rank == 0)
    rc = cover_data(&w, err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(share_recipe(c, comm, err));
  TH_TRY(share_covariates(&w, comm, &print, err));
  count_covered_memory(&w, comm);
  const struct th_beside_columns columns = {
      .count = covered_columns(c),
      .values = c->values.data,
      .statistics = c->statistics,
      .fingerprint = th_fingerprint_next(base->fingerprint, print)};
  rc = th_beside_create(&c->beside, base, &columns, err);
  TH_TRY(th_agree(comm, rc, err));
  data->store = th_beside_store(c->beside);
done:
  th_covariate_table_free(&w.table);
  TH_FREE(w.weight, w.packed);
  return rc;
}

const struct th_covariates *th_covered_of(const struct th_data *data)
{
  return data->covered != NULL ? &data->covered->made : NULL;
}

int64_t th_covered_first(const struct th_data *data,
                         const struct th_covariates *covariates)
{
  const struct th_covered *c = data->covered;
  const int64_t count = covariates->count;
  if (c == NULL || !th_covariates_alike(covariates, &c->made))
    return -1;
  for (int64_t s = 0; s < c->sets; s++)
    if (memcmp(c->mean + s * count, covariates->mean,
               (size_t)count * sizeof *c->mean) == 0)
      return c->base + s * count;
  return c->base;
}

th_status th_covered_names_of(struct th_data *data, const int64_t *attribute,
                              int64_t count, char **name, struct th_error *err)
{
  const struct th_covariates *covariates = th_covered_of(data);
  const int64_t d = th_data_attributes(data);
  const int64_t own = th_search_i64(attribute, 0, count, d);
  th_status rc = th_dataset_names_of(data->dataset, attribute, own, name, err);
  for (int64_t k = own; rc == TH_OK && k < count; k++) {
    int64_t place = (attribute[k] - d) % covariates->count;
    name[k] = th_model_copy_string(covariates->name[place]);
    if (name[k] == NULL)
      rc = th_fail(err, TH_ENOMEM, "no memory for names");
  }
  return rc;
}
