/* csv_numbers.h - whether numbers in the first row of CSV may name the columns
 * SPDX-License-Identifier: MIT */
#ifndef TH_CSV_NUMBERS_H
#define TH_CSV_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

/* Rows below the first one that are worth a look. */
enum { TH_CSV_NUMBERS_ROWS = 64 };

/* Whether row[columns] looks like names, as 0, 1, 2 or 2000, 2001, 2002 or
 * wavelengths do, and not like the `rows` rows in `below`, which is NaN where
 * these have no number. Local. */
bool th_csv_numbers_are_names(const double *row, int64_t columns,
                              const double *below, int64_t rows);

/* Whether it is 0, 1, 2, .. or 1, 2, 3, .., in three columns or more. Local. */
bool th_csv_numbers_count(const double *row, int64_t columns);

#endif
