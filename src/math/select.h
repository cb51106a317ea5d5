/* select.h - the k largest over all ranks: hard thresholding and arg max
 * SPDX-License-Identifier: MIT */
#ifndef TH_SELECT_H
#define TH_SELECT_H

#include "ranks/comm.h"

#include <stdint.h>

/* An attribute and its (signed) value. */
struct th_index_value {
  int64_t attribute;
  double value;
};

/* For qsort, of struct th_index_value: the larger magnitude goes first, and at
 * equal magnitude the lower attribute. Local. */
int th_select_order(const void *a, const void *b);

/* Work arrays of a selection by digits; zeroed: none yet. They stay from one
 * selection to the next, so that nothing is allocated once they have their
 * size. */
struct th_selection {
  struct th_index_value *candidates;
  int64_t *packed; /* candidates as they cross the ranks */
  int64_t capacity;
};

/* Local. */
void th_select_free(struct th_selection *work);

/* What a selection chooses among. threshold and k are the same on every rank.
 */
struct th_select_among {
  const double *values;     /* count, of this rank's attributes; borrowed */
  const int64_t *attribute; /* whose they are, in any order; NULL: they belong
                               to first, first + 1, ..., and higher ranks own
                               higher attributes */
  int64_t first;
  int64_t count;    /* may be 0 on some ranks */
  double threshold; /* a magnitude up to here is never chosen */
  int64_t k;        /* at most so many are chosen, over all ranks */
};

/* Choose the k entries of largest magnitude above the threshold over all ranks;
 * at equal magnitude the lower attribute goes first (Murata & Suzuki, H_s).
 * chosen[k] receives *found <= k entries in ascending order of the attribute,
 * the same on every rank. before: this rank's status of the work that made the
 * values; if it is a failure on any rank, all ranks fail here.
 *
 * Collective: one sum of at most 17 KiB; only where that does not decide, the
 * operations of th_select_by_digits, too. An error when a value is not a
 * number. */
th_status th_select_largest(struct th_comm *comm, struct th_selection *work,
                            const struct th_select_among *among,
                            th_status before, struct th_index_value *chosen,
                            int64_t *found, struct th_error *err);

/* --- The k largest over all ranks by digits: the plain form
 *
 * Where the largest entries of each rank do not decide. */

/* The choice of th_select_largest, among values that are numbers.
 *
 * Collective: some sums of 256 integers, a prefix sum, and one sum of O(k)
 * bytes. Shown for tests. */
th_status th_select_by_digits(struct th_comm *comm, struct th_selection *work,
                              const struct th_select_among *among,
                              struct th_index_value *chosen, int64_t *found,
                              struct th_error *err);

/* --- A weighted quantile of numbers that are read several times
 *
 * Numbers need not be kept: each reading divides the interval in which the
 * quantile lies by 1,024. Local. */

enum { TH_SELECT_BINS = 1024 };

struct th_select_quantile {
  double low; /* the quantile is from here on */
  double high;
  double goal;  /* weight of the numbers up to it */
  double below; /* weight of the numbers below `low` */
  double edge[TH_SELECT_BINS + 1];
  double weight[TH_SELECT_BINS];
  int readings; /* that are left */
};

/* Begin with numbers from low to high: the quantile up to which their weights
 * add up to `goal`. */
void th_select_quantile_begin(struct th_select_quantile *quantile, double low,
                              double high, double goal);

/* Add n numbers of this reading, and their weights. */
void th_select_quantile_add(struct th_select_quantile *quantile, int64_t n,
                            const double *value, const double *weight);

/* A reading has ended: returns true if the numbers are wanted once more. Else
 * the quantile is `low`, to a part in 10^12 of the first interval. */
bool th_select_quantile_narrow(struct th_select_quantile *quantile);

#endif
