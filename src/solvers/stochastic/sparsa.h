/* sparsa.h - spectral proximal gradient steps (SpaRSA) on the active attributes
 *
 * Proximal gradient steps on full passes, with the step lengths of Barzilai and
 * Borwein and a search that lets the objective rise for a few steps (SpaRSA:
 * Wright, Nowak & Figueiredo 2009), and gap-safe screening as the gap falls.
 * A pass costs what is active: for the end of a stochastic method, where few
 * attributes are left, and for the point that gap-safe screening looks at.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SPARSA_H
#define TH_SPARSA_H

#include "solvers/stochastic/stochastic.h"

enum { TH_SPARSA_MEMORY = 5 }; /* objectives that a new one is compared with */

/* Where a descent is: replicated. */
struct th_sparsa {
  int fields[2];   /* screening fields to work with */
  double shortest; /* step that always descends: 1 / (L sum N_j) */
  double step;     /* the next one; 0: nothing is known */
  double recent[TH_SPARSA_MEMORY]; /* objectives, a ring */
  int64_t passes;                  /* of this call */
  int64_t patience; /* in so many passes the gap has to halve; 0: or not */
};

/* From b on until the gap is `gap` at most, `most` passes are over, or patience
 * is: s->full.pass says what was reached. Attributes that are no longer active
 * are those proven to be 0 in the solution on the active ones. sparsa: fields,
 * and zeros, or what a call before has left, to go on with steps of its length.
 * Collective. TH_EARG, TH_EDATA, TH_EBUDGET, TH_ENUMERIC, TH_ENOMEM. */
th_status th_sparsa(struct th_stochastic *s, struct th_sparsa *sparsa,
                    double gap, int64_t most, struct th_error *err);

#endif
