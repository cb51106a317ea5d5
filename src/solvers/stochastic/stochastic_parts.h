/* stochastic_parts.h - what the files of the engine share
 *
 * Where a comment names no code, a status is one of TH_EUSAGE, TH_ENUMERIC,
 * TH_ENOMEM, and of reading TH_EARG, TH_EDATA, TH_EBUDGET, TH_EFORMAT, TH_EIO.
 * SPDX-License-Identifier: MIT */
#ifndef TH_STOCHASTIC_PARTS_H
#define TH_STOCHASTIC_PARTS_H

#include "solvers/stochastic/stochastic.h"

/* ---- mini-batches (minibatch.c) ---- */

/* Room for batches of that many rows. Local. TH_ENOMEM. */
th_status th_stochastic_batch_init(struct th_minibatch *minibatch, int64_t rows,
                                   struct th_error *err);
void th_stochastic_batch_free(struct th_minibatch *minibatch);

/* The next mini-batch, its predictions and duals; *more = false: all passes are
 * over. Collective: one sum, none on one rank. */
th_status th_stochastic_batch_next(struct th_stochastic *s, bool *more,
                                   struct th_error *err);

/* Release the deal units that the mini-batch no longer needs; release all.
 * Local. */
void th_stochastic_batch_release(struct th_stochastic *s, bool all);

/* ---- active attributes (stochastic_active.c, stochastic_balance.c) ---- */

/* Form cells, groups and work arrays for the present places. Collective.
 * TH_EARG, TH_ENOMEM. */
th_status th_stochastic_form(struct th_stochastic *s, struct th_error *err);
/* Local. */
void th_stochastic_places_free(struct th_places *places);

/* Balance the ranks again if that pays. Collective. TH_EARG, TH_ENOMEM. */
th_status th_stochastic_balance(struct th_stochastic *s, struct th_error *err);

/* ---- the end of a run (stochastic_loop.c, stochastic_goal.c) ---- */

/* Gather in s->support, on every rank, the coefficients that are not zero.
 * Collective. TH_ENOMEM. */
th_status th_stochastic_gather(struct th_stochastic *s, struct th_error *err);

/* Open the problem over all attributes, for certificates, unless it is open.
 * Collective. */
th_status th_stochastic_open_problem(struct th_stochastic *s,
                                     struct th_error *err);

/* At the end of an outer loop: end the run if the gap is small enough.
 * Collective. */
th_status th_stochastic_check_gap(struct th_stochastic *s,
                                  struct th_error *err);

/* Whether finish makes the model the exact solution. Local. */
bool th_stochastic_ends_exactly(const struct th_stochastic *s);

/* After such a finish: go on if the certificate says that the wanted gap has
 * not been reached. Collective. */
th_status th_stochastic_end_exactly(struct th_stochastic *s,
                                    struct th_error *err);

#endif
