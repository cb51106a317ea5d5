/* predict.h - predictions of models
 * SPDX-License-Identifier: MIT */
#ifndef TH_PREDICT_H
#define TH_PREDICT_H

#include "data/store.h"
#include "model/model.h"
#include "ranks/comm.h"

/* Predictions of some models for rows of one or more row groups, summed over
 * ranks: each rank reads the support attributes it owns, those of several
 * models once. Collective; prediction[] is replicated, all rows of a model, and
 * then those of the next: the linear predictor (with intercept), for every
 * loss. That of a row depends on no other row, and on no other model. Not
 * counted in any ledger. */
th_status th_predict(const struct th_model *models, int64_t count,
                     struct th_store *store, struct th_comm *comm,
                     struct th_rows rows, double *prediction,
                     struct th_error *err);

/* Examples that are predicted at once, whole row groups: with so many in one
 * call ranks speak to each other three times. The same on all ranks. Local. */
int64_t th_predict_rows(const struct th_model *models, int64_t count,
                        const struct th_shape *shape);

#endif
