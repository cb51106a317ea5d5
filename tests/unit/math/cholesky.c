/* cholesky.c - solves, inverses and regressions of a system whose rank is
 * decided, against plain sums
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "normal.h"

#include "math/cholesky.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 60, ROWS = 150 };

/* Products of attributes whose units differ by 10^8; every third repeats the
 * one before but for `apart`, unless apart < 0. */
struct problem {
  int64_t n;
  int64_t ld;
  double z[MOST * ROWS];
  double h[MOST * MOST];
  double b[MOST];
};

static bool repeats(int64_t k)
{
  return k % 3 == 2;
}

static void fill(struct problem *p, int64_t n, int64_t ld, double apart)
{
  p->n = n;
  p->ld = ld;
  for (int64_t i = 0; i < ROWS; i++)
    for (int64_t k = 0; k < n; k++) {
      double unit = pow(10, (double)(k % 9) - 4);
      double own = unit * test_normal(5, (uint64_t)n, k + i * MOST);
      p->z[k + i * n] = apart >= 0 && repeats(k)
                            ? 3 * p->z[k - 1 + i * n] + apart * own
                            : own;
    }
  for (int64_t j = 0; j < n; j++) {
    for (int64_t i = 0; i < n; i++) {
      double sum = 0;
      for (int64_t r = 0; r < ROWS; r++)
        sum += p->z[i + r * n] * p->z[j + r * n];
      p->h[i + j * ld] = sum;
    }
    p->b[j] = test_normal(5, 1000, j) * sqrt(p->h[j + j * ld]);
  }
}

static double root(const struct problem *p, int64_t i)
{
  return sqrt(p->h[i + i * p->ld]);
}

/* The equations of the rows that joined hold; others have no part. */
static void check_solution(const struct problem *p, const struct th_cholesky *f,
                           const double *x)
{
  for (int64_t i = 0; i < p->n; i++) {
    double sum = 0;
    for (int64_t j = 0; j < p->n; j++)
      sum += p->h[i + j * p->ld] * x[j];
    if (f->joined[i])
      CHECK_NEAR(sum / root(p, i), p->b[i] / root(p, i), 1e-9);
    else
      CHECK(x[i] == 0);
  }
}

static void check_inverse(const struct problem *p, struct th_cholesky *f)
{
  static double inverse[MOST * MOST];
  th_cholesky_invert(f, inverse);
  for (int64_t i = 0; i < p->n; i++)
    for (int64_t k = 0; k < p->n; k++) {
      double sum = 0;
      for (int64_t j = 0; j < p->n; j++)
        sum += p->h[i + j * p->ld] * inverse[j + k * p->n];
      CHECK(inverse[i + k * p->n] == inverse[k + i * p->n]);
      if (f->joined[i] && f->joined[k])
        CHECK_NEAR(sum * root(p, k) / root(p, i), i == k, 1e-8);
      else if (!f->joined[k])
        CHECK(inverse[i + k * p->n] == 0);
    }
}

static int64_t count_joined(const struct th_cholesky *f)
{
  int64_t count = 0;
  for (int64_t k = 0; k < f->rank; k++)
    count += f->joined[f->row[k]];
  return count;
}

static th_status factor(struct th_cholesky *f, const struct problem *p,
                        const int64_t *order)
{
  struct th_error err = {0};
  return order == NULL
             ? th_cholesky_pivot(f, p->n, p->h, p->ld, 1e-7, &err)
             : th_cholesky_order(f, p->n, p->h, p->ld,
                                 (struct th_cholesky_turns){order, p->n}, 1e-7,
                                 &err);
}

static void test_solve(struct problem *p, const int64_t *order, int64_t rank)
{
  struct th_cholesky f = {0};
  double x[MOST];
  for (int turn = 0; turn < 2; turn++) { /* room is used again */
    CHECK(factor(&f, p, order) == TH_OK);
    CHECK(f.rank == rank && count_joined(&f) == rank);
    th_cholesky_solve(&f, f.rank, p->b, x);
    check_solution(p, &f, x);
    memcpy(x, p->b, sizeof x);
    th_cholesky_solve(&f, f.rank, x, x);
    check_solution(p, &f, x);
    check_inverse(p, &f);
  }
  th_cholesky_free(&f);
}

static void test_systems(void)
{
  static struct problem p;
  int64_t back[MOST];
  for (int64_t n = 1; n <= MOST; n += n < 20 ? 1 : 8) {
    int64_t copies = n / 3;
    for (int64_t k = 0; k < n; k++)
      back[k] = n - 1 - k;
    for (int64_t wide = 0; wide < 2 && n < MOST; wide++) {
      fill(&p, n, n + wide, -1);
      test_solve(&p, NULL, n);
      test_solve(&p, back, n);
      fill(&p, n, n + wide, 0);
      test_solve(&p, NULL, n - copies);
      test_solve(&p, back, n - copies);
    }
  }
}

/* Whoever comes first stays; the largest pivot comes first, of equals the one
 * with the lowest number. */
static void test_order(void)
{
  const double h[9] = {4, 4, 0, 4, 4, 0, 0, 0, 9};
  const int64_t given[3] = {1, 2, 0};
  struct th_cholesky f = {0};
  struct th_error err = {0};
  CHECK(th_cholesky_order(&f, 3, h, 3, (struct th_cholesky_turns){given, 3},
                          1e-7, &err) == TH_OK);
  CHECK(f.rank == 2 && f.row[0] == 1 && f.row[1] == 2 && !f.joined[0]);
  CHECK(th_cholesky_order(&f, 3, h, 3, (struct th_cholesky_turns){given, 1},
                          1e-7, &err) == TH_OK);
  CHECK(f.rank == 1 && f.joined[1] && !f.joined[2] && !f.joined[0]);
  CHECK(th_cholesky_pivot(&f, 3, h, 3, 1e-7, &err) == TH_OK);
  CHECK(f.rank == 2 && f.row[0] == 0 && f.row[1] == 2 && !f.joined[1]);
  const double nothing[4] = {0, 0, 0, 0};
  double x[2] = {1, 1};
  CHECK(th_cholesky_pivot(&f, 2, nothing, 2, 1e-7, &err) == TH_OK);
  th_cholesky_solve(&f, f.rank, x, x);
  CHECK(f.rank == 0 && x[0] == 0 && x[1] == 0);
  th_cholesky_free(&f);
}

/* What a tolerance decides: those that nearly repeat another leave a rest of
 * some 10^-5. */
static void test_tolerance(void)
{
  static struct problem p;
  struct th_cholesky f = {0};
  struct th_error err = {0};
  for (int64_t n = 3; n <= 27; n += 3) {
    fill(&p, n, n, 1e-3);
    CHECK(th_cholesky_pivot(&f, n, p.h, n, 1e-4, &err) == TH_OK);
    CHECK(f.rank < n);
    CHECK(th_cholesky_pivot(&f, n, p.h, n, 1e-16, &err) == TH_OK);
    CHECK(f.rank == n);
  }
  th_cholesky_free(&f);
}

/* Row i on the first ones: what is left is orthogonal to them. */
static void test_regression(void)
{
  static struct problem p;
  struct th_cholesky f = {0};
  struct th_error err = {0};
  int64_t order[20];
  double x[20];
  for (int64_t k = 0; k < 20; k++)
    order[k] = (k * 7) % 20;
  fill(&p, 20, 20, -1);
  CHECK(th_cholesky_order(&f, 20, p.h, 20,
                          (struct th_cholesky_turns){order, 20}, 1e-7,
                          &err) == TH_OK);
  for (int64_t rank = 0; rank < 20; rank++) {
    int64_t i = order[19];
    double rest = th_cholesky_regress(&f, rank, i, x);
    double left = p.h[i + i * 20];
    for (int64_t k = 0; k < 20; k++) {
      double sum = p.h[k + i * 20];
      for (int64_t j = 0; j < 20; j++)
        sum -= p.h[k + j * 20] * x[j];
      bool first = false;
      for (int64_t r = 0; r < rank; r++)
        first |= order[r] == k;
      if (first)
        CHECK_NEAR(sum / root(&p, k) / root(&p, i), 0, 1e-12);
      else
        CHECK(x[k] == 0);
      left -= x[k] * p.h[k + i * 20];
    }
    CHECK_NEAR(rest / p.h[i + i * 20], left / p.h[i + i * 20], 1e-12);
  }
  th_cholesky_free(&f);
}

int main(void)
{
  CASE(test_systems());
  CASE(test_order());
  CASE(test_tolerance());
  CASE(test_regression());
  return check_finish(NULL);
}
