/* batch_predict.c - the rows of one update: predictions and residuals
 *
 * An update waits longest for the sum of predictions over the ranks. Here this
 * sum overlaps with reading and with the gradient.
 * SPDX-License-Identifier: MIT */
#include "core/fixed.h"
#include "core/integer.h"
#include "solvers/data/batch_parts.h"

#include <math.h>
#include <string.h>

/* Fewer rows are not worth a sum of their own, as a non-blocking sum takes some
 * 0.1 ms more than a blocking one (thresher bench). */
enum { SLICE_ROWS = 8192 };

/* The pipeline of a batch's predictions. Slice t holds the draws t * draws ..
 * (t + 1) * draws - 1, and a flag follows its sums. */
struct pipeline {
  struct th_batch *batch;
  struct th_context *context;
  const struct th_batch_request *request;
  bool observe; /* the support's values have still to be read */
  int64_t slices;
  int64_t draws; /* of a slice, but for the last */
  struct th_fixed fixed;
  double loss;  /* weighted sum over the rows so far */
  th_status rc; /* this rank's status so far */
};

/* Every product is rounded by itself. The scale follows from a bound on the
 * whole sum, which every rank knows. */
static th_status fixed_scale(const struct th_support *support,
                             struct th_fixed *fixed, struct th_error *err)
{
  double bound = 0;
  for (int64_t k = 0; k < support->size; k++)
    bound += fabs(support->coef[k]) * support->bound[k];
  if (!th_fixed_init(fixed, bound))
    return th_fail(
        err, TH_ENUMERIC,
        "predictions may reach %g, which is too large; standardize, or "
        "take a smaller step size",
        bound);
  return TH_OK;
}

/* Draws of slice t. */
static struct th_range slice_draws(const struct pipeline *f, int64_t t)
{
  int64_t all = f->batch->draws;
  return (struct th_range){th_min_i64(t * f->draws, all),
                           th_min_i64((t + 1) * f->draws, all)};
}

static struct th_range slice_rows(const struct pipeline *f, int64_t t)
{
  struct th_range draws = slice_draws(f, t);
  const int64_t *row = f->batch->draw_row;
  return (struct th_range){row[draws.first], row[draws.last]};
}

static int64_t *slice_sums(const struct pipeline *f, int64_t t)
{
  return f->batch->sums + slice_rows(f, t).first + t;
}

/* This rank's share of the predictions of a slice. Local. */
static th_status share_slice(struct pipeline *f, int64_t t,
                             struct th_error *err)
{
  const struct th_batch *batch = f->batch;
  struct th_range rows = slice_rows(f, t);
  int64_t *sums = slice_sums(f, t);
  bool good = true;
  memset(sums, 0, (size_t)(rows.last - rows.first) * sizeof *sums);
  for (int64_t k = batch->mine.first; k < batch->mine.last; k++) {
    const double *x = batch->columns + (k - batch->mine.first) * batch->rows;
    double coef = f->request->support->coef[k];
    if (coef != 0)
      good &= th_fixed_add(&f->fixed, coef, x + rows.first,
                           rows.last - rows.first, sums);
  }
  if (good)
    return TH_OK;
  return th_fail(err, TH_ENUMERIC,
                 "a stored value lies outside of its attribute's recorded "
                 "range; check the data set with thresher inspect --check");
}

/* Local. */
static void observe_slice(struct pipeline *f, int64_t t, struct th_error *err)
{
  if (f->rc != TH_OK || !f->observe)
    return;
  th_profile_begin(f->context->profile);
  f->rc = th_batch_observe_draws(f->batch, f->context, f->request->support,
                                 slice_draws(f, t), err);
  th_profile_end(f->context->profile, TH_PHASE_SUPPORT);
}

/* Local. */
static void form_residuals(struct pipeline *f, int64_t t)
{
  struct th_batch *batch = f->batch;
  const struct th_loss *loss = f->request->loss;
  struct th_range rows = slice_rows(f, t);
  const int64_t count = rows.last - rows.first;
  double *residual = batch->residual + rows.first;
  double *prediction = batch->prediction + rows.first;
  const double *target = batch->target + rows.first;
  th_fixed_read(&f->fixed, f->request->support->intercept, slice_sums(f, t),
                count, prediction);
  th_loss_values(loss, count, prediction, target, residual);
  for (int64_t i = rows.first; i < rows.last; i++)
    f->loss += batch->weight[i] * batch->residual[i];
  th_loss_derivatives(loss, count, prediction, target, residual);
  for (int64_t i = rows.first; i < rows.last; i++) {
    batch->residual[i] *= batch->weight[i];
    batch->residual32[i] = (float)batch->residual[i];
  }
}

/* Visit the blocks of a slice whose residuals are known. Local. */
static void visit_slice(struct pipeline *f, int64_t t, struct th_error *err)
{
  struct th_batch *batch = f->batch;
  if (f->request->visit == NULL || batch->visited != TH_OK)
    return;
  th_profile_begin(f->context->profile);
  batch->visited = th_batch_visit(batch, f->context, slice_draws(f, t),
                                  f->request->visit, f->request->self, err);
  th_profile_end(f->context->profile, TH_PHASE_GRADIENT);
}

static size_t slice_size(const struct pipeline *f, int64_t t)
{
  struct th_range rows = slice_rows(f, t);
  return (size_t)(rows.last - rows.first);
}

/* End the sum of slice t - 1 and begin that of slice t. A single slice is
 * summed by one blocking call. Collective. */
static th_status sum_slices(struct pipeline *f, int64_t t, struct th_error *err)
{
  struct th_comm *comm = f->context->comm;
  th_status rc = TH_OK;
  if (t < f->slices && f->rc == TH_OK)
    f->rc = share_slice(f, t, err);
  if (t > 0 && f->slices == 1)
    rc =
        th_comm_sum_agree(comm, slice_sums(f, 0), slice_size(f, 0), f->rc, err);
  else if (t > 0)
    rc = th_comm_sum_agree_finish(comm, slice_sums(f, t - 1),
                                  slice_size(f, t - 1), f->rc, err);
  if (rc != TH_OK)
    return rc;
  if (t < f->slices && f->slices > 1)
    th_comm_sum_agree_start(comm, slice_sums(f, t), slice_size(f, t), f->rc);
  if (t > 0)
    form_residuals(f, t - 1);
  return TH_OK;
}

static void cut_slices(struct pipeline *f)
{
  const struct th_batch *batch = f->batch;
  int64_t wanted = th_min_i64(batch->rows / SLICE_ROWS, TH_MOST_SLICES);
  f->draws = th_integer_ceil_divide(batch->draws, wanted > 1 ? wanted : 1);
  f->slices = th_integer_ceil_divide(batch->draws, f->draws);
}

/* Announce all reads, in the order of run_pipeline(). Local. */
static void announce(struct pipeline *f)
{
  struct th_batch *batch = f->batch;
  const struct th_batch_request *request = f->request;
  struct th_range all = {0, batch->draws};
  th_source_forget(f->context->source);
  for (int64_t t = 0; t <= f->slices; t++) {
    if (t < f->slices)
      th_batch_announce(batch, f->context, request->support, slice_draws(f, t));
    if (t > 0 && request->visit != NULL)
      th_batch_announce_blocks(batch, f->context, slice_draws(f, t - 1));
  }
  if (request->visit == NULL) /* the caller may visit them later */
    th_batch_announce_blocks(batch, f->context, all);
}

/* While slice t is summed, slice t + 1 is read and the blocks of slice t - 1
 * are visited. Collective. */
static th_status run_pipeline(struct pipeline *f, struct th_error *err)
{
  struct th_batch *batch = f->batch;
  th_status rc = fixed_scale(f->request->support, &f->fixed, err);
  if (rc != TH_OK)
    return rc; /* the same on every rank: coefficients are replicated */
  cut_slices(f);
  if (f->observe && f->rc == TH_OK)
    announce(f);
  batch->visited = TH_OK;
  for (int64_t t = 0; t <= f->slices; t++) {
    if (t < f->slices)
      observe_slice(f, t, err);
    th_profile_begin(f->context->profile);
    rc = sum_slices(f, t, err);
    th_profile_end(f->context->profile, TH_PHASE_PREDICT);
    if (rc != TH_OK)
      return rc;
    if (t > 0)
      visit_slice(f, t - 1, err);
  }
  batch->loss = batch->weight_sum > 0 ? f->loss / batch->weight_sum : 0;
  return TH_OK;
}

th_status th_batch_evaluate(struct th_batch *batch, struct th_context *context,
                            const struct th_batch_request *request,
                            bool *complete, struct th_error *err)
{
  struct pipeline f = {
      .batch = batch, .context = context, .request = request, .observe = true};
  f.rc = th_batch_take(batch, context, request, complete, err);
  return *complete ? run_pipeline(&f, err) : f.rc;
}

th_status th_batch_validate(struct th_batch *batch, struct th_context *context,
                            struct th_range units,
                            const struct th_support *support,
                            struct th_error *err)
{
  const struct th_batch_request request = {.support = support,
                                           .loss = context->loss};
  struct pipeline f = {
      .batch = batch, .context = context, .request = &request, .observe = true};
  f.rc = th_batch_take_units(batch, context, units, support, err);
  if (batch->rows == 0) /* some rank had no room for them */
    return f.rc;
  return run_pipeline(&f, err);
}

th_status th_batch_residual(struct th_batch *batch, struct th_context *context,
                            const struct th_support *support,
                            const struct th_loss *loss, struct th_error *err)
{
  const struct th_batch_request request = {.support = support, .loss = loss};
  struct pipeline f = {.batch = batch, .context = context, .request = &request};
  return run_pipeline(&f, err);
}
