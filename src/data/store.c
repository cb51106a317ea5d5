/* store.c - which rank owns which attributes of a data set
 * SPDX-License-Identifier: MIT */
#include "data/store.h"

#include "base/memory.h"
#include "ranks/partition.h"

#include <stdlib.h>

th_status th_store_place(struct th_store *store, struct th_comm *comm,
                         struct th_error *err)
{
  int64_t attributes = store->shape.attributes;
  struct th_cost cost = {.attributes = attributes,
                         .shards = store->shards,
                         .cells = attributes / TH_CELL +
                                  (attributes % TH_CELL != 0)};
  th_status rc = TH_OK;
  if (comm->size == 1 || store->ops->cost == NULL)
    return rc;
  rc = TH_NEW(&cost.cost, cost.cells, "balancing the ranks", err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(store->ops->cost(store, comm, cost.cost, err));
  rc = th_placement_by_cost(&store->placement, &cost, comm->size, err);
  TH_TRY(th_agree(comm, rc, err));
done:
  free(cost.cost);
  return rc;
}

struct th_range th_store_owned(const struct th_store *store, int rank, int size)
{
  return th_placement_rank(&store->placement, store->shape.attributes, rank,
                           size);
}

int64_t th_store_most_owned(const struct th_store *store, int size)
{
  return th_placement_most(&store->placement, store->shape.attributes, size);
}

/* Single values by a slab for each. */
static th_status by_slabs(struct th_store *store,
                          const struct th_entries *entries, double *value,
                          struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t k = 0; k < entries->count && rc == TH_OK; k++) {
    struct th_rows row = {entries->row[k], 1};
    struct th_range one = {entries->attribute[k], entries->attribute[k] + 1};
    struct th_slab slab;
    rc = store->ops->slab(store, row, one, true, &slab, err);
    if (rc == TH_OK)
      value[k] = th_slab_value(&slab, entries->attribute[k], 0);
  }
  return rc;
}

th_status th_store_entries(struct th_store *store,
                           const struct th_entries *entries, double *value,
                           struct th_error *err)
{
  th_status rc = store->ops->entries != NULL
                     ? store->ops->entries(store, entries, value, err)
                     : by_slabs(store, entries, value, err);
  if (rc == TH_OK)
    store->blocks.observed +=
        (int64_t)th_type_bytes(store->shape.type, entries->count);
  return rc;
}
