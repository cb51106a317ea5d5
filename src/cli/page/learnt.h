/* learnt.h - pictures and tables of what models hold: coefficients, the path
 * they were chosen from, the candidates of the end
 *
 * All functions are local; they write to `out`, and nothing where no run has a
 * model that holds it.
 * SPDX-License-Identifier: MIT */
#ifndef TH_LEARNT_H
#define TH_LEARNT_H

#include "base/error.h"
#include "cli/page/runs.h"

#include <stdio.h>

/* The attributes, the largest coefficient first. */
th_status th_learnt_put_coefficients(FILE *out, const struct th_runs *runs,
                                     struct th_error *err);

/* Coefficients and losses by lambda. */
th_status th_learnt_put_paths(FILE *out, const struct th_runs *runs,
                              struct th_error *err);

/* What the end of a run chose among. */
void th_learnt_put_candidates(FILE *out, const struct th_runs *runs);

#endif
