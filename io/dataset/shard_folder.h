/* shard_folder.h - folders that hold shards and nothing else
 *
 * Names are relative to a folder's descriptor. A symbolic link in the place of
 * a folder or of a shard is never followed. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SHARD_FOLDER_H
#define TH_SHARD_FOLDER_H

#include "core/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether a name exists. */
bool th_shard_folder_holds(int folder, const char *name);

/* TH_EIO unless the name does not exist or is a folder with nothing but shards
 * (NNNNN.h5). The message has its path and the first other name in it. path:
 * that of the parent folder, with its slash. */
th_status th_shard_folder_check(int folder, const char *path, const char *name,
                                struct th_error *err);

/* Make the folder. Returns its descriptor, registered as a folder of so many
 * shards (io/hdf5/interrupt.h), or -1 with errno. */
int th_shard_folder_make(int folder, const char *name, int64_t shards);

/* The same for a folder that another rank has made. */
int th_shard_folder_enter(int folder, const char *name, int64_t shards);

/* From now on a signal removes a folder with its shards. Returns its
 * descriptor, or -1 where there is none. */
int th_shard_folder_own(int folder, const char *name);

/* Remove such a folder, as th_shard_folder_remove does, and close its
 * descriptor; -1: nothing. */
void th_shard_folder_drop(int folder, const char *name, int inside);

/* Remove the shards in it, and then the folder if it is empty. Names that do
 * not exist are no error. */
void th_shard_folder_remove(int folder, const char *name);

#endif
