/* profile.h - where the time of a run goes, phase by phase
 *
 * Clocks are read for the report alone; no result depends on them.
 * SPDX-License-Identifier: MIT */
#ifndef TH_PROFILE_H
#define TH_PROFILE_H

#include "ranks/comm.h"

#include <stdint.h>

/* One list: enumerator, key in the report. */
#define TH_PHASE_LIST(X)                                                       \
  X(TH_PHASE_SETUP, "setup")     /* opening, statistics, step-size estimate */ \
  X(TH_PHASE_DRAW, "draw")       /* drawing examples and their targets */      \
  X(TH_PHASE_SUPPORT, "support") /* reading support attributes */              \
  X(TH_PHASE_PREDICT, "predict") /* predictions and their sum over ranks */    \
  X(TH_PHASE_GRADIENT, "gradient") /* reading blocks and their gradients */    \
  X(TH_PHASE_SELECT, "select")     /* hard threshold and other selections */   \
  X(TH_PHASE_GRAM, "gram")         /* Gram matrix of the support */            \
  X(TH_PHASE_SOLVE, "solve")       /* least squares and Newton steps */        \
  X(TH_PHASE_STEPS, "steps") /* stochastic steps, mini-batch by mini-batch */  \
  X(TH_PHASE_PASS, "pass")   /* full passes: predictions, dual point, gap */   \
  X(TH_PHASE_VALIDATE, "validate") /* validation on held-out examples */       \
  X(TH_PHASE_WRITE, "write")       /* writing the results */

enum th_phase {
#define TH_PHASE_ENUM(code, key) code,
  TH_PHASE_LIST(TH_PHASE_ENUM)
#undef TH_PHASE_ENUM
      TH_PHASE_COUNT
};

/* The cost of a phase on this rank. */
struct th_phase_cost {
  int64_t calls;
  double seconds;
  double waiting;     /* of them inside collective operations */
  int64_t bytes_sent; /* by this rank */
  int64_t operations; /* collective ones */
};

struct th_profile {
  const struct th_comm *comm; /* borrowed; NULL: it is not looked at */
  struct th_phase_cost phase[TH_PHASE_COUNT];
  struct th_phase_cost began; /* the accounts when the phase began */
};

/* The key of a phase in the report. Local. */
const char *th_profile_phase_key(enum th_phase phase);

/* Phases do not nest: begin one, end it. Local. */
void th_profile_begin(struct th_profile *profile);
void th_profile_end(struct th_profile *profile, enum th_phase phase);

#endif
