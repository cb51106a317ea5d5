/* os_prox_sgd.c - online screening ends at the exact solution
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "penalised.h"

#include <stdlib.h>
#include <string.h>

static const char *const losses[] = {"squared", "logistic", "squared-hinge"};

enum { LOSSES = 3 };

/* What a run told on its way. */
struct tale {
  int64_t blocks; /* and the end */
  int64_t active; /* attributes, after the last block */
  int64_t last;   /* in the end */
  int notices;
  char text[400]; /* the last notice */
};

static void listen(void *self, const struct th_progress *progress)
{
  struct tale *tale = self;
  tale->blocks++;
  tale->active = tale->last;
  tale->last = progress->certificate->active;
}

static void note(void *self, const char *text)
{
  struct tale *tale = self;
  tale->notices++;
  snprintf(tale->text, sizeof tale->text, "%s", text);
}

static struct memory_store *make(struct problem *p, int kind)
{
  struct memory_store *m = problem_store(p);
  int64_t count = m->store.shape.examples * m->store.shape.attributes;
  m->store.shape.layout = kind == 1 ? TH_SPARSE : TH_DENSE;
  m->store.shape.type = kind == 2 ? TH_F64 : TH_F32;
  for (int64_t k = 0; kind == 1 && k < count; k++)
    m->values[k] = fabsf(m->values[k]) < 1.2F ? 0 : m->values[k];
  memory_store_finish(m);
  return m;
}

/* Objective, support and coefficients of the exact solution; what the
 * certificate says of them is so. */
static void check_exact(const struct th_model *model, struct memory_store *m,
                        const char *loss, bool intercept)
{
  const struct th_certificate *c = &model->certificate;
  struct plain p;
  double b0;
  int64_t inside = 0;
  int64_t outside = 0;
  plain_take(&p, m, th_loss_find(loss), c->lambda);
  double *b = calloc((size_t)p.d, sizeof *b);
  double *exact = calloc((size_t)p.d, sizeof *exact);
  plain_coef(model, b);
  plain_solve(&p, intercept, exact, &b0);
  double reached = plain_objective(&p, b, model->intercept);
  CHECK_NEAR(reached, plain_objective(&p, exact, b0), 1e-9);
  CHECK_NEAR(c->objective, reached, 1e-10);
  CHECK(c->gap >= 0 && c->gap <= 1e-9);
  CHECK(c->violation <= 1e-4 && fabs(c->dual_norm - 1) <= 1e-4);
  CHECK(c->confidence == 1);
  for (int64_t j = 0; j < p.d; j++) {
    CHECK((b[j] != 0) == (exact[j] != 0));
    CHECK(fabs(b[j] - exact[j]) <= 1e-4);
    inside += b[j] != 0;
  }
  for (int k = 0; k < TH_MARGINS; k++)
    outside += c->margin[k];
  CHECK(inside > 0 && outside == p.d - inside);
  free(b);
  free(exact);
  plain_free(&p);
}

static void test_exact(const char *loss, int kind, bool intercept,
                       enum th_screen_rule rule, int64_t batch)
{
  struct tale tale = {0};
  struct th_monitor monitor = {
      .progress = listen, .notice = note, .self = &tale};
  struct problem problem = {.training = 91,
                            .attributes = 300,
                            .true_size = 4,
                            .noise = 0.3,
                            .intercept = intercept ? 0.7 : 0,
                            .seed = 21,
                            .labels = strcmp(loss, "squared") != 0,
                            .weighted = kind == 2};
  struct memory_store *m = make(&problem, kind);
  struct th_config config = penalised_config("os-prox-sgd", loss, 0.5);
  struct th_model model;
  config.epochs = 400;
  config.intercept = intercept;
  config.screening.rule = rule;
  config.batch = batch;
  problem_must_train(&config, m, &monitor, &model);
  check_exact(&model, m, loss, intercept);
  CHECK(tale.blocks > 2);
  if (rule == TH_RULE_PROJ)
    CHECK(tale.active < problem.attributes / 4 && tale.notices == 0);
  th_model_free(&model);
  memory_store_free(m);
}

/* Too short to leave anything out: that is said, and the model is exact. */
static void test_idle(void)
{
  struct tale tale = {0};
  struct th_monitor monitor = {
      .progress = listen, .notice = note, .self = &tale};
  struct problem problem = {
      .training = 91, .attributes = 300, .true_size = 4, .seed = 9};
  struct memory_store *m = make(&problem, 0);
  struct th_config config = penalised_config("os-prox-sgd", "squared", 0.5);
  struct th_model model;
  config.epochs = 2;
  problem_must_train(&config, m, &monitor, &model);
  check_exact(&model, m, "squared", false);
  CHECK(tale.active == 300 && strstr(tale.text, "did not pay") != NULL);
  th_model_free(&model);
  memory_store_free(m);
}

/* Methods that remember more than b would not survive a check. */
static void test_refusal(void)
{
  struct problem problem = {
      .training = 91, .attributes = 30, .true_size = 4, .seed = 9};
  struct memory_store *m = make(&problem, 0);
  struct th_config config = penalised_config("saga", "squared", 0.5);
  struct th_model model;
  struct th_error err;
  struct th_comm comm;
  th_comm_self(&comm);
  config.screening.how = TH_SCREEN_ONLINE;
  CHECK(problem_train(&config, &m->store, &comm, NULL, &model, &err) ==
        TH_EUSAGE);
  CHECK(strstr(err.text, "{screen} online") != NULL);
  config.solver = "truncated-gradient";
  config.epochs = 30;
  th_error_clear(&err);
  CHECK(problem_train(&config, &m->store, &comm, NULL, &model, &err) == TH_OK);
  check_exact(&model, m, "squared", false);
  th_model_free(&model);
  memory_store_free(m);
}

/* Votes under a small w leave out attributes of the solution: a check takes
 * them back, raises w, and the model is exact all the same. */
static void test_wrong(int64_t attributes, bool all)
{
  struct tale tale = {0};
  struct th_monitor monitor = {
      .progress = listen, .notice = note, .self = &tale};
  struct problem problem = {.training = 64,
                            .attributes = attributes,
                            .true_size = 20,
                            .noise = 2,
                            .seed = 2};
  struct memory_store *m = make(&problem, 0);
  struct th_config config = penalised_config("os-prox-sgd", "squared", 0.5);
  struct th_model model;
  config.epochs = all ? 2000 : 8200;
  config.screening.rule = TH_RULE_VOTES;
  config.screening.exponent = 0.51;
  problem_must_train(&config, m, &monitor, &model);
  check_exact(&model, m, "squared", false);
  CHECK(model.certificate.screened_wrongly > 0);
  CHECK(tale.notices > 0 && strstr(tale.text, "w is now 0.61") != NULL);
  th_model_free(&model);
  memory_store_free(m);
}

/* One pass over many examples: what is left out is judged by fresh ones. */
static void test_stream(enum th_screen_rule rule, double w, struct tale *tale,
                        struct th_model *model, struct problem *problem)
{
  struct th_monitor monitor = {
      .progress = listen, .notice = note, .self = tale};
  *problem = (struct problem){.training = 60000,
                              .attributes = 60,
                              .true_size = 5,
                              .noise = 0.5,
                              .seed = 4};
  struct memory_store *m = make(problem, 0);
  struct th_config config = penalised_config("os-prox-sgd", "squared", 0.5);
  *tale = (struct tale){0};
  config.epochs = 1;
  config.screening.rule = rule;
  config.screening.exponent = w;
  problem_must_train(&config, m, &monitor, model);
  memory_store_free(m);
}

static void test_streams(void)
{
  struct tale tale;
  struct th_model model;
  struct problem problem;
  test_stream(TH_RULE_PROJ, 0.75, &tale, &model, &problem);
  CHECK(problem_solved(&problem, &model));
  CHECK(tale.blocks > 3 && model.certificate.active == problem.true_size);
  CHECK(model.certificate.screened_wrongly == 0 && tale.notices == 0);
  CHECK(model.certificate.confidence == 0.95);
  th_model_free(&model);
  test_stream(TH_RULE_VOTES, 0.51, &tale, &model, &problem);
  CHECK(problem_solved(&problem, &model)); /* what votes left out came back */
  CHECK(model.certificate.screened_wrongly > 0);
  CHECK(strstr(tale.text, "w is now") != NULL);
  th_model_free(&model);
}

enum { MANY = 400 };

static double distance(const struct th_model *one, const struct th_model *other)
{
  double sum = 0;
  double difference[MANY] = {0};
  for (int64_t k = 0; k < one->support_size; k++)
    difference[one->support[k]] += one->coef[k];
  for (int64_t k = 0; k < other->support_size; k++)
    difference[other->support[k]] -= other->coef[k];
  for (int j = 0; j < MANY; j++)
    sum += difference[j] * difference[j];
  return sqrt(sum);
}

/* The last iterate of a stream is about as near to the solution as that of the
 * same steps without screening, and wants fewer values: neither grow steps as
 * attributes leave, nor does a check measure all examples again. */
static void test_last_iterate(uint64_t seed)
{
  static const char *const solvers[] = {"os-prox-sgd", "prox-sgd", "lasso"};
  const double chance = 1.5; /* with steps that grow: 1.7 to 5.6 */
  struct problem problem = {.training = 20000,
                            .attributes = MANY,
                            .true_size = 5,
                            .noise = 0.5,
                            .seed = seed};
  struct memory_store *m = make(&problem, 0);
  struct th_model model[3];
  for (int k = 0; k < 3; k++) {
    struct th_config config = penalised_config(solvers[k], "squared", 0.5);
    config.epochs = k < 2 ? 1 : 0;
    problem_must_train(&config, m, NULL, &model[k]);
  }
  CHECK(model[0].certificate.active < MANY / 10);
  CHECK(distance(&model[0], &model[2]) <
        chance * distance(&model[1], &model[2]));
  CHECK(model[0].ledger.attributes < model[1].ledger.attributes);
  for (int k = 0; k < 3; k++)
    th_model_free(&model[k]);
  memory_store_free(m);
}

int main(void)
{
  for (int k = 0; k < LOSSES; k++)
    for (int kind = 0; kind < 3; kind++) {
      CASE(test_exact(losses[k], kind, kind == 1 && k != 2, TH_RULE_PROJ,
                      kind == 2 ? 4 : 1));
      CASE(test_exact(losses[k], kind, k == 1, TH_RULE_VOTES, 1));
    }
  CASE(test_exact("squared", 0, false, TH_RULE_PAPER, 1));
  CASE(test_idle());
  CASE(test_streams());
  for (int k = 1; k <= 3; k++)
    CASE_OF(k, test_last_iterate((uint64_t)k));
  CASE(test_refusal());
  CASE(test_wrong(200, false));
  CASE(test_wrong(60, true)); /* nothing was left */
  return check_finish(NULL);
}
