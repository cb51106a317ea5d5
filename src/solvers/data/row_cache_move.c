/* row_cache_move.c - moves row caches with the attributes that change ranks
 *
 * Values that were read once are neither read nor counted again. A row cache is
 * sent as one piece for each pair of ranks: the number of entries of each row,
 * then row after row its values and, for sparse data, their places, counted
 * from the first that the receiver gets.
 * SPDX-License-Identifier: MIT */
#include "solvers/data/active_redistribute.h"

#include "core/memory.h"
#include "core/search.h"
#include "solvers/data/row_cache_load.h"

#include <stdlib.h>
#include <string.h>

/* A row cache that is being moved. */
struct parcel {
  struct th_row_caches *caches;
  struct th_active_redistribution *redistribution;
  int64_t rows;
  size_t value; /* bytes */
  size_t place;
  char *send;
  char *receive;
  int64_t *at; /* rows + 1: where the next entry of a row goes */
};

/* The first entry of row i whose place is not below `place`. */
static int64_t entry_of(const struct th_row_cache *cache, int64_t i,
                        int64_t place)
{
  if (cache->start == NULL)
    return i * cache->places + place;
  return th_search_i32(cache->place, cache->start[i], cache->start[i + 1],
                       place);
}

/* Write the piece with some of the places; returns its bytes. to is NULL: only
 * count. */
static size_t pack(const struct parcel *parcel,
                   const struct th_row_cache *cache, struct th_range places,
                   char *to)
{
  size_t bytes = (size_t)parcel->rows * sizeof(int32_t);
  for (int64_t i = 0; i < parcel->rows; i++) {
    int64_t first = entry_of(cache, i, places.first);
    int32_t count = (int32_t)(entry_of(cache, i, places.last) - first);
    size_t values = (size_t)count * parcel->value;
    if (to != NULL) {
      memcpy(to + (size_t)i * sizeof count, &count, sizeof count);
      memcpy(to + bytes, (char *)cache->values + (size_t)first * parcel->value,
             values);
    }
    bytes += values;
    for (int32_t k = 0; parcel->place > 0 && k < count; k++) {
      int32_t place = cache->place[first + k] - (int32_t)places.first;
      if (to != NULL)
        memcpy(to + bytes, &place, sizeof place);
      bytes += sizeof place;
    }
  }
  return bytes;
}

/* Write the pieces for all ranks, in order; returns their bytes. */
static size_t pack_all(struct parcel *parcel, const struct th_row_cache *cache,
                       char *to)
{
  struct th_active_redistribution *redistribution = parcel->redistribution;
  size_t bytes = 0;
  int64_t first = 0;
  for (int r = 0; r < redistribution->ranks; r++) {
    struct th_range places = {first, first + redistribution->send[r]};
    size_t piece = pack(parcel, cache, places, to == NULL ? NULL : to + bytes);
    redistribution->send_bytes[r] = (int64_t)piece;
    bytes += piece;
    first = places.last;
  }
  return bytes;
}

static int32_t count_of(const char *piece, int64_t i)
{
  int32_t count;
  memcpy(&count, piece + (size_t)i * sizeof count, sizeof count);
  return count;
}

/* at[i + 1] += the entries of row i in each piece. */
static void count_rows(struct parcel *parcel)
{
  const char *piece = parcel->receive;
  for (int r = 0; r < parcel->redistribution->ranks; r++) {
    for (int64_t i = 0; i < parcel->rows; i++)
      parcel->at[i + 1] += count_of(piece, i);
    piece += parcel->redistribution->receive_bytes[r];
  }
  for (int64_t i = 0; i < parcel->rows; i++)
    parcel->at[i + 1] += parcel->at[i];
}

/* Append a piece to its rows. Its places count from `offset`. */
static void unpack(struct parcel *parcel, struct th_row_cache *cache,
                   const char *piece, int64_t offset)
{
  const char *from = piece + (size_t)parcel->rows * sizeof(int32_t);
  for (int64_t i = 0; i < parcel->rows; i++) {
    int32_t count = count_of(piece, i);
    size_t values = (size_t)count * parcel->value;
    memcpy((char *)cache->values + (size_t)parcel->at[i] * parcel->value, from,
           values);
    from += values;
    for (int32_t k = 0; parcel->place > 0 && k < count; k++) {
      int32_t place;
      memcpy(&place, from, sizeof place);
      cache->place[parcel->at[i] + k] = place + (int32_t)offset;
      from += sizeof place;
    }
    parcel->at[i] += count;
  }
}

/* Build the row cache from the pieces. Local. */
static th_status rebuild(struct parcel *parcel, struct th_row_cache *cache,
                         struct th_error *err)
{
  const struct th_active_redistribution *redistribution =
      parcel->redistribution;
  int64_t rows = parcel->rows;
  const char *piece = parcel->receive;
  int64_t offset = 0;
  th_status rc;
  count_rows(parcel);
  TH_TRY(th_row_cache_reserve(parcel->caches, cache, rows,
                              redistribution->after, parcel->at[rows], err));
  if (cache->start != NULL)
    memcpy(cache->start, parcel->at, (size_t)(rows + 1) * sizeof *parcel->at);
  for (int r = 0; r < redistribution->ranks; r++) {
    unpack(parcel, cache, piece, offset);
    piece += redistribution->receive_bytes[r];
    offset += redistribution->receive[r];
  }
  cache->loaded = true;
done:
  return rc;
}

/* Exchange the sizes, then the pieces. Collective. */
static th_status deliver(struct parcel *parcel,
                         const struct th_row_cache *cache, struct th_error *err)
{
  struct th_active_redistribution *redistribution = parcel->redistribution;
  struct th_comm *comm = parcel->caches->context->comm;
  int64_t bytes = 0;
  int64_t *sizes = NULL;
  th_status rc = TH_NEW(&sizes, 2 * redistribution->ranks,
                        "moving attributes between ranks", err);
  size_t packed = pack_all(parcel, cache, NULL);
  if (rc == TH_OK)
    rc = th_alloc((void **)&parcel->send, (int64_t)packed, 1,
                  "moving attributes between ranks", err);
  TH_TRY(th_agree(comm, rc, err));
  for (int r = 0; r < redistribution->ranks; r++) {
    sizes[r] = sizeof *sizes;
    sizes[redistribution->ranks + r] = redistribution->send_bytes[r];
  }
  comm->ops->exchange(comm, sizes + redistribution->ranks, sizes,
                      redistribution->receive_bytes, sizes);
  for (int r = 0; r < redistribution->ranks; r++)
    bytes += redistribution->receive_bytes[r];
  rc = th_alloc((void **)&parcel->receive, bytes, 1,
                "moving attributes between ranks", err);
  TH_TRY(th_agree(comm, rc, err));
  pack_all(parcel, cache, parcel->send);
  comm->ops->exchange(comm, parcel->send, redistribution->send_bytes,
                      parcel->receive, redistribution->receive_bytes);
done:
  free(sizes);
  return rc;
}

/* Collective. */
static th_status move_cache(struct th_row_caches *caches,
                            struct th_active_redistribution *redistribution,
                            int64_t k, struct th_error *err)
{
  struct th_row_cache *cache = &caches->cache[k];
  struct th_row_cache made = {.holders = cache->holders};
  struct parcel parcel = {.caches = caches,
                          .redistribution = redistribution,
                          .rows = th_row_caches_unit(caches, k).count,
                          .value = th_type_size(caches->type),
                          .place = caches->sparse ? sizeof(int32_t) : 0};
  th_status rc;
  TH_TRY(deliver(&parcel, cache, err));
  rc = TH_NEW(&parcel.at, parcel.rows + 1, "moving attributes between ranks",
              err);
  if (rc == TH_OK)
    rc = rebuild(&parcel, &made, err);
  th_row_cache_drop(caches, cache);
  *cache = made;
  caches->bytes += made.bytes;
  rc = th_agree(caches->context->comm, rc, err);
done:
  TH_FREE(parcel.send, parcel.receive, parcel.at);
  return rc;
}

th_status th_row_caches_move(struct th_row_caches *caches,
                             struct th_active_redistribution *redistribution,
                             struct th_error *err)
{
  struct th_comm *comm = caches->context->comm;
  int64_t *missing = NULL;
  th_status rc =
      TH_NEW(&missing, caches->count, "moving attributes between ranks", err);
  TH_TRY(th_agree(comm, rc, err));
  for (int64_t k = 0; k < caches->count; k++)
    missing[k] = !caches->cache[k].loaded;
  comm->ops->max_i64(comm, missing, (size_t)caches->count);
  for (int64_t k = 0; k < caches->count; k++)
    if (missing[k] != 0)
      th_row_cache_drop(caches, &caches->cache[k]);
    else
      TH_TRY(move_cache(caches, redistribution, k, err));
done:
  free(missing);
  return rc;
}
