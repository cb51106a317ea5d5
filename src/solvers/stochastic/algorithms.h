/* algorithms.h - the solvers of this folder, for the table
 * SPDX-License-Identifier: MIT */
#ifndef TH_STOCHASTIC_ALGORITHMS_H
#define TH_STOCHASTIC_ALGORITHMS_H

#include "solvers/algorithm.h"

extern const struct th_algorithm th_prox_sgd_algorithm;
extern const struct th_algorithm th_truncated_gradient_algorithm;
extern const struct th_algorithm th_rda_algorithm;
extern const struct th_algorithm th_saga_algorithm;
extern const struct th_algorithm th_svrg_algorithm;

#endif
