/* handles.c - the library's functions where installed programs do not
 * reach: every option's default, refusals of a caller's data
 * SPDX-License-Identifier: MIT */
#include "api/option.h"
#include "api/thresher.h"
#include "api/training_options.h"
#include "check.h"
#include "solvers/config.h"
#include "solvers/solver_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EXAMPLES = 600, ATTRIBUTES = 20, TEXT = 1024 };

/* What a configuration says of itself can be said to another, and changes
 * nothing: defaults are values that options can have. */
static void test_defaults(void)
{
  struct th_config defaults = th_config_default();
  struct thresher_config *config = NULL;
  int count = 0;
  CHECK(thresher_config_create(&config, NULL) == THRESHER_OK);
  for (const char *name; (name = thresher_config_name(count)) != NULL;
       count++) {
    const struct th_option *option = th_training_options_row(count);
    struct th_config other = defaults;
    struct th_error err;
    char text[TEXT];
    char again[TEXT];
    th_error_clear(&err);
    CHECK(thresher_config_get(config, name, text, sizeof text, NULL) ==
          THRESHER_OK);
    CHECK(thresher_config_help(count, again, sizeof again) == again &&
          again[0] != '\0' && strchr(again, '{') == NULL);
    if (text[0] == '\0')
      continue;
    CHECK(th_option_put(option, &other, text, name, &err) == TH_OK);
    th_option_get(option, &other, again, sizeof again);
    CHECK(strcmp(text, again) == 0);
  }
  CHECK(count == th_training_options_count());
  CHECK(thresher_config_name(-1) == NULL &&
        thresher_config_help(count, NULL, 0) == NULL);
  thresher_config_free(config);
}

static void test_set(void)
{
  struct thresher_error error = {THRESHER_OK, 0, ""};
  struct thresher_config *config = NULL;
  char name[16] = "lasso";
  char text[TEXT];
  CHECK(thresher_config_create(&config, &error) == THRESHER_OK);
  CHECK(thresher_config_set(config, "solver", name, &error) == THRESHER_OK);
  CHECK(thresher_config_set(config, "start", "1,2", &error) == THRESHER_OK);
  CHECK(thresher_config_set(config, "start", "3", &error) == THRESHER_OK);
  strcpy(name, "gone"); /* texts were copied */
  CHECK(thresher_config_get(config, "solver", text, sizeof text, &error) ==
            THRESHER_OK &&
        strcmp(text, "lasso") == 0);
  CHECK(thresher_config_get(config, "start", text, sizeof text, &error) ==
            THRESHER_OK &&
        strcmp(text, "3") == 0);
  CHECK(thresher_config_set(config, "solver", "magic", &error) ==
            THRESHER_EUSAGE &&
        strstr(error.text, "solver magic: must be sift") != NULL);
  CHECK(thresher_config_set(config, "output", "x", NULL) == THRESHER_EUSAGE);
  CHECK(strcmp(thresher_status_text(THRESHER_EBUDGET),
               "attribute budget exceeded") == 0);
  CHECK(strcmp(thresher_status_text((enum thresher_status)77),
               "unknown status") == 0);
  thresher_config_free(config);
  thresher_config_free(NULL);
}

/* What is wrong with the caller's data. */
struct fault {
  double value;     /* of attribute 3; others are 1 and -1 in turn */
  double deviation; /* that is known of it */
  double target;    /* of example 5 */
};

static int values(void *self, int64_t first, int64_t rows,
                  const int64_t *attribute, int64_t attributes, double *value,
                  char *text)
{
  const struct fault *fault = self;
  (void)text;
  for (int64_t k = 0; k < rows * attributes; k++) {
    int64_t i = first + k % rows;
    int64_t j = attribute[k / rows];
    value[k] = j == 3 && i == 7          ? fault->value
               : (i >> (j % 9) & 1) != 0 ? 1
                                         : -1;
  }
  return 0;
}

static int targets(void *self, int64_t first, int64_t rows, double *target,
                   char *text)
{
  const struct fault *fault = self;
  (void)text;
  for (int64_t i = 0; i < rows; i++)
    target[i] = first + i == 5 ? fault->target : (double)((first + i) & 1);
  return 0;
}

static int known(void *self, int64_t first, int64_t attributes,
                 struct thresher_attribute *known, char *text)
{
  const struct fault *fault = self;
  (void)text;
  for (int64_t a = 0; a < attributes; a++)
    known[a] = (struct thresher_attribute){
        0, first + a == 3 ? fault->deviation : 1, -1, 1};
  return 0;
}

static struct thresher_source source_of(struct fault *fault)
{
  return (struct thresher_source){.self = fault,
                                  .examples = EXAMPLES,
                                  .training = EXAMPLES,
                                  .attributes = ATTRIBUTES,
                                  .values = values,
                                  .targets = targets,
                                  .known = known};
}

/* Train on data with that fault: the status, and the words in *error. */
static enum thresher_status train(struct fault fault,
                                  struct thresher_error *error)
{
  struct thresher_team *team = NULL;
  struct thresher_data *data = NULL;
  struct thresher_config *config = NULL;
  struct thresher_model *model = NULL;
  struct thresher_source source = source_of(&fault);
  CHECK(thresher_team_self(&team, error) == THRESHER_OK);
  CHECK(thresher_data_from(&data, team, &source, error) == THRESHER_OK);
  CHECK(thresher_config_create(&config, error) == THRESHER_OK);
  enum thresher_status rc = thresher_train(&model, config, data, NULL, error);
  CHECK((model != NULL) == (rc == THRESHER_OK));
  thresher_model_free(model);
  thresher_config_free(config);
  thresher_data_close(data);
  thresher_team_free(team);
  return rc;
}

static void test_faults(void)
{
  struct thresher_error error = {THRESHER_OK, 0, ""};
  CHECK(train((struct fault){1, 1, 1}, &error) == THRESHER_OK);
  CHECK(train((struct fault){1.5, 1, 1}, &error) == THRESHER_EDATA);
  CHECK(strstr(error.text, "example 7, attribute 3: 1.5") != NULL);
  CHECK(train((struct fault){NAN, 1, 1}, &error) == THRESHER_EDATA);
  CHECK(train((struct fault){1, -1, 1}, &error) == THRESHER_EDATA);
  CHECK(strstr(error.text, "the caller gave mean 0, deviation -1") != NULL);
  CHECK(train((struct fault){1, 1, INFINITY}, &error) == THRESHER_EDATA);
  CHECK(strstr(error.text, "example 5: ") != NULL);
}

static void test_sizes(void)
{
  struct thresher_error error = {THRESHER_OK, 0, ""};
  struct thresher_team *team = NULL;
  struct fault none = {1, 1, 1};
  CHECK(thresher_team_self(&team, &error) == THRESHER_OK);
  for (int k = 0; k < 5; k++) {
    struct thresher_source source = source_of(&none);
    struct thresher_data *data = NULL;
    source.examples -= k == 0 ? EXAMPLES : 0;
    source.training += k == 1 ? 1 : 0;
    source.attributes -= k == 2 ? ATTRIBUTES : 0;
    if (k == 3)
      source.values = NULL;
    if (k == 4)
      source.known = NULL;
    CHECK(thresher_data_from(&data, team, &source, &error) == THRESHER_EARG);
    CHECK(data == NULL && error.text[0] != '\0');
  }
  thresher_team_free(team);
}

/* Without targets there is something to predict, and nothing to train on. */
static void test_unlabelled(void)
{
  struct thresher_error error = {THRESHER_OK, 0, ""};
  struct thresher_team *team = NULL;
  struct thresher_data *data = NULL;
  struct thresher_config *config = NULL;
  struct thresher_model *model = NULL;
  struct fault none = {1, 1, 1};
  struct thresher_source source = source_of(&none);
  source.targets = NULL;
  CHECK(thresher_team_self(&team, &error) == THRESHER_OK);
  CHECK(thresher_config_create(&config, &error) == THRESHER_OK);
  CHECK(thresher_data_from(&data, team, &source, &error) == THRESHER_OK);
  CHECK(thresher_data_count(data, THRESHER_AUTO) == EXAMPLES);
  CHECK(thresher_data_count(data, THRESHER_TEST) == 0);
  CHECK(thresher_train(&model, config, data, NULL, &error) == THRESHER_EDATA);
  CHECK(strstr(error.text, "has no target") != NULL);
  thresher_data_close(data);
  thresher_config_free(config);
  thresher_team_free(team);
}

/* An option that no solver lists counts for all of them: a name that is
 * misspelt in the solver table would do so unseen. */
static void test_names_of_options(void)
{
  for (const struct th_solver_row *row = th_solver_table(); row->name != NULL;
       row++)
    for (const char *const *option = th_solver_options(row); *option != NULL;
         option++)
      CHECK(th_training_options_find(*option) >= 0);
}

int main(void)
{
  CASE(test_names_of_options());
  CASE(test_defaults());
  CASE(test_set());
  CASE(test_faults());
  CASE(test_sizes());
  CASE(test_unlabelled());
  return check_finish(NULL);
}
