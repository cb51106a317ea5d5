/* families.h - what a synthetic family does
 *
 * A family is a table of functions in families.c, declared below, and one row
 * in synthetic.c. Sparse ones give attributes without their zeros, too. All
 * functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_FAMILIES_H
#define TH_FAMILIES_H

#include "model/origin.h"
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
    double fresh[TH_FAMILY_STRIP];        /* normals */
    int64_t place[TH_FAMILY_STRIP];       /* the next attribute that is 1 */
    double haplotype[2][TH_FAMILY_STRIP]; /* uniform numbers (genotypes) */
  };
};

struct th_family_rules {
  /* The number of true attributes where the family decides, otherwise NULL. */
  int64_t (*count)(const struct th_ground_truth *truth, int64_t attributes);
  /* Choose the support_size true attributes, ascending, and their
   * coefficients. */
  void (*plant)(struct th_ground_truth *truth, int64_t attributes);
  /* The deviation of the noise where the family decides, otherwise NULL. */
  double (*noise)(const struct th_ground_truth *truth);
  /* Fill in the law but for truth, rules and attributes. */
  void (*prepare)(struct th_synthetic_law *law);
  /* Exact means and deviations of attributes, and bounds that hold for every
   * value they can have, one after the other. */
  void (*moments)(const struct th_synthetic_law *law, struct th_range range,
                  struct th_statistics *of);
  /* The covariance of two attributes, 0 if they are of different cells; NULL:
   * it is that of the correlation `correlation`^|j - k|. */
  double (*covariance)(const struct th_synthetic_law *law, int64_t attribute,
                       int64_t other);
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

/* The law of sparse data: find c for a density, 0 < density <= 1/2; O(log
 * attributes). */
struct th_zipf th_families_zipf(int64_t attributes, double density);
double th_families_zipf_probability(const struct th_zipf *law,
                                    int64_t attribute);

/* Which attributes of a cell are not zero everywhere, as far as a first look
 * tells: all of those, and perhaps others. */
struct th_sparse_screen {
  uint64_t seed;
  int64_t cell; /* its first attribute */
  int64_t examples;
  bool known;
  bool may[TH_CELL];
};

/* Sparse families: the ascending examples (of 0..examples-1) at which an
 * attribute is not zero, with their values. Begin with a zeroed record and use
 * it again for the next attribute: memory and the family's law are kept. */
struct th_column {
  struct th_zipf law;
  double density; /* that the law belongs to */
  int64_t attributes;
  struct th_sparse_screen screen;
  int64_t count;
  int64_t capacity;
  int64_t *example;
  double *value;
  int64_t value_capacity;
};
/* One attribute of sparse data. */
th_status th_families_sparse(const struct th_ground_truth *truth,
                             int64_t attributes, int64_t attribute,
                             int64_t examples, struct th_column *column,
                             struct th_error *err);
/* The first attribute of a range that th_families_sparse has to be asked for,
 * since all before it are zero; range.last if there is none. Most rare
 * attributes are passed over in a few nanoseconds. */
int64_t th_families_sparse_next(const struct th_ground_truth *truth,
                                int64_t attributes, struct th_range range,
                                int64_t examples, struct th_column *column);
void th_families_column_free(struct th_column *column);

extern const struct th_family_rules th_murata_family;
extern const struct th_family_rules th_toeplitz_family;
extern const struct th_family_rules th_sparse_family;
extern const struct th_family_rules th_kukliansky_family;
extern const struct th_family_rules th_oomp_family;
extern const struct th_family_rules th_genotypes_family;

#endif
