/* gram.h - second moments of (x_S, 1, y) over rows, the same on every rank
 * SPDX-License-Identifier: MIT */
#ifndef TH_GRAM_H
#define TH_GRAM_H

#include "solvers/access/batch.h"

#include <stdint.h>

/* Work arrays of th_gram_add, kept from call to call. */
struct th_gram_room {
  int64_t ranks;    /* capacity of the next three */
  int64_t *members; /* ranks + 1: the first member of S of each rank */
  int64_t *send_bytes;
  int64_t *receive_bytes;
  double *send; /* this rank's columns on the rows that others form */
  int64_t send_capacity;
  double *receive; /* others' columns on the rows that this rank forms */
  int64_t receive_capacity;
  int64_t order; /* capacity of the others */
  double *z;     /* columns on the rows of a group, in whole tiles */
  double *c;     /* products of a strip of them */
  double *unit;  /* order: powers of two that bring |z| below 1 */
  int64_t *sums; /* upper triangle, packed by columns, and a flag */
};

/* Sums over rows of weight * z z', z = (x_S scaled, 1, y); order size + 2,
 * column-major, full. Replicated but for the room. */
struct th_gram {
  int64_t size; /* |S| */
  double *a;
  int64_t capacity;
  double rows;
  double weight;
  struct th_gram_room room;
};

/* Forget all rows, and set the size of the support. Collective where memory has
 * to grow. */
th_status th_gram_start(struct th_gram *gram, struct th_context *context,
                        int64_t size, struct th_error *err);
/* Local. */
void th_gram_free(struct th_gram *gram);

/* Its state. Local. */
void th_gram_describe(struct th_gram *gram, struct th_state *state);

/* Add the rows of a batch whose support has been observed. Each group of 256
 * rows is formed whole on one rank, rounded once to fixed point and summed over
 * ranks. row_weight multiplies each row's weight; NULL: by 1. target replaces
 * the batch's targets; NULL: does not. Collective: an agreement, an exchange of
 * the support's columns, a sum of O(s^2) integers. */
th_status th_gram_add(struct th_gram *gram, struct th_context *context,
                      const struct th_batch *batch,
                      const struct th_support *support,
                      const double *row_weight, const double *target,
                      struct th_error *err);

/* Sum over the rows of weight (y - intercept - x_S' coef)^2; members for which
 * leave_out is true (NULL: none) count as 0. Local. */
double th_gram_squares(const struct th_gram *gram, const double *coef,
                       double intercept, const bool *leave_out);

/* Entry (i, j); index size is the constant, size + 1 the target. Local. */
static inline double th_gram_at(const struct th_gram *gram, int64_t i,
                                int64_t j)
{
  return gram->a[i + j * (gram->size + 2)];
}

/* --- Normal equations of (x_S, 1), solved on rank 0 ----------------------- */

/* The equations: least squares by the Gram matrix. A ridge pulls coef +
 * solution towards 0, so that the solution can be a step from coef. */
struct th_gram_equations {
  const struct th_gram *gram;
  bool intercept;      /* without one, the constant's equation is 1 * b = 0 */
  const double *ridge; /* on each member; NULL: none */
  const double *coef;  /* of each member; used only with a ridge */
  const bool *keep;    /* NULL: all; the others get 0 */
};

/* (*solution)[|S| + 1] receives the coefficients, then the constant; the caller
 * frees it. Collinear members get 0. Collective. */
th_status th_gram_solve(const struct th_gram_equations *equations,
                        struct th_context *context, double **solution,
                        struct th_error *err);

#endif
