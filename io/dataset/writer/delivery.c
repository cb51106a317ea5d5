/* delivery.c - what the writers of slices hand to the owners of shards
 * SPDX-License-Identifier: MIT */
#include "io/dataset/writer/delivery.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* --- Tiles on their way --------------------------------------------------- */

/* The head of a tile. Behind it lie the arrays as they are stored, each padded
 * to 8 bytes: attributes, counts, rows, values. */
struct head {
  int64_t group;
  int64_t runs;
  int64_t entries;
};

enum { ARRAYS = 4 };

static int64_t pad8(int64_t bytes)
{
  return (bytes + 7) & ~(int64_t)7;
}

/* Bytes of the arrays. */
static void sizes_of_arrays(int64_t runs, int64_t entries, size_t size,
                            int64_t bytes[ARRAYS])
{
  bytes[0] = runs * (int64_t)sizeof(uint32_t);
  bytes[1] = runs * (int64_t)sizeof(uint16_t);
  bytes[2] = entries * (int64_t)sizeof(uint16_t);
  bytes[3] = entries * (int64_t)size;
}

static int64_t all_bytes(const int64_t bytes[ARRAYS])
{
  int64_t sum = 0;
  for (int k = 0; k < ARRAYS; k++)
    sum += pad8(bytes[k]);
  return sum;
}

th_status th_delivery_init(struct th_delivery *delivery, struct th_error *err)
{
  const char *what = "the delivery of tiles";
  int64_t ranks = delivery->comm->size;
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&delivery->send_bytes, ranks, what, err));
  TH_TRY(TH_NEW(&delivery->received_bytes, ranks, what, err));
  TH_TRY(TH_NEW(&delivery->cursor, ranks, what, err));
  TH_TRY(TH_NEW(&delivery->end, ranks, what, err));
done:
  return rc;
}

void th_delivery_free(struct th_delivery *delivery)
{
  TH_FREE(delivery->send, delivery->received, delivery->merged,
          delivery->send_bytes, delivery->received_bytes, delivery->cursor,
          delivery->end);
  *delivery = (struct th_delivery){0};
}

th_status th_delivery_add(struct th_delivery *delivery, int owner,
                          int64_t group,
                          const struct th_shard_piece_parts *piece,
                          struct th_error *err)
{
  const void *const from[ARRAYS] = {piece->attribute, piece->count, piece->row,
                                    piece->values};
  const struct head head = {group, piece->runs, piece->entries};
  int64_t bytes[ARRAYS];
  sizes_of_arrays(piece->runs, piece->entries, delivery->size, bytes);
  int64_t taken = (int64_t)sizeof head + all_bytes(bytes);
  th_status rc =
      th_grow((void **)&delivery->send, &delivery->send_capacity,
              delivery->send_used + taken, 1, "the delivery of tiles", err);
  if (rc != TH_OK)
    return rc;
  char *to = delivery->send + delivery->send_used;
  memcpy(to, &head, sizeof head);
  to += sizeof head;
  for (int k = 0; k < ARRAYS; k++) {
    if (bytes[k] > 0)
      memcpy(to, from[k], (size_t)bytes[k]);
    to += pad8(bytes[k]);
  }
  delivery->send_used += taken;
  delivery->send_bytes[owner] += taken;
  return TH_OK;
}

static th_status reserve_received(struct th_delivery *delivery,
                                  struct th_error *err)
{
  int64_t total = 0;
  for (int r = 0; r < delivery->comm->size; r++) {
    delivery->cursor[r] = total;
    total += delivery->received_bytes[r];
    delivery->end[r] = total;
  }
  return th_grow((void **)&delivery->received, &delivery->received_capacity,
                 total + 1, 1, "the delivery of tiles", err);
}

th_status th_delivery_exchange(struct th_delivery *delivery, th_status rc,
                               struct th_error *err)
{
  struct th_comm *comm = delivery->comm;
  TH_TRY(th_comm_tell_bytes(comm, delivery->send_bytes,
                            delivery->received_bytes, rc, err));
  TH_TRY(th_agree(comm, reserve_received(delivery, err), err));
  comm->ops->exchange(comm, delivery->send, delivery->send_bytes,
                      delivery->received, delivery->received_bytes);
  memset(delivery->send_bytes, 0,
         (size_t)comm->size * sizeof *delivery->send_bytes);
  delivery->send_used = 0;
done:
  return rc;
}

/* The head of the next tile that came from a rank; false: there is none. */
static bool next_head(const struct th_delivery *delivery, int rank,
                      struct head *head)
{
  if (delivery->cursor[rank] == delivery->end[rank])
    return false;
  memcpy(head, delivery->received + delivery->cursor[rank], sizeof *head);
  return true;
}

/* Put the arrays of the next tile of each rank behind those of the lower ones.
 */
static void merge_tiles(struct th_delivery *delivery, char *to[ARRAYS])
{
  struct head head;
  int64_t bytes[ARRAYS];
  for (int r = 0; r < delivery->comm->size; r++) {
    if (!next_head(delivery, r, &head))
      continue;
    const char *from = delivery->received + delivery->cursor[r] + sizeof head;
    sizes_of_arrays(head.runs, head.entries, delivery->size, bytes);
    for (int k = 0; k < ARRAYS; k++) {
      memcpy(to[k], from, (size_t)bytes[k]);
      to[k] += bytes[k];
      from += pad8(bytes[k]);
    }
    delivery->cursor[r] += (int64_t)sizeof head + all_bytes(bytes);
  }
}

th_status th_delivery_next(struct th_delivery *delivery, int64_t *group,
                           struct th_shard_piece_parts *piece,
                           struct th_error *err)
{
  struct head head;
  int64_t bytes[ARRAYS];
  char *to[ARRAYS];
  *piece = (struct th_shard_piece_parts){.value_size = delivery->size};
  *group = -1;
  for (int r = 0; r < delivery->comm->size; r++) {
    if (!next_head(delivery, r, &head))
      continue;
    if (*group >= 0 && head.group != *group)
      return th_fail(err, TH_EARG, "row group %lld of rank %d: out of order",
                     (long long)head.group, r);
    *group = head.group;
    piece->runs += head.runs;
    piece->entries += head.entries;
  }
  if (*group < 0)
    return TH_OK;
  sizes_of_arrays(piece->runs, piece->entries, delivery->size, bytes);
  th_status rc = th_grow((void **)&delivery->merged, &delivery->merged_capacity,
                         all_bytes(bytes) + 1, 1, "the delivery of tiles", err);
  if (rc != TH_OK)
    return rc;
  to[0] = delivery->merged;
  for (int k = 1; k < ARRAYS; k++)
    to[k] = to[k - 1] + pad8(bytes[k - 1]);
  piece->attribute = (const uint32_t *)(const void *)to[0];
  piece->count = (const uint16_t *)(const void *)to[1];
  piece->row = (const uint16_t *)(const void *)to[2];
  piece->values = to[3];
  merge_tiles(delivery, to);
  return TH_OK;
}

/* --- Statistics at the end ------------------------------------------------ */

/* Convert doubles to floats, in place from the front. */
static void narrow_to_floats(double *values, int64_t count)
{
  char *to = (char *)values;
  for (int64_t k = 0; k < count; k++) {
    float narrow = (float)values[k];
    memcpy(to + (size_t)k * sizeof narrow, &narrow, sizeof narrow);
  }
}

/* Bytes that each rank has of the attributes of another one's shards. */
static void count_shared(const struct th_slices *slices, int rank, size_t size,
                         int64_t *send, int64_t *receive)
{
  struct th_range mine = th_slices_rank(slices, rank);
  struct th_range owned = th_slices_owned_attributes(slices, rank);
  for (int r = 0; r < slices->ranks; r++) {
    struct th_range to =
        th_range_intersect(mine, th_slices_owned_attributes(slices, r));
    struct th_range from = th_range_intersect(owned, th_slices_rank(slices, r));
    send[r] = th_range_count(to) * (int64_t)size;
    receive[r] = th_range_count(from) * (int64_t)size;
  }
}

th_status th_delivery_stats_reserve(struct th_delivered_stats *delivered,
                                    const struct th_comm *comm,
                                    const struct th_slices *slices,
                                    const struct th_row_groups *row_groups,
                                    const struct th_running_stats *stats,
                                    struct th_error *err)
{
  struct th_range owned = th_slices_owned_attributes(slices, comm->rank);
  bool small = th_row_groups_short_stats(row_groups);
  th_status rc = TH_OK;
  *delivered = (struct th_delivered_stats){
      .first = th_slices_rank(slices, comm->rank).first,
      .size = small ? sizeof(float) : sizeof(double)};
  if (!th_slices_cut(slices))
    return TH_OK;
  delivered->owned = true;
  delivered->first = owned.first;
  TH_TRY(TH_NEW(&delivered->bytes, 2 * (int64_t)comm->size, "statistics", err));
  for (int k = 0; k < TH_STATS_KINDS; k++)
    TH_TRY(th_alloc((void **)&delivered->kind[k], th_range_count(owned),
                    delivered->size, "statistics", err));
  if (stats->missing != NULL)
    TH_TRY(
        TH_NEW(&delivered->missing, th_range_count(owned), "statistics", err));
done:
  return rc;
}

/* Collective. */
static void bring_stats(struct th_comm *comm, const struct th_slices *slices,
                        double *const kind[TH_STATS_KINDS],
                        const int64_t *missing,
                        struct th_delivered_stats *delivered)
{
  int64_t *bytes = delivered->bytes;
  count_shared(slices, comm->rank, delivered->size, bytes, bytes + comm->size);
  for (int k = 0; k < TH_STATS_KINDS; k++)
    comm->ops->exchange(comm, kind[k], bytes, delivered->kind[k],
                        bytes + comm->size);
  count_shared(slices, comm->rank, sizeof *missing, bytes, bytes + comm->size);
  if (missing != NULL)
    comm->ops->exchange(comm, missing, bytes, delivered->missing,
                        bytes + comm->size);
}

void th_delivery_stats(struct th_delivered_stats *delivered,
                       struct th_comm *comm, const struct th_slices *slices,
                       const struct th_row_groups *row_groups,
                       struct th_running_stats *stats)
{
  double *const kind[TH_STATS_KINDS] = {stats->mean, stats->squares,
                                        stats->lowest, stats->highest};
  int64_t training = row_groups->shape.training;
  th_running_stats_finish(stats, training, (double)training);
  for (int k = 0; delivered->size < sizeof(double) && k < TH_STATS_KINDS; k++)
    narrow_to_floats(kind[k], stats->attributes);
  if (delivered->owned) {
    bring_stats(comm, slices, kind, stats->missing, delivered);
    return;
  }
  delivered->missing = stats->missing;
  for (int k = 0; k < TH_STATS_KINDS; k++)
    delivered->kind[k] = (char *)kind[k];
}

void th_delivery_stats_free(struct th_delivered_stats *delivered)
{
  for (int k = 0; delivered->owned && k < TH_STATS_KINDS; k++)
    free(delivered->kind[k]);
  if (delivered->owned)
    TH_FREE(delivered->missing, delivered->bytes);
  *delivered = (struct th_delivered_stats){0};
}
