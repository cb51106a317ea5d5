/* lazy_prox.h - many proximal steps under a constant gradient at once
 * SPDX-License-Identifier: MIT */
#ifndef TH_LAZY_PROX_H
#define TH_LAZY_PROX_H

#include <stdint.h>

/* Return v after v = soft(v - a, t), t >= 0, was repeated `steps` times. In
 * variance-reduced methods this happens to a coefficient while no example has
 * its attribute. The result is piecewise linear in the number of steps, so a
 * few operations suffice. They round differently from the single steps. Local.
 */
double th_lazy_prox(double v, double a, double t, int64_t steps);

#endif
