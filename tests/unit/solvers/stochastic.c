/* stochastic.c - stochastic methods against transcriptions and optima
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "penalised.h"
#include "ranks/partition.h"

#include "data/deal.h"
#include "solvers/access/example_order.h"

#include <stdlib.h>
#include <string.h>

static const char *const losses[] = {"squared", "logistic", "squared-hinge"};

enum { LOSSES = 3 };

static struct memory_store *small_store(struct problem *p, enum th_type type)
{
  struct memory_store *m = problem_store(p);
  m->store.shape.type = type;
  memory_store_finish(m);
  return m;
}

static struct problem small_problem(const char *loss, uint64_t seed)
{
  return (struct problem){.training = 91,
                          .attributes = 300,
                          .true_size = 5,
                          .noise = 0.5,
                          .seed = seed,
                          .labels = strcmp(loss, "squared") != 0};
}

/* ---- prox-sgd is the paper's ---- */

/* Liang & Poon 2022, section 1.2, line by line, on the same examples in the
 * same order. */
static void transcribe(const struct plain *p, int64_t unit, uint64_t seed,
                       int64_t epochs, double *b)
{
  struct th_deal_plan plan = {.seed = seed,
                              .training = p->n,
                              .row_group = 64,
                              .unit = unit,
                              .passes = epochs};
  struct th_deal deal;
  struct th_example_order order;
  struct th_error err;
  double largest = 0;
  int64_t i = 0;
  bool more = true;
  th_error_clear(&err);
  for (int64_t r = 0; r < p->n; r++) {
    double square = 0;
    for (int64_t j = 0; j < p->d; j++)
      square += p->x[r * p->d + j] * p->x[r * p->d + j];
    largest = fmax(largest, p->weight[r] * square);
  }
  memset(b, 0, (size_t)p->d * sizeof *b);
  CHECK(th_deal_init(&deal, &plan, &err) == TH_OK);
  CHECK(th_example_order_init(&order, unit, &err) == TH_OK);
  for (int64_t t = 1; t <= epochs * p->n; t++) {
    double gamma = 1 / (th_loss_L(p->loss) * largest *
                        pow(ceil((double)t / ((double)p->n / 2)), 0.55));
    double product = 0;
    CHECK(th_example_order_next(&order, &deal, &i, &more, &err) == TH_OK);
    const double *x = p->x + i * p->d;
    for (int64_t j = 0; j < p->d; j++)
      product += x[j] * b[j];
    double theta = p->weight[i] * th_loss_df(p->loss, product, p->y[i]);
    for (int64_t j = 0; j < p->d; j++) {
      double v = b[j] - gamma * theta * x[j];
      b[j] = copysign(fmax(fabs(v) - gamma * p->lambda, 0), v);
    }
  }
  th_example_order_free(&order);
  th_deal_free(&deal);
}

static void test_transcription(const char *loss, enum th_type type,
                               bool weighted)
{
  struct problem problem = small_problem(loss, 11);
  problem.weighted = weighted;
  struct memory_store *m = small_store(&problem, type);
  struct th_config config = penalised_config("prox-sgd", loss, 0.3);
  struct th_model model;
  struct plain p;
  config.epochs = 9;
  problem_must_train(&config, m, NULL, &model);
  plain_take(&p, m, th_loss_find(loss), model.certificate.lambda);
  double *b = calloc((size_t)p.d, sizeof *b);
  double *c = calloc((size_t)p.d, sizeof *c);
  transcribe(&p, th_partition_deal_unit_size(64, p.n, 1), config.seed,
             config.epochs, b);
  plain_coef(&model, c);
  double size = 0;
  for (int64_t j = 0; j < p.d; j++) {
    size = fmax(size, fabs(b[j]));
    CHECK(fabs(b[j] - c[j]) <= 1e-12);
  }
  CHECK(size > 0.01);
  CHECK_NEAR(model.certificate.objective, plain_objective(&p, c, 0), 1e-12);
  CHECK(model.ledger.max_attributes_per_example == p.d);
  free(b);
  free(c);
  plain_free(&p);
  th_model_free(&model);
  memory_store_free(m);
}

/* ---- optima ---- */

struct goal {
  const char *solver;
  int64_t epochs;
  double gap;    /* over the objective of the zero model */
  double excess; /* of the objective over the optimum, likewise */
};

static const struct goal goals[] = {{"prox-sgd", 400, 1, 1e-2},
                                    {"fs-prox-sgd", 400, 1, 1e-2},
                                    {"truncated-gradient", 400, 1, 1e-2},
                                    {"rda", 400, 1, 3e-2},
                                    {"sgd", 400, 1, 3e-2},
                                    {"saga", 3000, 1e-8, 1e-8},
                                    {"svrg", 3000, 1e-8, 1e-8}};

enum { GOALS = sizeof goals / sizeof goals[0] };

/* Near the exact optimum, or at it; what is said of the model is so. */
static void test_optimum(const struct goal *goal, const char *loss,
                         bool intercept, int64_t batch)
{
  struct problem problem = small_problem(loss, 5);
  problem.intercept = intercept ? 0.7 : 0;
  struct memory_store *m = small_store(&problem, TH_F64);
  struct th_config config = penalised_config(goal->solver, loss, 0.3);
  struct th_model model;
  struct plain p;
  double b0;
  config.epochs = goal->epochs;
  config.batch = batch;
  config.intercept = intercept;
  config.tolerance = goal->gap < 1 ? goal->gap : 0;
  problem_must_train(&config, m, NULL, &model);
  plain_take(&p, m, th_loss_find(loss), model.certificate.lambda);
  double *b = calloc((size_t)p.d, sizeof *b);
  double *exact = calloc((size_t)p.d, sizeof *exact);
  plain_coef(&model, b);
  plain_solve(&p, intercept, exact, &b0);
  double zero[2] = {0, 0};
  double *none = calloc((size_t)p.d, sizeof *none);
  zero[0] = plain_objective(&p, none, 0);
  double optimum = plain_objective(&p, exact, b0);
  double reached = plain_objective(&p, b, model.intercept);
  CHECK(reached - optimum <= goal->excess * zero[0]);
  if (reached - optimum > goal->excess * zero[0])
    fprintf(stderr, "%s, %s, batch %lld: %g above %g\n", goal->solver, loss,
            (long long)batch, reached - optimum, optimum);
  CHECK_NEAR(model.certificate.objective, reached, 1e-10);
  CHECK(model.certificate.gap >= reached - optimum - 1e-12);
  if (goal->gap < 1)
    CHECK(model.certificate.gap <= 2 * goal->gap * zero[0]);
  for (int64_t j = 0; j < p.d && goal->gap < 1; j++)
    CHECK(fabs(b[j] - exact[j]) <= 1e-3);
  free(b);
  free(exact);
  free(none);
  plain_free(&p);
  th_model_free(&model);
  memory_store_free(m);
}

/* ---- what must not matter ---- */

static void train(const struct th_config *config, struct memory_store *m,
                  struct th_model *model)
{
  problem_must_train(config, m, NULL, model);
}

/* Most values become 0. */
static void thin_out(struct memory_store *m)
{
  int64_t count = m->store.shape.examples * m->store.shape.attributes;
  for (int64_t k = 0; k < count; k++)
    m->values[k] = fabsf(m->values[k]) < 1.3F ? 0 : m->values[k];
}

/* Attributes that a sparse row does not meet are updated lazily: to rounding
 * the same as at once. */
static void test_lazy(const char *solver, int64_t batch, enum th_screen screen)
{
  struct th_model model[2];
  double *b[2];
  for (int sparse = 0; sparse < 2; sparse++) {
    struct problem problem = small_problem("logistic", 4);
    struct memory_store *m = problem_store(&problem);
    struct th_config config = penalised_config(solver, "logistic", 0.4);
    thin_out(m);
    m->store.shape.type = TH_F64;
    m->store.shape.layout = sparse ? TH_SPARSE : TH_DENSE;
    memory_store_finish(m);
    config.epochs = 11;
    config.batch = batch;
    config.screening.how = screen;
    train(&config, m, &model[sparse]);
    b[sparse] = calloc((size_t)problem.attributes, sizeof **b);
    plain_coef(&model[sparse], b[sparse]);
    memory_store_free(m);
  }
  double size = 0;
  for (int64_t j = 0; j < model[0].attributes; j++) {
    size = fmax(size, fabs(b[0][j]));
    CHECK(fabs(b[0][j] - b[1][j]) <= 1e-11);
  }
  CHECK(size > 1e-3);
  CHECK_NEAR(model[0].certificate.gap, model[1].certificate.gap, 1e-11);
  for (int k = 0; k < 2; k++) {
    free(b[k]);
    th_model_free(&model[k]);
  }
}

/* Panels that are read again whenever they are wanted: the same bits. */
static void test_memory(const char *solver, enum th_layout layout)
{
  uint64_t digest[2];
  for (int tiny = 0; tiny < 2; tiny++) {
    struct problem problem = small_problem("logistic", 6);
    struct memory_store *m = problem_store(&problem);
    struct th_config config = penalised_config(solver, "logistic", 0.6);
    struct th_model model;
    thin_out(m);
    m->store.shape.layout = layout;
    m->cut = 70;
    memory_store_finish(m);
    config.epochs = 60;
    config.batch = 3;
    config.screening.how = TH_SCREEN_GAP_SAFE;
    config.row_cache_memory = tiny;
    train(&config, m, &model);
    CHECK(model.certificate.active < problem.attributes);
    digest[tiny] = problem_digest(&model);
    CHECK((m->store.bytes_read > 10 * 91 * 300 * 4) == (tiny == 1));
    th_model_free(&model);
    memory_store_free(m);
  }
  CHECK(digest[0] == digest[1]);
}

/* Screening does not move the optimum, for any penalty. */
static void test_screened(const char *penalty, const char *loss)
{
  struct problem problem = small_problem(loss, 9);
  struct memory_store *m = small_store(&problem, TH_F64);
  struct th_config config = penalised_config("saga", loss, 0.35);
  struct th_groups groups = {0};
  struct th_comm self;
  struct th_model model[2];
  double *b[2];
  th_comm_self(&self);
  plain_groups(&groups, &self, problem.attributes, 7);
  config.penalty = penalty;
  config.group.all = &groups;
  config.epochs = 4000;
  config.tolerance = 1e-9;
  for (int k = 0; k < 2; k++) {
    config.screening.how = k == 0 ? TH_SCREEN_NONE : TH_SCREEN_GAP_SAFE;
    train(&config, m, &model[k]);
    b[k] = calloc((size_t)problem.attributes, sizeof **b);
    plain_coef(&model[k], b[k]);
  }
  CHECK(model[0].certificate.active == problem.attributes);
  CHECK(model[1].certificate.active < problem.attributes / 2);
  CHECK(model[1].support_size > 0);
  CHECK_NEAR(model[0].certificate.objective, model[1].certificate.objective,
             1e-8);
  for (int64_t j = 0; j < problem.attributes; j++)
    CHECK(fabs(b[0][j] - b[1][j]) <= 1e-3);
  for (int k = 0; k < 2; k++) {
    CHECK(model[k].certificate.gap <=
          2e-9 * model[k].certificate.objective + 1e-8);
    free(b[k]);
    th_model_free(&model[k]);
  }
  th_groups_free(&groups);
  memory_store_free(m);
}

/* Steps become longer when examples have become shorter: as many epochs with
 * screening come nearer to the optimum. */
static void test_longer_steps(const char *solver)
{
  struct problem problem = small_problem("squared", 8);
  struct memory_store *m = small_store(&problem, TH_F64);
  struct th_config config = penalised_config(solver, "squared", 0.5);
  struct th_model model;
  double gap[2];
  config.epochs = 120;
  for (int k = 0; k < 2; k++) {
    config.screening.how = k == 0 ? TH_SCREEN_NONE : TH_SCREEN_GAP_SAFE;
    train(&config, m, &model);
    gap[k] = model.certificate.gap;
    th_model_free(&model);
  }
  CHECK(gap[1] < 0.5 * gap[0]);
  memory_store_free(m);
}

/* lambda_max is where the model becomes zero, and not before. */
static void test_lambda_max(void)
{
  struct problem problem = small_problem("squared", 2);
  struct memory_store *m = small_store(&problem, TH_F64);
  struct th_model model;
  struct th_config config = penalised_config("saga", "squared", 1);
  config.epochs = 20;
  train(&config, m, &model);
  CHECK(model.support_size == 0 && model.certificate.gap < 1e-12);
  CHECK(model.certificate.lambda == model.certificate.lambda_max);
  th_model_free(&model);
  config.lambda_ratio = 0.99;
  config.epochs = 500;
  train(&config, m, &model);
  CHECK(model.support_size == 1);
  th_model_free(&model);
  memory_store_free(m);
}

int main(void)
{
  for (int k = 0; k < LOSSES; k++) {
    CASE(test_transcription(losses[k], TH_F32, false));
    CASE(test_transcription(losses[k], TH_F64, true));
  }
  for (int g = 0; g < GOALS; g++)
    for (int k = 0; k < LOSSES; k++)
      for (int c = 0; c < 2; c++)
        CASE(test_optimum(&goals[g], losses[k], c == 1, c == 1 ? 5 : 1));
  for (int g = 0; g < GOALS; g++)
    for (int k = 0; k < 4; k++)
      CASE(test_lazy(goals[g].solver, k < 2 ? 1 : 6,
                     k % 2 ? TH_SCREEN_GAP_SAFE : TH_SCREEN_NONE));
  CASE(test_memory("saga", TH_DENSE));
  CASE(test_memory("saga", TH_SPARSE));
  CASE(test_screened("l1", "squared"));
  CASE(test_screened("group", "logistic"));
  CASE(test_screened("sparse-group", "squared-hinge"));
  CASE(test_longer_steps("prox-sgd"));
  CASE(test_longer_steps("saga"));
  CASE(test_lambda_max());
  return check_finish(NULL);
}
