/* lanczos.c - the largest eigenvalue of a symmetric matrix
 * SPDX-License-Identifier: MIT */
#include "math/lanczos.h"

#include "base/memory.h"
#include "base/random.h"
#include "math/kernels/column_kernels.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

enum {
  BATCH = 8, /* steps between two looks at what has been reached */
  ENOUGH = 2 /* looks without growth: by each step it grows by a part of what is
                missing, or not at all */
};

struct lanczos {
  int64_t n;
  int64_t most;  /* steps */
  int64_t steps; /* so far */
  double *before;
  double *now; /* vectors of length 1 */
  double *next;
  double *diagonal; /* most: of the tridiagonal matrix */
  double *beside;   /* most: below it; the last is what is left */
};

static void lanczos_free(struct lanczos *l)
{
  TH_FREE(l->before, l->now, l->next, l->diagonal, l->beside);
}

static th_status lanczos_init(struct lanczos *l, int64_t n,
                              struct th_error *err)
{
  th_status rc;
  *l = (struct lanczos){.n = n, .most = 10 * n + 100};
  TH_TRY(TH_NEW(&l->before, n, "eigenvalues", err));
  TH_TRY(TH_NEW(&l->now, n, "eigenvalues", err));
  TH_TRY(TH_NEW(&l->next, n, "eigenvalues", err));
  TH_TRY(TH_NEW(&l->diagonal, l->most, "eigenvalues", err));
  TH_TRY(TH_NEW(&l->beside, l->most, "eigenvalues", err));
done:
  return rc;
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
    l->now[i] = pair[0] + (pair[1] > 0.5 ? 0.5 : -1.5);
  }
  scale(1 / sqrt(th_column_dot_plain(l->now, l->now, l->n)), l->n, l->now);
}

/* Compute one more vector from the product with the last one, in l->next.
 * False: none is left. */
static bool step(struct lanczos *l)
{
  double *next = l->next;
  double last = l->steps > 0 ? l->beside[l->steps - 1] : 0;
  double size = sqrt(th_column_dot_plain(next, next, l->n));
  th_column_add_plain(l->before, -last, l->n, next);
  double diagonal = th_column_dot_plain(l->now, next, l->n);
  th_column_add_plain(l->now, -diagonal, l->n, next);
  double left = sqrt(th_column_dot_plain(next, next, l->n));
  bool more = left > 16 * DBL_EPSILON * size && l->steps + 1 < l->most;
  l->diagonal[l->steps] = diagonal;
  l->beside[l->steps++] = more ? left : 0;
  if (more)
    scale(1 / left, l->n, next);
  l->next = l->before;
  l->before = l->now;
  l->now = next;
  return more;
}

/* Say whether x is above all eigenvalues of the tridiagonal matrix T. Then all
 * pivots of T - x are negative. */
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

/* A matrix in memory. */
struct full {
  int64_t n;
  const double *a;
};

static th_status multiply(void *self, const double *x, double *y,
                          struct th_error *err)
{
  const struct full *full = self;
  (void)err;
  for (int64_t i = 0; i < full->n; i++)
    y[i] = th_column_dot_plain(full->a + i * full->n, x, full->n);
  return TH_OK;
}

static th_status iterate(struct lanczos *l,
                         const struct th_lanczos_matrix *matrix, double *value,
                         struct th_error *err)
{
  int still = 0; /* looks at which it had hardly grown */
  bool more = true;
  start(l);
  *value = -INFINITY;
  while (more && still < ENOUGH) {
    th_status rc = matrix->multiply(matrix->self, l->now, l->next, err);
    if (rc != TH_OK)
      return rc;
    more = step(l);
    if (more && l->steps % BATCH != 0)
      continue;
    double before = *value;
    *value = largest_of(l);
    still = *value - before > 4 * DBL_EPSILON * fabs(*value) ? 0 : still + 1;
  }
  if (isfinite(*value))
    return TH_OK;
  return th_fail(err, TH_ENUMERIC,
                 "no largest eigenvalue of a %lld x %lld matrix",
                 (long long)l->n, (long long)l->n);
}

th_status th_lanczos_largest(int64_t n, const double *a, double *value,
                             struct th_error *err)
{
  struct full full = {n, a};
  const struct th_lanczos_matrix matrix = {
      .n = n, .multiply = multiply, .self = &full};
  struct lanczos l = {0};
  th_status rc = lanczos_init(&l, n, err);
  if (rc == TH_OK)
    rc = iterate(&l, &matrix, value, err);
  lanczos_free(&l);
  return rc;
}

th_status th_lanczos_largest_of(const struct th_lanczos_matrix *matrix,
                                struct th_comm *comm, double *value,
                                struct th_error *err)
{
  struct lanczos l = {0};
  th_status rc = th_agree(comm, lanczos_init(&l, matrix->n, err), err);
  if (rc == TH_OK)
    rc = iterate(&l, matrix, value, err);
  lanczos_free(&l);
  return rc;
}
