/* ridge_problem.h - a problem as ridge regression sees it: the useful
 * attributes of all ranks as one list, vectors over it, its Gram matrix, and
 * what a model says of itself
 *
 * Entry k of a vector belongs to the k-th useful attribute of all ranks.
 * Vectors are replicated.
 * SPDX-License-Identifier: MIT */
#ifndef TH_RIDGE_PROBLEM_H
#define TH_RIDGE_PROBLEM_H

#include "ranks/spread.h"
#include "solvers/penalised/problem.h"

struct th_ridge_problem {
  struct th_problem *problem; /* borrowed */
  int64_t count;
  struct th_range mine; /* of this rank: the places of the problem */
  int64_t *attribute;   /* ascending */
  bool *all;            /* of the problem's groups: all of them */
  double *here;         /* sums over the examples, of this rank's attributes */
  double *mean; /* of the attributes; 0 until they are found (ridge.c) */
};

/* Collective. Release with th_ridge_problem_free, also after a failure. */
th_status th_ridge_problem_init(struct th_ridge_problem *places,
                                struct th_problem *problem,
                                struct th_error *err);

/* Local. */
void th_ridge_problem_free(struct th_ridge_problem *places);

/* out[k] = sum over the examples of multiplier x_k, where the multipliers are
 * those of the problem. Sums run in double. Observes everything once.
 * Collective. */
th_status th_ridge_problem_sums(struct th_ridge_problem *places, double *out,
                                struct th_error *err);

/* Make the problem's multipliers eta_i (value_i - mean); value NULL: eta_i.
 * Collective. */
void th_ridge_problem_weigh(const struct th_ridge_problem *places,
                            const double *value, double mean);

/* The mean of a number for each example, with weights eta. Local. */
double th_ridge_problem_mean(const struct th_ridge_problem *places,
                             const double *value);

/* How far rounding may move what is claimed. */
struct th_ridge_problem_slack {
  double gradient; /* |g| */
  double objective;
  double relative; /* dual_norm */
  double shift;    /* mean of the residuals */
  double largest;  /* violation */
  double least;    /* bounds of the largest eigenvalue: by the coefficients, */
  double most;     /* and by the trace of the Gram matrix */
};

/* Compute the certificate of a model anew, but for lambda_max and path, by two
 * passes over the data. slack may be NULL. Collective. An error for a member
 * that is left out. */
th_status th_ridge_problem_claim(struct th_ridge_problem *places,
                                 const struct th_support *model, double lambda,
                                 struct th_certificate *certificate,
                                 struct th_ridge_problem_slack *slack,
                                 struct th_error *err);

/* --- The Gram matrix of the list, spread over the ranks
 *
 * G_jk = sum_i eta_i (x_ij - m_j) (x_ik - m_k), where m is 0 without an
 * intercept. One pass over the data forms it. Pieces of examples go to all
 * ranks, and each adds them to its own blocks: n d^2 / 2 products are shared
 * out, and n d numbers are sent. The terms of an entry are added one after the
 * other, in the order of the examples, each product fused with its sum
 * (math/kernels/dense.h). So an entry has the same bits on any ranks and
 * any processor. */

struct th_normal_matrix {
  struct th_ridge_problem *places; /* borrowed */
  struct th_spread spread;         /* its lower triangle */
  double *diagonal;                /* replicated */
  int64_t *sums;                   /* of a product */
};

/* Bytes of a rank for a matrix of that order while it is formed; on a grid of
 * that many ranks. Local. */
int64_t th_ridge_problem_matrix_bytes(int64_t order, int ranks);

/* Form the matrix of places whose means are known; flat: all ranks in one row
 * of the grid. Collective. Release with th_ridge_problem_matrix_free, also
 * after a failure. */
th_status th_ridge_problem_matrix_form(struct th_normal_matrix *matrix,
                                       struct th_ridge_problem *places,
                                       bool flat, struct th_error *err);
/* Local. */
void th_ridge_problem_matrix_free(struct th_normal_matrix *matrix);

/* y = G x, of replicated vectors, with the same bits on any ranks. Collective.
 * An error where a product is out of range. */
th_status th_ridge_problem_matrix_multiply(struct th_normal_matrix *matrix,
                                           const double *x, double *y,
                                           struct th_error *err);

#endif
