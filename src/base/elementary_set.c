/* elementary_set.c - the array forms of elementary.h, for the instruction set
 * that it is compiled for
 *
 * Compiled once per set (src/base/CMakeLists.txt), which names its table in
 * TH_ELEMENTARY_SET. The compiler clears the upper halves of the registers at
 * the end of each function here, as base/processor.h requires. SLEEF's
 * vector functions cannot do so, since they return a vector.
 * SPDX-License-Identifier: MIT */
#include "base/elementary.h"

#include <sleef.h>
#include <string.h>

#if defined(TH_ELEMENTARY_PLAIN)
enum { WIDTH = 1 };
typedef double vector;
typedef Sleef_double_2 vectors;
#define SLEEF(stem) Sleef_finz_##stem##d1_u10purecfma
#elif defined(__AVX512F__)
enum { WIDTH = 8 };
typedef __m512d vector;
typedef Sleef___m512d_2 vectors;
#define SLEEF(stem) Sleef_finz_##stem##d8_u10avx512f
#else
enum { WIDTH = 4 };
typedef __m256d vector;
typedef Sleef___m256d_2 vectors;
#define SLEEF(stem) Sleef_finz_##stem##d4_u10avx2
#endif

/* The next numbers of x, at most a vector of them, padded with ones. */
static inline vector load_vector(int64_t n, const double *x)
{
  double rest[WIDTH];
  vector v;
  if (n >= WIDTH) {
    memcpy(&v, x, sizeof v);
    return v;
  }
  for (int k = 0; k < WIDTH; k++)
    rest[k] = k < n ? x[k] : 1;
  memcpy(&v, rest, sizeof v);
  return v;
}

static inline void store_vector(int64_t n, vector v, double *y)
{
  if (n >= WIDTH)
    memcpy(y, &v, sizeof v);
  else
    memcpy(y, &v, (size_t)n * sizeof *y);
}

#define DEFINE_ARRAY(stem)                                                     \
  static void array_##stem(int64_t n, const double *x, double *y)              \
  {                                                                            \
    for (int64_t i = 0; i < n; i += WIDTH)                                     \
      store_vector(n - i, SLEEF(stem)(load_vector(n - i, x + i)), y + i);      \
  }

DEFINE_ARRAY(exp)
DEFINE_ARRAY(log)
DEFINE_ARRAY(log1p)
#undef DEFINE_ARRAY

static void array_pow(int64_t n, const double *x, double exponent, double *y)
{
  double same[WIDTH];
  vector by;
  for (int k = 0; k < WIDTH; k++)
    same[k] = exponent;
  memcpy(&by, same, sizeof by);
  for (int64_t i = 0; i < n; i += WIDTH) {
    vector v = SLEEF(pow)(load_vector(n - i, x + i), by);
    store_vector(n - i, v, y + i);
  }
}

static void array_sincos(int64_t n, const double *x, double *sine,
                         double *cosine)
{
  for (int64_t i = 0; i < n; i += WIDTH) {
    vectors pair = SLEEF(sincos)(load_vector(n - i, x + i));
    store_vector(n - i, pair.x, sine + i);
    store_vector(n - i, pair.y, cosine + i);
  }
}

const struct th_elementary_set TH_ELEMENTARY_SET = {
    array_exp, array_log, array_log1p, array_pow, array_sincos};
