/* loss_array.c - the logistic loss of many examples, vector by vector
 *
 * The formulas are those of math/loss.c, term by term, so that the bits are
 * the same.
 * SPDX-License-Identifier: MIT */
#include "math/loss_array.h"

#include "base/elementary.h"
#include "base/integer.h"

#include <math.h>

enum { STRIP = 256 }; /* examples at a time, in the nearest cache */

/* log(1 + exp(-|yp|)), and what the wrong side adds. */
static void values(int64_t n, const double *p, const double *y, double *out)
{
  double margin[STRIP];
  double e[STRIP];
  for (int64_t left = n; left > 0; left -= STRIP) {
    int64_t count = th_min_i64(left, STRIP);
    for (int64_t i = 0; i < count; i++) {
      margin[i] = y[i] * p[i];
      e[i] = -fabs(margin[i]);
    }
    th_exp_array(count, e, e);
    th_log1p_array(count, e, e);
    for (int64_t i = 0; i < count; i++)
      out[i] = margin[i] > 0 ? e[i] : e[i] - margin[i];
    p += count;
    y += count;
    out += count;
  }
}

static void derivatives(int64_t n, const double *p, const double *y,
                        double *out)
{
  double e[STRIP];
  for (int64_t left = n; left > 0; left -= STRIP) {
    int64_t count = th_min_i64(left, STRIP);
    for (int64_t i = 0; i < count; i++)
      e[i] = y[i] * p[i];
    th_exp_array(count, e, e);
    for (int64_t i = 0; i < count; i++)
      out[i] = -y[i] / (1 + e[i]);
    p += count;
    y += count;
    out += count;
  }
}

static void curvatures(int64_t n, const double *p, const double *y, double *out)
{
  double e[STRIP];
  (void)y;
  for (int64_t left = n; left > 0; left -= STRIP) {
    int64_t count = th_min_i64(left, STRIP);
    for (int64_t i = 0; i < count; i++)
      e[i] = -fabs(p[i]);
    th_exp_array(count, e, e);
    for (int64_t i = 0; i < count; i++)
      out[i] = e[i] / ((1 + e[i]) * (1 + e[i]));
    p += count;
    out += count;
  }
}

/* Where u is minus yp, p a probability: p log p + (1 - p) log(1 - p). */
static void conjugates(int64_t n, const double *u, const double *y, double *out)
{
  double p[STRIP];
  double log_p[STRIP];
  double log_rest[STRIP];
  for (int64_t left = n; left > 0; left -= STRIP) {
    int64_t count = th_min_i64(left, STRIP);
    for (int64_t i = 0; i < count; i++) {
      p[i] = -u[i] * y[i];
      log_p[i] = p[i] > 0 ? p[i] : 1;
      log_rest[i] = p[i] < 1 ? -p[i] : 0;
    }
    th_log_array(count, log_p, log_p);
    th_log1p_array(count, log_rest, log_rest);
    for (int64_t i = 0; i < count; i++)
      out[i] = p[i] >= 0 && p[i] <= 1
                   ? (p[i] > 0 ? p[i] * log_p[i] : 0) +
                         (p[i] < 1 ? (1 - p[i]) * log_rest[i] : 0)
                   : INFINITY;
    u += count;
    y += count;
    out += count;
  }
}

const struct th_loss_arrays th_loss_logistic_arrays = {values, derivatives,
                                                       curvatures, conjugates};
