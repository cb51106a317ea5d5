/* certify_parts.h - what the files of certificates share
 * SPDX-License-Identifier: MIT */
#ifndef TH_CERTIFY_PARTS_H
#define TH_CERTIFY_PARTS_H

#include "solvers/penalised/problem.h"

/* A model looked at with all the data of its problem. */
struct th_certify_review {
  struct th_problem *problem; /* borrowed */
  double *coef;               /* places */
  double *held; /* groups: above 0 where a member has a coefficient */
  double *prediction;
  double *theta; /* the dual point before it is scaled */
  struct th_duals duals;
  double omega; /* the penalty, without lambda */
  double drift; /* what another rounding of theta does to a dual value, over
                   the group's norm bound */
};

/* Objective, dual norm and gap, and what th_certify_review_survey needs.
 * Collective. The caller sets the problem, in a zeroed record, and releases it
 * with th_certify_review_free, also after a failure. TH_ENUMERIC, TH_ENOMEM,
 * and of reading TH_EARG, TH_EDATA, TH_EBUDGET, TH_EFORMAT, TH_EIO. */
th_status th_certify_review_make(struct th_certify_review *review,
                                 const struct th_support *model, double lambda,
                                 struct th_certificate *certificate,
                                 struct th_error *err);
/* Local. */
void th_certify_review_free(struct th_certify_review *review);

/* How far a group is from optimal: beyond the ball; one of the support also
 * from Z'b = Omega(b), which says that Z is a subgradient. Local. */
double th_certify_review_violation(const struct th_certify_review *review,
                                   int64_t group);

/* How far the dual value of a group may be off. Local. */
double th_certify_review_slack(const struct th_certify_review *review,
                               int64_t group);

/* Largest violation and radius, and how far the others are from the support, at
 * the certificate's gap. side: dual values as they are (0), or as low or high
 * as rounding may have them (-1, 1). Collective. */
void th_certify_review_survey(const struct th_certify_review *review, int side,
                              struct th_certificate *certificate);

#endif
