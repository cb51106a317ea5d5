/* frame.h - tables of AnnData: names of rows, and columns of numbers or words
 * SPDX-License-Identifier: MIT */
#ifndef TH_FRAME_H
#define TH_FRAME_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct th_h5;

enum { TH_FRAME_PATH = 200 };

/* What a path inside a file is. */
enum th_frame_kind { TH_FRAME_NOTHING, TH_FRAME_GROUP, TH_FRAME_SET };

/* Links to other files lead to nothing. Local. */
enum th_frame_kind th_frame_kind_of(const struct th_h5 *h5, const char *path);

/* A column; zeroed: none. */
struct th_frame_column {
  int64_t count;
  double *number; /* of each row; NULL: they are words */
  char **word;    /* ascending or not, each once or not */
  int64_t words;
  int64_t *code; /* of each row, its word; -1: it is missing */
};

/* Local. */
void th_frame_free(struct th_frame_column *column);

/* The text of an attribute, whichever kind of text it is; false: there is none.
 * The caller frees it. Local. */
bool th_frame_attribute(const struct th_h5 *h5, const char *path,
                        const char *name, char **text, struct th_error *err);

/* An attribute of two whole numbers; false: there is none. Local. */
bool th_frame_pair(const struct th_h5 *h5, const char *path, const char *name,
                   int64_t pair[2]);

/* The texts of a data set of `count` items, or of a field of its records; NULL:
 * it has none. *texts: TH_FREE_LIST. Local. */
th_status th_frame_texts(const struct th_h5 *h5, const char *path,
                         const char *field, int64_t count, char ***texts,
                         struct th_error *err);

/* The names of the rows of a table of `count` rows. *names: TH_FREE_LIST.
 * Local. */
th_status th_frame_names(const struct th_h5 *h5, const char *table,
                         int64_t count, char ***names, struct th_error *err);

/* True if the table has a column of that name. Local. */
bool th_frame_has(const struct th_h5 *h5, const char *table, const char *name);

/* True if there are words at that path, or a group: a column of categories.
 * Local. */
bool th_frame_has_words(const struct th_h5 *h5, const char *path);

/* That column, which has `count` rows, or any where it is -1. Local. Release
 * with th_frame_free, also on failure. */
th_status th_frame_read(const struct th_h5 *h5, const char *table,
                        const char *name, int64_t count,
                        struct th_frame_column *column, struct th_error *err);

#endif
