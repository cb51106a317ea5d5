/* verify_parts.h - what the files of verification share
 * SPDX-License-Identifier: MIT */
#ifndef TH_VERIFY_PARTS_H
#define TH_VERIFY_PARTS_H

#include "solvers/driver/recertify.h"
#include "solvers/driver/verify.h"

/* What a model's certificate is compared with. */
struct th_verify_evidence {
  const struct th_config *config; /* the model's options */
  const struct th_model *model;
  const struct th_problem *problem;
  const struct th_recertified *found;
};

/* Note in the verdict what is wrong, unless something is noted already. Returns
 * false, for callers that go on with &&. Local. */
bool th_verify_wrong(struct th_verdict *verdict, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Note what was not compared. Local. */
void th_verify_unchecked(struct th_verdict *verdict, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* How far the solver's own lambda_max, from which it derived its lambdas, may
 * be from the certificate's. Local. */
double th_verify_lambda_slack(const struct th_verify_evidence *evidence);

/* Check every number of the certificate but its path; check the path. Local;
 * replicated. */
void th_verify_numbers(struct th_verdict *verdict,
                       const struct th_verify_evidence *evidence);
void th_verify_path(struct th_verdict *verdict,
                    const struct th_verify_evidence *evidence);

/* The same for a model of ridge regression: number by number, and that the
 * largest eigenvalue and the path are what they can be. Collective. TH_EUSAGE
 * on data that it was not trained on, TH_ENUMERIC, TH_ENOMEM, and of reading
 * TH_EARG, TH_EDATA, TH_EBUDGET, TH_EFORMAT, TH_EIO. */
th_status th_verify_ridge(struct th_verdict *verdict,
                          struct th_problem *problem,
                          const struct th_support *support,
                          const struct th_model *model, struct th_error *err);

#endif
