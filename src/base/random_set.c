/* random_set.c - many random numbers at once, for the instruction set that it
 * is compiled for
 *
 * Compiled once per set (src/base/CMakeLists.txt), which names its table in
 * TH_RANDOM_SET. The plain form draws one pair after the other. The others
 * compute Philox4x32-10 for a vector of pairs: each of its four words has 64
 * bits, of which the multiplication sees the lower half, so that the upper one
 * may hold anything.
 * SPDX-License-Identifier: MIT */
#include "base/random.h"

#if defined(TH_RANDOM_PLAIN)
static void uniform_pairs(const struct th_random_pairs *pairs, int64_t n,
                          double *first, double *second)
{
  for (int64_t k = 0; k < n; k++) {
    double pair[2];
    uint64_t at = (uint64_t)k;
    th_random_uniform(pairs->stream, pairs->step + at * pairs->step_stride,
                      pairs->index + at * pairs->index_stride, pair);
    first[k] = pair[0];
    second[k] = pair[1];
  }
}
#else
#include <immintrin.h>
#include <string.h>

#if defined(__AVX512F__)
enum { WIDTH = 8 };
typedef __m512i lanes;
#define ALL(word) _mm512_set1_epi64((long long)(word))
#define MULTIPLY _mm512_mul_epu32
#else
enum { WIDTH = 4 };
typedef __m256i lanes;
#define ALL(word) _mm256_set1_epi64x((long long)(word))
#define MULTIPLY _mm256_mul_epu32
#endif

typedef uint64_t words __attribute__((vector_size(8 * WIDTH)));
typedef double numbers __attribute__((vector_size(8 * WIDTH)));

#define INLINE static inline __attribute__((always_inline))

/* The four words of a vector of counters. */
struct counters {
  words word[4];
};

/* Salmon et al. 2011, section 3.3 and table 2. */
INLINE void philox(struct counters *c, uint64_t seed)
{
  enum { ROUNDS = 10 };
  const lanes multiplier[2] = {ALL(0xD2511F53), ALL(0xCD9E8D57)};
  uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  for (int round = 0; round < ROUNDS; round++) {
    words product[2] = {(words)MULTIPLY((lanes)c->word[0], multiplier[0]),
                        (words)MULTIPLY((lanes)c->word[2], multiplier[1])};
    c->word[0] = product[1] >> 32 ^ c->word[1] ^ (words)ALL(key[0]);
    c->word[1] = product[1];
    c->word[2] = product[0] >> 32 ^ c->word[3] ^ (words)ALL(key[1]);
    c->word[3] = product[0];
    key[0] += UINT32_C(0x9E3779B9);
    key[1] += UINT32_C(0xBB67AE85);
  }
}

/* Numbers below 2^53, which a double holds exactly. */
#if defined(__AVX512F__)
INLINE numbers convert(words bits)
{
  return _mm512_cvtepu64_pd((lanes)bits);
}
#else
/* The halves as parts of 2^84 and 2^52, so that no step rounds. */
INLINE numbers convert(words bits)
{
  const words high_one = (words)ALL(0x4530000000000000);
  const words low_one = (words)ALL(0x4330000000000000);
  words low = (bits & (words)ALL(0xffffffff)) | low_one;
  numbers high = (numbers)(bits >> 32 | high_one) - (numbers)high_one;
  return high + ((numbers)low - (numbers)low_one);
}
#endif

/* As random.c's open_unit. */
INLINE numbers open_unit(words low, words high)
{
  words bits = high << 32 | (low & (words)ALL(0xffffffff));
  return (convert(bits >> 11) + 0.5) * 0x1p-53;
}

INLINE void store(int64_t n, numbers value, double *to)
{
  if (n >= WIDTH)
    memcpy(to, &value, sizeof value);
  else
    memcpy(to, &value, (size_t)n * sizeof *to);
}

static void uniform_pairs(const struct th_random_pairs *pairs, int64_t n,
                          double *first, double *second)
{
  const uint64_t purpose = (uint64_t)pairs->stream.purpose << 24;
  words place;
  for (int k = 0; k < WIDTH; k++)
    place[k] = (uint64_t)k;
  for (int64_t k = 0; k < n; k += WIDTH) {
    words at = place + (uint64_t)k;
    words index = pairs->index + at * pairs->index_stride;
    words step = pairs->step + at * pairs->step_stride;
    struct counters c = {
        {index, index >> 32, step, (step >> 32 & 0xffffff) | purpose}};
    philox(&c, pairs->stream.seed);
    store(n - k, open_unit(c.word[0], c.word[1]), first + k);
    store(n - k, open_unit(c.word[2], c.word[3]), second + k);
  }
}
#endif

const struct th_random_set TH_RANDOM_SET = {uniform_pairs};
