/* predict.h - predictions of a model
 * SPDX-License-Identifier: MIT */
#ifndef TH_PREDICT_H
#define TH_PREDICT_H

#include "data/store.h"
#include "model/model.h"
#include "ranks/comm.h"

/* Predictions of a model for rows of one or more row groups, summed over ranks:
 * each rank reads the support attributes it owns. Collective; prediction[] is
 * replicated: the linear predictor (with intercept), for every loss. That of a
 * row depends on no other row. Not counted in any ledger. */
th_status th_predict(const struct th_model *model, struct th_store *store,
                     struct th_comm *comm, struct th_rows rows,
                     double *prediction, struct th_error *err);

/* Examples that are predicted at once, whole row groups: with so many in one
 * call ranks speak to each other three times. The same on all ranks. Local. */
int64_t th_predict_rows(const struct th_model *model,
                        const struct th_shape *shape);

#endif
