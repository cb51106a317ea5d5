/* stochastic_known.h - what is current of all that is known of an iterate
 *
 * Passes, bounds and certificates are of the coefficients and the active
 * attributes that there were. Whoever changes one of these says so here, and
 * nowhere else is it decided what has to be found anew.
 * SPDX-License-Identifier: MIT */
#ifndef TH_STOCHASTIC_KNOWN_H
#define TH_STOCHASTIC_KNOWN_H

#include <stdbool.h>

struct th_stochastic;

enum th_known {
  TH_KNOWN_COEF_BOUND = 1, /* scaling.coef_bound is of the present b, or more */
  TH_KNOWN_LOOKED = 2,     /* full.pass has been made in this outer loop, */
  TH_KNOWN_PASS = 4,       /* and belongs to the present coefficients */
  TH_KNOWN_CERTIFICATE = 8 /* goal.whole and support do */
};

enum th_change {
  TH_CHANGE_LOOP,       /* an outer loop begins */
  TH_CHANGE_STEPS,      /* coefficients move, and their bound with them */
  TH_CHANGE_PLACES,     /* attributes leave or come */
  TH_CHANGE_COEF,       /* other coefficients take their place */
  TH_CHANGE_PROBLEM,    /* passes so far were of another problem */
  TH_CHANGE_COEF_BOUND, /* the bound has served for something else */
  TH_CHANGE_END,        /* what ends the run may change the model */
  TH_CHANGES
};

/* All local; replicated. */
bool th_stochastic_knows(const struct th_stochastic *s, unsigned what);
void th_stochastic_learnt(struct th_stochastic *s, unsigned what);
void th_stochastic_changed(struct th_stochastic *s, enum th_change change);

#endif
