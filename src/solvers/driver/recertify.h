/* recertify.h - a certificate computed again, and what rounding may make of it
 * SPDX-License-Identifier: MIT */
#ifndef TH_RECERTIFY_H
#define TH_RECERTIFY_H

#include "solvers/access/support.h"
#include "solvers/penalised/problem.h"

/* A certificate of a model, computed from the data. A program that rounds
 * differently finds numbers between least and most. The margins of both count
 * the attributes outside the support that are no farther than 10^-k. Paths are
 * empty. Replicated. */
struct th_recertified {
  struct th_certificate now;
  struct th_certificate least;
  struct th_certificate most;
  double omega; /* the model's penalty, without lambda */
};

/* Certify the model of a support (coefficients of (x - centre) * scale) at the
 * lambda of `told`, its own certificate. If that certificate is right, it lies
 * between least and most. The gap on which radius and active depend is taken
 * from it. Collective. */
th_status th_recertify(struct th_problem *problem,
                       const struct th_support *support,
                       const struct th_certificate *claimed,
                       struct th_recertified *found, struct th_error *err);

#endif
