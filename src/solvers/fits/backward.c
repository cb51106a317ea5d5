/* backward.c - backward elimination, the member first that costs least to lose
 * SPDX-License-Identifier: MIT */
#include "solvers/fits/backward.h"

#include "base/integer.h"
#include "base/memory.h"
#include "math/kernels/column.h"
#include "math/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double dependent = 1e-7; /* rest of a unit diagonal */

static const struct th_array arrays[] = {
    TH_ARRAY(struct th_backward, stays), TH_ARRAY(struct th_backward, coef),
    TH_MATRIX(struct th_backward, inverse), TH_ARRAY(struct th_backward, weak),
    TH_ARRAY(struct th_backward, loss)};

void th_backward_free(struct th_backward *b)
{
  th_memory_arrays_free(TH_ARRAYS(b, arrays));
  th_cholesky_free(&b->factor);
  *b = (struct th_backward){0};
}

static th_status reserve(struct th_backward *b, int64_t size,
                         struct th_error *err)
{
  return th_memory_arrays_reserve(TH_ARRAYS(b, arrays), &b->room, size,
                                  "least squares", err);
}

th_status th_backward_start(struct th_backward *b, int64_t size, double rows,
                            const double *products, const double *moment,
                            double square, struct th_error *err)
{
  th_status rc = reserve(b, size, err);
  if (rc == TH_OK)
    rc = th_cholesky_pivot(&b->factor, size, products, size, dependent, err);
  if (rc != TH_OK)
    return rc;
  b->size = size;
  b->left = b->factor.rank;
  b->rows = rows;
  memcpy(b->stays, b->factor.joined, (size_t)size * sizeof *b->stays);
  th_cholesky_solve(&b->factor, b->factor.rank, moment, b->coef);
  b->square = fmax(0, square - th_column_dot_plain(b->coef, moment, size));
  th_cholesky_invert(&b->factor, b->inverse);
  return TH_OK;
}

/* Take member j out of the solution and of the inverse. */
static void drop_member(struct th_backward *b, int64_t j)
{
  const int64_t n = b->size;
  double *own = b->inverse + j * n;
  const struct th_vector column = th_column_vector_of(own, n);
  double pivot = own[j];
  if (pivot > 0) {
    b->square += b->coef[j] * b->coef[j] / pivot;
    th_column_add(&column, -b->coef[j] / pivot, b->coef);
    for (int64_t k = 0; k < n; k++)
      if (k != j && b->stays[k])
        th_column_add(&column, -own[k] / pivot, b->inverse + k * n);
  }
  for (int64_t k = 0; k < n; k++)
    own[k] = b->inverse[j + k * n] = 0;
  b->coef[j] = 0;
  b->stays[j] = false;
  b->left--;
}

/* List in weak the members that cost less than `least` to lose, by rising cost;
 * their number. */
static int64_t find_weak(struct th_backward *b, double least)
{
  int64_t count = 0;
  for (int64_t k = 0; k < b->size; k++) {
    double pivot = b->inverse[k + k * b->size];
    double loss = pivot > 0 ? b->coef[k] * b->coef[k] / pivot : 0;
    if (!b->stays[k] || !(loss < least))
      continue;
    int64_t at = count++;
    for (; at > 0 && b->loss[at - 1] > loss; at--) {
      b->weak[at] = b->weak[at - 1];
      b->loss[at] = b->loss[at - 1];
    }
    b->weak[at] = k;
    b->loss[at] = loss;
  }
  return count;
}

void th_backward_prune(struct th_backward *b, double limit, bool by_halves)
{
  for (;;) {
    double freedom = fmax(1, b->rows - (double)b->left - 1);
    double variance = b->square / freedom;
    int64_t weak = find_weak(b, limit * limit * variance);
    int64_t leave = by_halves ? th_max_i64(1, weak / 2) : 1;
    if (weak == 0)
      return;
    for (int64_t k = 0; k < leave; k++)
      drop_member(b, b->weak[k]);
  }
}

void th_backward_reduce(struct th_backward *b, int64_t most)
{
  while (b->left > most && find_weak(b, INFINITY) > 0)
    drop_member(b, b->weak[0]);
}

/* --- On normal equations as they are ---------------------------------------
 */

static const double tiny_pivot = 1e-10; /* against its diagonal */

/* Take member j out of x and of the inverse. */
static void downdate(int64_t n, int64_t j, double *inverse, double *x)
{
  double pivot = inverse[j + j * n];
  double share = x[j] / pivot;
  for (int64_t k = 0; k < n; k++)
    x[k] -= inverse[k + j * n] * share;
  for (int64_t c = 0; c < n; c++) {
    if (c == j)
      continue;
    double factor = inverse[j + c * n] / pivot;
    for (int64_t r = 0; r < n; r++)
      inverse[r + c * n] -= inverse[r + j * n] * factor;
  }
  for (int64_t k = 0; k < n; k++)
    inverse[k + j * n] = inverse[j + k * n] = 0;
  x[j] = 0;
}

/* The member that costs least to lose. With a limit: of those below it. -1:
 * none. */
static int64_t cheapest(int64_t n, const double *inverse, const double *x,
                        const bool *keep, const bool *fixed,
                        const double *limit)
{
  int64_t found = -1;
  double least = INFINITY;
  for (int64_t k = 0; k < n; k++) {
    bool leaves = keep[k] && (fixed == NULL || !fixed[k]);
    double cost = leaves ? x[k] * x[k] / inverse[k + k * n] : INFINITY;
    if (cost < least && (limit == NULL || cost < limit[k])) {
      least = cost;
      found = k;
    }
  }
  return found;
}

th_status th_backward_eliminate(const struct th_backward_equations *given,
                                double *x, bool *keep, struct th_error *err)
{
  const int64_t n = given->n;
  double *inverse = NULL;
  int64_t left = 0;
  th_status rc;
  TH_TRY(TH_NEW(&inverse, n * n, "backward elimination", err));
  TH_TRY(th_linalg_solve(
      &(struct th_linalg_system){n, given->a, given->b, tiny_pivot}, x, inverse,
      keep, err));
  for (int64_t k = 0; k < n; k++)
    left += keep[k] && (given->fixed == NULL || !given->fixed[k]);
  for (;;) {
    bool many = left > given->most;
    const double *limit = many ? NULL : given->least;
    int64_t worst = many || given->least != NULL
                        ? cheapest(n, inverse, x, keep, given->fixed, limit)
                        : -1;
    if (worst < 0)
      break;
    downdate(n, worst, inverse, x);
    keep[worst] = false;
    left--;
  }
done:
  free(inverse);
  return rc;
}
