/* random.c - Philox against its published vectors; many numbers at once
 * have the bits of one pair after the other; places, distributions
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/memory.h"
#include "base/processor.h"
#include "base/random.h"

#include <stdlib.h>
#include <string.h>

struct known_answer {
  uint32_t counter[4];
  uint32_t key[2];
  uint32_t drawn[4];
};

/* Random123's kat_vectors, philox4x32 with 10 rounds. */
static const struct known_answer known[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

/* The counter is (index low, index high, step low, purpose | step high). */
static void test_known_answers(void)
{
  for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
    const uint32_t *c = known[k].counter;
    struct th_stream stream = {(uint64_t)known[k].key[1] << 32 |
                                   known[k].key[0],
                               (enum th_purpose)(c[3] >> 24)};
    uint64_t step = (uint64_t)(c[3] & 0xffffff) << 32 | c[2];
    uint64_t index = (uint64_t)c[1] << 32 | c[0];
    uint32_t bits[4];
    th_random_bits(stream, step, index, bits);
    for (int i = 0; i < 4; i++)
      CHECK(bits[i] == known[k].drawn[i]);
  }
}

static void check_bijection(uint64_t seed, uint64_t step, int64_t n)
{
  struct th_stream stream = {seed, TH_PURPOSE_TEST};
  unsigned char *seen = calloc((size_t)n, 1);
  int64_t bad = 0;
  struct th_random_places places;
  struct th_error err;
  CHECK(seen != NULL);
  CHECK(th_random_places_init(&places, stream, step, n, &err) == TH_OK);
  for (int64_t i = 0; seen != NULL && i < n; i++) {
    int64_t place = th_random_place(stream, step, n, i);
    if (place < 0 || place >= n || seen[place]++)
      bad++;
    bad += place != th_random_places_at(&places, i);
  }
  CHECK(bad == 0);
  th_random_places_free(&places);
  free(seen);
}

static void test_places(void)
{
  for (int64_t n = 1; n <= 300; n++)
    check_bijection(1, (uint64_t)n, n);
  static const int64_t sizes[] = {1023,  1024,    1025,   4095,   4096,
                                  4097,  16384,   16385,  65537,  99991,
                                  99999, 1 << 18, 262145, 1000003};
  for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
    check_bijection(k, 7, sizes[k]);
}

/* Sizes that no test can enumerate: in range, and different for all tried. */
static void test_huge_places(void)
{
  struct th_stream stream = {5, TH_PURPOSE_TEST};
  for (int bits = 33; bits <= 61; bits += 4) {
    int64_t n = ((int64_t)1 << bits) + 1;
    int64_t places[64];
    struct th_random_places kept; /* or rather not */
    struct th_error err;
    CHECK(th_random_places_init(&kept, stream, 0, n, &err) == TH_OK);
    for (int i = 0; i < 64; i++) {
      places[i] = th_random_place(stream, 0, n, n - 1 - i);
      CHECK(places[i] >= 0 && places[i] < n);
      CHECK(places[i] == th_random_places_at(&kept, n - 1 - i));
      for (int k = 0; k < i; k++)
        CHECK(places[k] != places[i]);
    }
    th_random_places_free(&kept);
  }
}

/* Every item is equally often at every place: chi-square over steps, 99 degrees
 * of freedom, six standard deviations. */
static void test_places_uniform(void)
{
  enum { N = 10, STEPS = 20000 };
  struct th_stream stream = {11, TH_PURPOSE_TEST};
  int64_t count[N][N] = {{0}};
  for (uint64_t step = 0; step < STEPS; step++)
    for (int64_t i = 0; i < N; i++)
      count[i][th_random_place(stream, step, N, i)]++;
  double expected = (double)STEPS / N;
  double chi = 0;
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++) {
      double gap = (double)count[i][k] - expected;
      chi += gap * gap / expected;
    }
  CHECK(fabs(chi - 81) < 6 * sqrt(2 * 81.0));
}

static void test_uniform(void)
{
  enum { CELLS = 64, DRAWS = 1 << 18 };
  struct th_stream stream = {42, TH_PURPOSE_TEST};
  int64_t count[CELLS] = {0};
  double sum = 0;
  double product = 0;
  for (uint64_t i = 0; i < DRAWS; i++) {
    double u[2];
    th_random_uniform(stream, 3, i, u);
    CHECK(u[0] > 0 && u[0] < 1 && u[1] > 0 && u[1] < 1);
    count[(int)(u[0] * CELLS)]++;
    sum += u[1];
    product += (u[0] - 0.5) * (u[1] - 0.5);
  }
  double chi = 0;
  for (int k = 0; k < CELLS; k++) {
    double gap = (double)count[k] - (double)DRAWS / CELLS;
    chi += gap * gap / ((double)DRAWS / CELLS);
  }
  CHECK(fabs(chi - (CELLS - 1)) < 6 * sqrt(2.0 * (CELLS - 1)));
  CHECK(fabs(sum / DRAWS - 0.5) < 6 / sqrt(12.0 * DRAWS));
  CHECK(fabs(product / DRAWS) < 6 / (12 * sqrt((double)DRAWS)));
}

static void test_normal(void)
{
  enum { DRAWS = 1 << 18 };
  struct th_stream stream = {43, TH_PURPOSE_TEST};
  double moment[5] = {0};
  for (uint64_t i = 0; i < DRAWS / 2; i++) {
    double z[2];
    th_random_normal(stream, 0, i, z);
    for (int k = 0; k < 2; k++) {
      moment[1] += z[k];
      moment[2] += z[k] * z[k];
      moment[3] += z[k] * z[k] * z[k];
      moment[4] += z[k] * z[k] * z[k] * z[k];
    }
  }
  double six = 6 / sqrt((double)DRAWS);
  CHECK(fabs(moment[1] / DRAWS) < six);
  CHECK(fabs(moment[2] / DRAWS - 1) < six * sqrt(2.0));
  CHECK(fabs(moment[3] / DRAWS) < six * sqrt(15.0));
  CHECK(fabs(moment[4] / DRAWS - 3) < six * sqrt(96.0));
}

/* A change of any part of a number's name changes the number. */
static void test_names(void)
{
  uint32_t base[4];
  uint32_t other[4];
  struct th_stream stream = {9, TH_PURPOSE_TEST};
  struct th_stream seed = {10, TH_PURPOSE_TEST};
  struct th_stream high_seed = {9 | (uint64_t)1 << 32, TH_PURPOSE_TEST};
  struct th_stream purpose = {9, TH_PURPOSE_DEAL};
  th_random_bits(stream, 1, 2, base);
  th_random_bits(seed, 1, 2, other);
  CHECK(base[0] != other[0]);
  th_random_bits(high_seed, 1, 2, other);
  CHECK(base[0] != other[0]);
  th_random_bits(purpose, 1, 2, other);
  CHECK(base[0] != other[0]);
  th_random_bits(stream, 2, 2, other);
  CHECK(base[0] != other[0]);
  th_random_bits(stream, 1 | (uint64_t)1 << 40, 2, other);
  CHECK(base[0] != other[0]);
  th_random_bits(stream, 1, 2 | (uint64_t)1 << 40, other);
  CHECK(base[0] != other[0]);
}

/* Pairs around whole vectors, at counters whose words carry. */
static void check_set(const struct th_random_set *set,
                      const struct th_random_pairs *pairs)
{
  enum { MOST = 21 };
  for (int64_t n = 0; n <= MOST; n++) {
    double first[MOST + 1] = {0};
    double second[MOST + 1] = {0};
    set->uniforms(pairs, n, first, second);
    CHECK(first[n] == 0 && second[n] == 0);
    for (uint64_t k = 0; k < (uint64_t)n; k++) {
      double pair[2];
      th_random_uniform(pairs->stream, pairs->step + k * pairs->step_stride,
                        pairs->index + k * pairs->index_stride, pair);
      CHECK(first[k] == pair[0] && second[k] == pair[1]);
    }
  }
}

static void test_sets(void)
{
#define SET(form) &th_random_##form,
  static const struct th_random_set *const sets[TH_FORM_COUNT] = {
      TH_FORMS(SET)};
#undef SET
  static const struct th_random_pairs pairs[] = {
      {{1, TH_PURPOSE_TEST}, 7, 0, 0, 1},
      {{UINT64_MAX, (enum th_purpose)255}, 7, 0, UINT32_MAX - 3, 1},
      {{UINT32_MAX, TH_PURPOSE_SLOT}, 7, 0, UINT64_MAX - 3, 1},
      {{3, TH_PURPOSE_TEST}, UINT32_MAX - 3, 1, 5, 0},
      {{4, TH_PURPOSE_TEST}, 5, UINT64_C(1) << 30, 9, UINT64_C(3) << 31}};
  const struct th_processor here = th_processor_here();
  for (int form = 0; form < TH_FORM_COUNT; form++)
    if (th_processor_runs((enum th_processor_form)form, &here))
      for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        check_set(sets[form], &pairs[k]);
}

typedef void draw_pair(struct th_stream stream, uint64_t step, uint64_t index,
                       double pair[2]);
typedef void draw_many(struct th_stream stream, uint64_t step, int64_t first,
                       int64_t count, double *out);

static void check_sequence(draw_pair *draw, draw_many *many, int64_t first,
                           int64_t count)
{
  enum { MOST = 700 };
  const struct th_stream stream = {9, TH_PURPOSE_TEST};
  static double out[MOST + 1];
  out[count] = 7;
  many(stream, 3, first, count, out);
  CHECK(out[count] == 7);
  for (int64_t k = 0; k < count; k++) {
    double pair[2];
    draw(stream, 3, (uint64_t)((first + k) / 2), pair);
    CHECK(memcmp(&out[k], &pair[(first + k) % 2], sizeof *out) == 0);
  }
}

static void test_sequences(void)
{
  static const int64_t counts[] = {0, 1, 2, 3, 17, 254, 255, 256, 257, 700};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
    for (int64_t first = 0; first < 4; first++) {
      check_sequence(th_random_uniform, th_random_uniforms, first, counts[c]);
      check_sequence(th_random_normal, th_random_normals, first, counts[c]);
    }
}

int main(void)
{
  CASE(test_known_answers());
  CASE(test_places());
  CASE(test_huge_places());
  CASE(test_places_uniform());
  CASE(test_uniform());
  CASE(test_normal());
  CASE(test_names());
  CASE(test_sets());
  CASE(test_sequences());
  return check_finish(NULL);
}
