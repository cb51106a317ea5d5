/* second_moments.h - what the import knows of the squares of the attributes
 * SPDX-License-Identifier: MIT */
#ifndef TH_SECOND_MOMENTS_H
#define TH_SECOND_MOMENTS_H

#include "solvers/data/context.h"

/* second[owned] = E x^2 of attributes as solvers see them, (x - centre) *
 * scale: 0 for those that are left out. Local. TH_ENOMEM, and of reading
 * TH_EARG, TH_EDATA, TH_EFORMAT, TH_EIO. */
th_status th_second_moments_read(const struct th_context *context,
                                 double *second, struct th_error *err);

#endif
