/* option_names.h - the names of what options choose from
 *
 * Each function gives the k-th name of a choice, NULL behind the last. Local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_OPTION_NAMES_H
#define TH_OPTION_NAMES_H

#include <stdint.h>

const char *th_solver_names(int64_t k);
const char *th_format_names(int64_t k);
const char *th_type_names(int64_t k);
const char *th_layout_names(int64_t k);
const char *th_header_names(int64_t k);
const char *th_loss_names(int64_t k);
const char *th_refit_names(int64_t k);
const char *th_select_names(int64_t k);
const char *th_split_names(int64_t k);
const char *th_penalty_names(int64_t k);
const char *th_screen_names(int64_t k);
const char *th_screen_rule_names(int64_t k);

#endif
