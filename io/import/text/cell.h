/* cell.h - numbers as tables write them: words for true and false, dates,
 * percent signs, marks between thousands, decimal commas
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CELL_H
#define TH_CELL_H

#include <stdbool.h>
#include <stdint.h>

/* What stood in a field. */
enum th_cell {
  TH_CELL_TEXT,   /* no number */
  TH_CELL_NUMBER, /* as th_number_parse reads it, with the decimal mark */
  TH_CELL_TRUTH,  /* true, false, yes, no: 1 and 0 */
  TH_CELL_DATE,   /* 2020-01-31: days since 1970-01-01 */
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
};

/* Read a field. Marks between thousands count inside of quotes, or where they
 * are dots. *value is untouched where there is no number. */
enum th_cell th_cell_read(const struct th_cell_field *field, double *value);

/* What a form was taken for, for messages: "true and yes are 1, ...". */
const char *th_cell_meaning(enum th_cell form);

#endif
