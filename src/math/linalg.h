/* linalg.h - dense symmetric problems: systems by Cholesky, a factor that grows
 * and shrinks, the largest eigenvalue by Lanczos
 *
 * Matrices are column-major with leading dimension n; only the upper triangle
 * is read unless said otherwise. Local. Systems whose solutions enter a model
 * are solved on one rank, and the caller broadcasts the solution: up to some
 * 39,000 members fit a rank's 12 GB, and on two ranks ScaLAPACK is no faster
 * (tests/bench/solve.sh). The bits are the same on every processor.
 * SPDX-License-Identifier: MIT */
#ifndef TH_LINALG_H
#define TH_LINALG_H

#include "base/error.h"
#include "ranks/comm.h"

#include <stdbool.h>
#include <stdint.h>

/* a x = b, of n rows; borrowed. */
struct th_linalg_system {
  int64_t n;
  const double *a;
  const double *b;
  double tolerance;
};

/* Solve a x = b by Cholesky, with a's collinear rows left out (their x is 0).
 * inverse (n x n, full, or NULL) receives the inverse, zero in those rows. Row
 * k is left out, and kept[k] is false, if its pivot is not above tolerance
 * times its diagonal. x may be b. An error if the result is not finite. */
th_status th_linalg_solve(const struct th_linalg_system *system, double *x,
                          double *inverse, bool *kept, struct th_error *err);

/* Compute the largest eigenvalue of a, which is overwritten. An error if a is
 * not finite. */
th_status th_linalg_largest_eigenvalue(int64_t n, double *a, double *value,
                                       struct th_error *err);

/* --- The largest eigenvalue, by Lanczos' method --------------------------- */

/* A symmetric matrix, n x n, n at least 1, by its products. */
struct th_linalg_matrix {
  int64_t n;
  /* y = A x; x and y are replicated. Collective. */
  th_status (*multiply)(void *self, const double *x, double *y,
                        struct th_error *err);
  void *self;
};

/* Compute the largest eigenvalue of such a matrix of all ranks, as
 * th_linalg_largest_eigenvalue does of an array. Collective. An error for
 * products that are not finite, or that fail. */
th_status th_linalg_largest_of(const struct th_linalg_matrix *matrix,
                               struct th_comm *comm, double *value,
                               struct th_error *err);

/* --- A Cholesky factor whose rows join and leave one by one ---------------
 *
 * L L' = H, a symmetric matrix. A row that joins costs one solve with the rows
 * above it. A row that leaves costs rotations of the rows below it (Golub &
 * Van Loan 2013, section 6.5). Local. */

struct th_factor {
  int64_t size;  /* rows */
  int64_t room;  /* rows that fit */
  double *entry; /* row i: entries 0 .. i, row after row */
  double *row;   /* room: products on their way in */
  double *cosine, *sine;
};

void th_linalg_factor_free(struct th_factor *factor);

/* Make room for `rows` rows in all; rows that joined stay. */
th_status th_linalg_factor_reserve(struct th_factor *factor, int64_t rows,
                                   struct th_error *err);

/* Return the bytes that `rows` rows take. */
int64_t th_linalg_factor_bytes(int64_t rows);

/* Return the number of entries that are in use. */
int64_t th_linalg_factor_entries(const struct th_factor *factor);

/* Solve L x = b in place for so many b of factor->size items at once: rows on
 * their way in, each with the bits that th_linalg_factor_join gives it. */
enum { TH_FACTOR_TOGETHER = 4 };
void th_linalg_factor_forward(const struct th_factor *factor,
                              double *const row[TH_FACTOR_TOGETHER]);

/* Add a row to the factor. The caller has made room for it, and has put its
 * products with the other rows into factor->row, of which the first `done` have
 * been through th_linalg_factor_forward. If its pivot is at most
 * tolerance * diagonal, it depends on the others: then it does not join, and
 * the result is false. */
bool th_linalg_factor_join(struct th_factor *factor, int64_t done,
                           double diagonal, double tolerance);

/* Replace the factor by that of H, n x n, whose room has been made. Column
 * after column, only the upper triangle is read. Rows that depend on the rows
 * before them do not join; then kept[i] is false. */
th_status th_linalg_factor_form(struct th_factor *factor, int64_t n,
                                const double *h, double tolerance, bool *kept,
                                struct th_error *err);

/* Remove row and column i; the rows below move up. */
void th_linalg_factor_drop(struct th_factor *factor, int64_t i);

/* Solve H x = b; x may be b. */
void th_linalg_factor_solve(const struct th_factor *factor, const double *b,
                            double *x);

#endif
