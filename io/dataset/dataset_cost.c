/* dataset_cost.c - the cost of each cell to the rank that owns it
 * SPDX-License-Identifier: MIT */
#include "core/partition.h"
#include "io/dataset/dataset_parts.h"

#include "core/integer.h"

enum {
  COST_OF_AN_ATTRIBUTE = 3
}; /* in entries, comparing the memory of both */

/* Spread the entries of a piece over its cells. */
static void add_piece(const struct th_piece *piece, int64_t *cost)
{
  int64_t count = piece->attributes.last - piece->attributes.first;
  for (int64_t at = piece->attributes.first; at < piece->attributes.last;) {
    int64_t end = (at / TH_CELL + 1) * TH_CELL;
    end = end < piece->attributes.last ? end : piece->attributes.last;
    double share = (double)(end - at) / (double)count;
    cost[at / TH_CELL] += (int64_t)(share * (double)piece->entries);
    at = end;
  }
}

/* Add the training examples of a sparse shard. Local. */
static th_status add_shard(struct th_dataset *d, struct th_shard_read *shard,
                           int64_t *cost, struct th_error *err)
{
  double began = th_comm_clock();
  th_status rc = th_shard_open(shard, err);
  for (int64_t g = 0; g < d->info.row_groups.training_groups && rc == TH_OK;
       g++)
    for (int64_t unit = 0; unit < shard->pieces; unit++) {
      struct th_piece piece;
      th_shard_piece_size(shard, unit, g, &piece);
      add_piece(&piece, cost);
    }
  th_dataset_count(d, shard, began);
  return rc;
}

th_status th_dataset_cost(struct th_store *store, struct th_comm *comm,
                          int64_t *cost, struct th_error *err)
{
  struct th_dataset *d = (struct th_dataset *)store;
  int64_t attributes = store->shape.attributes;
  int64_t cells = th_integer_ceil_divide(attributes, TH_CELL);
  th_status rc = TH_OK;
  for (int64_t k = comm->rank; k < d->info.shards && rc == TH_OK;
       k += comm->size)
    if (store->shape.layout == TH_SPARSE)
      rc = add_shard(d, &d->shard[k], cost, err);
  rc = th_agree(comm, rc, err);
  if (rc != TH_OK)
    return rc;
  comm->ops->sum_i64(comm, cost, (size_t)cells);
  for (int64_t c = 0; c < cells; c++) {
    int64_t rest = attributes - c * TH_CELL;
    cost[c] += COST_OF_AN_ATTRIBUTE * (rest < TH_CELL ? rest : TH_CELL);
  }
  return TH_OK;
}
