/* loss.c - losses: value, derivative, curvature
 * SPDX-License-Identifier: MIT */
#include "math/loss.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

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

/* log(1 + exp(-yp)) without overflow on either side. */
static double logistic_value(double p, double y)
{
  double margin = y * p;
  return margin > 0 ? log1p(exp(-margin)) : log1p(exp(margin)) - margin;
}

static double logistic_derivative(double p, double y)
{
  return -y / (1 + exp(y * p));
}

static double logistic_curvature(double p, double y)
{
  (void)y;
  double e = exp(-fabs(p));
  return e / ((1 + e) * (1 + e));
}

static const struct th_loss losses[] = {
    {"squared", "(p - y)^2, as in Murata & Suzuki", false, 2, squared_value,
     squared_derivative, squared_curvature},
    {"logistic", "log(1 + exp(-y p)), y = -1 or +1 (the larger value)", true,
     0.25, logistic_value, logistic_derivative, logistic_curvature},
    {NULL, NULL, false, 0, NULL, NULL, NULL},
};

const struct th_loss *th_loss_table(void)
{
  return losses;
}

const struct th_loss *th_loss_find(const char *name)
{
  for (const struct th_loss *loss = losses; loss->name != NULL; loss++)
    if (strcmp(loss->name, name) == 0)
      return loss;
  return NULL;
}
