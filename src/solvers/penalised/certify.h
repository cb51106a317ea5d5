/* certify.h - the certificate of a penalised model, from the data: gap,
 * violations, margins; also of a model that claims one already
 * SPDX-License-Identifier: MIT */
#ifndef TH_CERTIFY_H
#define TH_CERTIFY_H

#include "solvers/access/support.h"
#include "solvers/penalised/problem.h"

/* How far a norm may stay away from a ball's radius without a notice: gaps tell
 * no more. */
#define TH_BALL_CLOSE 1e-6

/* Certify a model from the data. Its coefficients are those of
 * (x - centre) * scale. *certificate keeps its path; lambda_max is filled in.
 * Collective. */
th_status th_certify(struct th_problem *problem, const struct th_support *model,
                     double lambda, struct th_certificate *certificate,
                     struct th_error *err);

/* A certificate of a model, computed from the data. A program that rounds
 * differently finds numbers between least and most. The margins of both count
 * the attributes outside the support that are no farther than 10^-k. Paths are
 * empty. Replicated. */
struct th_certified_again {
  struct th_certificate now;
  struct th_certificate least;
  struct th_certificate most;
  double omega; /* the model's penalty, without lambda */
};

/* Certify the model of a support (coefficients of (x - centre) * scale) at the
 * lambda of `told`, its own certificate. If that certificate is right, it lies
 * between least and most. The gap on which radius and active depend is taken
 * from it. Collective. */
th_status th_certify_again(struct th_problem *problem,
                           const struct th_support *support,
                           const struct th_certificate *claimed,
                           struct th_certified_again *found,
                           struct th_error *err);

#endif
