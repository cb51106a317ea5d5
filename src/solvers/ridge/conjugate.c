/* conjugate.c - ridge systems by conjugate gradients, without a matrix
 * SPDX-License-Identifier: MIT */
#include "solvers/ridge/conjugate.h"

#include "base/memory.h"

#include <math.h>

int64_t th_conjugate_bytes(int64_t order, int64_t examples)
{
  enum { VECTORS = 5 };
  return (VECTORS * order + examples) * (int64_t)sizeof(double);
}

/* Local. */
static th_status reserve(struct th_conjugate *cg, struct th_error *err)
{
  int64_t count = cg->places->count;
  th_status rc;
  TH_TRY(TH_NEW(&cg->diagonal, count, "conjugate gradients", err));
  TH_TRY(TH_NEW(&cg->residual, count, "conjugate gradients", err));
  TH_TRY(TH_NEW(&cg->direction, count, "conjugate gradients", err));
  TH_TRY(TH_NEW(&cg->product, count, "conjugate gradients", err));
  TH_TRY(TH_NEW(&cg->scaled, count, "conjugate gradients", err));
  TH_TRY(TH_NEW(&cg->prediction, cg->places->problem->rows,
                "conjugate gradients", err));
done:
  return rc;
}

th_status th_conjugate_init(struct th_conjugate *cg, struct th_useful *places,
                            struct th_error *err)
{
  const struct th_problem *p = places->problem;
  struct th_comm *comm = p->context->comm;
  th_status rc;
  *cg = (struct th_conjugate){.places = places};
  TH_TRY(th_agree(comm, reserve(cg, err), err));
  for (int64_t k = 0; k < p->active.count; k++)
    cg->diagonal[places->mine.first + k] = p->norm_bound[k] * p->norm_bound[k];
  TH_TRY(th_comm_join(comm, cg->diagonal, places->count, places->mine.first,
                      places->mine.last, err));
done:
  return rc;
}

void th_conjugate_free(struct th_conjugate *cg)
{
  TH_FREE(cg->diagonal, cg->residual, cg->direction, cg->product, cg->scaled,
          cg->prediction);
  *cg = (struct th_conjugate){.places = NULL};
}

th_status th_conjugate_multiply(struct th_conjugate *cg, const double *x,
                                double *y, struct th_error *err)
{
  struct th_useful *places = cg->places;
  struct th_problem *p = places->problem;
  th_status rc;
  TH_TRY(th_problem_predict(p, places->attribute, x, places->count, 0,
                            cg->prediction, err));
  if (p->intercept) {
    double mean = th_useful_mean(places, cg->prediction);
    for (int64_t i = 0; i < p->rows; i++)
      cg->prediction[i] -= mean;
  }
  th_useful_weigh(places, cg->prediction);
  TH_TRY(th_useful_sums(places, y, err));
done:
  return rc;
}

static double dot(const struct th_conjugate *cg, const double *a,
                  const double *b)
{
  return th_column_dot_plain(a, b, cg->places->count);
}

/* residual = b - (G + lambda) x, and the scaled one. Collective. */
static th_status begin(struct th_conjugate *cg, double lambda, const double *b,
                       const double *x, struct th_error *err)
{
  int64_t count = cg->places->count;
  th_status rc = th_conjugate_multiply(cg, x, cg->product, err);
  if (rc != TH_OK)
    return rc;
  for (int64_t k = 0; k < count; k++) {
    cg->residual[k] = b[k] - cg->product[k] - lambda * x[k];
    cg->scaled[k] = cg->residual[k] / (cg->diagonal[k] + lambda);
    cg->direction[k] = cg->scaled[k];
  }
  return TH_OK;
}

/* One step; *along: residual times scaled residual. Collective. */
static th_status step(struct th_conjugate *cg, double lambda, double *along,
                      double *x, struct th_error *err)
{
  int64_t count = cg->places->count;
  th_status rc = th_conjugate_multiply(cg, cg->direction, cg->product, err);
  if (rc != TH_OK)
    return rc;
  th_column_add_plain(cg->direction, lambda, count, cg->product);
  double length = *along / dot(cg, cg->direction, cg->product);
  th_column_add_plain(cg->direction, length, count, x);
  th_column_add_plain(cg->product, -length, count, cg->residual);
  for (int64_t k = 0; k < count; k++)
    cg->scaled[k] = cg->residual[k] / (cg->diagonal[k] + lambda);
  double next = dot(cg, cg->residual, cg->scaled);
  for (int64_t k = 0; k < count; k++)
    cg->direction[k] = cg->scaled[k] + next / *along * cg->direction[k];
  *along = next;
  cg->steps++;
  return TH_OK;
}

th_status th_conjugate_solve(struct th_conjugate *cg, double lambda,
                             const double *b, struct th_conjugate_end end,
                             double *x, struct th_error *err)
{
  struct th_context *context = cg->places->problem->context;
  double least = end.share * end.share * dot(cg, b, b);
  least = fmax(least, 2 * lambda * end.gap);
  th_status rc = begin(cg, lambda, b, x, err);
  if (rc != TH_OK)
    return rc;
  double along = dot(cg, cg->residual, cg->scaled);
  double square = dot(cg, cg->residual, cg->residual);
  cg->steps = 0;
  while (square > least && cg->steps < end.most) {
    TH_TRY(step(cg, lambda, &along, x, err));
    square = dot(cg, cg->residual, cg->residual);
    th_context_going(context, -1, "step %lld, gap %.3g", (long long)cg->steps,
                     square / (2 * lambda));
  }
done:
  return rc;
}
