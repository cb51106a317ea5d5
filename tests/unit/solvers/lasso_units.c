/* lasso_units.c - the exact solver in any units of attributes and targets
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "penalised.h"

/* The model of attributes times a and targets times b is b / a times the model,
 * also where neither fits a float's squares. */
static void test_units(enum th_type type, double a, double b)
{
  struct problem p = {.training = 50,
                      .attributes = 60,
                      .true_size = 4,
                      .noise = 0.2,
                      .seed = 5};
  struct th_config config = penalised_config("lasso", "squared", 0.1);
  struct th_model model[2];
  double coef[2][PROBLEM_MOST];
  for (int k = 0; k < 2; k++) {
    struct memory_store *m = problem_store(&p);
    m->store.shape.type = type;
    for (int64_t i = 0; i < p.training * p.attributes; i++)
      m->values[i] *= (float)(k == 0 ? 1 : a);
    for (int64_t i = 0; i < p.training; i++)
      m->target[i] *= k == 0 ? 1 : b;
    memory_store_finish(m);
    problem_must_train(&config, m, NULL, &model[k]);
    plain_coef(&model[k], coef[k]);
    memory_store_free(m);
  }
  CHECK_NEAR(model[1].certificate.lambda_max / a / b,
             model[0].certificate.lambda_max, 1e-12);
  CHECK(model[1].support_size == model[0].support_size);
  for (int64_t j = 0; j < p.attributes; j++)
    CHECK_NEAR(coef[1][j] * a / b, coef[0][j], 1e-6);
  for (int k = 0; k < 2; k++)
    th_model_free(&model[k]);
}

int main(void)
{
  const double units[] = {0x1p-110, 1, 0x1p110};
  for (int k = 0; k < 9; k++) {
    CASE(test_units(TH_F32, units[k / 3], units[k % 3]));
    CASE(test_units(TH_F64, units[k / 3], units[k % 3]));
  }
  for (int k = 0; k < 2; k++)
    CASE(test_units(TH_F32, 1, k == 0 ? 0x1p-390 : 0x1p390));
  return check_finish(NULL);
}
