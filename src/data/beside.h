/* beside.h - a store with a few attributes beside those of another one
 *
 * They come behind the others and lie in memory; everything else is the other
 * store's. Where that is dense they are dense, and where it is sparse they have
 * an entry on every example. They are floats, whatever the others are, or
 * doubles beside doubles: no kernel takes floats and doubles for one column.
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_BESIDE_H
#define TH_BESIDE_H

#include "data/store.h"

/* The attributes that are added; all is borrowed. */
struct th_beside_columns {
  int64_t count;
  const void *values; /* of th_beside_type: see th_beside_item */
  const struct th_statistics *statistics; /* of each */
  uint64_t fingerprint;                   /* of the store with them */
};

/* The type of their values in data of that shape. */
enum th_type th_beside_type(const struct th_shape *shape);

/* Where the value of the a-th of `count` attributes on a stored row is, in
 * items: row group after row group, and in each attribute after attribute. */
int64_t th_beside_item(const struct th_shape *shape, int64_t count, int64_t row,
                       int64_t a);

struct th_beside;

/* Put the columns beside the attributes of a borrowed store whose cells are
 * placed. They belong to the rank that owns the last of the others. Release
 * with th_beside_free. */
th_status th_beside_create(struct th_beside **beside, struct th_store *base,
                           const struct th_beside_columns *columns,
                           struct th_error *err);
void th_beside_free(struct th_beside *beside);

/* The store with them; borrowed. */
struct th_store *th_beside_store(struct th_beside *beside);

#endif
