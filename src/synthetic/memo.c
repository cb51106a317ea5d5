/* memo.c - computed pieces kept in memory: first come, first kept
 * SPDX-License-Identifier: MIT */
#include "synthetic/memo.h"

#include "core/memory.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 64 };

/* The slot of a key, or the empty one where it belongs. */
static struct th_memo_entry *slot_of(const struct th_memo *keep, int64_t key)
{
  uint64_t mixed = (uint64_t)key * UINT64_C(0x9E3779B97F4A7C15);
  uint64_t mask = (uint64_t)keep->slots - 1;
  uint64_t at = mixed >> 32 & mask;
  while (keep->slot[at].data != NULL && keep->slot[at].key != key)
    at = (at + 1) & mask;
  return &keep->slot[at];
}

void *th_memo_find(const struct th_memo *keep, int64_t key)
{
  return keep->slots == 0 ? NULL : slot_of(keep, key)->data;
}

static th_status grow(struct th_memo *keep, struct th_error *err)
{
  struct th_memo larger = *keep;
  larger.slots = keep->slots == 0 ? FIRST_SLOTS : 2 * keep->slots;
  larger.slot = NULL;
  th_status rc = TH_NEW(&larger.slot, larger.slots, "computed values", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t k = 0; k < keep->slots; k++)
    if (keep->slot[k].data != NULL)
      *slot_of(&larger, keep->slot[k].key) = keep->slot[k];
  free(keep->slot);
  keep->slot = larger.slot;
  keep->slots = larger.slots;
  return TH_OK;
}

th_status th_memo_put(struct th_memo *keep, int64_t key, void *data,
                      int64_t bytes, struct th_error *err)
{
  if (2 * (keep->count + 1) > keep->slots) {
    th_status rc = grow(keep, err);
    if (rc != TH_OK)
      return rc;
  }
  *slot_of(keep, key) = (struct th_memo_entry){key, data};
  keep->count++;
  keep->used += bytes;
  return TH_OK;
}

void th_memo_free(struct th_memo *keep)
{
  for (int64_t k = 0; k < keep->slots; k++)
    if (keep->slot[k].data != NULL)
      (keep->release != NULL ? keep->release : free)(keep->slot[k].data);
  free(keep->slot);
  *keep = (struct th_memo){0};
}
