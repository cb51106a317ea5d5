/* row_cache_load.h - one row cache: its layout, loading and dropping
 * SPDX-License-Identifier: MIT */
#ifndef TH_ROW_CACHE_LOAD_H
#define TH_ROW_CACHE_LOAD_H

#include "solvers/data/row_cache.h"

/* Dense: row i has its places at i * places. Sparse: row i has its entries at
 * start[i] .. start[i + 1] - 1 of place and values, places ascending. */
struct th_row_cache {
  bool loaded;
  int holders;
  int64_t bytes; /* that all arrays take */
  int64_t places;
  void *values;
  int64_t *start;
  int32_t *place;
};

/* Read a row cache's values under a granted draw of its deal unit. Local.
 * TH_ENOMEM, and of reading TH_EARG, TH_EDATA, TH_EBUDGET, TH_EFORMAT, TH_EIO.
 * */
th_status th_row_cache_load(struct th_row_caches *caches,
                            struct th_row_cache *cache,
                            const struct th_draw *draw, struct th_error *err);

/* Room for a row cache of these places; sparse: of these entries. Local.
 * TH_ENOMEM.
 */
th_status th_row_cache_reserve(const struct th_row_caches *caches,
                               struct th_row_cache *cache, int64_t rows,
                               int64_t places, int64_t entries,
                               struct th_error *err);

/* Forget its values. Its holds are not changed. Local. */
void th_row_cache_drop(struct th_row_caches *caches,
                       struct th_row_cache *cache);

#endif
