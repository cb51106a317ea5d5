/* random_array.c - many random numbers at once: a pure function of where, too
 * SPDX-License-Identifier: MIT */
#include "core/elementary.h"
#include "core/kernel_form.h"
#include "core/random.h"
#include "core/random_set.h"

#include <math.h>
#include <stdbool.h>

enum { BLOCK = 128 }; /* pairs drawn together */

static const struct th_random_set *const sets[TH_FORM_COUNT] = {
    [TH_FORM_PLAIN] = &th_random_plain,
    [TH_FORM_AVX2] = &th_random_avx2,
    [TH_FORM_AVX512] = &th_random_avx512,
};

void th_random_uniform_pairs(const struct th_random_pairs *pairs, int64_t n,
                             double *first, double *second)
{
  sets[th_kernel_form()]->uniforms(pairs, n, first, second);
}

/* As th_random_normal, pair by pair. */
static void make_normal(int64_t n, double *restrict first,
                        double *restrict second)
{
  const double two_pi = 6.283185307179586476925286766559;
  double sine[BLOCK];
  double cosine[BLOCK];
  th_log_array(n, first, first);
  for (int64_t k = 0; k < n; k++)
    second[k] *= two_pi;
  th_sincos_array(n, second, sine, cosine);
  for (int64_t k = 0; k < n; k++) {
    double radius = sqrt(-2.0 * first[k]);
    first[k] = radius * cosine[k];
    second[k] = radius * sine[k];
  }
}

/* Numbers `place` .. place + count - 1 of pairs, laid one after the other. */
static void lay(const double *first, const double *second, int64_t place,
                int64_t count, double *restrict out)
{
  int64_t k = 0;
  if (count > 0 && place % 2 == 1)
    out[k++] = second[place / 2];
  for (; k + 1 < count; k += 2) {
    out[k] = first[(place + k) / 2];
    out[k + 1] = second[(place + k) / 2];
  }
  if (k < count)
    out[k] = first[(place + k) / 2];
}

static void draw(struct th_stream stream, uint64_t step, int64_t from,
                 int64_t count, bool normal, double *out)
{
  double first[BLOCK];
  double second[BLOCK];
  for (int64_t done = 0; done < count;) {
    int64_t place = (from + done) % 2;
    int64_t some = count - done;
    if (some > 2 * BLOCK - place)
      some = 2 * BLOCK - place;
    const struct th_random_pairs pairs = {.stream = stream,
                                          .step = step,
                                          .index =
                                              (uint64_t)((from + done) / 2),
                                          .index_stride = 1};
    int64_t n = (place + some + 1) / 2;
    th_random_uniform_pairs(&pairs, n, first, second);
    if (normal)
      make_normal(n, first, second);
    lay(first, second, place, some, out + done);
    done += some;
  }
}

void th_random_uniforms(struct th_stream stream, uint64_t step, int64_t first,
                        int64_t count, double *out)
{
  draw(stream, step, first, count, false, out);
}

void th_random_normals(struct th_stream stream, uint64_t step, int64_t first,
                       int64_t count, double *out)
{
  draw(stream, step, first, count, true, out);
}
