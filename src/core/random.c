/* random.c - counter-based random numbers: a pure function of where, not when
 * SPDX-License-Identifier: MIT */
#include "core/random.h"

#include "core/elementary.h"

#include <Random123/philox.h>
#include <math.h>

enum { FEISTEL_ROUNDS = 6 };

void th_random_bits(struct th_stream stream, uint64_t step, uint64_t index,
                    uint32_t bits[4])
{
  philox4x32_key_t key = {
      {(uint32_t)stream.seed, (uint32_t)(stream.seed >> 32)}};
  philox4x32_ctr_t counter = {
      {(uint32_t)index, (uint32_t)(index >> 32), (uint32_t)step,
       (uint32_t)((step >> 32) & 0xffffff) | (uint32_t)stream.purpose << 24}};
  philox4x32_ctr_t drawn = philox4x32(counter, key);
  for (int k = 0; k < 4; k++)
    bits[k] = drawn.v[k];
}

/* 53 bits and a half: never 0, never 1. */
static double open_unit(uint32_t low, uint32_t high)
{
  uint64_t bits = (uint64_t)high << 32 | low;
  return ((double)(bits >> 11) + 0.5) * 0x1p-53;
}

void th_random_uniform(struct th_stream stream, uint64_t step, uint64_t index,
                       double pair[2])
{
  uint32_t bits[4];
  th_random_bits(stream, step, index, bits);
  pair[0] = open_unit(bits[0], bits[1]);
  pair[1] = open_unit(bits[2], bits[3]);
}

void th_random_normal(struct th_stream stream, uint64_t step, uint64_t index,
                      double pair[2])
{
  const double two_pi = 6.283185307179586476925286766559;
  double u[2];
  th_random_uniform(stream, step, index, u);
  double radius = sqrt(-2.0 * th_log(u[0]));
  struct th_sincos turn = th_sincos(two_pi * u[1]);
  pair[0] = radius * turn.cos;
  pair[1] = radius * turn.sin;
}

/* One walk through the network: halves of `half` bits each. */
static uint64_t feistel(struct th_stream stream, uint64_t step, unsigned half,
                        uint64_t value)
{
  uint64_t mask = ((uint64_t)1 << half) - 1;
  uint64_t left = value >> half;
  uint64_t right = value & mask;
  for (uint64_t round = 0; round < FEISTEL_ROUNDS; round++) {
    uint32_t bits[4];
    th_random_bits(stream, step, right | round << 56, bits);
    uint64_t mixed = ((uint64_t)bits[1] << 32 | bits[0]) & mask;
    uint64_t next = left ^ mixed;
    left = right;
    right = next;
  }
  return left << half | right;
}

int64_t th_random_place(struct th_stream stream, uint64_t step, int64_t n,
                        int64_t i)
{
  unsigned half = 1;
  while (half < 31 && (int64_t)1 << (2 * half) < n)
    half++;
  uint64_t value = (uint64_t)i;
  do
    value = feistel(stream, step, half, value);
  while (value >= (uint64_t)n);
  return (int64_t)value;
}
