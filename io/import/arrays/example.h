/* example.h - a row of a matrix as an example in the type it is stored in
 * SPDX-License-Identifier: MIT */
#ifndef TH_EXAMPLE_H
#define TH_EXAMPLE_H

#include "io/import/arrays/matrix.h"
#include "io/import/text/missing.h"
#include "io/import/text/text_row.h"

/* A value that an example cannot have. */
struct th_example_fault {
  int64_t column;
  double value; /* NaN: it is missing */
};

/* Turn the values of a row into those of an example. role: of each column its
 * attribute, or a negative number; NULL: each is one. What is not a number, or
 * one of those in `missing`, is missing. False where the type cannot hold a
 * value, or none may be missing: *fault says which. The row has room for all
 * values, and for all attributes of a dense one. as_is tells of a dense row
 * whose values could be copied. Local. */
bool th_example_put(const struct th_matrix_row *from, const int64_t *role,
                    int64_t attributes, const struct th_missing *missing,
                    struct th_text_row *row, struct th_example_fault *fault);

/* Say which value that is, of which row of the matrix of that name. Local. */
th_status th_example_refuse(const struct th_example_fault *fault,
                            const char *name, int64_t row, enum th_type type,
                            const struct th_missing *missing,
                            struct th_error *err);

/* The value of one column of a row. Local. */
double th_example_value(const struct th_matrix_row *from, int64_t column);

#endif
