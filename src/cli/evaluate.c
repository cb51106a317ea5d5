/* evaluate.c - the command that scores a model
 * SPDX-License-Identifier: MIT */
#include "api/evaluated.h"
#include "cli/commands.h"
#include "cli/evaluator.h"
#include "cli/shared/json.h"
#include "synthetic/synthetic.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* NaN if the data were not generated, or the model's loss is not squared. */
static double population_mse(const struct th_evaluator *evaluator)
{
  const struct th_ground_truth *truth = evaluator->data.truth;
  const struct th_model *model = &evaluator->model;
  if (truth == NULL || th_synthetic_family_find(truth->family) == NULL ||
      th_evaluated_predictor(model) != TH_PREDICTS_TARGET)
    return NAN;
  return th_synthetic_population_mse(truth, model->attributes, model->support,
                                     model->coef, model->support_size,
                                     model->intercept);
}

struct result_row {
  const char *key;
  double value;
};

struct scored {
  int64_t rows;  /* that count */
  bool weighted; /* by their weights */
  struct th_metrics scores;
};

/* A score that the data do not have is left out; a ratio of nothing to nothing
 * is a dash. */
static void print_row(const struct result_row *row)
{
  if (!isnan(row->value))
    printf("%-15s %.10g\n", row->key, row->value);
  else if (strcmp(row->key, "relative_loss") == 0)
    printf("%-15s -\n", row->key);
}

static th_status print_results(const struct th_evaluator *evaluator,
                               const struct scored *scored, bool json,
                               struct th_error *err)
{
  const struct th_metrics *scores = &scored->scores;
  const struct result_row rows[] = {
      {"mse", scores->mse},
      {"r2", scores->r2},
      {"auc", scores->auc},
      {"accuracy", scores->accuracy},
      {"log_loss", scores->log_loss},
      {"relative_loss", scores->relative_loss},
      {"population_mse", population_mse(evaluator)},
  };
  const size_t count = sizeof rows / sizeof *rows;
  if (json) {
    json_t *object = json_object();
    th_json_int(object, "n", scored->rows);
    json_object_set_new(object, "weighted", json_boolean(scored->weighted));
    for (size_t k = 0; k < count; k++)
      th_json_real(object, rows[k].key, rows[k].value);
    return th_json_print(stdout, object, JSON_INDENT(2), err);
  }
  printf("%-15s %" PRId64 "\n", "n", scored->rows);
  if (evaluator->data.store->shape.weighted)
    printf("%-15s %s\n", "weighted", scored->weighted ? "yes" : "no");
  for (size_t k = 0; k < count; k++)
    print_row(&rows[k]);
  return TH_OK;
}

/* A model that is of no use here. */
static void tell_worse(const struct th_metrics *scores)
{
  if (scores->r2 < 0)
    fprintf(stderr, "note: r2 is below 0: the model is worse than predicting "
                    "the mean of these targets\n");
  if (scores->relative_loss > 1)
    fprintf(stderr, "note: relative_loss is above 1: the model is worse than "
                    "predicting 0 for all examples\n");
}

/* Local: rank 0. */
static th_status score(const struct th_evaluator *evaluator,
                       struct th_evaluated *evaluated,
                       const struct th_options *options, struct th_error *err)
{
  bool unweighted = options->scores.unweighted;
  struct scored scored = {.weighted = evaluator->data.store->shape.weighted &&
                                      !unweighted};
  th_status rc = th_evaluated_weigh(evaluated, unweighted, err);
  if (rc == TH_OK)
    rc = th_evaluated_scores(evaluated, &evaluator->model, &evaluator->data,
                             &scored.scores, err);
  scored.rows = evaluated->count;
  if (rc == TH_OK)
    rc = print_results(evaluator, &scored, options->json, err);
  if (rc == TH_OK && !options->quiet)
    tell_worse(&scored.scores);
  return rc;
}

/* Errors on training examples do not tell how well others are predicted. */
static void tell_training(const struct th_evaluator *evaluator)
{
  const struct th_store *store = evaluator->data.store;
  if (evaluator->model.fingerprint == store->fingerprint &&
      evaluator->rows.first < store->shape.training)
    fprintf(stderr,
            "note: the model was trained on these examples. It predicts others "
            "less well. import --test 0.2 sets some apart\n");
}

th_status th_command_evaluate(const struct th_options *options,
                              struct th_comm *comm, struct th_error *err)
{
  struct th_evaluator evaluator = {0};
  struct th_evaluated evaluated = {0};
  th_status rc;
  TH_TRY(th_evaluator_open(&evaluator, options, "evaluate", TH_MATCH_SUPPORT,
                           comm, err));
  TH_TRY(th_evaluated_collect(&evaluated, &evaluator.model, &evaluator.data,
                              evaluator.rows, comm->rank == 0, comm, err));
  if (comm->rank == 0)
    rc = score(&evaluator, &evaluated, options, err);
  if (comm->rank == 0 && rc == TH_OK && !options->quiet)
    tell_training(&evaluator);
  TH_TRY(th_agree(comm, rc, err));
done:
  th_evaluated_free(&evaluated);
  th_evaluator_close(&evaluator);
  return rc;
}
