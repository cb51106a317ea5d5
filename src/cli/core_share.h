/* core_share.h - how many cores there are for each rank
 * SPDX-License-Identifier: MIT */
#ifndef TH_CORE_SHARE_H
#define TH_CORE_SHARE_H

#include "core/comm.h"

/* The cores that this rank may use, divided by the ranks of its machine that
 * may use the same ones; at least 1. Collective. TH_ENOMEM. */
th_status th_core_share(struct th_comm *comm, int *cores, struct th_error *err);

#endif
