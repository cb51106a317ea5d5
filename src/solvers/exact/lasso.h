/* lasso.h - the penalty at which a solution has a given norm
 *
 * The lasso in a ball, min mean loss subject to Omega(b) <= B, has the solution
 * of the penalised problem at that lambda where Omega(b) is B. Omega falls as
 * lambda rises: for a squared loss along straight lines (Efron et al. 2004).
 * Lambda comes down from lambda_max until Omega is above B. Then regula falsi
 * with halved weights (the Illinois rule; Dowell & Jarratt 1971) closes in.
 *
 * All functions are local; their arguments are replicated.
 * SPDX-License-Identifier: MIT */
#ifndef TH_LASSO_H
#define TH_LASSO_H

#include "state/state.h"

#include <stdbool.h>

/* How far it may stay away without a notice: gaps tell no more. */
#define TH_BALL_CLOSE 1e-6

#endif
