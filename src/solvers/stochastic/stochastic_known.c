/* stochastic_known.c - which derived quantities are current
 * SPDX-License-Identifier: MIT */
#include "solvers/stochastic/stochastic.h"

/* What is no longer known after a change. */
static const unsigned forgotten[TH_CHANGES] = {
    [TH_CHANGE_LOOP] = TH_KNOWN_LOOKED | TH_KNOWN_PASS | TH_KNOWN_CERTIFICATE,
    [TH_CHANGE_STEPS] = TH_KNOWN_COEF_BOUND,
    [TH_CHANGE_PLACES] = TH_KNOWN_PASS | TH_KNOWN_CERTIFICATE,
    [TH_CHANGE_COEF] = TH_KNOWN_PASS | TH_KNOWN_COEF_BOUND,
    [TH_CHANGE_PROBLEM] = TH_KNOWN_PASS,
    [TH_CHANGE_COEF_BOUND] = TH_KNOWN_COEF_BOUND,
    [TH_CHANGE_END] = TH_KNOWN_CERTIFICATE};

bool th_stochastic_knows(const struct th_stochastic *s, unsigned what)
{
  return (s->known & what) == what;
}

void th_stochastic_learnt(struct th_stochastic *s, unsigned what)
{
  s->known |= what;
}

void th_stochastic_changed(struct th_stochastic *s, enum th_change change)
{
  s->known &= ~forgotten[change];
}
