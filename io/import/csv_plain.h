/* csv_plain.h - a line of CSV in the form that most files are full of; internal
 * to io/import
 *
 * SPDX-License-Identifier: MIT */
#ifndef TH_CSV_PLAIN_H
#define TH_CSV_PLAIN_H

#include "io/import/csv_reader.h"

/* Read the example of a line into a row with room for all attributes; counted
 * receives the values of the counters. False where something is not as usual:
 * a quote in a field, a fault. Nothing is said then, and the row means nothing:
 * the reader of any line is to be asked. Otherwise the row is as that one makes
 * it. Local.
 */
bool th_csv_plain_row(const struct th_csv *csv, const struct th_line *line,
                      struct th_text_row *row, double counted[TH_CSV_COUNTERS]);

/* True if the example of any line has weight 0; what a line with a fault gives
 * means nothing. Local. */
bool th_csv_plain_weightless(const struct th_csv *csv,
                             const struct th_line *line);

#endif
