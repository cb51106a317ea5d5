/* covariance.c - products of columns that grow and are dropped: the bits of
 * one rank on any number of ranks, and the sums of a double loop
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/random.h"
#include "math/kernels/column.h"
#include "mpi/mpi_comm.h"
#include "solvers/exact/covariance.h"

#include <string.h>

enum { MOST_EXAMPLES = 2 * TH_PRODUCTS_ROWS + 13, MOST = 150 };

struct sample {
  float single[MOST / 2][MOST_EXAMPLES];
  double wide[MOST / 2][MOST_EXAMPLES];
  struct th_vector vector[MOST];
  struct th_replicated_columns columns;
  double eta[MOST_EXAMPLES];
  double root_eta[MOST_EXAMPLES];
};

static double uniform(uint64_t step, int64_t index)
{
  struct th_stream stream = {13, TH_PURPOSE_TEST};
  double pair[2];
  th_random_uniform(stream, step, (uint64_t)index, pair);
  return pair[0];
}

/* Floats and doubles in turn; weights sum to 1. */
static void fill(struct sample *s, int64_t examples)
{
  double all = 0;
  for (int64_t i = 0; i < examples; i++)
    all += 0.5 + uniform(MOST, i);
  for (int64_t i = 0; i < examples; i++) {
    s->eta[i] = (0.5 + uniform(MOST, i)) / all;
    s->root_eta[i] = sqrt(s->eta[i]);
  }
  for (int64_t k = 0; k < MOST; k++) {
    for (int64_t i = 0; i < examples; i++) {
      s->wide[k / 2][i] = uniform((uint64_t)k, i);
      s->single[k / 2][i] = (float)s->wide[k / 2][i];
    }
    s->vector[k] =
        (struct th_vector){.form = k % 2 ? TH_VECTOR_DOUBLE : TH_VECTOR_SINGLE,
                           .items = examples,
                           .centre = 0.4,
                           .scale = 1 + 0.01 * (double)k,
                           .values = s->single[k / 2]};
    if (k % 2)
      s->vector[k].values = s->wide[k / 2];
  }
  s->columns =
      (struct th_replicated_columns){.examples = examples, .vector = s->vector};
}

static double value(const struct th_vector *x, int64_t i)
{
  double stored = x->form == TH_VECTOR_SINGLE ? ((const float *)x->values)[i]
                                              : ((const double *)x->values)[i];
  return (stored - x->centre) * x->scale;
}

static double mean(const struct sample *s, const struct th_vector *x)
{
  double sum = 0;
  for (int64_t i = 0; i < s->columns.examples; i++)
    sum += s->eta[i] * value(x, i);
  return sum;
}

static void check_products(const struct sample *s,
                           const struct th_covariance *c, bool centred)
{
  CHECK(c->count == s->columns.count);
  for (int64_t j = 0; j < c->count; j++)
    for (int64_t k = 0; k <= j; k++) {
      const struct th_vector *x = &s->vector[j];
      const struct th_vector *z = &s->vector[k];
      double sum = centred ? -mean(s, x) * mean(s, z) : 0;
      for (int64_t i = 0; i < s->columns.examples; i++)
        sum += s->eta[i] * value(x, i) * value(z, i);
      CHECK_NEAR(c->product[j * c->capacity + k], sum, 1e-14);
      CHECK(c->product[j * c->capacity + k] == c->product[k * c->capacity + j]);
    }
}

static void check_same(const struct th_covariance *c,
                       const struct th_covariance *alone)
{
  CHECK(c->count == alone->count && c->capacity == alone->capacity);
  for (int64_t j = 0; j < c->count; j++)
    CHECK(memcmp(c->product + j * c->capacity, alone->product + j * c->capacity,
                 (size_t)c->count * sizeof *c->product) == 0);
}

/* Columns that stay: two of three. */
static void drop(struct sample *s, struct th_covariance *c,
                 struct th_covariance *alone)
{
  bool keep[MOST];
  int64_t kept = 0;
  for (int64_t k = 0; k < s->columns.count; k++) {
    keep[k] = k % 3 != 1;
    if (keep[k])
      s->vector[kept++] = s->vector[k];
  }
  th_covariance_keep(c, keep);
  th_covariance_keep(alone, keep);
  s->columns.count = kept;
}

static void test_growth(struct sample *s, struct th_comm *comm,
                        int64_t examples, bool centred)
{
  const int64_t counts[] = {1, 5, 5, 16, 33, 100, -1, 90, 91};
  struct th_comm self;
  struct th_covariance c = {0};
  struct th_covariance alone = {0};
  struct th_error err = {0};
  th_comm_self(&self);
  fill(s, examples);
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    if (counts[k] < 0) {
      drop(s, &c, &alone);
      continue;
    }
    s->columns.count = counts[k];
    CHECK(th_covariance_grow(&c, &s->columns, comm, s->eta, s->root_eta,
                             centred, &err) == TH_OK);
    CHECK(th_covariance_grow(&alone, &s->columns, &self, s->eta, s->root_eta,
                             centred, &err) == TH_OK);
    check_same(&c, &alone);
    check_products(s, &c, centred);
  }
  th_covariance_free(&c);
  th_covariance_free(&alone);
}

/* Columns are dropped where no products were ever made, too. */
static void test_none(void)
{
  const bool keep[] = {true, false};
  struct th_covariance none = {0};
  th_covariance_keep(&none, keep);
  CHECK(none.count == 0 && none.product == NULL);
  th_covariance_free(&none);
}

int main(int argc, char **argv)
{
  static struct sample s;
  struct th_comm comm;
  th_mpi_comm_start(&comm, &argc, &argv);
  check_start(&comm);
  CASE(test_none());
  CASE(test_growth(&s, &comm, 1, false));
  CASE(test_growth(&s, &comm, TH_PRODUCTS_ROWS, true));
  CASE(test_growth(&s, &comm, MOST_EXAMPLES, false));
  CASE(test_growth(&s, &comm, MOST_EXAMPLES, true));
  int failed = check_finish(&comm);
  th_mpi_comm_stop(&comm);
  return failed;
}
