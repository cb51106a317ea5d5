/* profile.h - where the time of a run goes, phase by phase
 *
 * Clocks are read for the report alone; no result depends on them.
 * SPDX-License-Identifier: MIT */
#ifndef TH_PROFILE_H
#define TH_PROFILE_H

#include <stdint.h>

/* One list: enumerator, key in the report, what happens in it. */
#define TH_PHASE_LIST(X)                                                       \
  X(TH_PHASE_SETUP, "setup", "opening, statistics, step-size estimate")        \
  X(TH_PHASE_SUPPORT, "support", "reading and gathering support attributes")   \
  X(TH_PHASE_PREDICT, "predict", "predictions and their sum over ranks")       \
  X(TH_PHASE_GRADIENT, "gradient", "reading blocks and their gradients")       \
  X(TH_PHASE_SELECT, "select", "hard threshold and other selections")          \
  X(TH_PHASE_GRAM, "gram", "Gram matrix of the support")                       \
  X(TH_PHASE_SOLVE, "solve", "least squares and Newton steps")                 \
  X(TH_PHASE_VALIDATE, "validate", "validation on held-out examples")          \
  X(TH_PHASE_WRITE, "write", "writing the results")

enum th_phase {
#define TH_PHASE_ENUM(code, key, what) code,
  TH_PHASE_LIST(TH_PHASE_ENUM)
#undef TH_PHASE_ENUM
      TH_PHASE_COUNT
};

struct th_profile {
  double seconds[TH_PHASE_COUNT];
  int64_t calls[TH_PHASE_COUNT];
  double began; /* clock of the phase that is running */
};

/* The key of a phase in the report. Local. */
const char *th_phase_key(enum th_phase phase);

/* Phases do not nest: begin one, end it. Local. */
void th_profile_begin(struct th_profile *profile);
void th_profile_end(struct th_profile *profile, enum th_phase phase);

#endif
