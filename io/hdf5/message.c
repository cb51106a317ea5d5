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

th_status th_message_share(struct th_message *pack, struct th_comm *comm,
                           struct th_error *err)
{
  int64_t bytes = pack->used;
  th_status rc = TH_OK;
  comm->ops->bcast(comm, &bytes, sizeof bytes, 0);
  if (comm->rank != 0)
    rc = th_grow((void **)&pack->data, &pack->capacity, bytes, 1,
                 "messages between ranks", err);
  rc = th_agree(comm, rc, err);
  if (rc != TH_OK)
    return rc;
  comm->ops->bcast(comm, pack->data, (size_t)bytes, 0);
  pack->taking = true;
  pack->used = 0;
  return TH_OK;
}

void th_message_free(struct th_message *pack)
{
  free(pack->data);
  *pack = (struct th_message){0};
}
