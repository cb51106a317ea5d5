/* kept.h - imports that are kept in a folder, and found again
 *
 * An entry is a data set KEY.h5 with its shards, a record KEY.kept, and a file
 * KEY.lock. The key follows from the options of the import and from the content
 * of its sources, the files that it reads. The record says what they were when
 * they were read: content, size, times, inode. An entry without a whole record
 * is not used: an import that was killed leaves none.
 *
 * Sources whose size, times and inode are those of a record have its content,
 * unless changes do not show there (th_mapping_shows); then, and where anything
 * differs, their bytes are hashed.
 *
 * Who uses an entry holds a lock of it, and so does who makes it, alone. An
 * entry that nobody uses may be removed: where its file has another content
 * now, where there are many, or where it has no record. Where there are no
 * locks, nothing goes.
 * SPDX-License-Identifier: MIT */
#ifndef TH_KEPT_H
#define TH_KEPT_H

#include "base/error.h"
#include "io/files/file.h"
#include "io/import/import.h"
#include "ranks/comm.h"

#include <stdbool.h>
#include <stdint.h>

enum { TH_KEPT_KEY = 17 }; /* digits and their end */

/* A file that an import reads. */
struct th_kept_source {
  char *name;
  struct th_identity identity;
  uint64_t place; /* hash of its full path */
  uint64_t hash;  /* of its bytes, once it is known */
  bool shows;     /* any later change shows in its identity */
};

/* Zeroed, but for lock -1: none. All is owned. */
struct th_kept {
  char *path; /* of the data set; on every rank */
  bool found; /* it was there; else `result` is that of the import */
  struct th_import_result result;
  /* on rank 0 */
  char *folder;
  uint64_t options;              /* hash of those of the import */
  struct th_kept_source *source; /* the first one is the file */
  int64_t sources;
  bool hashed;
  char key[TH_KEPT_KEY];
  char *data;     /* as path */
  int lock;       /* descriptor, or -1 */
  bool alone;     /* the entry is ours to make */
  int above_made; /* and so many folders above it */
};

/* Find what the job makes of its files, or import it. job->output and
 * job->force are not used. folder: where it is kept, in NAME.thresher; NULL:
 * beside the file. options: a hash of all of the job that changes the data set,
 * but for the content of files. Collective; end with th_kept_end, also after a
 * failure. */
th_status th_kept_import(struct th_kept *kept, const struct th_import *job,
                         const char *folder, uint64_t options,
                         struct th_comm *comm, struct th_error *err);

/* True if a data set of that fingerprint was imported from what the file has
 * now, with any options. Collective. */
bool th_kept_knows(const struct th_kept *kept, uint64_t fingerprint,
                   struct th_comm *comm);

/* After a failure rc of what reads the data set: where that is damaged, the
 * entry is not found any more, and the message says that the next run imports
 * the file anew. Local. */
void th_kept_forget(struct th_kept *kept, th_status rc, struct th_error *err);

/* Others may remove the entry from now on. What was claimed, and has not become
 * an entry, goes. Local. */
void th_kept_end(struct th_kept *kept);

#endif
