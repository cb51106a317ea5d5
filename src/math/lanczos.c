/* lanczos.c - the largest eigenvalue of a symmetric matrix
 * SPDX-License-Identifier: MIT */
#include "math/lanczos.h"

#include "core/memory.h"
#include "core/random.h"
#include "math/kernels/column_kernels.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum {
  BATCH = 8, /* steps between two looks at what has been reached */
  ROOM = 32  /* vectors at first */
};

/* The error of an eigenvalue is below the square of the residual, over the gap
 * to the next one. */
static const double enough = 1e-10;

struct lanczos {
  int64_t n;
  int64_t room;
  int64_t steps;
  double *vector;   /* steps + 1 of n numbers, orthonormal */
  double *diagonal; /* steps: of the tridiagonal matrix */
  double *beside;   /* steps: below it; the last is what is left */
};

static void lanczos_free(struct lanczos *l)
{
  free(l->vector);
  free(l->diagonal);
  free(l->beside);
}

static th_status lanczos_reserve(struct lanczos *l, int64_t steps,
                                 struct th_error *err)
{
  int64_t room = l->room == 0 ? ROOM : l->room;
  th_status rc = TH_OK;
  if (steps <= l->room)
    return rc;
  while (room < steps)
    room *= 2;
  room = room < l->n ? room : l->n;
  TH_TRY(TH_WIDEN(&l->vector, l->room == 0 ? 0 : (l->room + 1) * l->n,
                  (room + 1) * l->n, "eigenvalues", err));
  TH_TRY(TH_WIDEN(&l->diagonal, l->room, room, "eigenvalues", err));
  TH_TRY(TH_WIDEN(&l->beside, l->room, room, "eigenvalues", err));
  l->room = room;
done:
  return rc;
}

static void add(const double *a, double factor, int64_t count, double *to)
{
  const struct th_vector x = th_column_vector_of(a, count);
  th_column_add(&x, factor, to);
}

static void scale(double factor, int64_t n, double *v)
{
  for (int64_t i = 0; i < n; i++)
    v[i] *= factor;
}

/* Numbers of both signs and all sizes, so that no eigenvector is orthogonal to
 * them by its pattern. */
static void start(struct lanczos *l)
{
  const struct th_stream stream = {0, TH_PURPOSE_LANCZOS};
  double pair[2];
  for (int64_t i = 0; i < l->n; i++) {
    th_random_uniform(stream, 0, (uint64_t)i, pair);
    l->vector[i] = pair[0] + (pair[1] > 0.5 ? 0.5 : -1.5);
  }
  double length = sqrt(th_column_dot_plain(l->vector, l->vector, l->n));
  scale(1 / length, l->n, l->vector);
}

/* Twice is enough (Kahan and Parlett). */
static void make_orthogonal(const struct lanczos *l, double *v)
{
  for (int time = 0; time < 2; time++)
    for (int64_t k = 0; k <= l->steps; k++) {
      const double *other = l->vector + k * l->n;
      add(other, -th_column_dot_plain(other, v, l->n), l->n, v);
    }
}

/* One more vector. False: none is left. */
static bool step(struct lanczos *l, const double *a)
{
  const double *now = l->vector + l->steps * l->n;
  double *next = l->vector + (l->steps + 1) * l->n;
  for (int64_t i = 0; i < l->n; i++)
    next[i] = th_column_dot_plain(a + i * l->n, now, l->n);
  double size = sqrt(th_column_dot_plain(next, next, l->n));
  l->diagonal[l->steps] = th_column_dot_plain(now, next, l->n);
  make_orthogonal(l, next);
  double left = sqrt(th_column_dot_plain(next, next, l->n));
  bool more = left > 16 * DBL_EPSILON * size && l->steps + 1 < l->n;
  l->beside[l->steps] = more ? left : 0;
  l->steps++;
  if (more)
    scale(1 / left, l->n, next);
  return more;
}

/* Is x above all eigenvalues of the tridiagonal matrix? Then all pivots of it
 * less x are negative. */
static bool is_above(const struct lanczos *l, double x)
{
  double pivot = l->diagonal[0] - x;
  for (int64_t k = 1; k < l->steps && pivot < 0; k++)
    pivot = l->diagonal[k] - x - l->beside[k - 1] * l->beside[k - 1] / pivot;
  return pivot < 0;
}

/* The largest eigenvalue of the tridiagonal matrix, from above; within what
 * Gershgorin's circles leave. Not a number where they are none. */
static double largest_of(const struct lanczos *l)
{
  double low = -INFINITY;
  double high = -INFINITY;
  for (int64_t k = 0; k < l->steps; k++) {
    double radius =
        (k > 0 ? l->beside[k - 1] : 0) + (k + 1 < l->steps ? l->beside[k] : 0);
    low = fmax(low, l->diagonal[k]);
    high = fmax(high, l->diagonal[k] + radius);
    if (!isfinite(l->diagonal[k] + radius))
      return NAN;
  }
  for (double middle = low + (high - low) / 2; middle > low && middle < high;
       middle = low + (high - low) / 2) {
    if (is_above(l, middle))
      high = middle;
    else
      low = middle;
  }
  return high;
}

/* |A v - x v| of the vector v that belongs to x, an upper bound of the
 * eigenvalues: what is left beside the last row, times the last entry of the
 * tridiagonal matrix's own vector of length 1. */
static double residual_of(const struct lanczos *l, double x)
{
  double pivot = l->diagonal[0] - x;
  double square = 1; /* of that vector so far, where its last entry is 1 */
  for (int64_t k = 0; k + 1 < l->steps; k++) {
    double beside = l->beside[k];
    double ratio = beside / pivot;
    if (!(pivot < 0))
      return INFINITY;
    square = 1 + square * ratio * ratio;
    pivot = l->diagonal[k + 1] - x - beside * beside / pivot;
  }
  return l->beside[l->steps - 1] / sqrt(square);
}

th_status th_lanczos_largest(int64_t n, const double *a, double *value,
                             struct th_error *err)
{
  struct lanczos l = {.n = n};
  bool more = true;
  th_status rc;
  TH_TRY(lanczos_reserve(&l, 1, err));
  start(&l);
  while (more) {
    TH_TRY(lanczos_reserve(&l, l.steps + 1, err));
    more = step(&l, a);
    if (more && l.steps % BATCH != 0)
      continue;
    *value = largest_of(&l);
    more = more && residual_of(&l, *value) > enough * fabs(*value);
  }
  if (!isfinite(*value))
    rc = th_fail(err, TH_ENUMERIC,
                 "no largest eigenvalue of a %lld x %lld matrix", (long long)n,
                 (long long)n);
done:
  lanczos_free(&l);
  return rc;
}
