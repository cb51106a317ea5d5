/* latin.h - rows dealt to blocks so that none meets the same block twice
 *
 * Deal unit k of the seeded order has class k mod C for the whole run. In pass
 * p, block c takes the rows of class (c - p) mod C. So after C passes every
 * example has met every block once. Before that, no pair of an example and an
 * attribute has been read twice. The state consists of integers that are the
 * same on every rank. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_LATIN_H
#define TH_LATIN_H

#include "data/deal.h"

#include <stdbool.h>

struct th_latin {
  struct th_deal *deal; /* borrowed: the order of the units; it counts the
                           rows and passes of this dealer, too */
  int64_t classes;      /* C: blocks, and classes of units */
  int64_t units;        /* units that are dealt, from the seeded order */
  int64_t passes;       /* at most C */
  int64_t pass;         /* from 0 */
  struct th_latin_queue *queue; /* of each class */
};

/* The rows of a class that are left in this pass. */
struct th_latin_queue {
  int64_t next;        /* unit of the class, counted from 0 */
  struct th_rows rest; /* of the unit that was begun */
  int64_t left;        /* rows */
};

/* Begin the first pass over the first `units` units. Release with
 * th_latin_free. */
th_status th_latin_init(struct th_latin *latin, struct th_deal *deal,
                        int64_t units, int64_t classes, int64_t passes,
                        struct th_error *err);
void th_latin_free(struct th_latin *latin);

/* Its state: the rows that each class has left. */
void th_latin_describe(struct th_latin *latin, struct th_state *state);

/* Rows that are left in this pass: of a block, of all. */
int64_t th_latin_left_of(const struct th_latin *latin, int64_t block);
int64_t th_latin_left(const struct th_latin *latin);

/* Begin the next pass when nothing is left of this one; false: there is no
 * other pass. */
bool th_latin_turn(struct th_latin *latin);

/* Append so many of a block's rows, or all that it has left, to *pieces. */
th_status th_latin_rows(struct th_latin *latin, int64_t block, int64_t rows,
                        struct th_pieces *pieces, struct th_error *err);

/* Take so many rows, or all that are left, from the blocks that have most left.
 * They are taken a unit at a time, so that rows that are stored together are
 * read together. */
th_status th_latin_any_rows(struct th_latin *latin, int64_t rows,
                            struct th_pieces *pieces, struct th_error *err);

#endif
