/* calls.c - genotype calls by words against the same by single calls
 * SPDX-License-Identifier: MIT */
#include "io/import/genotypes/calls.h"
#include "check.h"

#include "base/random.h"

#include <string.h>

enum { MOST = 700, BYTES = (MOST / 32 + 1) * 8, RUNS = TH_CALLS_TOGETHER };

static void fill(unsigned char *bytes, int64_t count, uint64_t step)
{
  struct th_stream stream = {3, TH_PURPOSE_TEST};
  for (int64_t k = 0; k < count; k++) {
    double pair[2];
    th_random_uniform(stream, step, (uint64_t)k, pair);
    bytes[k] = (unsigned char)(256 * pair[0]);
  }
}

/* What the page of the format says: 00 has two copies of A1, 10 one, 11 none,
 * and 01 is missing. */
static int copies(int code, bool swapped)
{
  static const int of_a1[4] = {2, TH_CALLS_MISSING, 1, 0};
  int found = of_a1[code];
  return swapped && found != TH_CALLS_MISSING ? 2 - found : found;
}

/* In place or not, of any length; what lies behind is zero. */
static void test_bed(int64_t calls, bool swapped)
{
  unsigned char bed[BYTES];
  unsigned char run[BYTES];
  fill(bed, BYTES, (uint64_t)calls);
  th_calls_from_bed(bed, calls, swapped, run);
  for (int64_t k = 0; k < (calls + 31) / 32 * 32; k++)
    CHECK(th_calls_at(run, k) ==
          (k < calls ? copies(th_calls_at(bed, k), swapped) : 0));
  th_calls_from_bed(bed, calls, swapped, bed);
  CHECK(memcmp(bed, run, (size_t)((calls + 31) / 32 * 8)) == 0);
}

/* There, and back. */
static void test_turn(int count)
{
  unsigned char runs[RUNS * BYTES];
  unsigned char back[RUNS * BYTES] = {0};
  uint64_t word[TH_CALLS_TOGETHER];
  fill(runs, sizeof runs, (uint64_t)count);
  for (int64_t first = 0; first + TH_CALLS_TOGETHER <= MOST;
       first += TH_CALLS_TOGETHER) {
    th_calls_to_words(runs, BYTES, count, first, word);
    for (int64_t i = 0; i < TH_CALLS_TOGETHER; i++)
      for (int64_t a = 0; a < TH_CALLS_TOGETHER; a++)
        CHECK((int)(word[i] >> (2 * a) & 3) ==
              (a < count ? th_calls_at(runs + a * BYTES, first + i) : 0));
    th_calls_from_words(word, back, BYTES, count, first);
    for (int64_t a = 0; a < RUNS; a++)
      for (int64_t i = first; i < first + TH_CALLS_TOGETHER; i++)
        CHECK(th_calls_at(back + a * BYTES, i) ==
              (a < count ? th_calls_at(runs + a * BYTES, i) : 0));
  }
}

int main(void)
{
  for (int64_t calls = 1; calls <= MOST; calls += calls < 70 ? 1 : 63)
    for (int swapped = 0; swapped < 2; swapped++)
      CASE(test_bed(calls, swapped != 0));
  for (int count = 1; count <= RUNS; count += 3)
    CASE(test_turn(count));
  return check_finish(NULL);
}
