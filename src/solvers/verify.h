/* verify.h - a certificate computed anew, from the model and data alone
 * SPDX-License-Identifier: MIT */
#ifndef TH_VERIFY_H
#define TH_VERIFY_H

#include "core/model.h"
#include "solvers/train.h"

#include <stdbool.h>

/* Replicated. */
struct th_verdict {
  struct th_certificate now; /* of these data; path is empty */
  bool same;     /* they are the data that the model was trained on */
  double width;  /* fresh data: largest half-width of a group's dual norm */
  double excess; /* fresh data: largest dual norm of a group outside the
                    support, less its half-width, over 1; -INFINITY: none */
  bool holds;
  bool decided; /* false: half-widths of 1 or more refute nothing */
};

/* Compute the certificate of a model with a penalty on the training examples of
 * a store. On the data it was trained on it must say what the model says; on
 * fresh data no group outside the support may contradict optimality with
 * confidence plan->config.confidence (empirical Bernstein bounds over all
 * attributes; Liang & Poon 2022, section 3.4). plan: the model's options, with
 * its lambda. Collective. TH_EDATA for a support attribute that is left out. */
th_status th_verify(const struct th_plan *plan, struct th_store *store,
                    struct th_comm *comm, const struct th_model *model,
                    struct th_profile *profile, struct th_verdict *verdict,
                    struct th_error *err);

#endif
