/* weights.c - a caller's examples of weight 0 are not there: the model is
 * that of the others, and their predictions go by the caller's numbers
 * SPDX-License-Identifier: MIT */
#include "api/thresher.h"
#include "check.h"

#include <string.h>

enum { EXAMPLES = 900, TRAINING = 750, ATTRIBUTES = 30 };

/* Every third example is spoilt; `leave` leaves it out. */
struct source {
  bool leave;
};

static bool is_spoilt(int64_t example)
{
  return example % 3 == 1;
}

/* The example that a caller without the spoilt ones calls i. */
static int64_t example_of(const struct source *source, int64_t i)
{
  return source->leave ? i / 2 * 3 + (i % 2 == 0 ? 0 : 2) : i;
}

static double draw(int64_t example, int64_t attribute)
{
  uint64_t z = (uint64_t)example * 0x9e3779b97f4a7c15u +
               (uint64_t)attribute * 0xbf58476d1ce4e5b9u + 1;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return 2 * ((double)(z >> 11) * 0x1p-53) - 1;
}

static int values(void *self, int64_t first, int64_t rows,
                  const int64_t *attribute, int64_t attributes, double *value,
                  char *text)
{
  (void)text;
  for (int64_t k = 0; k < rows * attributes; k++) {
    int64_t example = example_of(self, first + k % rows);
    value[k] = is_spoilt(example) ? 1 : draw(example, attribute[k / rows]);
  }
  return 0;
}

static int targets(void *self, int64_t first, int64_t rows, double *target,
                   char *text)
{
  (void)text;
  for (int64_t i = 0; i < rows; i++) {
    int64_t example = example_of(self, first + i);
    target[i] = is_spoilt(example) ? -9999
                                   : 2 * draw(example, 3) - draw(example, 7) +
                                         0.3 * draw(example, ATTRIBUTES);
  }
  return 0;
}

static int weights(void *self, int64_t first, int64_t rows, double *weight,
                   char *text)
{
  (void)text;
  for (int64_t i = 0; i < rows; i++)
    weight[i] = is_spoilt(example_of(self, first + i)) ? 0 : 1;
  return 0;
}

static int known(void *self, int64_t first, int64_t attributes,
                 struct thresher_attribute *known, char *text)
{
  (void)self;
  (void)first;
  (void)text;
  for (int64_t a = 0; a < attributes; a++)
    known[a] = (struct thresher_attribute){0, 0.577, -1, 1};
  return 0;
}

struct trained {
  double prediction[EXAMPLES];
  int64_t row[EXAMPLES];
  int64_t rows;
  int64_t training;
  struct thresher_scores scores;
};

static void learn(const char *solver, struct source *self, struct trained *to)
{
  struct thresher_source source = {
      .self = self,
      .examples = self->leave ? EXAMPLES / 3 * 2 : EXAMPLES,
      .training = self->leave ? TRAINING / 3 * 2 : TRAINING,
      .attributes = ATTRIBUTES,
      .values = values,
      .targets = targets,
      .weights = weights,
      .known = known};
  struct thresher_team *team = NULL;
  struct thresher_data *data = NULL;
  struct thresher_config *config = NULL;
  struct thresher_model *model = NULL;
  struct thresher_error error = {THRESHER_OK, 0, ""};
  *to = (struct trained){0};
  CHECK(thresher_team_self(&team, &error) == THRESHER_OK);
  CHECK(thresher_data_from(&data, team, &source, &error) == THRESHER_OK);
  CHECK(thresher_config_create(&config, &error) == THRESHER_OK);
  CHECK(thresher_config_set(config, "solver", solver, &error) == THRESHER_OK);
  CHECK(thresher_config_set(config, "budget", "8", &error) == THRESHER_OK);
  if (strcmp(solver, "hybrid") == 0)
    CHECK(thresher_config_set(config, "sparsity", "2", &error) == THRESHER_OK);
  CHECK(thresher_train(&model, config, data, NULL, &error) == THRESHER_OK);
  to->training = thresher_data_training(data);
  to->rows = thresher_data_count(data, THRESHER_ALL);
  CHECK(thresher_predict(model, data, THRESHER_ALL, to->prediction, NULL,
                         to->row, &error) == THRESHER_OK);
  CHECK(thresher_evaluate(model, data, THRESHER_TEST, &to->scores, &error) ==
        THRESHER_OK);
  if (error.status != THRESHER_OK)
    fprintf(stderr, "%s\n", error.text);
  thresher_model_free(model);
  thresher_config_free(config);
  thresher_data_close(data);
  thresher_team_free(team);
}

static void test_solver(const char *solver)
{
  static struct trained all;
  static struct trained kept;
  struct source whole = {false};
  struct source part = {true};
  int64_t alike = 0;
  learn(solver, &whole, &all);
  learn(solver, &part, &kept);
  CHECK(all.rows == EXAMPLES && kept.rows == EXAMPLES / 3 * 2);
  CHECK(all.training == kept.training);
  CHECK(all.scores.examples == kept.scores.examples);
  CHECK(all.scores.mse == kept.scores.mse && all.scores.r2 > 0);
  for (int64_t i = 0; i < kept.rows; i++) /* those of weight 0 come last */
    alike += all.prediction[i] == kept.prediction[i] &&
             all.row[i] == example_of(&part, kept.row[i]);
  CHECK(alike == kept.rows);
  for (int64_t i = kept.rows; i < all.rows; i++)
    CHECK(is_spoilt(all.row[i]));
}

int main(void)
{
  CASE(test_solver("sift"));
  CASE(test_solver("hybrid"));
  CASE(test_solver("aerr"));
  return check_finish(NULL);
}
