/* ridge.c - ridge regression: equal to a plain solution, with the same bits
 * on any number of ranks, but for those of ScaLAPACK
 * SPDX-License-Identifier: MIT */
#include "cases.h"
#include "check.h"
#include "penalised.h"

#include "base/integer.h"

#include <stdlib.h>
#include <string.h>

enum { CASES = 12, PATH = 4 };

static const enum th_factoring ways[] = {
    TH_FACTORING_OWN, TH_FACTORING_SCALAPACK, TH_FACTORING_CG};

static enum th_factoring way_of(int k)
{
  return ways[k % 3];
}

static struct problem problem_of(int k)
{
  return (struct problem){.training = k % 4 == 3 ? 150 : 700,
                          .test = 10,
                          .attributes = k % 2 ? 330 : 200,
                          .true_size = 40,
                          .noise = 0.5,
                          .mean = 0.2,
                          .intercept = 3,
                          .seed = (uint64_t)k,
                          .labels = k % 5 == 4,
                          .weighted = k % 4 >= 2};
}

/* An attribute that never changes, another one, and one that is always 0. */
static void make_constant(struct memory_store *m)
{
  int64_t examples = m->store.shape.examples;
  for (int64_t i = 0; i < examples; i++) {
    m->values[3 * examples + i] = 7;
    m->values[77 * examples + i] = 0;
    m->values[78 * examples + i] = 2;
  }
}

static struct memory_store *store_of(int k, struct problem *p)
{
  static const enum th_type types[] = {TH_F32, TH_F64, TH_F32, TH_U8};
  struct memory_store *m = problem_store(p);
  int64_t count = m->store.shape.examples * m->store.shape.attributes;
  m->store.shape.type = types[k / 3 % 4];
  m->store.shape.layout = k / 3 == 2 ? TH_SPARSE : TH_DENSE;
  m->cut = k % 2 ? 70 : 0;
  m->placed = k % 3 == 1;
  for (int64_t i = 0; i < count; i++) {
    if (m->store.shape.type == TH_U8)
      m->values[i] = roundf(fminf(fabsf(m->values[i]) * 4, 15));
    if (m->store.shape.layout == TH_SPARSE && fabsf(m->values[i]) < 1)
      m->values[i] = 0;
  }
  make_constant(m);
  memory_store_finish(m);
  return m;
}

static struct th_config config_of(int k)
{
  struct th_config config = penalised_config("ridge", "squared", 0.02);
  config.method.factoring = way_of(k);
  config.intercept = k % 5 != 1;
  config.lambda = k % 4 == 1 ? 0.05 : 0;
  config.path = k % 4 == 2 ? PATH : 0;
  config.choice.path_min = 0.01;
  if (k % 4 == 1 || k % 4 == 2)
    config.lambda_ratio = 0;
  return config;
}

/* A system by Gauss elimination: a is n x n, row by row; b becomes the
 * solution. */
static void eliminate(int64_t n, double *a, double *b)
{
  for (int64_t k = 0; k < n; k++)
    for (int64_t i = k + 1; i < n; i++) {
      double factor = a[i * n + k] / a[k * n + k];
      for (int64_t j = k; j < n; j++)
        a[i * n + j] -= factor * a[k * n + j];
      b[i] -= factor * b[k];
    }
  for (int64_t k = n - 1; k >= 0; k--) {
    for (int64_t j = k + 1; j < n; j++)
      b[k] -= a[k * n + j] * b[j];
    b[k] /= a[k * n + k];
  }
}

/* x and y less their means, times the roots of the weights over n. */
static void centre(struct plain *p, bool intercept)
{
  for (int64_t j = 0; j <= p->d; j++) {
    double *x = j < p->d ? p->x + j : p->y;
    int64_t stride = j < p->d ? p->d : 1;
    double mean = 0;
    for (int64_t i = 0; i < p->n && intercept; i++)
      mean += p->weight[i] * x[i * stride] / (double)p->n;
    for (int64_t i = 0; i < p->n; i++)
      x[i * stride] =
          (x[i * stride] - mean) * sqrt(p->weight[i] / (double)p->n);
  }
}

/* The normal equations of centred data, without another thought. */
static void solve_plainly(const struct plain *p, double *b)
{
  double *a = calloc((size_t)(p->d * p->d), sizeof *a);
  if (a == NULL)
    exit(1);
  memset(b, 0, (size_t)p->d * sizeof *b);
  for (int64_t i = 0; i < p->n; i++)
    for (int64_t j = 0; j < p->d; j++) {
      double x = p->x[i * p->d + j];
      b[j] += x * p->y[i];
      for (int64_t k = 0; k < p->d; k++)
        a[j * p->d + k] += x * p->x[i * p->d + k];
    }
  for (int64_t j = 0; j < p->d; j++)
    a[j * p->d + j] += p->lambda;
  eliminate(p->d, a, b);
  free(a);
}

/* The gap of the plain problem, from the gradient of the objective. */
static void check_model(const struct memory_store *m,
                        const struct th_config *config,
                        const struct th_model *model)
{
  struct plain p;
  double error = 0;
  double size = 0;
  plain_take(&p, m, th_loss_find("squared"), model->certificate.lambda);
  double *right = calloc((size_t)p.d, sizeof *right);
  double *found = calloc((size_t)p.d, sizeof *found);
  if (right == NULL || found == NULL)
    exit(1);
  centre(&p, config->intercept);
  solve_plainly(&p, right);
  plain_coef(model, found);
  for (int64_t j = 0; j < p.d; j++) {
    error = fmax(error, fabs(found[j] - right[j]));
    size = fmax(size, fabs(right[j]));
  }
  CHECK(error <= 1e-10 * size);
  CHECK(found[77] == 0 && (!config->intercept || found[3] == 0));
  CHECK(model->certificate.gap >= 0 && model->certificate.gap < 1e-18);
  CHECK_NEAR(model->certificate.dual_norm, 1, 1e-8);
  free(right);
  free(found);
  plain_free(&p);
}

static uint64_t digest_of(const struct th_model *model)
{
  const struct th_certificate *c = &model->certificate;
  uint64_t digest = problem_digest(model);
  for (int k = 0; k < th_certificate_fields.rows; k++) {
    const struct th_fields_row *field = &th_certificate_fields.row[k];
    double value = th_claims_field_number(field, c);
    if (th_claims_field_is_real(field))
      digest = th_integer_hash(digest, &value, sizeof value);
  }
  return th_integer_hash(digest, c->path,
                         (size_t)c->path_size * sizeof *c->path);
}

/* Train and check; the model's digest. */
static uint64_t learn(struct th_comm *comm, struct th_config *config,
                      struct memory_store *m)
{
  struct th_model model = {0};
  struct th_error err;
  th_status rc = problem_train(config, &m->store, comm, NULL, &model, &err);
  uint64_t digest = 0;
  CHECK(rc == TH_OK);
  if (rc != TH_OK)
    fprintf(stderr, "%s\n", err.text);
  const struct th_certificate *c = &model.certificate;
  bool spread = config->method.factoring == TH_FACTORING_SCALAPACK &&
                comm->ops->spread != NULL;
  CHECK(rc != TH_OK || c->path_size == config->path);
  CHECK(rc != TH_OK ||
        c->grid_rows * c->grid_columns == (spread ? comm->size : 0));
  if (rc == TH_OK && comm->rank == 0)
    check_model(m, config, &model);
  if (rc == TH_OK)
    digest = digest_of(&model);
  th_model_free(&model);
  return digest;
}

static void test_case(struct th_comm *comm, int k)
{
  struct problem p = problem_of(k);
  struct memory_store *m = store_of(k, &p);
  struct th_config config = config_of(k);
  bool same = problem_learns_alike(comm, learn, &config, m);
  CHECK(same || way_of(k) == TH_FACTORING_SCALAPACK);
  if (check_failures > 0)
    fprintf(stderr, "rank %d of %d: at case %d\n", comm->rank, comm->size, k);
  memory_store_free(m);
}

/* Two attributes that are the same, and hardly a penalty: one clear line. */
static void test_singular(struct th_comm *comm)
{
  struct problem p = problem_of(0);
  struct memory_store *m = problem_twins(&p, comm);
  struct th_config config = penalised_config("ridge", "squared", 0);
  struct th_error err;
  config.lambda = 1e-30;
  for (int k = 0; k < 2; k++) {
    struct th_model model = {0};
    config.method.factoring = ways[k];
    th_error_clear(&err);
    th_status rc = problem_train(&config, &m->store, comm, NULL, &model, &err);
    for (int64_t j = 0; rc == TH_OK && j < model.support_size; j++)
      CHECK(isfinite(model.coef[j]));
    CHECK(rc == (k == 0 ? TH_ENUMERIC : rc));
    CHECK(rc == TH_OK || strstr(err.text, "singular") != NULL);
    th_model_free(&model);
  }
  memory_store_free(m);
}

int main(int argc, char **argv)
{
  return mpi_cases(argc, argv, CASES, test_case, test_singular);
}
