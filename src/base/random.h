/* random.h - counter-based random numbers: a pure function of where, not when
 *
 * Philox4x32-10 (Salmon et al. 2011, library Random123). A number is named by
 * (seed, purpose, step, index), so that any rank can compute any of them, in
 * any order, with the same bits. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_RANDOM_H
#define TH_RANDOM_H

#include "base/error.h"

#include <stdint.h>

/* Who draws: streams of different purposes never share a number. The values
 * are part of the meaning of a seed: append, never renumber. */
enum th_purpose {
  TH_PURPOSE_ATTRIBUTE = 1,  /* generated attribute values */
  TH_PURPOSE_NOISE = 2,      /* generated target noise */
  TH_PURPOSE_SHUFFLE = 3,    /* order of the examples at import */
  TH_PURPOSE_VALIDATION = 4, /* which deal units validate */
  TH_PURPOSE_DEAL = 5,       /* order of the deal units in a pass */
  TH_PURPOSE_STEP_SIZE = 6,  /* attributes of the step-size estimate */
  TH_PURPOSE_TEST = 7,       /* hostile tests */
  TH_PURPOSE_POSITION = 8,   /* generated positions of non-zeros */
  TH_PURPOSE_ORDER = 9,      /* order of the examples within a deal unit */
  TH_PURPOSE_FOLD = 10,      /* folds of rows that validate in turn */
  TH_PURPOSE_LANCZOS = 11,   /* the start of Lanczos' method */
  TH_PURPOSE_TRUTH = 12,     /* generated true coefficients */
  TH_PURPOSE_SLOT = 13,      /* which attributes of an example are read */
  TH_PURPOSE_DESCENT = 14    /* order of attributes in a cycle of descent */
};

struct th_stream {
  uint64_t seed;
  enum th_purpose purpose;
};

/* 128 random bits of (stream, step, index). step < 2^56. */
void th_random_bits(struct th_stream stream, uint64_t step, uint64_t index,
                    uint32_t bits[4]);

/* Two independent numbers, uniform in the open interval (0, 1), each from 53
 * bits. */
void th_random_uniform(struct th_stream stream, uint64_t step, uint64_t index,
                       double pair[2]);

/* Box-Muller on the smallest uniform number, 2^-54: no normal is larger. */
#define TH_LARGEST_NORMAL 8.6523

/* Two independent standard normal numbers (Box-Muller on the pair above). */
void th_random_normal(struct th_stream stream, uint64_t step, uint64_t index,
                      double pair[2]);

/* Numbers first .. first + count - 1 of the sequence of pairs of index 0, 1,
 * ..: number 2 k and the one behind it are the pair of index k, with the same
 * bits. Many at once take a small part of the time (base/random_set.c). */
void th_random_uniforms(struct th_stream stream, uint64_t step, int64_t first,
                        int64_t count, double *out);
void th_random_normals(struct th_stream stream, uint64_t step, int64_t first,
                       int64_t count, double *out);

/* Pairs of one stream, whose names follow from each other: pair k is that of
 * (step + k step_stride, index + k index_stride). */
struct th_random_pairs {
  struct th_stream stream;
  uint64_t step;
  uint64_t step_stride;
  uint64_t index;
  uint64_t index_stride;
};

/* first[k] and second[k] are the uniform numbers of pair k < n. */
void th_random_uniform_pairs(const struct th_random_pairs *pairs, int64_t n,
                             double *first, double *second);

/* The place of item i, 0 <= i < n, in a random permutation of 0..n-1: a
 * bijection that needs no memory (a keyed Feistel network on the smallest
 * even number of bits, walked until the result is below n). */
int64_t th_random_place(struct th_stream stream, uint64_t step, int64_t n,
                        int64_t i);

/* The permutation of th_random_place for many of its items: what the network
 * draws is kept, in about 24 bytes times the root of n. */
struct th_random_places {
  struct th_stream stream;
  uint64_t step;
  int64_t n;
  unsigned half;  /* bits of half a place */
  uint32_t *word; /* by round and right half; owned; NULL: too many to keep */
};

/* Release with th_random_places_free, which is legal on a zeroed record. */
th_status th_random_places_init(struct th_random_places *places,
                                struct th_stream stream, uint64_t step,
                                int64_t n, struct th_error *err);
int64_t th_random_places_at(const struct th_random_places *places, int64_t i);
void th_random_places_free(struct th_random_places *places);

/* --- Many numbers at once, once per instruction set -----------------------
 *
 * base/random_set.c is compiled for several; each gives the bits of the
 * functions that draw one pair. For random.c and tests. */

typedef void th_random_uniforms_of(const struct th_random_pairs *pairs,
                                   int64_t n, double *first, double *second);

struct th_random_set {
  th_random_uniforms_of *uniforms; /* th_random_uniform_pairs */
};

extern const struct th_random_set th_random_plain;
extern const struct th_random_set th_random_avx2;
extern const struct th_random_set th_random_avx512;

#endif
