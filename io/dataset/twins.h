/* twins.h - which examples equal others: found at import, kept in the master;
 * internal to io/
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_TWINS_H
#define TH_TWINS_H

#include "data/store.h"

struct th_h5;

/* With more training examples nobody looks for equal ones: such data are too
 * many for a choice that equal examples could mislead. */
#define TH_TWINS_EXAMPLES ((int64_t)1 << 22)

/* Training examples in stored order. */
struct th_twins_given {
  int64_t examples;
  const uint64_t *key; /* th_fingerprint_example of each */
  const double *target;
  const double *weight; /* NULL: all are 1. Those of weight 0 equal none */
};

/* Find the examples that equal an earlier one (data/store.h). Release with
 * th_twins_free, also after a failure. */
th_status th_twins_find(struct th_twins *twins,
                        const struct th_twins_given *given,
                        struct th_error *err);
void th_twins_free(struct th_twins *twins);

/* Write them. Without any, nothing is written. */
th_status th_twins_put(const struct th_h5 *h5, const struct th_twins *twins,
                       struct th_error *err);

/* Read and verify those of data with so many training examples; *twins is
 * zero. */
th_status th_twins_get(const struct th_h5 *h5, int64_t training,
                       struct th_twins *twins, struct th_error *err);

#endif
