/* screen_gap_safe.h - proximal gradient steps on the active attributes, until a
 * gap is small
 * SPDX-License-Identifier: MIT */
#ifndef TH_SCREEN_GAP_SAFE_H
#define TH_SCREEN_GAP_SAFE_H

#include "solvers/stochastic/stochastic.h"

/* --- Spectral proximal gradient steps (SpaRSA) on the active attributes
 *
 * Proximal gradient steps on full passes, with the step lengths of Barzilai and
 * Borwein and a search that lets the objective rise for a few steps (SpaRSA:
 * Wright, Nowak & Figueiredo 2009), and gap-safe screening as the gap falls.
 * The cost of a pass is that of the active attributes. It is used at the end of
 * a stochastic method, when few attributes are left, and for the second point
 * of gap-safe screening. */

enum { TH_SPARSA_MEMORY = 5 }; /* objectives that a new one is compared with */

/* The state of a descent. Replicated. */
struct th_sparsa {
  int fields[2];   /* screening fields to work with */
  double shortest; /* step that always descends: 1 / (L sum N_j) */
  double step;     /* the next step; 0: not known yet */
  double recent[TH_SPARSA_MEMORY]; /* objectives, a ring */
  int64_t passes;                  /* of this call */
  int64_t patience; /* passes in which the gap has to halve; 0: no limit */
};

/* Make steps from b on until the gap is at most `gap`, or `most` passes are
 * over, or patience ends. s->full.pass says what was reached. Attributes that
 * are no longer active are proven to be 0 in the solution on the active ones.
 * *sparsa holds the fields and either zeros or the state that an earlier call
 * left, to go on with its step length. Collective. */
th_status th_screen_gap_safe_refine(struct th_stochastic *s,
                                    struct th_sparsa *sparsa, double gap,
                                    int64_t most, struct th_error *err);

#endif
