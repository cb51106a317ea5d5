/* fingerprint.h - the hashes that make up the fingerprint of a data set;
 * internal to io/
 *
 * Local and pure.
 * SPDX-License-Identifier: MIT */
#ifndef TH_FINGERPRINT_H
#define TH_FINGERPRINT_H

#include "base/error.h"
#include "data/source.h"

#include <stddef.h>
#include <stdint.h>

/* A sparse piece as it is stored. */
struct th_shard_piece_parts {
  int64_t runs;
  int64_t entries;
  const uint32_t *attribute;
  const uint16_t *count;
  const uint16_t *row;
  const void *values;
  size_t value_size;
};

/* The checksum of a piece. */
uint64_t th_fingerprint_piece(const struct th_shard_piece_parts *piece);

/* A sparse run's share of the content: the sum over its entries of mix(mix(A
 * attribute + B group) ^ (A bits + B row)), where bits are the value's, padded
 * with zeros to 64, mix is the finalizer of SplitMix64, and A and B are odd
 * constants (fingerprint.c). For a run of one entry, a sum over entries costs
 * less than any hash of bytes. */
uint64_t th_fingerprint_run(int64_t attribute, int64_t group,
                            const uint16_t *row, const void *values,
                            size_t value_size, int64_t count);

/* What an example's attributes and values make: a sum over its values that are
 * not 0, of the mix of both. Entry k has attribute first + k, or index[k] where
 * first is -1. */
uint64_t th_fingerprint_example(int64_t first, const uint32_t *index,
                                const void *values, size_t value_size,
                                int64_t count);

/* Likewise of the same 32 attributes of many examples, from `first` on, packed
 * in a word for each: key[k] grows. Not the same sum as of single values. */
void th_fingerprint_words(int64_t first, const uint64_t *word, int64_t count,
                          uint64_t *restrict key);

/* A dense run's share of the content; shares are summed modulo 2^64, so the sum
 * does not depend on how runs lie in shards. */
uint64_t th_fingerprint_share(int64_t attribute, int64_t group,
                              uint64_t checksum);

/* Continue the hash of an array that is given group by group. */
uint64_t th_fingerprint_next(uint64_t before, uint64_t checksum);

/* Add the name of an attribute. Names are given in their order, to a record
 * that was zeroed before. */
void th_fingerprint_name(struct th_name_print *print, const char *name,
                         size_t length);

/* The checksum of a piece of TH_STATS_PIECE attributes' statistics: kinds[] are
 * TH_STATS_KINDS arrays of `count` items of that size; the last piece may be
 * short. */
uint64_t th_fingerprint_stats(const void *const kinds[], int64_t count,
                              int64_t piece, size_t size);

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
