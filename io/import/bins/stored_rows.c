/* stored_rows.c - the examples of a data set, as rows of an import
 * SPDX-License-Identifier: MIT */
#include "io/import/bins/stored_rows.h"

#include "base/integer.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

th_status th_stored_rows_show_missing(struct th_dataset *data,
                                      struct th_error *err)
{
  const struct th_shape *shape = &th_dataset_store(data)->shape;
  int64_t *attribute = NULL;
  double *mean = NULL;
  th_status rc = TH_OK;
  if (shape->missing == 0)
    return TH_OK;
  TH_TRY(TH_NEW(&attribute, shape->attributes, "attributes", err));
  TH_TRY(TH_NEW(&mean, shape->attributes, "attributes", err));
  for (int64_t a = 0; a < shape->attributes; a++) {
    attribute[a] = a;
    mean[a] = NAN;
  }
  rc = th_dataset_stand_in(data, attribute, mean, shape->attributes, err);
done:
  TH_FREE(attribute, mean);
  return rc;
}

static void put_stored(struct th_text_row *row, int64_t k, double value,
                       bool *fits)
{
  if (isnan(value))
    th_text_row_put_missing(row, k);
  else
    *fits = th_text_row_put(row, k, value) && *fits;
}

/* The values of the rows at hand, row after row. */
static th_status read_stored_dense(struct th_stored_rows *a,
                                   struct th_error *err)
{
  const int64_t d = a->store->shape.attributes;
  struct th_slab slab;
  for (int64_t first = 0; first < d; first = slab.attributes.last) {
    th_status rc = a->store->ops->slab(
        a->store, a->part, (struct th_range){first, d}, false, &slab, err);
    if (rc != TH_OK)
      return rc;
    for (int64_t j = first; j < slab.attributes.last; j++)
      for (int64_t i = 0; i < a->part.count; i++)
        a->values[i * d + j] = th_slab_load(&slab, j - first, i);
  }
  return TH_OK;
}

static th_status add_stored_run(struct th_stored_rows *a,
                                const struct th_slab *slab, int64_t run,
                                struct th_error *err)
{
  struct th_range range = th_slab_entries(slab, run);
  th_status rc = TH_GROW(&a->entry, &a->room,
                         a->entries + th_range_count(range), "values", err);
  for (int64_t e = range.first; rc == TH_OK && e < range.last; e++)
    a->entry[a->entries++] = (struct th_stored_entry){
        slab->row_in_group[e] - slab->row, slab->base + slab->attribute[run],
        th_type_load(slab->type, slab->values, e)};
  return rc;
}

/* The entries of the rows at hand, by row. */
static th_status read_stored_sparse(struct th_stored_rows *a,
                                    struct th_error *err)
{
  const int64_t d = a->store->shape.attributes;
  struct th_slab slab;
  th_status rc = TH_OK;
  a->entries = 0;
  for (int64_t first = 0; first < d; first = slab.attributes.last) {
    TH_TRY(a->store->ops->slab(a->store, a->part, (struct th_range){first, d},
                               false, &slab, err));
    for (int64_t run = 0; run < slab.runs; run++)
      TH_TRY(add_stored_run(a, &slab, run, err));
  }
  TH_TRY(TH_GROW(&a->sorted, &a->sorted_room, a->entries, "values", err));
  memset(a->start, 0, (size_t)(a->part.count + 1) * sizeof *a->start);
  for (int64_t e = 0; e < a->entries; e++)
    a->start[a->entry[e].row + 1]++;
  for (int64_t i = 0; i < a->part.count; i++)
    a->start[i + 1] += a->start[i];
  for (int64_t e = 0; e < a->entries; e++)
    a->sorted[a->start[a->entry[e].row]++] = a->entry[e];
  for (int64_t i = a->part.count; i > 0; i--)
    a->start[i] = a->start[i - 1];
  a->start[0] = 0;
done:
  return rc;
}

/* What is known of the rows at hand beside their values. */
static th_status read_stored_labels(struct th_stored_rows *a,
                                    struct th_error *err)
{
  struct th_dataset *data = a->data;
  th_status rc = TH_OK;
  for (int64_t k = 0; k < a->part.count; k++) {
    a->target[k] = NAN; /* there are none */
    a->weight[k] = 1;
  }
  if (!a->store->shape.unlabelled)
    TH_TRY(
        a->store->ops->targets(a->store, a->part, a->target, a->weight, err));
  TH_TRY(th_dataset_row_numbers(data, a->part, a->number, err));
  TH_FREE(a->ids.text);
  a->ids = (struct th_ids){0};
  if (a->has_ids)
    TH_TRY(th_dataset_ids(data, a->part, &a->ids, err));
done:
  return rc;
}

th_status th_stored_rows_begin(struct th_stored_rows *a,
                               struct th_dataset *data, const char *name,
                               bool has_ids, int64_t memory,
                               struct th_error *err)
{
  th_status rc;
  *a = (struct th_stored_rows){.data = data,
                               .name = name,
                               .store = th_dataset_store(data),
                               .has_ids = has_ids};
  const struct th_shape *shape = &a->store->shape;
  const int64_t most = shape->row_group;
  struct th_rows last = {shape->examples - shape->weightless,
                         shape->weightless};
  a->at_once = most;
  TH_TRY(th_stored_rows_show_missing(data, err));
  TH_TRY(TH_NEW(&a->number, most, "examples", err));
  TH_TRY(TH_NEW(&a->target, most, "examples", err));
  TH_TRY(TH_NEW(&a->weight, most, "examples", err));
  TH_TRY(TH_NEW(&a->start, most + 1, "examples", err));
  TH_TRY(TH_NEW(&a->weightless, shape->weightless, "examples", err));
  if (shape->weightless > 0)
    TH_TRY(th_dataset_row_numbers(data, last, a->weightless, err));
  if (shape->layout == TH_SPARSE)
    return rc;
  a->at_once = th_max_i64(th_min_i64(most, memory / 8 / shape->attributes), 1);
  TH_TRY(TH_NEW(&a->values, a->at_once * shape->attributes, "examples", err));
done:
  return rc;
}

void th_stored_rows_end(struct th_stored_rows *a)
{
  TH_FREE(a->number, a->target, a->weight, a->start, a->weightless, a->values,
          a->entry, a->sorted, a->ids.text);
  *a = (struct th_stored_rows){0};
}

th_status th_stored_rows_read(struct th_stored_rows *a, struct th_rows *left,
                              struct th_error *err)
{
  th_status rc;
  a->part = (struct th_rows){left->first, th_min_i64(a->at_once, left->count)};
  left->first += a->part.count;
  left->count -= a->part.count;
  TH_TRY(read_stored_labels(a, err));
  if (a->store->shape.layout == TH_DENSE)
    rc = read_stored_dense(a, err);
  else
    rc = read_stored_sparse(a, err);
done:
  return rc;
}

th_status th_stored_rows_fill(const struct th_stored_rows *a, int64_t k,
                              struct th_text_row *row, struct th_error *err)
{
  const int64_t d = a->store->shape.attributes;
  const bool dense = a->store->shape.layout == TH_DENSE;
  const int64_t count = dense ? d : a->start[k + 1] - a->start[k];
  bool fits = true;
  row->measured = false;
  th_status rc = th_text_row_reset(row, count, err);
  if (rc != TH_OK)
    return rc;
  row->count = count;
  row->target = a->target[k];
  row->weight = a->weight[k];
  row->first = dense ? 0 : -1;
  for (int64_t j = 0; j < count; j++) {
    const struct th_stored_entry *entry =
        dense ? NULL : &a->sorted[a->start[k] + j];
    put_stored(row, j, dense ? a->values[k * d + j] : entry->value, &fits);
    if (!dense)
      row->index[j] = (uint32_t)entry->attribute;
  }
  row->id[0] = '\0';
  if (a->ids.text != NULL)
    snprintf(row->id, sizeof row->id, "%.*s", (int)a->ids.width,
             a->ids.text + (size_t)k * a->ids.width);
  if (!fits)
    return th_fail(err, TH_EDATA,
                   "%s has values that type %s cannot hold; append with {type} "
                   "f32",
                   a->name, th_type_name(row->type));
  return rc;
}
