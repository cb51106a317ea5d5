/* solver_options.h - which options a solver uses
 * SPDX-License-Identifier: MIT */
#ifndef TH_SOLVER_OPTIONS_H
#define TH_SOLVER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a solver uses an option: it lists it, or no solver does (then it
 * belongs to all of them). Local. */
bool th_solver_uses(const char *solver, const char *option);

/* The names of the solvers that list an option, "a or b". Local. */
void th_solver_users(const char *option, char *text, size_t size);

#endif
