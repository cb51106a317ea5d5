/* inner_solver_parts.h - what the files of the inner solver share
 *
 * Replicated and local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_INNER_SOLVER_PARTS_H
#define TH_INNER_SOLVER_PARTS_H

#include "solvers/exact/inner_solver.h"

/* A rise of the objective by this share of it may be rounding. */
#define TH_INNER_ROUNDING 1e-12

/* Whether the loss is squared, and its model the problem itself. Whether models
 * of another loss are solved by products. */
bool th_inner_solver_is_squared(const struct th_inner_solver *inner);
bool th_inner_solver_is_chord(const struct th_inner_solver *inner);

/* Make the model around the present coefficients. Collective where products of
 * dense attributes are formed. TH_ENUMERIC, TH_ENOMEM. */
th_status th_inner_solver_model(struct th_inner_solver *inner,
                                const struct th_working_set *working,
                                double tolerance, struct th_error *err);

/* Minimise a model, with a tolerance and a number of rounds that suit it. False
 * where that has made it worse: a polish of attributes that depend on each
 * other. */
bool th_inner_solver_minimise(struct th_inner_solver *inner, double lambda,
                              double tolerance);

/* The same two for models that are solved by cycles, once the model has been
 * made: form a factor of the support if that pays; minimise. TH_ENOMEM. */
th_status th_inner_cycles_model(struct th_inner_solver *inner, double tolerance,
                                struct th_error *err);
void th_inner_cycles_minimise(struct th_inner_solver *inner, double lambda);

#endif
