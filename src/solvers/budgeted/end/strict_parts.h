/* strict_parts.h - what the files of fits on given columns share
 * SPDX-License-Identifier: MIT */
#ifndef TH_STRICT_PARTS_H
#define TH_STRICT_PARTS_H

#include "solvers/budgeted/end/strict.h"
#include "solvers/data/standard.h"

/* What is known of coefficients of the columns, less `centre` each, and of
 * their constant, said of coefficients of z and theirs: precision[order *
 * order] and moment[order]. Local. */
void th_strict_known_of_z(const struct th_strict_known *known,
                          const struct th_standard *z, bool intercept,
                          double *precision, double *moment);

#endif
