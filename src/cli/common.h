/* common.h - what several commands share
 * SPDX-License-Identifier: MIT */
#ifndef TH_COMMON_H
#define TH_COMMON_H

#include "api/memory_share.h"
#include "api/split.h"
#include "cli/options/options.h"
#include "cli/shared/json.h"
#include "core/comm.h"
#include "io/hdf5/output.h"

/* Bytes of stored values that a rank keeps: --memory, else 2/5 of its share.
 * Local. */
int64_t th_common_memory_to_keep(const struct th_options *options,
                                 int64_t share);

/* Refuse an output now rather than after the work: it exists, or its folder
 * cannot be written, or it is no text and goes to the standard output. path
 * NULL: nothing to check. Collective. TH_EUSAGE, TH_EIO, TH_ENOMEM. */
th_status th_common_output_check(struct th_comm *comm, const char *path,
                                 bool text, bool force, struct th_error *err);

/* Write an object, which is released, to an output of text: a failure has its
 * name and the reason. Local. TH_EIO, TH_ENOMEM. */
th_status th_common_json(const struct th_output *output, json_t *object,
                         size_t flags, struct th_error *err);

/* What is written beside the model could not be written, and is not missed: say
 * so. What was to go to the standard output is dropped. Local: rank 0. */
void th_common_unwritten(const char *what, const char *path, const char *why);

/* Print a note that there is no lock of the usual kind, unless it is empty or
 * the run is to be quiet. Local: rank 0. */
void th_common_note(const struct th_options *options, const char *note);

#endif
