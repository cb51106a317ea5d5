/* families.h - what a synthetic family does; internal to src/synthetic
 *
 * A family is a table of functions in families.c, declared below, and one row
 * in synthetic.c. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_FAMILIES_H
#define TH_FAMILIES_H

#include "model/ground_truth.h"
#include "synthetic/synthetic.h"

enum { TH_FAMILY_STRIP = 256 }; /* examples generated together; even */

/* How the ones of a cell are found (kukliansky). */
struct th_family_gaps {
  bool rare;       /* by gaps; otherwise every value is drawn */
  double most;     /* probability of the cell's first attribute */
  double log_zero; /* log(1 - most) */
  double none;     /* (1 - most)^TH_CELL */
};

/* A strip of examples, filled attribute by attribute. */
struct th_family_walk {
  const struct th_synthetic_law *law; /* borrowed */
  int64_t first;
  int64_t rows;
  double innovation; /* weight of the fresh values (toeplitz) */
  struct th_family_gaps gaps;
  double value[TH_FAMILY_STRIP];
  union {
    double fresh[TH_FAMILY_STRIP];  /* normals */
    int64_t place[TH_FAMILY_STRIP]; /* the next attribute that is 1 */
  };
};

struct th_family_rules {
  /* The number of true attributes where the family decides, otherwise NULL. */
  int64_t (*count)(const struct th_ground_truth *truth, int64_t attributes);
  /* Choose the support_size true attributes, ascending, and their
   * coefficients. */
  void (*plant)(struct th_ground_truth *truth, int64_t attributes);
  /* Fill in the law but for truth, rules and attributes. */
  void (*prepare)(struct th_synthetic_law *law);
  /* Exact means and deviations of attributes, and bounds that hold for every
   * value they can have, one after the other. */
  void (*moments)(const struct th_synthetic_law *law, struct th_range range,
                  struct th_statistics *of);
  /* Dense families: bring the walk to the attribute before this one (NULL:
   * attributes do not depend on each other); the values of this one. */
  void (*start)(struct th_family_walk *walk, int64_t attribute);
  void (*next)(struct th_family_walk *walk, int64_t attribute);
  /* Add the targets of rows without their noise, faster than by all values;
   * NULL: there is no faster way. */
  void (*add_targets)(const struct th_synthetic_law *law, int64_t first,
                      int64_t rows, double *target);
  /* What the law says of all sets of attributes; NULL: nothing. */
  struct th_design (*design)(const struct th_ground_truth *truth);
  bool uniform_noise; /* of the same deviation; else normal */
};

extern const struct th_family_rules th_murata_family;
extern const struct th_family_rules th_toeplitz_family;
extern const struct th_family_rules th_sparse_family;
extern const struct th_family_rules th_kukliansky_family;
extern const struct th_family_rules th_oomp_family;

#endif
