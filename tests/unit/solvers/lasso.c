/* lasso.c - the exact solver against a slow reference
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "penalised.h"
#include "solvers/plan.h"

#include <stdlib.h>
#include <string.h>

static const char *const losses[] = {"squared", "logistic", "squared-hinge"};
static const char *const penalties[] = {"l1", "group", "sparse-group",
                                        "elastic-net"};

enum { CASES = 72, GROUP = 7, MOST_STEPS = 400000 };

/* A problem with groups of GROUP consecutive attributes, and its solution. */
struct reference {
  struct plain plain;
  const char *penalty;
  bool grouped; /* weights as in plain_groups */
  bool intercept;
  double mix;
  double *b; /* d, then the intercept */
  double objective;
};

static double *room(int64_t count)
{
  double *p = calloc((size_t)count + 1, sizeof *p);
  if (p == NULL)
    exit(1);
  return p;
}

/* Of an elastic net the weight of its square, over lambda, in group g. */
static double square_of(const struct reference *r, int64_t g)
{
  bool net = strcmp(r->penalty, "elastic-net") == 0;
  double weight = r->grouped && g % 3 == 1 ? 1.5 : 1;
  return net ? (1 - r->mix) * weight : 0;
}

/* Omega_g(v) = a norm1(v) + c norm2(v) of group g. */
static void norm_of(const struct reference *r, int64_t g, int64_t size,
                    double *a, double *c)
{
  double weight = g % 3 == 1 ? 1.5 : sqrt((double)size);
  bool sparse = strcmp(r->penalty, "sparse-group") == 0;
  *a = sparse ? r->mix : 0;
  *c = sparse ? (1 - r->mix) * weight : weight;
  bool net = strcmp(r->penalty, "elastic-net") == 0;
  if (strcmp(r->penalty, "l1") == 0 || net) {
    *a = (net ? r->mix : 1) * (r->grouped && g % 3 == 1 ? 1.5 : 1);
    *c = 0;
  }
}

/* b = prox of step lambda Omega; returns lambda Omega(b). */
static double shrink(const struct reference *r, double step, double *b)
{
  int64_t d = r->plain.d;
  double lambda = r->plain.lambda;
  double omega = 0;
  for (int64_t g = 0; g * GROUP < d; g++) {
    int64_t first = g * GROUP;
    int64_t last = first + GROUP < d ? first + GROUP : d;
    double a;
    double c;
    double square = 0;
    double net = square_of(r, g);
    norm_of(r, g, last - first, &a, &c);
    for (int64_t j = first; j < last; j++) {
      b[j] = copysign(fmax(fabs(b[j]) - step * lambda * a, 0), b[j]);
      b[j] /= 1 + step * lambda * net;
      square += b[j] * b[j];
    }
    double size = sqrt(square);
    double left = size > step * lambda * c ? 1 - step * lambda * c / size : 0;
    omega += c * size * left;
    for (int64_t j = first; j < last; j++) {
      b[j] *= c > 0 ? left : 1;
      omega += a * fabs(b[j]) + net * b[j] * b[j] / 2;
    }
  }
  return lambda * omega;
}

/* Mean loss at b, and its gradient. */
static double slope(const struct reference *r, const double *b, double *grad)
{
  const struct plain *p = &r->plain;
  double sum = 0;
  memset(grad, 0, (size_t)(p->d + 1) * sizeof *grad);
  for (int64_t i = 0; i < p->n; i++) {
    double at = b[p->d];
    for (int64_t j = 0; j < p->d; j++)
      at += p->x[i * p->d + j] * b[j];
    double weight = p->weight[i] / (double)p->n;
    double theta = weight * th_loss_df(p->loss, at, p->y[i]);
    sum += weight * th_loss_f(p->loss, at, p->y[i]);
    for (int64_t j = 0; j < p->d; j++)
      grad[j] += theta * p->x[i * p->d + j];
    grad[p->d] += theta;
  }
  return sum;
}

static double step_of(const struct plain *p)
{
  double sum = 0;
  for (int64_t i = 0; i < p->n; i++) {
    double square = 1;
    for (int64_t j = 0; j < p->d; j++)
      square += p->x[i * p->d + j] * p->x[i * p->d + j];
    sum += p->weight[i] * square / (double)p->n;
  }
  return 1 / (th_loss_L(p->loss) * sum);
}

/* Proximal gradient steps with momentum, begun anew whenever they go uphill. */
static void solve(struct reference *r)
{
  int64_t d = r->plain.d;
  double step = step_of(&r->plain);
  double *at = room(d + 1);
  double *next = room(d + 1);
  double *grad = room(d + 1);
  double momentum = 1;
  double largest = 1;
  r->b = room(d + 1);
  for (int k = 0; k < MOST_STEPS && largest > 1e-14; k++) {
    double uphill = 0;
    double then = (1 + sqrt(1 + 4 * momentum * momentum)) / 2;
    slope(r, at, grad);
    for (int64_t j = 0; j <= d; j++)
      next[j] = j < d || r->intercept ? at[j] - step * grad[j] : 0;
    shrink(r, step, next);
    largest = 0;
    for (int64_t j = 0; j <= d; j++) {
      uphill += (at[j] - next[j]) * (next[j] - r->b[j]);
      largest = fmax(largest, fabs(next[j] - r->b[j]));
      at[j] = next[j] + (momentum - 1) / then * (next[j] - r->b[j]);
      r->b[j] = next[j];
    }
    momentum = uphill > 0 ? 1 : then;
  }
  r->objective = slope(r, r->b, grad) + shrink(r, 0, r->b);
  free(at);
  free(next);
  free(grad);
}

/* Values in the form that a storage type can take. */
static void reshape(struct memory_store *m, int k)
{
  int64_t count = m->store.shape.examples * m->store.shape.attributes;
  static const enum th_type types[] = {TH_F32, TH_F64, TH_U8, TH_F32};
  m->store.shape.type = types[k % 4];
  m->store.shape.layout = k % 4 == 3 ? TH_SPARSE : TH_DENSE;
  m->cut = k % 3 == 0 ? 11 : 0;
  for (int64_t i = 0; i < count; i++) {
    if (m->store.shape.type == TH_U8)
      m->values[i] = roundf(fminf(fabsf(m->values[i]) * 4, 15));
    if (m->store.shape.layout == TH_SPARSE && fabsf(m->values[i]) < 0.8F)
      m->values[i] = 0;
  }
}

static struct problem problem_of(int k)
{
  return (struct problem){.training = k % 5 == 4 ? 600 : 40 + 3 * (k % 7),
                          .test = 9,
                          .attributes = k % 2 ? 45 : 80,
                          .true_size = 5,
                          .noise = 0.4,
                          .mean = 0.3,
                          .intercept = 0.7,
                          .seed = (uint64_t)k + 1,
                          .labels = k % 3 != 0,
                          .weighted = k % 7 >= 4};
}

static struct th_config config_of(int k)
{
  struct th_config config = penalised_config(
      "lasso", losses[k % 3], k % 11 == 0 ? 0.05 : 0.15 + 0.1 * (k % 6));
  config.penalty = penalties[(k / 3) % 4];
  config.intercept = (k / 9) % 2;
  config.screening.how = k % 4 == 1 ? TH_SCREEN_NONE : TH_SCREEN_GAP_SAFE;
  config.group.mix = 0.3 + 0.2 * (k % 3);
  return config;
}

/* The model's coefficients against the reference's. */
static void compare(const struct reference *r, const struct th_model *model,
                    int k)
{
  const struct th_certificate *c = &model->certificate;
  struct reference ours = *r;
  int64_t wrong = 0;
  double *grad = room(r->plain.d + 1);
  ours.b = room(r->plain.d + 1);
  plain_coef(model, ours.b);
  ours.b[r->plain.d] = model->intercept;
  for (int64_t j = 0; j < r->plain.d; j++)
    wrong += fabs(r->b[j]) > 1e-5 && ours.b[j] == 0;
  for (int64_t j = 0; j < r->plain.d; j++)
    wrong += r->b[j] == 0 && fabs(ours.b[j]) > 1e-5;
  double objective = slope(&ours, ours.b, grad) + shrink(&ours, 0, ours.b);
  int before = check_failures;
  CHECK(wrong == 0);
  CHECK(fabs(objective - r->objective) <= 1e-8 * r->objective);
  CHECK(fabs(objective - c->objective) <= 1e-10 * objective);
  CHECK(c->gap >= 0 && c->gap <= 1e-8 * fmax(1, objective));
  CHECK(objective - r->objective <= c->gap + 1e-12 * objective);
  CHECK(c->violation < 1e-3 && c->dual_norm < 1 + 1e-3);
  CHECK(c->active >= model->support_size);
  if (check_failures > before)
    fprintf(stderr,
            "case %d: %.12g, reference %.12g, gap %g, viol %g, wrong %d\n", k,
            objective, r->objective, c->gap, c->violation, (int)wrong);
  free(grad);
  free(ours.b);
}

static void learn(struct th_config *config, struct memory_store *m,
                  bool grouped, struct th_model *model)
{
  struct th_groups groups = {0};
  struct th_comm self;
  th_comm_self(&self);
  if (grouped)
    plain_groups(&groups, &self, m->store.shape.attributes, GROUP);
  config->group.all = grouped ? &groups : NULL;
  problem_must_train(config, m, NULL, model);
  config->group.all = NULL;
  th_groups_free(&groups);
}

static void test_case(int k)
{
  struct problem p = problem_of(k);
  struct memory_store *m = problem_store(&p);
  struct th_config config = config_of(k);
  struct th_model model;
  struct reference r = {.penalty = config.penalty,
                        .grouped = strcmp(config.penalty, "l1") != 0 || k % 2,
                        .intercept = config.intercept,
                        .mix = config.group.mix};
  reshape(m, k);
  memory_store_finish(m);
  learn(&config, m, r.grouped, &model);
  plain_take(&r.plain, m, th_loss_find(config.loss), model.certificate.lambda);
  CHECK_NEAR(model.certificate.lambda,
             config.lambda_ratio * model.certificate.lambda_max, 1e-15);
  CHECK(model.support_size > 0);
  solve(&r);
  compare(&r, &model, k);
  th_model_free(&model);
  plain_free(&r.plain);
  free(r.b);
  memory_store_free(m);
}

/* The last of a path is what that lambda alone gives; every point of it has its
 * gap, and objectives fall. */
static void test_path(int k)
{
  struct problem p = problem_of(k);
  struct memory_store *m = problem_store(&p);
  struct th_config config = config_of(k);
  struct th_model along;
  struct th_model alone;
  bool grouped = strcmp(config.penalty, "l1") != 0;
  reshape(m, k);
  memory_store_finish(m);
  config.lambda_ratio = 0;
  config.path = 25;
  config.choice.path_min = 0.03;
  learn(&config, m, grouped, &along);
  config.path = 0;
  config.lambda = along.certificate.lambda;
  learn(&config, m, grouped, &alone);
  const struct th_certificate *c = &along.certificate;
  CHECK(c->path_size == 25);
  CHECK(c->path[0].support_size == 0 && c->path[0].lambda == c->lambda_max);
  CHECK(c->path[24].lambda == c->lambda);
  for (int64_t s = 0; s < c->path_size; s++) {
    CHECK(c->path[s].gap <= 1e-8 * fmax(1, c->path[s].objective));
    CHECK(s == 0 || c->path[s].objective <= c->path[s - 1].objective + 1e-8);
  }
  CHECK(fabs(c->objective - alone.certificate.objective) <=
        1e-8 * c->objective);
  CHECK(along.support_size == alone.support_size);
  th_model_free(&along);
  th_model_free(&alone);
  memory_store_free(m);
}

/* At lambda_max and above the model is zero; just below it is not. */
static void test_lambda_max(int k)
{
  struct problem p = problem_of(k);
  struct memory_store *m = problem_store(&p);
  struct th_config config = config_of(k);
  struct th_model model;
  bool grouped = strcmp(config.penalty, "l1") != 0;
  reshape(m, k);
  memory_store_finish(m);
  config.lambda_ratio = 1;
  learn(&config, m, grouped, &model);
  double most = model.certificate.lambda_max;
  CHECK(model.support_size == 0 && model.certificate.gap < 1e-12);
  CHECK_NEAR(model.certificate.dual_norm, 1, 1e-12);
  th_model_free(&model);
  config.lambda_ratio = 0;
  config.lambda = most * (1 - 1e-4);
  learn(&config, m, grouped, &model);
  CHECK(model.support_size > 0);
  th_model_free(&model);
  config.lambda = most * 7;
  learn(&config, m, grouped, &model);
  CHECK(model.support_size == 0);
  CHECK_NEAR(model.certificate.dual_norm, 1. / 7, 1e-12);
  th_model_free(&model);
  memory_store_free(m);
}

/* Equal columns, two examples, constant attributes, a tiny lambda. Nothing does
 * the work of a constant attribute but an intercept. */
static void test_extremes(const char *loss, double ratio, int64_t training)
{
  struct problem p = {.training = training,
                      .attributes = 30,
                      .true_size = 3,
                      .noise = 0.1,
                      .seed = 77,
                      .labels = strcmp(loss, "squared") != 0};
  struct memory_store *m = problem_store(&p);
  struct th_config config = penalised_config("lasso", loss, ratio);
  struct reference r = {.penalty = "l1"};
  struct th_model model;
  for (int64_t i = 0; i < training; i++) {
    for (int64_t j = 10; j < 20; j++)
      m->values[j * training + i] = m->values[(j - 10) * training + i];
    m->values[25 * training + i] = 3;
    m->values[26 * training + i] = 0;
  }
  if (p.labels) {
    m->target[0] = 2;
    m->target[1] = 5;
  }
  memory_store_finish(m);
  problem_must_train(&config, m, NULL, &model);
  plain_take(&r.plain, m, th_loss_find(loss), model.certificate.lambda);
  solve(&r);
  double ours = model.certificate.objective;
  CHECK(ours <= r.objective * (1 + 1e-8));
  CHECK(model.certificate.gap <= 1e-8);
  for (int64_t k = 0; k < model.support_size; k++)
    CHECK(model.support[k] != 26);
  th_model_free(&model);
  config.intercept = true;
  problem_must_train(&config, m, NULL, &model);
  CHECK(model.certificate.gap <= 1e-8);
  for (int64_t k = 0; k < model.support_size; k++)
    CHECK(model.support[k] != 25 && model.support[k] != 26);
  th_model_free(&model);
  plain_free(&r.plain);
  free(r.b);
  memory_store_free(m);
}

/* One lambda, a share of the largest, or a point of a path; any where nothing
 * correlates with the target. */
static void test_lambdas(void)
{
  struct th_config config = {.lambda = 0.25};
  CHECK(th_plan_penalised_lambda(&config, 8, 0) == 0.25);
  config = (struct th_config){.lambda_ratio = 0.5};
  CHECK(th_plan_penalised_lambda(&config, 8, 0) == 4);
  CHECK(th_plan_penalised_lambda(&config, 0, 0) == 0.5);
  config = (struct th_config){.path = 3, .choice.path_min = 0.0625};
  CHECK(th_plan_penalised_lambda(&config, 8, 0) == 8);
  CHECK(th_plan_penalised_lambda(&config, 8, 1) == 2);
  CHECK(th_plan_penalised_lambda(&config, 8, 2) == 0.5);
  CHECK(th_plan_penalised_lambda(&config, 0, 2) == 0.0625);
  config.path = 1;
  CHECK(th_plan_penalised_lambda(&config, 8, 0) == 8);
}

int main(void)
{
  CASE(test_lambdas());
  for (int k = 0; k < CASES; k++)
    CASE(test_case(k));
  for (int k = 0; k < 24; k++)
    CASE(test_path(k));
  for (int k = 0; k < 12; k++)
    CASE(test_lambda_max(k));
  for (int k = 0; k < 3; k++) {
    CASE(test_extremes(losses[k], 0.3, 40));
    CASE(test_extremes(losses[k], 0.01, 40));
    CASE(test_extremes(losses[k], 0.5, 2));
  }
  return check_finish(NULL);
}
