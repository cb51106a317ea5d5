/* gram_form.c - the groups of rows that a rank forms
 * SPDX-License-Identifier: MIT */
#include "solvers/data/gram_parts.h"

#include "core/integer.h"
#include "math/kernels/products.h"

#include <math.h>
#include <string.h>

enum { TILE = TH_PRODUCTS_TILE, STRIP = TH_PRODUCTS_STRIP };

/* Members first .. first + count - 1 of a group's z, from columns that lie
 * `stride` apart. */
static void fill_members(struct th_gram_job *job, struct th_rows rows,
                         int64_t first, int64_t count, const double *columns,
                         int64_t stride)
{
  for (int64_t k = 0; k < count; k++) {
    const double *x = columns + k * stride;
    double *z = job->room->z + (first + k) * TH_GRAM_ROWS;
    double inverse = 1 / job->room->unit[first + k];
    for (int64_t i = 0; i < rows.count; i++)
      z[i] = x[i] * inverse;
  }
}

/* Add the constant and the target to the members. All are multiplied by the
 * roots of the rows' weights. Zeros fill up the lanes. */
static void weigh(struct th_gram_job *job, struct th_rows rows)
{
  const struct th_batch *batch = job->batch;
  int64_t size = job->support->size;
  size_t rest = (size_t)(th_products_whole(rows.count) - rows.count);
  double *constant = job->room->z + size * TH_GRAM_ROWS;
  double *target = constant + TH_GRAM_ROWS;
  double root[TH_GRAM_ROWS];
  for (int64_t i = 0; i < rows.count; i++) {
    int64_t row = rows.first + i;
    double w = batch->weight[row];
    root[i] = sqrt(job->row_weight ? w * job->row_weight[row] : w);
    constant[i] = 1;
    target[i] = job->target[row] / job->room->unit[size + 1];
  }
  for (int64_t k = 0; k < job->order; k++) {
    double *z = job->room->z + k * TH_GRAM_ROWS;
    for (int64_t i = 0; i < rows.count; i++)
      z[i] *= root[i];
    memset(z + rows.count, 0, rest * sizeof *z);
  }
}

/* z = sqrt(w) (x_S, 1, y) / unit of one group; `before`: rows of the groups
 * that this rank has formed already. */
static void fill_group(struct th_gram_job *job, struct th_rows rows,
                       int64_t before)
{
  const struct th_comm *comm = job->context->comm;
  const struct th_batch *batch = job->batch;
  const int64_t *members = job->room->members;
  int64_t formed = th_gram_rows_of_rank(job, comm->rank);
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

/* Add the sums of columns first .. last - 1 of one group to those of all
 * groups. */
static bool add_columns(struct th_gram_job *job, int64_t first, int64_t last,
                        int64_t stride)
{
  bool good = true;
  for (int64_t j = first; j < last; j++)
    good &= th_fixed_add(&job->fixed, 1, job->room->c + (j - first) * stride,
                         j + 1, job->room->sums + th_gram_triangle(j));
  return good;
}

/* Add the upper triangle of a group's z z', in strips of columns. */
static bool add_group(struct th_gram_job *job, struct th_rows rows)
{
  struct th_gram_room *room = job->room;
  int64_t tiles = th_products_tiles(job->order);
  struct th_products p = {.rows = th_products_whole(rows.count),
                          .lead = TH_GRAM_ROWS,
                          .left = room->z,
                          .sum = room->c,
                          .stride = tiles * TILE};
  bool good = true;
  for (int64_t first = 0; first < tiles; first += STRIP) {
    p.left_tiles = th_min_i64(first + STRIP, tiles);
    p.right_tiles = p.left_tiles - first;
    p.right = room->z + first * TILE * TH_GRAM_ROWS;
    memset(room->c, 0,
           (size_t)(p.right_tiles * TILE * p.stride) * sizeof *room->c);
    th_products_add(&p);
    good &= add_columns(job, first * TILE,
                        th_min_i64(p.left_tiles * TILE, job->order), p.stride);
  }
  return good;
}

th_status th_gram_form(struct th_gram_job *job, struct th_error *err)
{
  struct th_gram_room *room = job->room;
  int64_t before = 0;
  bool good = true;
  memset(room->sums, 0,
         (size_t)th_gram_triangle(job->order) * sizeof *room->sums);
  for (int64_t g = job->context->comm->rank; g < job->groups;
       g += job->context->comm->size) {
    struct th_rows rows = th_gram_group(job, g);
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
