/* strict_parts.h - what strict_fit.c and strict_known.c share
 *
 * Fits work on standardised columns z (solvers/data/standard.h). What earlier
 * rows have said is about the columns as given. The function here translates
 * the latter to the former; strict_known.c defines it, and both files add its
 * result to their equations.
 * SPDX-License-Identifier: MIT */
#ifndef TH_STRICT_PARTS_H
#define TH_STRICT_PARTS_H

#include "solvers/budgeted/end/strict.h"
#include "solvers/data/standard.h"

/* Transform what is known about the coefficients of the columns, less `centre`
 * each, and about their constant, to the coefficients and constant of z:
 * precision[order * order] and moment[order]. Local. */
void th_strict_known_of_z(const struct th_strict_known *known,
                          const struct th_standard *z, bool intercept,
                          double *precision, double *moment);

#endif
