/* active_redistribute.c - active attributes change ranks
 *
 * Places ascend with attributes, and so do the ranges of the ranks. A vector
 * over the places is therefore already the sequence of pieces for the ranks,
 * and so is what arrives.
 * SPDX-License-Identifier: MIT */
#include "solvers/data/active_redistribute.h"

#include "core/memory.h"

#include <stdlib.h>

enum { OWN_VECTORS = 3, MOST_VECTORS = OWN_VECTORS + TH_ACTIVE_FIELDS };

void th_active_redistribute_free(
    struct th_active_redistribution *redistribution)
{
  TH_FREE(redistribution->send, redistribution->receive,
          redistribution->send_bytes, redistribution->receive_bytes);
  *redistribution = (struct th_active_redistribution){0};
}

/* Local. */
static th_status count_sends(struct th_active_redistribution *redistribution,
                             const struct th_active *active,
                             const struct th_placement *placement,
                             struct th_error *err)
{
  th_status rc;
  TH_TRY(TH_NEW(&redistribution->send, redistribution->ranks,
                "moving attributes between ranks", err));
  TH_TRY(TH_NEW(&redistribution->receive, redistribution->ranks,
                "moving attributes between ranks", err));
  TH_TRY(TH_NEW(&redistribution->send_bytes, redistribution->ranks,
                "moving attributes between ranks", err));
  TH_TRY(TH_NEW(&redistribution->receive_bytes, redistribution->ranks,
                "moving attributes between ranks", err));
  for (int r = 0; r < redistribution->ranks; r++) {
    struct th_range range = {placement->edge[r], placement->edge[r + 1]};
    struct th_range places =
        th_range_members(active->attribute, active->count, range);
    redistribution->send[r] = places.last - places.first;
    redistribution->send_bytes[r] = sizeof(int64_t);
    redistribution->receive_bytes[r] = sizeof(int64_t);
  }
done:
  return rc;
}

th_status
th_active_redistribute_plan(struct th_active_redistribution *redistribution,
                            const struct th_active *active,
                            const struct th_placement *placement,
                            struct th_comm *comm, struct th_error *err)
{
  *redistribution = (struct th_active_redistribution){.ranks = comm->size,
                                                      .before = active->count};
  th_status rc = count_sends(redistribution, active, placement, err);
  rc = th_agree(comm, rc, err);
  if (rc != TH_OK)
    return rc;
  comm->ops->exchange(comm, redistribution->send, redistribution->send_bytes,
                      redistribution->receive, redistribution->receive_bytes);
  for (int r = 0; r < comm->size; r++)
    redistribution->after += redistribution->receive[r];
  return rc;
}

/* Exchange a vector with items of 8 bytes. Collective. */
static void exchange(struct th_active_redistribution *redistribution,
                     struct th_comm *comm, void **vector, void *room)
{
  for (int r = 0; r < redistribution->ranks; r++) {
    redistribution->send_bytes[r] = redistribution->send[r] * 8;
    redistribution->receive_bytes[r] = redistribution->receive[r] * 8;
  }
  comm->ops->exchange(comm, *vector, redistribution->send_bytes, room,
                      redistribution->receive_bytes);
  free(*vector);
  *vector = room;
}

th_status th_active_move(struct th_active *active, struct th_context *context,
                         struct th_active_redistribution *redistribution,
                         struct th_range owned, struct th_error *err)
{
  struct th_comm *comm = context->comm;
  void **vector[MOST_VECTORS + 1] = {
      (void **)&active->attribute, (void **)&active->centre,
      (void **)&active->scale, (void **)&active->bound};
  void *room[MOST_VECTORS + 1] = {NULL};
  int vectors = 1 + OWN_VECTORS;
  th_status rc = TH_OK;
  for (int f = 0; f < active->fields; f++)
    vector[vectors++] = (void **)&active->field[f];
  for (int v = 0; v < vectors && rc == TH_OK; v++)
    rc = th_alloc(&room[v], redistribution->after, 8,
                  "moving attributes between ranks", err);
  TH_TRY(th_agree(comm, rc, err));
  for (int v = 0; v < vectors; v++) {
    exchange(redistribution, comm, vector[v], room[v]);
    room[v] = NULL;
  }
  active->count = redistribution->after;
  active->capacity = redistribution->after;
  active->owned = owned;
  rc = th_source_activate(context->source, comm, active->attribute,
                          active->count, err);
done:
  for (int v = 0; v < vectors; v++)
    free(room[v]);
  return rc;
}
