/* curves.h - pictures of what telemetries hold: error, support, screening
 *
 * All functions are local; they write to `out`.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CURVES_H
#define TH_CURVES_H

#include "base/error.h"
#include "cli/page/runs.h"

#include <stdio.h>

/* The pictures with their sentences; nothing where there is no telemetry. */
th_status th_curves_put(FILE *out, const struct th_runs *runs,
                        struct th_error *err);

#endif
