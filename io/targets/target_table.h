/* target_table.h - a table of targets: IDs, the target of each, perhaps a
 * weight
 *
 * The table is CSV with a header, with any of its separators. Its decimal mark
 * is that of the data, but for a point where commas separate columns; marks
 * stand between thousands only inside of quotes. In a file of PLINK whose name
 * ends in .fam there is no header, and columns are FID, IID, father, mother,
 * sex and phenotype. There, and in other tables with FID and IID, -9 is a
 * missing value, and where all others are 1 and 2, and perhaps 0, these are
 * controls, cases and missing values. Where targets are two words, these are
 * classes, too: one is 1, the other -1. The table may be compressed. All
 * functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_TARGET_TABLE_H
#define TH_TARGET_TABLE_H

#include "base/error.h"
#include "io/import/text/text_row.h"

#include <stdbool.h>
#include <stdint.h>

/* What of the table is wanted. */
struct th_target_choice {
  const char *table;   /* the file */
  const char *target;  /* column by name or by its number from 1; NULL: the only
                          one there is beside IDs and weights */
  const char *ids;     /* the same of the IDs; NULL: FID and IID, or one that is
                          called like IDs */
  const char *weights; /* the same; NULL: none */
  bool ids_only;       /* neither targets nor weights are wanted */
  const char *group;   /* a column whose words are kept as they are; NULL: none
                        */
  const char *class;   /* of the targets, against all others; NULL: as they look
                        */
  const char *likely;  /* the class of a model, which counts where it is one
                          here, or NULL */
  const char *known;   /* what the data call their IDs, or NULL */
  char decimal;        /* the decimal mark of the data's text; zero: a point */
  const char *missing; /* how missing targets and weights are written, beside
                          the usual words, as in th_missing_read; or NULL */
  const char *output;  /* a compressed table is decompressed beside it; NULL:
                          beside itself */
};

/* A row of the table. IDs are places in the table's text. */
struct th_target_row {
  int64_t pair;   /* FID and IID with a blank between them, or the ID */
  int64_t single; /* IID, or the ID */
  int64_t line;
  double target; /* NaN: missing; of classes 1 and -1 */
  int64_t word;  /* in place of a number; -1: none */
  double weight; /* 1: there are none */
  int64_t group; /* word of the column that is kept; -1: it is missing, or there
                    is no such column */
};

/* Zeroed: empty. All pointers are owned. */
struct th_target_table {
  struct th_target_row *row;
  int64_t rows;
  int64_t capacity;
  char *text;
  int64_t length;
  int64_t room;
  char *target;  /* name of its column, or its number */
  char *ids;     /* what the IDs are called: "FID IID" */
  bool paired;   /* pair and single differ */
  int64_t nines; /* targets of -9, which are missing beside FID and IID */
  int64_t zeros; /* of 0, which are missing beside cases and controls */
  bool weighted;
  char positive[TH_CLASS_ROOM]; /* the class that is 1; empty: targets are
                                   numbers */
  struct th_class_set others;   /* and those that are -1 */
  int64_t columns;
  char **column;  /* what they are called */
  int64_t family; /* column of FID, or -1, */
  int64_t id;     /* and of the IDs */
  int64_t group;  /* column whose words are kept; -1: there is none of the name
                   */
  bool marked;    /* a # stood before the first name */
  char decimal;   /* the mark before decimals */
};

/* Read a table whole, with about 64 bytes for each row beside its IDs. An error
 * names FILE:LINE:COLUMN, what was expected and what to do. Release with
 * th_target_table_free, also after a failure. */
th_status th_target_table_read(struct th_target_table *table,
                               const struct th_target_choice *choice,
                               struct th_error *err);
void th_target_table_free(struct th_target_table *table);

#endif
