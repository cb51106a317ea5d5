/* memory_share.h - how much main memory there is for each rank
 * SPDX-License-Identifier: MIT */
#ifndef TH_MEMORY_SHARE_H
#define TH_MEMORY_SHARE_H

#include "core/comm.h"

/* Bytes of main memory there are for each rank: the smallest share over all
 * machines of the job. Collective. TH_ENOMEM. */
th_status th_memory_share(struct th_comm *comm, int64_t *bytes,
                          struct th_error *err);

#endif
