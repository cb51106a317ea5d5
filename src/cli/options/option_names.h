/* option_names.h - the names of what options choose from
 *
 * Each function gives the k-th name of a choice, NULL behind the last. Local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_OPTION_NAMES_H
#define TH_OPTION_NAMES_H

#include <stdint.h>

const char *th_option_names_format(int64_t k);
const char *th_option_names_type(int64_t k);
const char *th_option_names_layout(int64_t k);
const char *th_option_names_header(int64_t k);
const char *th_option_names_labels(int64_t k);
const char *th_option_names_split(int64_t k);

#endif
