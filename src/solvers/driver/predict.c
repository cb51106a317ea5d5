/* predict.c - predictions of a model, from the attributes of its support alone
 * SPDX-License-Identifier: MIT */
#include "solvers/driver/predict.h"
#include "base/integer.h"
#include "base/memory.h"
#include "math/kernels/kernels.h"
#include "ranks/fixed.h"
#include "solvers/driver/train.h"

#include <math.h>
#include <string.h>

/* Predictions of a model, row group by row group. */
struct prediction {
  const struct th_model *model;
  struct th_store *store;
  struct th_comm *comm;
  struct th_range mine; /* members whose attributes this rank owns */
  double *terms;        /* mine x rows of a group: coef_k x_ik */
  int64_t *sums;        /* rows of a group */
};

/* The terms of this rank's members; *largest receives the largest magnitude.
 * Local. */
static th_status form_terms(const struct prediction *p, struct th_rows rows,
                            double *largest, struct th_error *err)
{
  const struct th_model *model = p->model;
  struct th_slab slab;
  *largest = 0;
  for (int64_t k = p->mine.first; k < p->mine.last; k++) {
    struct th_range one = {model->support[k], model->support[k] + 1};
    th_status rc = p->store->ops->slab(p->store, rows, one, true, &slab, err);
    if (rc != TH_OK)
      return rc;
    double *term = p->terms + (k - p->mine.first) * rows.count;
    th_kernel_column(&slab, 0, model->coef[k], term);
    for (int64_t i = 0; i < rows.count; i++)
      *largest = fmax(*largest, isfinite(term[i]) ? fabs(term[i]) : INFINITY);
  }
  return TH_OK;
}

/* One row group. Collective. */
static th_status predict_group(const struct prediction *p, struct th_rows rows,
                               double *out, struct th_error *err)
{
  struct th_comm *comm = p->comm;
  struct th_fixed fixed;
  double largest = 0;
  th_status rc = form_terms(p, rows, &largest, err);
  if ((rc = th_agree(comm, rc, err)) != TH_OK)
    return rc;
  comm->ops->max_f64(comm, &largest, 1);
  if (!th_fixed_init(&fixed, largest * (double)p->model->support_size))
    return th_fail(err, TH_ENUMERIC,
                   "predictions are too large to be added up; check that the "
                   "attributes have the units of the training data");
  memset(p->sums, 0, (size_t)rows.count * sizeof *p->sums);
  for (int64_t k = 0; k < th_range_count(p->mine); k++)
    (void)th_fixed_add(&fixed, 1, p->terms + k * rows.count, rows.count,
                       p->sums);
  comm->ops->sum_i64(comm, p->sums, (size_t)rows.count);
  th_fixed_read(&fixed, p->model->intercept, p->sums, rows.count, out);
  return TH_OK;
}

th_status th_predict(const struct th_model *model, struct th_store *store,
                     struct th_comm *comm, struct th_rows rows,
                     double *prediction, struct th_error *err)
{
  const struct th_shape *shape = &store->shape;
  struct th_range mine =
      th_range_members(model->support, model->support_size,
                       th_store_owned(store, comm->rank, comm->size));
  int64_t longest = th_min_i64(rows.count, shape->row_group);
  struct prediction p = {
      .model = model, .store = store, .comm = comm, .mine = mine};
  th_status rc =
      TH_NEW(&p.terms, th_range_count(mine) * longest, "predictions", err);
  if (rc == TH_OK)
    rc = TH_NEW(&p.sums, longest, "predictions", err);
  TH_TRY(th_agree(comm, rc, err));
  while (rows.count > 0) {
    struct th_rows part = th_store_shape_next(shape, &rows);
    TH_TRY(predict_group(&p, part, prediction, err));
    prediction += part.count;
  }
done:
  TH_FREE(p.terms, p.sums);
  return rc;
}
