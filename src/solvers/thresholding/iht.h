/* iht.h - what Exploration, Exploitation and Hybrid share
 *
 * Murata & Suzuki 2018, Algorithms 1 to 3: the iterate theta, its step size and
 * guard, the batch sizes and their growth.
 * SPDX-License-Identifier: MIT */
#ifndef TH_IHT_H
#define TH_IHT_H

#include "ranks/partition.h"
#include "solvers/access/batch.h"
#include "solvers/access/gram.h"
#include "solvers/access/kept_rows.h"

#include <stdbool.h>
#include <stdint.h>

/* Replicated but for grad. */
struct th_iht {
  struct th_support theta;
  struct th_support last;  /* theta before the last step, to go back to */
  struct th_blocks blocks; /* J_i */
  struct th_batch batch;
  struct th_gram gram;      /* rows seen since S last changed */
  struct th_kept_rows kept; /* the same, for labels */
  double *grad;             /* of the owned attributes */
  struct th_selection selection;
  struct th_index_value *chosen; /* room for S */
  double *slope;     /* slopes on S, each from the rank that owns the member */
  double smoothness; /* L */
  double eta;
  double first_eta; /* before any halving */
  int64_t halvings;
  double smallest_loss;    /* on fresh rows so far */
  int64_t explore_rows;    /* B^-, rows per block, this round */
  int64_t exploit_rows;    /* B, this round */
  int64_t updates_explore; /* T^-_k */
  int64_t updates_exploit; /* T_k */
  int64_t round;           /* k, from 0 */
  bool explores;           /* exploring is not over */
};

/* Start from theta = 0 (or the configured start), with the step size and the
 * batches given or by rule. Collective. */
th_status th_iht_create(void **state, struct th_context *context,
                        struct th_error *err);

/* One update each. *more = false when not enough rows are left: nothing has
 * changed then. Collective. */
th_status th_iht_explore(struct th_iht *h, struct th_context *context,
                         bool *more, struct th_error *err);
th_status th_iht_exploit(struct th_iht *h, struct th_context *context,
                         bool *more, struct th_error *err);

/* A round of those updates that it is to have, as th_iht_round plans it.
 * Collective. */
th_status th_iht_step(struct th_iht *h, struct th_context *context,
                      bool explore, bool exploit, bool *more,
                      struct th_error *err);

/* The beginning of both updates: look at fresh examples, and guard against
 * divergence. The guard acts if the mean loss on fresh examples is not finite,
 * or above 4 times its smallest so far; where labels are rare, chance is
 * allowed for. It restores the last state and halves eta, more than once where
 * the loss has risen by orders of magnitude. *more = false: not enough examples
 * are left. *use = false: this update makes no step. Collective. */
th_status th_iht_evaluate(struct th_iht *h, struct th_context *context,
                          const struct th_batch_request *request, bool *more,
                          bool *use, struct th_error *err);

/* Blocks of the next Exploration update: s' - s attributes wide, s' wide while
 * S is empty. Local, the same on every rank. */
th_status th_iht_blocks(struct th_iht *h, struct th_context *context,
                        struct th_error *err);

/* Begin a round: batches grow. *fits = false: the round does not fit into the
 * rows that are left, and exploring is over. explore and exploit say which
 * updates a round has. Local, the same on every rank. */
th_status th_iht_round(struct th_iht *h, struct th_context *context,
                       bool explore, bool exploit, bool *fits,
                       struct th_error *err);

/* Keep the batch's rows for the refit, unless S has changed. Collective. */
th_status th_iht_remember(struct th_iht *h, struct th_context *context,
                          struct th_error *err);

/* End a round: if enough rows were seen since S last changed, fit S to them by
 * least squares and estimate L again. Collective. */
th_status th_iht_round_end(struct th_iht *h, struct th_context *context,
                           struct th_error *err);

/* The refit that ends a run. It uses all that is left for S. Collective. */
th_status th_iht_finish(void *state, struct th_context *context,
                        struct th_error *err);

/* The state between two rounds. Local. */
void th_iht_describe(void *state, struct th_context *context,
                     struct th_state *list);

/* For the table of an algorithm. Local. */
const struct th_support *th_iht_support(const void *state);
double th_iht_loss(const void *state);
double th_iht_step_size(const void *state);
void th_iht_release(void *state);

#define TH_IHT_ALGORITHM(step_function)                                        \
  {                                                                            \
    .create = th_iht_create, .step = (step_function), .finish = th_iht_finish, \
    .support = th_iht_support, .loss = th_iht_loss,                            \
    .step_size = th_iht_step_size, .describe = th_iht_describe,                \
    .free = th_iht_release,                                                    \
  }

#endif
