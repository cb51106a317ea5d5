/* replicated_columns.h - attributes gathered from their owners, whole, on every
 * rank
 *
 * Every rank solves the small problem on a working set in the same way. So
 * every rank holds the values of these attributes on all training examples, or
 * on some of them. Dense columns have values as they are stored: genotypes,
 * four in a byte. Sparse columns are lists of entries. A column has the same
 * bits whichever rank owns the attribute.
 * SPDX-License-Identifier: MIT */
#ifndef TH_REPLICATED_COLUMNS_H
#define TH_REPLICATED_COLUMNS_H

#include "base/error.h"
#include "math/kernels/column.h"
#include "solvers/access/context.h"
#include "solvers/access/csc_cache.h"

#include <stdint.h>

/* Columns that were fetched together lie together (replicated_columns.h).
 */
struct th_replicated_columns_block;

/* Replicated. Slots are numbered in the order of arrival. */
struct th_replicated_columns {
  int64_t examples;             /* n: rows of a column */
  const struct th_pieces *rows; /* the examples of a column, borrowed; NULL: all
                                   training examples */
  const struct th_csc_cache
      *cache; /* borrowed; NULL: sparse attributes are read. Else the owner's
                 entries come from here; rows is NULL then */
  int64_t count;
  int64_t capacity;
  int64_t *attribute;       /* of each slot */
  struct th_vector *vector; /* of each slot; values lie in its block */
  struct th_replicated_columns_block *
      *block;           /* of each slot; NULL: borrowed values */
  struct th_comm *comm; /* borrowed: of the fetches; NULL: there was none */
  int64_t *sorted;      /* slots in ascending order of attributes */
};

/* Begin with no columns. examples: the number of all training examples, or of
 * the rows of `rows`, which is borrowed, ascending, each piece within a row
 * group. Local; release with th_replicated_columns_free. */
void th_replicated_columns_init(struct th_replicated_columns *columns,
                                int64_t examples, const struct th_pieces *rows);

/* Collective where columns have been fetched: all ranks release them at the
 * same point. */
void th_replicated_columns_free(struct th_replicated_columns *columns);

/* Gather the listed attributes. The list is ascending and the same on every
 * rank, and none of them is held yet. They get the next slots in this order.
 * Each is observed once on each example. Collective. An error if they do not
 * fit. */
th_status th_replicated_columns_fetch(struct th_replicated_columns *columns,
                                      struct th_context *context,
                                      const int64_t *attribute, int64_t count,
                                      struct th_error *err);

/* Add attributes that the caller has in memory, attribute a as column[a]. Their
 * values are borrowed, and must not be dropped by th_replicated_columns_keep.
 * Local. */
th_status th_replicated_columns_borrow(struct th_replicated_columns *columns,
                                       const struct th_vector *column,
                                       const int64_t *attribute, int64_t count,
                                       struct th_error *err);

/* The slot of an attribute, or -1. Local. */
int64_t th_replicated_columns_slot(const struct th_replicated_columns *columns,
                                   int64_t attribute);

/* Drop the slots for which keep is false. The others move up, and some of their
 * values move to other addresses. After a failure nothing has changed.
 * Collective where columns have been fetched. */
th_status th_replicated_columns_keep(struct th_replicated_columns *columns,
                                     const bool *keep, struct th_error *err);

/* out[k] = sum of u_i x_i over the examples for slot[k]; every rank forms a
 * share of them. Collective. */
th_status
th_replicated_columns_dots(const struct th_replicated_columns *columns,
                           struct th_comm *comm, const int64_t *slot,
                           int64_t count, const double *u, double *out,
                           struct th_error *err);

/* out[i] = sum over k of coef[k] x_i of slot[k], in the order of k; every rank
 * forms some examples of dense data. Collective. */
th_status
th_replicated_columns_predict(const struct th_replicated_columns *columns,
                              struct th_comm *comm, const int64_t *slot,
                              const double *coef, int64_t count, double *out,
                              struct th_error *err);

/* --- Blocks
 *
 * The columns of a fetch lie one after the other in a block. A header precedes
 * the values of each. A block lives as long as a slot has a column in it. */

/* Columns are padded to multiples of so many bytes. A header takes one
 * multiple. */
enum { TH_COLUMNS_ALIGNMENT = 64, TH_COLUMNS_HEADER = TH_COLUMNS_ALIGNMENT };

struct th_replicated_columns_block {
  struct th_shared memory; /* of the columns, once a node */
  int64_t count;           /* columns in it */
  int64_t held; /* columns that slots use; at 0 the block is released */
  int64_t kept; /* columns to keep; work of th_replicated_columns_keep */
};

#endif
