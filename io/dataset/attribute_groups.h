/* attribute_groups.h - groups of attributes in a master file; internal to io/
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_ATTRIBUTE_GROUPS_H
#define TH_ATTRIBUTE_GROUPS_H

#include "data/groups.h"
#include "io/hdf5/h5.h"

/* Write the pieces of all attributes, ascending. Without pieces, nothing is
 * written. */
th_status th_attribute_groups_put(const struct th_h5 *h5,
                                  const struct th_group_piece *piece,
                                  int64_t count, struct th_error *err);

/* Read and verify them; *count is 0 and *piece NULL if there are none. The
 * caller owns *piece. */
th_status th_attribute_groups_get(const struct th_h5 *h5, int64_t attributes,
                                  struct th_group_piece **piece, int64_t *count,
                                  struct th_error *err);

#endif
