/* calls.c - genotype calls, four in a byte: of PLINK 1, and in another order
 * SPDX-License-Identifier: MIT */
#include "io/import/genotypes/calls.h"

#include <string.h>

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define LOWEST_FIRST(word) __builtin_bswap64(word)
#else
#define LOWEST_FIRST(word) (word)
#endif

enum { WORD = 8, CALLS_OF_WORD = 32 };

static const uint64_t low = UINT64_C(0x5555555555555555);

/* A word of calls has its first one in the lowest bits, as bytes have. */
static inline uint64_t load_word(const unsigned char *from)
{
  uint64_t word;
  memcpy(&word, from, sizeof word);
  return LOWEST_FIRST(word);
}

static inline void store_word(unsigned char *to, uint64_t word)
{
  word = LOWEST_FIRST(word);
  memcpy(to, &word, sizeof word);
}

/* The two bits of a call of PLINK are h l; that of u2 has the upper bit !h for
 * copies of A1, l for copies of A2, and the lower bit h ^ l. */
static inline uint64_t convert(uint64_t word, uint64_t swap)
{
  uint64_t h = word >> 1 & low;
  uint64_t l = word & low;
  uint64_t upper = (swap & l) | (~swap & low & ~h);
  return upper << 1 | (h ^ l);
}

/* Ones for that many calls. */
static uint64_t first_calls(int64_t calls)
{
  return calls >= CALLS_OF_WORD ? ~UINT64_C(0)
                                : (UINT64_C(1) << (2 * calls)) - 1;
}

void th_calls_from_bed(const unsigned char *bed, int64_t calls, bool swapped,
                       unsigned char *run)
{
  uint64_t swap = swapped ? ~UINT64_C(0) : 0;
  for (int64_t k = 0; k < calls; k += CALLS_OF_WORD, bed += WORD, run += WORD)
    store_word(run, convert(load_word(bed), swap) & first_calls(calls - k));
}

/* Exchange, of word k and word k + step, what lies off the diagonal of each
 * square of 2 x 2 pieces with step calls on a side. */
static inline void exchange(uint64_t word[TH_CALLS_TOGETHER], int step,
                            uint64_t lower)
{
  for (int first = 0; first < TH_CALLS_TOGETHER; first += 2 * step)
    for (int k = first; k < first + step; k++) {
      uint64_t moved = (word[k] >> (2 * step) ^ word[k + step]) & lower;
      word[k + step] ^= moved;
      word[k] ^= moved << (2 * step);
    }
}

/* Transpose 32 x 32 calls: pieces of 16 x 16 first, then smaller ones within
 * them (Warren, Hacker's Delight, section 7-3). */
static void transpose_calls(uint64_t word[TH_CALLS_TOGETHER])
{
  exchange(word, 16, UINT64_C(0x00000000ffffffff));
  exchange(word, 8, UINT64_C(0x0000ffff0000ffff));
  exchange(word, 4, UINT64_C(0x00ff00ff00ff00ff));
  exchange(word, 2, UINT64_C(0x0f0f0f0f0f0f0f0f));
  exchange(word, 1, UINT64_C(0x3333333333333333));
}

void th_calls_to_words(const unsigned char *runs, int64_t stride, int count,
                       int64_t first, uint64_t word[TH_CALLS_TOGETHER])
{
  for (int a = 0; a < TH_CALLS_TOGETHER; a++)
    word[a] = a < count ? load_word(runs + a * stride + first / 4) : 0;
  transpose_calls(word);
}

void th_calls_from_words(uint64_t word[TH_CALLS_TOGETHER], unsigned char *runs,
                         int64_t stride, int count, int64_t first)
{
  transpose_calls(word);
  for (int a = 0; a < count; a++)
    store_word(runs + a * stride + first / 4, word[a]);
}
