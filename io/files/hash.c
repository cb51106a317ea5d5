/* hash.c - XXH3 of bytes and of files
 * SPDX-License-Identifier: MIT */
#include "io/files/hash.h"

#include "base/integer.h"
#include "base/processor.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <xxh_x86dispatch.h> /* the same values with the CPU's widest loads */
#else
#include <xxhash.h>
#endif

enum { FILE_PART = 1 << 20 }; /* bytes read at once */

/* XXH3 leaves the vector registers as it has used them (base/processor.h):
 * nothing here calls it but what clears them. */
uint64_t th_hash_from(const void *data, size_t bytes, uint64_t seed)
{
  uint64_t hash = XXH3_64bits_withSeed(data, bytes, seed);
  th_processor_clear_upper();
  return hash;
}

uint64_t th_hash(const void *data, size_t bytes)
{
  return th_hash_from(data, bytes, 0);
}

/* Hash up to `most` bytes; *bytes: how many there are. */
static bool hash_part(int file, int64_t most, int64_t *bytes, uint64_t *hash)
{
  XXH3_state_t *state = XXH3_createState();
  char *part = malloc(FILE_PART);
  bool good = state != NULL && part != NULL;
  ssize_t got = 1;
  if (good)
    XXH3_64bits_reset(state);
  *bytes = 0;
  while (good && got != 0) {
    int64_t left = th_min_i64(most - *bytes, FILE_PART);
    got = pread(file, part, (size_t)left, (off_t)*bytes);
    good = got >= 0;
    if (got > 0)
      XXH3_64bits_update(state, part, (size_t)got);
    *bytes += got;
  }
  if (good)
    *hash = XXH3_64bits_digest(state);
  th_processor_clear_upper();
  free(part);
  XXH3_freeState(state);
  return good;
}

bool th_hash_open(int file, uint64_t *hash)
{
  int64_t bytes = 0;
  return hash_part(file, INT64_MAX, &bytes, hash);
}

bool th_hash_first(int file, int64_t bytes, uint64_t *hash)
{
  int64_t there = 0;
  return hash_part(file, bytes, &there, hash) && there == bytes;
}

bool th_hash_file(const char *path, uint64_t *hash)
{
  int file = open(path, O_RDONLY | O_CLOEXEC);
  bool good = file >= 0 && th_hash_open(file, hash);
  if (file >= 0)
    close(file);
  return good;
}
