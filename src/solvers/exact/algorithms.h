/* algorithms.h - the solvers of this folder, for the table
 * SPDX-License-Identifier: MIT */
#ifndef TH_EXACT_ALGORITHMS_H
#define TH_EXACT_ALGORITHMS_H

#include "solvers/algorithm.h"

extern const struct th_algorithm th_lasso_algorithm;

#endif
