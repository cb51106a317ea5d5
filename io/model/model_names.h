/* model_names.h - what a model knows of its attributes beside their numbers, in
 * its file; internal to io/, local
 *
 * A status is one of TH_EFORMAT, TH_EIO, TH_ENOMEM.
 * SPDX-License-Identifier: MIT */
#ifndef TH_MODEL_NAMES_H
#define TH_MODEL_NAMES_H

#include "core/model.h"
#include "io/hdf5/h5.h"
#include "io/hdf5/message.h"

/* Names and deviations in one direction or the other. */
th_status th_model_names_walk(struct th_message *pack, struct th_model *model,
                              struct th_error *err);

/* In the file; one of an older minor version has none. */
th_status th_model_names_put(const struct th_h5 *h5,
                             const struct th_model *model,
                             struct th_error *err);
th_status th_model_names_get(const struct th_h5 *h5, struct th_model *model,
                             struct th_error *err);

#endif
