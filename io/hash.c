/* hash.c - what the fingerprint is made of
 * SPDX-License-Identifier: MIT */
#include "io/hash.h"

#include <stdio.h>
#include <stdlib.h>
#if defined(__x86_64__)
#include <xxh_x86dispatch.h> /* the same values with the CPU's widest loads */
#else
#include <xxhash.h>
#endif

enum { FILE_PART = 1 << 20 }; /* bytes read at once */

uint64_t th_hash(const void *data, size_t bytes)
{
  return XXH3_64bits(data, bytes);
}

bool th_hash_file(const char *path, uint64_t *hash)
{
  XXH3_state_t *state = XXH3_createState();
  char *part = malloc(FILE_PART);
  FILE *file = fopen(path, "rb");
  bool good = state != NULL && part != NULL && file != NULL;
  size_t got = FILE_PART;
  if (good) {
    XXH3_64bits_reset(state);
    setvbuf(file, NULL, _IONBF, 0);
  }
  while (good && got == FILE_PART) {
    got = fread(part, 1, FILE_PART, file);
    XXH3_64bits_update(state, part, got);
    good = !ferror(file);
  }
  if (good)
    *hash = XXH3_64bits_digest(state);
  if (file != NULL)
    fclose(file);
  free(part);
  XXH3_freeState(state);
  return good;
}

uint64_t th_hash_run(const void *rows, size_t row_bytes, const void *values,
                     size_t value_bytes)
{
  return XXH3_64bits_withSeed(values, value_bytes,
                              XXH3_64bits(rows, row_bytes));
}

uint64_t th_hash_piece(const uint32_t *attribute, const int64_t *start,
                       const uint64_t *checksum, int64_t runs)
{
  size_t count = (size_t)runs;
  uint64_t hash = XXH3_64bits(attribute, count * sizeof *attribute);
  hash = XXH3_64bits_withSeed(start, (count + 1) * sizeof *start, hash);
  return XXH3_64bits_withSeed(checksum, count * sizeof *checksum, hash);
}

uint64_t th_hash_share(int64_t attribute, int64_t group, uint64_t checksum)
{
  uint64_t words[3] = {(uint64_t)attribute, (uint64_t)group, checksum};
  return XXH3_64bits(words, sizeof words);
}

uint64_t th_hash_next(uint64_t before, uint64_t checksum)
{
  uint64_t words[2] = {before, checksum};
  return XXH3_64bits(words, sizeof words);
}

uint64_t th_hash_stats(const double *mean, const double *deviation,
                       const double *lowest, const double *highest,
                       int64_t count)
{
  size_t bytes = (size_t)count * sizeof(double);
  uint64_t hash = XXH3_64bits(mean, bytes);
  hash = XXH3_64bits_withSeed(deviation, bytes, hash);
  hash = XXH3_64bits_withSeed(lowest, bytes, hash);
  return XXH3_64bits_withSeed(highest, bytes, hash);
}

uint64_t th_fingerprint(const struct th_shape *shape,
                        const struct th_print *print)
{
  uint64_t words[] = {(uint64_t)shape->examples,
                      (uint64_t)shape->training,
                      (uint64_t)shape->attributes,
                      (uint64_t)shape->row_group,
                      (uint64_t)shape->layout,
                      (uint64_t)shape->type,
                      (uint64_t)shape->weighted,
                      print->content,
                      print->target,
                      print->weight,
                      print->row,
                      print->names};
  return XXH3_64bits(words, sizeof words);
}
