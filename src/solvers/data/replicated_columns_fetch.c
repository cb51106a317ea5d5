/* replicated_columns_fetch.c - attributes gathered from their owners
 *
 * Every rank reads the attributes that it owns. Then every rank gets the
 * columns of all ranks, one after the other in rank order.
 * SPDX-License-Identifier: MIT */
#include "core/memory.h"
#include "solvers/data/replicated_columns_parts.h"

#include <stdlib.h>
#include <string.h>

/* Turn the parcel into a block for `total` bytes of columns. Lower ranks have
 * `before` of them. Local. */
static th_status make_room(struct th_replicated_columns_parcel *parcel,
                           int64_t before, int64_t total, struct th_error *err)
{
  unsigned char *bytes = NULL;
  if (parcel->first == TH_COLUMNS_FIRST + before &&
      parcel->capacity >= TH_COLUMNS_FIRST + total)
    return TH_OK;
  th_status rc = th_alloc((void **)&bytes, TH_COLUMNS_FIRST + total, 1,
                          "attributes copied to all ranks", err);
  if (rc != TH_OK)
    return rc;
  memcpy(bytes + TH_COLUMNS_FIRST + before, parcel->bytes + parcel->first,
         (size_t)(parcel->last - parcel->first));
  free(parcel->bytes);
  parcel->bytes = bytes;
  return rc;
}

/* Join the columns of all ranks into a block. counts: bytes of each rank.
 * Collective. */
static th_status join_parcels(struct th_comm *comm,
                              struct th_replicated_columns_parcel *parcel,
                              int64_t *counts, struct th_error *err)
{
  int64_t before = 0;
  int64_t total = 0;
  counts[comm->rank] = parcel->last - parcel->first;
  comm->ops->sum_i64(comm, counts, (size_t)comm->size);
  for (int r = 0; r < comm->size; r++) {
    before += r < comm->rank ? counts[r] : 0;
    total += counts[r];
  }
  th_status rc = make_room(parcel, before, total, err);
  TH_TRY(th_agree(comm, rc, err));
  comm->ops->join(comm, parcel->bytes + TH_COLUMNS_FIRST, counts);
done:
  return rc;
}

static const struct th_array arrays[] = {
    TH_ARRAY(struct th_replicated_columns, attribute),
    TH_ARRAY(struct th_replicated_columns, vector),
    TH_ARRAY(struct th_replicated_columns, block),
    TH_ARRAY(struct th_replicated_columns, sorted)};

/* Room for some more slots. Local. */
static th_status reserve(struct th_replicated_columns *columns, int64_t count,
                         struct th_error *err)
{
  int64_t old = columns->capacity;
  int64_t wanted = count > old ? count + old / 2 : old;
  return th_memory_arrays_reserve(TH_ARRAYS(columns, arrays),
                                  &columns->capacity, wanted,
                                  "attributes copied to all ranks", err);
}

/* Give the columns of a block the next slots, which then own it. */
static void take_block(struct th_replicated_columns *columns,
                       enum th_vector_form form,
                       struct th_replicated_columns_block *block, int64_t count)
{
  const unsigned char *at = th_replicated_columns_values(block);
  *block = (struct th_replicated_columns_block){.count = count, .held = count};
  for (int64_t k = 0; k < count; k++) {
    struct th_replicated_columns_header header;
    memcpy(&header, at, sizeof header);
    struct th_vector *vector = &columns->vector[columns->count];
    *vector = (struct th_vector){.form = form,
                                 .items = header.items,
                                 .centre = header.centre,
                                 .scale = header.scale};
    th_replicated_columns_point(vector, at + TH_COLUMNS_HEADER);
    columns->attribute[columns->count] = header.attribute;
    columns->block[columns->count++] = block;
    at += TH_COLUMNS_HEADER + th_replicated_columns_bytes(vector);
  }
}

/* Merge the slots from `first` on, which ascend, into the sorted list. */
static void sort_in(struct th_replicated_columns *columns, int64_t first)
{
  const int64_t *attribute = columns->attribute;
  int64_t old = first - 1;
  int64_t added = columns->count - 1;
  for (int64_t to = columns->count - 1; added >= first; to--)
    if (old >= 0 && attribute[columns->sorted[old]] > attribute[added])
      columns->sorted[to] = columns->sorted[old--];
    else
      columns->sorted[to] = added--;
}

th_status th_replicated_columns_fetch(struct th_replicated_columns *columns,
                                      struct th_context *context,
                                      const int64_t *attribute, int64_t count,
                                      struct th_error *err)
{
  struct th_comm *comm = context->comm;
  struct th_replicated_columns_parcel parcel = {0};
  int64_t *counts = NULL;
  int64_t before = columns->count;
  th_status rc =
      TH_NEW(&counts, comm->size, "attributes copied to all ranks", err);
  if (rc == TH_OK)
    rc = reserve(columns, before + count, err);
  if (rc == TH_OK)
    rc = th_replicated_columns_read(columns, context, attribute, count, &parcel,
                                    err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(join_parcels(comm, &parcel, counts, err));
  if (count > 0) {
    take_block(columns, parcel.form,
               (struct th_replicated_columns_block *)(void *)parcel.bytes,
               count);
    parcel.bytes = NULL;
  }
  sort_in(columns, before);
done:
  TH_FREE(parcel.bytes, counts);
  return rc;
}

th_status th_replicated_columns_borrow(struct th_replicated_columns *columns,
                                       const struct th_vector *column,
                                       const int64_t *attribute, int64_t count,
                                       struct th_error *err)
{
  int64_t before = columns->count;
  th_status rc = reserve(columns, before + count, err);
  if (rc != TH_OK)
    return rc;
  for (int64_t k = 0; k < count; k++, columns->count++) {
    columns->attribute[columns->count] = attribute[k];
    columns->vector[columns->count] = column[attribute[k]];
    columns->block[columns->count] = NULL;
  }
  sort_in(columns, before);
  return rc;
}
