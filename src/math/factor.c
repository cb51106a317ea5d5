/* factor.c - a Cholesky factor whose rows join and leave one by one
 * SPDX-License-Identifier: MIT */
#include "math/factor.h"

#include "base/elementary.h"
#include "base/memory.h"
#include "math/kernels/column.h"
#include "math/linalg.h"

#include <math.h>
#include <string.h>

static int64_t triangle(int64_t rows)
{
  return rows * (rows + 1) / 2;
}

static double *factor_row(const struct th_factor *f, int64_t i)
{
  return f->entry + triangle(i);
}

void th_factor_free(struct th_factor *f)
{
  TH_FREE(f->entry, f->row, f->cosine, f->sine);
  *f = (struct th_factor){0};
}

th_status th_factor_reserve(struct th_factor *f, int64_t rows,
                            struct th_error *err)
{
  th_status rc = TH_OK;
  if (rows <= f->room)
    return rc;
  TH_TRY(TH_WIDEN(&f->entry, triangle(f->room), triangle(rows),
                  "a linear system", err));
  TH_TRY(TH_WIDEN(&f->row, f->room, rows, "a linear system", err));
  TH_TRY(TH_WIDEN(&f->cosine, f->room, rows, "a linear system", err));
  TH_TRY(TH_WIDEN(&f->sine, f->room, rows, "a linear system", err));
  f->room = rows;
done:
  return rc;
}

int64_t th_factor_bytes(int64_t rows)
{
  return (triangle(rows) + 3 * rows) * (int64_t)sizeof(double);
}

int64_t th_factor_entries(const struct th_factor *f)
{
  return triangle(f->size);
}

bool th_factor_join(struct th_factor *f, double diagonal, double tolerance)
{
  double *row = f->row;
  for (int64_t i = 0; i < f->size; i++) {
    const double *above = factor_row(f, i);
    row[i] = (row[i] - th_column_dot_plain(above, row, i)) / above[i];
  }
  double pivot = diagonal - th_column_dot_plain(row, row, f->size);
  if (!(pivot > tolerance * diagonal))
    return false;
  row[f->size] = sqrt(pivot);
  memcpy(factor_row(f, f->size), row, (size_t)(f->size + 1) * sizeof *row);
  f->size++;
  return true;
}

/* Copy the rows that were kept. */
static void copy_rows(struct th_factor *f, const struct th_linalg_tiled *tiled,
                      const bool *kept)
{
  f->size = 0;
  for (int64_t i = 0; i < tiled->n; i++) {
    double *row = factor_row(f, f->size);
    int64_t at = 0;
    if (!kept[i])
      continue;
    for (int64_t k = 0; k <= i; k++)
      if (kept[k])
        row[at++] = th_linalg_tiled_entry(tiled, i, k);
    f->size++;
  }
}

th_status th_factor_form(struct th_factor *f, int64_t n, const double *h,
                         double tolerance, bool *kept, struct th_error *err)
{
  struct th_linalg_tiled tiled = {0};
  int64_t rank = 0;
  f->size = 0;
  th_status rc =
      th_linalg_tiled_factor(&tiled, n, h, tolerance, kept, &rank, err);
  if (rc == TH_OK)
    copy_rows(f, &tiled, kept);
  th_linalg_tiled_free(&tiled);
  return rc;
}

/* Remove column i from row k: apply the rotations so far, and one more that
 * takes its last entry away. */
static void rotate(struct th_factor *f, int64_t i, int64_t k)
{
  double *row = f->row;
  memcpy(row, factor_row(f, k), (size_t)(k + 1) * sizeof *row);
  for (int64_t j = i; j < k - 1; j++) {
    double left = row[j];
    row[j] = f->cosine[j] * left + f->sine[j] * row[j + 1];
    row[j + 1] = f->cosine[j] * row[j + 1] - f->sine[j] * left;
  }
  double length = th_hypot(row[k - 1], row[k]);
  f->cosine[k - 1] = row[k - 1] / length;
  f->sine[k - 1] = row[k] / length;
  row[k - 1] = length;
}

void th_factor_drop(struct th_factor *f, int64_t i)
{
  for (int64_t k = i + 1; k < f->size; k++) {
    rotate(f, i, k);
    memcpy(factor_row(f, k - 1), f->row, (size_t)k * sizeof *f->row);
  }
  f->size--;
}

void th_factor_solve(const struct th_factor *f, const double *b, double *x)
{
  for (int64_t i = 0; i < f->size; i++) {
    const double *row = factor_row(f, i);
    x[i] = (b[i] - th_column_dot_plain(row, x, i)) / row[i];
  }
  for (int64_t i = f->size - 1; i >= 0; i--) {
    const double *row = factor_row(f, i);
    x[i] /= row[i];
    th_column_add_plain(row, -x[i], i, x);
  }
}
