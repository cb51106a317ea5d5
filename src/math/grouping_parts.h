/* grouping_parts.h - the part of grouping that ranks share; internal
 * SPDX-License-Identifier: MIT */
#ifndef TH_GROUPING_PARTS_H
#define TH_GROUPING_PARTS_H

#include "math/grouping.h"

/* Bytes that a member of a shared group takes on every rank: in
 * th_grouping_shared, and as a shared_member while that is made. */
enum { TH_SHARED_MEMBER_BYTES = 24 + 48 };

/* Find out which of the groups with has_remote really have members on other
 * ranks, and fill in grouping->shared. name: of each group here, ascending;
 * attribute: of each place. Collective. TH_ENOMEM. */
th_status th_grouping_share(struct th_grouping *grouping, struct th_comm *comm,
                            const int64_t *name, const int64_t *attribute,
                            struct th_error *err);
/* Local. */
void th_grouping_shared_free(struct th_grouping_shared *shared);

#endif
