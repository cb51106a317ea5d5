/* synthetic.h - synthetic families: data as a pure function of (seed, i, j)
 *
 * Every value is named by its example and attribute, so any rank can compute
 * any part, with the same bits. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SYNTHETIC_H
#define TH_SYNTHETIC_H

#include "base/error.h"
#include "data/deal.h"
#include "data/slab.h"
#include "data/source.h"
#include "model/origin.h"
#include "ranks/partition.h"

#include <stdbool.h>
#include <stdint.h>

/* How often an attribute of the sparse family is not zero: attribute j with
 * probability p_j = min(1/2, c (j + 1)^-0.8), as word frequencies fall with
 * their rank; c makes the mean over all attributes the wanted density. */
struct th_zipf {
  int64_t common; /* the first attributes, at the cap */
  double scale;   /* c */
};

/* The largest count of the sparse family, see th_random_uniform. */
enum { TH_LARGEST_COUNT = 54 };

struct th_family_rules;

/* One row per family, ended by a NULL name. */
struct th_family {
  const char *name;
  const char *summary;
  const char *source; /* where it is described */
  enum th_layout layout;
  int64_t default_support; /* less where there are fewer attributes; 0: the
                              family decides, and takes no other */
  double default_noise;
  const struct th_family_rules *rules; /* synthetic/families.h */
  enum th_type default_type;
};
const struct th_family *th_synthetic_family_table(void);
/* Return the family of a name, or NULL if there is none. */
const struct th_family *th_synthetic_family_find(const char *name);

/* Fill in the true support and coefficients, and the noise where the family
 * decides it, for parameters already set in *truth (family, seed, noise, its
 * own ones; support_size 0 takes the family's default). An error for parameters
 * out of range or a support larger than d. support and coef are owned by the
 * caller. */
th_status th_synthetic_truth_init(struct th_ground_truth *truth,
                                  int64_t attributes, struct th_error *err);
void th_synthetic_truth_free(struct th_ground_truth *truth);

/* Numbers that follow from the parameters and the number of attributes. */
struct th_synthetic_law {
  const struct th_ground_truth *truth; /* borrowed */
  const struct th_family_rules *rules;
  int64_t attributes;
  double share;        /* expected, of the values that are not zero */
  double bound;        /* no value is larger (normal) */
  struct th_zipf zipf; /* how often not zero (sparse) */
  double scale;        /* probability of the first attribute (kukliansky) */
};
struct th_synthetic_law th_synthetic_law_of(const struct th_ground_truth *truth,
                                            int64_t attributes);

/* Room for the values of some attributes on some examples, attribute-major:
 * stride values of the type lie between attributes. Borrowed. */
struct th_synthetic_room {
  struct th_range attributes;
  struct th_rows examples;
  enum th_type type;
  void *values;
  int64_t stride;
};

/* Fill the room; for dense families. An error if a value does not fit the
 * type. */
th_status th_synthetic_dense(const struct th_synthetic_law *law,
                             const struct th_synthetic_room *room,
                             struct th_error *err);

/* Compute the targets of examples first .. first+rows-1: sum of coef times
 * value plus noise. */
th_status th_synthetic_targets(const struct th_ground_truth *truth,
                               int64_t attributes, int64_t examples,
                               int64_t first, int64_t rows, double *target,
                               struct th_error *err);

/* Fill in statistics[range.last - range.first]: the family's exact means and
 * deviations, and bounds that hold for every value it can draw. */
void th_synthetic_statistics(const struct th_synthetic_law *law,
                             struct th_range range,
                             struct th_statistics *statistics);

/* Return what the law of the data says of sets of attributes. */
struct th_design th_synthetic_design(const struct th_ground_truth *truth);

/* Return the population mean squared error of a model,
 * noise^2 + E (x'coef + intercept - x'truth)^2, under the family's exact mean
 * and covariance. */
double th_synthetic_population_mse(const struct th_ground_truth *truth,
                                   int64_t attributes, const int64_t *support,
                                   const double *coef, int64_t support_size,
                                   double intercept);

#endif
