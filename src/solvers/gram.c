/* gram.c - second moments of (x_S, 1, y) over rows, the same on every rank
 * SPDX-License-Identifier: MIT */
#include "solvers/gram.h"

#include "core/fixed.h"
#include "core/memory.h"
#include "math/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_ROWS = 256 };

/* One call of th_gram_add: its sizes and work arrays. */
struct job {
  struct th_context *context;
  const struct th_batch *batch;
  const struct th_support *support;
  const double *row_weight;
  const double *target;
  int64_t order;    /* |S| + 2 */
  int64_t groups;   /* of GROUP_ROWS rows */
  int64_t *members; /* size + 1: the first member of S of each rank */
  int64_t *send_bytes;
  int64_t *receive_bytes;
  double *send;
  double *receive;
  double *z;     /* order x GROUP_ROWS */
  double *c;     /* order x order */
  double *unit;  /* order: powers of two that bring |z| below 1 */
  int64_t *sums; /* upper triangle, packed by columns */
  struct th_fixed fixed;
};

th_status th_gram_reset(struct th_gram *gram, int64_t size,
                        struct th_error *err)
{
  int64_t entries = (size + 2) * (size + 2);
  th_status rc = th_grow((void **)&gram->a, &gram->capacity, entries,
                         sizeof *gram->a, "a Gram matrix", err);
  if (rc != TH_OK)
    return rc;
  memset(gram->a, 0, (size_t)entries * sizeof *gram->a);
  gram->size = size;
  gram->rows = 0;
  gram->weight = 0;
  return TH_OK;
}

void th_gram_free(struct th_gram *gram)
{
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
  int64_t d = th_source_shape(job->context->source)->attributes;
  for (int r = 0; r < comm->size; r++)
    job->members[r] =
        th_support_owned(job->support, th_partition_rank(d, r, comm->size))
            .first;
  job->members[comm->size] = job->support->size;
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
    job->unit[k] = power_of_two_above(job->support->bound[k]);
  job->unit[size] = 1;
  job->unit[size + 1] = power_of_two_above(largest);
  if (!th_fixed_init(&job->fixed, heaviest * (double)job->batch->rows))
    return th_fail(err, TH_ENUMERIC, "weights as large as %g are out of range",
                   heaviest);
  return TH_OK;
}

/* Local. */
static th_status prepare(struct job *job, struct th_error *err)
{
  const struct th_comm *comm = job->context->comm;
  int64_t order = job->support->size + 2;
  int64_t mine = job->batch->mine.last - job->batch->mine.first;
  th_status rc;
  job->order = order;
  job->groups = (job->batch->rows + GROUP_ROWS - 1) / GROUP_ROWS;
  TH_TRY(TH_NEW(&job->members, comm->size + 1, "Gram exchange", err));
  TH_TRY(TH_NEW(&job->send_bytes, comm->size, "Gram exchange", err));
  TH_TRY(TH_NEW(&job->receive_bytes, comm->size, "Gram exchange", err));
  TH_TRY(TH_NEW(&job->send, mine * job->batch->rows, "Gram exchange", err));
  TH_TRY(TH_NEW(&job->receive,
                job->support->size * rows_of_rank(job, comm->rank),
                "Gram exchange", err));
  TH_TRY(TH_NEW(&job->z, order * GROUP_ROWS, "Gram columns", err));
  TH_TRY(TH_NEW(&job->c, order * order, "a Gram matrix", err));
  TH_TRY(TH_NEW(&job->unit, order, "Gram scales", err));
  TH_TRY(TH_NEW(&job->sums, order * (order + 1) / 2, "Gram sums", err));
  TH_TRY(choose_scale(job, err));
done:
  return rc;
}

static void release(struct job *job)
{
  free(job->members);
  free(job->send_bytes);
  free(job->receive_bytes);
  free(job->send);
  free(job->receive);
  free(job->z);
  free(job->c);
  free(job->unit);
  free(job->sums);
}

/* Every owner hands its columns of a group's rows to the rank that forms it:
 * group by group, member by member. Collective. */
static void exchange_columns(struct job *job)
{
  struct th_comm *comm = job->context->comm;
  const struct th_batch *batch = job->batch;
  int64_t mine = batch->mine.last - batch->mine.first;
  int64_t formed = rows_of_rank(job, comm->rank);
  double *next = job->send;
  for (int r = 0; r < comm->size; r++) {
    for (int64_t g = r; g < job->groups; g += comm->size) {
      struct th_rows rows = group_rows(job, g);
      for (int64_t k = 0; k < mine; k++, next += rows.count)
        memcpy(next, batch->columns + k * batch->rows + rows.first,
               (size_t)rows.count * sizeof *next);
    }
    job->send_bytes[r] =
        mine * rows_of_rank(job, r) * (int64_t)sizeof *job->send;
    job->receive_bytes[r] = (job->members[r + 1] - job->members[r]) * formed *
                            (int64_t)sizeof *job->receive;
  }
  comm->ops->exchange(comm, job->send, job->send_bytes, job->receive,
                      job->receive_bytes);
}

/* z = sqrt(w) (x_S, 1, y) / unit of one group; `before`: rows of the groups
 * that this rank has formed already. */
static void fill_group(struct job *job, struct th_rows rows, int64_t before)
{
  const struct th_comm *comm = job->context->comm;
  const struct th_batch *batch = job->batch;
  int64_t formed = rows_of_rank(job, comm->rank);
  int64_t size = job->support->size;
  const double *from = job->receive;
  for (int r = 0; r < comm->size; r++) {
    int64_t theirs = job->members[r + 1] - job->members[r];
    for (int64_t k = 0; k < theirs; k++) {
      const double *x = from + theirs * before + k * rows.count;
      double *z = job->z + job->members[r] + k;
      double inverse = 1 / job->unit[job->members[r] + k];
      for (int64_t i = 0; i < rows.count; i++)
        z[i * job->order] = x[i] * inverse;
    }
    from += theirs * formed;
  }
  for (int64_t i = 0; i < rows.count; i++) {
    double *z = job->z + i * job->order;
    int64_t row = rows.first + i;
    double w = batch->weight[row];
    double root = sqrt(job->row_weight ? w * job->row_weight[row] : w);
    z[size] = 1;
    z[size + 1] = job->target[row] / job->unit[size + 1];
    for (int64_t k = 0; k < job->order && root != 1; k++)
      z[k] *= root;
  }
}

/* Local. */
static th_status form_groups(struct job *job, struct th_error *err)
{
  int64_t before = 0;
  bool bad = false;
  for (int64_t g = job->context->comm->rank; g < job->groups;
       g += job->context->comm->size) {
    struct th_rows rows = group_rows(job, g);
    fill_group(job, rows, before);
    th_linalg_gram(job->order, rows.count, job->z, job->c);
    before += rows.count;
    int64_t *sum = job->sums;
    for (int64_t j = 0; j < job->order; j++)
      for (int64_t i = 0; i <= j; i++, sum++) {
        int64_t term = th_fixed_from(&job->fixed, job->c[i + j * job->order]);
        bad |= term == TH_FIXED_BAD;
        *sum += bad ? 0 : term;
      }
  }
  if (bad)
    return th_fail(err, TH_ENUMERIC,
                   "a stored value lies outside of its attribute's recorded "
                   "range; check the data set with thresher inspect --check");
  return TH_OK;
}

static void add_sums(const struct job *job, struct th_gram *gram)
{
  const int64_t *sum = job->sums;
  for (int64_t j = 0; j < job->order; j++)
    for (int64_t i = 0; i <= j; i++, sum++) {
      double value =
          th_fixed_to(&job->fixed, *sum) * job->unit[i] * job->unit[j];
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
                    .target = target ? target : batch->target};
  th_status rc;
  th_profile_begin(context->profile);
  TH_TRY(th_agree(context->comm, prepare(&job, err), err));
  find_members(&job);
  exchange_columns(&job);
  TH_TRY(th_agree(context->comm, form_groups(&job, err), err));
  context->comm->ops->sum_i64(context->comm, job.sums,
                              (size_t)(job.order * (job.order + 1) / 2));
  add_sums(&job, gram);
  gram->rows += (double)batch->rows;
  gram->weight = th_gram_at(gram, support->size, support->size);
done:
  th_profile_end(context->profile, TH_PHASE_GRAM);
  release(&job);
  return rc;
}
