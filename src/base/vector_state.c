/* vector_state.c - the upper halves of the vector registers
 * SPDX-License-Identifier: MIT */
#include "base/vector_state.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

/* Components of the processor's state, by their bits in XINUSE: upper halves of
 * 256 bits, and of 512 bits of the sixteen registers that SSE knows too. */
enum { UPPER_YMM = 1 << 2, UPPER_ZMM = 1 << 6 };

__attribute__((target("avx"))) static void zero_upper(void)
{
  _mm256_zeroupper();
}

void th_vector_state_clear(void)
{
  if (__builtin_cpu_supports("avx"))
    zero_upper();
}

/* Written in assembly, as the compiler would clear what it has set. */
void th_vector_state_spoil(void)
{
  if (__builtin_cpu_supports("avx"))
    __asm__ volatile("vpcmpeqd %%xmm0, %%xmm0, %%xmm0\n\t"
                     "vinsertf128 $1, %%xmm0, %%ymm0, %%ymm0"
                     :
                     :
                     : "xmm0");
}

/* XGETBV with ECX = 1 (CPUID leaf 13, subleaf 1, EAX bit 2), where the system
 * saves these registers at all (leaf 1, ECX bit 27). */
static bool can_ask(void)
{
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & (1U << 27)) == 0)
    return false;
  return __get_cpuid_count(13, 1, &a, &b, &c, &d) != 0 && (a & (1U << 2)) != 0;
}

enum th_vector_state th_vector_state_now(void)
{
  unsigned low = 0;
  unsigned high = 0;
  if (!can_ask())
    return TH_UPPER_UNKNOWN;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
  return (low & (UPPER_YMM | UPPER_ZMM)) != 0 ? TH_UPPER_IN_USE
                                              : TH_UPPER_CLEAR;
}
#else
void th_vector_state_clear(void)
{
}

void th_vector_state_spoil(void)
{
}

enum th_vector_state th_vector_state_now(void)
{
  return TH_UPPER_UNKNOWN;
}
#endif
