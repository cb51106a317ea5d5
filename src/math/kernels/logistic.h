/* logistic.h - the logistic loss on all examples at once
 *
 * These are the sums of math/gap.h, formed for eight examples at a time. The
 * exponential and the logarithms are our own and good to some units in the last
 * place. Sums run in eight lanes, so that every instruction set gives the same
 * bits. Labels are -1 and +1. An example of weight 0 adds nothing to any sum.
 * Local; nothing allocates.
 * SPDX-License-Identifier: MIT */
#ifndef TH_LOGISTIC_H
#define TH_LOGISTIC_H

#include <stdint.h>

/* Sums over the examples: of eta f, eta f', |eta f'| and eta f''. */
struct th_logistic {
  double loss;
  double slope;
  double size;
  double curvature;
};

/* Compute the sums at predictions + offset; theta receives f'. */
struct th_logistic th_logistic_at(int64_t n, const double *eta,
                                  const double *label, const double *prediction,
                                  double offset, double *theta);

/* Return - sum of eta f*(scale theta), scale in 0 .. 1 and theta between 0 and
 * -label. */
double th_logistic_dual(int64_t n, const double *eta, const double *theta,
                        double scale);

#endif
