/* omp.c - orthogonal matching pursuit: equal to a plain one, with the same
 * bits on any number of ranks
 * SPDX-License-Identifier: MIT */
#include "cases.h"
#include "check.h"
#include "penalised.h"

#include "base/integer.h"
#include "math/cholesky.h"

#include <stdlib.h>
#include <string.h>

enum { CASES = 18, CHOSEN = 30, CHOSEN_OF_LABELS = 12, TWINS = 10 };

static bool has_labels(int k)
{
  return k % 6 == 5;
}

static int64_t chosen_of(int k)
{
  return has_labels(k) ? CHOSEN_OF_LABELS : CHOSEN;
}

/* Attributes that are hardly different from true ones: their slopes are close.
 */
static void add_twins(struct memory_store *m, const struct problem *p)
{
  int64_t examples = m->store.shape.examples;
  for (int64_t j = 0; j < TWINS && j < p->true_size; j++)
    for (int64_t i = 0; i < examples; i++)
      m->values[(p->support[j] + 1) * examples + i] =
          m->values[p->support[j] * examples + i] +
          1e-3F * m->values[(p->support[j] + 1) * examples + i];
}

static struct memory_store *store_of(int k)
{
  static const enum th_type types[] = {TH_F32, TH_F64, TH_F32};
  struct problem p = {.training = 300,
                      .test = 10,
                      .attributes = 700,
                      .true_size = 8,
                      .noise = 0.5,
                      .mean = k % 2,
                      .intercept = 3,
                      .seed = (uint64_t)k,
                      .labels = has_labels(k),
                      .weighted = k % 4 >= 2};
  struct memory_store *m = problem_store(&p);
  int64_t count = m->store.shape.examples * m->store.shape.attributes;
  m->store.shape.type = types[k % 3];
  m->store.shape.layout = k % 5 == 2 ? TH_SPARSE : TH_DENSE;
  m->cut = k % 2 ? 70 : 0;
  m->placed = k % 3 == 1;
  for (int64_t i = 0; i < count && m->store.shape.layout == TH_SPARSE; i++)
    m->values[i] = fabsf(m->values[i]) < 1 ? 0 : m->values[i];
  if (k % 4 == 3)
    add_twins(m, &p);
  memory_store_finish(m);
  return m;
}

static struct th_config config_of(int k)
{
  struct th_config config =
      penalised_config("omp", has_labels(k) ? "logistic" : "squared", 0);
  config.intercept = k % 4 != 1;
  config.standardize = false;
  config.sparsity = chosen_of(k);
  config.validation = -1;
  return config;
}

/* A plain problem, its weights over n, and what is chosen of it. */
struct reference {
  struct plain p;
  bool intercept;
  double b[CHOSEN];
  double b0;
  int64_t chosen[CHOSEN];
  int64_t size;
  double *gradient; /* f' of each example, weighted */
};

static double value_of(const struct reference *r, int64_t i, int64_t j)
{
  return j < r->size ? r->p.x[i * r->p.d + r->chosen[j]] : 1;
}

static double prediction_of(const struct reference *r, int64_t i)
{
  double sum = r->b0;
  for (int64_t j = 0; j < r->size; j++)
    sum += r->b[j] * value_of(r, i, j);
  return sum;
}

/* One Newton step on S and the constant; a squared loss needs no other. */
static void improve(struct reference *r)
{
  int64_t n = r->size + (r->intercept ? 1 : 0);
  double *h = calloc((size_t)(n * n), sizeof *h);
  double *g = calloc((size_t)(2 * n), sizeof *g);
  struct th_cholesky f = {0};
  struct th_error err;
  if (h == NULL || g == NULL)
    exit(1);
  for (int64_t i = 0; i < r->p.n; i++) {
    double w = r->p.weight[i] / (double)r->p.n;
    double p = prediction_of(r, i);
    double first = 0;
    double second = 0;
    th_loss_df_all(r->p.loss, 1, &p, &r->p.y[i], &first);
    th_loss_d2f_all(r->p.loss, 1, &p, &r->p.y[i], &second);
    for (int64_t j = 0; j < n; j++) {
      g[j] -= w * first * value_of(r, i, j);
      for (int64_t k = 0; k < n; k++)
        h[j * n + k] += w * second * value_of(r, i, j) * value_of(r, i, k);
    }
  }
  CHECK(th_cholesky_pivot(&f, n, h, n, 0, &err) == TH_OK);
  th_cholesky_solve(&f, f.rank, g, g + n);
  for (int64_t j = 0; j < r->size; j++)
    r->b[j] += g[n + j];
  if (r->intercept)
    r->b0 += g[n + r->size];
  th_cholesky_free(&f);
  free(h);
  free(g);
}

/* The attribute with the largest slope. */
static int64_t next_of(struct reference *r)
{
  int64_t best = 0;
  double most = -1;
  for (int64_t i = 0; i < r->p.n; i++) {
    double p = prediction_of(r, i);
    th_loss_df_all(r->p.loss, 1, &p, &r->p.y[i], &r->gradient[i]);
    r->gradient[i] *= r->p.weight[i];
  }
  for (int64_t j = 0; j < r->p.d; j++) {
    double sum = 0;
    for (int64_t i = 0; i < r->p.n; i++)
      sum += r->gradient[i] * r->p.x[i * r->p.d + j];
    bool member = false;
    for (int64_t k = 0; k < r->size; k++)
      member = member || r->chosen[k] == j;
    if (!member && fabs(sum) > most) {
      most = fabs(sum);
      best = j;
    }
  }
  return best;
}

/* Algorithm 1, without another thought. */
static void pursue(struct reference *r)
{
  improve(r);
  while (r->size < CHOSEN) {
    r->chosen[r->size] = next_of(r);
    r->b[r->size++] = 0;
    improve(r);
  }
}

/* For a squared loss the same choices, in the same order, and the same fit. */
static void check_squares(struct reference *r, const struct th_model *model)
{
  pursue(r);
  CHECK(model->support_size == CHOSEN);
  double *b = calloc((size_t)r->p.d, sizeof *b);
  if (b == NULL)
    exit(1);
  plain_coef(model, b);
  for (int64_t k = 0; k < r->size; k++)
    CHECK(fabs(b[r->chosen[k]] - r->b[k]) < 1e-10);
  CHECK(model->selected.size == CHOSEN);
  for (int64_t k = 0; k < model->selected.size; k++)
    CHECK(model->selected.attribute[k] == r->chosen[k]);
  free(b);
}

/* For labels: the coefficients are those of maximum likelihood. */
static void check_labels(struct reference *r, const struct th_model *model)
{
  CHECK(model->support_size == CHOSEN_OF_LABELS);
  r->size = model->support_size;
  r->b0 = model->intercept;
  for (int64_t k = 0; k < r->size; k++) {
    r->chosen[k] = model->support[k];
    r->b[k] = model->coef[k];
  }
  next_of(r); /* for the gradients */
  for (int64_t j = 0; j < r->size + r->intercept; j++) {
    double slope = 0;
    for (int64_t i = 0; i < r->p.n; i++)
      slope += r->gradient[i] * value_of(r, i, j);
    CHECK(fabs(slope) < 1e-7 * (double)r->p.n);
  }
}

static void check_model(const struct memory_store *m,
                        const struct th_config *config,
                        const struct th_model *model)
{
  struct reference r = {.intercept = config->intercept};
  plain_take(&r.p, m, th_loss_find(config->loss), 0);
  r.gradient = calloc((size_t)r.p.n, sizeof *r.gradient);
  if (r.gradient == NULL)
    exit(1);
  (r.p.loss->labels ? check_labels : check_squares)(&r, model);
  free(r.gradient);
  plain_free(&r.p);
}

/* Train and check; the model's digest. */
static uint64_t learn(struct th_comm *comm, struct th_config *config,
                      struct memory_store *m)
{
  struct th_model model = {0};
  struct th_error err;
  uint64_t digest = 0;
  th_status rc = problem_train(config, &m->store, comm, NULL, &model, &err);
  CHECK(rc == TH_OK);
  if (rc != TH_OK)
    fprintf(stderr, "%s\n", err.text);
  if (rc == TH_OK && comm->rank == 0 && config->sparsity > 0)
    check_model(m, config, &model);
  if (rc == TH_OK)
    digest = problem_digest(&model);
  th_model_free(&model);
  return digest;
}

/* The same model on all ranks as on one: by a number, and by folds. */
static void test_case(struct th_comm *comm, int k)
{
  struct memory_store *m = store_of(k);
  struct th_config config = config_of(k);
  for (int by_folds = 0; by_folds < 2; by_folds++) {
    config.sparsity = by_folds ? 0 : chosen_of(k);
    CHECK(problem_learns_alike(comm, learn, &config, m));
  }
  if (check_failures > 0)
    fprintf(stderr, "rank %d of %d: at case %d\n", comm->rank, comm->size, k);
  memory_store_free(m);
}

/* An attribute that is there twice, and more attributes asked for than there
 * are: the path ends before. */
static void test_end(struct th_comm *comm)
{
  struct problem p = {.training = 60,
                      .attributes = 30,
                      .true_size = 3,
                      .noise = 0.5,
                      .seed = 1};
  struct memory_store *m = problem_twins(&p, comm);
  struct th_config config = penalised_config("omp", "squared", 0);
  struct th_model model = {0};
  struct th_error err;
  config.sparsity = 100;
  config.intercept = true;
  CHECK(problem_train(&config, &m->store, comm, NULL, &model, &err) == TH_OK);
  CHECK(model.support_size == 29);
  th_model_free(&model);
  memory_store_free(m);
}

int main(int argc, char **argv)
{
  return mpi_cases(argc, argv, CASES, test_case, test_end);
}
