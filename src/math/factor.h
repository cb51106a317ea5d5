/* factor.h - a Cholesky factor whose rows join and leave one by one
 *
 * L L' = H, a symmetric matrix. A row that joins costs one solve with the rows
 * above it; one that leaves, rotations of those below (Golub & Van Loan 2013,
 * section 6.5). All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_FACTOR_H
#define TH_FACTOR_H

#include "core/error.h"

#include <stdbool.h>
#include <stdint.h>

struct th_factor {
  int64_t size;  /* rows */
  int64_t room;  /* most of them */
  double *entry; /* row i: entries 0 .. i, row after row */
  double *row;   /* room: products on their way in */
  double *cosine, *sine;
};

void th_factor_free(struct th_factor *factor);

/* Room for so many rows; those there are stay. TH_ENOMEM. */
th_status th_factor_reserve(struct th_factor *factor, int64_t rows,
                            struct th_error *err);

/* Bytes for so many rows. */
int64_t th_factor_bytes(int64_t rows);

/* Its entries, row after row: so many. */
int64_t th_factor_entries(const struct th_factor *factor);

/* One more row, whose products with the others the caller has put into
 * factor->row. False, and nothing joined: its pivot is at most tolerance *
 * diagonal, it depends on the others. There is room. */
bool th_factor_join(struct th_factor *factor, double diagonal,
                    double tolerance);

/* Row and column i leave; what follows moves up. */
void th_factor_drop(struct th_factor *factor, int64_t i);

/* H x = b; x may be b. */
void th_factor_solve(const struct th_factor *factor, const double *b,
                     double *x);

#endif
