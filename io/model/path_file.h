/* path_file.h - the path that a model was chosen from, in its file
 *
 * Group /path: indptr, indices and data are the arrays of a SciPy matrix of
 * compressed rows, a row for each lambda. It has a checksum of its own, so that
 * programs that do not know it can read the model, too. All functions are
 * local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_PATH_FILE_H
#define TH_PATH_FILE_H

#include "io/hdf5/h5.h"
#include "io/hdf5/message.h"
#include "model/model.h"

/* Write it; nothing where there is none. penalty: its name. */
th_status th_path_file_put(const struct th_h5 *h5, struct th_model *model,
                           const char *penalty, struct th_error *err);

/* Read it, where there is one, into a model whose attributes are known. */
th_status th_path_file_get(const struct th_h5 *h5, struct th_model *model,
                           struct th_error *err);

/* Pack or unpack it, likewise. */
th_status th_path_file_walk(struct th_message *pack, struct th_model *model,
                            struct th_error *err);

#endif
