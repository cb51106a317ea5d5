/* message.c - packs a record into bytes, to broadcast or to hash it
 * SPDX-License-Identifier: MIT */
#include "io/hdf5/message.h"

#include "base/memory.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

/* --- HDF5 in a process that uses it for our files alone ------------------- */

void th_message_library_alone(void)
{
  (void)H5dont_atexit(); /* too late: then it is as it was */
}

/* --- The record ----------------------------------------------------------- */

th_status th_message_bytes(struct th_message *pack, void *data, int64_t bytes,
                           struct th_error *err)
{
  if (bytes == 0)
    return TH_OK;
  if (pack->taking) {
    if (bytes > pack->capacity - pack->used)
      return th_fail(err, TH_EFORMAT,
                     "a message between ranks is shorter than it says; this is "
                     "an error of the program, please report it");
    memcpy(data, pack->data + pack->used, (size_t)bytes);
  } else {
    th_status rc =
        th_grow((void **)&pack->data, &pack->capacity, pack->used + bytes, 1,
                "messages between ranks", err);
    if (rc != TH_OK)
      return rc;
    memcpy(pack->data + pack->used, data, (size_t)bytes);
  }
  pack->used += bytes;
  return TH_OK;
}

th_status th_message_array(struct th_message *pack, void **data, int64_t count,
                           size_t size, struct th_error *err)
{
  if (pack->taking) {
    th_status rc = th_alloc(data, count, size, "messages between ranks", err);
    if (rc != TH_OK)
      return rc;
  }
  return th_message_bytes(pack, *data, count * (int64_t)size, err);
}

th_status th_message_text(struct th_message *pack, char **text,
                          struct th_error *err)
{
  int64_t bytes = *text == NULL ? 0 : (int64_t)strlen(*text) + 1;
  th_status rc = th_message_bytes(pack, &bytes, sizeof bytes, err);
  if (rc != TH_OK || bytes == 0)
    return rc;
  return th_message_array(pack, (void **)text, bytes, 1, err);
}

th_status th_message_texts(struct th_message *pack, char ***text, int64_t count,
                           struct th_error *err)
{
  th_status rc = TH_OK;
  if (pack->taking)
    rc = TH_NEW(text, count, "names", err);
  for (int64_t k = 0; k < count && rc == TH_OK; k++)
    rc = th_message_text(pack, &(*text)[k], err);
  return rc;
}

enum { BEGINNING = 4096 };

/* What is sent first: most messages are no longer. */
struct beginning {
  int64_t bytes; /* of the whole message; -1: rank 0 has failed, and this is its
                    record */
  char data[BEGINNING];
};

/* Rank 0's, from its message or its failure. */
static void fill_beginning(struct beginning *first,
                           const struct th_message *pack, th_status rc,
                           struct th_error *err)
{
  bool failed = rc != TH_OK;
  if (failed) {
    th_fail(err, rc, "%s", th_error_status_text(rc));
    err->rank = err->rank < 0 ? 0 : err->rank;
  }
  first->bytes = failed ? -1 : pack->used;
  size_t bytes = failed ? sizeof *err : (size_t)pack->used;
  if (bytes > 0)
    memcpy(first->data, failed ? (const char *)err : pack->data,
           bytes < sizeof first->data ? bytes : sizeof first->data);
}

/* Room for it on the other ranks, and how it begins. */
static th_status take_beginning(struct th_message *pack,
                                const struct beginning *first,
                                struct th_error *err)
{
  size_t bytes = (size_t)first->bytes;
  th_status rc = th_grow((void **)&pack->data, &pack->capacity, first->bytes, 1,
                         "messages between ranks", err);
  if (rc == TH_OK && bytes > 0)
    memcpy(pack->data, first->data,
           bytes < sizeof first->data ? bytes : sizeof first->data);
  return rc;
}

th_status th_message_share(struct th_message *pack, struct th_comm *comm,
                           th_status rc, struct th_error *err)
{
  struct beginning first = {0};
  if (comm->rank == 0)
    fill_beginning(&first, pack, rc, err);
  comm->ops->bcast(comm, &first, sizeof first, 0);
  if (first.bytes < 0) {
    memcpy(err, first.data, sizeof *err);
    return err->code;
  }
  rc = comm->rank == 0 ? TH_OK : take_beginning(pack, &first, err);
  if (first.bytes > BEGINNING) {
    rc = th_agree(comm, rc, err);
    if (rc != TH_OK)
      return rc;
    comm->ops->bcast(comm, pack->data + BEGINNING,
                     (size_t)first.bytes - BEGINNING, 0);
  }
  pack->taking = true;
  pack->used = 0;
  return rc;
}

void th_message_free(struct th_message *pack)
{
  free(pack->data);
  *pack = (struct th_message){0};
}
