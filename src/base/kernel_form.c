/* kernel_form.c - chooses the instruction set of loops over arrays
 * SPDX-License-Identifier: MIT */
#include "base/kernel_form.h"

#include "base/search.h"

#include <stdlib.h>

static const char *const names[TH_FORM_COUNT] = {"plain", "avx2", "avx512"};

/* Written once, before main, and read from then on. */
static enum th_kernel_form chosen = TH_FORM_PLAIN;

#if defined(__x86_64__)
/* Asks for features, not for models, since a virtual machine may hide its
 * model. */
struct th_processor th_kernel_form_here(void)
{
  __builtin_cpu_init();
  return (struct th_processor){
      __builtin_cpu_supports("avx2"), __builtin_cpu_supports("fma"),
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
          __builtin_cpu_supports("avx512dq") &&
          __builtin_cpu_supports("avx512vl")};
}
#else
struct th_processor th_kernel_form_here(void)
{
  return (struct th_processor){false, false, false};
}
#endif

bool th_kernel_form_runs(enum th_kernel_form form,
                         const struct th_processor *processor)
{
  bool least = processor->avx2 && processor->fma;
  return least && (form != TH_FORM_AVX512 || processor->avx512);
}

/* The form of a name; TH_FORM_COUNT: there is none. */
static enum th_kernel_form find(const char *name)
{
  int64_t form = TH_SEARCH_NAME(names, name);
  return form < 0 ? TH_FORM_COUNT : (enum th_kernel_form)form;
}

static enum th_kernel_form best(const struct th_processor *processor)
{
  int form = TH_FORM_COUNT - 1;
  while (form > 0 && !th_kernel_form_runs((enum th_kernel_form)form, processor))
    form--;
  return (enum th_kernel_form)form;
}

__attribute__((constructor)) static void choose(void)
{
  const struct th_processor here = th_kernel_form_here();
  const char *wanted = getenv("THRESHER_KERNELS");
  enum th_kernel_form form =
      wanted == NULL || wanted[0] == '\0' ? TH_FORM_COUNT : find(wanted);
  chosen = form < TH_FORM_COUNT && th_kernel_form_runs(form, &here)
               ? form
               : best(&here);
}

enum th_kernel_form th_kernel_form(void)
{
  return chosen;
}

th_status th_kernel_form_check(const struct th_processor *processor,
                               const char *wanted, struct th_error *err)
{
  if (!processor->avx2 || !processor->fma)
    return th_fail(err, TH_EARG,
                   "this processor has no %s; thresher needs an x86-64 one "
                   "with AVX2 and FMA (Intel since 2013, AMD since 2015)",
                   processor->avx2 ? "FMA" : "AVX2");
  if (wanted == NULL || wanted[0] == '\0')
    return TH_OK;
  enum th_kernel_form form = find(wanted);
  if (form == TH_FORM_COUNT)
    return th_fail(err, TH_EUSAGE,
                   "THRESHER_KERNELS=%.40s: there are plain, avx2, avx512",
                   wanted);
  if (!th_kernel_form_runs(form, processor))
    return th_fail(err, TH_EUSAGE,
                   "THRESHER_KERNELS=%s: this processor does not run it",
                   names[form]);
  return TH_OK;
}
