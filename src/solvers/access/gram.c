/* gram.c - second moments of (x_S, 1, y) over rows, the same on every rank
 * SPDX-License-Identifier: MIT */
#include "solvers/access/gram.h"

#include "base/integer.h"
#include "base/memory.h"
#include "math/kernels/column.h"
#include "math/linalg.h"
#include "ranks/fixed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TH_GRAM_ROWS = 256 }; /* of a group */

/* One call of th_gram_add. */
struct th_gram_job {
  struct th_context *context;
  const struct th_batch *batch;
  const struct th_support *support;
  const double *row_weight;
  const double *target;
  struct th_gram_room *room;
  int64_t order;  /* |S| + 2 */
  int64_t groups; /* of TH_GRAM_ROWS rows */
  struct th_fixed fixed;
};

static th_status gram_form(struct th_gram_job *job, struct th_error *err);

/* Entries of the upper triangle's columns before this one. */
static inline int64_t gram_triangle(int64_t column)
{
  return column * (column + 1) / 2;
}

static int64_t entries(int64_t size)
{
  return (size + 2) * (size + 2);
}

static th_status reset(struct th_gram *gram, int64_t size, struct th_error *err)
{
  th_status rc = TH_GROW(&gram->a, &gram->capacity, entries(size),
                         "the Gram matrix of the support", err);
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
  th_status rc = reset(gram, size, err);
  return grows ? th_agree(context->comm, rc, err) : rc;
}

void th_gram_describe(struct th_gram *gram, struct th_state *state)
{
  th_state_enter(state, "gram");
  TH_STATE_AT_MOST(state, gram, size, INT64_C(1) << 24);
  TH_STATE_ONE(state, gram, rows);
  TH_STATE_ONE(state, gram, weight);
  th_state_grow(state,
                (struct th_state_growing){"a", TH_STATE_F64, 1,
                                          (void **)&gram->a, &gram->capacity},
                entries(gram->size));
  th_state_leave(state);
}

static void free_ranks(struct th_gram_room *room)
{
  TH_FREE(room->members, room->send_bytes, room->receive_bytes);
  room->members = room->send_bytes = room->receive_bytes = NULL;
  room->ranks = 0;
}

static void free_order(struct th_gram_room *room)
{
  TH_FREE(room->z, room->c, room->unit, room->sums);
  room->z = room->c = room->unit = NULL;
  room->sums = NULL;
  room->order = 0;
}

void th_gram_free(struct th_gram *gram)
{
  free_ranks(&gram->room);
  free_order(&gram->room);
  TH_FREE(gram->room.send, gram->room.receive, gram->a);
  *gram = (struct th_gram){0};
}

static struct th_rows gram_group(const struct th_gram_job *job, int64_t group)
{
  int64_t first = group * TH_GRAM_ROWS;
  int64_t count = job->batch->rows - first;
  return (struct th_rows){first, count < TH_GRAM_ROWS ? count : TH_GRAM_ROWS};
}

/* Rows of all groups that a rank forms: group g is formed by rank g mod P. */
static int64_t rows_of_rank(const struct th_gram_job *job, int rank)
{
  int64_t rows = 0;
  for (int64_t g = rank; g < job->groups; g += job->context->comm->size)
    rows += gram_group(job, g).count;
  return rows;
}

static void find_members(struct th_gram_job *job)
{
  const struct th_comm *comm = job->context->comm;
  for (int r = 0; r < comm->size; r++)
    job->room->members[r] =
        th_batch_members(job->batch, job->context, job->support, r).first;
  job->room->members[comm->size] = job->support->size;
}

static double power_of_two_above(double value)
{
  int exponent = 0;
  if (value > 0)
    frexp(value, &exponent);
  return ldexp(1.0, exponent);
}

/* Columns differ in size by many orders of magnitude. A power of two, which is
 * exact, brings each below 1. */
static th_status choose_scale(struct th_gram_job *job, struct th_error *err)
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
    return th_fail(
        err, TH_ENUMERIC,
        "weights reach %g, which is too large; divide them by a constant",
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
  TH_TRY(
      TH_NEW(&room->members, ranks + 1, "the Gram matrix of the support", err));
  TH_TRY(
      TH_NEW(&room->send_bytes, ranks, "the Gram matrix of the support", err));
  TH_TRY(TH_NEW(&room->receive_bytes, ranks, "the Gram matrix of the support",
                err));
  room->ranks = ranks;
done:
  return rc;
}

/* Reserve a quarter more than is wanted, as S grows a little at a time. */
static th_status reserve_order(struct th_gram_room *room, int64_t wanted,
                               struct th_error *err)
{
  int64_t order = wanted + wanted / 4;
  th_status rc = TH_OK;
  if (wanted <= room->order)
    return rc;
  free_order(room);
  int64_t whole = th_column_products_tiles(order) * TH_PRODUCTS_TILE;
  TH_TRY(TH_NEW(&room->z, whole * TH_GRAM_ROWS,
                "the Gram matrix of the support", err));
  TH_TRY(TH_NEW(&room->c, whole * TH_PRODUCTS_STRIP * TH_PRODUCTS_TILE,
                "the Gram matrix of the support", err));
  TH_TRY(TH_NEW(&room->unit, order, "the Gram matrix of the support", err));
  TH_TRY(TH_NEW(&room->sums, order * (order + 1) / 2 + 1,
                "the Gram matrix of the support", err));
  room->order = order;
done:
  return rc;
}

/* Local. */
static th_status reserve_job(struct th_gram_job *job, struct th_error *err)
{
  const struct th_comm *comm = job->context->comm;
  struct th_gram_room *room = job->room;
  int64_t mine = th_range_count(job->batch->mine);
  th_status rc;
  job->order = job->support->size + 2;
  job->groups = (job->batch->rows + TH_GRAM_ROWS - 1) / TH_GRAM_ROWS;
  int64_t formed = rows_of_rank(job, comm->rank);
  TH_TRY(reserve_ranks(room, comm->size, err));
  TH_TRY(reserve_order(room, job->order, err));
  TH_TRY(TH_GROW(&room->send, &room->send_capacity,
                 mine * (job->batch->rows - formed),
                 "the Gram matrix of the support", err));
  TH_TRY(TH_GROW(&room->receive, &room->receive_capacity,
                 (job->support->size - mine) * formed,
                 "the Gram matrix of the support", err));
  TH_TRY(choose_scale(job, err));
done:
  return rc;
}

/* Every owner sends its columns on a group's rows to the rank that forms the
 * group: group by group, member by member. A rank's own columns on its own
 * groups are not sent. Collective. */
static void exchange_columns(struct th_gram_job *job)
{
  struct th_comm *comm = job->context->comm;
  const struct th_batch *batch = job->batch;
  struct th_gram_room *room = job->room;
  int64_t mine = th_range_count(batch->mine);
  int64_t formed = rows_of_rank(job, comm->rank);
  double *next = room->send;
  for (int r = 0; r < comm->size; r++) {
    bool other = r != comm->rank;
    for (int64_t g = r; other && g < job->groups; g += comm->size) {
      struct th_rows rows = gram_group(job, g);
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

static void add_gram_sums(const struct th_gram_job *job, struct th_gram *gram)
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
  struct th_gram_job job = {.context = context,
                            .batch = batch,
                            .support = support,
                            .row_weight = row_weight,
                            .target = target ? target : batch->target,
                            .room = &gram->room};
  th_status rc;
  th_comm_profile_begin(context->profile);
  TH_TRY(th_agree(context->comm, reserve_job(&job, err), err));
  find_members(&job);
  exchange_columns(&job);
  rc = gram_form(&job, err);
  TH_TRY(th_comm_sum_agree(context->comm, job.room->sums,
                           (size_t)gram_triangle(job.order), rc, err));
  add_gram_sums(&job, gram);
  gram->rows += (double)batch->rows;
  gram->weight = th_gram_at(gram, support->size, support->size);
done:
  th_comm_profile_end(context->profile, TH_PHASE_GRAM);
  return rc;
}

double th_gram_squares(const struct th_gram *gram, const double *coef,
                       double intercept, const bool *leave_out)
{
  const int64_t n = gram->size;
  double sum = th_gram_at(gram, n + 1, n + 1);
  for (int64_t j = 0; j <= n; j++) {
    double rest = -2 * th_gram_at(gram, j, n + 1);
    if (j < n && leave_out != NULL && leave_out[j])
      continue;
    for (int64_t i = 0; i <= n; i++)
      if (i == n || leave_out == NULL || !leave_out[i])
        rest += th_gram_at(gram, i, j) * (i < n ? coef[i] : intercept);
    sum += (j < n ? coef[j] : intercept) * rest;
  }
  return sum;
}

/* --- The groups of rows that a rank forms --------------------------------- */

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
static void weigh_members(struct th_gram_job *job, struct th_rows rows)
{
  const struct th_batch *batch = job->batch;
  int64_t size = job->support->size;
  size_t rest = (size_t)(th_column_products_whole(rows.count) - rows.count);
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
  weigh_members(job, rows);
}

/* Add the sums of columns first .. last - 1 of one group to those of all
 * groups. */
static bool add_columns(struct th_gram_job *job, int64_t first, int64_t last,
                        int64_t stride)
{
  bool good = true;
  for (int64_t j = first; j < last; j++)
    good &= th_fixed_add(&job->fixed, 1, job->room->c + (j - first) * stride,
                         j + 1, job->room->sums + gram_triangle(j));
  return good;
}

/* Add the upper triangle of a group's z z', in strips of columns. */
static bool add_group_products(struct th_gram_job *job, struct th_rows rows)
{
  struct th_gram_room *room = job->room;
  int64_t tiles = th_column_products_tiles(job->order);
  struct th_products p = {.rows = th_column_products_whole(rows.count),
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
    th_column_products_add(&p);
    good &= add_columns(job, first * TILE,
                        th_min_i64(p.left_tiles * TILE, job->order), p.stride);
  }
  return good;
}

/* Form this rank's groups: room->sums. TH_ENUMERIC where a value is larger than
 * its attribute's bound. */
static th_status gram_form(struct th_gram_job *job, struct th_error *err)
{
  struct th_gram_room *room = job->room;
  int64_t before = 0;
  bool good = true;
  memset(room->sums, 0, (size_t)gram_triangle(job->order) * sizeof *room->sums);
  for (int64_t g = job->context->comm->rank; g < job->groups;
       g += job->context->comm->size) {
    struct th_rows rows = gram_group(job, g);
    fill_group(job, rows, before);
    good &= add_group_products(job, rows);
    before += rows.count;
  }
  if (!good)
    return th_fail(err, TH_ENUMERIC,
                   "a stored value lies outside of its attribute's recorded "
                   "range; check the data set with thresher inspect --check");
  return TH_OK;
}

/* --- Normal equations of (x_S, 1), solved on rank 0 ----------------------- */

static const double collinear = 1e-10; /* pivot against diagonal */

static void fill_equations(const struct th_gram_equations *e, double *a,
                           double *b)
{
  int64_t n = e->gram->size + 1;
  for (int64_t j = 0; j < n; j++) {
    bool member = j < e->gram->size;
    for (int64_t i = 0; i < n; i++)
      a[i + j * n] = th_gram_at(e->gram, i, j);
    b[j] = th_gram_at(e->gram, j, n);
    if (member && e->ridge != NULL) {
      a[j + j * n] += e->ridge[j];
      b[j] -= e->ridge[j] * e->coef[j];
    }
    if (member && e->keep != NULL && !e->keep[j])
      a[j + j * n] = 0; /* left out as if collinear */
  }
  if (e->intercept)
    return;
  for (int64_t i = 0; i < n; i++)
    a[i + (n - 1) * n] = a[n - 1 + i * n] = i == n - 1;
  b[n - 1] = 0;
}

/* Local, on rank 0. */
static th_status solve_here(const struct th_gram_equations *equations,
                            double *solution, struct th_error *err)
{
  int64_t n = equations->gram->size + 1;
  double *a = NULL;
  double *b = NULL;
  bool *kept = NULL;
  th_status rc;
  TH_TRY(TH_NEW(&a, n * n, "normal equations", err));
  TH_TRY(TH_NEW(&b, n, "normal equations", err));
  TH_TRY(TH_NEW(&kept, n, "normal equations", err));
  fill_equations(equations, a, b);
  TH_TRY(th_linalg_solve(&(struct th_linalg_system){n, a, b, collinear},
                         solution, NULL, kept, err));
done:
  TH_FREE(a, b, kept);
  return rc;
}

th_status th_gram_solve(const struct th_gram_equations *equations,
                        struct th_context *context, double **solution,
                        struct th_error *err)
{
  struct th_comm *comm = context->comm;
  int64_t n = equations->gram->size + 1;
  double *made = NULL;
  th_status rc = TH_NEW(&made, n, "normal equations", err);
  th_comm_profile_begin(context->profile);
  if (rc == TH_OK && comm->rank == 0)
    rc = solve_here(equations, made, err);
  rc = th_agree(comm, rc, err);
  if (rc == TH_OK)
    comm->ops->bcast(comm, made, (size_t)n * sizeof *made, 0);
  th_comm_profile_end(context->profile, TH_PHASE_SOLVE);
  if (rc == TH_OK)
    *solution = made;
  else
    free(made);
  return rc;
}
