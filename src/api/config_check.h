/* config_check.h - refuses options that would have no effect, or that need
 * another one
 * SPDX-License-Identifier: MIT */
#ifndef TH_CONFIG_CHECK_H
#define TH_CONFIG_CHECK_H

#include "api/option.h"
#include "solvers/config.h"

/* Check the options of a training, without the data. It refuses an option that
 * the solver does not use, an option without the one that it belongs to, and a
 * missing option. given[k]: how row k of the options of training was given
 * (enum th_given). Local. */
th_status th_config_check(const struct th_config *config,
                          const unsigned char *given, struct th_error *err);

#endif
