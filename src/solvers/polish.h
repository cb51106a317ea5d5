/* polish.h - the exact solution on the active attributes
 *
 * Proximal gradient steps on full passes, with the step lengths of Barzilai and
 * Borwein and a search that lets the objective rise for a few steps (SpaRSA:
 * Wright, Nowak & Figueiredo 2009), and gap-safe screening as the gap falls.
 * For the end of a stochastic method, where few attributes are left: a pass
 * costs what is active.
 * SPDX-License-Identifier: MIT */
#ifndef TH_POLISH_H
#define TH_POLISH_H

#include "solvers/stochastic.h"

/* From b on until the gap is `gap` at most, or `most` passes are over: s->pass
 * says what was reached. Attributes that are no longer active are those proven
 * to be 0 in the solution on the active ones. fields: two screening fields to
 * work with. Update rules must leave b alone when they settle. Collective. */
th_status th_polish(struct th_stochastic *s, double gap, int64_t most,
                    const int fields[2], struct th_error *err);

#endif
