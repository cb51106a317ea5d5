/* verify.h - a certificate computed anew, from the model and data alone
 * SPDX-License-Identifier: MIT */
#ifndef TH_VERIFY_H
#define TH_VERIFY_H

#include "model/model.h"
#include "solvers/driver/train.h"
#include "solvers/penalised/certify.h"

#include <stdbool.h>

enum { TH_VERDICT_TEXT = 256 };

/* Replicated. */
struct th_verdict {
  struct th_certificate now; /* of these data; path is empty */
  bool same; /* these are the data that the model was trained on */
  char wrong[TH_VERDICT_TEXT];     /* the first number that is not as it should
                                      be, in words; empty: none */
  char unchecked[TH_VERDICT_TEXT]; /* what was not compared; empty: nothing */
  double width;  /* fresh data: largest half-width of a group's dual norm */
  double excess; /* fresh data: largest dual norm of a group outside the
                    support, less its half-width, over 1; -INFINITY: none */
  bool holds;
  bool decided; /* false: half-widths of 1 or more refute nothing */
};

/* What a model is verified with; all is borrowed. */
struct th_verify_setting {
  const struct th_plan *plan; /* of the model's options */
  struct th_store *store;
  struct th_comm *comm;
  struct th_profile *profile;
};

/* Compute the certificate of a model with a penalty on the training examples of
 * a store. On the data that it was trained on, every number must agree with the
 * model up to rounding (solvers/penalised/certify.c). On fresh data, no group
 * outside the support may contradict optimality with that confidence (empirical
 * Bernstein bounds over all attributes; Liang & Poon 2022, section 3.4).
 * Collective. An error for a support attribute that is left out, or for a ridge
 * model and fresh data. */
th_status th_verify(const struct th_verify_setting *setting,
                    const struct th_model *model, double confidence,
                    struct th_verdict *verdict, struct th_error *err);

/* Train the model anew on its own data, by the setting's plan, and compare. The
 * same program makes the same bits, so all numbers must be the same, including
 * those of the path. If another build or processor has made other bits,
 * objectives and gaps of the path must enclose a common least objective, and
 * the rest is not compared. Fills in wrong and unchecked. Collective. */
th_status th_verify_again(const struct th_verify_setting *setting,
                          const struct th_model *model,
                          struct th_verdict *verdict, struct th_error *err);

/* --- What the files of verification share --------------------------------- */

/* Note in the verdict what is wrong, unless something is noted already. Returns
 * false, for callers that go on with &&. Local. */
bool th_verify_wrong(struct th_verdict *verdict, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Note what was not compared. Local. */
void th_verify_unchecked(struct th_verdict *verdict, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Check a model of ridge regression: number by number, and that the largest
 * eigenvalue and the path are what they can be. Collective. An error on data
 * that it was not trained on. */
th_status th_verify_ridge(struct th_verdict *verdict,
                          struct th_problem *problem,
                          const struct th_support *support,
                          const struct th_model *model, struct th_error *err);

#endif
