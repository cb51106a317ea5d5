/* linalg.c - solves, inverses and eigenvalues against plain references
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/random.h"
#include "math/linalg.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 50, ROWS = 120 };

static double uniform(uint64_t step, int64_t index)
{
  struct th_stream stream = {3, TH_PURPOSE_TEST};
  double pair[2];
  th_random_uniform(stream, step, (uint64_t)index, pair);
  return pair[0] - 0.5;
}

struct problem {
  double z[MOST * ROWS];
  double a[MOST * MOST];
  double full[MOST * MOST]; /* both triangles, by plain sums */
  double b[MOST];
  double x[MOST];
  double inverse[MOST * MOST];
  bool kept[MOST];
};

/* copies: attribute k repeats attribute k - 1 for every third k. */
static void fill(struct problem *p, int64_t n, bool copies, double size)
{
  for (int64_t i = 0; i < ROWS; i++)
    for (int64_t k = 0; k < n; k++)
      p->z[k + i * n] = copies && k % 3 == 2
                            ? 2 * p->z[k - 1 + i * n]
                            : size * pow(10, (double)(k % 5)) *
                                  uniform((uint64_t)n, k + i * MOST);
  for (int64_t j = 0; j < n; j++) {
    for (int64_t i = 0; i < n; i++) {
      double sum = 0;
      for (int64_t r = 0; r < ROWS; r++)
        sum += p->z[i + r * n] * p->z[j + r * n];
      p->full[i + j * n] = sum;
    }
    p->b[j] = uniform(1000, j) * sqrt(p->full[j + j * n]);
  }
  memcpy(p->a, p->full, sizeof p->a);
}

/* The kept equations hold, and the inverse is one. */
static void test_solution(const struct problem *p, int64_t n, bool copies)
{
  for (int64_t i = 0; i < n; i++) {
    CHECK(p->kept[i] == !(copies && i % 3 == 2));
    if (!p->kept[i]) {
      CHECK(p->x[i] == 0);
      continue;
    }
    double unit = sqrt(p->full[i + i * n]);
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
      sum += p->full[i + j * n] * p->x[j];
    CHECK_NEAR(sum / unit, p->b[i] / unit, 1e-10);
    for (int64_t k = 0; k < n; k++) {
      double product = 0;
      for (int64_t j = 0; j < n; j++)
        product += p->full[i + j * n] * p->inverse[j + k * n];
      double scale = sqrt(p->full[k + k * n]) / unit;
      if (p->kept[k])
        CHECK_NEAR(product * scale, k == i ? 1.0 : 0.0, 1e-9);
      else
        CHECK(p->inverse[i + k * n] == 0 && p->inverse[k + i * n] == 0);
    }
  }
}

static void test_solve(int64_t n, bool copies, double size)
{
  static struct problem p;
  struct th_error err = {0};
  fill(&p, n, copies, size);
  CHECK(th_linalg_solve(&(struct th_linalg_system){n, p.a, p.b, 1e-9}, p.x,
                        p.inverse, p.kept, &err) == TH_OK);
  test_solution(&p, n, copies);
}

/* Row i of the factor begins behind those above it. */
static double entry(const struct th_factor *f, int64_t i, int64_t k)
{
  return f->entry[i * (i + 1) / 2 + k];
}

static void test_cholesky(int64_t n)
{
  static struct problem p;
  struct th_factor f = {0};
  struct th_error err = {0};
  fill(&p, n, false, 1);
  CHECK(th_linalg_factor_reserve(&f, n, &err) == TH_OK);
  CHECK(th_linalg_factor_form(&f, n, p.a, 1e-12, p.kept, &err) == TH_OK);
  CHECK(f.size == n);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i <= j; i++) {
      double sum = 0;
      for (int64_t k = 0; k <= i; k++)
        sum += entry(&f, i, k) * entry(&f, j, k);
      double unit = sqrt(p.full[i + i * n]) * sqrt(p.full[j + j * n]);
      CHECK_NEAR(sum / unit, p.full[i + j * n] / unit, 1e-12);
    }
  th_linalg_factor_free(&f);
}

/* Nothing to keep: zeros, negative and infinite diagonals. */
static void test_degenerate(void)
{
  double a[4] = {0, 0, 0, 0};
  double b[2] = {1, 2};
  double x[2] = {7, 7};
  double inverse[4];
  bool kept[2];
  struct th_error err = {0};
  CHECK(th_linalg_solve(&(struct th_linalg_system){2, a, b, 1e-9}, x, inverse,
                        kept, &err) == TH_OK);
  CHECK(x[0] == 0 && x[1] == 0 && !kept[0] && !kept[1] && inverse[0] == 0);
  double negative[4] = {-1, 0, 0, 4};
  CHECK(th_linalg_solve(&(struct th_linalg_system){2, negative, b, 1e-9}, x,
                        NULL, kept, &err) == TH_OK);
  CHECK(!kept[0] && kept[1] && x[0] == 0 && x[1] == 0.5);
  double broken[4] = {1, 0, NAN, 4};
  b[0] = INFINITY;
  CHECK(th_linalg_solve(&(struct th_linalg_system){2, broken, b, 1e-9}, x, NULL,
                        kept, &err) == TH_ENUMERIC);
}

/* Against the power method. */
static void test_eigenvalue(int64_t n)
{
  static struct problem p;
  double v[MOST];
  double w[MOST];
  double length = 0;
  double value = -1;
  struct th_error err = {0};
  fill(&p, n, false, 1);
  for (int64_t i = 0; i < n; i++)
    v[i] = 1;
  for (int step = 0; step < 2000; step++) {
    length = 0;
    for (int64_t i = 0; i < n; i++) {
      w[i] = 0;
      for (int64_t j = 0; j < n; j++)
        w[i] += p.full[i + j * n] * v[j];
      length += w[i] * w[i];
    }
    length = sqrt(length);
    for (int64_t i = 0; i < n; i++)
      v[i] = w[i] / length;
  }
  CHECK(th_linalg_largest_eigenvalue(n, p.a, &value, &err) == TH_OK);
  CHECK_NEAR(value / length, 1.0, 1e-6);
}

/* Add row i of the problem's matrix, of which `done` entries are made. */
static bool join(struct th_factor *f, const struct problem *p, int64_t n,
                 int64_t i, const double *made, int64_t done)
{
  memcpy(f->row, p->full + i * n, (size_t)f->size * sizeof *f->row);
  if (done > 0)
    memcpy(f->row, made, (size_t)done * sizeof *f->row);
  return th_linalg_factor_join(f, done, p->full[i + i * n], 1e-12);
}

/* Rows that meet the ones above them together have the bits of rows that join
 * one by one; and their systems are solved. */
static void test_together(int64_t n)
{
  enum { TOGETHER = TH_FACTOR_TOGETHER };
  struct problem p;
  struct th_error err;
  struct th_factor one = {0};
  struct th_factor four = {0};
  double rows[TOGETHER][MOST];
  double *row[TOGETHER] = {rows[0], rows[1], rows[2], rows[3]};
  double x[MOST];
  fill(&p, n, false, 1);
  CHECK(th_linalg_factor_reserve(&one, n, &err) == TH_OK);
  CHECK(th_linalg_factor_reserve(&four, n, &err) == TH_OK);
  for (int64_t i = 0; i < n; i++)
    CHECK(join(&one, &p, n, i, NULL, 0));
  for (int64_t i = 0; i < n; i += TOGETHER) {
    int64_t done = four.size;
    for (int64_t k = 0; k < TOGETHER; k++)
      for (int64_t j = 0; j < done; j++)
        rows[k][j] = i + k < n ? p.full[(i + k) * n + j] : 0;
    th_linalg_factor_forward(&four, row);
    for (int64_t k = 0; k < TOGETHER && i + k < n; k++)
      CHECK(join(&four, &p, n, i + k, rows[k], done));
  }
  CHECK(n == 0 ||
        memcmp(one.entry, four.entry,
               (size_t)th_linalg_factor_entries(&one) * sizeof(double)) == 0);
  th_linalg_factor_solve(&four, p.b, x);
  for (int64_t i = 0; i < n; i++) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
      sum += p.full[i + j * n] * x[j];
    CHECK_NEAR(sum / sqrt(p.full[i + i * n]), p.b[i] / sqrt(p.full[i + i * n]),
               1e-10);
  }
  th_linalg_factor_free(&one);
  th_linalg_factor_free(&four);
}

int main(void)
{
  for (int64_t n = 0; n <= MOST; n = n < 8 ? n + 1 : n + 14) {
    CASE(test_solve(n, false, 1));
    CASE(test_solve(n, true, 1));
    CASE(test_solve(n, false, 1e-100));
    CASE(test_solve(n, true, 1e100));
    CASE(test_cholesky(n));
    CASE(test_together(n));
    if (n > 0)
      CASE(test_eigenvalue(n));
  }
  CASE(test_degenerate());
  return check_finish(NULL);
}
