/* replicated_columns_parts.h - what the files of gathered attributes share:
 * blocks
 *
 * The columns of a fetch lie one after the other in a block. A header precedes
 * the values of each. A block lives as long as a slot has a column in it.
 * SPDX-License-Identifier: MIT */
#ifndef TH_REPLICATED_COLUMNS_PARTS_H
#define TH_REPLICATED_COLUMNS_PARTS_H

#include "solvers/data/replicated_columns.h"

#include <stddef.h>

/* Columns are padded to multiples of so many bytes. A header takes one
 * multiple, and so does the head of a block. */
enum {
  TH_COLUMNS_ALIGNMENT = 64,
  TH_COLUMNS_HEADER = TH_COLUMNS_ALIGNMENT,
  TH_COLUMNS_FIRST = TH_COLUMNS_ALIGNMENT
};

/* The header before the values of a column. */
struct th_replicated_columns_header {
  int64_t attribute;
  int64_t items;
  double centre;
  double scale;
};

/* A block; its columns begin TH_COLUMNS_FIRST bytes after its own beginning. */
struct th_replicated_columns_block {
  int64_t count; /* columns in it */
  int64_t held;  /* columns that slots use; at 0 the block is released */
  int64_t kept;  /* columns to keep; work of th_replicated_columns_keep */
};

/* Where its columns begin. Local. */
unsigned char *
th_replicated_columns_values(struct th_replicated_columns_block *block);

/* Bytes of the values and rows of a column. Local. */
int64_t th_replicated_columns_packed(enum th_vector_form form, int64_t items);
int64_t th_replicated_columns_bytes(const struct th_vector *vector);

/* Point a vector to its values, and to the rows of entries behind them. Local.
 */
void th_replicated_columns_point(struct th_vector *vector,
                                 const unsigned char *values);

/* The columns of this rank, each behind its header, in a block that is not
 * complete yet. */
struct th_replicated_columns_parcel {
  enum th_vector_form form;
  unsigned char *bytes; /* the block, owned */
  int64_t first;        /* where the columns of this rank begin */
  int64_t last;         /* where they end */
  int64_t capacity;
};

/* Read the listed attributes that this rank owns, as
 * th_replicated_columns_fetch wants them, on the columns' examples. Local; the
 * caller frees the bytes, also after a failure. TH_ENOMEM, and of reading
 * TH_EARG, TH_EDATA, TH_EBUDGET, TH_EFORMAT, TH_EIO. */
th_status th_replicated_columns_read(
    const struct th_replicated_columns *columns, struct th_context *context,
    const int64_t *attribute, int64_t count,
    struct th_replicated_columns_parcel *parcel, struct th_error *err);

#endif
