/* chooser.c - a lambda is chosen by the losses that models have on examples
 * that they have not seen
 *
 * Losses and standard errors are those that NumPy computes; losses of a path
 * are those of models that proximal gradient steps find without each fold.
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "penalised.h"
#include "problem.h"

#include "solvers/access/folds.h"
#include "solvers/predict/fold_losses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FOLDS = 3, EXAMPLES = 91, ATTRIBUTES = 12, POINTS = 20, STRIDE = 6 };

static bool is_near(double a, double b, double tolerance)
{
  return fabs(a - b) <= tolerance * fmax(1, fabs(b));
}

/* np.average(L, weights=W), and
 * np.sqrt(np.average((L - mean)**2, weights=W) / (3 - 1)); of one part
 * np.sqrt(((w * (u - mean))**2).sum()) / w.sum(). */
static void test_sums(void)
{
  static const double u[FOLDS][4] = {
      {1.0, 2.5, 0.25}, {0.5, 4.0}, {3.0, 1.0, 1.5, 0.75}};
  static const double w[FOLDS][4] = {{1, 2, 0.5}, {1, 3}, {2, 1, 0, 1}};
  static const int64_t count[FOLDS] = {3, 2, 4};
  struct th_fold_losses losses;
  struct th_error err = {0};
  double se;
  CHECK(th_fold_losses_init(&losses, FOLDS, 2, &err) == TH_OK);
  for (int64_t f = 0; f < FOLDS; f++)
    th_fold_losses_take(&losses, f, 1, u[f], w[f], count[f]);
  CHECK(
      is_near(th_fold_losses_mean(&losses, 1, &se), 2.2934782608695654, 1e-15));
  CHECK(is_near(se, 0.4327056369426749, 1e-15));
  th_fold_losses_free(&losses);
  CHECK(th_fold_losses_init(&losses, 1, 1, &err) == TH_OK);
  th_fold_losses_take(&losses, 0, 0, u[0], w[0], count[0]);
  CHECK(is_near(th_fold_losses_mean(&losses, 0, &se), 1.75, 1e-15));
  CHECK(is_near(se, 0.5248906591678238, 1e-15));
  th_fold_losses_free(&losses);
}

/* Of equal losses the first is best; 1se is the first that is near enough. */
static void test_places(void)
{
  static const double loss[2][6] = {{9, 5, 4, 2, 2, 3}, {9, 7, 4, 4, 4, 5}};
  static const double one = 1;
  struct th_fold_losses losses;
  struct th_error err = {0};
  int64_t one_se;
  CHECK(th_fold_losses_init(&losses, 2, 6, &err) == TH_OK);
  for (int64_t f = 0; f < 2; f++)
    for (int64_t k = 0; k < 6; k++)
      th_fold_losses_take(&losses, f, k, &loss[f][k], &one, 1);
  CHECK(th_fold_losses_best(&losses, 6, &one_se) == 3);
  CHECK(one_se == 2); /* 4 <= 3 + 1 */
  CHECK(th_fold_losses_best(&losses, 2, &one_se) == 1 && one_se == 1);
  CHECK(th_fold_losses_best(&losses, 1, &one_se) == 0 && one_se == 0);
  th_fold_losses_free(&losses);
}

/* The folds that the options give. */
static void deal(const struct plain *p, bool labels, uint64_t seed,
                 uint8_t *fold)
{
  const struct th_folds_rows given = {
      .rows = p->n, .target = p->y, .labels = labels, .weight = p->weight};
  CHECK(th_folds_make(&given, seed, FOLDS, fold, NULL) == TH_OK);
}

/* What the model at p->lambda without a fold loses on it: sum of weights. */
static double lose(const struct plain *all, const uint8_t *fold, int f,
                   double *weight)
{
  struct plain rest = *all;
  double left = 0;
  double loss = 0;
  double b[ATTRIBUTES];
  double b0 = 0;
  rest.weight = calloc((size_t)all->n, sizeof *rest.weight);
  for (int64_t i = 0; i < all->n; i++)
    left += fold[i] == f ? 0 : all->weight[i];
  for (int64_t i = 0; i < all->n; i++)
    rest.weight[i] = fold[i] == f ? 0 : all->weight[i] * (double)all->n / left;
  plain_solve(&rest, true, b, &b0);
  for (int64_t i = 0; i < all->n; i++) {
    double prediction = b0;
    for (int64_t j = 0; j < all->d; j++)
      prediction += b[j] * all->x[i * all->d + j];
    if (fold[i] == f) {
      *weight += all->weight[i];
      loss += all->weight[i] * th_loss_f(all->loss, prediction, all->y[i]);
    }
  }
  free(rest.weight);
  return loss;
}

/* The losses of a path by steps that know nothing of it. */
static void check_losses(const struct th_model *model, struct plain *p,
                         const uint8_t *fold)
{
  const struct th_path *path = &model->path;
  for (int64_t k = 0; k < path->points; k += STRIDE) {
    double weight = 0;
    double loss = 0;
    p->lambda = path->lambda[k];
    for (int f = 0; f < FOLDS; f++)
      loss += lose(p, fold, f, &weight);
    CHECK(is_near(path->loss[k], loss / weight / p->loss->half, 1e-4));
  }
}

/* The model is that of its lambda alone, and a part of the path. */
static void check_model(const struct th_model *model, struct th_config config,
                        struct memory_store *m)
{
  const struct th_path *path = &model->path;
  struct th_model alone;
  double b[2][ATTRIBUTES];
  config.path = 0;
  config.choice = (struct th_config_choice){.how = TH_CHOOSE_BEST};
  config.lambda = path->lambda[path->chosen];
  problem_must_train(&config, m, NULL, &alone);
  plain_coef(model, b[0]);
  plain_coef(&alone, b[1]);
  for (int64_t j = 0; j < ATTRIBUTES; j++)
    CHECK(is_near(b[0][j], b[1][j], 1e-6));
  CHECK(is_near(model->intercept, alone.intercept, 1e-6));
  CHECK(th_path_size(path, path->chosen) == model->support_size);
  th_model_free(&alone);
}

static void test_path(const char *loss, enum th_choose how)
{
  struct problem p = {.training = EXAMPLES,
                      .attributes = ATTRIBUTES,
                      .true_size = 4,
                      .noise = 1,
                      .mean = 0.5,
                      .seed = 12,
                      .weighted = true,
                      .labels = strcmp(loss, "squared") != 0};
  struct memory_store *m = problem_store(&p);
  struct th_config config = penalised_config("lasso", loss, 0);
  struct th_model model;
  struct plain plain;
  uint8_t fold[EXAMPLES];
  memory_store_finish(m);
  config.intercept = true;
  config.path = POINTS;
  config.choice.how = how;
  config.choice.folds = FOLDS;
  config.seed = 7;
  problem_must_train(&config, m, NULL, &model);
  plain_take(&plain, m, th_loss_find(loss), 1);
  deal(&plain, p.labels, config.seed, fold);
  CHECK(model.path.points > STRIDE && model.path.points <= POINTS);
  CHECK(model.path.chosen ==
        (how == TH_CHOOSE_1SE ? model.path.one_se : model.path.best));
  CHECK(model.path.one_se < model.path.best);
  check_losses(&model, &plain, fold);
  check_model(&model, config, m);
  plain_free(&plain);
  th_model_free(&model);
  memory_store_free(m);
}

/* Where a fold holds all of a class, or examples are few, nothing is chosen. */
static void test_refused(void)
{
  struct problem p = {.training = 30,
                      .attributes = ATTRIBUTES,
                      .true_size = 2,
                      .noise = 1,
                      .seed = 3};
  struct memory_store *m = problem_store(&p);
  struct th_config config = penalised_config("lasso", "logistic", 0);
  struct th_model model;
  struct th_error err = {0};
  struct th_comm self;
  th_comm_self(&self);
  for (int64_t i = 0; i < p.training; i++)
    m->target[i] = i == 4;
  memory_store_finish(m);
  config.choice.how = TH_CHOOSE_BEST;
  config.choice.folds = FOLDS;
  CHECK(problem_train(&config, &m->store, &self, NULL, &model, &err) ==
        TH_EDATA);
  CHECK(strstr(err.text, "lambda cannot be chosen") != NULL);
  th_model_free(&model);
  memory_store_free(m);
}

int main(void)
{
  CASE(test_sums());
  CASE(test_places());
  CASE(test_path("squared", TH_CHOOSE_BEST));
  CASE(test_path("logistic", TH_CHOOSE_1SE));
  CASE(test_refused());
  return check_finish(NULL);
}
