/* covariance.c - products of gathered columns: new ones with all
 * SPDX-License-Identifier: MIT */
#include "solvers/exact/covariance.h"

#include "base/integer.h"
#include "base/memory.h"
#include "math/kernels/column.h"

#include <string.h>

enum {
  ROWS = TH_PRODUCTS_ROWS,
  TILE = TH_PRODUCTS_TILE,
  STRIP = TH_PRODUCTS_STRIP * TILE, /* columns on the right at a time */
  TASK_ITEMS = STRIP * TILE,        /* products of a task */
  MOST_SPARE = 1 << 23              /* bytes that are kept for the next sums */
};

/* New columns on the left, in tiles; old and new ones on the right, in strips.
 * A task is a tile times a strip. Tasks are numbered strip by strip; tiles
 * above the diagonal of the new columns are left out. Every rank has a share of
 * the tasks. The products of task k lie from k * TASK_ITEMS on, even if a strip
 * is short. */
struct growth {
  const struct th_covariance *covariance;
  const struct th_replicated_columns *columns;
  const double *root_eta;
  int64_t first;      /* new columns begin here */
  int64_t last;       /* and end here */
  int64_t tiles;      /* of new columns */
  int64_t old_strips; /* strips of old columns, which come first */
  int64_t strips;
  double *left;  /* ROWS x TILE * tiles: all new columns on a piece's rows */
  double *right; /* ROWS x STRIP: old ones */
  double *sum;   /* TASK_ITEMS for each task; of the node */
};

/* The tasks of one strip that belong to a share. */
struct run {
  struct th_range tasks;
  struct th_range right; /* slots */
  int64_t tile;          /* the first on the left */
  int64_t tiles;
};

void th_covariance_free(struct th_covariance *c)
{
  th_comm_shared_free(&c->memory);
  th_comm_shared_free(&c->sums);
  TH_FREE(c->alone, c->mean);
  *c = (struct th_covariance){0};
}

/* Slots that there is room for where so many are wanted: pages behind the last
 * of them take memory once they are written. */
static int64_t capacity_for(int64_t count)
{
  return th_integer_ceil_divide(count + count / 4, 8) * 8;
}

/* All new columns on a piece's rows. */
int64_t th_covariance_bytes(int64_t count)
{
  return count * ROWS * (int64_t)sizeof(double);
}

/* While room is made for the last slots, the products are there twice; nothing
 * is written behind the last ones. */
int64_t th_covariance_shared_bytes(int64_t count)
{
  return count * (capacity_for(count) + count / 2) * (int64_t)sizeof(double);
}

/* Every rank of the node has read what is there, or sees what was written. */
static void meet_node(struct th_covariance *c)
{
  if (c->memory.ops != NULL) /* several ranks have made products */
    th_comm_shared_show(&c->memory);
}

static bool is_writer(const struct th_covariance *c)
{
  return c->alone != NULL || c->memory.writer;
}

/* A single rank's products move to their new places in the same memory, the
 * last ones first. Local. */
static th_status widen_alone(struct th_covariance *c, int64_t capacity,
                             struct th_error *err)
{
  int64_t old = c->capacity;
  th_status rc = TH_LENGTHEN(&c->alone, &c->room, capacity * capacity,
                             "products of attributes", err);
  if (rc != TH_OK)
    return rc;
  c->product = c->alone;
  for (int64_t j = c->count - 1; j > 0; j--)
    memmove(c->product + j * capacity, c->product + j * old,
            (size_t)c->count * sizeof *c->product);
  return rc;
}

/* Products move to other memory of the node. Collective. */
static th_status widen_shared(struct th_covariance *c, struct th_comm *comm,
                              int64_t capacity, struct th_error *err)
{
  struct th_shared made = {0};
  th_status rc =
      th_comm_share(comm, (size_t)(capacity * capacity) * sizeof *c->product,
                    "products of attributes", &made, err);
  if (rc != TH_OK)
    return rc;
  double *to = made.data;
  for (int64_t j = 0; j < c->count && made.writer; j++)
    memcpy(to + j * capacity, c->product + j * c->capacity,
           (size_t)c->count * sizeof *to);
  th_comm_shared_show(&made);
  th_comm_shared_free(&c->memory);
  c->memory = made;
  c->product = to;
  return rc;
}

/* Room for so many slots. Collective. */
static th_status reserve(struct th_covariance *c, struct th_comm *comm,
                         int64_t count, struct th_error *err)
{
  int64_t capacity = capacity_for(count);
  th_status rc = TH_OK;
  if (count <= c->capacity)
    return rc;
  rc = TH_WIDEN(&c->mean, c->capacity, capacity, "means of attributes", err);
  TH_TRY(th_agree(comm, rc, err));
  if (comm->size == 1)
    TH_TRY(widen_alone(c, capacity, err));
  else
    TH_TRY(widen_shared(c, comm, capacity, err));
  c->capacity = capacity;
done:
  return rc;
}

/* Tiles above the diagonal in strip s. */
static int64_t tiles_left_out(const struct growth *g, int64_t s)
{
  return th_max_i64(s - g->old_strips, 0) * TH_PRODUCTS_STRIP;
}

/* Tasks before strip s. */
static int64_t tasks_before(const struct growth *g, int64_t s)
{
  int64_t among = th_max_i64(s - g->old_strips, 0);
  return s * g->tiles - among * (among - 1) / 2 * TH_PRODUCTS_STRIP;
}

static int64_t all_tasks(const struct growth *g)
{
  return tasks_before(g, g->strips);
}

static struct th_range strip_at(const struct growth *g, int64_t s)
{
  int64_t first = s * STRIP;
  if (s < g->old_strips)
    return (struct th_range){first, th_min_i64(first + STRIP, g->first)};
  first += g->first - g->old_strips * STRIP;
  return (struct th_range){first, th_min_i64(first + STRIP, g->last)};
}

static struct run run_at(const struct growth *g, int64_t s,
                         struct th_range share)
{
  int64_t begin = tasks_before(g, s);
  struct th_range tasks = th_range_intersect(
      (struct th_range){begin, tasks_before(g, s + 1)}, share);
  return (struct run){tasks, strip_at(g, s),
                      tasks.first - begin + tiles_left_out(g, s),
                      th_range_count(tasks)};
}

/* Unpack columns on some examples, ROWS apart. Zeros fill up the lanes. */
static void unpack_columns(const struct growth *g, struct th_range slots,
                           struct th_range examples, double *out)
{
  int64_t count = th_range_count(examples);
  size_t rest = (size_t)(th_column_products_whole(count) - count);
  for (int64_t k = slots.first; k < slots.last; k++, out += ROWS) {
    th_column_unpack(&g->columns->vector[k], examples.first, count,
                     g->covariance->mean[k], g->root_eta + examples.first, out);
    memset(out + count, 0, rest * sizeof *out);
  }
}

/* Add these examples to the products of a run. */
static void add_run(const struct growth *g, int64_t s, const struct run *run,
                    struct th_range examples)
{
  bool old = s < g->old_strips;
  if (old)
    unpack_columns(g, run->right, examples, g->right);
  const struct th_products p = {
      .rows = th_column_products_whole(th_range_count(examples)),
      .lead = ROWS,
      .left = g->left + run->tile * TILE * ROWS,
      .right = old ? g->right : g->left + (run->right.first - g->first) * ROWS,
      .left_tiles = run->tiles,
      .right_tiles = th_column_products_tiles(th_range_count(run->right)),
      .sum = g->sum + run->tasks.first * TASK_ITEMS,
      .stride = run->tiles * TILE};
  th_column_products_add(&p);
}

/* Form the products of a share of the tasks, piece by piece. Local. */
static void form_products(const struct growth *g, struct th_range share)
{
  if (share.first == share.last)
    return;
  for (int64_t i = 0; i < g->columns->examples; i += ROWS) {
    struct th_range examples = {i, th_min_i64(i + ROWS, g->columns->examples)};
    unpack_columns(g, (struct th_range){g->first, g->last}, examples, g->left);
    for (int64_t s = 0; s < g->strips; s++) {
      struct run run = run_at(g, s, share);
      if (run.tiles > 0)
        add_run(g, s, &run, examples);
    }
  }
}

/* Store the products of a run at both of their places. */
static void store_run(const struct growth *g, const struct run *run,
                      struct th_covariance *c)
{
  const double *sum = g->sum + run->tasks.first * TASK_ITEMS;
  int64_t stride = run->tiles * TILE;
  int64_t first = g->first + run->tile * TILE;
  int64_t last = th_min_i64(first + stride, g->last);
  for (int64_t j = first; j < last; j++)
    for (int64_t k = run->right.first; k < run->right.last; k++)
      c->product[j * c->capacity + k] =
          sum[(k - run->right.first) * stride + j - first];
  for (int64_t k = run->right.first; k < run->right.last; k++)
    memcpy(c->product + k * c->capacity + first,
           sum + (k - run->right.first) * stride,
           (size_t)(last - first) * sizeof *sum);
}

/* Store the products of all ranks. Runs are cut where a share ends. Local. */
static void store_all(const struct growth *g, int size, struct th_covariance *c)
{
  for (int rank = 0; rank < size; rank++)
    for (int64_t s = 0; s < g->strips; s++) {
      struct run run = run_at(g, s, th_range_part(all_tasks(g), rank, size));
      if (run.tiles > 0)
        store_run(g, &run, c);
    }
}

/* Local. */
static th_status prepare(struct growth *g, struct th_error *err)
{
  int64_t added = g->last - g->first;
  th_status rc;
  g->tiles = th_column_products_tiles(added);
  g->old_strips = th_integer_ceil_divide(g->first, STRIP);
  g->strips = g->old_strips + th_integer_ceil_divide(added, STRIP);
  TH_TRY(
      TH_NEW(&g->left, g->tiles * TILE * ROWS, "products of attributes", err));
  TH_TRY(TH_NEW(&g->right, STRIP * ROWS, "products of attributes", err));
done:
  return rc;
}

/* Room for the sums of all tasks. Collective. */
static th_status reserve_sums(struct growth *g, struct th_covariance *c,
                              struct th_comm *comm, struct th_error *err)
{
  int64_t bytes = all_tasks(g) * TASK_ITEMS * (int64_t)sizeof *g->sum;
  th_status rc = TH_OK;
  if (bytes > c->sums_bytes) {
    th_comm_shared_free(&c->sums);
    c->sums_bytes = 0;
    rc = th_comm_share(comm, (size_t)bytes, "products of attributes", &c->sums,
                       err);
  }
  if (rc != TH_OK)
    return rc;
  c->sums_bytes = th_max_i64(c->sums_bytes, bytes);
  g->sum = c->sums.data;
  return rc;
}

static void drop_sums(struct th_covariance *c)
{
  if (c->sums_bytes <= MOST_SPARE)
    return;
  th_comm_shared_free(&c->sums);
  c->sums_bytes = 0;
}

/* Each rank forms a share of the products; every node has all of them.
 * Collective. */
static th_status form_all(const struct growth *g, struct th_covariance *c,
                          struct th_comm *comm, struct th_error *err)
{
  int64_t tasks = all_tasks(g);
  int64_t task = TASK_ITEMS * (int64_t)sizeof *g->sum;
  int64_t *bytes = NULL;
  th_status rc = TH_NEW(&bytes, comm->size, "products of attributes", err);
  TH_TRY(th_agree(comm, rc, err));
  for (int r = 0; r < comm->size; r++)
    bytes[r] = th_range_count(th_range_part(tasks, r, comm->size)) * task;
  struct th_range share = th_range_part(tasks, comm->rank, comm->size);
  memset(g->sum + share.first * TASK_ITEMS, 0, (size_t)bytes[comm->rank]);
  form_products(g, share);
  th_comm_shared_join(comm, &c->sums, bytes);
done:
  free(bytes);
  return rc;
}

th_status th_covariance_grow(struct th_covariance *covariance,
                             const struct th_replicated_columns *columns,
                             struct th_comm *comm, const double *eta,
                             const double *root_eta, bool centred,
                             struct th_error *err)
{
  struct growth g = {.covariance = covariance,
                     .columns = columns,
                     .root_eta = root_eta,
                     .first = covariance->count,
                     .last = columns->count};
  th_status rc;
  if (g.first == g.last)
    return TH_OK;
  TH_TRY(th_agree(comm, prepare(&g, err), err));
  TH_TRY(reserve(covariance, comm, g.last, err));
  TH_TRY(reserve_sums(&g, covariance, comm, err));
  for (int64_t k = g.first; k < g.last; k++)
    covariance->mean[k] = centred ? th_column_dot(&columns->vector[k], eta) : 0;
  TH_TRY(form_all(&g, covariance, comm, err));
  if (is_writer(covariance))
    store_all(&g, comm->size, covariance);
  meet_node(covariance);
  drop_sums(covariance);
  covariance->count = g.last;
done:
  TH_FREE(g.left, g.right);
  return rc;
}

void th_covariance_keep(struct th_covariance *c, const bool *keep)
{
  int64_t kept = 0;
  meet_node(c);
  for (int64_t j = 0; j < c->count; j++) {
    if (!keep[j])
      continue;
    int64_t at = 0;
    for (int64_t k = 0; k < c->count && is_writer(c); k++)
      if (keep[k])
        c->product[kept * c->capacity + at++] = c->product[j * c->capacity + k];
    c->mean[kept++] = c->mean[j];
  }
  c->count = kept;
  meet_node(c);
}

/* Least curvature along a step, over the expected one. */
static const double convex = 1e-3;

static void add_curvature(struct th_covariance *c, const double *change,
                          double real, const double *expected, double model)
{
  for (int64_t j = 0; j < c->count; j++) {
    double *row = c->product + j * c->capacity;
    for (int64_t k = 0; k < c->count; k++)
      row[k] +=
          change[j] * change[k] / real - expected[j] * expected[k] / model;
  }
}

void th_covariance_learn(struct th_covariance *c, const double *step,
                         const double *change, const double *expected)
{
  double real = 0;
  double model = 0;
  for (int64_t j = 0; j < c->count; j++) {
    real += step[j] * change[j];
    model += step[j] * expected[j];
  }
  if (!(real > convex * model && model > 0))
    return;
  meet_node(c);
  if (is_writer(c))
    add_curvature(c, change, real, expected, model);
  meet_node(c);
}

/* --- Products of sparse columns, from their entries by rows --------------- */

/* The slot of each column, -1 if it has none. Local. */
static th_status name_columns(const struct th_replicated_columns *columns,
                              int64_t count, int64_t **name,
                              struct th_error *err)
{
  th_status rc = TH_NEW(name, count, "the attributes of the working set", err);
  for (int64_t k = 0; rc == TH_OK && k < count; k++)
    (*name)[k] = -1;
  for (int64_t slot = 0; rc == TH_OK && slot < columns->count; slot++)
    (*name)[columns->attribute[slot]] = slot;
  return rc;
}

/* Turn sums of pairs into centred products, at both of their places. */
static void centre_products(struct th_covariance *c, int64_t first,
                            int64_t last, double sum_h)
{
  for (int64_t j = first; j < last; j++)
    for (int64_t k = 0; k <= j; k++) {
      double *here = &c->product[j * c->capacity + k];
      double *there = &c->product[k * c->capacity + j];
      if (k >= first && k < j)
        *here += *there;
      *here -= sum_h * c->mean[j] * c->mean[k];
      *there = *here;
    }
}

static void clear_products(struct th_covariance *c, int64_t first, int64_t last)
{
  for (int64_t j = first; j < last; j++)
    memset(c->product + j * c->capacity, 0, (size_t)last * sizeof *c->product);
}

th_status th_covariance_grow_rows(struct th_covariance *c,
                                  const struct th_replicated_columns *columns,
                                  const struct th_rowwise *rowwise,
                                  int64_t count,
                                  const struct th_covariance_weights *weights,
                                  struct th_comm *comm, struct th_error *err)
{
  const double *h = weights->h;
  struct th_rowwise_entry *work = NULL;
  int64_t *name = NULL;
  int64_t first = c->count;
  int64_t last = columns->count;
  th_status rc = TH_OK;
  if (first == last)
    return rc;
  rc = name_columns(columns, count, &name, err);
  if (rc == TH_OK)
    rc = TH_NEW(&work, rowwise->longest, "products of attributes", err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(reserve(c, comm, last, err));
  for (int64_t k = first; k < last; k++)
    c->mean[k] = weights->centred && weights->sum > 0
                     ? th_column_dot(&columns->vector[k], h) / weights->sum
                     : 0;
  meet_node(c);
  if (is_writer(c)) {
    clear_products(c, first, last);
    th_rowwise_products(rowwise, h, name, first, c->capacity, c->product, work);
    centre_products(c, first, last, weights->sum);
  }
  meet_node(c);
  c->count = last;
done:
  TH_FREE(name, work);
  return rc;
}
