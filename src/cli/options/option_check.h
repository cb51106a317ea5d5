/* option_check.h - options that would have no effect, or whose partner lacks
 * SPDX-License-Identifier: MIT */
#ifndef TH_OPTION_CHECK_H
#define TH_OPTION_CHECK_H

#include "cli/options/options.h"

/* What is wrong with the options of a training whatever the data are: one that
 * the solver has no use for, one without the other that it belongs to, one that
 * is missing. Local. TH_EUSAGE. */
th_status th_option_use_check(const struct th_options *options,
                              struct th_error *err);

#endif
