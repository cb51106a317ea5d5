/* memory_store.c - a store of plain arrays, for tests of what stands on stores
 * SPDX-License-Identifier: MIT */
#include "memory_store.h"

#include "ranks/partition.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Entries of a tile lie behind START_OFFSET others, as in a flat data set. */
enum { START_OFFSET = 7 };

/* One shard x one row group of sparse values. */
struct memory_tile {
  int64_t runs;
  uint32_t *attribute; /* counted from the shard's first */
  uint32_t *start;
  uint16_t *row;
  void *values;
};

static int64_t smaller(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static int64_t cut_of(const struct memory_store *m)
{
  return m->cut > 0 ? m->cut : m->store.shape.attributes;
}

/* The row group of a row: test examples begin a group of their own. */
static int64_t group_of(const struct th_shape *shape, int64_t row)
{
  int64_t training_groups =
      (shape->training + shape->row_group - 1) / shape->row_group;
  if (row < shape->training)
    return row / shape->row_group;
  return training_groups + (row - shape->training) / shape->row_group;
}

static struct th_rows group_rows(const struct th_shape *shape, int64_t group)
{
  int64_t training_groups =
      (shape->training + shape->row_group - 1) / shape->row_group;
  bool training = group < training_groups;
  int64_t limit = training ? shape->training : shape->examples;
  int64_t first =
      training ? group * shape->row_group
               : shape->training + (group - training_groups) * shape->row_group;
  return (struct th_rows){first, smaller(shape->row_group, limit - first)};
}

static void dense_slab(const struct memory_store *m, struct th_rows rows,
                       struct th_slab *slab)
{
  const struct th_shape *shape = &m->store.shape;
  int64_t stride = th_type_whole(shape->type, shape->examples);
  int64_t at = slab->attributes.first * stride + rows.first;
  const char *values = m->stored != NULL ? m->stored : (const void *)m->values;
  slab->values = values + th_type_offset(shape->type, at);
  slab->stride = stride;
}

static void sparse_slab(const struct memory_store *m, int64_t group,
                        struct th_slab *slab)
{
  int64_t shard = slab->attributes.first / cut_of(m);
  int64_t groups = group_of(&m->store.shape, m->store.shape.examples - 1) + 1;
  const struct memory_tile *tile = &m->tile[shard * groups + group];
  int64_t first = 0;
  int64_t last = tile->runs;
  slab->base = shard * cut_of(m);
  while (first < last &&
         slab->base + tile->attribute[first] < slab->attributes.first)
    first++;
  while (last > first &&
         slab->base + tile->attribute[last - 1] >= slab->attributes.last)
    last--;
  int64_t at = (int64_t)tile->start[first] - tile->start[0];
  slab->runs = last - first;
  slab->attribute = tile->attribute + first;
  slab->start = tile->start + first;
  slab->row_in_group = tile->row + at;
  slab->values = (const char *)tile->values +
                 at * (int64_t)th_type_size(m->store.shape.type);
}

static th_status slab_of(struct th_store *store, struct th_rows rows,
                         struct th_range range, bool keep, struct th_slab *slab,
                         struct th_error *err)
{
  const struct memory_store *m = (const struct memory_store *)store;
  const struct th_shape *shape = &store->shape;
  int64_t cut = cut_of(m);
  int64_t group = group_of(shape, rows.first);
  struct th_rows all = group_rows(shape, group);
  (void)keep;
  if (rows.first + rows.count > all.first + all.count)
    return th_fail(err, TH_EARG, "rows of more than one row group");
  range.last = smaller(range.last, (range.first / cut + 1) * cut);
  *slab = (struct th_slab){.layout = shape->layout,
                           .type = shape->type,
                           .attributes = range,
                           .row = rows.first - all.first,
                           .rows = (int32_t)rows.count};
  if (shape->layout == TH_DENSE)
    dense_slab(m, rows, slab);
  else
    sparse_slab(m, group, slab);
  store->bytes_read += rows.count * (range.last - range.first) *
                       (int64_t)th_type_size(shape->type);
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

/* Cells cost more and less, in turn. */
static th_status cost_of(struct th_store *store, struct th_comm *comm,
                         int64_t *cost, struct th_error *err)
{
  static const int64_t units[] = {1, 27, 3, 9};
  const struct memory_store *m = (const struct memory_store *)store;
  int64_t cells = (store->shape.attributes + TH_CELL - 1) / TH_CELL;
  (void)comm;
  (void)err;
  for (int64_t c = 0; c < cells; c++)
    cost[c] += m->placed ? units[c % 4] : 1;
  return TH_OK;
}

static const struct th_store_ops memory_ops = {.slab = slab_of,
                                               .targets = targets_of,
                                               .statistics = statistics_of,
                                               .cost = cost_of};

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
  m->store.shape =
      (struct th_shape){.examples = examples,
                        .training = training,
                        .attributes = attributes,
                        .row_group = th_partition_row_group_size(examples),
                        .layout = TH_DENSE,
                        .type = TH_F32};
  m->values = room(examples * attributes, sizeof *m->values);
  m->target = room(examples, sizeof *m->target);
  m->statistics = room(attributes, sizeof *m->statistics);
  return m;
}

double *memory_store_weights(const struct memory_store *m)
{
  double *weight = room(m->store.shape.examples, sizeof *weight);
  for (int64_t i = 0; i < m->store.shape.examples; i++)
    weight[i] = 1;
  return weight;
}

static void put(enum th_type type, void *array, int64_t index, double value)
{
  if (!th_type_store(type, array, index, value)) {
    fprintf(stderr, "memory_store: %g is no %s\n", value, th_type_name(type));
    exit(1);
  }
}

static void fill_tile(const struct memory_store *m, struct th_range shard,
                      struct th_rows rows, struct memory_tile *tile)
{
  const struct th_shape *shape = &m->store.shape;
  int64_t width = shard.last - shard.first;
  int64_t at = 0;
  tile->attribute = room(width, sizeof *tile->attribute);
  tile->start = room(width + 1, sizeof *tile->start);
  tile->row = room(width * rows.count, sizeof *tile->row);
  tile->values = room(width * rows.count, th_type_size(shape->type));
  tile->start[0] = START_OFFSET;
  for (int64_t j = shard.first; j < shard.last; j++) {
    const float *x = m->values + j * shape->examples + rows.first;
    int64_t before = at;
    for (int64_t i = 0; i < rows.count; i++)
      if (x[i] != 0) {
        tile->row[at] = (uint16_t)i;
        put(shape->type, tile->values, at++, (double)x[i]);
      }
    if (at == before)
      continue;
    tile->attribute[tile->runs++] = (uint32_t)(j - shard.first);
    tile->start[tile->runs] = (uint32_t)(START_OFFSET + at);
  }
}

static void store_sparse(struct memory_store *m)
{
  const struct th_shape *shape = &m->store.shape;
  int64_t cut = cut_of(m);
  int64_t shards = (shape->attributes + cut - 1) / cut;
  int64_t groups = group_of(shape, shape->examples - 1) + 1;
  m->tiles = shards * groups;
  m->tile = room(m->tiles, sizeof *m->tile);
  for (int64_t t = 0; t < m->tiles; t++) {
    int64_t first = t / groups * cut;
    struct th_range shard = {first, smaller(first + cut, shape->attributes)};
    fill_tile(m, shard, group_rows(shape, t % groups), &m->tile[t]);
  }
}

static void store_dense(struct memory_store *m)
{
  const struct th_shape *shape = &m->store.shape;
  int64_t count = shape->examples * shape->attributes;
  if (shape->type == TH_F32)
    return;
  int64_t stride = th_type_whole(shape->type, shape->examples);
  m->stored = room(stride * shape->attributes, th_type_size(shape->type));
  for (int64_t k = 0; k < count; k++)
    put(shape->type, m->stored,
        k / shape->examples * stride + k % shape->examples,
        (double)m->values[k]);
}

static void form_statistics(struct memory_store *m)
{
  int64_t n = m->store.shape.training;
  for (int64_t j = 0; j < m->store.shape.attributes; j++) {
    const float *x = m->values + j * m->store.shape.examples;
    struct th_statistics s = {0, 0, INFINITY, -INFINITY};
    for (int64_t i = 0; i < n; i++) {
      s.mean += (double)x[i];
      s.lowest = fmin(s.lowest, (double)x[i]);
      s.highest = fmax(s.highest, (double)x[i]);
    }
    s.mean /= (double)n;
    for (int64_t i = 0; i < n; i++)
      s.deviation += ((double)x[i] - s.mean) * ((double)x[i] - s.mean);
    s.deviation = sqrt(s.deviation / (double)n);
    m->statistics[j] = s;
  }
}

void memory_store_finish(struct memory_store *m)
{
  m->store.shape.weighted = m->weight != NULL;
  form_statistics(m);
  if (m->store.shape.layout == TH_SPARSE)
    store_sparse(m);
  else
    store_dense(m);
}

void memory_store_free(struct memory_store *m)
{
  th_partition_placement_free(&m->store.placement);
  for (int64_t t = 0; t < m->tiles; t++) {
    free(m->tile[t].attribute);
    free(m->tile[t].start);
    free(m->tile[t].row);
    free(m->tile[t].values);
  }
  free(m->tile);
  free(m->stored);
  free(m->values);
  free(m->target);
  free(m->weight);
  free(m->statistics);
  free(m);
}
