/* covariates_file.h - stores and shares what a model says of its covariates
 *
 * Local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_COVARIATES_FILE_H
#define TH_COVARIATES_FILE_H

#include "base/error.h"
#include "model/covariates.h"

struct th_h5;
struct th_message;

/* Pack it into a record of bytes, or unpack it. */
th_status th_covariates_file_pack(struct th_message *pack,
                                  struct th_covariates *covariates,
                                  struct th_error *err);

/* Another one of the same content; release with th_covariates_free, also after
 * a failure. */
th_status th_covariates_file_copy(struct th_covariates *to,
                                  const struct th_covariates *from,
                                  struct th_error *err);

/* Write it to a model's file where there are any, and read it: there are fewer
 * than `attributes`. */
th_status th_covariates_file_put(const struct th_h5 *h5,
                                 const struct th_covariates *covariates,
                                 struct th_error *err);
th_status th_covariates_file_get(const struct th_h5 *h5, int64_t attributes,
                                 struct th_covariates *covariates,
                                 struct th_error *err);

#endif
