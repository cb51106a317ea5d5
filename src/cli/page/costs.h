/* costs.h - what runs cost and observed: a table at a glance, settings, phases
 * and ranks, the ledger in words
 *
 * All functions are local; they write to `out`.
 * SPDX-License-Identifier: MIT */
#ifndef TH_COSTS_H
#define TH_COSTS_H

#include "cli/page/runs.h"

#include <stdio.h>

/* What matters most, a column for each run. */
void th_costs_put_summary(FILE *out, const struct th_runs *runs);

/* The options that were used; where runs differ, in bold. Nothing where no file
 * tells them. */
void th_costs_put_settings(FILE *out, const struct th_runs *runs);

/* Pictures of where the time went, by the reports of runs that have one. */
void th_costs_put_phases(FILE *out, const struct th_runs *runs);

/* What was observed, a paragraph for each run that has a model. */
void th_costs_put_ledger(FILE *out, const struct th_runs *runs);

#endif
