/* hash.h - what the fingerprint is made of; internal to io/
 *
 * Local and pure.
 * SPDX-License-Identifier: MIT */
#ifndef TH_HASH_H
#define TH_HASH_H

#include "core/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* XXH3, 64 bits. */
uint64_t th_hash(const void *data, size_t bytes);

/* The checksum of a sparse run: its rows as they are stored, then its values.
 */
uint64_t th_hash_run(const void *rows, size_t row_bytes, const void *values,
                     size_t value_bytes);

/* The checksum of a sparse piece's indices; start has runs + 1 items. */
uint64_t th_hash_piece(const uint32_t *attribute, const int64_t *start,
                       const uint64_t *checksum, int64_t runs);

/* The hash of a file's bytes; false when it cannot be read. */
bool th_hash_file(const char *path, uint64_t *hash);

/* A run's share of the content; shares are summed modulo 2^64, so the sum does
 * not depend on how runs lie in shards. */
uint64_t th_hash_share(int64_t attribute, int64_t group, uint64_t checksum);

/* The hash of an array that is handed over group by group. */
uint64_t th_hash_next(uint64_t before, uint64_t checksum);

/* The checksum of the statistics of `count` attributes. */
uint64_t th_hash_stats(const double *mean, const double *deviation,
                       const double *lowest, const double *highest,
                       int64_t count);

/* The parts of a data set's fingerprint beside its shape. */
struct th_print {
  uint64_t content; /* summed over all shards */
  uint64_t target;
  uint64_t weight; /* 0: none */
  uint64_t row;
  uint64_t names; /* 0: none */
};
uint64_t th_fingerprint(const struct th_shape *shape,
                        const struct th_print *print);

#endif
