/* active_set_parts.h - what the files of the active set share
 * SPDX-License-Identifier: MIT */
#ifndef TH_ACTIVE_SET_PARTS_H
#define TH_ACTIVE_SET_PARTS_H

#include "solvers/exact/active_set.h"

enum {
  TH_ACTIVE_SET_MOST = 4096,   /* rows; of a larger support only a part is
                                  solved for */
  TH_ACTIVE_SET_INTERCEPT = -1 /* name of the intercept's row */
};

/* With a pivot below this share of the diagonal, a member is not independent.
 */
#define TH_ACTIVE_SET_INDEPENDENT 1e-9

/* Room for so many rows. Local. TH_ENOMEM. */
th_status th_active_set_reserve(struct th_active_set *active_set, int64_t rows,
                                struct th_error *err);

#endif
