/* kernel_form.h - chooses the instruction set of loops over arrays
 *
 * Such loops are compiled in several forms, each of which gives the same bits:
 * 128, 256 and 512 bits wide, all on processors with AVX2 and FMA, which every
 * program of ours needs. The widest that the processor runs is taken, or the
 * one that the environment variable THRESHER_KERNELS names (plain, avx2,
 * avx512), which is read once, before main. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_KERNEL_FORM_H
#define TH_KERNEL_FORM_H

#include "base/error.h"

#include <stdbool.h>

enum th_kernel_form {
  TH_FORM_PLAIN,
  TH_FORM_AVX2,
  TH_FORM_AVX512,
  TH_FORM_COUNT
};

/* What a processor can do. */
struct th_processor {
  bool avx2;
  bool fma;
  bool avx512; /* F, BW, DQ and VL */
};

/* The processor that this runs on. */
struct th_processor th_kernel_form_here(void);

/* The form in use. */
enum th_kernel_form th_kernel_form(void);

bool th_kernel_form_runs(enum th_kernel_form form,
                         const struct th_processor *processor);

/* May this program run? wanted: the value of THRESHER_KERNELS, or NULL. An
 * error for a processor without AVX2 or FMA, or for a form that does not exist
 * or that the processor does not run. */
th_status th_kernel_form_check(const struct th_processor *processor,
                               const char *wanted, struct th_error *err);

#endif
