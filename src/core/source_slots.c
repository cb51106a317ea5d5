/* source_slots.c - the observing source: attributes drawn one by one, each in a
 * slot of its example
 *
 * Every rank knows the cell of each slot, and the owner of the cell alone knows
 * the attribute. So the slots of an example, and their cells, bound what all
 * ranks together observe of it.
 * SPDX-License-Identifier: MIT */
#include "core/memory.h"
#include "core/partition.h"
#include "core/source_parts.h"

#include <stdlib.h>
#include <string.h>

enum { ROOMY = 2, FEWEST_PLACES = 64, ATTRIBUTE_BITS = 40 };

void th_source_free_slots(struct th_source *source)
{
  struct th_slot_record *record = &source->slots;
  TH_FREE(record->attribute, record->seen, record->row);
}

/* A power of two of empty places for so many members. */
static th_status reserve_set(struct th_slot_record *record, int64_t members,
                             struct th_error *err)
{
  int64_t places = FEWEST_PLACES;
  while (places < ROOMY * members)
    places *= 2;
  if (places <= record->seen_capacity)
    return TH_OK;
  free(record->seen);
  record->seen = NULL;
  record->seen_capacity = 0;
  th_status rc = TH_NEW(&record->seen, places, "a mini-batch", err);
  record->seen_capacity = rc == TH_OK ? places : 0;
  return rc;
}

th_status th_source_open_slots(struct th_source *source,
                               const struct th_draw *draw, struct th_error *err)
{
  struct th_slot_record *record = &source->slots;
  int64_t slots = draw->rows.count * draw->slots;
  th_status rc;
  TH_TRY(TH_GROW(&record->attribute, &record->capacity, slots, "a mini-batch",
                 err));
  TH_TRY(
      TH_GROW(&record->row, &record->row_capacity, slots, "a mini-batch", err));
  TH_TRY(reserve_set(record, slots, err));
  for (int64_t k = 0; k < slots; k++)
    record->attribute[k] = -1;
  memset(record->seen, 0, (size_t)record->seen_capacity * sizeof(uint64_t));
  record->serial++;
done:
  return rc;
}

/* Add a row of the draw with an attribute to the set. False: it was there. The
 * upper bits of the product depend on both. */
static bool is_new(struct th_slot_record *record, int64_t row,
                   int64_t attribute)
{
  const uint64_t odd = 0x9e3779b97f4a7c15;
  uint64_t member = ((uint64_t)row << ATTRIBUTE_BITS | (uint64_t)attribute) + 1;
  uint64_t mask = (uint64_t)record->seen_capacity - 1;
  uint64_t place = member * odd >> __builtin_clzll(mask);
  while (record->seen[place] != 0 && record->seen[place] != member)
    place = (place + 1) & mask;
  bool fresh = record->seen[place] == 0;
  record->seen[place] = member;
  return fresh;
}

/* Note that a slot observes an attribute. False: it must not. */
static bool take_slot(struct th_source *source, const struct th_draw *draw,
                      int64_t slot, int64_t attribute)
{
  struct th_slot_record *record = &source->slots;
  if (slot < 0 || slot >= draw->rows.count * draw->slots || attribute < 0 ||
      attribute >= source->store->shape.attributes ||
      attribute / TH_CELL != draw->cell[slot])
    return false;
  int64_t before = record->attribute[slot];
  if (before >= 0)
    return before == attribute;
  record->attribute[slot] = attribute;
  record->unsettled += is_new(record, slot / draw->slots, attribute);
  return true;
}

th_status th_source_slots(struct th_source *source, const struct th_draw *draw,
                          const struct th_slots *slots, double *value,
                          struct th_error *err)
{
  struct th_slot_record *record = &source->slots;
  bool granted = draw->slots > 0 && th_source_holds(source, draw) &&
                 slots->count <= draw->rows.count * draw->slots;
  for (int64_t k = 0; k < slots->count; k++) {
    struct th_range one = {slots->attribute[k], slots->attribute[k] + 1};
    if (!granted ||
        !take_slot(source, draw, slots->slot[k], slots->attribute[k]))
      return th_source_refuse(err, one);
    record->row[k] = draw->rows.items[slots->slot[k] / draw->slots].first;
  }
  struct th_entries entries = {slots->count, record->row, slots->attribute};
  th_status rc = th_source_leave(source, err);
  if (rc == TH_OK)
    rc = th_store_entries(source->store, &entries, value, err);
  for (int64_t k = 0; k < slots->count && source->shifts.count > 0; k++)
    value[k] -= th_source_shift_of(source, slots->attribute[k]);
  return rc;
}

int64_t th_source_unsettled(const struct th_source *source)
{
  return source->slots.unsettled;
}

void th_source_settle(struct th_source *source, int64_t distinct)
{
  source->ledger.distinct_attributes += distinct;
  source->slots.unsettled = 0;
}
