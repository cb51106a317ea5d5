/* cholesky.c - a symmetric system whose rank is decided on a unit diagonal
 * SPDX-License-Identifier: MIT */
#include "math/cholesky.h"

#include "base/memory.h"
#include "math/kernels/column.h"

#include <math.h>
#include <string.h>

/* to += factor * a */
static const struct th_array arrays[] = {
    TH_ARRAY(struct th_cholesky, row),
    TH_ARRAY(struct th_cholesky, joined),
    TH_ARRAY(struct th_cholesky, scale),
    TH_ARRAY(struct th_cholesky, rest),
    TH_MATRIX(struct th_cholesky, entry),
    TH_ARRAY_OF(struct th_cholesky, work, 2, 0)};

void th_cholesky_free(struct th_cholesky *f)
{
  th_memory_arrays_free(TH_ARRAYS(f, arrays));
  *f = (struct th_cholesky){0};
}

static th_status reserve(struct th_cholesky *f, int64_t n, struct th_error *err)
{
  return th_memory_arrays_reserve(TH_ARRAYS(f, arrays), &f->room, n,
                                  "a linear system", err);
}

static double *cholesky_row(const struct th_cholesky *f, int64_t i)
{
  return f->entry + i * f->size;
}

/* Let row p join as number k: compute column k of L for it, and for the rows
 * from place `from` to `end`, whose turn is yet to come. */
static void join_row(struct th_cholesky *f, int64_t p, const double *h,
                     int64_t ld, int64_t from, int64_t end)
{
  const int64_t k = f->rank;
  const double pivot = sqrt(f->rest[p]);
  double *own = cholesky_row(f, p);
  own[k] = pivot;
  f->joined[p] = true;
  f->row[f->rank++] = p;
  for (int64_t at = from; at < end; at++) {
    int64_t i = f->row[at];
    double *row = cholesky_row(f, i);
    double product = h[i + p * ld] * f->scale[i] * f->scale[p];
    row[k] = (product - th_column_dot_plain(row, own, k)) / pivot;
    f->rest[i] -= row[k] * row[k];
  }
}

th_status th_cholesky_begin(struct th_cholesky *f, int64_t n,
                            struct th_error *err)
{
  th_status rc = reserve(f, n, err);
  if (rc != TH_OK)
    return rc;
  f->size = n;
  f->rank = 0;
  for (int64_t i = 0; i < n; i++) {
    f->scale[i] = f->rest[i] = 0;
    f->joined[i] = false;
  }
  return TH_OK;
}

static th_status start(struct th_cholesky *f, int64_t n, const double *h,
                       int64_t ld, struct th_error *err)
{
  th_status rc = th_cholesky_begin(f, n, err);
  if (rc != TH_OK)
    return rc;
  for (int64_t i = 0; i < n; i++) {
    double diagonal = h[i + i * ld];
    f->scale[i] = diagonal > 0 ? 1 / sqrt(diagonal) : 0;
    f->rest[i] = diagonal > 0 ? 1 : 0;
    f->row[i] = i;
  }
  return TH_OK;
}

/* Return the place of the row that joins next. */
static int64_t next_pivot(const struct th_cholesky *f)
{
  int64_t best = f->rank;
  for (int64_t k = f->rank + 1; k < f->size; k++) {
    double more = f->rest[f->row[k]] - f->rest[f->row[best]];
    if (more > 0 || (more == 0 && f->row[k] < f->row[best]))
      best = k;
  }
  return best;
}

th_status th_cholesky_pivot(struct th_cholesky *f, int64_t n, const double *h,
                            int64_t ld, double tolerance, struct th_error *err)
{
  th_status rc = start(f, n, h, ld, err);
  while (rc == TH_OK && f->rank < n) {
    int64_t place = next_pivot(f);
    int64_t p = f->row[place];
    if (!(f->rest[p] > tolerance))
      break;
    f->row[place] = f->row[f->rank];
    join_row(f, p, h, ld, f->rank + 1, n);
  }
  return rc;
}

/* Rows that depend on others stay between those that joined and the rest. */
th_status th_cholesky_order(struct th_cholesky *f, int64_t n, const double *h,
                            int64_t ld, struct th_cholesky_turns turns,
                            double tolerance, struct th_error *err)
{
  th_status rc = start(f, n, h, ld, err);
  for (int64_t k = 0; rc == TH_OK && k < turns.count; k++)
    f->row[k] = turns.row[k];
  for (int64_t turn = 0; rc == TH_OK && turn < turns.count; turn++) {
    int64_t p = f->row[turn];
    if (!(f->rest[p] > tolerance))
      continue;
    f->row[turn] = f->row[f->rank];
    join_row(f, p, h, ld, turn + 1, turns.count);
  }
  return rc;
}

bool th_cholesky_join(struct th_cholesky *f, const double *h, int64_t ld,
                      int64_t i, double tolerance)
{
  double *row = cholesky_row(f, i);
  double diagonal = h[i + i * ld];
  if (!(diagonal > 0))
    return false;
  f->scale[i] = 1 / sqrt(diagonal);
  f->rest[i] = 1;
  for (int64_t k = 0; k < f->rank; k++) {
    int64_t p = f->row[k];
    double product = h[i + p * ld] * f->scale[i] * f->scale[p];
    const double *own = cholesky_row(f, p);
    row[k] = (product - th_column_dot_plain(row, own, k)) / own[k];
    f->rest[i] -= row[k] * row[k];
  }
  if (!(f->rest[i] > tolerance))
    return false;
  row[f->rank] = sqrt(f->rest[i]);
  f->joined[i] = true;
  f->row[f->rank++] = i;
  return true;
}

/* Solve L' x = y in the place of y, by number of the rows that joined. */
static void solve_back(const struct th_cholesky *f, int64_t rank, double *y)
{
  for (int64_t k = rank - 1; k >= 0; k--) {
    const double *row = cholesky_row(f, f->row[k]);
    y[k] /= row[k];
    th_column_add_plain(row, -y[k], k, y);
  }
}

/* Write y, by number, to the rows that joined, in the units of H. */
static void scatter_solution(const struct th_cholesky *f, int64_t rank,
                             const double *y, double unit, double *x)
{
  for (int64_t i = 0; i < f->size; i++)
    x[i] = 0;
  for (int64_t k = 0; k < rank; k++)
    x[f->row[k]] = f->scale[f->row[k]] * unit * y[k];
}

void th_cholesky_half(const struct th_cholesky *f, int64_t rank,
                      const double *b, double *y)
{
  for (int64_t k = 0; k < rank; k++) {
    int64_t i = f->row[k];
    const double *row = cholesky_row(f, i);
    y[k] = (f->scale[i] * b[i] - th_column_dot_plain(row, y, k)) / row[k];
  }
}

void th_cholesky_solve(const struct th_cholesky *f, int64_t rank,
                       const double *b, double *x)
{
  double *y = f->work;
  th_cholesky_half(f, rank, b, y);
  solve_back(f, rank, y);
  scatter_solution(f, rank, y, 1, x);
}

double th_cholesky_regress(const struct th_cholesky *f, int64_t rank, int64_t i,
                           double *x)
{
  const double *row = cholesky_row(f, i);
  double *y = f->work;
  double root = f->scale[i] > 0 ? 1 / f->scale[i] : 0;
  memcpy(y, row, (size_t)rank * sizeof *y);
  solve_back(f, rank, y);
  scatter_solution(f, rank, y, root, x);
  return fmax(0, 1 - th_column_dot_plain(row, row, rank)) * root * root;
}

/* Replace L by inv(L), row by row. Entries of row i on the rows before it are
 * -(L_i. inv(L)) / L_ii. */
static void invert_triangle(struct th_cholesky *f)
{
  double *sum = f->work;
  for (int64_t k = 0; k < f->rank; k++) {
    double *row = cholesky_row(f, f->row[k]);
    memset(sum, 0, (size_t)(k + 1) * sizeof *sum);
    for (int64_t l = 0; l < k; l++)
      th_column_add_plain(cholesky_row(f, f->row[l]), row[l], l + 1, sum);
    for (int64_t l = 0; l < k; l++)
      row[l] = -sum[l] / row[k];
    row[k] = 1 / row[k];
  }
}

void th_cholesky_invert(struct th_cholesky *f, double *inverse)
{
  const int64_t n = f->size;
  double *column = f->work;
  invert_triangle(f);
  memset(inverse, 0, (size_t)(n * n) * sizeof *inverse);
  for (int64_t j = 0; j < f->rank; j++) { /* of inv(L)' inv(L) */
    int64_t at = f->row[j];
    memset(column, 0, (size_t)(j + 1) * sizeof *column);
    for (int64_t k = j; k < f->rank; k++) {
      const double *row = cholesky_row(f, f->row[k]);
      th_column_add_plain(row, row[j], j + 1, column);
    }
    for (int64_t l = 0; l <= j; l++) {
      int64_t to = f->row[l];
      double value = column[l] * f->scale[at] * f->scale[to];
      inverse[to + at * n] = value;
      inverse[at + to * n] = value;
    }
  }
}
