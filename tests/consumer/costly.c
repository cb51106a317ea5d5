/* costly.c [NAME=VALUE]... - data that cost: values are computed when they are
 * asked for, and what was asked for is counted, example by example
 *
 * 3000 examples of 400 attributes, of which ten have a coefficient. Nobody may
 * see more of an example than the budget says: that is the library's promise,
 * and here it is checked from outside. In one pass every example is drawn once,
 * so that the ledger of the model and the count made here are the same number.
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <thresher.h>

enum { EXAMPLES = 3000, TRAINING = 2500, ATTRIBUTES = 400, TRUE = 10 };
enum { BUDGET = 60 };

static const double most = 3; /* of a value's magnitude */

struct meter {
  unsigned char *seen; /* by example and attribute: how often */
  int64_t calls;
  int64_t fail_after; /* calls; negative: never */
};

/* A number within -1 and 1 that depends on both and on nothing else. */
static double draw(int64_t example, int64_t attribute)
{
  uint64_t z = (uint64_t)example * 0x9e3779b97f4a7c15u +
               (uint64_t)attribute * 0xbf58476d1ce4e5b9u + 1;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return 2 * ((double)(z >> 11) * 0x1p-53) - 1;
}

static double value_of(int64_t example, int64_t attribute)
{
  return most * draw(example, attribute);
}

static int values(void *self, int64_t first, int64_t rows,
                  const int64_t *attribute, int64_t attributes, double *value,
                  char *text)
{
  struct meter *meter = self;
  if (meter->calls++ == meter->fail_after) {
    snprintf(text, THRESHER_SAID, "the instrument is out of order");
    return 1;
  }
  for (int64_t a = 0; a < attributes; a++)
    for (int64_t i = 0; i < rows; i++) {
      value[a * rows + i] = value_of(first + i, attribute[a]);
      meter->seen[(first + i) * ATTRIBUTES + attribute[a]]++;
    }
  return 0;
}

static int targets(void *self, int64_t first, int64_t rows, double *target,
                   char *text)
{
  (void)self;
  (void)text;
  for (int64_t i = 0; i < rows; i++) {
    target[i] = draw(first + i, ATTRIBUTES);
    for (int64_t a = 0; a < TRUE; a++)
      target[i] += value_of(first + i, a * (ATTRIBUTES / TRUE));
  }
  return 0;
}

static int known(void *self, int64_t first, int64_t attributes,
                 struct thresher_attribute *known, char *text)
{
  (void)self;
  (void)first;
  (void)text;
  for (int64_t a = 0; a < attributes; a++)
    known[a] = (struct thresher_attribute){0, most / sqrt(3), -most, most};
  return 0;
}

static void must(enum thresher_status rc, const struct thresher_error *error)
{
  if (rc == THRESHER_OK)
    return;
  fprintf(stderr, "costly: %s\n", error->text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

struct count {
  int64_t values; /* that were asked for */
  int64_t most;   /* of one example */
  int64_t twice;  /* asked for more than once */
};

/* What all ranks together have asked for of training examples. */
static struct count add_up(struct meter *meter)
{
  struct count count = {0, 0, 0};
  MPI_Allreduce(MPI_IN_PLACE, meter->seen, EXAMPLES * ATTRIBUTES,
                MPI_UNSIGNED_CHAR, MPI_SUM, MPI_COMM_WORLD);
  for (int64_t i = 0; i < EXAMPLES; i++) {
    int64_t here = 0;
    for (int64_t a = 0; a < ATTRIBUTES; a++) {
      here += meter->seen[i * ATTRIBUTES + a];
      count.twice += meter->seen[i * ATTRIBUTES + a] > 1;
    }
    count.values += here;
    count.most = here > count.most ? here : count.most;
  }
  return count;
}

static int check(int right, const char *what)
{
  if (!right)
    fprintf(stderr, "costly: not so: %s\n", what);
  return !right;
}

static int compare(const struct thresher_model *model,
                   const struct count *count, int strict)
{
  struct thresher_ledger ledger = thresher_model_ledger(model);
  int64_t told = ledger.attributes + ledger.validation_attributes;
  const int64_t *support = thresher_model_support(model);
  int failures = 0;
  failures += check(count->most <= BUDGET, "no example beyond the budget");
  failures += check(ledger.most_of_one <= BUDGET, "nor in the ledger");
  failures += check(count->twice == 0, "no value is asked for twice");
  failures += check(count->values == told, "the ledger is what was asked for");
  failures += check(thresher_model_support_size(model) >= TRUE,
                    "what there is to find is found");
  for (int64_t k = 0; strict && k < thresher_model_support_size(model); k++)
    failures +=
        check(support[k] % (ATTRIBUTES / TRUE) == 0, "and nothing else");
  if (failures > 0)
    fprintf(stderr,
            "costly: %" PRId64 " values, at most %" PRId64
            " of one; ledger %" PRId64 " and %" PRId64
            " of validation, at most %" PRId64 "\n",
            count->values, count->most, ledger.attributes,
            ledger.validation_attributes, ledger.most_of_one);
  return failures;
}

/* A failure of the caller's own on one rank is one of the call, on all. */
static int fail(struct thresher_team *team, struct thresher_source source,
                const struct thresher_config *config)
{
  struct thresher_error error = {THRESHER_OK, 0, ""};
  struct thresher_data *data = NULL;
  struct thresher_model *model = NULL;
  struct meter *meter = source.self;
  int last = meter->calls > 0 ? thresher_team_rank(team) : 0;
  MPI_Allreduce(MPI_IN_PLACE, &last, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (thresher_team_rank(team) == last)
    meter->fail_after = meter->calls + 3;
  must(thresher_data_from(&data, team, &source, &error), &error);
  enum thresher_status rc = thresher_train(&model, config, data, NULL, &error);
  thresher_data_close(data);
  return check(rc == THRESHER_EIO && model == NULL &&
                   strstr(error.text, "the instrument is out of order") &&
                   error.rank == last,
               "a failure is told");
}

static int run(struct thresher_team *team, int options, char **option)
{
  struct thresher_error error = {THRESHER_OK, 0, ""};
  struct thresher_data *data = NULL;
  struct thresher_config *config = NULL;
  struct thresher_model *model = NULL;
  struct meter meter = {calloc((size_t)EXAMPLES * ATTRIBUTES, 1), 0, -1};
  struct thresher_source source = {.self = &meter,
                                   .examples = EXAMPLES,
                                   .training = TRAINING,
                                   .attributes = ATTRIBUTES,
                                   .values = values,
                                   .targets = targets,
                                   .known = known};
  char budget[16];
  int strict = 0;
  snprintf(budget, sizeof budget, "%d", BUDGET);
  must(thresher_config_create(&config, &error), &error);
  must(thresher_config_set(config, "budget", budget, &error), &error);
  must(thresher_config_set(config, "passes", "1", &error), &error);
  for (int k = 0; k < options; k++) {
    char *value = strchr(option[k], '=');
    *value = '\0';
    must(thresher_config_set(config, option[k], value + 1, &error), &error);
    strict = strict || strcmp(value + 1, "truth") == 0;
    *value = '=';
  }
  must(thresher_data_from(&data, team, &source, &error), &error);
  must(thresher_train(&model, config, data, NULL, &error), &error);
  struct count count = add_up(&meter);
  int failures = compare(model, &count, strict);
  if (thresher_team_rank(team) == 0)
    printf("%" PRId64 " of %d values seen, at most %" PRId64
           " of an example, in %" PRId64 " calls here\n",
           count.values, TRAINING * ATTRIBUTES, count.most, meter.calls);
  failures += fail(team, source, config);
  thresher_model_free(model);
  thresher_data_close(data);
  thresher_config_free(config);
  free(meter.seen);
  return failures;
}

int main(int argc, char **argv)
{
  struct thresher_error error = {THRESHER_OK, 0, ""};
  struct thresher_team *team = NULL;
  MPI_Init(&argc, &argv);
  must(thresher_team_mpi(&team, MPI_Comm_c2f(MPI_COMM_WORLD), &error), &error);
  int failures = run(team, argc - 1, argv + 1);
  thresher_team_free(team);
  MPI_Finalize();
  return failures != 0;
}
