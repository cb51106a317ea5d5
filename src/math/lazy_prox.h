/* lazy_prox.h - many proximal steps under a constant gradient at once
 * SPDX-License-Identifier: MIT */
#ifndef TH_LAZY_PROX_H
#define TH_LAZY_PROX_H

#include <stdint.h>

/* What v becomes by `steps` times v = soft(v - a, t), t >= 0: what happens to a
 * coefficient whose attribute is not met, in variance-reduced methods. Piece by
 * piece linear: at most a few operations for any number of steps, which round
 * otherwise than the steps one by one. Local. */
double th_lazy_prox(double v, double a, double t, int64_t steps);

#endif
