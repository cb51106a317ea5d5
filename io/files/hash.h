/* hash.h - XXH3 of bytes and of files; internal to io/, but for th_hash_file
 *
 * Local and pure.
 * SPDX-License-Identifier: MIT */
#ifndef TH_HASH_H
#define TH_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* XXH3, 64 bits. */
uint64_t th_hash(const void *data, size_t bytes);
/* XXH3 of what lies behind other bytes, whose hash is the seed. */
uint64_t th_hash_from(const void *data, size_t bytes, uint64_t seed);

/* The hash of a file's first bytes, as many as that; false, with errno, when
 * they cannot be read. */
bool th_hash_first(int file, int64_t bytes, uint64_t *hash);

/* The hash of a file's bytes; false, with errno, when it cannot be read. */
bool th_hash_open(int file, uint64_t *hash);
bool th_hash_file(const char *path, uint64_t *hash);

#endif
