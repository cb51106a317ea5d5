/* model_names.h - names and deviations of a model's attributes, in its file;
 * internal to io/, local
 *
 * A status is one of TH_EFORMAT, TH_EIO, TH_ENOMEM.
 * SPDX-License-Identifier: MIT */
#ifndef TH_MODEL_NAMES_H
#define TH_MODEL_NAMES_H

#include "core/model.h"
#include "io/hdf5/h5.h"
#include "io/hdf5/message.h"

/* Pack or unpack names and deviations. */
th_status th_model_names_walk(struct th_message *pack, struct th_model *model,
                              struct th_error *err);

/* Write or read them. A file of an older minor version has none. */
th_status th_model_names_put(const struct th_h5 *h5,
                             const struct th_model *model,
                             struct th_error *err);
th_status th_model_names_get(const struct th_h5 *h5, struct th_model *model,
                             struct th_error *err);

#endif
