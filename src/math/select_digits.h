/* select_digits.h - the k largest over all ranks by digits: the plain form
 *
 * For select.c, where the largest entries of each rank do not decide.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SELECT_DIGITS_H
#define TH_SELECT_DIGITS_H

#include "math/select.h"

/* The choice of th_select_largest, among values that are numbers.
 *
 * Collective: some sums of 256 integers, a prefix sum, and one sum of O(k)
 * bytes. TH_ENOMEM. */
th_status th_select_by_digits(struct th_comm *comm, struct th_selection *work,
                              const struct th_select_among *among,
                              struct th_index_value *chosen, int64_t *found,
                              struct th_error *err);

#endif
