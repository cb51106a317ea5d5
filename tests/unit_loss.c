/* unit_loss.c - derivatives by finite differences, extreme margins
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "math/loss.h"

#include <stddef.h>

static void test_differences(const struct th_loss *loss, double p, double y)
{
  double h = 1e-5;
  double slope = (loss->value(p + h, y) - loss->value(p - h, y)) / (2 * h);
  double bend =
      (loss->derivative(p + h, y) - loss->derivative(p - h, y)) / (2 * h);
  CHECK_NEAR(loss->derivative(p, y), slope, 1e-8);
  CHECK_NEAR(loss->curvature(p, y), bend, 1e-8);
  CHECK(loss->value(p, y) >= 0);
  CHECK(loss->curvature(p, y) >= 0);
  CHECK(loss->curvature(p, y) <= loss->smoothness);
}

/* Margins far beyond the range of exp. */
static void test_extremes(void)
{
  const struct th_loss *loss = th_loss_find("logistic");
  const double far[] = {40, 700, 710, 750, 1e4, 1e300};
  for (int k = 0; k < 6; k++)
    for (int sign = -1; sign <= 1; sign += 2) {
      double p = sign * far[k];
      CHECK(isfinite(loss->value(p, 1)) && isfinite(loss->derivative(p, 1)));
      CHECK(isfinite(loss->curvature(p, 1)) && loss->curvature(p, 1) >= 0);
      CHECK_NEAR(loss->value(-far[k], 1) / far[k], 1.0, 1e-12);
      CHECK_NEAR(loss->derivative(-far[k], 1), -1.0, 1e-12);
      CHECK(fabs(loss->derivative(far[k], 1)) < 1e-17);
    }
  CHECK_NEAR(loss->value(0, -1), log(2), 1e-15);
  CHECK(loss->curvature(0, 1) == 0.25);
  CHECK(loss->value(36, 1) > 0); /* not rounded to nothing */
}

int main(void)
{
  for (const struct th_loss *loss = th_loss_table(); loss->name; loss++) {
    CHECK(th_loss_find(loss->name) == loss);
    for (double p = -30; p <= 30; p += 0.37)
      for (int y = -1; y <= 1; y += 2)
        test_differences(loss, p, y);
  }
  test_extremes();
  CHECK(th_loss_find("none of this name") == NULL);
  return check_finish(NULL);
}
