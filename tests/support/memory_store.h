/* memory_store.h - a store of plain arrays, for tests of what stands on stores
 * SPDX-License-Identifier: MIT */
#ifndef TH_MEMORY_STORE_H
#define TH_MEMORY_STORE_H

#include "data/source.h"

struct memory_tile;

/* Values are filled in as f32, attribute-major: value (j, i) at
 * values[j * examples + i]; slabs show them in the layout and type of
 * store.shape, cut at multiples of `cut` attributes like shards. Arrays are
 * owned; weights may be NULL. */
struct memory_store {
  struct th_store store;
  float *values;
  double *target;
  double *weight;
  struct th_statistics *statistics;
  int64_t cut;   /* 0: slabs are never cut */
  bool placed;   /* cells cost more and less, in turn */
  void *stored;  /* dense: values in another type than f32 */
  int64_t tiles; /* sparse: shards x row groups */
  struct memory_tile *tile;
};

/* Room for examples x attributes zeros; fill values and target, set layout,
 * type and cut where they are to be others than dense, f32 and none, then call
 * memory_store_finish. Exits when out of memory or where a value does not fit
 * the type. */
struct memory_store *memory_store_new(int64_t examples, int64_t training,
                                      int64_t attributes);
/* Weights of 1, to be owned by a store. */
double *memory_store_weights(const struct memory_store *m);

/* Statistics, and the stored form of the values. */
void memory_store_finish(struct memory_store *m);
void memory_store_free(struct memory_store *m);

#endif
