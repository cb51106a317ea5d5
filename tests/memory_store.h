/* memory_store.h - a store of plain arrays, for tests of what stands on stores
 * SPDX-License-Identifier: MIT */
#ifndef TH_MEMORY_STORE_H
#define TH_MEMORY_STORE_H

#include "core/source.h"

/* Dense f32 values, attribute-major: value (j, i) at values[j * examples + i].
 * Arrays are owned; weights may be NULL. */
struct memory_store {
  struct th_store store;
  float *values;
  double *target;
  double *weight;
  struct th_statistics *statistics;
};

/* Room for examples x attributes zeros; fill values and target, then call
 * memory_store_finish for the statistics. Exits when out of memory. */
struct memory_store *memory_store_new(int64_t examples, int64_t training,
                                      int64_t attributes);
void memory_store_finish(struct memory_store *m);
void memory_store_free(struct memory_store *m);

#endif
