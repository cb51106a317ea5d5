/* fingerprint.c - the hashes that make up the fingerprint of a data set
 * SPDX-License-Identifier: MIT */
#include "io/dataset/fingerprint.h"

#include "io/dataset/row_groups.h"
#include "io/files/hash.h"

#include <string.h>

uint64_t th_fingerprint_piece(const struct th_shard_piece_parts *piece)
{
  size_t runs = (size_t)piece->runs;
  size_t entries = (size_t)piece->entries;
  uint64_t hash = th_hash(piece->attribute, runs * sizeof(uint32_t));
  hash = th_hash_from(piece->count, runs * sizeof(uint16_t), hash);
  hash = th_hash_from(piece->row, entries * sizeof(uint16_t), hash);
  return th_hash_from(piece->values, entries * piece->value_size, hash);
}

static const uint64_t odd_a = UINT64_C(0x9E3779B97F4A7C15);
static const uint64_t odd_b = UINT64_C(0xD1B54A32D192ED03);

/* Steele, Lea & Flood 2014. */
static inline uint64_t mix(uint64_t x)
{
  x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
  return x ^ (x >> 31);
}

/* Values have 1, 4 or 8 bytes. */
static inline uint64_t value_bits(const char *value, size_t size)
{
  uint64_t eight = 0;
  uint32_t four = 0;
  if (size == sizeof eight) {
    memcpy(&eight, value, sizeof eight);
    return eight;
  }
  if (size == 1)
    return (unsigned char)*value;
  memcpy(&four, value, sizeof four);
  return four;
}

uint64_t th_fingerprint_run(int64_t attribute, int64_t group,
                            const uint16_t *row, const void *values,
                            size_t value_size, int64_t count)
{
  uint64_t key = mix((uint64_t)attribute * odd_a + (uint64_t)group * odd_b);
  uint64_t sum = 0;
  const char *value = values;
  for (int64_t k = 0; k < count; k++, value += value_size)
    sum += mix(key ^ (value_bits(value, value_size) * odd_a + row[k] * odd_b));
  return sum;
}

/* What a value adds to the sum of an example: nothing if it is 0. */
static inline uint64_t value_share(uint64_t attribute, uint64_t bits)
{
  uint64_t mixed = mix(attribute * odd_a + bits * odd_b);
  return bits != 0 ? mixed : 0;
}

/* Of consecutive attributes whose values have 4 bytes, without a branch. */
static uint64_t sum_words(int64_t first, const void *values, int64_t count)
{
  const char *value = values;
  uint64_t sum = 0;
  for (int64_t k = 0; k < count; k++) {
    uint32_t bits;
    memcpy(&bits, value + 4 * k, sizeof bits);
    sum += value_share((uint64_t)(first + k), bits);
  }
  return sum;
}

uint64_t th_fingerprint_example(int64_t first, const uint32_t *index,
                                const void *values, size_t value_size,
                                int64_t count)
{
  uint64_t sum = 0;
  const char *value = values;
  if (first >= 0 && value_size == sizeof(uint32_t))
    return sum_words(first, values, count);
  for (int64_t k = 0; k < count; k++, value += value_size) {
    uint64_t bits = value_bits(value, value_size);
    uint64_t attribute = (uint64_t)(first < 0 ? (int64_t)index[k] : first + k);
    sum += value_share(attribute, bits);
  }
  return sum;
}

void th_fingerprint_words(int64_t first, const uint64_t *word, int64_t count,
                          uint64_t *restrict key)
{
  uint64_t salt = mix((uint64_t)first * odd_a + odd_b);
  for (int64_t k = 0; k < count; k++)
    key[k] += mix(word[k] ^ salt);
}

uint64_t th_fingerprint_share(int64_t attribute, int64_t group,
                              uint64_t checksum)
{
  uint64_t words[3] = {(uint64_t)attribute, (uint64_t)group, checksum};
  return th_hash(words, sizeof words);
}

uint64_t th_fingerprint_next(uint64_t before, uint64_t checksum)
{
  uint64_t words[2] = {before, checksum};
  return th_hash(words, sizeof words);
}

void th_fingerprint_name(struct th_name_print *print, const char *name,
                         size_t length)
{
  const uint64_t none = 1; /* a list of no names has a hash of its own */
  uint64_t hash = th_hash(name, length);
  print->list =
      th_fingerprint_next(print->list == 0 ? none : print->list, hash);
  print->set += th_fingerprint_next(none, hash);
}

uint64_t th_fingerprint_stats(const void *const kinds[], int64_t count,
                              int64_t piece, size_t size)
{
  int64_t first = piece * TH_STATS_PIECE;
  int64_t left = count - first;
  size_t items = (size_t)(left < TH_STATS_PIECE ? left : TH_STATS_PIECE);
  uint64_t hash = 0;
  for (int k = 0; k < TH_STATS_KINDS; k++)
    hash = th_hash_from((const char *)kinds[k] + (size_t)first * size,
                        items * size, hash);
  return hash;
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
  return th_hash(words, sizeof words);
}
