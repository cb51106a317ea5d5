/* sparse.c - rare attributes: what entries add to evidence, and sift
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "normal.h"
#include "problem.h"

#include "base/random.h"
#include "math/kernels/kernels.h"

#include <stdlib.h>
#include <string.h>

enum {
  EXAMPLES = 12000,
  ATTRIBUTES = 700,
  TRUE = 8,        /* attributes 0, 80, 160, ... */
  SINGLES = 40,    /* attributes that one far-off example alone has */
  OUTLIER = 300,   /* this example */
  GROUP_ROWS = 64, /* of the kernel test */
  WORDS = (ATTRIBUTES + 63) / 64
};

static double uniform(uint64_t step, int64_t index)
{
  struct th_stream stream = {11, TH_PURPOSE_TEST};
  double pair[2];
  th_random_uniform(stream, step, (uint64_t)index, pair);
  return pair[0];
}

static bool is_true(int64_t j)
{
  return j % 80 == 0 && j < 80 * TRUE;
}

/* One value in 500 is 1 or 2; the last attributes are the outlier's own. */
static struct memory_store *rare_store(double outlier)
{
  struct memory_store *m = memory_store_new(EXAMPLES, EXAMPLES, ATTRIBUTES);
  m->store.shape.layout = TH_SPARSE;
  for (int64_t i = 0; i < EXAMPLES; i++)
    m->target[i] = test_normal(12, 1, i) + (i == OUTLIER ? outlier : 0);
  for (int64_t j = 0; j < ATTRIBUTES; j++)
    for (int64_t i = 0; i < EXAMPLES; i++) {
      double u = uniform((uint64_t)j, i);
      double x = u < 1.0 / 500 ? 1 + (u < 1.0 / 1000) : 0;
      if (j >= ATTRIBUTES - SINGLES)
        x = i == OUTLIER;
      m->values[j * EXAMPLES + i] = (float)x;
      m->target[i] += is_true(j) ? x * (j % 160 == 0 ? 1 : -1) : 0;
    }
  memory_store_finish(m);
  return m;
}

static void train(struct memory_store *m, int64_t budget, int64_t passes,
                  struct th_model *model)
{
  struct th_config config = problem_config("sift", 0, budget);
  config.passes = passes;
  problem_must_train(&config, m, NULL, model);
}

/* Some 24 examples hold an attribute, fewer than one in a sweep at first. */
static void test_rare_attributes_are_found(void)
{
  struct memory_store *m = rare_store(0);
  for (int64_t budget = 350; budget <= ATTRIBUTES; budget += 350) {
    struct th_model model;
    train(m, budget, budget == ATTRIBUTES ? 2 : 4, &model);
    int64_t found = 0;
    for (int64_t k = 0; k < model.support_size; k++) {
      found += is_true(model.support[k]);
      CHECK(fabs(model.coef[k]) < 1.5);
    }
    CHECK(found == TRUE);
    CHECK(model.support_size <= TRUE + 1);
    th_model_free(&model);
  }
  memory_store_free(m);
}

/* All of an outlier's own attributes explain it, each alone; none may enter. */
static void test_one_example_admits_nothing(void)
{
  struct memory_store *m = rare_store(60);
  struct th_model model;
  train(m, ATTRIBUTES, 2, &model);
  for (int64_t k = 0; k < model.support_size; k++)
    CHECK(model.support[k] < ATTRIBUTES - SINGLES);
  th_model_free(&model);
  memory_store_free(m);
}

struct kernel_case {
  double residual[GROUP_ROWS];
  double weight[GROUP_ROWS];
  struct th_evidence evidence[ATTRIBUTES];
  uint64_t touched[WORDS];
};

/* One attribute's sums, and whether it has an entry, value by value. */
static void check_attribute(const struct memory_store *m,
                            const struct kernel_case *c, int64_t j,
                            int64_t first, int64_t rows)
{
  struct th_evidence sum = {0};
  bool any = false;
  for (int64_t i = 0; i < rows; i++) {
    double x = (double)m->values[j * EXAMPLES + first + i];
    sum.u += c->residual[i] * x;
    sum.v += c->weight[i] * x * x;
    any |= x != 0;
  }
  CHECK_NEAR(c->evidence[j].u, 2 * sum.u, 1e-13);
  CHECK_NEAR(c->evidence[j].v, 0.5 * sum.v, 1e-13);
  bool bit = c->touched[j / 64] >> (j % 64) & 1;
  CHECK(bit == any);
}

static void test_touch(struct memory_store *m, struct kernel_case *c,
                       int64_t first, int64_t rows)
{
  const struct th_evidence unit = {2, 0.5};
  struct th_row_weights multiplier = {.residual = c->residual,
                                      .weight = c->weight};
  struct th_range all = {5, ATTRIBUTES};
  struct th_slab slab;
  struct th_error err = {0};
  memset(c->evidence, 0, sizeof c->evidence);
  memset(c->touched, 0, sizeof c->touched);
  CHECK(m->store.ops->slab(&m->store, (struct th_rows){first, rows}, all, false,
                           &slab, &err) == TH_OK);
  th_kernels_sparse_touch(&slab, &multiplier, unit, 5, c->evidence, c->touched);
  for (int64_t j = 5; j < ATTRIBUTES; j++)
    check_attribute(m, c, j, first, rows);
  CHECK((c->touched[0] & 31) == 0);
}

static void test_kernels(void)
{
  struct memory_store *m = rare_store(0);
  struct kernel_case *c = calloc(1, sizeof *c);
  for (int64_t i = 0; c != NULL && i < GROUP_ROWS; i++) {
    c->residual[i] = test_normal(12, 2, i);
    c->weight[i] = uniform(1001, i);
  }
  for (int64_t rows = 1; c != NULL && rows <= GROUP_ROWS; rows += 9)
    test_touch(m, c, 64 * rows + (GROUP_ROWS - rows) / 2, rows);
  CHECK(c != NULL);
  free(c);
  memory_store_free(m);
}

int main(void)
{
  CASE(test_kernels());
  CASE(test_rare_attributes_are_found());
  CASE(test_one_example_admits_nothing());
  return check_finish(NULL);
}
