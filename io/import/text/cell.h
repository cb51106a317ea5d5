/* cell.h - tables: their first record, and numbers as they write them: words
 * for true and false, dates, percent signs, marks between thousands, decimal
 * commas
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CELL_H
#define TH_CELL_H

#include <stdbool.h>
#include <stdint.h>

/* What the first record of CSV is: TH_HEADER_YES if it names the columns. */
enum th_header {
  TH_HEADER_AUTO, /* as the record looks */
  TH_HEADER_YES,
  TH_HEADER_NO,
  TH_HEADER_COUNT
};

/* What stood in a field. */
enum th_cell {
  TH_CELL_TEXT,   /* no number */
  TH_CELL_NUMBER, /* as th_number_parse reads it, with the decimal mark */
  TH_CELL_TRUTH,  /* true, false, yes, no: 1 and 0 */
  TH_CELL_DATE,   /* 2020-01-31, 2020/01/31, 2020-01-31T12:30:00Z: days since
                     1970-01-01 */
  TH_CELL_PERCENT,
  TH_CELL_GROUPED, /* 1,234,567.8 */
  TH_CELL_COUNT
};

/* A field without the blanks and quotes around it. The byte behind it must be
 * readable. */
struct th_cell_field {
  const char *text;
  int64_t length;
  bool quoted;
  char decimal; /* the mark between whole numbers and fractions: . or , */
  bool unsure;  /* other data had this mark: one mark between thousands alone
                   may be the decimal mark here, and makes no number */
};

/* Read a field. Marks between thousands count inside of quotes, or where they
 * are dots; no such number begins with 0. *value is untouched where there is no
 * number. */
enum th_cell th_cell_read(const struct th_cell_field *field, double *value);

/* What a form was taken for, for messages: "true and yes are 1, ...". */
const char *th_cell_meaning(enum th_cell form);

#endif
