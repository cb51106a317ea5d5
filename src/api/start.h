/* start.h - the support that training begins with
 * SPDX-License-Identifier: MIT */
#ifndef TH_START_H
#define TH_START_H

#include "api/data.h"
#include "core/comm.h"
#include "core/model.h"

/* Read the option {start} into a model record's support and coefficients: a
 * model file, or a list such as 3,17,20 or 3:0.5,17:-2, with names in place of
 * numbers where the data have names and no file is called so. *with_coef:
 * coefficients were given. Collective. TH_EUSAGE for a malformed list, an
 * attribute that the data do not have, or a model for other attributes;
 * failures of th_match. Release with th_model_free. Also TH_EDATA, TH_EFORMAT,
 * TH_EIO, TH_ENOMEM. */
th_status th_start_model_read(struct th_model *start, bool *with_coef,
                              struct th_comm *comm, const char *text,
                              struct th_data *data, struct th_error *err);

/* The same as a list, for the deck inside a model; owned by the caller, NULL
 * when out of memory. Local. */
char *th_start_model_text(const struct th_model *start, bool with_coef);

#endif
