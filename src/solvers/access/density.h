/* density.h - sparse data that hold a value nearly everywhere
 * SPDX-License-Identifier: MIT */
#ifndef TH_DENSITY_H
#define TH_DENSITY_H

#include "data/shape.h"

#include <stdbool.h>

/* True if what solvers keep of the data in memory, examples or attributes, has
 * a value for everything: of dense data, and of sparse data of which two values
 * in three or more are not zero. An entry takes half as much memory again as a
 * value does. Local. */
static inline bool th_density_is_full(const struct th_shape *shape)
{
  double all = (double)shape->examples * (double)shape->attributes;
  return shape->layout == TH_DENSE || 3 * (double)shape->nonzeros >= 2 * all;
}

#endif
