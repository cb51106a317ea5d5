/* gram.c - second moments of (x_S, 1, y) over rows, the same on every rank
 * SPDX-License-Identifier: MIT */
#include "solvers/gram.h"

#include "core/fixed.h"
#include "core/integer.h"
#include "core/memory.h"
#include "math/products.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_ROWS = 256, TILE = TH_PRODUCTS_TILE, STRIP = TH_PRODUCTS_STRIP };

/* One call of th_gram_add. */
struct job {
  struct th_context *context;
  const struct th_batch *batch;
  const struct th_support *support;
  const double *row_weight;
  const double *target;
  struct th_gram_room *room;
  int64_t order;  /* |S| + 2 */
  int64_t groups; /* of GROUP_ROWS rows */
  struct th_fixed fixed;
};

static int64_t entries(int64_t size)
{
  return (size + 2) * (size + 2);
}

th_status th_gram_reset(struct th_gram *gram, int64_t size,
                        struct th_error *err)
{
  th_status rc = th_grow((void **)&gram->a, &gram->capacity, entries(size),
                         sizeof *gram->a, "a Gram matrix", err);
  if (rc != TH_OK)
    return rc;
  memset(gram->a, 0, (size_t)entries(size) * sizeof *gram->a);
  gram->size = size;
  gram->rows = 0;
  gram->weight = 0;
  return TH_OK;
}

th_status th_gram_start(struct th_gram *gram, struct th_context *context,
                        int64_t size, struct th_error *err)
{
  bool grows = entries(size) > gram->capacity; /* on every rank alike */
  th_status rc = th_gram_reset(gram, size, err);
  return grows ? th_agree(context->comm, rc, err) : rc;
}

static void free_ranks(struct th_gram_room *room)
{
  free(room->members);
  free(room->send_bytes);
  free(room->receive_bytes);
  room->members = room->send_bytes = room->receive_bytes = NULL;
  room->ranks = 0;
}

static void free_order(struct th_gram_room *room)
{
  free(room->z);
  free(room->c);
  free(room->unit);
  free(room->sums);
  room->z = room->c = room->unit = NULL;
  room->sums = NULL;
  room->order = 0;
}

void th_gram_free(struct th_gram *gram)
{
  free_ranks(&gram->room);
  free_order(&gram->room);
  free(gram->room.send);
  free(gram->room.receive);
  free(gram->a);
  *gram = (struct th_gram){0};
}

static struct th_rows group_rows(const struct job *job, int64_t group)
{
  int64_t first = group * GROUP_ROWS;
  int64_t count = job->batch->rows - first;
  return (struct th_rows){first, count < GROUP_ROWS ? count : GROUP_ROWS};
}

/* Rows of all groups that a rank forms: group g is formed by rank g mod P. */
static int64_t rows_of_rank(const struct job *job, int rank)
{
  int64_t rows = 0;
  for (int64_t g = rank; g < job->groups; g += job->context->comm->size)
    rows += group_rows(job, g).count;
  return rows;
}

static void find_members(struct job *job)
{
  const struct th_comm *comm = job->context->comm;
  for (int r = 0; r < comm->size; r++)
    job->room->members[r] =
        th_support_owned(job->support,
                         th_source_owned(job->context->source, r, comm->size))
            .first;
  job->room->members[comm->size] = job->support->size;
}

static double power_of_two_above(double value)
{
  int exponent = 0;
  if (value > 0)
    frexp(value, &exponent);
  return ldexp(1.0, exponent);
}

/* Columns differ in size by many orders of magnitude; each is brought below 1
 * by a power of two, which is exact. */
static th_status choose_scale(struct job *job, struct th_error *err)
{
  int64_t size = job->support->size;
  double heaviest = 0;
  double largest = 0;
  for (int64_t i = 0; i < job->batch->rows; i++) {
    double w = job->batch->weight[i];
    heaviest = fmax(heaviest, job->row_weight ? w * job->row_weight[i] : w);
    largest = fmax(largest, fabs(job->target[i]));
  }
  for (int64_t k = 0; k < size; k++)
    job->room->unit[k] = power_of_two_above(job->support->bound[k]);
  job->room->unit[size] = 1;
  job->room->unit[size + 1] = power_of_two_above(largest);
  if (!th_fixed_init(&job->fixed, heaviest * (double)job->batch->rows))
    return th_fail(err, TH_ENUMERIC, "weights as large as %g are out of range",
                   heaviest);
  return TH_OK;
}

static th_status reserve_ranks(struct th_gram_room *room, int64_t ranks,
                               struct th_error *err)
{
  th_status rc = TH_OK;
  if (ranks <= room->ranks)
    return rc;
  free_ranks(room);
  TH_TRY(TH_NEW(&room->members, ranks + 1, "Gram exchange", err));
  TH_TRY(TH_NEW(&room->send_bytes, ranks, "Gram exchange", err));
  TH_TRY(TH_NEW(&room->receive_bytes, ranks, "Gram exchange", err));
  room->ranks = ranks;
done:
  return rc;
}

/* Grows by a quarter more than is wanted: S grows a little at a time. */
static th_status reserve_order(struct th_gram_room *room, int64_t wanted,
                               struct th_error *err)
{
  int64_t order = wanted + wanted / 4;
  th_status rc = TH_OK;
  if (wanted <= room->order)
    return rc;
  free_order(room);
  int64_t whole = th_products_tiles(order) * TILE;
  TH_TRY(TH_NEW(&room->z, whole * GROUP_ROWS, "Gram columns", err));
  TH_TRY(TH_NEW(&room->c, whole * STRIP * TILE, "Gram products", err));
  TH_TRY(TH_NEW(&room->unit, order, "Gram scales", err));
  TH_TRY(TH_NEW(&room->sums, order * (order + 1) / 2 + 1, "Gram sums", err));
  room->order = order;
done:
  return rc;
}

/* Local. */
static th_status prepare(struct job *job, struct th_error *err)
{
  const struct th_comm *comm = job->context->comm;
  struct th_gram_room *room = job->room;
  int64_t mine = job->batch->mine.last - job->batch->mine.first;
  th_status rc;
  job->order = job->support->size + 2;
  job->groups = (job->batch->rows + GROUP_ROWS - 1) / GROUP_ROWS;
  int64_t formed = rows_of_rank(job, comm->rank);
  TH_TRY(reserve_ranks(room, comm->size, err));
  TH_TRY(reserve_order(room, job->order, err));
  TH_TRY(th_grow((void **)&room->send, &room->send_capacity,
                 mine * (job->batch->rows - formed), sizeof *room->send,
                 "Gram exchange", err));
  TH_TRY(th_grow((void **)&room->receive, &room->receive_capacity,
                 (job->support->size - mine) * formed, sizeof *room->receive,
                 "Gram exchange", err));
  TH_TRY(choose_scale(job, err));
done:
  return rc;
}

/* Every owner hands its columns of a group's rows to the rank that forms it:
 * group by group, member by member. What a rank forms from columns of its own
 * stays where it is. Collective. */
static void exchange_columns(struct job *job)
{
  struct th_comm *comm = job->context->comm;
  const struct th_batch *batch = job->batch;
  struct th_gram_room *room = job->room;
  int64_t mine = batch->mine.last - batch->mine.first;
  int64_t formed = rows_of_rank(job, comm->rank);
  double *next = room->send;
  for (int r = 0; r < comm->size; r++) {
    bool other = r != comm->rank;
    for (int64_t g = r; other && g < job->groups; g += comm->size) {
      struct th_rows rows = group_rows(job, g);
      for (int64_t k = 0; k < mine; k++, next += rows.count)
        memcpy(next, batch->columns + k * batch->rows + rows.first,
               (size_t)rows.count * sizeof *next);
    }
    room->send_bytes[r] =
        other * mine * rows_of_rank(job, r) * (int64_t)sizeof *room->send;
    room->receive_bytes[r] = other * (room->members[r + 1] - room->members[r]) *
                             formed * (int64_t)sizeof *room->receive;
  }
  if (comm->size > 1)
    comm->ops->exchange(comm, room->send, room->send_bytes, room->receive,
                        room->receive_bytes);
}

/* Members first .. first + count - 1 of a group's z, from columns that lie
 * `stride` apart. */
static void fill_members(struct job *job, struct th_rows rows, int64_t first,
                         int64_t count, const double *columns, int64_t stride)
{
  for (int64_t k = 0; k < count; k++) {
    const double *x = columns + k * stride;
    double *z = job->room->z + (first + k) * GROUP_ROWS;
    double inverse = 1 / job->room->unit[first + k];
    for (int64_t i = 0; i < rows.count; i++)
      z[i] = x[i] * inverse;
  }
}

/* The constant and the target join the members; all are multiplied by the
 * roots of the rows' weights, and zeros fill up the lanes. */
static void weigh(struct job *job, struct th_rows rows)
{
  const struct th_batch *batch = job->batch;
  int64_t size = job->support->size;
  size_t rest = (size_t)(th_products_whole(rows.count) - rows.count);
  double *constant = job->room->z + size * GROUP_ROWS;
  double *target = constant + GROUP_ROWS;
  double root[GROUP_ROWS];
  for (int64_t i = 0; i < rows.count; i++) {
    int64_t row = rows.first + i;
    double w = batch->weight[row];
    root[i] = sqrt(job->row_weight ? w * job->row_weight[row] : w);
    constant[i] = 1;
    target[i] = job->target[row] / job->room->unit[size + 1];
  }
  for (int64_t k = 0; k < job->order; k++) {
    double *z = job->room->z + k * GROUP_ROWS;
    for (int64_t i = 0; i < rows.count; i++)
      z[i] *= root[i];
    memset(z + rows.count, 0, rest * sizeof *z);
  }
}

/* z = sqrt(w) (x_S, 1, y) / unit of one group; `before`: rows of the groups
 * that this rank has formed already. */
static void fill_group(struct job *job, struct th_rows rows, int64_t before)
{
  const struct th_comm *comm = job->context->comm;
  const struct th_batch *batch = job->batch;
  const int64_t *members = job->room->members;
  int64_t formed = rows_of_rank(job, comm->rank);
  const double *from = job->room->receive;
  for (int r = 0; r < comm->size; r++) {
    int64_t theirs = members[r + 1] - members[r];
    if (r == comm->rank) {
      fill_members(job, rows, members[r], theirs, batch->columns + rows.first,
                   batch->rows);
      continue;
    }
    fill_members(job, rows, members[r], theirs, from + theirs * before,
                 rows.count);
    from += theirs * formed;
  }
  weigh(job, rows);
}

static int64_t triangle(int64_t order)
{
  return order * (order + 1) / 2;
}

/* The sums of columns first .. last - 1, of one group, to those of all. */
static bool add_columns(struct job *job, int64_t first, int64_t last,
                        int64_t stride)
{
  bool good = true;
  for (int64_t j = first; j < last; j++)
    good &= th_fixed_add(&job->fixed, 1, job->room->c + (j - first) * stride,
                         j + 1, job->room->sums + triangle(j));
  return good;
}

/* The upper triangle of a group's z z', strip by strip of its columns. */
static bool add_group(struct job *job, struct th_rows rows)
{
  struct th_gram_room *room = job->room;
  int64_t tiles = th_products_tiles(job->order);
  struct th_products p = {.rows = th_products_whole(rows.count),
                          .lead = GROUP_ROWS,
                          .left = room->z,
                          .sum = room->c,
                          .stride = tiles * TILE};
  bool good = true;
  for (int64_t first = 0; first < tiles; first += STRIP) {
    p.left_tiles = th_smaller(first + STRIP, tiles);
    p.right_tiles = p.left_tiles - first;
    p.right = room->z + first * TILE * GROUP_ROWS;
    memset(room->c, 0,
           (size_t)(p.right_tiles * TILE * p.stride) * sizeof *room->c);
    th_products_add(&p);
    good &= add_columns(job, first * TILE,
                        th_smaller(p.left_tiles * TILE, job->order), p.stride);
  }
  return good;
}

/* Local. */
static th_status form_groups(struct job *job, struct th_error *err)
{
  struct th_gram_room *room = job->room;
  int64_t before = 0;
  bool good = true;
  memset(room->sums, 0, (size_t)triangle(job->order) * sizeof *room->sums);
  for (int64_t g = job->context->comm->rank; g < job->groups;
       g += job->context->comm->size) {
    struct th_rows rows = group_rows(job, g);
    fill_group(job, rows, before);
    good &= add_group(job, rows);
    before += rows.count;
  }
  if (!good)
    return th_fail(err, TH_ENUMERIC,
                   "a stored value lies outside of its attribute's recorded "
                   "range; check the data set with thresher inspect --check");
  return TH_OK;
}

static void add_sums(const struct job *job, struct th_gram *gram)
{
  const int64_t *sum = job->room->sums;
  for (int64_t j = 0; j < job->order; j++)
    for (int64_t i = 0; i <= j; i++, sum++) {
      double value = th_fixed_to(&job->fixed, *sum) * job->room->unit[i] *
                     job->room->unit[j];
      gram->a[i + j * job->order] += value;
      if (i != j)
        gram->a[j + i * job->order] += value;
    }
}

th_status th_gram_add(struct th_gram *gram, struct th_context *context,
                      const struct th_batch *batch,
                      const struct th_support *support,
                      const double *row_weight, const double *target,
                      struct th_error *err)
{
  struct job job = {.context = context,
                    .batch = batch,
                    .support = support,
                    .row_weight = row_weight,
                    .target = target ? target : batch->target,
                    .room = &gram->room};
  th_status rc;
  th_profile_begin(context->profile);
  TH_TRY(th_agree(context->comm, prepare(&job, err), err));
  find_members(&job);
  exchange_columns(&job);
  rc = form_groups(&job, err);
  TH_TRY(th_sum_agree(context->comm, job.room->sums,
                      (size_t)triangle(job.order), rc, err));
  add_sums(&job, gram);
  gram->rows += (double)batch->rows;
  gram->weight = th_gram_at(gram, support->size, support->size);
done:
  th_profile_end(context->profile, TH_PHASE_GRAM);
  return rc;
}
