/* inspect_model.h - describes a model
 * SPDX-License-Identifier: MIT */
#ifndef TH_INSPECT_MODEL_H
#define TH_INSPECT_MODEL_H

#include "cli/options/options.h"

/* Print the model in the first argument, as text or JSON, on rank 0.
 * Collective. TH_EDATA and TH_EUSAGE where --data does not fit, TH_EFORMAT,
 * TH_EIO, TH_ENOMEM, and of reading data TH_EARG, TH_EBUDGET, TH_ENUMERIC. */
th_status th_inspect_model(const struct th_options *options,
                           struct th_comm *comm, struct th_error *err);

#endif
