/* shared_memory.c - what ranks of a node share may hold anything at first:
 * every solver of the table makes the same model from memory that is full of
 * something
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "penalised.h"

#include "solvers/solver_table.h"

#include <string.h>

static struct th_comm_ops dirty_ops;
static int64_t shared = 0; /* blocks */

static void dirty_share(struct th_comm *comm, size_t bytes,
                        struct th_shared *block)
{
  struct th_comm self;
  th_comm_self(&self);
  self.ops->share(comm, bytes, block);
  if (block->data != NULL)
    memset(block->data, 0x40, bytes); /* doubles of about 32.5 */
  shared++;
}

static void dirty_comm(struct th_comm *comm)
{
  th_comm_self(comm);
  dirty_ops = *comm->ops;
  dirty_ops.share = dirty_share;
  comm->ops = &dirty_ops;
}

static void expect_equal(const struct th_model *one,
                         const struct th_model *other)
{
  size_t size = (size_t)one->support_size;
  CHECK(one->support_size == other->support_size);
  if (one->support_size != other->support_size)
    return;
  CHECK(memcmp(one->support, other->support, size * sizeof *one->support) == 0);
  CHECK(memcmp(one->coef, other->coef, size * sizeof *one->coef) == 0);
  CHECK(memcmp(&one->intercept, &other->intercept, sizeof one->intercept) == 0);
}

static const int64_t start[] = {5, 15, 25};

static void set_options(struct th_config *config,
                        const struct th_solver_row *row)
{
  config->solver = row->name;
  config->intercept = true;
  if (row->penalised) {
    config->lambda_ratio = row->selects ? 0 : 0.3;
    config->epochs = row->by_examples ? 6 : 0;
    config->sparsity = row->selects ? 3 : 0;
    return;
  }
  config->passes = 2;
  config->budget = 12;
  if (row->ball == NULL && !row->needs_start)
    config->sparsity = 4;
  if (row->needs_start) {
    config->start = (struct th_config_start){.support = start, .size = 3};
    config->budget = 0;
  }
}

/* True if the solver takes such data. */
static bool test_row(const struct th_solver_row *row, struct memory_store *m,
                     const char *loss)
{
  struct th_config config = row->penalised
                                ? penalised_config(row->name, loss, 0)
                                : problem_config(row->name, 0, 0);
  struct th_comm clean;
  struct th_comm dirty;
  struct th_model one;
  struct th_model other;
  struct th_error err = {0};
  th_comm_self(&clean);
  dirty_comm(&dirty);
  set_options(&config, row);
  config.loss = loss;
  th_status rc = problem_train(&config, &m->store, &clean, NULL, &one, &err);
  if (rc == TH_OK) {
    CHECK(problem_train(&config, &m->store, &dirty, NULL, &other, &err) ==
          TH_OK);
    expect_equal(&one, &other);
    th_model_free(&other);
  } else {
    CHECK(rc == TH_EUSAGE || rc == TH_EDATA);
    printf("%s, %s: %s\n", row->name, loss, err.text);
  }
  th_model_free(&one);
  return rc == TH_OK;
}

static void test_rows(bool labels, enum th_layout layout, int *took)
{
  struct problem p = {.training = 700,
                      .attributes = 40,
                      .true_size = 4,
                      .noise = 0.3,
                      .intercept = 0.6,
                      .seed = 8,
                      .labels = labels,
                      .weighted = layout == TH_DENSE};
  struct memory_store *m = problem_store(&p);
  const struct th_solver_row *table = th_solver_table();
  m->store.shape.layout = layout;
  memory_store_finish(m);
  for (int k = 0; table[k].name != NULL; k++)
    took[k] += test_row(&table[k], m, labels ? "logistic" : "squared");
  memory_store_free(m);
}

static void test_took(int times)
{
  CHECK(times > 0);
}

int main(void)
{
  enum { MOST_SOLVERS = 64 };
  int took[MOST_SOLVERS] = {0};
  for (int labels = 0; labels < 2; labels++) {
    CASE(test_rows(labels > 0, TH_DENSE, took));
    CASE(test_rows(labels > 0, TH_SPARSE, took));
  }
  for (int k = 0; th_solver_table()[k].name != NULL; k++)
    CASE_NAMED(th_solver_table()[k].name, test_took(took[k]));
  CHECK(shared > 20);
  return check_finish(NULL);
}
