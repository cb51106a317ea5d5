/* calls.h - genotype calls, four in a byte: those of PLINK 1 become u2, and
 * runs of u2 get another order of examples
 *
 * A call counts copies of one allele: 0, 1 or 2; 3 is a call that is missing.
 * Call k of a run lies in bits 2 (k % 4), + 1 of byte k / 4.
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CALLS_H
#define TH_CALLS_H

#include <stdbool.h>
#include <stdint.h>

enum {
  TH_CALLS_MISSING = 3,
  TH_CALLS_TOGETHER = 32, /* runs, and examples, that are turned at once */
  TH_CALLS_BEHIND = 8     /* bytes: the last word may end behind its run */
};

/* Call k of a run. */
static inline int th_calls_at(const unsigned char *run, int64_t k)
{
  return run[k / 4] >> (2 * (k % 4)) & 3;
}

/* A run of PLINK 1, whose codes are 0 for two copies of A1, 2 for one, 3 for
 * none, 1 for missing, becomes one of u2; `swapped`: copies of A2. Whole words
 * of 8 bytes are read and written; what lies behind the last call becomes zero.
 * The run may lie in the same memory, if it does not begin behind bed. */
void th_calls_from_bed(const unsigned char *bed, int64_t calls, bool swapped,
                       unsigned char *run);

/* Calls of 32 runs on examples first .. first + 32, first a multiple of 32,
 * become a word for each of these examples, with run a in bits 2 a, + 1. Run a
 * begins at runs + a * stride; those from `count` on are zeros. */
void th_calls_to_words(const unsigned char *runs, int64_t stride, int count,
                       int64_t first, uint64_t word[TH_CALLS_TOGETHER]);

/* The way back; word[] is used up. */
void th_calls_from_words(uint64_t word[TH_CALLS_TOGETHER], unsigned char *runs,
                         int64_t stride, int count, int64_t first);

#endif
