/* cholesky.h - a symmetric system whose rank is decided on a unit diagonal
 *
 * The rows of H are scaled to a unit diagonal. Rows join the factor in a given
 * order, or the one with the largest pivot first (Higham 2002, section 10.3). A
 * row that depends on the rows before it does not join. On the rows that joined
 * H is L L'. The solutions enter models: sums run in fixed lanes, so that the
 * bits are the same on every processor. Matrices are full and symmetric, column
 * after column. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CHOLESKY_H
#define TH_CHOLESKY_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Zeroed: empty. Room is kept from system to system. */
struct th_cholesky {
  int64_t size; /* n, rows of H */
  int64_t rank; /* rows that joined */
  int64_t *row; /* size: the rows, in the order in which they joined */
  bool *joined; /* size */
  double
      *scale; /* size: 1 / root of the diagonal, 0 where that is not above 0 */
  double *rest; /* size: what the rows that joined leave of the unit diagonal */
  double *entry; /* size x size: row i of L from entry[i * size] on */
  double *work;  /* 2 x size */
  int64_t room;
};

void th_cholesky_free(struct th_cholesky *f);

/* Factor H, n x n with leading dimension ld. The row with the largest rest
 * comes next; of equal ones the first. A row is dependent if its rest is at
 * most tolerance at its turn. */
th_status th_cholesky_pivot(struct th_cholesky *f, int64_t n, const double *h,
                            int64_t ld, double tolerance, struct th_error *err);

/* The rows that may join, in that order. */
struct th_cholesky_turns {
  const int64_t *row;
  int64_t count;
};

/* Factor H, n x n with leading dimension ld, in a given order; the other rows
 * do not join. */
th_status th_cholesky_order(struct th_cholesky *f, int64_t n, const double *h,
                            int64_t ld, struct th_cholesky_turns turns,
                            double tolerance, struct th_error *err);

/* Begin a factor of at most n rows, which join one by one. */
th_status th_cholesky_begin(struct th_cholesky *f, int64_t n,
                            struct th_error *err);

/* Let row i of H join, after all that have joined. False: it depends on them,
 * and has not joined. */
bool th_cholesky_join(struct th_cholesky *f, const double *h, int64_t ld,
                      int64_t i, double tolerance);

/* Solve H x = b on the first `rank` rows that joined (f->rank: all); x is 0
 * elsewhere. x may be b. */
void th_cholesky_solve(const struct th_cholesky *f, int64_t rank,
                       const double *b, double *x);

/* Solve with L only: find y such that y'y = b' inv(H) b on the first `rank`
 * rows that joined; y[k] belongs to the k-th of them. y is not b. */
void th_cholesky_half(const struct th_cholesky *f, int64_t rank,
                      const double *b, double *y);

/* Regress row i on the first `rank` rows that joined: find x such that
 * H_i = x' H on them. x is 0 elsewhere. Row i may have joined or not. Returns
 * the rest of its diagonal, in the units of H. */
double th_cholesky_regress(const struct th_cholesky *f, int64_t rank, int64_t i,
                           double *x);

/* Write the inverse of H on the rows that joined into inverse, n x n; it is 0
 * elsewhere. Overwrites the factor. */
void th_cholesky_invert(struct th_cholesky *f, double *inverse);

#endif
