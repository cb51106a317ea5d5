/* training_options.h - the options of training: names, ranges, help, and which
 * go together
 *
 * Rows set members of struct th_config. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_TRAINING_OPTIONS_H
#define TH_TRAINING_OPTIONS_H

#include "api/option.h"
#include "solvers/config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for one byte per row. */
enum { TH_TRAINING_OPTIONS_MOST = 80 };

/* How many rows there are; the k-th; the row of a name, or -1. */
int th_training_options_count(void);
const struct th_option *th_training_options_row(int k);
int th_training_options_find(const char *name);

/* --- Which options a solver uses ------------------------------------------ */

/* True if a solver uses an option: it lists it, or no solver does (then it
 * belongs to all of them). Local. */
bool th_training_options_solver_uses(const char *solver, const char *option);

/* --- The names of what options choose from --------------------------------
 *
 * Each function gives the k-th name of a choice, NULL behind the last. Local.
 */

const char *th_training_options_screen(int64_t k);
const char *th_training_options_factoring(int64_t k);

/* --- Options that would have no effect, or that need another one ---------- */

/* Check the options of a training, without the data. It refuses an option that
 * the solver does not use, an option without the one that it belongs to, and a
 * missing option. given[k]: how row k of the options of training was given
 * (enum th_given). Local. */
th_status th_training_options_check(const struct th_config *config,
                                    const unsigned char *given,
                                    struct th_error *err);

#endif
