/* csv_reader.h - CSV text: the header of a file, and one example per line
 * SPDX-License-Identifier: MIT */
#ifndef TH_CSV_READER_H
#define TH_CSV_READER_H

#include "io/text_input.h"

/* What a column is; attributes count from 0. */
enum { TH_COLUMN_TARGET = -1, TH_COLUMN_WEIGHT = -2 };

/* How one file is laid out. */
struct th_csv {
  char delimiter;
  int64_t columns;
  int64_t *role;      /* per column: an attribute or enum above; owned */
  char **names;       /* per column; NULL without a header; owned */
  int64_t attributes; /* in each row */
};

/* Which columns are what, as the user said. NULL: the last column; none. */
struct th_csv_choice {
  const char *target;
  const char *weights;
};

/* Attributes by name in their order, from another file or data set; names NULL
 * where only their number matters, attributes 0 where nothing is known. */
struct th_csv_reference {
  const char *origin; /* for messages */
  int64_t attributes;
  const char *const *names;
};

/* Read the first record of a file: delimiter, header, number of columns. Sets
 * file->body and file->header_lines. A header is a first record in which some
 * field is no number. Local. Release with th_csv_free, also on failure. */
th_status th_csv_open(struct th_csv *csv, struct th_text_file *file,
                      int64_t max_line, struct th_error *err);

/* Give every column its role. Local. */
th_status th_csv_assign(struct th_csv *csv, const struct th_text_file *file,
                        const struct th_csv_choice *choice,
                        const struct th_csv_reference *reference,
                        struct th_error *err);

/* The attributes' names in their order, borrowed from csv, or NULL without a
 * header; the list is owned by the caller. Local. */
th_status th_csv_names(const struct th_csv *csv, const char ***names,
                       struct th_error *err);
void th_csv_free(struct th_csv *csv);

/* True where a line holds an example: not blank. Local. */
bool th_csv_is_example(const struct th_csv *csv, const char *text,
                       int64_t length);

/* Read the example of a line. Local. TH_EDATA with the place of the first
 * fault. */
struct th_csv_parser;
th_status th_csv_parser_create(struct th_csv_parser **parser,
                               struct th_error *err);
void th_csv_parser_free(struct th_csv_parser *parser);
th_status th_csv_row(struct th_csv_parser *parser, const struct th_csv *csv,
                     const struct th_line *line, struct th_text_row *row,
                     struct th_error *err);

#endif
