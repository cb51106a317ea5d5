/* in_place.c - units of dense shards that are used where the system has them
 * SPDX-License-Identifier: MIT */
#include "io/dataset/in_place.h"

#include "base/integer.h"
#include "io/files/mapping.h"

#include <string.h>

enum {
  LEAST = 64 << 10, /* bytes of one run; to copy fewer is quicker than a page
                       fault */
  HOT = 256 << 10,  /* bytes that are verified and handed out at once */
  MOST_RUNS = 256   /* of them */
};

static int64_t count_of(struct th_range range)
{
  return range.last - range.first;
}

/* Bytes of some attributes that follow one another. */
static int64_t value_bytes(const struct th_fetch *fetch,
                           struct th_range attributes)
{
  return (count_of(attributes) - 1) * fetch->map->run + fetch->used;
}

/* Where the values of a fetch lie, if it is all in the file; else NULL. */
static const char *find(const struct th_mapping *mapping,
                        const struct th_fetch *fetch)
{
  int64_t sums = count_of(fetch->wanted) * (int64_t)sizeof *fetch->checksum;
  if (th_mapping_at(mapping, fetch->sums, sums) == NULL)
    return NULL;
  return th_mapping_at(mapping, fetch->at, value_bytes(fetch, fetch->wanted));
}

const char *th_in_place_values(const struct th_dataset *d,
                               const struct th_cache_block_place *place,
                               struct th_range wanted)
{
  struct th_shard_read *shard = place->at.shard;
  bool apart = shard->map.pitch != shard->map.run;
  if (d->mapped == TH_MAPPED_NEVER ||
      (apart && count_of(place->attributes) > 1))
    return NULL;
  const struct th_mapping *mapping = th_shard_map(shard);
  struct th_fetch fetch =
      th_shard_dense_fetch(shard, place->attributes, place->at.group);
  if (mapping == NULL || !th_shard_dense_place(shard, &fetch))
    return NULL;
  const char *values = find(mapping, &fetch);
  if (values == NULL ||
      (uintptr_t)values % th_type_size(d->store.shape.type) != 0)
    return NULL;
  wanted = th_range_intersect(wanted, place->attributes);
  int64_t skip = (wanted.first - place->attributes.first) * shard->map.run;
  int64_t bytes = value_bytes(&fetch, wanted);
  bool worth = bytes >= LEAST || count_of(place->attributes) > 1;
  bool there = d->mapped == TH_MAPPED_ALWAYS ||
               (worth && th_mapping_resident(mapping, fetch.at + skip, bytes));
  return there ? values : NULL;
}

bool th_in_place_resident(const struct th_cache_block_place *place)
{
  struct th_shard_read *shard = place->at.shard;
  struct th_fetch fetch =
      th_shard_dense_fetch(shard, place->attributes, place->at.group);
  return th_shard_dense_place(shard, &fetch) &&
         th_mapping_resident(shard->mapping, fetch.at,
                             value_bytes(&fetch, fetch.wanted));
}

void th_in_place_advise(const struct th_cache_block_place *place,
                        const struct th_fetch *fetch)
{
  const struct th_shard_read *shard = place->at.shard;
  int64_t bytes = value_bytes(fetch, fetch->wanted);
  if (!place->unit->resident &&
      !th_mapping_resident(shard->mapping, fetch->at, bytes))
    th_mapping_advise(shard->mapping, fetch->at, bytes);
}

static void count_absent(struct th_dataset *d,
                         const struct th_cache_block_place *place,
                         struct th_range range)
{
  struct th_cache_block *unit = place->unit;
  struct th_range part = th_cache_block_part(unit, range, TH_ABSENT);
  for (; part.first < part.last;
       part = th_cache_block_part(unit, range, TH_ABSENT)) {
    struct th_fetch fetch = th_cache_block_fetch(place, part);
    if (th_shard_dense_place(place->at.shard, &fetch))
      th_in_place_advise(place, &fetch);
    th_cache_block_count(d, &fetch);
    th_cache_block_mark(unit, part, TH_IN_PLACE);
  }
}

/* A mismatch may come of a file that has become shorter, which is said then. */
static th_status verify(const struct th_cache_block_place *place,
                        struct th_range part, struct th_error *err)
{
  struct th_shard_read *shard = place->at.shard;
  struct th_fetch fetch = th_cache_block_fetch(place, part);
  struct th_error why = {0};
  uint64_t checksum[MOST_RUNS];
  size_t bytes = (size_t)count_of(part) * sizeof *checksum;
  th_status rc = TH_OK;
  (void)th_shard_dense_place(shard, &fetch); /* it is known */
  memcpy(checksum, th_mapping_at(shard->mapping, fetch.sums, (int64_t)bytes),
         bytes);
  fetch.checksum = checksum;
  if (th_run_fetch_verify(&fetch, &why) != TH_OK) {
    TH_TRY(th_mapping_check(shard->mapping, shard->name, err));
    return th_fail(err, why.code, "%s", why.text);
  }
  th_cache_block_mark(place->unit, part, TH_PRESENT);
done:
  return rc;
}

th_status th_in_place_take(struct th_dataset *d,
                           const struct th_cache_block_place *place,
                           struct th_range *range, struct th_error *err)
{
  const struct th_cache_block *unit = place->unit;
  count_absent(d, place, *range);
  struct th_range part = th_cache_block_part(unit, *range, TH_IN_PLACE);
  if (part.first > range->first || part.first == part.last) {
    range->last = part.first; /* what comes before is verified */
    return TH_OK;
  }
  int64_t most = th_max_i64(HOT / place->at.shard->map.run, 1);
  part.last = th_min_i64(part.last, part.first + th_min_i64(most, MOST_RUNS));
  *range = part;
  return verify(place, part, err);
}

th_status th_in_place_check(const struct th_dataset *d, struct th_error *err)
{
  th_status rc = TH_OK;
  if (!th_mapping_any_broken())
    return TH_OK;
  for (int64_t k = 0; k < d->info.shards && rc == TH_OK; k++)
    if (d->shard[k].mapping != NULL)
      rc = th_mapping_check(d->shard[k].mapping, d->shard[k].name, err);
  return rc;
}
