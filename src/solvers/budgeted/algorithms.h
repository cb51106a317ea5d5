/* algorithms.h - the solvers of this folder, for the table
 * SPDX-License-Identifier: MIT */
#ifndef TH_BUDGETED_ALGORITHMS_H
#define TH_BUDGETED_ALGORITHMS_H

#include "solvers/algorithm.h"

extern const struct th_algorithm th_exploration_algorithm;
extern const struct th_algorithm th_exploitation_algorithm;
extern const struct th_algorithm th_hybrid_algorithm;
extern const struct th_algorithm th_sift_algorithm;

#endif
