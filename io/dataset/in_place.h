/* in_place.h - units of dense shards that are used where the system has them
 *
 * A shard whose bytes the system has in memory is mapped, and the values of a
 * unit are used where they lie, without a copy. They count in the data set's
 * memory as copies of their unit do, so that units leave when they would have
 * left as copies. Where that leaves no room for runs that are kept, these are
 * copied alone. A run is verified when it is first handed out, in parts that
 * stay in the processor's cache until the caller has used them. Internal to
 * io/, local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_IN_PLACE_H
#define TH_IN_PLACE_H

#include "io/dataset/cache_block.h"

/* Where the values of a unit that is going to be made lie in its mapped shard;
 * NULL: they have to be read. wanted: the attributes that are asked for now. */
const char *th_in_place_values(const struct th_dataset *dataset,
                               const struct th_cache_block_place *place,
                               struct th_range wanted);

/* True if the system has all values of a unit of a mapped shard in memory. */
bool th_in_place_resident(const struct th_cache_block_place *place);

/* Values in the file are going to be used: ask for those that the system does
 * not have in memory. fetch: with its place. */
void th_in_place_advise(const struct th_cache_block_place *place,
                        const struct th_fetch *fetch);

/* Count the absent attributes of a range as read, from now on TH_IN_PLACE. Cut
 * the range to a part that is verified. The caller counts the time. */
th_status th_in_place_take(struct th_dataset *dataset,
                           const struct th_cache_block_place *place,
                           struct th_range *range, struct th_error *err);

/* An error if a mapped shard has become shorter or cannot be read any more:
 * then values that were handed out may have been zeros. Quick if all is
 * well. */
th_status th_in_place_check(const struct th_dataset *dataset,
                            struct th_error *err);

#endif
