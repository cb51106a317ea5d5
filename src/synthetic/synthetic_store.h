/* synthetic_store.h - a synthetic family as a store: computed, not read
 *
 * Values and targets are, bit for bit, those of the data set that `thresher
 * generate` writes for the same parameters; statistics are the family's own.
 * The store computes only the values that are asked for, so that only the
 * solver's memory limits the number of attributes. It keeps values while they
 * fit: to compute one costs about a hundred times as much as to read it again.
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SYNTHETIC_STORE_H
#define TH_SYNTHETIC_STORE_H

#include "data/source.h"
#include "model/origin.h"

struct th_synthetic_store;

/* A store over a borrowed truth. shape.nonzeros is ignored: the expected number
 * is filled in. memory: bytes of values to keep; where a sparse attribute does
 * not fit any more, all of it is computed again for every row group. Release
 * with th_synthetic_store_free. */
th_status th_synthetic_store_create(struct th_synthetic_store **store,
                                    const struct th_ground_truth *truth,
                                    const struct th_shape *shape,
                                    int64_t memory, struct th_error *err);
void th_synthetic_store_free(struct th_synthetic_store *store);

/* Borrowed. */
struct th_store *th_synthetic_store_of(struct th_synthetic_store *store);

#endif
