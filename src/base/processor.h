/* processor.h - the instruction set of loops over arrays, and the state of the
 * vector registers
 *
 * Loops over arrays are compiled in several forms, each of which gives the same
 * bits. On x86-64 these are 128, 256 and 512 bits wide, all for processors with
 * AVX2 and FMA, which every program of ours needs there. On arm64 there is one,
 * 128 bits wide, which all processors run. The widest that the processor runs
 * is taken, or the one that the environment variable THRESHER_KERNELS names
 * (plain, avx2, avx512), which is read once, before main. All functions are
 * local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_PROCESSOR_H
#define TH_PROCESSOR_H

#include "base/error.h"

#include <stdbool.h>

/* F(name) for each form of this build, plain first. */
#if defined(__x86_64__)
#define TH_FORMS(F) F(plain) F(avx2) F(avx512)
#else
#define TH_FORMS(F) F(plain)
#endif

#define TH_FORM(name) TH_FORM_##name,
enum th_processor_form { TH_FORMS(TH_FORM) TH_FORM_COUNT };
#undef TH_FORM

/* What an x86-64 processor can do; all false for others. */
struct th_processor {
  bool avx2;
  bool fma;
  bool avx512; /* F, BW, DQ and VL */
};

/* The processor that this runs on. */
struct th_processor th_processor_here(void);

/* The form in use. */
enum th_processor_form th_processor_form(void);

bool th_processor_runs(enum th_processor_form form,
                       const struct th_processor *processor);

/* May this program run? wanted: the value of THRESHER_KERNELS, or NULL. An
 * error for an x86-64 processor without AVX2 or FMA, or for a form that does
 * not exist in this build or that the processor does not run. */
th_status th_processor_check(const struct th_processor *processor,
                             const char *wanted, struct th_error *err);

/* --- The upper halves of the vector registers -----------------------------
 *
 * A library that computes with 256 or 512 bits and returns without clearing the
 * upper halves (vzeroupper) makes every SSE instruction behind it merge with
 * them. On processors with AVX-512 a scalar exp then takes some 35 times as
 * long. Compilers clear them at the end of what they vectorise; hand-written
 * code can forget it, as the dispatched XXH3 of libxxhash 0.8.1 does. So
 * callers of such a library clear them afterwards, and
 * tests/files/vector_state.c checks every library that is called. Without AVX
 * the functions do nothing. */

/* Clear the upper halves. Costs about a nanosecond. */
void th_processor_clear_upper(void);

/* Set them, like a library that forgets to clear them; for tests. */
void th_processor_spoil_upper(void);

enum th_processor_upper { TH_UPPER_CLEAR, TH_UPPER_IN_USE, TH_UPPER_UNKNOWN };

/* Their state by the processor (XGETBV with ECX = 1); UNKNOWN if it cannot be
 * asked. For tests. */
enum th_processor_upper th_processor_upper_now(void);

#endif
