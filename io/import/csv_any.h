/* csv_any.h - any line of CSV text, and what is wrong with it; internal
 * to io/import
 *
 * All functions that do not say otherwise are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CSV_ANY_H
#define TH_CSV_ANY_H

#include "io/import/csv_reader.h"

struct th_csv_any;

/* Release with th_csv_any_free. */
th_status th_csv_any_create(struct th_csv_any **parser, struct th_error *err);
void th_csv_any_free(struct th_csv_any *parser);

/* Read the example of a line into a row with room for all attributes; counted
 * receives the values of the counters. An error names the place of the first
 * fault. */
th_status th_csv_any_row(struct th_csv_any *parser, const struct th_csv *csv,
                         const struct th_line *line, struct th_text_row *row,
                         double counted[TH_CSV_COUNTERS], struct th_error *err);

#endif
