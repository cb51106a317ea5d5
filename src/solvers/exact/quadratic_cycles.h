/* quadratic_cycles.h - cycles of coordinate descent in random order
 *
 * While a solution is far, a model need not be minimised well. A cycle visits
 * the members in an order that is drawn anew, and leaves out members at zero
 * that are going to stay there, as newGLMNET does (Yuan, Ho & Lin 2012). A
 * cycle costs the entries that it visits. Units are attributes (l1), columns
 * are lists of entries. Replicated and local: every rank computes the same.
 * SPDX-License-Identifier: MIT */
#ifndef TH_QUADRATIC_CYCLES_H
#define TH_QUADRATIC_CYCLES_H

#include "solvers/exact/quadratic.h"

/* How far members are from optimality: the distance of a member's slope from
 * the penalty's slopes at its coefficient. */
struct th_violation {
  double sum;
  double most;
};

/* Of the members at the start of the model, with the slopes of the last look.
 */
struct th_violation th_quadratic_violation(const struct th_quadratic *quadratic,
                                           double lambda);

/* Descend by at most so many cycles, until the violations that a cycle meets
 * add up to at most `aim`. Members with a coefficient of zero take part only if
 * their slope is near lambda. turn: names the random orders, one for each
 * cycle. Returns how many cycles were made. */
int th_quadratic_cycles(struct th_quadratic *quadratic, double lambda,
                        double aim, int most, uint64_t *turn);

#endif
