/* elementary_set.c - the array forms of elementary.h, for the instruction set
 * that it is compiled for
 *
 * Compiled once per set (src/core/CMakeLists.txt), which names its table in
 * TH_ELEMENTARY_SET. The compiler clears the upper halves of the registers at
 * the end of each function here, as core/vector_state.h requires. SLEEF's
 * vector functions cannot do so, since they return a vector.
 * SPDX-License-Identifier: MIT */
#include "core/elementary_set.h"

#include <sleef.h>
#include <string.h>

#if defined(TH_ELEMENTARY_PLAIN)
enum { WIDTH = 1 };
typedef double vector;
#define SLEEF(stem) Sleef_finz_##stem##d1_u10purecfma
#elif defined(__AVX512F__)
enum { WIDTH = 8 };
typedef __m512d vector;
#define SLEEF(stem) Sleef_finz_##stem##d8_u10avx512f
#else
enum { WIDTH = 4 };
typedef __m256d vector;
#define SLEEF(stem) Sleef_finz_##stem##d4_u10avx2
#endif

/* The last numbers are padded with ones to a whole vector. */
#define DEFINE_ARRAY(stem)                                                     \
  static void array_##stem(int64_t n, const double *x, double *y)              \
  {                                                                            \
    vector v;                                                                  \
    int64_t i = 0;                                                             \
    for (; i + WIDTH <= n; i += WIDTH) {                                       \
      memcpy(&v, x + i, sizeof v);                                             \
      v = SLEEF(stem)(v);                                                      \
      memcpy(y + i, &v, sizeof v);                                             \
    }                                                                          \
    if (i == n)                                                                \
      return;                                                                  \
    double rest[WIDTH];                                                        \
    for (int k = 0; k < WIDTH; k++)                                            \
      rest[k] = i + k < n ? x[i + k] : 1;                                      \
    memcpy(&v, rest, sizeof v);                                                \
    v = SLEEF(stem)(v);                                                        \
    memcpy(rest, &v, sizeof v);                                                \
    memcpy(y + i, rest, (size_t)(n - i) * sizeof *y);                          \
  }

DEFINE_ARRAY(exp)
DEFINE_ARRAY(log)
DEFINE_ARRAY(log1p)
#undef DEFINE_ARRAY

const struct th_elementary_set TH_ELEMENTARY_SET = {array_exp, array_log,
                                                    array_log1p};
