/* moments.h - second moments of the attributes: known, or estimated
 *
 * Of attributes as solvers see them, (x - centre) * scale. Attributes that are
 * left out have none.
 * SPDX-License-Identifier: MIT */
#ifndef TH_MOMENTS_H
#define TH_MOMENTS_H

#include "solvers/access/context.h"
#include "solvers/sampling/ball.h"
#include "solvers/sampling/iterate.h"

/* Arrays are of the owned attributes, other numbers replicated. */
struct th_moments {
  double *second; /* E x^2, from import */
  double sum;     /* of them, over all attributes */
  double largest;
  double shown;   /* how many attributes the examples are likely to show */
  double *square; /* estimates: the sum of the squares that were observed */
  double *hits;   /* and how many there were */
  double *work;   /* attributes */
  double *cell;   /* cells */
};

/* Read the moments of the training examples from the source's statistics.
 * Collective. Release with th_moments_free. */
th_status th_moments_init(struct th_moments *moments,
                          const struct th_context *context,
                          struct th_error *err);
/* Local. */
void th_moments_free(struct th_moments *moments);

/* The estimates are the state. Local. */
void th_moments_describe(struct th_moments *moments,
                         const struct th_context *context,
                         struct th_state *state);

/* What attributes are drawn by. */
enum th_moments_use { TH_MOMENTS_EQUAL, TH_MOMENTS_EXACT, TH_MOMENTS_ESTIMATE };

/* How the estimates are used: error is added to each of them (epsilon; paper,
 * Algorithm 2, line 11), or a number of observations of the average moment, and
 * `smooth` is the share of the draws that falls on all attributes alike. */
struct th_moments_care {
  double error;
  double prior; /* observations, such as 0.1 */
  double smooth;
};

/* Fill in mass[owned], in proportion to the probability of a data point's
 * draws, and root[owned], in proportion to the roots of the moments, as far as
 * they are known. Both are 0 for attributes that are left out. Returns the norm
 * of the moments that theory asks for. Collective. */
double th_moments_masses(struct th_moments *moments,
                         const struct th_context *context,
                         const struct th_ball *ball, enum th_moments_use use,
                         struct th_moments_care care, double *mass,
                         double *root);

#endif
