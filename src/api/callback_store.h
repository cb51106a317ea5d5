/* callback_store.h - a store whose values a caller computes when asked
 *
 * Every value is asked for once, and then kept. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CALLBACK_STORE_H
#define TH_CALLBACK_STORE_H

#include "api/thresher.h"
#include "data/source.h"

struct th_callback_store;

/* Make a store over *source, which is copied. Examples of weight 0 are stored
 * last. An error if sizes or functions are missing, or if the
 * caller's weights cannot be used. */
th_status th_callback_store_create(struct th_callback_store **store,
                                   const struct thresher_source *source,
                                   struct th_error *err);
void th_callback_store_free(struct th_callback_store *store);

/* Return the store as the source needs it. Borrowed; lives as long as the
 * callback store. */
struct th_store *th_callback_store_of(struct th_callback_store *store);

#endif
