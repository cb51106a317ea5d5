/* held.c - a dense matrix in memory is held there, without a file, and makes
 * the model that it makes through files: of any type and layout, with weights,
 * in its order, with equal examples, by every solver; what cannot be held is
 * imported into files
 * SPDX-License-Identifier: MIT */
#include "api/thresher.h"
#include "check.h"
#include "solvers/driver/train.h"
#include "solvers/solver_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXAMPLES = 260, ATTRIBUTES = 530, NAME = 8, MOST = 1 << 22 };

static struct thresher_team *team;
static char folder[64];

/* A matrix and what goes with it. */
struct given {
  const char *solver;
  enum thresher_type type;
  enum thresher_storage storage;
  bool turned;
  bool weighted;
  bool in_order;
  bool named;
  bool equal;   /* every fifth example is the one before it */
  bool missing; /* a value is */
  bool rare;    /* nearly all values are 0 */
  bool loss;    /* targets are -1 and 1 */
};

static double draw(int64_t example, int64_t attribute)
{
  uint64_t z = (uint64_t)example * 0x9e3779b97f4a7c15u +
               (uint64_t)attribute * 0xbf58476d1ce4e5b9u + 1;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return (double)(z >> 57);
}

static double value_of(const struct given *given, int64_t i, int64_t j)
{
  const double value = draw(given->equal && i % 5 == 4 ? i - 1 : i, j);
  if (given->missing && i == 41 && j == 7)
    return NAN;
  if (given->rare)
    return j % 29 == i % 29 ? value : 0;
  return given->type == THRESHER_I8 ? value - 50 : value;
}

static void put(const struct given *given, void *values, int64_t at,
                double value)
{
  if (given->type == THRESHER_F64)
    ((double *)values)[at] = value / 3;
  else if (given->type == THRESHER_F32)
    ((float *)values)[at] = (float)value / 3;
  else if (given->type == THRESHER_I8)
    ((int8_t *)values)[at] = (int8_t)value;
  else
    ((uint8_t *)values)[at] = (uint8_t)value;
}

/* What is handed in, owned. */
struct handed {
  void *values;
  double target[EXAMPLES];
  double weight[EXAMPLES];
  char text[ATTRIBUTES][NAME];
  const char *name[ATTRIBUTES]; /* of attributes, and IDs */
};

static struct thresher_dense fill(const struct given *given,
                                  struct handed *handed)
{
  const int64_t row = given->turned ? 1 : ATTRIBUTES + 3;
  const int64_t column = given->turned ? EXAMPLES + 1 : 1;
  handed->values = calloc((EXAMPLES + 1) * (ATTRIBUTES + 3), sizeof(double));
  for (int64_t i = 0; i < EXAMPLES; i++) {
    const int64_t like = given->equal && i % 5 == 4 ? i - 1 : i;
    for (int64_t j = 0; j < ATTRIBUTES; j++)
      put(given, handed->values, i * row + j * column, value_of(given, i, j));
    handed->target[i] =
        draw(like, 3) - 2 * draw(like, 311) + draw(like, ATTRIBUTES + 1) / 8;
    if (given->loss)
      handed->target[i] = handed->target[i] > -60 ? 1 : -1;
    handed->weight[i] = i % 17 == 5 ? 0 : 1 + (double)(i % 3) / 4;
  }
  for (int64_t j = 0; j < ATTRIBUTES; j++) {
    snprintf(handed->text[j], NAME, "n%d", (int)j);
    handed->name[j] = handed->text[j];
  }
  return (struct thresher_dense){handed->values, given->type, EXAMPLES,
                                 ATTRIBUTES,     row,         column};
}

static void set(struct thresher_config *config, const char *option,
                const char *value)
{
  CHECK(thresher_config_set(config, option, value, NULL) == THRESHER_OK);
}

static struct thresher_config *config_of(const struct given *given)
{
  const struct th_solver_row *row = th_solver_find(given->solver);
  struct thresher_config *config = NULL;
  CHECK(thresher_config_create(&config, NULL) == THRESHER_OK);
  set(config, "solver", given->solver);
  if (row->needs_sparsity)
    set(config, "sparsity", "3");
  if (row->needs_budget)
    set(config, "budget", "12");
  if (given->loss)
    set(config, "loss", "logistic");
  if (row->penalised && !row->selects)
    set(config, "lambda-ratio", "0.5");
  return config;
}

/* Train, and write the model; false where the data could not be made. */
static bool learn(const struct given *given, int64_t memory, const char *path,
                  double *score)
{
  static struct handed handed;
  const struct thresher_dense matrix = fill(given, &handed);
  const struct thresher_beside beside = {
      .targets = handed.target,
      .weights = given->weighted ? handed.weight : NULL,
      .names = given->named ? handed.name : NULL,
      .ids = given->named ? handed.name : NULL,
      .storage = given->storage,
      .test = 0.1,
      .in_order = given->in_order};
  struct thresher_error error = {THRESHER_OK, -1, ""};
  struct thresher_scores scores = {0};
  struct thresher_data *data = NULL;
  struct thresher_model *model = NULL;
  struct thresher_config *config = config_of(given);
  const bool made = thresher_data_from_dense(&data, team, &matrix, &beside,
                                             memory, &error) == THRESHER_OK;
  if (made) {
    CHECK(thresher_train(&model, config, data, NULL, &error) == THRESHER_OK);
    CHECK(thresher_evaluate(model, data, THRESHER_TEST, &scores, &error) ==
          THRESHER_OK);
    CHECK(thresher_model_write(model, team, path, 1, NULL) == THRESHER_OK);
    *score = scores.mse;
  }
  if (path[0] != '\0' && error.text[0] != '\0')
    fprintf(stderr, "%s: %s\n", given->solver, error.text);
  thresher_model_free(model);
  thresher_config_free(config);
  thresher_data_close(data);
  free(handed.values);
  return made;
}

static size_t read_file(const char *path, char *bytes)
{
  FILE *file = fopen(path, "rb");
  size_t size = file != NULL ? fread(bytes, 1, MOST, file) : 0;
  if (file != NULL)
    fclose(file);
  return size;
}

/* Files can only be made where their folder is. */
static void allow_files(bool allowed)
{
  setenv("TMPDIR", allowed ? folder : "/absent", 1);
}

/* Without memory for the copy, data go into files. */
static void test_same(const struct given *given, bool held)
{
  static char bytes[2][MOST];
  const bool small = given->storage == THRESHER_AS_USUAL &&
                     (given->type == THRESHER_U8 || given->type == THRESHER_I8);
  const int64_t size_of_copy = EXAMPLES * ATTRIBUTES *
                               (small                               ? 1
                                : given->storage == THRESHER_AS_F64 ? 8
                                                                    : 4);
  char path[128];
  double score[2] = {0};
  size_t size[2];
  snprintf(path, sizeof path, "%s/model.h5", folder);
  allow_files(!held);
  CHECK(learn(given, 0, path, &score[0]));
  size[0] = read_file(path, bytes[0]);
  allow_files(true);
  CHECK(learn(given, size_of_copy - 1, path, &score[1]));
  size[1] = read_file(path, bytes[1]);
  CHECK(size[0] > 0 && size[0] == size[1] &&
        memcmp(bytes[0], bytes[1], size[0]) == 0);
  CHECK(score[0] == score[1]);
  unlink(path);
}

static void test_kinds(void)
{
  const struct given plain = {.solver = "sift"};
  struct given kind = plain;
  test_same(&plain, true);
  for (int k = 0; k < 8; k++) {
    kind = plain;
    kind.type = k / 2 == 0   ? THRESHER_F32
                : k / 2 == 1 ? THRESHER_F64
                : k / 2 == 2 ? THRESHER_U8
                             : THRESHER_I8;
    kind.turned = k % 2 == 1;
    kind.weighted = k % 3 == 1;
    kind.in_order = k % 3 == 2;
    kind.named = k % 4 == 0;
    kind.equal = k > 2;
    kind.loss = k == 3;
    test_same(&kind, true);
    kind.storage = k % 4 < 2 ? THRESHER_AS_F64 : THRESHER_AS_F32;
    test_same(&kind, true);
  }
}

/* They are made all the same. */
static void test_not_held(void)
{
  const struct given missing = {.solver = "sift", .missing = true};
  const struct given rare = {.solver = "sift", .rare = true};
  double score = 0;
  test_same(&missing, false);
  test_same(&rare, false);
  allow_files(false);
  CHECK(!learn(&missing, 0, "", &score));
  CHECK(!learn(&rare, 0, "", &score));
}

static void test_solvers(void)
{
  for (const struct th_solver_row *row = th_solver_table(); row->name != NULL;
       row++) {
    const struct given given = {.solver = row->name};
    if (!row->needs_start)
      CASE_NAMED(row->name, test_same(&given, true));
  }
}

int main(void)
{
  snprintf(folder, sizeof folder, "/tmp/held-XXXXXX");
  CHECK(mkdtemp(folder) != NULL);
  CHECK(thresher_team_self(&team, NULL) == THRESHER_OK);
  CASE(test_kinds());
  CASE(test_not_held());
  test_solvers();
  thresher_team_free(team);
  CHECK(rmdir(folder) == 0); /* nothing is left */
  return check_finish(NULL);
}
