/* checkpoint_parts.h - what the files of io/checkpoint share; internal to it
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CHECKPOINT_PARTS_H
#define TH_CHECKPOINT_PARTS_H

#include "io/checkpoint/checkpoint.h"

#include <dirent.h>

/* The file of io/checkpoint/checkpoint_log.h. */
#define TH_CHECKPOINT_LOG "telemetry.kept"

/* Bytes of this rank's part of a checkpoint. */
int64_t th_checkpoint_bytes(const struct th_state *state);

/* The files of the folder; NULL with errno. */
DIR *th_checkpoint_list(const struct th_checkpoint *checkpoint);

/* Remove all checkpoints whose number is less, whole or not. */
void th_checkpoint_remove_below(struct th_checkpoint *checkpoint,
                                int64_t least);

#endif
