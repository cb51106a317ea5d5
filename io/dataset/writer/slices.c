/* slices.c - which rank writes which attributes of a data set
 * SPDX-License-Identifier: MIT */
#include "io/dataset/writer/slices.h"

#include "base/integer.h"
#include "base/memory.h"
#include "ranks/partition.h"

#include <math.h>
#include <stdlib.h>

/* The shard that an attribute lies in; `shards` behind all of them. */
static int64_t shard_of(int64_t attributes, int64_t shards, int64_t attribute)
{
  int64_t low = 0;
  int64_t high = shards;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (th_partition_shard(attributes, middle, shards).last <= attribute)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The load below each stretch, and behind them of all. */
struct loads {
  int64_t attributes;
  int64_t count;
  double *below;
};

static th_status sum_loads(struct loads *loads,
                           const struct th_slices_plan *plan,
                           struct th_error *err)
{
  loads->attributes = plan->attributes;
  loads->count = plan->load == NULL ? 1 : plan->loads;
  th_status rc = TH_NEW(&loads->below, loads->count + 1, "edges", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t k = 0; k < loads->count; k++) /* never nothing */
    loads->below[k + 1] =
        loads->below[k] + 1 + (plan->load == NULL ? 0 : (double)plan->load[k]);
  return TH_OK;
}

static double load_below(const struct loads *loads, int64_t attribute)
{
  if (attribute == loads->attributes)
    return loads->below[loads->count];
  int64_t k = th_range_part_of(loads->attributes, attribute, loads->count);
  struct th_range in = th_range_part(loads->attributes, k, loads->count);
  double share = (double)(attribute - in.first) / (double)th_range_count(in);
  return loads->below[k] + share * (loads->below[k + 1] - loads->below[k]);
}

/* The attribute below which there is so much. */
static int64_t find_load(const struct loads *loads, double wanted)
{
  int64_t k = 0;
  int64_t high = loads->count - 1;
  while (k < high) {
    int64_t middle = k + (high - k) / 2;
    if (loads->below[middle + 1] <= wanted)
      k = middle + 1;
    else
      high = middle;
  }
  struct th_range in = th_range_part(loads->attributes, k, loads->count);
  double share =
      (wanted - loads->below[k]) / (loads->below[k + 1] - loads->below[k]);
  int64_t skip = (int64_t)(share * (double)th_range_count(in));
  return th_min_i64(in.first + skip, loads->attributes - 1);
}

enum { SLACK = 8 }; /* an edge may move by that part of a rank's share */

static int64_t find_edge(const struct th_slices_plan *plan,
                         const struct loads *loads, int64_t writers, int rank)
{
  int64_t d = plan->attributes;
  double share = loads->below[loads->count] / (double)writers;
  double wanted = share * rank;
  if (rank >= writers)
    return d;
  int64_t edge = find_load(loads, wanted);
  struct th_range shard =
      th_partition_shard(d, shard_of(d, plan->shards, edge), plan->shards);
  double low = fabs(load_below(loads, shard.first) - wanted);
  double high = fabs(load_below(loads, shard.last) - wanted);
  if ((low < high ? low : high) > share / SLACK)
    return edge;
  return low < high ? shard.first : shard.last;
}

/* The border of shards below which the rank's share begins. */
static int64_t whole_edge(const struct th_slices_plan *plan, int rank)
{
  int64_t shard = th_integer_ceil_divide(rank * plan->shards, plan->ranks);
  return shard == plan->shards
             ? plan->attributes
             : th_partition_shard(plan->attributes, shard, plan->shards).first;
}

th_status th_slices_make(struct th_slices *slices,
                         const struct th_slices_plan *plan,
                         struct th_error *err)
{
  int64_t writers = plan->writers > plan->shards ? plan->writers : plan->shards;
  struct loads loads = {0};
  th_status rc = TH_OK;
  writers = th_min_i64(writers, plan->ranks);
  *slices = (struct th_slices){.attributes = plan->attributes,
                               .shards = plan->shards,
                               .ranks = plan->ranks};
  TH_TRY(TH_NEW(&slices->edge, plan->ranks + 1, "edges", err));
  TH_TRY(sum_loads(&loads, plan, err));
  for (int r = 1; r < plan->ranks; r++) {
    int64_t edge = plan->writers > 0 ? find_edge(plan, &loads, writers, r)
                                     : whole_edge(plan, r);
    slices->edge[r] = edge > slices->edge[r - 1] ? edge : slices->edge[r - 1];
  }
  slices->edge[plan->ranks] = plan->attributes;
done:
  free(loads.below);
  return rc;
}

void th_slices_free(struct th_slices *slices)
{
  free(slices->edge);
  *slices = (struct th_slices){0};
}

struct th_range th_slices_rank(const struct th_slices *slices, int rank)
{
  return (struct th_range){slices->edge[rank], slices->edge[rank + 1]};
}

struct th_range th_slices_shard(const struct th_slices *slices, int64_t shard)
{
  return th_partition_shard(slices->attributes, shard, slices->shards);
}

struct th_range th_slices_part(const struct th_slices *slices, int rank,
                               int64_t shard)
{
  return th_range_intersect(th_slices_rank(slices, rank),
                            th_slices_shard(slices, shard));
}

struct th_range th_slices_touched(const struct th_slices *slices, int rank)
{
  struct th_range mine = th_slices_rank(slices, rank);
  int64_t d = slices->attributes;
  if (th_range_count(mine) == 0)
    return (struct th_range){0, 0};
  return (struct th_range){shard_of(d, slices->shards, mine.first),
                           shard_of(d, slices->shards, mine.last - 1) + 1};
}

/* The first shard that begins at an attribute or behind it. */
static int64_t shard_from(const struct th_slices *slices, int64_t attribute)
{
  return attribute == 0
             ? 0
             : shard_of(slices->attributes, slices->shards, attribute - 1) + 1;
}

struct th_range th_slices_owned(const struct th_slices *slices, int rank)
{
  return (struct th_range){shard_from(slices, slices->edge[rank]),
                           shard_from(slices, slices->edge[rank + 1])};
}

struct th_range th_slices_owned_attributes(const struct th_slices *slices,
                                           int rank)
{
  struct th_range owned = th_slices_owned(slices, rank);
  if (th_range_count(owned) == 0)
    return (struct th_range){0, 0};
  return (struct th_range){th_slices_shard(slices, owned.first).first,
                           th_slices_shard(slices, owned.last - 1).last};
}

int th_slices_owner(const struct th_slices *slices, int64_t shard)
{
  int64_t first = th_slices_shard(slices, shard).first;
  int low = 0;
  int high = slices->ranks;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (slices->edge[middle + 1] <= first)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

bool th_slices_cut(const struct th_slices *slices)
{
  for (int r = 1; r < slices->ranks; r++) {
    int64_t edge = slices->edge[r];
    if (edge < slices->attributes &&
        th_slices_shard(slices,
                        shard_of(slices->attributes, slices->shards, edge))
                .first != edge)
      return true;
  }
  return false;
}
