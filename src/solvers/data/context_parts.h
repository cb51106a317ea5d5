/* context_parts.h - the parts of a context; internal to the solvers
 * SPDX-License-Identifier: MIT */
#ifndef TH_CONTEXT_PARTS_H
#define TH_CONTEXT_PARTS_H

#include "solvers/data/context.h"

/* Magnitudes between these two have squares, and sums of squares, that neither
 * overflow nor underflow. Products of two squares may do so. */
#define TH_LARGEST_VALUE 0x1p400
#define TH_SMALLEST_VALUE 0x1p-400

/* Fill in context->target from the training examples. Local. TH_EDATA for
 * targets that do not fit the loss, or whose squares are out of range. Also
 * TH_EARG, TH_EFORMAT, TH_EIO, TH_ENOMEM. */
th_status th_context_take_targets(struct th_context *context,
                                  struct th_error *err);

#endif
