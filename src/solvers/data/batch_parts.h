/* batch_parts.h - what the files of a batch share
 *
 * A local function hands its status on to the next collective one.
 *
 * Where a comment names no code, a status is one of TH_ENOMEM, and of reading
 * TH_EARG, TH_EDATA, TH_EBUDGET, TH_EFORMAT, TH_EIO.
 * SPDX-License-Identifier: MIT */
#ifndef TH_BATCH_PARTS_H
#define TH_BATCH_PARTS_H

#include "solvers/data/batch.h"

enum { TH_MOST_SLICES = 8 }; /* into which the sum of predictions is cut */

/* ---- which rows, and their targets (batch_draw.c) ---- */

/* Draw and declare the rows of a request, load their targets, and make room for
 * the support's values. *complete and the batch are replicated. If *complete is
 * true, the status is this rank's own. Collective: an agreement if room has to
 * grow, else no communication. */
th_status th_batch_take(struct th_batch *batch, struct th_context *context,
                        const struct th_batch_request *request, bool *complete,
                        struct th_error *err);

/* The same for held-out units first .. last - 1, in one draw; no rows when
 * there is no room for them. Collective, likewise. */
th_status th_batch_take_units(struct th_batch *batch,
                              struct th_context *context, struct th_range units,
                              const struct th_support *support,
                              struct th_error *err);

/* ---- values (batch.c) ---- */

/* Room for the values of this rank's members of S. Local. TH_ENOMEM. */
th_status th_batch_columns(struct th_batch *batch,
                           const struct th_context *context,
                           const struct th_support *support,
                           struct th_error *err);

/* Read these values on the rows of some draws. Local. */
th_status th_batch_observe_draws(struct th_batch *batch,
                                 struct th_context *context,
                                 const struct th_support *support,
                                 struct th_range draws, struct th_error *err);

/* Tell the store what is going to be read next, so that it may read ahead. The
 * first function announces the support's values on the rows of some draws, in
 * the order of th_batch_observe_draws. The second announces their blocks, in
 * the order of th_batch_visit. Local. */
void th_batch_announce(struct th_batch *batch, struct th_context *context,
                       const struct th_support *support, struct th_range draws);
void th_batch_announce_blocks(struct th_batch *batch,
                              struct th_context *context,
                              struct th_range draws);

/* Visit the blocks of some draws. Local. */
th_status th_batch_visit(struct th_batch *batch, struct th_context *context,
                         struct th_range draws, th_slab_visitor *visit,
                         void *self, struct th_error *err);

#endif
