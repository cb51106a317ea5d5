/* loss.c - losses: value, derivative, curvature, conjugate
 * SPDX-License-Identifier: MIT */
#include "math/loss.h"

#include "base/elementary.h"
#include "base/integer.h"
#include "base/search.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* --- The logistic loss of many examples, vector by vector -----------------
 *
 * The formulas are those of one example, term by term, so that the bits are the
 * same. */

/* What a loss does to n examples. */
typedef void th_loss_array(const struct th_loss *loss, int64_t n,
                           const double *p, const double *y, double *out);

struct th_loss_arrays {
  th_loss_array *value;
  th_loss_array *derivative;
  th_loss_array *curvature;
  th_loss_array *conjugate;
};

enum { STRIP = 256 }; /* examples at a time, in the nearest cache */

/* log(1 + exp(-|yp|)), and what the wrong side adds. */
static void values(const struct th_loss *loss, int64_t n, const double *p,
                   const double *y, double *out)
{
  (void)loss;
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

static void derivatives(const struct th_loss *loss, int64_t n, const double *p,
                        const double *y, double *out)
{
  (void)loss;
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

static void curvatures(const struct th_loss *loss, int64_t n, const double *p,
                       const double *y, double *out)
{
  double e[STRIP];
  (void)loss;
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
static void conjugates(const struct th_loss *loss, int64_t n, const double *u,
                       const double *y, double *out)
{
  (void)loss;
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

static const struct th_loss_arrays logistic_arrays = {values, derivatives,
                                                      curvatures, conjugates};

/* --- Losses that are linear far from the target ---------------------------
 *
 * f is a parabola of curvature 1 / bend about the target, with slopes from low
 * to high, beyond which it goes on as a line: with s = e / bend, cut to them,
 * at the error e = p - y, f = s e - bend s^2 / 2. */

static double cut_slope(const struct th_loss *loss, double p, double y)
{
  double s = (p - y) / loss->bend;
  return s < loss->low ? loss->low : s > loss->high ? loss->high : s;
}

static void cut_values(const struct th_loss *loss, int64_t n, const double *p,
                       const double *y, double *out)
{
  for (int64_t i = 0; i < n; i++) {
    double s = cut_slope(loss, p[i], y[i]);
    out[i] = s * ((p[i] - y[i]) - loss->bend * s / 2);
  }
}

static void cut_derivatives(const struct th_loss *loss, int64_t n,
                            const double *p, const double *y, double *out)
{
  for (int64_t i = 0; i < n; i++)
    out[i] = cut_slope(loss, p[i], y[i]);
}

static void cut_curvatures(const struct th_loss *loss, int64_t n,
                           const double *p, const double *y, double *out)
{
  for (int64_t i = 0; i < n; i++) {
    double s = cut_slope(loss, p[i], y[i]);
    out[i] = s > loss->low && s < loss->high ? 1 / loss->bend : 0;
  }
}

static void cut_conjugates(const struct th_loss *loss, int64_t n,
                           const double *u, const double *y, double *out)
{
  for (int64_t i = 0; i < n; i++)
    out[i] = u[i] >= loss->low && u[i] <= loss->high
                 ? u[i] * (loss->bend * u[i] / 2 + y[i])
                 : INFINITY;
}

/* About the middle of the parabola f is even, but for a linear term: its slope
 * over the distance, which falls with it. */
void th_loss_majorants(const struct th_loss *loss, int64_t n, const double *p,
                       const double *y, double *out)
{
  double middle = (loss->low + loss->high) / 2;
  double half = (loss->high - loss->low) / 2;
  for (int64_t i = 0; i < n; i++) {
    double away = fabs((p[i] - y[i]) - loss->bend * middle);
    out[i] = away > loss->bend * half ? half / away : 1 / loss->bend;
  }
}

static const struct th_loss_arrays cut_arrays = {
    cut_values, cut_derivatives, cut_curvatures, cut_conjugates};

/* --- Losses of one example ------------------------------------------------ */

static double squared_value(double p, double y)
{
  return (p - y) * (p - y);
}

static double squared_derivative(double p, double y)
{
  return 2 * (p - y);
}

static double squared_curvature(double p, double y)
{
  (void)p;
  (void)y;
  return 2;
}

/* Return log(1 + exp(-yp)) without overflow on either side. */
static double logistic_value(double p, double y)
{
  double margin = y * p;
  return margin > 0 ? th_log1p(th_exp(-margin))
                    : th_log1p(th_exp(margin)) - margin;
}

static double logistic_derivative(double p, double y)
{
  return -y / (1 + th_exp(y * p));
}

static double logistic_curvature(double p, double y)
{
  (void)y;
  double e = th_exp(-fabs(p));
  return e / ((1 + e) * (1 + e));
}

/* The conjugates below are of half * value: the table of Liang & Poon's losses
 * with f = (p - y)^2 / 2 for the squared loss. */
static double squared_conjugate(double u, double y)
{
  return u * (u / 2 + y);
}

static double entropy(double p)
{
  return p > 0 ? p * th_log(p) : 0;
}

static double logistic_conjugate(double u, double y)
{
  double p = -u * y;
  if (!(p >= 0 && p <= 1))
    return INFINITY;
  return entropy(p) + (p < 1 ? (1 - p) * th_log1p(-p) : 0);
}

/* Return max(0, 1 - yp), or NaN if p is NaN. */
static double hinge_slack(double p, double y)
{
  double slack = 1 - y * p;
  return slack < 0 ? 0 : slack;
}

static double hinge_value(double p, double y)
{
  return hinge_slack(p, y) * hinge_slack(p, y) / 2;
}

static double hinge_derivative(double p, double y)
{
  return -y * hinge_slack(p, y);
}

static double hinge_curvature(double p, double y)
{
  return y * p < 1 ? 1 : 0;
}

static double hinge_conjugate(double u, double y)
{
  double v = u * y;
  return v <= 0 ? v * (v / 2 + 1) : INFINITY;
}

/* y log y. */
static double own_log(double y)
{
  return y > 0 ? y * th_log(y) : 0;
}

/* Half the deviance, 0 where the mean is y. */
static double poisson_value(double p, double y)
{
  return fmax((th_exp(p) - y * p) - (y - own_log(y)), 0);
}

static double poisson_derivative(double p, double y)
{
  return th_exp(p) - y;
}

static double poisson_curvature(double p, double y)
{
  (void)y;
  return th_exp(p);
}

static double poisson_conjugate(double u, double y)
{
  double mean = u + y;
  return mean >= 0 ? (own_log(mean) - mean) + (y - own_log(y)) : INFINITY;
}

static const struct th_loss losses[] = {
    {.name = "squared",
     .summary = "(p - y)^2, as in Murata & Suzuki; half of it where there is a "
                "penalty",
     .mean = "mean squared error",
     .predicts = TH_PREDICTS_TARGET,
     .quadratic = true,
     .smoothness = 2,
     .half = 0.5,
     .value = squared_value,
     .derivative = squared_derivative,
     .curvature = squared_curvature,
     .conjugate = squared_conjugate,
     .quadratic_conjugate = true},
    {.name = "logistic",
     .summary = "log(1 + exp(-y p)), y = -1 or +1 (the larger value)",
     .mean = "mean logistic loss",
     .predicts = TH_PREDICTS_ODDS,
     .labels = true,
     .smoothness = 0.25,
     .half = 1,
     .value = logistic_value,
     .derivative = logistic_derivative,
     .curvature = logistic_curvature,
     .conjugate = logistic_conjugate,
     .arrays = &logistic_arrays},
    {.name = "squared-hinge",
     .summary = "max(0, 1 - y p)^2 / 2, y = -1 or +1 (the larger value); "
                "only with a penalty",
     .mean = "mean squared hinge loss",
     .predicts = TH_PREDICTS_MARGIN,
     .labels = true,
     .penalised_only = true,
     .smoothness = 1,
     .half = 1,
     .value = hinge_value,
     .derivative = hinge_derivative,
     .curvature = hinge_curvature,
     .conjugate = hinge_conjugate,
     .quadratic_conjugate = true},
    {.name = "poisson",
     .summary = "half the deviance of a count or rate y >= 0 with the mean "
                "exp(p); only with solver lasso",
     .mean = "mean half deviance",
     .predicts = TH_PREDICTS_LOG_MEAN,
     .penalised_only = true,
     .exact_only = true,
     .smoothness = INFINITY,
     .half = 1,
     .value = poisson_value,
     .derivative = poisson_derivative,
     .curvature = poisson_curvature,
     .conjugate = poisson_conjugate},
    {.name = "huber",
     .summary = "half of (p - y)^2 for errors up to {loss-scale}, a line "
                "beyond: outliers count less; only with solver lasso",
     .mean = "mean Huber loss",
     .predicts = TH_PREDICTS_TARGET,
     .penalised_only = true,
     .exact_only = true,
     .smoothness = 1,
     .half = 1,
     .scaled = true,
     .bend = 1,
     .low = -1,
     .high = 1,
     .arrays = &cut_arrays},
    {.name = "quantile",
     .summary = "the quantile {quantile} of y, such as its median: lines, "
                "smoothed within {loss-scale}; only with solver lasso",
     .mean = "mean quantile loss",
     .predicts = TH_PREDICTS_TARGET,
     .penalised_only = true,
     .exact_only = true,
     .smoothness = 1,
     .half = 1,
     .scaled = true,
     .by_share = true,
     .bend = 1,
     .low = -0.5,
     .high = 0.5,
     .arrays = &cut_arrays},
    {.name = NULL},
};

const struct th_loss *th_loss_table(void)
{
  return losses;
}

const struct th_loss *th_loss_find(const char *name)
{
  int64_t k = TH_SEARCH_NAME(losses, name);
  return k < 0 ? NULL : &losses[k];
}

struct th_loss th_loss_of_scale(const struct th_loss *row, double scale,
                                double share)
{
  struct th_loss loss = *row;
  if (!row->scaled)
    return loss;
  loss.bend = row->by_share ? scale : 1;
  loss.low = row->by_share ? -share : -scale;
  loss.high = row->by_share ? 1 - share : scale;
  loss.smoothness = 1 / loss.bend;
  return loss;
}

double th_loss_scale(const struct th_loss *loss)
{
  return loss->by_share ? loss->bend : loss->high;
}

/* Apply `all` to the arrays; if it is NULL, apply `one` to each example. */
static void each(const struct th_loss *loss, th_loss_array *all,
                 double (*one)(double p, double y), int64_t n, const double *p,
                 const double *y, double *out)
{
  if (all != NULL)
    all(loss, n, p, y, out);
  else
    for (int64_t i = 0; i < n; i++)
      out[i] = one(p[i], y[i]);
}

void th_loss_values(const struct th_loss *loss, int64_t n, const double *p,
                    const double *y, double *out)
{
  const struct th_loss_arrays *arrays = loss->arrays;
  each(loss, arrays != NULL ? arrays->value : NULL, loss->value, n, p, y, out);
}

void th_loss_derivatives(const struct th_loss *loss, int64_t n, const double *p,
                         const double *y, double *out)
{
  const struct th_loss_arrays *arrays = loss->arrays;
  each(loss, arrays != NULL ? arrays->derivative : NULL, loss->derivative, n, p,
       y, out);
}

void th_loss_curvatures(const struct th_loss *loss, int64_t n, const double *p,
                        const double *y, double *out)
{
  const struct th_loss_arrays *arrays = loss->arrays;
  each(loss, arrays != NULL ? arrays->curvature : NULL, loss->curvature, n, p,
       y, out);
}

void th_loss_conjugates(const struct th_loss *loss, int64_t n, const double *u,
                        const double *y, double *out)
{
  const struct th_loss_arrays *arrays = loss->arrays;
  each(loss, arrays != NULL ? arrays->conjugate : NULL, loss->conjugate, n, u,
       y, out);
}

/* half is a power of two. */
static void halve(const struct th_loss *loss, int64_t n, double *out)
{
  for (int64_t i = 0; i < n && loss->half != 1; i++)
    out[i] *= loss->half;
}

void th_loss_f_all(const struct th_loss *loss, int64_t n, const double *p,
                   const double *y, double *out)
{
  th_loss_values(loss, n, p, y, out);
  halve(loss, n, out);
}

void th_loss_df_all(const struct th_loss *loss, int64_t n, const double *p,
                    const double *y, double *out)
{
  th_loss_derivatives(loss, n, p, y, out);
  halve(loss, n, out);
}

void th_loss_d2f_all(const struct th_loss *loss, int64_t n, const double *p,
                     const double *y, double *out)
{
  th_loss_curvatures(loss, n, p, y, out);
  halve(loss, n, out);
}

double th_loss_value(const struct th_loss *loss, double p, double y)
{
  double out = 0;
  if (loss->value != NULL)
    return loss->value(p, y);
  loss->arrays->value(loss, 1, &p, &y, &out);
  return out;
}

double th_loss_f(const struct th_loss *loss, double p, double y)
{
  return loss->half * th_loss_value(loss, p, y);
}

double th_loss_df(const struct th_loss *loss, double p, double y)
{
  double out = 0;
  if (loss->derivative != NULL)
    return loss->half * loss->derivative(p, y);
  loss->arrays->derivative(loss, 1, &p, &y, &out);
  return loss->half * out;
}

double th_loss_conjugate(const struct th_loss *loss, double u, double y)
{
  double out = 0;
  if (loss->conjugate != NULL)
    return loss->conjugate(u, y);
  loss->arrays->conjugate(loss, 1, &u, &y, &out);
  return out;
}

double th_loss_L(const struct th_loss *loss)
{
  return loss->half * loss->smoothness;
}

bool th_loss_is_steep(const struct th_loss *loss)
{
  return !isfinite(loss->smoothness);
}

bool th_loss_takes_all(const struct th_loss *loss)
{
  return !loss->labels && !loss->scaled && !th_loss_is_steep(loss);
}

/* Of labels u has the sign of -y; of counts it is a mean less the target. */
double th_loss_in_domain(const struct th_loss *loss, double u, double y)
{
  if (loss->labels)
    return u * y > 0 ? 0 : u;
  if (th_loss_is_steep(loss))
    return fmax(u, -y);
  return loss->scaled ? fmin(fmax(u, loss->low), loss->high) : u;
}

/* Poisson: f(p) >= (sqrt(exp p) - sqrt y)^2. */
double th_loss_level_L(const struct th_loss *loss, double y, double most)
{
  double root = sqrt(y) + sqrt(most);
  return th_loss_is_steep(loss) ? root * root : th_loss_L(loss);
}
