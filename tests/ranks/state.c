/* state.c - the state of a run, put into another one on another number of
 * ranks, leads to the same bits
 * SPDX-License-Identifier: MIT */
#include "cases.h"
#include "check.h"
#include "state_look.h"
#include "state_trial.h"

#include "base/integer.h"
#include "solvers/algorithms.h"
#include "solvers/driver/run.h"

#include <stdlib.h>
#include <string.h>

enum { GROUP = 90, HOPS = 6, MOST_HOPS = 12 };

/* Numbers by chance, the same on every rank. */
static uint64_t chance(int k, int what, uint64_t most)
{
  const unsigned char bytes[2] = {(unsigned char)k, (unsigned char)what};
  return th_integer_hash(TH_FNV_BASIS, bytes, sizeof bytes) / 7 % most;
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
  th_partition_placement_free(&store->placement);
  store->placement = (struct th_placement){.size = 0};
  th_error_clear(err);
  CHECK(th_store_place(store, comm, err) == TH_OK);
  if (t->grouped)
    plain_groups(&t->groups, comm, store->shape.attributes, GROUP);
  t->config.group.all = t->grouped ? &t->groups : NULL;
  *s = (struct session){.profile = {.comm = comm}};
  s->run.solver = th_solver_find(t->config.solver);
  th_status rc = th_train_plan(&t->config, th_plan_size_of(store, comm->size),
                               &s->plan, err);
  CHECK(rc == TH_OK);
  if (rc == TH_OK)
    rc = th_run_open(&s->run, &s->plan, store, comm, NULL, &s->profile, err);
  return rc;
}

static void end(struct session *s, struct trial *t)
{
  if (s->run.algorithm != NULL) /* there was a plan */
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

/* Where a run is cut, and what its state says there if it is not. */
struct cuts {
  int count;
  int64_t updates[MOST_HOPS];
  uint64_t print[MOST_HOPS];
};

/* Cuts at random, some updates apart, or behind every one of few; the last but
 * one behind the last update, the last when the run knows that it was the last.
 */
static struct cuts make_cuts(int64_t most, int k)
{
  struct cuts cuts = {.count = 0};
  uint64_t stride = most <= HOPS ? 1 : 1 + 2 * (uint64_t)most / HOPS;
  int64_t at = 0;
  while (at < most && cuts.count < MOST_HOPS - 1) {
    at += 1 + (int64_t)chance(k, 2 * cuts.count, stride);
    if (at > most || cuts.count == MOST_HOPS - 2)
      at = most;
    cuts.updates[cuts.count++] = at;
  }
  cuts.updates[cuts.count++] = INT64_MAX;
  return cuts;
}

/* The states at the cuts of a run that goes on in one go. */
static void print_cuts(struct th_comm *comm, struct trial *t, struct cuts *cuts)
{
  struct session s;
  struct th_error err;
  bool more = true;
  th_status rc = begin(&s, t, comm, &err);
  for (int k = 0; k < cuts->count && rc == TH_OK; k++) {
    struct th_state_image image = {.count = 0};
    rc = th_run_update(&s.run, cuts->updates[k], &more, &err);
    if (rc == TH_OK)
      rc = th_run_snapshot(&s.run, &image, &err);
    cuts->print[k] = look_at_image(&image);
    th_state_image_free(&image);
  }
  if (rc != TH_OK)
    complain(comm, t, err.text);
  end(&s, t);
}

/* What a run shows between two updates, on any number of ranks. */
static uint64_t look_of(const struct session *s)
{
  const struct th_run *run = &s->run;
  const struct th_algorithm *algorithm = run->algorithm;
  const struct th_head *head = run->state;
  const struct th_context *context = &run->context;
  const double numbers[] = {
      *head->loss, head->step_size != NULL ? *head->step_size : 0,
      algorithm->done != NULL ? algorithm->done(run->state) : 0,
      context->piece_from, context->piece_part};
  const int64_t counts[] = {run->updates, context->deal.reused,
                            context->deal.taken, context->deal.pass};
  uint64_t look = th_integer_hash(TH_FNV_BASIS, numbers, sizeof numbers);
  look = th_integer_hash(look, counts, sizeof counts);
  look = look_at_support(look, head->support);
  if (head->certificate != NULL)
    look = look_at_certificate(look, head->certificate);
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
    rc = th_run_restore(&s->run, &from->image, err);
  if (rc == TH_OK && from != NULL && look_of(s) != from->look)
    complain(comm, t, "another state");
  return rc;
}

/* Some updates, and then the state. */
static void go_on(struct th_comm *comm, struct trial *t,
                  const struct moment *from, uint64_t right, struct moment *to)
{
  struct session s;
  struct th_error err;
  bool more = true;
  th_status rc = resume(&s, t, comm, from, &err);
  if (rc == TH_OK)
    rc = th_run_update(&s.run, to->updates, &more, &err);
  if (rc == TH_OK)
    rc = th_run_snapshot(&s.run, &to->image, &err);
  if (rc != TH_OK)
    complain(comm, t, err.text);
  else if (look_at_image(&to->image) != right)
    complain(comm, t, "another state behind a move");
  to->look = rc == TH_OK ? look_of(&s) : 0;
  to->updates = s.run.updates;
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
  if (updates != from->updates)
    complain(comm, t, "an update after the last one");
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

/* What rank 0 comes to alone, without a move: the states at the cuts, and the
 * digest of the model. */
static uint64_t alone(struct th_comm *comm, struct trial *t, struct cuts *cuts)
{
  struct th_comm self;
  int64_t most = 1;
  uint64_t right = 0;
  th_comm_self(&self);
  if (comm->rank == 0) {
    right = undisturbed(&self, t, &most);
    *cuts = make_cuts(most, t->number);
    print_cuts(&self, t, cuts);
  }
  comm->ops->bcast(comm, cuts, sizeof *cuts, 0);
  comm->ops->bcast(comm, &right, sizeof right, 0);
  return right;
}

/* From team to team, a few updates on each; the last one makes the model from
 * the state when no update was left. */
static void test_case(struct th_comm *comm, const struct th_solver_row *row,
                      int k)
{
  struct trial t;
  struct th_comm part;
  struct th_error err;
  struct cuts cuts = {.count = 0};
  make_trial(&t, row, k);
  uint64_t right = alone(comm, &t, &cuts);
  struct moment here = {.updates = 0};
  int size = 0;
  th_error_clear(&err);
  for (int hop = 0; hop < cuts.count; hop++) {
    struct moment next = {.updates = cuts.updates[hop]};
    size = other_size(comm, size, k, 2 * hop + 1);
    if (team(comm, size, &part))
      go_on(&part, &t, hop > 0 ? &here : NULL, cuts.print[hop], &next);
    th_comm_free(&part);
    CHECK(th_state_image_share(&next.image, comm, &err) == TH_OK);
    comm->ops->bcast(comm, &next.look, sizeof next.look, 0);
    comm->ops->bcast(comm, &next.updates, sizeof next.updates, 0);
    th_state_image_free(&here.image);
    here = next;
  }
  if (team(comm, other_size(comm, size, k, 2 * HOPS), &part))
    go_to_end(&part, &t, &here, right);
  th_comm_free(&part);
  th_state_image_free(&here.image);
  memory_store_free(t.data);
}

/* With an argument: all cases of that solver alone, or of `all`. */
int main(int argc, char **argv)
{
  struct th_comm comm;
  const struct th_solver_row *table = th_solver_table();
  const char *only = argc > 1 ? argv[1] : NULL;
  th_mpi_comm_start(&comm, &argc, &argv);
  check_start(&comm);
  for (int solver = 0; table[solver].name != NULL; solver++)
    for (int k = 0; k < cases_of(&table[solver]); k++)
      if (only == NULL ? mpi_case_turn(&comm, k, solver)
                       : strcmp(only, "all") == 0 ||
                             strcmp(only, table[solver].name) == 0)
        CHECK_CASE(table[solver].name, k, test_case(&comm, &table[solver], k));
  int failed = check_finish(&comm);
  th_mpi_comm_stop(&comm);
  return failed;
}
