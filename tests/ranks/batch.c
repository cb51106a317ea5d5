/* batch.c - a batch whose predictions are summed in slices: what is visited
 * meanwhile, the same bits on any number of ranks, failures in mid-flight
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "problem.h"
#include "ranks/partition.h"

#include "mpi/mpi_comm.h"
#include "solvers/access/batch.h"

#include <stdlib.h>
#include <string.h>

enum {
  TRAINING = 40000,
  ATTRIBUTES = 600,
  BLOCK = 100,
  BLOCK_ROWS = 5000, /* 30000 rows in all: several slices */
  SUPPORT = 5
};

/* A store that fails on one rank, after some slabs. */
struct frail {
  struct memory_store *memory;
  const struct th_store_ops *ops; /* the memory store's own */
  int64_t slabs;                  /* that are still handed out; -1: all */
  bool failed;                    /* one too many was asked for */
};

static struct frail frail;

static th_status frail_slab(struct th_store *store, struct th_rows rows,
                            struct th_range range, bool keep,
                            struct th_slab *slab, struct th_error *err)
{
  frail.failed |= frail.slabs == 0;
  if (frail.slabs == 0)
    return th_fail(err, TH_EIO, "no more slabs");
  frail.slabs -= frail.slabs > 0;
  return frail.ops->slab(store, rows, range, keep, slab, err);
}

struct setting {
  struct th_context context;
  struct th_plan plan;
  struct th_profile profile;
  struct th_support support;
  struct th_blocks blocks;
  struct th_batch batch;
  double grad[ATTRIBUTES]; /* of the owned attributes */
};

static void add_gradient(void *self, const struct th_slab *slab,
                         const struct th_row_weights *multiplier,
                         int64_t offset)
{
  struct setting *s = self;
  th_kernel_gradient(slab, multiplier, s->context.centre + offset,
                     s->grad + offset);
}

static struct setting *begin(struct th_comm *comm)
{
  struct th_config config = problem_config("exploration", SUPPORT, BLOCK + 9);
  struct setting *s = calloc(1, sizeof *s);
  struct th_index_value chosen[SUPPORT];
  struct th_error err;
  th_error_clear(&err);
  CHECK(th_train_plan(&config,
                      (struct th_plan_size){.shape = &frail.memory->store.shape,
                                            .ranks = comm->size,
                                            .owned = ATTRIBUTES},
                      &s->plan, &err) == TH_OK);
  CHECK(th_context_init(&s->context, &s->plan, &frail.memory->store, comm, NULL,
                        &s->profile, &err) == TH_OK);
  for (int k = 0; k < SUPPORT; k++)
    chosen[k] = (struct th_index_value){k * 130 + 3, 0.5 - 0.2 * k};
  CHECK(th_support_assign(&s->support, &s->context, chosen, SUPPORT, &err) ==
        TH_OK);
  CHECK(th_partition_blocks_even(&s->blocks, ATTRIBUTES, BLOCK, &err) == TH_OK);
  return s;
}

static th_status look(struct setting *s, struct th_error *err)
{
  struct th_batch_draw draw[ATTRIBUTES];
  for (int64_t i = 0; i < s->blocks.count; i++)
    draw[i] = (struct th_batch_draw){
        .block = {s->blocks.edges[i], s->blocks.edges[i + 1]},
        .rows = BLOCK_ROWS,
        .consumer = TH_CONSUMER_BLOCK + i};
  const struct th_batch_request view = {.draw = draw,
                                        .draws = s->blocks.count,
                                        .blocks = s->blocks.count,
                                        .support = &s->support,
                                        .loss = s->context.loss,
                                        .visit = add_gradient,
                                        .self = s};
  bool complete = false;
  th_status rc =
      th_batch_evaluate(&s->batch, &s->context, &view, &complete, err);
  CHECK(complete);
  return rc;
}

static void end(struct setting *s)
{
  th_support_free(&s->support);
  th_partition_blocks_free(&s->blocks);
  th_batch_free(&s->batch);
  th_context_free(&s->context);
  free(s);
}

/* Visited in flight or afterwards: the same sums. */
static void test_visits(struct setting *s)
{
  double flown[ATTRIBUTES];
  struct th_error err;
  th_error_clear(&err);
  memcpy(flown, s->grad, sizeof flown);
  memset(s->grad, 0, sizeof s->grad);
  CHECK(th_batch_blocks(&s->batch, &s->context, add_gradient, s, &err) ==
        TH_OK);
  CHECK(memcmp(flown, s->grad, sizeof flown) == 0);
  bool any = s->context.owned.first == s->context.owned.last;
  for (int j = 0; j < ATTRIBUTES; j++)
    any |= flown[j] != 0;
  CHECK(any);
}

/* Predictions against plain sums over the support. */
static void test_predictions(const struct setting *s,
                             const struct th_comm *comm)
{
  const struct th_batch *batch = &s->batch;
  int64_t wrong = 0;
  int64_t i = 0;
  if (comm->size > 1)
    return; /* one rank has all the columns */
  for (; i < batch->rows; i++) {
    double sum = s->support.intercept;
    for (int k = 0; k < SUPPORT; k++)
      sum += s->support.coef[k] * batch->columns[k * batch->rows + i];
    wrong += !(fabs(sum - batch->prediction[i]) < 1e-12);
  }
  CHECK(i == ATTRIBUTES / BLOCK * BLOCK_ROWS && wrong == 0);
}

static void test_flight(struct th_comm *comm)
{
  struct th_comm self;
  struct th_error err;
  th_error_clear(&err);
  th_comm_self(&self);
  struct setting *together = begin(comm);
  struct setting *alone = begin(&self);
  int64_t before = comm->operations;
  CHECK(look(together, &err) == TH_OK && look(alone, &err) == TH_OK);
  CHECK(comm->operations - before >= 6); /* three slices or more, in halves */
  CHECK(together->batch.visited == TH_OK);
  size_t bytes = (size_t)together->batch.rows * sizeof(double);
  CHECK(together->batch.loss == alone->batch.loss);
  CHECK(memcmp(together->batch.residual, alone->batch.residual, bytes) == 0);
  test_visits(together);
  test_predictions(alone, &self);
  end(together);
  end(alone);
}

/* Each rank in turn runs out of slabs: soon, in mid-flight, while visiting. */
static void test_failures(struct th_comm *comm)
{
  for (int bad = 0; bad < comm->size; bad++)
    for (int64_t slabs = 0; slabs < 4000; slabs = 3 * slabs + 1) {
      struct setting *s = begin(comm);
      struct th_error err;
      th_error_clear(&err);
      frail.slabs = comm->rank == bad ? slabs : -1;
      th_status rc = look(s, &err);
      /* what comes of a visit waits for the next collective */
      rc = th_agree(comm, rc == TH_OK ? s->batch.visited : rc, &err);
      int64_t any = frail.failed;
      frail.slabs = -1;
      frail.failed = false;
      comm->ops->sum_i64(comm, &any, 1);
      CHECK((rc == TH_EIO) == (any > 0));
      CHECK(rc == TH_OK || (err.rank == bad && err.code == TH_EIO));
      end(s);
    }
}

int main(int argc, char **argv)
{
  struct th_comm comm;
  struct problem p = {.training = TRAINING,
                      .attributes = ATTRIBUTES,
                      .true_size = SUPPORT,
                      .noise = 1,
                      .mean = 0.5,
                      .seed = 12,
                      .weighted = true};
  th_mpi_comm_start(&comm, &argc, &argv);
  check_start(&comm);
  frail.memory = problem_store(&p);
  memory_store_finish(frail.memory);
  frail.ops = frail.memory->store.ops;
  frail.slabs = -1;
  struct th_store_ops ops = *frail.ops;
  ops.slab = frail_slab;
  frail.memory->store.ops = &ops;
  CASE(test_flight(&comm));
  CASE(test_failures(&comm));
  memory_store_free(frail.memory);
  int failed = check_finish(&comm);
  th_mpi_comm_stop(&comm);
  return failed;
}
