/* active.c - the attributes that are left after screening, and vectors over
 * them
 * SPDX-License-Identifier: MIT */
#include "solvers/access/active.h"

#include "base/memory.h"
#include "ranks/partition.h"

#include <stdlib.h>

static void exchange_vector(struct th_active_redistribution *redistribution,
                            struct th_comm *comm, void **vector, void *room);

/* --- Active attributes change ranks
 *
 * Places ascend with attributes, and so do the ranges of the ranks. A vector
 * over the places is therefore already the sequence of pieces for the ranks,
 * and so is what arrives. */

enum {
  REDISTRIBUTE_OWN_VECTORS = 3,
  MOST_VECTORS = REDISTRIBUTE_OWN_VECTORS + TH_ACTIVE_FIELDS
};

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
    redistribution->send[r] = th_range_count(places);
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
  comm->ops->alltoall_i64(comm, redistribution->send, redistribution->receive);
  int64_t moved = redistribution->before - redistribution->send[comm->rank];
  for (int r = 0; r < comm->size; r++)
    redistribution->after += redistribution->receive[r];
  comm->ops->max_i64(comm, &moved, 1);
  redistribution->moves = moved > 0;
  return rc;
}

/* Exchange a vector with items of 8 bytes. Collective. */
static void exchange_vector(struct th_active_redistribution *redistribution,
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
  int vectors = 1 + REDISTRIBUTE_OWN_VECTORS;
  th_status rc = TH_OK;
  for (int f = 0; f < active->fields; f++)
    vector[vectors++] = (void **)&active->field[f];
  for (int v = 0; v < vectors && rc == TH_OK; v++)
    rc = th_alloc(&room[v], redistribution->after, 8,
                  "moving attributes between ranks", err);
  TH_TRY(th_agree(comm, rc, err));
  for (int v = 0; v < vectors; v++) {
    exchange_vector(redistribution, comm, vector[v], room[v]);
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

/* --- Active attributes leave and come ------------------------------------- */

enum { OWN_VECTORS = 3 }; /* centre, scale, bound */

/* Every vector over the places. */
static int list_vectors(struct th_active *active,
                        double **vector[OWN_VECTORS + TH_ACTIVE_FIELDS])
{
  vector[0] = &active->centre;
  vector[1] = &active->scale;
  vector[2] = &active->bound;
  for (int f = 0; f < active->fields; f++)
    vector[OWN_VECTORS + f] = &active->field[f];
  return OWN_VECTORS + active->fields;
}

/* Reserve room in all vectors. A rank without attributes has empty ones. */
static th_status reserve(struct th_active *active, int64_t count,
                         struct th_error *err)
{
  double **vector[OWN_VECTORS + TH_ACTIVE_FIELDS];
  int vectors = list_vectors(active, vector);
  int64_t old = active->capacity;
  int64_t reached = old;
  th_status rc = TH_GROW(&active->attribute, &reached, count + 1,
                         "the attributes left after screening", err);
  for (int v = 0; v < vectors && rc == TH_OK; v++)
    rc = TH_WIDEN(vector[v], old, reached,
                  "the attributes left after screening", err);
  if (rc == TH_OK)
    active->capacity = reached;
  return rc;
}

/* Entry `place` becomes an attribute of this rank, with zeros. */
static void put(struct th_active *active, const struct th_context *context,
                int64_t place, int64_t attribute)
{
  int64_t at = attribute - context->owned.first;
  active->attribute[place] = attribute;
  active->centre[place] = context->centre[at];
  active->scale[place] = context->scale[at];
  active->bound[place] = context->bound[at];
  for (int f = 0; f < active->fields; f++)
    active->field[f][place] = 0;
}

static void move_entry(struct th_active *active, int64_t to, int64_t from)
{
  double **vector[OWN_VECTORS + TH_ACTIVE_FIELDS];
  int vectors = list_vectors(active, vector);
  active->attribute[to] = active->attribute[from];
  for (int v = 0; v < vectors; v++)
    (*vector[v])[to] = (*vector[v])[from];
}

/* Tell the source which attributes are active, and all ranks how many.
 * Collective. */
static th_status declare(struct th_active *active, struct th_context *context,
                         th_status rc, struct th_error *err)
{
  int64_t sums[2] = {active->count, 0};
  rc = th_comm_sum_agree(context->comm, sums, 1, rc, err);
  if (rc != TH_OK)
    return rc;
  active->total = sums[0];
  return th_source_activate(context->source, context->comm, active->attribute,
                            active->count, err);
}

th_status th_active_init(struct th_active *active, struct th_context *context,
                         int fields, struct th_error *err)
{
  struct th_range owned = context->owned;
  *active = (struct th_active){.owned = owned, .fields = fields};
  th_status rc = reserve(active, th_range_count(owned), err);
  for (int64_t j = owned.first; j < owned.last && rc == TH_OK; j++)
    if (context->scale[j - owned.first] > 0)
      put(active, context, active->count++, j);
  return declare(active, context, rc, err);
}

void th_active_free(struct th_active *active)
{
  double **vector[OWN_VECTORS + TH_ACTIVE_FIELDS];
  int vectors = list_vectors(active, vector);
  for (int v = 0; v < vectors; v++)
    free(*vector[v]);
  free(active->attribute);
  *active = (struct th_active){0};
}

th_status th_active_keep(struct th_active *active, struct th_context *context,
                         const bool *keep, struct th_error *err)
{
  int64_t kept = 0;
  for (int64_t place = 0; place < active->count; place++)
    if (keep[place])
      move_entry(active, kept++, place);
  active->count = kept;
  return declare(active, context, TH_OK, err);
}

/* True if the attributes of an ascending list can be added. */
static bool admissible(const struct th_active *active,
                       const struct th_context *context,
                       const int64_t *attribute, int64_t count)
{
  bool good = true;
  for (int64_t k = 0; k < count && good; k++) {
    int64_t j = attribute[k];
    good = j >= context->owned.first && j < context->owned.last &&
           (k == 0 || attribute[k - 1] < j) &&
           context->scale[j - context->owned.first] > 0 &&
           th_active_place(active, j) < 0;
  }
  return good;
}

/* Merge from the end, so that nothing is overwritten before it has moved. */
static void merge_in(struct th_active *active, const struct th_context *context,
                     const int64_t *attribute, int64_t count)
{
  int64_t old = active->count - 1;
  int64_t added = count - 1;
  for (int64_t to = active->count + count - 1; added >= 0; to--)
    if (old >= 0 && active->attribute[old] > attribute[added])
      move_entry(active, to, old--);
    else
      put(active, context, to, attribute[added--]);
  active->count += count;
}

th_status th_active_add(struct th_active *active, struct th_context *context,
                        const int64_t *attribute, int64_t count,
                        struct th_error *err)
{
  th_status rc = TH_OK;
  if (!admissible(active, context, attribute, count))
    rc = th_fail(err, TH_EARG,
                 "the solver took back attributes that are not this rank's, "
                 "left out, or there already");
  if (rc == TH_OK)
    rc = reserve(active, active->count + count, err);
  if (rc == TH_OK)
    merge_in(active, context, attribute, count);
  return declare(active, context, rc, err);
}

int64_t th_active_place(const struct th_active *active, int64_t attribute)
{
  struct th_range one = {attribute, attribute + 1};
  struct th_range place =
      th_range_members(active->attribute, active->count, one);
  return place.last > place.first ? place.first : -1;
}

int64_t th_active_cell_end(const struct th_active *active, int64_t place)
{
  int64_t end = (active->attribute[place] / TH_CELL + 1) * TH_CELL;
  struct th_range cell = {active->attribute[place], end};
  return th_range_members(active->attribute, active->count, cell).last;
}
