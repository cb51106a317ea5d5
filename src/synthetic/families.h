/* families.h - what a synthetic family does; internal to src/synthetic
 *
 * A family is one file with one such table, and one row in synthetic.c. Adding
 * one touches nothing else. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_FAMILIES_H
#define TH_FAMILIES_H

#include "core/ground_truth.h"
#include "synthetic/synthetic.h"
#include "synthetic/zipf.h"

enum { TH_FAMILY_STRIP = 256 }; /* examples generated together; even */

/* Numbers that follow from the parameters and the number of attributes. */
struct th_family_law {
  const struct th_ground_truth *truth; /* borrowed */
  double bound;                        /* no value is larger (normal) */
  struct th_zipf zipf;                 /* how often not zero (sparse) */
};

/* A strip of examples, filled attribute by attribute. */
struct th_family_walk {
  const struct th_ground_truth *truth; /* borrowed */
  int64_t first;
  int64_t rows;
  double innovation; /* weight of the fresh values (toeplitz) */
  double value[TH_FAMILY_STRIP];
  double fresh[TH_FAMILY_STRIP];
};

struct th_family_rules {
  /* TH_EUSAGE for parameters out of range; NULL: any will do. */
  th_status (*check)(const struct th_ground_truth *truth, struct th_error *err);
  /* Choose the support_size true attributes, ascending, and their
   * coefficients. */
  void (*plant)(struct th_ground_truth *truth, int64_t attributes);
  /* Fill in the law for so many attributes. */
  void (*prepare)(struct th_family_law *law, int64_t attributes);
  /* Exact mean and deviation of an attribute, and bounds that hold for every
   * value it can have. */
  struct th_statistics (*moments)(const struct th_family_law *law,
                                  int64_t attribute);
  /* Dense families: bring the walk to the attribute before this one (NULL:
   * attributes do not depend on each other); the values of this one. */
  void (*start)(struct th_family_walk *walk, int64_t attribute);
  void (*next)(struct th_family_walk *walk, int64_t attribute);
};

extern const struct th_family_rules th_murata_family;
extern const struct th_family_rules th_toeplitz_family;
extern const struct th_family_rules th_sparse_family;

#endif
