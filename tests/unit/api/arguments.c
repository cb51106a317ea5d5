/* arguments.c - every function of thresher.h with every argument that it
 * must not have: THRESHER_EARG or the value that the header names, and no
 * crash; on several ranks also if only one of them gives it. arguments.py holds
 * these rows against the header, so that none is left out
 * SPDX-License-Identifier: MIT */
#include "api/thresher.h"
#include "check.h"
#include "io_data.h"
#include "mpi/mpi_comm.h"

#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { EXAMPLES = 300, ATTRIBUTES = 12, TEXT = 1024, NOBODY = -1 };

/* Good objects, for the arguments that are not tried. */
struct world {
  struct th_comm comm;
  struct thresher_team *team; /* of all ranks */
  struct thresher_data *data;
  struct thresher_config *config;
  struct thresher_model *model;
  struct thresher_error error;
  char folder[64];
  char path[128]; /* of a data set */
  char other[128];
  bool bad; /* whether this rank gives the bad argument */
};

static void refused(struct world *w, const char *row, enum thresher_status told,
                    enum thresher_status untold)
{
  const char *text = w->error.text;
  bool right = told == THRESHER_EARG && untold == THRESHER_EARG &&
               w->error.status == THRESHER_EARG && text[0] != '\0' &&
               strchr(text, '\n') == NULL && strchr(text, '{') == NULL;
  if (!right) {
    check_failures++;
    fprintf(stderr, "rank %d: %s: status %d and %d, text '%s'\n", w->comm.rank,
            row, (int)told, (int)untold, text);
  }
  memset(&w->error, 0, sizeof w->error);
}

/* A row: a call that has to fail with a bad value of this argument, whether the
 * caller wants to hear why or not. */
#define REFUSED(function, argument, ...)                                       \
  refused(w, #function " " #argument, function(__VA_ARGS__, &w->error),        \
          function(__VA_ARGS__, NULL))

/* A row: what holds in spite of this argument's value. */
#define HARMLESS(function, argument, condition) CHECK(condition)

/* ---- the caller's data ---- */

static int values(void *self, int64_t first, int64_t rows,
                  const int64_t *attribute, int64_t attributes, double *value,
                  char *text)
{
  (void)self;
  (void)text;
  for (int64_t k = 0; k < rows * attributes; k++) {
    int64_t i = first + k % rows;
    value[k] = (i >> (attribute[k / rows] % 9) & 1) != 0 ? 1 : -1;
  }
  return 0;
}

static int targets(void *self, int64_t first, int64_t rows, double *target,
                   char *text)
{
  (void)self;
  (void)text;
  for (int64_t i = 0; i < rows; i++)
    target[i] = (double)((first + i) & 1);
  return 0;
}

/* self: a width that is no number, or NULL for a right one. */
static int known(void *self, int64_t first, int64_t attributes,
                 struct thresher_attribute *known, char *text)
{
  double end = self != NULL ? *(const double *)self : 1;
  (void)first;
  (void)text;
  for (int64_t a = 0; a < attributes; a++)
    known[a] = (struct thresher_attribute){0, 1, -end, end};
  return 0;
}

static struct thresher_source good(void)
{
  return (struct thresher_source){.examples = EXAMPLES,
                                  .training = EXAMPLES - 100,
                                  .attributes = ATTRIBUTES,
                                  .values = values,
                                  .targets = targets,
                                  .known = known};
}

/* ---- matrices in memory ---- */

enum { ROWS = 6, COLUMNS = 2 };

static const double cells[ROWS * COLUMNS] = {1, 2, 0, 1, 3, 0,
                                             4, 4, 0, 2, 5, 1};
static const double sums[ROWS] = {3, 1, 3, 8, 2, 6};
static const int32_t indices[ROWS] = {0, 1, 0, 1, 0, 1};
static const int32_t starts[ROWS + 1] = {0, 1, 2, 3, 4, 5, 6};

static struct thresher_dense good_dense(void)
{
  return (struct thresher_dense){cells,   THRESHER_F64, ROWS,
                                 COLUMNS, COLUMNS,      1};
}

static struct thresher_sparse good_sparse(void)
{
  return (struct thresher_sparse){cells, THRESHER_F64, indices, starts, 32, 32,
                                  0,     ROWS,         ROWS,    COLUMNS};
}

/* ---- what every rank refuses by itself ---- */

static void local_rows(struct world *w)
{
  char text[TEXT] = "";
  REFUSED(thresher_team_self, team, NULL);
  REFUSED(thresher_config_create, config, NULL);
  REFUSED(thresher_config_set, config, NULL, "seed", "1");
  REFUSED(thresher_config_set, name, w->config, NULL, "1");
  REFUSED(thresher_config_set, value, w->config, "seed", NULL);
  REFUSED(thresher_config_get, config, NULL, "seed", text, TEXT);
  REFUSED(thresher_config_get, name, w->config, NULL, text, TEXT);
  REFUSED(thresher_config_get, text, w->config, "seed", NULL, TEXT);
  REFUSED(thresher_config_get, size, w->config, "seed", text, 0);
  REFUSED(thresher_config_get, size, w->config, "solver", text, 4);
  CHECK(text[0] == '\0');
  HARMLESS(thresher_config_free, config, (thresher_config_free(NULL), true));
  HARMLESS(thresher_config_name, k, thresher_config_name(-1) == NULL);
  HARMLESS(thresher_config_name, k, thresher_config_name(INT_MIN) == NULL);
  HARMLESS(thresher_config_name, k, thresher_config_name(INT_MAX) == NULL);
  HARMLESS(thresher_config_help, k,
           thresher_config_help(-1, text, TEXT) == NULL);
  HARMLESS(thresher_config_help, k,
           thresher_config_help(INT_MAX, text, TEXT) == NULL);
  HARMLESS(thresher_config_help, text,
           thresher_config_help(0, NULL, TEXT) == NULL);
  HARMLESS(thresher_config_help, size,
           thresher_config_help(0, text, 0) == NULL);
  HARMLESS(thresher_config_help, size,
           thresher_config_help(0, text, 1) == text && text[0] == '\0');
  struct thresher_dense dense = good_dense();
  struct thresher_sparse sparse = good_sparse();
  double prediction[ROWS];
  REFUSED(thresher_apply_dense, model, NULL, &dense, prediction);
  REFUSED(thresher_apply_dense, values, w->model, NULL, prediction);
  REFUSED(thresher_apply_dense, prediction, w->model, &dense, NULL);
  REFUSED(thresher_apply_sparse, model, NULL, &sparse, prediction);
  REFUSED(thresher_apply_sparse, values, w->model, NULL, prediction);
  REFUSED(thresher_apply_sparse, prediction, w->model, &sparse, NULL);
  for (int status = -2; status < 80; status += status == 10 ? 60 : 1)
    HARMLESS(thresher_status_text, status,
             thresher_status_text((enum thresher_status)status)[0] != '\0');
}

/* What a caller gets from an object that is not there. */
static void missing_objects(void)
{
  HARMLESS(thresher_team_free, team, (thresher_team_free(NULL), true));
  HARMLESS(thresher_team_rank, team, thresher_team_rank(NULL) == -1);
  HARMLESS(thresher_team_size, team, thresher_team_size(NULL) == 0);
  HARMLESS(thresher_data_close, data, (thresher_data_close(NULL), true));
  HARMLESS(thresher_data_examples, d, thresher_data_examples(NULL) == 0);
  HARMLESS(thresher_data_training, d, thresher_data_training(NULL) == 0);
  HARMLESS(thresher_data_attributes, d, thresher_data_attributes(NULL) == 0);
  HARMLESS(thresher_data_count, data,
           thresher_data_count(NULL, THRESHER_ALL) == 0);
  HARMLESS(thresher_model_free, model, (thresher_model_free(NULL), true));
  HARMLESS(thresher_model_attributes, model,
           thresher_model_attributes(NULL) == 0);
  HARMLESS(thresher_model_support_size, model,
           thresher_model_support_size(NULL) == 0);
  HARMLESS(thresher_model_support, model, thresher_model_support(NULL) == NULL);
  HARMLESS(thresher_model_coefficients, model,
           thresher_model_coefficients(NULL) == NULL);
  HARMLESS(thresher_model_intercept, model,
           isnan(thresher_model_intercept(NULL)));
  HARMLESS(thresher_model_option, model,
           thresher_model_option(NULL, "seed") == NULL);
  HARMLESS(thresher_model_name, model, thresher_model_name(NULL, 0) == NULL);
  HARMLESS(thresher_model_column, model, thresher_model_column(NULL, 0) == -1);
  HARMLESS(thresher_model_means, model, thresher_model_means(NULL) == NULL);
  HARMLESS(thresher_model_solver, model, thresher_model_solver(NULL) == NULL);
  HARMLESS(thresher_model_loss, model, thresher_model_loss(NULL) == NULL);
  HARMLESS(thresher_model_setting, model,
           thresher_model_setting(NULL, 0, NULL) == NULL);
  HARMLESS(thresher_model_path, model, thresher_model_path(NULL).points == 0);
  HARMLESS(thresher_model_ledger, model,
           thresher_model_ledger(NULL).examples == 0);
  HARMLESS(thresher_model_lambda, model, isnan(thresher_model_lambda(NULL)));
  HARMLESS(thresher_model_objective, model,
           isnan(thresher_model_objective(NULL)));
  HARMLESS(thresher_model_gap, model, isnan(thresher_model_gap(NULL)));
}

/* Without a team, or data that have one, there are no ranks to tell. */
static void no_team(struct world *w)
{
  struct thresher_source source = good();
  struct thresher_data *data = w->data;
  struct thresher_model *model = w->model;
  struct thresher_scores scores;
  REFUSED(thresher_data_open, team, &data, NULL, w->path, 0);
  CHECK(data == NULL);
  data = w->data;
  REFUSED(thresher_data_from, team, &data, NULL, &source);
  CHECK(data == NULL);
  struct thresher_dense dense = good_dense();
  struct thresher_sparse sparse = good_sparse();
  data = w->data;
  REFUSED(thresher_data_from_dense, team, &data, NULL, &dense, NULL, 0);
  CHECK(data == NULL);
  data = w->data;
  REFUSED(thresher_data_from_sparse, team, &data, NULL, &sparse, NULL, 0);
  CHECK(data == NULL);
  REFUSED(thresher_model_read, team, &model, NULL, w->path);
  CHECK(model == NULL);
  REFUSED(thresher_model_write, team, w->model, NULL, w->other, 1);
  model = w->model;
  REFUSED(thresher_train, data, &model, w->config, NULL, NULL);
  CHECK(model == NULL);
  REFUSED(thresher_predict, data, w->model, NULL, THRESHER_ALL, NULL, NULL,
          NULL);
  REFUSED(thresher_evaluate, data, w->model, NULL, THRESHER_ALL, &scores);
}

/* Handles that are none: any number, one that was freed, one of two groups. */
static void handles(struct world *w)
{
  const int numbers[] = {-77,     -1,      INT_MIN,
                         INT_MAX, 1 << 20, MPI_Comm_c2f(MPI_COMM_NULL)};
  struct thresher_team *team = w->team;
  MPI_Comm half;
  MPI_Comm between;
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
    REFUSED(thresher_team_mpi, comm, &team, numbers[k]);
    CHECK(team == NULL);
  }
  MPI_Comm_split(MPI_COMM_WORLD, w->comm.rank == 0, w->comm.rank, &half);
  if (w->comm.size > 1) {
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, w->comm.rank == 0 ? 1 : 0, 3,
                         &between);
    REFUSED(thresher_team_mpi, comm, &team, MPI_Comm_c2f(between));
    MPI_Comm_free(&between);
  }
  int freed = MPI_Comm_c2f(half);
  MPI_Comm_free(&half);
  REFUSED(thresher_team_mpi, comm, &team, freed);
}

/* ---- what ranks refuse together ---- */

/* NULL on the ranks that err. */
#define NONE(pointer) (w->bad ? NULL : (pointer))

static void sizes(struct world *w)
{
  const int64_t most = INT64_MAX;
  const int64_t many = (int64_t)1 << 40;
  const int64_t wrong[][3] = {
      {0, 0, 12},       {-1, -1, 12},   {most, 5, 12},   {many, 5, UINT32_MAX},
      {many + 1, 5, 1}, {300, -1, 12},  {300, 301, 12},  {300, most, 12},
      {300, 200, 0},    {300, 200, -1}, {300, 200, most}};
  struct thresher_data *data = w->data;
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    struct thresher_source source = good();
    if (w->bad) {
      source.examples = wrong[k][0];
      source.training = wrong[k][1];
      source.attributes = wrong[k][2];
    }
    REFUSED(thresher_data_from, source.examples, &data, w->team, &source);
    REFUSED(thresher_data_from, source.training, &data, w->team, &source);
    REFUSED(thresher_data_from, source.attributes, &data, w->team, &source);
    CHECK(data == NULL);
  }
}

static void data_rows(struct world *w)
{
  struct thresher_source source = good();
  struct thresher_data *data = w->data;
  struct thresher_team *team = w->team;
  REFUSED(thresher_team_mpi, team, NONE(&team), MPI_Comm_c2f(MPI_COMM_WORLD));
  CHECK(w->bad || team == NULL);
  REFUSED(thresher_data_open, data, NONE(&data), w->team, w->path, 0);
  REFUSED(thresher_data_open, path, &data, w->team, NONE(w->path), 0);
  REFUSED(thresher_data_open, memory, &data, w->team, w->path, w->bad ? -5 : 0);
  REFUSED(thresher_data_open, memory, &data, w->team, w->path,
          w->bad ? INT64_MIN : 0);
  CHECK(data == NULL);
  REFUSED(thresher_data_from, data, NONE(&data), w->team, &source);
  REFUSED(thresher_data_from, source, &data, w->team, NONE(&source));
  if (w->bad)
    source.values = NULL;
  REFUSED(thresher_data_from, source.values, &data, w->team, &source);
  source = good();
  if (w->bad)
    source.known = NULL;
  REFUSED(thresher_data_from, source.known, &data, w->team, &source);
  CHECK(data == NULL);
}

/* One member of a record after the other. */
static void dense_rows(struct world *w)
{
  struct thresher_data *data = w->data;
  struct thresher_dense wrong[5];
  struct thresher_dense dense = good_dense();
  struct thresher_beside beside = {.storage = w->bad ? 9 : 0};
  struct thresher_beside other = {.test = w->bad ? NAN : 0};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
    wrong[k] = dense;
  if (w->bad) {
    wrong[0].values = NULL;
    wrong[1].type = (enum thresher_type)7;
    wrong[2].examples = 0;
    wrong[3].attributes = -1;
    wrong[4].type = (enum thresher_type) - 1;
  }
  REFUSED(thresher_data_from_dense, data, NONE(&data), w->team, &dense, NULL,
          0);
  REFUSED(thresher_data_from_dense, values, &data, w->team, NONE(&dense), NULL,
          0);
  REFUSED(thresher_data_from_dense, beside, &data, w->team, &dense, &beside, 0);
  REFUSED(thresher_data_from_dense, beside, &data, w->team, &dense, &other, 0);
  REFUSED(thresher_data_from_dense, memory, &data, w->team, &dense, NULL,
          w->bad ? -1 : 0);
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
    REFUSED(thresher_data_from_dense, values, &data, w->team, &wrong[k], NULL,
            0);
  CHECK(data == NULL);
}

static void sparse_rows(struct world *w)
{
  struct thresher_data *data = w->data;
  struct thresher_sparse wrong[8];
  struct thresher_sparse sparse = good_sparse();
  struct thresher_beside beside = {.test = w->bad ? 1 : 0};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
    wrong[k] = sparse;
  if (w->bad) {
    wrong[0].values = NULL;
    wrong[1].index = NULL;
    wrong[2].start = NULL;
    wrong[3].index_bits = 16;
    wrong[4].start_bits = 0;
    wrong[5].entries = -1;
    wrong[6].examples = 0;
    wrong[7].attributes = INT64_MIN;
  }
  REFUSED(thresher_data_from_sparse, data, NONE(&data), w->team, &sparse, NULL,
          0);
  REFUSED(thresher_data_from_sparse, values, &data, w->team, NONE(&sparse),
          NULL, 0);
  REFUSED(thresher_data_from_sparse, beside, &data, w->team, &sparse, &beside,
          0);
  REFUSED(thresher_data_from_sparse, memory, &data, w->team, &sparse, NULL,
          w->bad ? INT64_MIN : 0);
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
    REFUSED(thresher_data_from_sparse, values, &data, w->team, &wrong[k], NULL,
            0);
  CHECK(data == NULL);
}

static void model_rows(struct world *w)
{
  const int unknown[] = {-1, 4, 77};
  struct thresher_model *model = w->model;
  struct thresher_scores scores = {.examples = 5};
  REFUSED(thresher_train, model, NONE(&model), w->config, w->data, NULL);
  CHECK(w->bad || model == NULL);
  REFUSED(thresher_train, config, &model, NONE(w->config), w->data, NULL);
  CHECK(model == NULL);
  REFUSED(thresher_model_read, model, NONE(&model), w->team, w->path);
  REFUSED(thresher_model_read, path, &model, w->team, NONE(w->path));
  REFUSED(thresher_model_write, model, NONE(w->model), w->team, w->other, 1);
  REFUSED(thresher_model_write, path, w->model, w->team, NONE(w->other), 1);
  REFUSED(thresher_predict, model, NONE(w->model), w->data, THRESHER_ALL, NULL,
          NULL, NULL);
  REFUSED(thresher_evaluate, model, NONE(w->model), w->data, THRESHER_ALL,
          &scores);
  REFUSED(thresher_evaluate, scores, w->model, w->data, THRESHER_ALL,
          NONE(&scores));
  for (size_t k = 0; k < sizeof unknown / sizeof *unknown; k++) {
    enum thresher_examples which =
        w->bad ? (enum thresher_examples)unknown[k] : THRESHER_ALL;
    REFUSED(thresher_predict, which, w->model, w->data, which, NULL, NULL,
            NULL);
    REFUSED(thresher_evaluate, which, w->model, w->data, which, &scores);
    HARMLESS(thresher_data_count, which,
             thresher_data_count(w->data, which) == (w->bad ? 0 : EXAMPLES));
  }
  CHECK(scores.examples == 5);
}

/* ---- what may be missing, or as large as it likes ---- */

/* Ranks that agree with a caller who wants no words. */
#define ALLOWED(function, argument, ...)                                       \
  CHECK(function(__VA_ARGS__, NULL) == THRESHER_OK)

static void nothing_of_progress(struct world *w)
{
  const struct thresher_listener quiet = {NULL, NULL, NULL, NULL};
  struct thresher_model *model = NULL;
  ALLOWED(thresher_train, listener.self, &model, w->config, w->data, &quiet);
  thresher_model_free(model);
  ALLOWED(thresher_train, listener.progress, &model, w->config, w->data,
          &quiet);
  thresher_model_free(model);
  ALLOWED(thresher_train, listener.notice, &model, w->config, w->data, &quiet);
  thresher_model_free(model);
  ALLOWED(thresher_train, listener.stop, &model, w->config, w->data, &quiet);
  thresher_model_free(model);
  ALLOWED(thresher_train, listener, &model, w->config, w->data, NULL);
  thresher_model_free(model);
}

static int at_once(void *self)
{
  return *(const int *)self;
}

/* A run ends where one rank says so, and has no model. */
static void stopped(struct world *w)
{
  for (int who = 0; who < w->comm.size; who++) {
    int me = who == w->comm.rank;
    const struct thresher_listener asks = {&me, NULL, NULL, at_once};
    struct thresher_model *model = NULL;
    CHECK(thresher_train(&model, w->config, w->data, &asks, &w->error) ==
          THRESHER_ESTOPPED);
    CHECK(model == NULL && strstr(w->error.text, "stopped") != NULL);
    memset(&w->error, 0, sizeof w->error);
  }
}

/* The sum of two columns, by a model of matrices of either kind. */
static void matrices(struct world *w)
{
  struct thresher_dense dense = good_dense();
  struct thresher_sparse sparse = good_sparse();
  const struct thresher_beside beside = {.targets = sums};
  struct thresher_data *data = NULL;
  double all[ROWS];
  ALLOWED(thresher_data_from_dense, beside, &data, w->team, &dense, &beside, 0);
  CHECK(thresher_data_attributes(data) == COLUMNS);
  thresher_data_close(data);
  ALLOWED(thresher_data_from_sparse, beside, &data, w->team, &sparse, NULL, 0);
  CHECK(thresher_data_examples(data) == ROWS);
  thresher_data_close(data);
  CHECK(thresher_apply_dense(w->model, &dense, all, &w->error) ==
        THRESHER_EDATA);
  CHECK(thresher_apply_sparse(w->model, &sparse, all, NULL) == THRESHER_EDATA);
  memset(&w->error, 0, sizeof w->error);
}

static void allowed_data(struct world *w)
{
  struct thresher_source source = good();
  struct thresher_data *data = NULL;
  ALLOWED(thresher_data_from, source.self, &data, w->team, &source);
  thresher_data_close(data);
  source.identity = UINT64_MAX;
  ALLOWED(thresher_data_from, source.identity, &data, w->team, &source);
  thresher_data_close(data);
  source.weights = NULL;
  ALLOWED(thresher_data_from, source.weights, &data, w->team, &source);
  thresher_data_close(data);
  source.targets = NULL;
  ALLOWED(thresher_data_from, source.targets, &data, w->team, &source);
  thresher_data_close(data);
  ALLOWED(thresher_data_open, memory, &data, w->team, w->path, INT64_MAX);
  struct thresher_model *model = NULL;
  ALLOWED(thresher_train, data, &model, w->config, data, NULL);
  thresher_model_free(model);
  thresher_data_close(data);
}

static void allowed_model(struct world *w)
{
  double number[EXAMPLES];
  int64_t row[EXAMPLES];
  ALLOWED(thresher_predict, prediction, w->model, w->data, THRESHER_ALL, NULL,
          number, row);
  ALLOWED(thresher_predict, target, w->model, w->data, THRESHER_ALL, number,
          NULL, row);
  ALLOWED(thresher_predict, row, w->model, w->data, THRESHER_ALL, number,
          number, NULL);
  ALLOWED(thresher_model_write, force, w->model, w->team, w->other, INT_MIN);
  ALLOWED(thresher_model_write, force, w->model, w->team, w->other, 77);
  CHECK(thresher_model_write(w->model, w->team, w->other, 0, NULL) ==
        THRESHER_EIO);
  for (int64_t k = -1; k < INT64_MAX / 2; k += INT64_MAX / 4) {
    bool there = k >= 0 && k < thresher_model_support_size(w->model);
    HARMLESS(thresher_model_name, k, thresher_model_name(w->model, k) == NULL);
    HARMLESS(thresher_model_column, k,
             (thresher_model_column(w->model, k) >= 0) == there);
    HARMLESS(thresher_model_setting, k,
             k >= 0 || thresher_model_setting(w->model, k, NULL) == NULL);
  }
  HARMLESS(thresher_model_setting, value,
           thresher_model_setting(w->model, 0, NULL) != NULL);
  HARMLESS(thresher_model_option, name,
           thresher_model_option(w->model, NULL) == NULL);
  HARMLESS(thresher_model_option, name,
           thresher_model_option(w->model, "") == NULL);
}

/* ---- numbers that are none ---- */

/* Texts for every option: none may become a number that is not finite. */
static void texts(struct world *w)
{
  static const char *const odd[] = {
      "",    "nan", "inf",    "-inf", "1e999", "-1e999", "99999999999999999999",
      "-77", "0x",  "1e-999", "\x80", "%n%s",  "-0",     "1,nan:inf"};
  for (int k = 0; thresher_config_name(k) != NULL; k++)
    for (size_t t = 0; t < sizeof odd / sizeof *odd; t++) {
      const char *name = thresher_config_name(k);
      char text[TEXT] = "";
      struct thresher_config *config = NULL;
      CHECK(thresher_config_create(&config, NULL) == THRESHER_OK);
      enum thresher_status rc =
          thresher_config_set(config, name, odd[t], &w->error);
      CHECK(rc == THRESHER_OK || rc == THRESHER_EUSAGE);
      CHECK(thresher_config_get(config, name, text, TEXT, NULL) == THRESHER_OK);
      bool whole = strcmp(text, "nan") != 0 && strstr(text, "inf") == NULL;
      bool list = strcmp(name, "start") == 0 || strcmp(name, "groups") == 0 ||
                  strcmp(name, "unpenalised") == 0 || /* of names */
                  strcmp(name, "penalty-weights") == 0 ||
                  strcmp(name, "folds-by") == 0 || strcmp(name, "lower") == 0 ||
                  strcmp(name, "upper") == 0;
      CHECK(whole || list);
      thresher_config_free(config);
    }
}

/* What is known of an attribute without an end to its values. */
static void ranges(struct world *w)
{
  double end[] = {INFINITY, NAN};
  for (size_t k = 0; k < sizeof end / sizeof *end; k++) {
    struct thresher_source source = good();
    struct thresher_data *data = NULL;
    struct thresher_model *model = NULL;
    source.self = &end[k];
    CHECK(thresher_data_from(&data, w->team, &source, NULL) == THRESHER_OK);
    CHECK(thresher_train(&model, w->config, data, NULL, &w->error) ==
          THRESHER_EDATA);
    CHECK(model == NULL && strstr(w->error.text, "must be finite") != NULL);
    thresher_data_close(data);
  }
}

/* ---- the tables, with each rank as the one that errs ---- */

static void together(struct world *w)
{
  sizes(w);
  data_rows(w);
  dense_rows(w);
  sparse_rows(w);
  model_rows(w);
}

static void run(struct world *w)
{
  for (int who = NOBODY; who < w->comm.size; who++) {
    w->bad = who == NOBODY || who == w->comm.rank;
    CASE(together(w));
  }
  CASE(local_rows(w));
  CASE(missing_objects());
  CASE(no_team(w));
  CASE(handles(w));
  CASE(nothing_of_progress(w));
  CASE(stopped(w));
  CASE(matrices(w));
  CASE(allowed_data(w));
  CASE(allowed_model(w));
  CASE(texts(w));
  CASE(ranges(w));
}

static void open_world(struct world *w)
{
  const struct recipe recipe = {.shape = {.examples = EXAMPLES,
                                          .training = 200,
                                          .attributes = ATTRIBUTES,
                                          .row_group = 64,
                                          .layout = TH_DENSE,
                                          .type = TH_F32},
                                .shards = 2};
  struct thresher_source source = good();
  struct th_error err;
  th_error_clear(&err);
  test_folder(&w->comm, w->folder);
  snprintf(w->path, sizeof w->path, "%s/data.h5", w->folder);
  snprintf(w->other, sizeof w->other, "%s/model.h5", w->folder);
  CHECK(recipe_write(&recipe, &w->comm, w->path, false, &err) == TH_OK);
  CHECK(thresher_team_mpi(&w->team, MPI_Comm_c2f(MPI_COMM_WORLD), NULL) ==
        THRESHER_OK);
  CHECK(thresher_data_from(&w->data, w->team, &source, NULL) == THRESHER_OK);
  CHECK(thresher_config_create(&w->config, NULL) == THRESHER_OK);
  CHECK(thresher_train(&w->model, w->config, w->data, NULL, NULL) ==
        THRESHER_OK);
}

int main(int argc, char **argv)
{
  struct world w = {0};
  th_mpi_comm_start(&w.comm, &argc, &argv);
  check_start(&w.comm);
  open_world(&w);
  run(&w);
  thresher_model_free(w.model);
  thresher_config_free(w.config);
  thresher_data_close(w.data);
  thresher_team_free(w.team);
  test_folder_remove(&w.comm, w.folder);
  int failed = check_finish(&w.comm);
  th_mpi_comm_stop(&w.comm);
  return failed;
}
