/* random.c - counter-based random numbers: a pure function of where, not when
 * SPDX-License-Identifier: MIT */
#include "base/random.h"

#include "base/elementary.h"
#include "base/memory.h"
#include "base/processor.h"

#include <Random123/philox.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* --- Many random numbers at once: a pure function of where, too ----------- */

enum { BLOCK = 128 }; /* pairs drawn together */

#define SET(form) &th_random_##form,
static const struct th_random_set *const sets[TH_FORM_COUNT] = {TH_FORMS(SET)};
#undef SET

void th_random_uniform_pairs(const struct th_random_pairs *pairs, int64_t n,
                             double *first, double *second)
{
  sets[th_processor_form()]->uniforms(pairs, n, first, second);
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

/* --- Numbers one by one, and permutations --------------------------------- */

enum {
  FEISTEL_ROUNDS = 6,
  MOST_KEPT = 16 /* bits of a half whose words are kept: 1.5 MiB */
};

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

/* What a round of the network adds to the left half. */
static uint64_t draw_word(const struct th_random_places *places, uint64_t round,
                          uint64_t right)
{
  uint32_t bits[4];
  th_random_bits(places->stream, places->step, right | round << 56, bits);
  uint64_t mask = ((uint64_t)1 << places->half) - 1;
  return ((uint64_t)bits[1] << 32 | bits[0]) & mask;
}

/* One walk through the network: halves of `half` bits each. */
static uint64_t feistel(const struct th_random_places *places, uint64_t value)
{
  unsigned half = places->half;
  uint64_t left = value >> half;
  uint64_t right = value & (((uint64_t)1 << half) - 1);
  for (uint64_t round = 0; round < FEISTEL_ROUNDS; round++) {
    uint64_t word = places->word != NULL ? places->word[round << half | right]
                                         : draw_word(places, round, right);
    uint64_t next = left ^ word;
    left = right;
    right = next;
  }
  return left << half | right;
}

static struct th_random_places make_places(struct th_stream stream,
                                           uint64_t step, int64_t n)
{
  struct th_random_places places = {
      .stream = stream, .step = step, .n = n, .half = 1};
  while (places.half < 31 && (int64_t)1 << (2 * places.half) < n)
    places.half++;
  return places;
}

int64_t th_random_places_at(const struct th_random_places *places, int64_t i)
{
  uint64_t value = (uint64_t)i;
  do
    value = feistel(places, value);
  while (value >= (uint64_t)places->n);
  return (int64_t)value;
}

int64_t th_random_place(struct th_stream stream, uint64_t step, int64_t n,
                        int64_t i)
{
  struct th_random_places places = make_places(stream, step, n);
  return th_random_places_at(&places, i);
}

th_status th_random_places_init(struct th_random_places *places,
                                struct th_stream stream, uint64_t step,
                                int64_t n, struct th_error *err)
{
  *places = make_places(stream, step, n);
  if (places->half > MOST_KEPT)
    return TH_OK;
  uint64_t rights = (uint64_t)1 << places->half;
  uint32_t *word = NULL;
  th_status rc =
      TH_NEW(&word, (int64_t)(FEISTEL_ROUNDS * rights), "a random order", err);
  if (rc != TH_OK)
    return rc;
  for (uint64_t round = 0; round < FEISTEL_ROUNDS; round++)
    for (uint64_t right = 0; right < rights; right++)
      word[round << places->half | right] =
          (uint32_t)draw_word(places, round, right);
  places->word = word;
  return TH_OK;
}

void th_random_places_free(struct th_random_places *places)
{
  free(places->word);
  *places = (struct th_random_places){0};
}
