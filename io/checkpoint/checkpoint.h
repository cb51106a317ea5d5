/* checkpoint.h - the state of a run in a folder, to go on from later
 *
 * A checkpoint has a number. It is a manifest, NNNNNN.manifest, and a part for
 * each rank that wrote it, NNNNNN.part-R (io/checkpoint/manifest.h). The parts
 * are written and flushed first. The manifest comes last, by a rename, and
 * makes the checkpoint whole. Two are kept: a new one is written before the
 * older one is removed. Files of other names in the folder are left alone.
 *
 * A run locks the folder, by a file .lock in it (io/files/lock.h), which is
 * there as long as the run is. A damaged checkpoint is noticed by its
 * checksums, and the one before it is used.
 *
 * The number of ranks that read may differ from the number that wrote.
 *
 * All functions are collective, if they do not say otherwise.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CHECKPOINT_H
#define TH_CHECKPOINT_H

#include "io/checkpoint/checkpoint_image.h"
#include "io/files/lock.h"

struct th_checkpoint {
  const char *path;     /* borrowed */
  struct th_comm *comm; /* borrowed */
  int folder;           /* its descriptor */
  int locked;           /* rank 0: that of its file .lock; -1: it is not ours */
  struct th_lock lock;
  int64_t newest; /* the number of the newest whole one; 0: none */
  int64_t older;  /* of the one before it, if this run has written both; 0 */
  bool own;       /* this run has written the newest */
  int64_t there;  /* manifests that were found */
  int64_t files_found; /* all files of checkpoints; 0: they are gone, too */
  int64_t last_found;  /* the largest number of them */
  int64_t used;        /* the largest number so far */
  bool made;           /* the folder was not there before */
};

/* Make the folder if it is not there, and lock it. An error if another run has
 * locked it, or if a rank does not see it. Always end with
 * th_checkpoint_close. */
th_status th_checkpoint_open(struct th_checkpoint *checkpoint,
                             struct th_comm *comm, const char *path,
                             struct th_error *err);
/* Local. */
void th_checkpoint_close(struct th_checkpoint *checkpoint);

/* Find the newest checkpoint that is not damaged. *found: release it with
 * th_checkpoint_image_release; its number is 0 if there is none. key: lines
 * `NAME VALUE` of everything that the run depends on; NULL: nothing is to be
 * found. A checkpoint of another key is an error that tells the first line that
 * differs. note: one line if a damaged one was passed over, else empty. An
 * error if none of those that are there can be used. */
enum { TH_CHECKPOINT_NOTE = 512 };
th_status th_checkpoint_find(struct th_checkpoint *checkpoint, const char *key,
                             struct th_checkpoint_image *found,
                             char note[TH_CHECKPOINT_NOTE],
                             struct th_error *err);
/* Is there room on disk? TH_EIO if there is not. Two are kept while a third is
 * written; those that are there count. *bytes: of one of this state. */
th_status th_checkpoint_room(struct th_checkpoint *checkpoint,
                             const struct th_state *state, int64_t *bytes,
                             struct th_error *err);

/* Write a checkpoint of the arrays that are listed. After a failure those that
 * were there before are still there. An error if ranks list other arrays. */
th_status th_checkpoint_write(struct th_checkpoint *checkpoint, const char *key,
                              const struct th_state *state,
                              struct th_error *err);

/* Remove all checkpoints, and what killed runs have left of others. Collective;
 * rank 0 has the lock. */
void th_checkpoint_clear(struct th_checkpoint *checkpoint);

/* True if a path's name is one that files of checkpoints have. Local. */
bool th_checkpoint_owns(const char *path);

/* A note that the folder has no locks of the usual kind; empty: it has. Local:
 * rank 0. */
void th_checkpoint_lock_note(const struct th_checkpoint *checkpoint,
                             char note[TH_LOCK_NOTE]);

/* True if there is a file STOP in the folder; it is removed. Local. */
bool th_checkpoint_told(const struct th_checkpoint *checkpoint);

/* --- What the files of io/checkpoint share; internal to it
 *
 * All functions are local. */

/* The file of io/checkpoint/checkpoint_log.h. */
#define TH_CHECKPOINT_LOG "telemetry.kept"

#endif
