/* config_check.h - options that would have no effect, or whose partner lacks
 * SPDX-License-Identifier: MIT */
#ifndef TH_CONFIG_CHECK_H
#define TH_CONFIG_CHECK_H

#include "api/option.h"
#include "solvers/config.h"

/* What is wrong with the options of a training whatever the data are: one that
 * the solver has no use for, one without the other that it belongs to, one that
 * is missing. given[k]: how row k of the options of training was given (enum
 * th_given). Local. TH_EUSAGE. */
th_status th_config_check(const struct th_config *config,
                          const unsigned char *given, struct th_error *err);

#endif
