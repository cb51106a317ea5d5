/* covering.h - covariates as commands have them: a table beside the data
 * SPDX-License-Identifier: MIT */
#ifndef TH_COVERING_H
#define TH_COVERING_H

#include "api/data.h"
#include "cli/options/options.h"
#include "cli/shared/model_list.h"
#include "ranks/comm.h"

/* Put the columns of --covariates beside the attributes of open data. models:
 * that are applied, all with what they were trained with; NULL: training. An
 * error where models have covariates and there is no table, or the other way
 * round. Collective. */
th_status th_covering_open(struct th_data *data,
                           const struct th_options *options,
                           const char *command,
                           const struct th_model_list *models,
                           struct th_comm *comm, struct th_error *err);

#endif
