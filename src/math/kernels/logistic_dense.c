/* logistic_dense.c - the logistic loss on all examples at once, for the
 * instruction set that it is compiled for
 *
 * Compiled once per set (src/math/kernels/CMakeLists.txt), which names its
 * table in TH_LOGISTIC_SET.
 * SPDX-License-Identifier: MIT */
#include "math/kernels/dense.h"

#include "math/kernels/simd.h"

enum { LANES = 8 };

typedef double lanes __attribute__((vector_size(LANES * 8)));
typedef int64_t bits __attribute__((vector_size(LANES * 8)));

#define LN2_HIGH 6.93147180369123816490e-01 /* with zeros at the end */
#define LN2_LOW 1.90821492927058770002e-10

/* Added to a number below 2^51 in magnitude, it leaves a whole number in the
 * lowest bits. */
#define WHOLE 0x1.8p52

/* Some examples of a sum. */
struct piece {
  lanes eta;
  lanes label;
  lanes at; /* predictions, or theta */
};

TH_INLINE void choose(const bits *where, const lanes *yes, const lanes *no,
                      lanes *out)
{
  *out = (lanes)((*where & (bits)*yes) | (~*where & (bits)*no));
}

/* exp(x), x at most 0; below the smallest normal double it stays there. */
TH_INLINE void exp_of(const lanes *x, lanes *out)
{
  static const double term[] = {1.0 / 479001600,
                                1.0 / 39916800,
                                1.0 / 3628800,
                                1.0 / 362880,
                                1.0 / 40320,
                                1.0 / 5040,
                                1.0 / 720,
                                1.0 / 120,
                                1.0 / 24,
                                1.0 / 6,
                                0.5,
                                1,
                                1};
  const lanes least = (lanes){0} - 708;
  lanes y;
  bits above = *x > least;
  choose(&above, x, &least, &y);
  lanes whole = y * 1.4426950408889634 + WHOLE;
  lanes k = whole - WHOLE;
  lanes r = (y - k * LN2_HIGH) - k * LN2_LOW;
  lanes sum = (lanes){0} + 1.0 / 6227020800;
  for (unsigned i = 0; i < sizeof term / sizeof *term; i++)
    sum = sum * r + term[i];
  *out = (lanes)((bits)sum + ((bits)whole << 52));
}

/* 2 artanh(s) = log((1 + s) / (1 - s)), |s| at most 0.172. */
TH_INLINE void log_ratio(const lanes *s, lanes *out)
{
  lanes square = *s * *s;
  lanes sum = (lanes){0} + 1.0 / 21;
  for (int odd = 19; odd > 0; odd -= 2)
    sum = sum * square + 1.0 / odd;
  *out = 2 * *s * sum;
}

/* log(1 + e), e in 0 .. 1. */
TH_INLINE void log_one_plus(const lanes *e, lanes *out)
{
  const lanes none = {0};
  const lanes two = none + 0.69314718055994531;
  lanes up = *e - 1;
  lanes rest;
  lanes under;
  lanes constant;
  bits large = *e > 0.41421356237309503;
  lanes three = *e + 3; /* (1 + e) / 2 against 1 */
  lanes plain = *e + 2;
  choose(&large, &up, e, &rest);
  choose(&large, &three, &plain, &under);
  choose(&large, &two, &none, &constant);
  lanes s = rest / under;
  log_ratio(&s, out);
  *out += constant;
}

/* x log(x), x in 0 .. 1; what is tiny is as good as 0. */
TH_INLINE void entropy_of(const lanes *x, lanes *out)
{
  const lanes tiny = (lanes){0} + 1e-300;
  lanes y;
  bits above = *x > tiny;
  choose(&above, x, &tiny, &y);
  bits mantissa = ((bits)y & 0xfffffffffffff) | 0x3ff0000000000000;
  lanes m = (lanes)mantissa;
  lanes half = m * 0.5;
  bits exponent = (bits)y >> 52;
  bits large = m > 1.4142135623730951;
  exponent -= large; /* true is -1 */
  lanes near;
  choose(&large, &half, &m, &near);
  lanes k = (lanes)(exponent | 0x4330000000000000) - (0x1p52 + 1023);
  lanes s = (near - 1) / (near + 1);
  log_ratio(&s, out);
  *out = y * ((*out + k * LN2_LOW) + k * LN2_HIGH);
}

TH_INLINE double sum_lanes(const lanes *sum)
{
  double a = ((*sum)[0] + (*sum)[4]) + ((*sum)[2] + (*sum)[6]);
  double b = ((*sum)[1] + (*sum)[5]) + ((*sum)[3] + (*sum)[7]);
  return a + b;
}

/* Lanes from x; those at and behind `count` become 0. */
TH_INLINE void load(const double *x, int64_t count, lanes *out)
{
  if (count >= LANES) {
    memcpy(out, x, sizeof *out);
    return;
  }
  *out = (lanes){0};
  for (int64_t k = 0; k < count; k++)
    (*out)[k] = x[k];
}

/* theta of a piece, and what it adds to the four sums. */
TH_INLINE void add_piece(const struct piece *piece, lanes sum[4], lanes *theta)
{
  const lanes none = {0};
  lanes margin = piece->label * piece->at;
  bits right = margin > 0;
  lanes minus = -margin;
  lanes away;
  lanes e;
  lanes loss;
  lanes over;
  choose(&right, &minus, &margin, &away);
  exp_of(&away, &e);
  lanes part = 1 / (1 + e);
  lanes other = e * part;
  lanes wrong; /* the probability of the other label */
  choose(&right, &other, &part, &wrong);
  choose(&right, &none, &minus, &over);
  log_one_plus(&e, &loss);
  loss += over;
  *theta = -piece->label * wrong;
  bits counts = piece->eta > 0;
  lanes slope = piece->eta * *theta;
  lanes size = piece->eta * wrong;
  lanes curvature = piece->eta * (other * part);
  lanes value = piece->eta * loss;
  lanes *term[4] = {&value, &slope, &size, &curvature};
  for (int k = 0; k < 4; k++) {
    lanes counted;
    choose(&counts, term[k], &none, &counted);
    sum[k] += counted;
  }
}

static void sum_logistic(int64_t n, const double *eta, const double *label,
                         const double *prediction, double offset, double *theta,
                         double out[4])
{
  lanes sum[4] = {{0}};
  for (int64_t i = 0; i < n; i += LANES) {
    struct piece piece;
    lanes at;
    int64_t count = n - i < LANES ? n - i : LANES;
    load(eta + i, count, &piece.eta);
    load(label + i, count, &piece.label);
    load(prediction + i, count, &piece.at);
    piece.at += offset;
    add_piece(&piece, sum, &at);
    memcpy(theta + i, &at, (size_t)count * sizeof *theta);
  }
  for (int k = 0; k < 4; k++)
    out[k] = sum_lanes(&sum[k]);
}

static double sum_dual(int64_t n, const double *eta, const double *theta,
                       double scale)
{
  const lanes none = {0};
  lanes sum = {0};
  for (int64_t i = 0; i < n; i += LANES) {
    lanes weight;
    lanes at;
    lanes one;
    lanes two;
    lanes counted;
    int64_t count = n - i < LANES ? n - i : LANES;
    load(eta + i, count, &weight);
    load(theta + i, count, &at);
    at = (lanes)((bits)(at * scale) & INT64_MAX); /* magnitude */
    entropy_of(&at, &one);
    at = 1 - at;
    entropy_of(&at, &two);
    bits counts = weight > 0;
    lanes value = weight * (one + two);
    choose(&counts, &value, &none, &counted);
    sum -= counted;
  }
  return sum_lanes(&sum);
}

const struct th_logistic_kernels TH_LOGISTIC_SET = {sum_logistic, sum_dual};
