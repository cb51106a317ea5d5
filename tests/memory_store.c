/* memory_store.c - a store of plain arrays, for tests of what stands on stores
 * SPDX-License-Identifier: MIT */
#include "memory_store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static th_status slab_of(struct th_store *store, struct th_rows rows,
                         struct th_range range, bool keep, struct th_slab *slab,
                         struct th_error *err)
{
  const struct memory_store *m = (const struct memory_store *)store;
  int64_t n = store->shape.examples;
  int64_t row_group = store->shape.row_group;
  int64_t base =
      rows.first < store->shape.training
          ? rows.first / row_group * row_group
          : store->shape.training +
                (rows.first - store->shape.training) / row_group * row_group;
  (void)keep;
  (void)err;
  *slab = (struct th_slab){.layout = TH_DENSE,
                           .type = TH_F32,
                           .attributes = range,
                           .row = rows.first - base,
                           .rows = (int32_t)rows.count,
                           .values = m->values + range.first * n + rows.first,
                           .stride = n};
  store->bytes_read += rows.count * (range.last - range.first) * 4;
  return TH_OK;
}

static th_status targets_of(struct th_store *store, struct th_rows rows,
                            double *target, double *weight,
                            struct th_error *err)
{
  const struct memory_store *m = (const struct memory_store *)store;
  (void)err;
  for (int64_t i = 0; i < rows.count; i++) {
    if (target != NULL)
      target[i] = m->target[rows.first + i];
    if (weight != NULL)
      weight[i] = m->weight != NULL ? m->weight[rows.first + i] : 1;
  }
  return TH_OK;
}

static th_status statistics_of(struct th_store *store, struct th_range range,
                               struct th_statistics *statistics,
                               struct th_error *err)
{
  const struct memory_store *m = (const struct memory_store *)store;
  (void)err;
  if (range.last > range.first)
    memcpy(statistics, m->statistics + range.first,
           (size_t)(range.last - range.first) * sizeof *statistics);
  return TH_OK;
}

static const struct th_store_ops memory_ops = {slab_of, targets_of,
                                               statistics_of};

static void *room(int64_t count, size_t size)
{
  void *p = calloc((size_t)count + 1, size);
  if (p == NULL) {
    fprintf(stderr, "memory_store: out of memory\n");
    exit(1);
  }
  return p;
}

struct memory_store *memory_store_new(int64_t examples, int64_t training,
                                      int64_t attributes)
{
  struct memory_store *m = room(1, sizeof *m);
  m->store.ops = &memory_ops;
  m->store.shape = (struct th_shape){.examples = examples,
                                     .training = training,
                                     .attributes = attributes,
                                     .row_group = th_row_group_size(examples),
                                     .layout = TH_DENSE,
                                     .type = TH_F32};
  m->values = room(examples * attributes, sizeof *m->values);
  m->target = room(examples, sizeof *m->target);
  m->statistics = room(attributes, sizeof *m->statistics);
  return m;
}

void memory_store_finish(struct memory_store *m)
{
  int64_t n = m->store.shape.training;
  for (int64_t j = 0; j < m->store.shape.attributes; j++) {
    const float *x = m->values + j * m->store.shape.examples;
    struct th_statistics s = {0, 0, INFINITY, -INFINITY};
    for (int64_t i = 0; i < n; i++) {
      s.mean += (double)x[i] / (double)n;
      s.lowest = fmin(s.lowest, (double)x[i]);
      s.highest = fmax(s.highest, (double)x[i]);
    }
    for (int64_t i = 0; i < n; i++)
      s.deviation += ((double)x[i] - s.mean) * ((double)x[i] - s.mean);
    s.deviation = sqrt(s.deviation / (double)n);
    m->statistics[j] = s;
  }
}

void memory_store_free(struct memory_store *m)
{
  free(m->values);
  free(m->target);
  free(m->weight);
  free(m->statistics);
  free(m);
}
