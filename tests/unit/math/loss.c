/* loss.c - derivatives by finite differences, conjugates by numerical
 * maximisation, extreme margins
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "math/loss.h"

#include <string.h>

#include <stddef.h>

static double slope_of(const struct th_loss *loss, double p, double y)
{
  return th_loss_df(loss, p, y) / loss->half;
}

static double curvature_of(const struct th_loss *loss, double p, double y)
{
  double out = 0;
  th_loss_d2f_all(loss, 1, &p, &y, &out);
  return out / loss->half;
}

static void test_differences(const struct th_loss *loss, double p, double y)
{
  double h = 1e-5;
  double slope =
      (th_loss_value(loss, p + h, y) - th_loss_value(loss, p - h, y)) / (2 * h);
  double bend = (slope_of(loss, p + h, y) - slope_of(loss, p - h, y)) / (2 * h);
  double size = th_loss_is_steep(loss) ? fmax(1, exp(p)) : 1;
  CHECK_NEAR(slope_of(loss, p, y) / size, slope / size, 1e-8);
  CHECK_NEAR(curvature_of(loss, p, y) / size, bend / size, 1e-8);
  CHECK(th_loss_value(loss, p, y) >= 0);
  CHECK(curvature_of(loss, p, y) >= 0);
  CHECK(curvature_of(loss, p, y) <= loss->smoothness);
}

/* Margins far beyond the range of exp. */
static void test_extremes(void)
{
  const struct th_loss *loss = th_loss_find("logistic");
  const double far[] = {40, 700, 710, 750, 1e4, 1e300};
  for (int k = 0; k < 6; k++)
    for (int sign = -1; sign <= 1; sign += 2) {
      double p = sign * far[k];
      CHECK(isfinite(th_loss_value(loss, p, 1)) &&
            isfinite(slope_of(loss, p, 1)));
      CHECK(isfinite(curvature_of(loss, p, 1)) &&
            curvature_of(loss, p, 1) >= 0);
      CHECK_NEAR(th_loss_value(loss, -far[k], 1) / far[k], 1.0, 1e-12);
      CHECK_NEAR(slope_of(loss, -far[k], 1), -1.0, 1e-12);
      CHECK(fabs(slope_of(loss, far[k], 1)) < 1e-17);
    }
  CHECK_NEAR(th_loss_value(loss, 0, -1), log(2), 1e-15);
  CHECK(curvature_of(loss, 0, 1) == 0.25);
  CHECK(th_loss_value(loss, 36, 1) > 0); /* not rounded to nothing */
}

/* max over p of u p - f(p), which is concave: thirds of an interval that holds
 * the maximum for every u that is asked for. */
static double numerical_conjugate(const struct th_loss *loss, double u,
                                  double y)
{
  double low = -60;
  double high = 60;
  for (int k = 0; k < 300; k++) {
    double left = low + (high - low) / 3;
    double right = high - (high - low) / 3;
    if (u * left - th_loss_f(loss, left, y) <
        u * right - th_loss_f(loss, right, y))
      low = left;
    else
      high = right;
  }
  return u * low - th_loss_f(loss, low, y);
}

/* sup_p (u p - f(p)) for u inside and on the border of the domain. */
static void test_conjugate(const struct th_loss *loss, double y)
{
  for (int k = 0; k <= 200; k++) {
    double u = loss->labels             ? -y * k / 200
               : th_loss_is_steep(loss) ? k / 10.0 - y + (y > 0 ? 0 : 1e-9)
               : loss->scaled ? loss->low + (loss->high - loss->low) * k / 200
                              : (k - 100) / 10.0;
    CHECK_NEAR(th_loss_conjugate(loss, u, y), numerical_conjugate(loss, u, y),
               1e-13);
  }
}

/* f(p) + f*(f'(p)) = p f'(p), and no less at any other u. */
static void test_fenchel_young(const struct th_loss *loss, double p, double y)
{
  double u = th_loss_df(loss, p, y);
  double f = th_loss_f(loss, p, y);
  double other = th_loss_df(loss, p / 2 + 1, y);
  /* of large terms: those of a steep loss cancel */
  double size = th_loss_is_steep(loss) ? fmax(1, fabs(p) * fabs(u)) : 1;
  CHECK_NEAR((f + th_loss_conjugate(loss, u, y)) / size, p * u / size, 1e-13);
  size = th_loss_is_steep(loss) ? fmax(1, fabs(p) * fabs(other)) : f;
  CHECK(f + th_loss_conjugate(loss, other, y) >= p * other - 1e-13 * size);
}

/* f* is 1/L strongly convex, which the gap-safe radius rests on: between two
 * points of its domain it lies below the chord by at least that. */
static void test_strongly_convex(const struct th_loss *loss, double p, double y)
{
  double u = th_loss_df(loss, p, y);
  double v = th_loss_df(loss, -p / 3 + 0.2, y);
  double chord =
      (th_loss_conjugate(loss, u, y) + th_loss_conjugate(loss, v, y)) / 2;
  double most = fmax(th_loss_f(loss, p, y), th_loss_f(loss, -p / 3 + 0.2, y));
  double L = th_loss_level_L(loss, y, most);
  double bend = (u - v) * (u - v) / (8 * L);
  CHECK(th_loss_conjugate(loss, (u + v) / 2, y) <=
        chord - bend + 1e-13 * fmax(1, fabs(chord)));
}

/* Where f is at most so much, no second derivative is larger. */
static void test_level(void)
{
  const struct th_loss *loss = th_loss_find("poisson");
  const double counts[] = {0, 0.3, 1, 7, 1000};
  for (int k = 0; k < 5; k++)
    for (double p = -20; p <= 20; p += 0.1) {
      double f = th_loss_f(loss, p, counts[k]);
      CHECK(curvature_of(loss, p, counts[k]) <=
            th_loss_level_L(loss, counts[k], f) * (1 + 1e-12));
      CHECK(f >= 0);
    }
  CHECK(th_loss_level_L(th_loss_find("logistic"), 1, 5) == 0.25);
  CHECK(th_loss_conjugate(loss, -3.0000001, 3) == INFINITY);
  CHECK_NEAR(th_loss_conjugate(loss, -3, 3), 3 - 3 * log(3), 1e-15);
  CHECK_NEAR(th_loss_f(loss, log(7), 7), 0, 1e-14);
}

static void test_domains(void)
{
  const struct th_loss *logistic = th_loss_find("logistic");
  const struct th_loss *hinge = th_loss_find("squared-hinge");
  for (int y = -1; y <= 1; y += 2) {
    CHECK(th_loss_conjugate(logistic, 0.0 * y, y) == 0);
    CHECK(th_loss_conjugate(logistic, -y, y) == 0);
    CHECK(th_loss_conjugate(logistic, 1e-300 * y, y) == INFINITY);
    CHECK(th_loss_conjugate(logistic, -1.0000001 * y, y) == INFINITY);
    CHECK(th_loss_conjugate(hinge, 0.0 * y, y) == 0);
    CHECK(th_loss_conjugate(hinge, 1e-300 * y, y) == INFINITY);
    CHECK(isfinite(th_loss_conjugate(hinge, -1e6 * y, y)));
  }
  CHECK(th_loss_f(th_loss_find("squared"), 3, 1) == 2);
  CHECK(th_loss_df(th_loss_find("squared"), 3, 1) == 2);
  CHECK(th_loss_L(th_loss_find("squared")) == 1);
  CHECK(th_loss_L(logistic) == 0.25 && th_loss_L(hinge) == 1);
}

/* What the parameters mean, and where f* ends. */
static void test_scaled(void)
{
  struct th_loss huber =
      th_loss_of_scale(th_loss_find("huber"), 0.5, 0.5); /* no share */
  struct th_loss tenth = th_loss_of_scale(th_loss_find("quantile"), 1e-3, 0.1);
  CHECK(th_loss_f(&huber, 1.25, 1) == 0.03125);
  CHECK(th_loss_f(&huber, 3, 1) == 0.5 * 2 - 0.125);
  CHECK(th_loss_f(&huber, -1, 1) == 0.5 * 2 - 0.125);
  CHECK(th_loss_scale(&huber) == 0.5 && th_loss_L(&huber) == 1);
  CHECK_NEAR(th_loss_f(&tenth, 3, 1), 0.9 * 2, 1e-3);
  CHECK_NEAR(th_loss_f(&tenth, -1, 1), 0.1 * 2, 1e-3);
  CHECK(th_loss_scale(&tenth) == 1e-3 && th_loss_L(&tenth) == 1 / 1e-3);
  CHECK(th_loss_conjugate(&huber, 0.5000001, 1) == INFINITY);
  CHECK(th_loss_conjugate(&tenth, -0.1000001, 1) == INFINITY);
  CHECK(isfinite(th_loss_conjugate(&tenth, 0.9, 1)));
  CHECK(th_loss_in_domain(&tenth, 7, 1) == 0.9);
  CHECK(th_loss_in_domain(&huber, -7, 1) == -0.5);
  CHECK(isnan(th_loss_f(&huber, NAN, 1)) && isnan(th_loss_df(&tenth, NAN, 1)));
  CHECK(!th_loss_takes_all(&huber));
  struct th_loss squared = th_loss_of_scale(th_loss_find("squared"), 0.5, 0.5);
  CHECK(memcmp(&squared, th_loss_find("squared"), sizeof squared) == 0);
}

/* The bits of those one by one, also in place of predictions and of targets. */
static void test_arrays(const struct th_loss *loss)
{
  enum { COUNT = 301 };
  double p[COUNT];
  double y[COUNT];
  double out[6][COUNT];
  for (int i = 0; i < COUNT; i++) {
    p[i] = (i - 150) * (i % 7 == 0 ? 10 : 0.03);
    y[i] = i % 3 == 0 ? (th_loss_is_steep(loss) ? 0 : -1) : 1;
  }
  memcpy(out[4], p, sizeof p);
  memcpy(out[5], y, sizeof y);
  th_loss_f_all(loss, COUNT, p, y, out[0]);
  th_loss_df_all(loss, COUNT, p, y, out[1]);
  th_loss_d2f_all(loss, COUNT, p, y, out[2]);
  th_loss_conjugates(loss, COUNT, p, y, out[3]);
  th_loss_f_all(loss, COUNT, out[4], y, out[4]);
  th_loss_df_all(loss, COUNT, p, out[5], out[5]);
  for (int i = 0; i < COUNT; i++) {
    CHECK(out[0][i] == th_loss_f(loss, p[i], y[i]));
    CHECK(out[1][i] == th_loss_df(loss, p[i], y[i]));
    CHECK(out[2][i] == loss->half * curvature_of(loss, p[i], y[i]));
    CHECK(out[3][i] == th_loss_conjugate(loss, p[i], y[i]));
  }
  CHECK(memcmp(out[4], out[0], sizeof *out) == 0);
  CHECK(memcmp(out[5], out[1], sizeof *out) == 0);
}

/* Two targets: labels, or counts. */
static double target_of(const struct th_loss *loss, int k)
{
  return k > 0 ? 1 : th_loss_is_steep(loss) ? 0 : -1;
}

static void test_loss(const struct th_loss *loss)
{
  CASE(test_arrays(loss));
  for (double p = -30; p <= 30; p += 0.37)
    for (int k = 0; k < 2; k++) {
      CASE(test_differences(loss, p, target_of(loss, k)));
      CASE(test_fenchel_young(loss, p, target_of(loss, k)));
      CASE(test_strongly_convex(loss, p, target_of(loss, k)));
    }
  CASE(test_conjugate(loss, target_of(loss, 0)));
  CASE(test_conjugate(loss, target_of(loss, 1)));
}

int main(void)
{
  for (const struct th_loss *row = th_loss_table(); row->name != NULL; row++) {
    struct th_loss narrow = th_loss_of_scale(row, 0.3, 0.2);
    struct th_loss wide = th_loss_of_scale(row, 2.6, 0.9);
    CHECK(th_loss_find(row->name) == row);
    test_loss(row);
    if (row->scaled) {
      test_loss(&narrow);
      test_loss(&wide);
    }
  }
  CASE(test_scaled());
  CASE(test_extremes());
  CASE(test_domains());
  CASE(test_level());
  CHECK(th_loss_find("none of this name") == NULL);
  return check_finish(NULL);
}
