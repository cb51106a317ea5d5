/* message.h - packs a record into bytes, to broadcast or to hash it
 *
 * The same function walks a record in both directions: it appends members to
 * the bytes, or takes them from there. Internal to io/, local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_MESSAGE_H
#define TH_MESSAGE_H

#include "ranks/comm.h"

#include <stdbool.h>

struct th_message {
  bool taking;
  char *data; /* owned */
  int64_t used;
  int64_t capacity;
};

/* Plain bytes. */
th_status th_message_bytes(struct th_message *pack, void *data, int64_t bytes,
                           struct th_error *err);

/* An array or a string (may be NULL) behind a pointer; when taking, it is
 * allocated and owned by the caller. */
th_status th_message_array(struct th_message *pack, void **data, int64_t count,
                           size_t size, struct th_error *err);
th_status th_message_text(struct th_message *pack, char **text,
                          struct th_error *err);

/* A list of so many texts; likewise. */
th_status th_message_texts(struct th_message *pack, char ***text, int64_t count,
                           struct th_error *err);

/* Give rank 0's bytes, or its failure rc, to every rank, ready for taking: one
 * broadcast of those that are no longer than 4 KiB. A rank that has no memory
 * fails alone: the caller agrees, when it has taken what it wants. rc of the
 * others does not count. Collective. */
th_status th_message_share(struct th_message *pack, struct th_comm *comm,
                           th_status rc, struct th_error *err);

/* Local. */
void th_message_free(struct th_message *pack);

/* --- HDF5 in a process that uses it for our files alone ------------------- */

/* HDF5 does nothing of its own when the process ends: all files are closed by
 * then, but for those that could not be written, on which it would fail again
 * and crash. To be called before any file is opened, by a program that has no
 * HDF5 files of its own. Local. */
void th_message_library_alone(void);

#endif
