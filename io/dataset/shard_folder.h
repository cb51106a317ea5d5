/* shard_folder.h - folders of shards, and of nothing else
 *
 * Names count from a folder's descriptor. A symbolic link in the place of a
 * folder or of a shard is never followed. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SHARD_FOLDER_H
#define TH_SHARD_FOLDER_H

#include "core/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether a name is there. */
bool th_shard_folder_holds(int folder, const char *name);

/* TH_EIO unless what has that name, if anything, is a folder that holds shards
 * (NNNNN.h5) alone: one line with its path and the first other name in it.
 * path: of the folder that names count from, with its slash. */
th_status th_shard_folder_check(int folder, const char *path, const char *name,
                                struct th_error *err);

/* Make it; its descriptor, registered as a folder of so many shards
 * (io/hdf5/interrupt.h), or -1 with errno. */
int th_shard_folder_make(int folder, const char *name, int64_t shards);

/* The descriptor of one that another rank has made; the same. */
int th_shard_folder_enter(int folder, const char *name, int64_t shards);

/* Remove the shards in it, and then the folder where that leaves nothing. What
 * does not exist is removed already. */
void th_shard_folder_remove(int folder, const char *name);

#endif
