/* early_stopping.h - early stopping on held-out training examples
 *
 * All functions that do not say otherwise are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_EARLY_STOPPING_H
#define TH_EARLY_STOPPING_H

#include "solvers/access/batch.h"

#include <stdbool.h>

/* The best support so far, by its mean loss on the held-out deal units. Only S
 * is observed of these. Zeroed, with an infinite loss, it has none. Replicated.
 */
struct th_validation {
  struct th_support best;
  struct th_batch batch;
  double best_loss;
  int64_t strikes;    /* checks in a row without a gain */
  int64_t checked_at; /* rows that had been dealt at the last check */
};

void th_early_stopping_free(struct th_validation *validation);

/* Its state. */
void th_early_stopping_describe(struct th_validation *validation,
                                struct th_state *state);

/* Mean loss of a support on the held-out rows. Collective. */
th_status th_early_stopping_loss(struct th_validation *validation,
                                 struct th_context *context,
                                 const struct th_support *support, double *loss,
                                 struct th_error *err);

/* Has a check ended the run? */
bool th_early_stopping_ended(const struct th_validation *validation);

/* Is it time for a check? Never where no unit is held out. */
bool th_early_stopping_due(const struct th_validation *validation,
                           const struct th_context *context);

/* Check the loss if it is time to, and stop after 5 checks in a row without a
 * gain. Collective; does nothing where no unit is held out. */
th_status th_early_stopping_check(struct th_validation *validation,
                                  struct th_context *context,
                                  const struct th_support *support, bool *stop,
                                  struct th_error *err);

#endif
