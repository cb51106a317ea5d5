/* running_stats.h - statistics of attributes, computed while they are written
 *
 * Where examples have weights, each value counts by the weight of its example:
 * the sums, means and squares below are weighted ones.
 *
 * Every run gives (count, mean, sum of squared deviations); runs are merged in
 * ascending order of row groups by Chan's formula, so the bits depend only on
 * the stored values and R. For sparse data, the nonzeros are merged first, and
 * the zeros join at the end. Internal to io/, local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_RUNNING_STATS_H
#define TH_RUNNING_STATS_H

#include "data/source.h"

struct th_running_stats {
  int64_t attributes;
  int64_t *count; /* values seen */
  double *weight; /* of these values; NULL: each counts once */
  double *mean;
  double *squares; /* sum of squared deviations from the mean */
  double *lowest;
  double *highest;
  /* Where values may be missing; else NULL. */
  int64_t *missing; /* of all examples */
  int64_t *absent;  /* of training examples */
  double *away;     /* weight of these; NULL: each counts once */
};

enum { TH_RUNNING_STATS_BYTES = 5 * 8 }; /* of an attribute */

/* Begin with nothing seen; release with th_running_stats_free. */
th_status th_running_stats_init(struct th_running_stats *stats,
                                int64_t attributes, bool weighted,
                                struct th_error *err);
/* Values may be missing, too. */
th_status th_running_stats_allow_missing(struct th_running_stats *stats,
                                         bool weighted, struct th_error *err);
void th_running_stats_free(struct th_running_stats *stats);

/* Add one run of values of attribute a, as doubles, with their weights, all
 * above 0, where there are weights. */
void th_running_stats_add(struct th_running_stats *stats, int64_t a,
                          const double *values, const double *weight,
                          int64_t count);

/* Add one run of values in which NaN stands for a missing one: the others are
 * moved to its front, and their weights to kept[count], if there are weights.
 * Test examples are only counted. False if a value is infinite, or one is
 * missing that must not. */
struct th_running_run {
  double *values;
  const double *weight; /* or NULL */
  double *kept;         /* may be where weight points */
  int64_t count;
  bool training;
};
bool th_running_stats_add_some(struct th_running_stats *stats, int64_t a,
                               const struct th_running_run *run);

/* Add one run of u2, each of which counts once; count[v]: how many are v. Where
 * values may be missing, 3 is one. Test examples are only counted. */
void th_running_stats_add_u2(struct th_running_stats *stats, int64_t a,
                             const int64_t count[4], bool training);

/* Bring every attribute up to `rows` values of this weight in all (rows, where
 * each counts once) with zeros, then turn squares into the standard deviation
 * with the weight as divisor. The mean stands in for values that are missing:
 * they change no mean, and add nothing to the squares. */
void th_running_stats_finish(struct th_running_stats *stats, int64_t rows,
                             double weight);

/* Convert stored values to doubles; false if one is not finite. *nonzeros grows
 * by the values that are not zero. missing: the whole number that is set aside
 * becomes NaN. */
bool th_running_stats_load(enum th_type type, bool missing, const void *stored,
                           int64_t count, double *values, int64_t *nonzeros);

#endif
