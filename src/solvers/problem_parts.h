/* problem_parts.h - what the files of a penalised problem share
 * SPDX-License-Identifier: MIT */
#ifndef TH_PROBLEM_PARTS_H
#define TH_PROBLEM_PARTS_H

#include "solvers/problem.h"

/* Second moments of the groups, and what bounds rounding, by one pass.
 * Collective. */
th_status th_problem_moments(struct th_problem *problem, struct th_error *err);

#endif
