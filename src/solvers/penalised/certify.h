/* certify.h - the steps of certifying a model: review, violations, survey
 *
 * certify.c makes a model's certificate from these steps. The driver's
 * recertify.c uses them again to bound what rounding may change. Use: zero a
 * review, set its problem, th_certify_review_make, th_certify_review_survey,
 * th_certify_review_free.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CERTIFY_H
#define TH_CERTIFY_H

#include "solvers/penalised/problem.h"

/* How far a norm may stay away from a ball's radius without a notice: gaps tell
 * no more. */
#define TH_BALL_CLOSE 1e-6

/* A model evaluated on all the data of its problem. */
struct th_certify_review {
  struct th_problem *problem; /* borrowed */
  double *coef;               /* places */
  double *held; /* groups: above 0 where a member has a coefficient */
  double *prediction;
  double *theta; /* the dual point before it is scaled */
  struct th_duals duals;
  double omega; /* the penalty, without lambda */
  double drift; /* how much another rounding of theta may change a dual value,
                   over the group's norm bound */
};

/* Compute objective, dual norm and gap, and what th_certify_review_survey
 * needs. Collective. The caller sets the problem in a zeroed record, and
 * releases the record with th_certify_review_free, also after a failure. */
th_status th_certify_review_make(struct th_certify_review *review,
                                 const struct th_support *model, double lambda,
                                 struct th_certificate *certificate,
                                 struct th_error *err);
/* Local. */
void th_certify_review_free(struct th_certify_review *review);

/* How far a group is from optimal: how far it lies outside the ball and, for a
 * group of the support, how far Z'b is from Omega(b). Equality says that Z is a
 * subgradient. Local. */
double th_certify_review_violation(const struct th_certify_review *review,
                                   int64_t group);

/* A bound on the error of a group's dual value. Local. */
double th_certify_review_slack(const struct th_certify_review *review,
                               int64_t group);

/* Find the largest violation and radius, and the margins of groups outside the
 * support, at the certificate's gap. side: use dual values as they are (0), or
 * as low or high as rounding may make them (-1, 1). Collective. */
void th_certify_review_survey(const struct th_certify_review *review, int side,
                              struct th_certificate *certificate);

/* Certify a model without a ridge from the data. Its coefficients are those of
 * (x - centre) * scale. *certificate keeps its path; lambda_max is filled in.
 * Collective. */
th_status th_certify(struct th_problem *problem, const struct th_support *model,
                     double lambda, struct th_certificate *certificate,
                     struct th_error *err);

#endif
