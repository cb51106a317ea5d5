/* zipf.h - how often an attribute of the sparse family is not zero
 *
 * Attribute j has probability p_j = min(1/2, c (j + 1)^-0.8), as word
 * frequencies fall with their rank; c makes the mean over all attributes the
 * wanted density. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_ZIPF_H
#define TH_ZIPF_H

#include <stdint.h>

struct th_zipf {
  int64_t common; /* the first attributes, at the cap */
  double scale;   /* c */
};

/* Find c for a density, 0 < density <= 1/2; O(log attributes). */
struct th_zipf th_zipf(int64_t attributes, double density);
double th_zipf_probability(const struct th_zipf *law, int64_t attribute);
/* p[k] of attribute first + k, with the same bits. */
void th_zipf_probabilities(const struct th_zipf *law, int64_t first,
                           int64_t count, double *p);

/* Return the sum over k = 1 .. n of k^-a, for a >= 0; O(1). */
double th_zipf_power_sum(int64_t n, double a);

#endif
