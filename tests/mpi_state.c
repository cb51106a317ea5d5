/* mpi_state.c - the state of a run, put into another one on another number of
 * ranks, leads to the same bits
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "penalised.h"
#include "state_look.h"

#include "core/integer.h"
#include "mpi/mpi_comm.h"
#include "solvers/algorithm.h"
#include "solvers/driver/run.h"

#include <stdlib.h>
#include <string.h>

static const char *const penalties[] = {"l1", "group", "sparse-group"};

enum { CASES = 8, CASES_OF_SIFT = 12, GROUP = 90, PATH = 3, HOPS = 3 };

/* Numbers by chance, the same on every rank. */
static uint64_t chance(int k, int what, uint64_t most)
{
  const unsigned char bytes[2] = {(unsigned char)k, (unsigned char)what};
  return th_integer_hash(TH_FNV_BASIS, bytes, sizeof bytes) / 7 % most;
}

/* What is trained, and how. */
struct trial {
  struct problem problem;
  struct memory_store *data;
  struct th_config config;
  struct th_groups groups;
  bool grouped;
  int number;
};

/* Many rounds for sift; for lasso, in every fourth case, products of columns.
 */
static int64_t examples_of(const struct th_solver_row *row, int k)
{
  if (strcmp(row->name, "sift") == 0)
    return k % 4 == 1 || k >= CASES ? 12000 : 4000;
  if (strcmp(row->name, "lasso") == 0 && k % 4 == 0)
    return 700;
  return row->penalised ? 90 : 1500;
}

static struct problem problem_of(const struct th_solver_row *row, int k)
{
  bool sift = strcmp(row->name, "sift") == 0;
  return (struct problem){.training = examples_of(row, k),
                          .test = 20,
                          .attributes = sift         ? 300
                                        : k % 3 == 2 ? 1300
                                                     : 700,
                          .true_size = sift ? (k % 4 == 3 ? 3 : 12) : 6,
                          .noise = 0.5,
                          .mean = 0.2,
                          .intercept = k % 4 == 1 ? 2 : 0,
                          .seed = (uint64_t)k,
                          .labels = k % 2,
                          .weighted = k % 5 == 2};
}

/* Values are rare in the later cases, so that trials of sift last over rounds.
 */
static float zero_below(int k)
{
  static const float rare[] = {2, 2, 1.5F, 3};
  return k < CASES ? 1 : rare[k % 4];
}

static struct memory_store *store_of(struct problem *p, int k)
{
  struct memory_store *m = problem_store(p);
  int64_t count = m->store.shape.examples * m->store.shape.attributes;
  m->store.shape.layout = (k / 2) % 2 ? TH_SPARSE : TH_DENSE;
  m->store.shape.type = k % 7 == 3 ? TH_F64 : TH_F32;
  m->cut = k % 3 ? 70 : 0;
  m->placed = k % 2;
  for (int64_t i = 0; m->store.shape.layout == TH_SPARSE && i < count; i++)
    m->values[i] = fabsf(m->values[i]) < zero_below(k) ? 0 : m->values[i];
  memory_store_finish(m);
  return m;
}

static struct th_config budgeted(const struct th_solver_row *row,
                                 const struct problem *p, int k)
{
  struct th_config config =
      problem_config(row->name, row->needs_sparsity ? 8 : 0, 60);
  config.loss = p->labels ? "logistic" : "squared";
  config.standardize = k % 3 > 0;
  config.intercept = k % 4 > 0;
  config.passes = 1 + k % 3;
  config.validation = k % 4 >= 2 ? 0.1 : 0;
  config.refit = (enum th_refit)((k / 2) % 3);
  config.select = k % 3 ? TH_SELECT_AUTO : TH_SELECT_TRUTH;
  if (row->needs_start) {
    config.start.support = p->support;
    config.start.size = p->true_size;
  }
  return config;
}

/* Case by case the screening rules, with and without a path. */
static struct th_config penalised(const struct th_solver_row *row,
                                  const struct problem *p, int k)
{
  struct th_config config =
      penalised_config(row->name, p->labels ? "logistic" : "squared", 0.5);
  config.penalty = penalties[k % 5 == 4 ? 1 + (k / 5) % 2 : 0];
  config.intercept = k % 3 == 1;
  config.standardize = k % 3 == 1;
  config.batch = k % 2 ? 4 : 1;
  config.epochs = k % 4 == 2 ? 40 : 12;
  config.tolerance = k == 2 ? 1e-3 : k == 6 ? 1e-9 : 0;
  config.screening.how = k == 6   ? TH_SCREEN_NONE
                         : k == 7 ? TH_SCREEN_GAP_SAFE
                                  : 0;
  if (k % 3 == 0 && strcmp(row->name, "truncated-gradient") == 0)
    config.screening.how = TH_SCREEN_ONLINE;
  config.screening.rule = (enum th_screen_rule)(k % TH_RULE_COUNT);
  config.screening.every = k % 4 == 3 ? 20 : 0;
  if (k % 3 == 2) {
    config.lambda_ratio = 0;
    config.path = PATH;
    config.path_min = 0.4;
  }
  return config;
}

/* Options that a solver does not have. */
static void fit_options(struct th_config *config)
{
  if (strcmp(config->solver, "lasso") == 0) {
    config->batch = 0;
    config->epochs = 0;
    config->tolerance = 0;
    config->path = 12;
    config->path_min = 0.15;
    config->lambda_ratio = 0;
  }
}

static void make_trial(struct trial *t, const struct th_solver_row *row, int k)
{
  *t = (struct trial){.problem = problem_of(row, k), .number = k};
  t->data = store_of(&t->problem, k);
  t->config = row->penalised ? penalised(row, &t->problem, k)
                             : budgeted(row, &t->problem, k);
  fit_options(&t->config);
  t->config.seed = (uint64_t)k + 1;
  t->grouped = row->penalised && strcmp(t->config.penalty, "l1") != 0;
}

/* Everything that a model says. */
static uint64_t digest_of(const struct th_model *model)
{
  const struct th_certificate *c = &model->certificate;
  const double *const numbers[] = {&c->lambda, &c->lambda_max, &c->objective,
                                   &c->gap,    &c->dual_norm,  &c->violation,
                                   &c->radius};
  uint64_t digest = problem_digest(model);
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
    digest = th_integer_hash(digest, numbers[k], sizeof(double));
  digest = th_integer_hash(digest, &c->active, sizeof c->active);
  digest = th_integer_hash(digest, c->margin, sizeof c->margin);
  return th_integer_hash(digest, c->path,
                         (size_t)c->path_size * sizeof *c->path);
}

/* A run on a team of its own. */
struct session {
  struct th_plan plan;
  struct th_profile profile;
  struct th_run run;
};

static th_status begin(struct session *s, struct trial *t, struct th_comm *comm,
                       struct th_error *err)
{
  struct th_store *store = &t->data->store;
  th_placement_free(&store->placement);
  store->placement = (struct th_placement){.size = 0};
  th_error_clear(err);
  CHECK(th_store_place(store, comm, err) == TH_OK);
  if (t->grouped)
    plain_groups(&t->groups, comm, store->shape.attributes, GROUP);
  t->config.groups = t->grouped ? &t->groups : NULL;
  *s = (struct session){.profile = {.comm = comm}};
  s->run.solver = th_solver_find(t->config.solver);
  th_status rc =
      th_train_plan(&t->config, &store->shape, comm->size,
                    th_store_most_owned(store, comm->size), &s->plan, err);
  CHECK(rc == TH_OK);
  if (rc == TH_OK)
    rc = th_run_open(&s->run, &s->plan, store, comm, NULL, &s->profile, err);
  return rc;
}

static void end(struct session *s, struct trial *t)
{
  th_run_close(&s->run);
  th_groups_free(&t->groups);
}

static void complain(const struct th_comm *comm, const struct trial *t,
                     const char *what)
{
  check_failures++;
  fprintf(stderr, "rank %d of %d, %s, case %d: %s\n", comm->rank, comm->size,
          t->config.solver, t->number, what);
}

/* On to the end; the digest of the model. */
static uint64_t complete(struct session *s, struct trial *t, int64_t *updates,
                         struct th_error *err)
{
  struct th_model model = {0};
  bool more = false;
  uint64_t digest = 0;
  th_status rc = th_run_update(&s->run, INT64_MAX, &more, err);
  *updates = s->run.updates;
  if (rc == TH_OK)
    rc = th_run_finish(&s->run, &model, err);
  if (rc == TH_OK)
    digest = digest_of(&model);
  else
    complain(s->run.context.comm, t, err->text);
  th_model_free(&model);
  return digest;
}

/* A run that nothing disturbs. */
static uint64_t undisturbed(struct th_comm *comm, struct trial *t,
                            int64_t *updates)
{
  struct session s;
  struct th_error err;
  uint64_t digest = 0;
  if (begin(&s, t, comm, &err) == TH_OK)
    digest = complete(&s, t, updates, &err);
  else
    complain(comm, t, err.text);
  end(&s, t);
  return digest;
}

/* What a run shows between two updates, on any number of ranks. */
static uint64_t look_of(const struct session *s)
{
  const struct th_run *run = &s->run;
  const struct th_algorithm *algorithm = run->solver->algorithm;
  const struct th_context *context = &run->context;
  const double numbers[] = {
      algorithm->loss(run->state), algorithm->step_size(run->state),
      algorithm->done != NULL ? algorithm->done(run->state) : 0,
      context->piece_from, context->piece_part};
  const int64_t counts[] = {run->updates, context->deal.reused,
                            context->deal.taken, context->deal.pass};
  uint64_t look = th_integer_hash(TH_FNV_BASIS, numbers, sizeof numbers);
  look = th_integer_hash(look, counts, sizeof counts);
  look = look_at_support(look, algorithm->support(run->state));
  if (algorithm->certificate != NULL)
    look = look_at_certificate(look, algorithm->certificate(run->state));
  return look;
}

/* The state of a run, and how it looks. */
struct moment {
  struct th_state_image image;
  int64_t updates;
  uint64_t look;
};

/* A run from that moment on; from the beginning: NULL. Release by `end`, also
 * after a failure. */
static th_status resume(struct session *s, struct trial *t,
                        struct th_comm *comm, const struct moment *from,
                        struct th_error *err)
{
  th_status rc = begin(s, t, comm, err);
  if (rc == TH_OK && from != NULL)
    rc = th_run_put(&s->run, &from->image, err);
  if (rc == TH_OK && from != NULL && look_of(s) != from->look)
    complain(comm, t, "another state");
  return rc;
}

/* Some updates, and then the state. */
static void go_on(struct th_comm *comm, struct trial *t,
                  const struct moment *from, struct moment *to)
{
  struct session s;
  struct th_error err;
  bool more = true;
  th_status rc = resume(&s, t, comm, from, &err);
  if (rc == TH_OK)
    rc = th_run_update(&s.run, to->updates, &more, &err);
  if (rc == TH_OK)
    rc = th_run_take(&s.run, &to->image, &err);
  if (rc == TH_OK)
    to->look = look_of(&s);
  else
    complain(comm, t, err.text);
  end(&s, t);
}

/* To the end. */
static void go_to_end(struct th_comm *comm, struct trial *t,
                      const struct moment *from, uint64_t right)
{
  struct session s;
  struct th_error err;
  int64_t updates = 0;
  th_status rc = resume(&s, t, comm, from, &err);
  if (rc != TH_OK)
    complain(comm, t, err.text);
  else if (complete(&s, t, &updates, &err) != right)
    complain(comm, t, "another model");
  end(&s, t);
}

/* The first `size` ranks are a team; the others are one each. */
static bool team(struct th_comm *comm, int size, struct th_comm *part)
{
  bool member = comm->rank < size;
  comm->ops->split(comm, member ? 0 : 1 + comm->rank, part);
  return member;
}

/* Another number of ranks than before, where there are several. */
static int other_size(const struct th_comm *comm, int before, int k, int hop)
{
  int size = 1 + (int)chance(k, hop, (uint64_t)comm->size);
  return size != before ? size : 1 + size % comm->size;
}

/* From team to team, a few updates on each; the last one makes the model from
 * the state behind the last update. */
static void test_case(struct th_comm *comm, const struct th_solver_row *row,
                      int k)
{
  struct trial t;
  struct th_comm part;
  struct th_error err;
  int64_t most = 1;
  make_trial(&t, row, k);
  uint64_t right = undisturbed(comm, &t, &most);
  uint64_t stride = 1 + 2 * (uint64_t)most / HOPS;
  struct moment here = {.updates = -1};
  int size = 0;
  th_error_clear(&err);
  for (int hop = 0; here.updates < most; hop++) {
    struct moment next = {.updates = here.updates + 1 +
                                     (int64_t)chance(k, 2 * hop, stride)};
    next.updates = next.updates < most ? next.updates : most;
    size = other_size(comm, size, k, 2 * hop + 1);
    if (team(comm, size, &part))
      go_on(&part, &t, hop > 0 ? &here : NULL, &next);
    th_comm_free(&part);
    CHECK(th_state_image_share(&next.image, comm, &err) == TH_OK);
    comm->ops->bcast(comm, &next.look, sizeof next.look, 0);
    th_state_image_free(&here.image);
    here = next;
  }
  if (team(comm, other_size(comm, size, k, 2 * HOPS), &part))
    go_to_end(&part, &t, &here, right);
  th_comm_free(&part);
  th_state_image_free(&here.image);
  memory_store_free(t.data);
}

static int cases_of(const struct th_solver_row *row)
{
  return strcmp(row->name, "sift") == 0 ? CASES_OF_SIFT : CASES;
}

/* With an argument: that solver alone. */
int main(int argc, char **argv)
{
  struct th_comm comm;
  th_mpi_start(&comm, &argc, &argv);
  for (const struct th_solver_row *row = th_solver_table(); row->name != NULL;
       row++)
    for (int k = 0; k < cases_of(row); k++)
      if (argc < 2 || strcmp(argv[1], row->name) == 0)
        test_case(&comm, row, k);
  int failed = check_finish(&comm);
  th_mpi_stop(&comm);
  return failed;
}
