/* attribute_groups.h - groups of attributes in a master file; internal to io/
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_ATTRIBUTE_GROUPS_H
#define TH_ATTRIBUTE_GROUPS_H

#include "core/groups.h"
#include "io/hdf5/h5.h"

/* All pieces of all attributes, ascending; none: nothing is written. TH_EIO,
 * TH_ENOMEM. */
th_status th_attribute_groups_put(const struct th_h5 *h5,
                                  const struct th_group_piece *piece,
                                  int64_t count, struct th_error *err);

/* The same back, verified; *count 0 and *piece NULL where there are none.
 * *piece is owned by the caller. TH_EFORMAT, TH_EIO, TH_ENOMEM. */
th_status th_attribute_groups_get(const struct th_h5 *h5, int64_t attributes,
                                  struct th_group_piece **piece, int64_t *count,
                                  struct th_error *err);

#endif
