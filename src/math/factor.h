/* factor.h - a Cholesky factor whose rows join and leave one by one
 *
 * L L' = H, a symmetric matrix. A row that joins costs one solve with the rows
 * above it. A row that leaves costs rotations of the rows below it (Golub & Van
 * Loan 2013, section 6.5). All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_FACTOR_H
#define TH_FACTOR_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct th_factor {
  int64_t size;  /* rows */
  int64_t room;  /* rows that fit */
  double *entry; /* row i: entries 0 .. i, row after row */
  double *row;   /* room: products on their way in */
  double *cosine, *sine;
};

void th_factor_free(struct th_factor *factor);

/* Make room for `rows` rows in all; rows that joined stay. */
th_status th_factor_reserve(struct th_factor *factor, int64_t rows,
                            struct th_error *err);

/* Return the bytes that `rows` rows take. */
int64_t th_factor_bytes(int64_t rows);

/* Return the number of entries that are in use. */
int64_t th_factor_entries(const struct th_factor *factor);

/* Add a row to the factor. The caller has made room for it, and has put its
 * products with the other rows into factor->row. If its pivot is at most
 * tolerance * diagonal, it depends on the others: then it does not join, and
 * the result is false. */
bool th_factor_join(struct th_factor *factor, double diagonal,
                    double tolerance);

/* Replace the factor by that of H, n x n, whose room has been made. Column
 * after column, only the upper triangle is read. Rows that depend on the rows
 * before them do not join; then kept[i] is false. */
th_status th_factor_form(struct th_factor *factor, int64_t n, const double *h,
                         double tolerance, bool *kept, struct th_error *err);

/* Remove row and column i; the rows below move up. */
void th_factor_drop(struct th_factor *factor, int64_t i);

/* Solve H x = b; x may be b. */
void th_factor_solve(const struct th_factor *factor, const double *b,
                     double *x);

#endif
