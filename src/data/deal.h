/* deal.h - how examples are handed to their consumers
 *
 * Each pass is a seeded permutation of the training deal units (u consecutive
 * rows of one row group) in one queue. A consumer is a block J_i,
 * Exploitation, or the step-size estimate. It uses up its unit and then takes
 * the next one. The rest of its unit at the end of a pass goes back to the
 * queue. An update that finds too few rows goes on in the next pass. It uses
 * no row twice as long as there are enough rows. The whole state consists of
 * integers that are the same on every rank. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_DEAL_H
#define TH_DEAL_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Consecutive stored rows, all in one row group. */
struct th_rows {
  int64_t first;
  int64_t count;
};

/* A growing list of row pieces, in the order in which they were taken. */
struct th_pieces {
  struct th_rows *items;
  int64_t count;
  int64_t capacity;
};

struct th_state;

th_status th_deal_pieces_add(struct th_pieces *list, struct th_rows rows,
                             struct th_error *err);
int64_t th_deal_pieces_rows(const struct th_pieces *list);
void th_deal_pieces_free(struct th_pieces *list);

struct th_deal_plan {
  uint64_t seed;
  int64_t training;  /* stored rows 0..training-1 are training examples */
  int64_t row_group; /* R */
  int64_t unit;      /* u <= R */
  int64_t passes;    /* upper limit */
  double validation; /* fraction of the units held out, 0 for none */
};

/* Units of a plan in stored order. They do not cross row groups, so that the
 * last one of a group is shorter where u does not divide R. */
int64_t th_deal_units(const struct th_deal_plan *plan);
struct th_rows th_deal_unit(const struct th_deal_plan *plan, int64_t k);

/* Where a stored row is: in which of these units, as which of its rows. */
struct th_deal_place {
  int64_t unit;
  int64_t row;
};
struct th_deal_place th_deal_place(const struct th_deal_plan *plan,
                                   int64_t row);

/* Fixed consumers; block i is TH_CONSUMER_BLOCK + i. */
enum {
  TH_CONSUMER_EXPLOIT = 0,
  TH_CONSUMER_STEP_SIZE = 1,
  TH_CONSUMER_BLOCK = 2
};

struct th_deal {
  struct th_deal_plan plan;
  int64_t units;          /* training and validation */
  int64_t training_units; /* dealt */
  int64_t rows_in_pass;   /* rows of the dealt units */
  int64_t pass;           /* the pass that is being dealt, from 0 */
  int64_t position;       /* units of this pass already taken */
  int64_t taken;          /* rows handed out so far, all passes */
  int64_t update_pass;    /* the pass in which the present update began */
  bool reused;            /* an update has used a row twice: n < d' B */
  int64_t consumers;      /* entries of rest */
  int64_t consumer_capacity;
  struct th_rows *rest;      /* the rest of each consumer's unit */
  struct th_pieces back;     /* pieces that went back to the queue */
  int64_t back_head;         /* entries of back already taken again */
  struct th_pieces update;   /* pieces handed out in the present update */
  struct th_pieces deferred; /* pieces the present update may not use again */
  int32_t *shuffled;         /* units in their fixed order; NULL: computed */
};

/* plan.unit >= 1, plan.training >= 1. An error if validation would leave
 * nothing to train on. Release with th_deal_free. */
th_status th_deal_init(struct th_deal *deal, const struct th_deal_plan *plan,
                       struct th_error *err);
void th_deal_free(struct th_deal *deal);

/* Its state between updates, which decides what is dealt next. */
void th_deal_describe(struct th_deal *deal, struct th_state *state);

/* Begin a new update: rows may be used again. */
th_status th_deal_begin(struct th_deal *deal, struct th_error *err);

/* Hand `rows` rows to a consumer, appended to *pieces; fewer only when all
 * passes are used up. */
th_status th_deal_rows(struct th_deal *deal, int64_t consumer, int64_t rows,
                       struct th_pieces *pieces, struct th_error *err);

/* From now on there are `blocks` blocks. If there were more before, the rests
 * of the others go back to the queue. */
th_status th_deal_set_blocks(struct th_deal *deal, int64_t blocks,
                             struct th_error *err);

/* After all passes that have begun, so many more. */
void th_deal_extend(struct th_deal *deal, int64_t passes);

/* Another order hands out rows of this deal (data/latin.h): it is in this pass,
 * and has handed out so many more. */
void th_deal_count(struct th_deal *deal, int64_t pass, int64_t rows);

/* Rows not yet handed out, in this and all later passes. */
int64_t th_deal_left(const struct th_deal *deal);

/* Training unit k of the seeded order, k = 0 .. training_units - 1: the order
 * without passes. */
struct th_rows th_deal_training_unit(const struct th_deal *deal, int64_t k);

/* The held-out units, k = 0 .. th_deal_validation_units - 1. */
int64_t th_deal_validation_units(const struct th_deal *deal);
struct th_rows th_deal_validation_unit(const struct th_deal *deal, int64_t k);

#endif
