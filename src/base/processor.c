/* processor.c - the instruction set of loops over arrays, and the state of the
 * vector registers
 * SPDX-License-Identifier: MIT */
#include "base/processor.h"

#include "base/search.h"

#include <stdlib.h>

#define NAME(form) #form,
static const char *const names[TH_FORM_COUNT] = {TH_FORMS(NAME)};
#undef NAME

/* Written once, before main, and read from then on. */
static enum th_processor_form chosen = TH_FORM_plain;

#if defined(__x86_64__)
/* Asks for features, not for models, since a virtual machine may hide its
 * model. */
struct th_processor th_processor_here(void)
{
  __builtin_cpu_init();
  return (struct th_processor){
      __builtin_cpu_supports("avx2"), __builtin_cpu_supports("fma"),
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
          __builtin_cpu_supports("avx512dq") &&
          __builtin_cpu_supports("avx512vl")};
}

bool th_processor_runs(enum th_processor_form form,
                       const struct th_processor *processor)
{
  bool least = processor->avx2 && processor->fma;
  return least && (form != TH_FORM_avx512 || processor->avx512);
}

static th_status check_least(const struct th_processor *processor,
                             struct th_error *err)
{
  if (processor->avx2 && processor->fma)
    return TH_OK;
  return th_fail(err, TH_EARG,
                 "this processor has no %s; thresher needs an x86-64 one "
                 "with AVX2 and FMA (Intel since 2013, AMD since 2015)",
                 processor->avx2 ? "FMA" : "AVX2");
}
#else
struct th_processor th_processor_here(void)
{
  return (struct th_processor){false, false, false};
}

bool th_processor_runs(enum th_processor_form form,
                       const struct th_processor *processor)
{
  (void)processor;
  return form < TH_FORM_COUNT;
}

static th_status check_least(const struct th_processor *processor,
                             struct th_error *err)
{
  (void)processor;
  (void)err;
  return TH_OK;
}
#endif

/* The form of a name; TH_FORM_COUNT: there is none. */
static enum th_processor_form find_form(const char *name)
{
  int64_t form = TH_SEARCH_NAME(names, name);
  return form < 0 ? TH_FORM_COUNT : (enum th_processor_form)form;
}

static enum th_processor_form best(const struct th_processor *processor)
{
  int form = TH_FORM_COUNT - 1;
  while (form > 0 &&
         !th_processor_runs((enum th_processor_form)form, processor))
    form--;
  return (enum th_processor_form)form;
}

__attribute__((constructor)) static void choose(void)
{
  const struct th_processor here = th_processor_here();
  const char *wanted = getenv("THRESHER_KERNELS");
  enum th_processor_form form =
      wanted == NULL || wanted[0] == '\0' ? TH_FORM_COUNT : find_form(wanted);
  chosen = form < TH_FORM_COUNT && th_processor_runs(form, &here) ? form
                                                                  : best(&here);
}

enum th_processor_form th_processor_form(void)
{
  return chosen;
}

#define LISTED(form) " " #form
th_status th_processor_check(const struct th_processor *processor,
                             const char *wanted, struct th_error *err)
{
  th_status rc = check_least(processor, err);
  if (rc != TH_OK || wanted == NULL || wanted[0] == '\0')
    return rc;
  enum th_processor_form form = find_form(wanted);
  if (form == TH_FORM_COUNT)
    return th_fail(err, TH_EUSAGE,
                   "THRESHER_KERNELS=%.40s: this build has" TH_FORMS(LISTED),
                   wanted);
  if (!th_processor_runs(form, processor))
    return th_fail(err, TH_EUSAGE,
                   "THRESHER_KERNELS=%s: this processor does not run it",
                   names[form]);
  return TH_OK;
}
#undef LISTED

/* --- The upper halves of the vector registers ----------------------------- */

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

void th_processor_clear_upper(void)
{
  if (__builtin_cpu_supports("avx"))
    zero_upper();
}

/* Written in assembly, as the compiler would clear what it has set. */
void th_processor_spoil_upper(void)
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

enum th_processor_upper th_processor_upper_now(void)
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
void th_processor_clear_upper(void)
{
}

void th_processor_spoil_upper(void)
{
}

enum th_processor_upper th_processor_upper_now(void)
{
  return TH_UPPER_UNKNOWN;
}
#endif
