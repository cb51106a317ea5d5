/* stochastic_known.h - which derived quantities are current
 *
 * Passes, bounds and certificates belong to the coefficients and the active
 * attributes that they were computed for. Code that changes these says so by
 * th_stochastic_changed. stochastic_known.c alone decides what has to be
 * computed anew.
 * SPDX-License-Identifier: MIT */
#ifndef TH_STOCHASTIC_KNOWN_H
#define TH_STOCHASTIC_KNOWN_H

#include <stdbool.h>

struct th_stochastic;

enum th_known {
  TH_KNOWN_COEF_BOUND = 1, /* scaling.coef_bound bounds the present b */
  TH_KNOWN_LOOKED = 2,     /* full.pass has been made in this outer loop, */
  TH_KNOWN_PASS = 4,       /* full.pass belongs to the present coefficients */
  TH_KNOWN_CERTIFICATE = 8 /* goal.whole and support belong to them */
};

enum th_change {
  TH_CHANGE_LOOP,       /* an outer loop begins */
  TH_CHANGE_STEPS,      /* coefficients move, and their bound with them */
  TH_CHANGE_PLACES,     /* attributes leave or come */
  TH_CHANGE_COEF,       /* coefficients are replaced */
  TH_CHANGE_PROBLEM,    /* passes so far were of another problem */
  TH_CHANGE_COEF_BOUND, /* the bound was used for something else */
  TH_CHANGE_END,        /* the end of the run may change the model */
  TH_CHANGES
};

/* All local; replicated. */
bool th_stochastic_knows(const struct th_stochastic *s, unsigned what);
void th_stochastic_learnt(struct th_stochastic *s, unsigned what);
void th_stochastic_changed(struct th_stochastic *s, enum th_change change);

#endif
