/* ground_truth.h - what a generated data set knows about itself
 * SPDX-License-Identifier: MIT */
#ifndef TH_GROUND_TRUTH_H
#define TH_GROUND_TRUTH_H

#include <stdint.h>

enum { TH_FAMILY_NAME = 32 };

/* Plain parameters plus the true coefficients; support and coef are owned by
 * whoever holds the record. family[0] == 0: the data were not generated. */
struct th_ground_truth {
  char family[TH_FAMILY_NAME];
  uint64_t seed;
  double noise;       /* standard deviation of the target noise */
  double correlation; /* of neighbouring attributes (toeplitz) */
  double density;     /* mean share of non-zeros (sparse) */
  int64_t support_size;
  int64_t *support; /* ascending */
  double *coef;
};

#endif
