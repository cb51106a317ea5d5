/* faults.c - one rank of many runs out of memory, cannot read, or is asked
 * to leave, anywhere in a solver: all ranks end with its error, and none hangs
 *
 *   mpi_faults [all|SOLVER]
 *
 * tries 15 calls of each kind in all forms of data together; with an argument
 * 24 in each form.
 *
 * Linked with --wrap, so that nothing in the sources needs to know; MPI's own
 * allocations are its own.
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "penalised.h"
#include "ranks/partition.h"

#include "math/grouping.h"
#include "mpi/mpi_comm.h"

#include <stdlib.h>
#include <string.h>

static const char *const losses[] = {"squared", "logistic"};
static const char *const penalties[] = {"l1", "group", "sparse-group"};

/* Cells have 256 attributes, so groups of 100 cross ranks. */
/* Forms: dense, dense with labels, sparse; and dense with more examples than
 * coordinate descent wants to see, which is for lasso alone. */
enum { TALL = 3, FORMS };
enum { ATTRIBUTES = 600, GROUP = 100 };

enum fault { MEMORY, READING, LEAVING };

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__real_malloc(size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);

/* What goes wrong on this rank, and when. */
static struct {
  enum fault fault;
  int64_t left;  /* calls until it does; below 0: never */
  int64_t calls; /* so far */
  size_t bytes;  /* that were asked for */
  bool failed;
} now;
static const struct th_store_ops *plain_ops;

static bool fails(enum fault fault)
{
  if (now.fault != fault)
    return false;
  now.calls++;
  now.failed |= now.left == 0;
  return now.left-- == 0;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
  now.bytes += size;
  return fails(MEMORY) ? NULL : __real_aligned_alloc(alignment, size);
}

void *__wrap_malloc(size_t size)
{
  return fails(MEMORY) ? NULL : __real_malloc(size);
}

static th_status frail_slab(struct th_store *store, struct th_rows rows,
                            struct th_range range, bool keep,
                            struct th_slab *slab, struct th_error *err)
{
  if (fails(READING))
    return th_fail(err, TH_EIO, "a slab cannot be read");
  return plain_ops->slab(store, rows, range, keep, slab, err);
}

static bool leaves(void *self)
{
  (void)self;
  return fails(LEAVING);
}

static struct memory_store *store_of(int form)
{
  struct problem p = {.training = form == TALL ? 600 : 40,
                      .attributes = ATTRIBUTES,
                      .true_size = 5,
                      .noise = 0.3,
                      .seed = (uint64_t)form,
                      .labels = form == 1,
                      .weighted = form == 1};
  struct memory_store *m = problem_store(&p);
  m->store.shape.layout = form == 2 ? TH_SPARSE : TH_DENSE;
  m->cut = 150;
  memory_store_finish(m);
  return m;
}

/* In a ball: passes in which the second phase begins, and early stops. */
static struct th_config ball_config(const struct th_solver_row *row, int form)
{
  struct th_config config = problem_config(row->name, 0, 30);
  config.passes = 3;
  config.validation = form == 1 ? 0.2 : 0;
  config.row_cache_memory = form;
  config.ball.adagrad = form == 2 ? TH_ADAGRAD_COORDINATE : TH_ADAGRAD_AUTO;
  return config;
}

/* Each way to the coefficients. */
static struct th_config ridge_config(int form)
{
  static const enum th_factoring ways[] = {
      TH_FACTORING_OWN, TH_FACTORING_SCALAPACK, TH_FACTORING_CG};
  struct th_config config = penalised_config("ridge", "squared", 0.02);
  config.method.factoring = ways[form % 3];
  return config;
}

/* By folds where there are labels, by what is held out, by a number. */
static struct th_config pursuit_config(int form)
{
  struct th_config config =
      penalised_config("omp", losses[form == 1], form == 0 ? 0.5 : 0);
  config.sparsity = form == 1 ? 0 : 6;
  config.validation = form == 2 ? 0.2 : -1;
  return config;
}

/* Weights, which form 1 has, are not for all; the last form is for lasso. */
static bool takes(const struct th_solver_row *row, int form)
{
  return form == TALL ? strcmp(row->name, "lasso") == 0
                      : form != 1 || !solver_uses(row, "mu");
}

/* With bounds so small that attributes stand out of few examples. */
static struct th_config online_config(void)
{
  struct th_config config = problem_config("oomp", 4, 0);
  config.loss = "squared";
  config.passes = 20;
  config.greedy.mu = 0;
  config.greedy.bound = 0.01;
  config.greedy.rho = 1;
  config.greedy.smoothness = 1;
  return config;
}

/* Under a budget; whole examples where the solver can. */
static struct th_config looks_config(const struct th_solver_row *row, int form)
{
  bool whole = !row->needs_budget && form > 0;
  struct th_config config =
      problem_config(row->name, whole ? 0 : 6, whole ? 0 : 30);
  config.loss = "squared";
  config.passes = 3;
  config.validation = form == 1 ? 0.2 : 0;
  config.row_cache_memory = form;
  config.rounds.growth = 3;
  return config;
}

/* Under a budget, with both ends: form 0 has the strict one. */
static struct th_config budgeted_config(const struct th_solver_row *row,
                                        int form)
{
  static const int64_t start[] = {0, 7, 300, 599};
  bool keeps = row->needs_start;
  bool sifts = solver_uses(row, "select");
  struct th_config config =
      problem_config(row->name, sifts || keeps ? 0 : 4, 60);
  if (keeps || sifts) /* few examples: sift shares them among few blocks */
    config.budget = keeps ? 0 : 300;
  config.passes = 3;
  config.validation = form == 1 && !sifts ? 0.2 : 0;
  config.select = form == 0 ? TH_SELECT_TRUTH : TH_SELECT_AUTO;
  if (keeps)
    config.start = (struct th_config_start){.support = start, .size = 4};
  config.loss = solver_loss(&config, losses[form == 1]);
  return config;
}

static struct th_config config_of(const struct th_solver_row *row, int form)
{
  if (solver_uses(row, "mu"))
    return online_config();
  if (solver_looks(row))
    return looks_config(row, form);
  if (row->ball != NULL)
    return ball_config(row, form);
  if (!row->penalised)
    return budgeted_config(row, form);
  if (row->ridge != NULL)
    return ridge_config(form);
  if (row->selects)
    return pursuit_config(form);
  struct th_config config = penalised_config(row->name, losses[form == 1], 0.5);
  config.penalty = penalties[form % 3];
  config.standardize = form == 1;
  config.intercept = form == 1;
  config.batch = form == 2 ? 4 : 1;
  config.epochs = 8;
  config.screening.every = 40;
  config.row_cache_memory =
      form; /* a byte or two: what is read does not stay */
  return config;
}

/* Train with call number `left` of this kind failing on rank `bad`; returns how
 * many calls there were on this rank. Collective. */
static int64_t train(struct th_comm *comm, const struct th_config *config,
                     struct memory_store *m, int bad, enum fault fault,
                     int64_t left)
{
  static const th_status code[] = {TH_ENOMEM, TH_EIO, TH_ESTOPPED};
  static const char *const word[] = {"memory", "slab", "stopped"};
  const struct th_monitor monitor = {.leaves = leaves};
  struct th_model model;
  struct th_error err;
  now.left = comm->rank == bad ? left : -1;
  now.calls = 0;
  now.failed = false;
  now.fault = fault;
  th_status rc = problem_train(config, &m->store, comm, &monitor, &model, &err);
  int64_t calls = now.calls;
  int64_t any = now.failed;
  now.left = -1;
  comm->ops->sum_i64(comm, &any, 1);
  if (rc != (any > 0 ? code[fault] : TH_OK) && comm->rank == 0)
    fprintf(stderr, "%s, fault %d at call %lld of rank %d: status %d: %s\n",
            config->solver, (int)fault, (long long)left, bad, (int)rc,
            err.text);
  CHECK(rc == (any > 0 ? code[fault] : TH_OK));
  CHECK(rc == TH_OK || err.code == rc);
  CHECK(rc == TH_OK || fault == LEAVING || err.rank == bad);
  CHECK(rc == TH_OK || strstr(err.text, word[fault]));
  th_model_free(&model);
  return calls;
}

/* How many calls of a kind fail in a form of data. */
static int64_t points_of(enum fault fault, const struct th_solver_row *row,
                         bool all)
{
  if (fault == LEAVING)
    return all ? 8 : 2;
  return !all ? 3 : solver_uses(row, "select") ? 8 : 24;
}

/* Each rank in turn, at some of its calls: the first ones, the last one, and
 * others in between. */
static void test_fault(struct th_comm *comm, const struct th_config *config,
                       struct memory_store *m, enum fault fault, int64_t points,
                       int shift)
{
  int64_t calls[8] = {0};
  calls[comm->rank] = train(comm, config, m, -1, fault, -1);
  comm->ops->sum_i64(comm, calls, (size_t)comm->size);
  for (int bad = 0; bad < comm->size; bad++) {
    CHECK(calls[bad] > 0);
    for (int64_t k = 0; k < points; k++)
      train(comm, config, m, bad, fault,
            ((k + 1) * calls[bad] - 1 - shift) / points);
  }
}

/* What a plan says that groups take, of what is asked for: groups of every
 * stride-th attribute. */
static void test_bytes(struct th_comm *comm, int64_t stride,
                       const char *penalty)
{
  enum { MANY = 40960 };
  const struct th_penalty *p = th_penalty_find(penalty);
  struct th_range mine = th_partition_rank(MANY, comm->rank, comm->size);
  struct th_group_piece *piece = calloc(MANY, sizeof *piece);
  int64_t *attribute = calloc(MANY, sizeof *attribute);
  struct th_grouping grouping = {0};
  struct th_groups groups;
  struct th_error err = {0};
  for (int64_t j = 0; j < MANY; j++) {
    piece[j] =
        (struct th_group_piece){{j, j + 1}, j % stride, MANY / stride, 0};
    attribute[j] = mine.first + j;
  }
  now.bytes = 0;
  CHECK(th_groups_share(&groups, comm, MANY, piece, MANY, TH_OK, &err) ==
        TH_OK);
  struct th_grouping_penalty of = {.penalty = p, .mix = 0.5, .groups = &groups};
  CHECK(th_grouping_build(&grouping, &of, comm, attribute,
                          mine.last - mine.first, &err) == TH_OK);
  double share = (double)th_grouping_bytes(&groups, p, mine.last - mine.first,
                                           comm->size) /
                 (double)now.bytes;

  if (!(share > 0.5 && share < 1))
    fprintf(stderr, "%s, stride %d: %g\n", penalty, (int)stride, share);
  CHECK(share > 0.5 && share < 1);
  th_grouping_free(&grouping);
  th_groups_free(&groups);
  free(piece);
  free(attribute);
}

int main(int argc, char **argv)
{
  struct th_comm comm;
  const char *only = argc > 1 ? argv[1] : NULL;
  now.left = -1;
  th_mpi_comm_start(&comm, &argc, &argv);
  check_start(&comm);
  for (int form = 0; form < FORMS; form++) {
    struct memory_store *m = store_of(form);
    struct th_groups groups;
    plain_groups(&groups, &comm, ATTRIBUTES, GROUP);
    plain_ops = m->store.ops;
    struct th_store_ops ops = *plain_ops;
    ops.slab = frail_slab;
    m->store.ops = &ops;
    int shift = form;
    for (const struct th_solver_row *row = th_solver_table(); row->name != NULL;
         row++, shift++) {
      struct th_config config = config_of(row, form);
      bool asked = only == NULL || strcmp(only, "all") == 0 ||
                   strcmp(only, row->name) == 0;
      if (!takes(row, form) || !asked)
        continue;
      config.group.all = form % 3 > 0 ? &groups : NULL;
      for (enum fault fault = MEMORY; fault <= LEAVING; fault++)
        CHECK_CASE(row->name, form,
                   test_fault(&comm, &config, m, fault,
                              points_of(fault, row, only != NULL), shift));
    }
    th_groups_free(&groups);
    memory_store_free(m);
  }
  CASE(test_bytes(&comm, 4096, "l1"));
  CASE(test_bytes(&comm, 4096, "group"));
  CASE(test_bytes(&comm, 40960, "group"));
  int failed = check_finish(&comm);
  th_mpi_comm_stop(&comm);
  return failed;
}
