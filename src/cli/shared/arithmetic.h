/* arithmetic.h - one hash of the arithmetic of this program
 * SPDX-License-Identifier: MIT */
#ifndef TH_ARITHMETIC_H
#define TH_ARITHMETIC_H

#include "base/error.h"

#include <stdint.h>

/* Compute the hash of many numbers: elementary functions, kernels, linear
 * algebra, random numbers and generated data, and SLEEF's version. Processors
 * and builds with the same hash train the same models. Takes some milliseconds.
 * Local. */
th_status th_arithmetic_hash(uint64_t *hash, struct th_error *err);

#endif
