/* mtx.h - Matrix Market: a matrix as text, entry after entry
 * SPDX-License-Identifier: MIT */
#ifndef TH_MTX_H
#define TH_MTX_H

#include "io/import/text/text.h"

/* True if a file begins like one. Local. */
bool th_mtx_begins(const char *head, size_t bytes);

struct th_mtx;

/* Open a file, which is borrowed, and read its head; *shape receives rows and
 * columns. Local. */
th_status th_mtx_open(struct th_mtx **mtx, const struct th_text_file *file,
                      int64_t longest, int64_t shape[2], struct th_error *err);
void th_mtx_close(struct th_mtx *mtx);

/* Entries one after the other: a part of those of a matrix. */
struct th_mtx_part {
  int64_t count;
  int64_t *row;
  int64_t *column;
  double *value;
};

/* At most `most` of the next entries, or of the first ones; none: the end.
 * Those of a symmetric matrix are given with their twins. Local. An error names
 * the line and the column of the text. */
th_status th_mtx_part(struct th_mtx *mtx, bool first, int64_t most,
                      struct th_mtx_part *part, struct th_error *err);

#endif
