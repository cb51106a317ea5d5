/* training_options.h - the options of training: names, ranges, help
 *
 * Rows set members of struct th_config. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_TRAINING_OPTIONS_H
#define TH_TRAINING_OPTIONS_H

#include "api/option.h"

#include <stdbool.h>
#include <stddef.h>

/* Room for one byte per row. */
enum { TH_TRAINING_OPTIONS_MOST = 64 };

/* How many rows there are; the k-th; the row of a name, or -1. */
int th_training_options_count(void);
const struct th_option *th_training_options_row(int k);
int th_training_options_find(const char *name);

/* --- Which options a solver uses ------------------------------------------ */

/* True if a solver uses an option: it lists it, or no solver does (then it
 * belongs to all of them). Local. */
bool th_training_options_solver_uses(const char *solver, const char *option);

/* The names of the solvers that list an option, "a or b". Local. */
void th_training_options_solver_users(const char *option, char *text,
                                      size_t size);

#endif
