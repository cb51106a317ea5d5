/* gap.c - duality gap, gap-safe radius, intercept: Liang & Poon 2022, section 2
 * SPDX-License-Identifier: MIT */
#include "math/gap.h"

#include "base/integer.h"

#include <float.h>
#include <math.h>

double th_gap_margin(enum th_type type)
{
  return type == TH_F32 ? 1e-5 : 1e-12;
}

/* Neumaier's compensated sum: gaps are small differences of large sums. */
struct sum {
  double total;
  double lost;
};

static void sum_add(struct sum *sum, double term)
{
  double total = sum->total + term;
  if (fabs(sum->total) >= fabs(term))
    sum->lost += (sum->total - total) + term;
  else
    sum->lost += (term - total) + sum->total;
  sum->total = total;
}

static double sum_value(const struct sum *sum)
{
  return isfinite(sum->total) ? sum->total + sum->lost : sum->total;
}

enum { STRIP = 256 }; /* examples at a time */

double th_gap_primal(const struct th_loss *loss, int64_t n, const double *eta,
                     const double *target, const double *prediction)
{
  struct sum sum = {0, 0};
  double f[STRIP];
  for (int64_t first = 0; first < n; first += STRIP) {
    int64_t count = th_min_i64(n - first, STRIP);
    th_loss_f_all(loss, count, prediction + first, target + first, f);
    for (int64_t i = 0; i < count; i++)
      if (eta[first + i] > 0)
        sum_add(&sum, eta[first + i] * f[i]);
  }
  return sum_value(&sum);
}

double th_gap_dual(const struct th_loss *loss, int64_t n, const double *eta,
                   const double *target, const double *theta, double scale)
{
  struct sum sum = {0, 0};
  double u[STRIP];
  for (int64_t first = 0; first < n; first += STRIP) {
    int64_t count = th_min_i64(n - first, STRIP);
    for (int64_t i = 0; i < count; i++)
      u[i] = scale * theta[first + i];
    th_loss_conjugates(loss, count, u, target + first, u);
    for (int64_t i = 0; i < count; i++)
      if (eta[first + i] > 0)
        sum_add(&sum, -eta[first + i] * u[i]);
  }
  return sum_value(&sum);
}

double th_gap_bound(double primal, double dual)
{
  const double rounding = 16 * DBL_EPSILON;
  double gap = fmax(0, primal - dual) + rounding * (fabs(primal) + fabs(dual));
  return isnan(gap) ? INFINITY : gap;
}

/* Return |sum eta theta| over the examples on one side of 0, by the signs of
 * `of`. */
static double side(int64_t n, const double *eta, const double *of,
                   const double *theta, int sign)
{
  struct sum sum = {0, 0};
  for (int64_t i = 0; i < n; i++)
    if (sign * of[i] > 0)
      sum_add(&sum, eta[i] * fabs(theta[i]));
  return sum_value(&sum);
}

static void subtract_mean(int64_t n, const double *eta, double *theta)
{
  struct sum sum = {0, 0};
  for (int64_t i = 0; i < n; i++)
    sum_add(&sum, eta[i] * theta[i]);
  for (int64_t i = 0; i < n; i++)
    theta[i] -= sum_value(&sum);
}

void th_gap_centre(const struct th_loss *loss, int64_t n, const double *eta,
                   const double *target, double *theta)
{
  if (th_loss_takes_all(loss)) {
    subtract_mean(n, eta, theta);
    return;
  }
  /* theta times a factor of at most 1 stays in the domain of the conjugate */
  const double *of = loss->labels ? target : theta;
  double positive = side(n, eta, of, theta, 1);
  double negative = side(n, eta, of, theta, -1);
  double larger = positive > negative ? 1 : -1;
  double factor =
      fmin(positive, negative) / fmax(DBL_MIN, fmax(positive, negative));
  for (int64_t i = 0; i < n; i++)
    theta[i] *= larger * of[i] > 0 ? factor : 1;
}

double th_gap_level_L(const struct th_loss *loss, int64_t n, const double *eta,
                      const double *target, double most)
{
  double L = 0;
  for (int64_t i = 0; i < n; i++)
    if (eta[i] > 0)
      L = fmax(L, th_loss_level_L(loss, target[i], most / eta[i]));
  return L;
}

double th_gap_radius(double L, double gap, double N, double lambda)
{
  return N > 0 ? sqrt(2 * L * gap) * sqrt(N) / lambda : 0;
}

bool th_gap_removes(double dual_norm, double radius, double margin)
{
  return dual_norm + radius < 1 - margin;
}

/* The derivative by b0 of the sum at one place, the second one, and the size of
 * the terms. */
struct slope {
  double first;
  double second;
  double size;
};

static struct slope slope_at(const struct th_loss *loss, int64_t n,
                             const double *eta, const double *target,
                             const double *prediction, double b0)
{
  struct sum first = {0, 0};
  struct slope slope = {0, 0, 0};
  for (int64_t done = 0; done < n; done += STRIP) {
    int64_t count = th_min_i64(n - done, STRIP);
    double p[STRIP];
    double df[STRIP];
    for (int64_t i = 0; i < count; i++)
      p[i] = prediction[done + i] + b0;
    th_loss_df_all(loss, count, p, target + done, df);
    th_loss_d2f_all(loss, count, p, target + done, p);
    for (int64_t i = 0; i < count; i++) {
      if (!(eta[done + i] > 0)) /* its mean may be beyond all numbers */
        continue;
      double term = eta[done + i] * df[i];
      sum_add(&first, term);
      slope.size += fabs(term);
      slope.second += eta[done + i] * p[i];
    }
  }
  slope.first = sum_value(&first);
  return slope;
}

/* Say whether both labels occur among examples with weight. */
static bool both_sides(int64_t n, const double *eta, const double *target)
{
  bool positive = false;
  bool negative = false;
  for (int64_t i = 0; i < n; i++) {
    positive = positive || (eta[i] > 0 && target[i] > 0);
    negative = negative || (eta[i] > 0 && target[i] < 0);
  }
  return positive && negative;
}

/* What is known of the root: it lies between low and high. */
struct bracket {
  double low;
  double high;
  double longest; /* step towards an open end; doubles when it is taken */
};

/* Return Newton's next place, or a cautious one if that is out of the bracket.
 */
static double next_b0(struct bracket *bracket, struct slope slope, double b0)
{
  double step = -slope.first / slope.second;
  if (slope.first < 0)
    bracket->low = b0;
  else
    bracket->high = b0;
  if (!(fabs(step) <= bracket->longest)) { /* also where second is 0 */
    step = copysign(bracket->longest, -slope.first);
    bracket->longest *= 2;
  }
  double next = b0 + step;
  if (next == b0 || (next > bracket->low && next < bracket->high))
    return next;
  return bracket->low + (bracket->high - bracket->low) / 2;
}

th_status th_gap_intercept(const struct th_loss *loss, int64_t n,
                           const double *eta, const double *target,
                           const double *prediction, double *b0,
                           struct th_error *err)
{
  enum { MOST_STEPS = 2500 }; /* bisection alone takes fewer */
  bool cautious = !th_loss_takes_all(loss);
  struct bracket bracket = {-INFINITY, INFINITY, cautious ? 1 : DBL_MAX};
  double place = *b0;
  if (loss->labels && !both_sides(n, eta, target))
    return th_fail(err, TH_EDATA,
                   "all examples that count have the same target: no finite "
                   "intercept fits them");
  for (int k = 0; k < MOST_STEPS; k++) {
    struct slope at = slope_at(loss, n, eta, target, prediction, place);
    if (th_loss_is_steep(loss) && at.first == INFINITY) {
      bracket.high = place; /* its mean is beyond all numbers */
      place = bracket.low > -INFINITY ? bracket.low + (place - bracket.low) / 2
                                      : place - 64;
      continue;
    }
    if (!isfinite(at.first))
      return th_fail(
          err, TH_ENUMERIC,
          "a prediction is not a number; check the data, or standardize");
    double next = next_b0(&bracket, at, place);
    if (fabs(at.first) <= DBL_EPSILON * at.size || next == place ||
        next == bracket.low || next == bracket.high)
      break;
    place = next;
  }
  *b0 = place;
  return TH_OK;
}
