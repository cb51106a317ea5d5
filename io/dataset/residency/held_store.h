/* held_store.h - values that are held in memory as a store; internal to io/
 * SPDX-License-Identifier: MIT */
#ifndef TH_HELD_STORE_H
#define TH_HELD_STORE_H

#include "data/store.h"

/* Of a struct th_dataset with `held` (io/dataset/residency/dataset_store.h),
 * whose rank owns all attributes. */
extern const struct th_store_ops th_held_store_ops;

#endif
