/* model_file.h - models as HDF5 files
 * SPDX-License-Identifier: MIT */
#ifndef TH_MODEL_FILE_H
#define TH_MODEL_FILE_H

#include "io/files/output.h"
#include "model/model.h"
#include "ranks/comm.h"

#include <stdbool.h>

/* Write a model on rank 0; all ranks get the status. Collective. The same model
 * gives the same bytes. */
th_status th_model_file_write(const struct th_model *model,
                              struct th_comm *comm, const char *path,
                              bool force, struct th_error *err);

/* Write a model to an output that rank 0 has claimed long before
 * (th_output_begin); the others' is not looked at. Collective. The caller ends
 * with th_output_abort. */
th_status th_model_file_write_to(const struct th_model *model,
                                 struct th_comm *comm, struct th_output *output,
                                 struct th_error *err);

/* Read a model; rank 0 reads and broadcasts. Collective. An error of one line
 * for a data set or anything else. Release with th_model_free. */
th_status th_model_file_read(struct th_model *model, struct th_comm *comm,
                             const char *path, struct th_error *err);

/* Give rank 0's model to the other ranks, which have a part of it; all have its
 * groups. Collective. */
th_status th_model_file_share(struct th_model *model, struct th_comm *comm,
                              struct th_error *err);

#endif
