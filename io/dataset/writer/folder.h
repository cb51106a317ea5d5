/* folder.h - the folder of a data set's shards while it is written: its names,
 * and what a killed run has left
 *
 * Names are relative to a folder's descriptor. A symbolic link in the place of
 * a folder or of a shard is never followed. Internal to io/, local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_FOLDER_H
#define TH_FOLDER_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* DIR/NAME.h5 has its shards in DIR/NAME.shards. */
struct th_folder {
  char *path;  /* of the master */
  char *place; /* its folder, with a slash, or "" */
  int parent;  /* descriptor of that folder; -1: not open yet */
  char *final; /* of the shards: final name, then while it is written, then of
                  a replaced one */
  char *partial;
  char *old;
};

th_status th_folder_names(struct th_folder *folder, const char *path,
                          struct th_error *err);
void th_folder_free(struct th_folder *folder);

/* True if the shards under their final name are of a run that was killed before
 * its master got one: the master is there as a partial file, and belongs to
 * them. To be asked before the output is claimed, which removes that file. */
bool th_folder_headless(const struct th_folder *folder);

/* After a run that was killed while it renamed files: put back the shards that
 * it was replacing, or remove them if the new master has its final name. An
 * error if the master belongs to neither. With the output claimed. */
th_status th_folder_recover(const struct th_folder *folder,
                            struct th_error *err);

/* True if a name exists. */
bool th_folder_holds(int parent, const char *name);

/* An error unless the name does not exist or is a folder with nothing but
 * shards (NNNNN.h5). The message has its path and the first other name in it.
 * path: that of the parent folder, with its slash. */
th_status th_folder_check(int parent, const char *path, const char *name,
                          struct th_error *err);

/* Make the folder, or enter one that another rank has made. Returns its
 * descriptor, registered as a folder of so many shards (io/files/interrupt.h),
 * or -1 with errno. */
int th_folder_make(int parent, const char *name, int64_t shards);
int th_folder_enter(int parent, const char *name, int64_t shards);

/* From now on a signal removes a folder with its shards. Returns its
 * descriptor, or -1 where there is none. */
int th_folder_own(int parent, const char *name);

/* Remove the shards in a folder, and then the folder if it is empty, and close
 * its descriptor; -1: nothing. */
void th_folder_drop(int parent, const char *name, int inside);

/* Remove a folder in that way. Names that do not exist are no error. */
void th_folder_remove(int parent, const char *name);

#endif
