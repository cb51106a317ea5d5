/* applied.h - matrices of callers: what they are, and what a model predicts of
 * them
 * SPDX-License-Identifier: MIT */
#ifndef TH_APPLIED_H
#define TH_APPLIED_H

#include "api/thresher.h"
#include "io/import/arrays/given.h"

/* Check a caller's matrix, and describe it; `call` opens the message of a
 * failure. What *given has beside it stays. Local. */
th_status th_applied_dense(const char *call,
                           const struct thresher_dense *values,
                           struct th_given_matrix *given, struct th_error *err);
th_status th_applied_sparse(const char *call,
                            const struct thresher_sparse *values,
                            struct th_given_matrix *given,
                            struct th_error *err);

#endif
