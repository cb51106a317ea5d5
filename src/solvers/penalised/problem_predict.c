/* problem_predict.c - predictions of a sparse model on all training examples
 * SPDX-License-Identifier: MIT */
#include "core/fixed.h"
#include "core/memory.h"
#include "math/kernels/kernels.h"
#include "solvers/penalised/problem.h"

#include <math.h>

/* A sum of predictions in fixed point. */
struct shares {
  struct th_problem *problem;
  const int64_t *attribute;
  const double *coef;
  int64_t count;
  struct th_fixed fixed;
  double *column; /* of a row group */
  int64_t *sums;  /* rows + 1 */
};

/* Add this rank's share on the examples of one row group. Local. */
static th_status share_group(struct shares *s, struct th_rows rows,
                             struct th_error *err)
{
  struct th_context *context = s->problem->context;
  struct th_range mine =
      th_range_members(s->attribute, s->count, context->owned);
  struct th_draw draw = {.rows = {.items = &rows, .count = 1},
                         .support = s->attribute,
                         .support_size = s->count};
  th_status rc = th_source_draw(context->source, &draw, err);
  bool good = true;
  for (int64_t k = mine.first; k < mine.last && rc == TH_OK; k++) {
    int64_t at = s->attribute[k] - context->owned.first;
    struct th_slab slab;
    rc = th_source_support(context->source, &draw, rows, s->attribute[k], &slab,
                           err);
    if (rc != TH_OK)
      break;
    th_kernel_column(&slab, context->centre[at], context->scale[at], s->column);
    good &= th_fixed_add(&s->fixed, s->coef[k], s->column, rows.count,
                         s->sums + rows.first);
  }
  if (rc == TH_OK && !good)
    rc = th_fail(err, TH_ENUMERIC,
                 "a stored value lies outside of its attribute's recorded "
                 "range; check the data set with thresher inspect --check");
  return rc;
}

/* Local. */
static th_status share_all(struct shares *s, struct th_error *err)
{
  const struct th_shape *shape = th_source_shape(s->problem->context->source);
  th_status rc;
  TH_TRY(
      TH_NEW(&s->column, shape->row_group, "the values of an attribute", err));
  for (int64_t first = 0; first < shape->training;) {
    struct th_rows rows = th_shape_rest(shape, first);
    TH_TRY(share_group(s, rows, err));
    first += rows.count;
  }
done:
  return rc;
}

/* Find the scale, from a bound on the predictions of all ranks. Collective. */
static th_status find_scale(struct shares *s, struct th_error *err)
{
  struct th_context *context = s->problem->context;
  struct th_range mine =
      th_range_members(s->attribute, s->count, context->owned);
  double largest = 0;
  for (int64_t k = mine.first; k < mine.last; k++) {
    double bound = context->bound[s->attribute[k] - context->owned.first];
    largest = fmax(largest, fabs(s->coef[k]) * bound);
  }
  context->comm->ops->max_f64(context->comm, &largest, 1);
  if (th_fixed_init(&s->fixed, largest * (double)s->count))
    return TH_OK;
  return th_fail(err, TH_ENUMERIC,
                 "predictions may reach %g, which is too large; standardize",
                 largest * (double)s->count);
}

th_status th_problem_predict(struct th_problem *p, const int64_t *attribute,
                             const double *coef, int64_t count,
                             double intercept, double *prediction,
                             struct th_error *err)
{
  struct th_comm *comm = p->context->comm;
  struct shares s = {
      .problem = p, .attribute = attribute, .coef = coef, .count = count};
  th_status rc = TH_NEW(&s.sums, p->rows + 1, "predictions", err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(find_scale(&s, err));
  rc = share_all(&s, err);
  TH_TRY(th_comm_sum_agree(comm, s.sums, (size_t)p->rows, rc, err));
  th_fixed_read(&s.fixed, intercept, s.sums, p->rows, prediction);
done:
  TH_FREE(s.column, s.sums);
  return rc;
}
