/* consumer.c DATA MODEL [NAME=VALUE]... - train on one half of the ranks with
 * the installed library, while the other half does something else
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <thresher.h>

static int failures = 0;

static void check(int right, const char *what)
{
  if (right)
    return;
  failures++;
  fprintf(stderr, "consumer: not so: %s\n", what);
}

static void must(enum thresher_status rc, const struct thresher_error *error)
{
  if (rc == THRESHER_OK)
    return;
  fprintf(stderr, "consumer: rank %d: %s (%s)\n", error->rank, error->text,
          thresher_status_text(rc));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* What is refused is said in the library's own words, and nothing is made. */
static void refusals(struct thresher_team *team, struct thresher_data *data)
{
  struct thresher_error error = {THRESHER_OK, 0, ""};
  struct thresher_config *config = NULL;
  struct thresher_model *model = NULL;
  struct thresher_data *absent = NULL;
  char text[32];
  must(thresher_config_create(&config, &error), &error);
  check(thresher_config_set(config, "budged", "3", &error) == THRESHER_EUSAGE &&
            strstr(error.text, "budged") != NULL,
        "an unknown option");
  check(thresher_config_set(config, "mix", "2", &error) == THRESHER_EUSAGE &&
            strstr(error.text, "mix 2: must be above 0") != NULL,
        "a value out of range");
  check(thresher_config_get(config, "solver", text, 2, NULL) == THRESHER_EARG,
        "a room too small");
  must(thresher_config_get(config, "delta", text, sizeof text, &error), &error);
  check(strtod(text, NULL) == 0.1, "a default");
  must(thresher_config_set(config, "budget", "100000000", &error), &error);
  check(thresher_train(&model, config, data, NULL, &error) == THRESHER_EUSAGE &&
            model == NULL && strstr(error.text, "budget 100000000 is more") &&
            strstr(error.text, "--") == NULL,
        "a budget of more than all");
  snprintf(text, sizeof text, "%d", 1 + thresher_team_rank(team));
  must(thresher_config_set(config, "budget", "20", &error), &error);
  must(thresher_config_set(config, "seed", text, &error), &error);
  check(thresher_team_size(team) == 1 ||
            (thresher_train(&model, config, data, NULL, &error) ==
                 THRESHER_EUSAGE &&
             strstr(error.text, "different options") != NULL),
        "a seed for each rank");
  check(thresher_data_open(&absent, team, "absent.h5", 0, &error) ==
                THRESHER_EIO &&
            absent == NULL,
        "a data set that is not there");
  thresher_config_free(config);
}

struct heard {
  int64_t updates;
  int64_t observed;
};

static void on_progress(void *self, const struct thresher_progress *progress)
{
  struct heard *heard = self;
  heard->updates++;
  heard->observed = progress->observed;
}

static struct thresher_model *train(struct thresher_data *data, int options,
                                    char **option)
{
  struct thresher_error error = {THRESHER_OK, 0, ""};
  struct thresher_config *config = NULL;
  struct thresher_model *model = NULL;
  struct heard heard = {0, 0};
  struct thresher_listener listener = {&heard, on_progress, NULL, NULL};
  must(thresher_config_create(&config, &error), &error);
  for (int k = 0; k < options; k++) {
    char name[64];
    const char *value = strchr(option[k], '=') + 1;
    snprintf(name, sizeof name, "%.*s", (int)(value - 1 - option[k]),
             option[k]);
    must(thresher_config_set(config, name, value, &error), &error);
  }
  must(thresher_train(&model, config, data, &listener, &error), &error);
  check(heard.updates > 0 && heard.observed > 0, "progress was heard of");
  thresher_config_free(config);
  return model;
}

/* A model that is read again predicts the same, and as it is defined. */
static void apply(struct thresher_team *team, struct thresher_data *data,
                  const struct thresher_model *model, const char *path)
{
  struct thresher_error error = {THRESHER_OK, 0, ""};
  struct thresher_model *again = NULL;
  struct thresher_scores scores;
  int64_t n = thresher_data_count(data, THRESHER_TEST);
  double *one = calloc((size_t)n + 1, sizeof *one);
  double *two = calloc((size_t)n + 1, sizeof *two);
  double *target = calloc((size_t)n + 1, sizeof *target);
  double square = 0;
  must(thresher_model_read(&again, team, path, &error), &error);
  must(thresher_predict(model, data, THRESHER_TEST, one, target, NULL, &error),
       &error);
  must(thresher_predict(again, data, THRESHER_TEST, two, NULL, NULL, &error),
       &error);
  check(memcmp(one, two, (size_t)n * sizeof *one) == 0, "equal predictions");
  must(thresher_evaluate(again, data, THRESHER_TEST, &scores, &error), &error);
  for (int64_t i = 0; i < n; i++)
    square += (one[i] - target[i]) * (one[i] - target[i]) / (double)n;
  check(scores.examples == n && fabs(scores.mse - square) < 1e-9 * square,
        "the score of the predictions");
  check(isnan(thresher_model_lambda(again)) == isnan(thresher_model_gap(again)),
        "a gap where there is a penalty");
  check(!(thresher_model_gap(again) > thresher_model_objective(again)),
        "a gap below the objective");
  thresher_model_free(again);
  free(one);
  free(two);
  free(target);
}

static void work(MPI_Comm comm, int argc, char **argv)
{
  struct thresher_error error = {THRESHER_OK, 0, ""};
  struct thresher_team *team = NULL;
  struct thresher_data *data = NULL;
  must(thresher_team_mpi(&team, MPI_Comm_c2f(comm), &error), &error);
  must(thresher_data_open(&data, team, argv[1], 0, &error), &error);
  refusals(team, data);
  struct thresher_model *model = train(data, argc - 3, argv + 3);
  struct thresher_ledger ledger = thresher_model_ledger(model);
  check(ledger.examples > 0 && ledger.most_of_one > 0, "a ledger");
  check(thresher_model_attributes(model) == thresher_data_attributes(data),
        "a model of these data");
  must(thresher_model_write(model, team, argv[2], 0, &error), &error);
  check(thresher_model_write(model, team, argv[2], 0, &error) == THRESHER_EIO &&
            strstr(error.text, "give force") != NULL,
        "a file that is there stays");
  apply(team, data, model, argv[2]);
  thresher_model_free(model);
  thresher_data_close(data);
  thresher_team_free(team);
}

int main(int argc, char **argv)
{
  struct thresher_error error = {THRESHER_OK, 0, ""};
  struct thresher_team *team = NULL;
  MPI_Comm half;
  int rank;
  int size;
  int ended = 0;
  check(thresher_team_mpi(&team, 0, &error) == THRESHER_EUSAGE && team == NULL,
        "no team before MPI_Init");
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  if (rank % 2 == (size > 1))
    work(half, argc, argv);
  MPI_Comm_free(&half);
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalized(&ended);
  check(!ended, "MPI goes on");
  MPI_Finalize();
  return failures != 0;
}
