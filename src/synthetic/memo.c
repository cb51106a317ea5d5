/* memo.c - computed pieces kept in memory: first come, first kept
 * SPDX-License-Identifier: MIT */
#include "synthetic/memo.h"

#include "base/memory.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 64 };

/* The slot of a key, or the empty one where it belongs. */
static struct th_memo_entry *slot_of(const struct th_memo *memo, int64_t key)
{
  uint64_t mixed = (uint64_t)key * UINT64_C(0x9E3779B97F4A7C15);
  uint64_t mask = (uint64_t)memo->slots - 1;
  uint64_t at = mixed >> 32 & mask;
  while (memo->slot[at].data != NULL && memo->slot[at].key != key)
    at = (at + 1) & mask;
  return &memo->slot[at];
}

void *th_memo_find(const struct th_memo *memo, int64_t key)
{
  return memo->slots == 0 ? NULL : slot_of(memo, key)->data;
}

static th_status grow_slots(struct th_memo *memo, struct th_error *err)
{
  struct th_memo larger = *memo;
  larger.slots = memo->slots == 0 ? FIRST_SLOTS : 2 * memo->slots;
  larger.slot = NULL;
  th_status rc = TH_NEW(&larger.slot, larger.slots, "computed values", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t k = 0; k < memo->slots; k++)
    if (memo->slot[k].data != NULL)
      *slot_of(&larger, memo->slot[k].key) = memo->slot[k];
  free(memo->slot);
  memo->slot = larger.slot;
  memo->slots = larger.slots;
  return TH_OK;
}

th_status th_memo_put(struct th_memo *memo, int64_t key, void *data,
                      int64_t bytes, struct th_error *err)
{
  if (2 * (memo->count + 1) > memo->slots) {
    th_status rc = grow_slots(memo, err);
    if (rc != TH_OK)
      return rc;
  }
  *slot_of(memo, key) = (struct th_memo_entry){key, data};
  memo->count++;
  memo->used += bytes;
  return TH_OK;
}

void th_memo_free(struct th_memo *memo)
{
  for (int64_t k = 0; k < memo->slots; k++)
    if (memo->slot[k].data != NULL)
      (memo->release != NULL ? memo->release : free)(memo->slot[k].data);
  free(memo->slot);
  *memo = (struct th_memo){0};
}
