/* gram.c - Gram matrices have the same bits on any number of ranks, and
 * are what a plain double loop gives
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "problem.h"

#include "mpi/mpi_comm.h"
#include "solvers/access/gram.h"

#include <stdlib.h>
#include <string.h>

struct setting {
  struct problem problem;
  struct memory_store *store;
  int64_t rows;
  int64_t size; /* of the support */
  bool reweighted;
};

/* The whole Gram matrix, for the caller to free; *batch receives the rows. */
static double *gram_of(const struct setting *s, struct th_comm *comm,
                       struct th_gram *gram, struct th_batch *batch,
                       struct th_context *context)
{
  struct th_config config = problem_config("sift", 0, 40);
  struct th_plan plan;
  static struct th_profile profile;
  static double weight[8192];
  struct th_error err;
  struct th_support support = {0};
  struct th_index_value chosen[64];
  bool complete = false;
  th_error_clear(&err);
  CHECK(th_train_plan(&config,
                      (struct th_plan_size){.shape = &s->store->store.shape,
                                            .ranks = comm->size,
                                            .owned = s->problem.attributes},
                      &plan, &err) == TH_OK);
  CHECK(th_context_init(context, &plan, &s->store->store, comm, NULL, &profile,
                        &err) == TH_OK);
  for (int64_t k = 0; k < s->size; k++)
    chosen[k] = (struct th_index_value){
        (2 * k + 1) * s->problem.attributes / (2 * s->size), 1};
  CHECK(th_support_assign(&support, context, chosen, s->size, &err) == TH_OK);
  CHECK(th_gram_start(gram, context, s->size, &err) == TH_OK);
  const struct th_batch_draw draw = {.rows = s->rows,
                                     .consumer = TH_CONSUMER_EXPLOIT};
  const struct th_batch_request view = {
      .draw = &draw, .draws = 1, .support = &support};
  CHECK(th_batch_observe(batch, context, &view, &complete, &err) == TH_OK);
  CHECK(complete);
  for (int64_t i = 0; i < s->rows; i++)
    weight[i] = 0.25 + (double)(i % 7);
  for (int twice = 0; twice < 2; twice++)
    CHECK(th_gram_add(gram, context, batch, &support,
                      s->reweighted ? weight : NULL,
                      s->reweighted ? batch->weight : NULL, &err) == TH_OK);
  th_support_free(&support);
  return gram->a;
}

static double entry(const struct setting *s, const struct th_context *context,
                    const struct th_batch *batch, int64_t k, int64_t i,
                    int64_t row)
{
  if (k == s->size)
    return 1;
  if (k > s->size)
    return s->reweighted ? batch->weight[i] : batch->target[i];
  int64_t j = (2 * k + 1) * s->problem.attributes / (2 * s->size);
  double x = (double)s->store->values[j * s->store->store.shape.examples + row];
  return (x - context->centre[j]) * context->scale[j];
}

/* Against plain sums; alone, where all attributes are owned. */
static void test_plainly(const struct setting *s,
                         const struct th_context *context,
                         const struct th_batch *batch,
                         const struct th_gram *gram)
{
  int64_t order = s->size + 2;
  for (int64_t a = 0; a < order; a++)
    for (int64_t b = a; b < order; b += 1 + b % 3) {
      double sum = 0;
      double size = 0;
      int64_t i = 0;
      for (int64_t p = 0; p < batch->pieces.count; p++)
        for (int64_t r = 0; r < batch->pieces.items[p].count; r++, i++) {
          int64_t row = batch->pieces.items[p].first + r;
          double w = 2 * batch->weight[i];
          w *= s->reweighted ? 0.25 + (double)(i % 7) : 1;
          double term = w * entry(s, context, batch, a, i, row) *
                        entry(s, context, batch, b, i, row);
          sum += term;
          size += fabs(term);
        }
      CHECK(fabs(th_gram_at(gram, a, b) - sum) <= 1e-12 * size);
      CHECK(th_gram_at(gram, a, b) == th_gram_at(gram, b, a));
    }
}

static void test_setting(struct th_comm *comm, struct setting *s)
{
  struct th_comm self;
  struct th_gram grams[2] = {{0}, {0}};
  struct th_batch batches[2] = {{.rows = 0}, {.rows = 0}};
  struct th_context contexts[2];
  size_t order = (size_t)s->size + 2;
  th_comm_self(&self);
  s->store = problem_store(&s->problem);
  s->store->cut = 100;
  memory_store_finish(s->store);
  double *together = gram_of(s, comm, &grams[0], &batches[0], &contexts[0]);
  double *alone = gram_of(s, &self, &grams[1], &batches[1], &contexts[1]);
  CHECK(memcmp(together, alone, order * order * sizeof *alone) == 0);
  CHECK(grams[0].rows == 2 * (double)s->rows);
  CHECK(grams[0].weight == grams[1].weight);
  test_plainly(s, &contexts[1], &batches[1], &grams[1]);
  for (int k = 0; k < 2; k++) {
    th_gram_free(&grams[k]);
    th_batch_free(&batches[k]);
    th_context_free(&contexts[k]);
  }
  memory_store_free(s->store);
}

int main(int argc, char **argv)
{
  struct th_comm comm;
  const int64_t attributes[] = {40, 300, 1100};
  const int64_t rows[] = {1, 255, 256, 257, 1800};
  const int64_t sizes[] = {0, 1, 7, 33};
  th_mpi_comm_start(&comm, &argc, &argv);
  check_start(&comm);
  for (int d = 0; d < 3; d++)
    for (int r = 0; r < 5; r++)
      for (int k = (r + d) % 4; k < 4; k += 3) {
        struct setting s = {.problem = {.training = 2000,
                                        .attributes = attributes[d],
                                        .true_size = 3,
                                        .noise = 1,
                                        .mean = 5,
                                        .seed = 6,
                                        .weighted = (r + k) % 2},
                            .rows = rows[r],
                            .size = sizes[k],
                            .reweighted = (r + k + d) % 3 == 0};
        CASE(test_setting(&comm, &s));
      }
  int failed = check_finish(&comm);
  th_mpi_comm_stop(&comm);
  return failed;
}
