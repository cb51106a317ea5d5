/* useful.h - the useful attributes of all ranks as one list, and vectors over
 * it
 *
 * What ridge regression works with: entry k of a vector belongs to the k-th
 * useful attribute of all ranks. Vectors are replicated.
 * SPDX-License-Identifier: MIT */
#ifndef TH_USEFUL_H
#define TH_USEFUL_H

#include "solvers/penalised/problem.h"

struct th_useful {
  struct th_problem *problem; /* borrowed */
  int64_t count;
  struct th_range mine; /* of this rank: the places of the problem */
  int64_t *attribute;   /* ascending */
  bool *all;            /* of the problem's groups: all of them */
  double *here;         /* sums over the examples, of this rank's attributes */
  double *mean;         /* of the attributes; 0 until th_useful_centre */
};

/* Collective. Release with th_useful_free, also after a failure. */
th_status th_useful_init(struct th_useful *places, struct th_problem *problem,
                         struct th_error *err);
/* Local. */
void th_useful_free(struct th_useful *places);

/* out[k] = sum over the examples of multiplier x_k, where the multipliers are
 * those of the problem. Sums run in double. Observes everything once.
 * Collective. */
th_status th_useful_sums(struct th_useful *places, double *out,
                         struct th_error *err);

/* Find the means of the attributes, with weights eta; they stay 0 without an
 * intercept. Collective. */
th_status th_useful_centre(struct th_useful *places, struct th_error *err);

/* Make the problem's multipliers eta_i value_i; value NULL: eta_i. Local. */
void th_useful_weigh(const struct th_useful *places, const double *value);

/* The mean of a number for each example, with weights eta. Local. */
double th_useful_mean(const struct th_useful *places, const double *value);

#endif
