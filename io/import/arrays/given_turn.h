/* given_turn.h - values of a dense matrix in memory, column after column
 * SPDX-License-Identifier: MIT */
#ifndef TH_GIVEN_TURN_H
#define TH_GIVEN_TURN_H

#include "base/range.h"
#include "data/type.h"
#include "io/import/arrays/given.h"

/* Store the values of some columns on some rows in a type of whole bytes: those
 * of column columns.first + k from item k stride on. row[i]: how many items
 * before row i comes, i times the matrix's row_stride. False where a value
 * cannot be stored in that type; what is stored may then be an infinite number.
 * Local. */
bool th_given_turn(const struct th_given_matrix *given, const int64_t *row,
                   int64_t rows, struct th_range columns, enum th_type type,
                   void *to, int64_t stride);

#endif
