/* evaluate.c - the commands that score a model and write its predictions
 * SPDX-License-Identifier: MIT */
#include "cli/evaluate.h"

#include "api/data.h"
#include "api/evaluated.h"
#include "api/match.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/printable.h"
#include "cli/commands.h"
#include "cli/options/options.h"
#include "cli/shared/input.h"
#include "cli/shared/json.h"
#include "cli/shared/wording.h"
#include "io/files/output.h"
#include "io/model/model_file.h"
#include "model/model.h"
#include "ranks/team.h"
#include "synthetic/synthetic.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- A model and the data that a command applies it to -------------------- */

th_status th_evaluate_open(struct th_evaluator *evaluator,
                           const struct th_options *options,
                           const char *command, enum th_match_part part,
                           struct th_comm *comm, struct th_error *err)
{
  const char *model = options->argument[0];
  const char *path = options->argument[1];
  int64_t share = 0;
  th_status rc;
  *evaluator = (struct th_evaluator){0};
  TH_TRY(th_input_refuse_text(comm, model, TH_TEXT_AS_MODEL, err));
  TH_TRY(th_model_file_read(&evaluator->model, comm, model, err));
  TH_TRY(th_team_memory_share(comm, &share, err));
  /* every value is used once, so none is kept */
  TH_TRY(th_input_open(&evaluator->data, options, command, path, share / 8,
                       comm, err));
  if (strcmp(command, "predict") != 0)
    TH_TRY(th_data_need_targets(&evaluator->data, command, path, err));
  TH_TRY(th_match(&evaluator->model, &evaluator->data, part, model, comm, err));
  const struct th_shape *shape = &evaluator->data.store->shape;
  if (shape->attributes != evaluator->model.attributes)
    return th_fail(err, TH_EDATA,
                   "model %s is for %lld attributes, data set %s has %lld; "
                   "import the data with --like the data it was trained on",
                   model, (long long)evaluator->model.attributes,
                   evaluator->data.name, (long long)shape->attributes);
  TH_TRY(
      th_data_split_rows(shape, options->scores.split, &evaluator->rows, err));
done:
  return rc;
}

void th_evaluate_close(struct th_evaluator *evaluator)
{
  th_data_close(&evaluator->data);
  th_model_free(&evaluator->model);
  *evaluator = (struct th_evaluator){0};
}

/* --- The command that writes predictions as CSV --------------------------- */

struct line {
  int64_t row;
  double prediction;
};

static th_status sort_lines(const struct th_evaluated *evaluated, int64_t count,
                            struct line **lines, struct th_error *err)
{
  th_status rc = TH_NEW(lines, count, "sorting predictions", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t i = 0; i < count; i++)
    (*lines)[i] = (struct line){evaluated->row[i], evaluated->prediction[i]};
  qsort(*lines, (size_t)count, sizeof **lines, th_integer_ascending);
  return TH_OK;
}

static void print_lines(FILE *file, const struct line *lines, int64_t count,
                        bool logistic)
{
  fprintf(file, "row,prediction%s\n", logistic ? ",probability" : "");
  for (int64_t i = 0; i < count; i++) {
    fprintf(file, "%" PRId64 ",%.17g", lines[i].row, lines[i].prediction);
    if (logistic)
      fprintf(file, ",%.17g", th_metrics_probability(lines[i].prediction));
    fputc('\n', file);
  }
}

/* Local: rank 0. */
static th_status write_csv(const struct th_evaluated *evaluated, int64_t count,
                           bool logistic, const struct th_options *options,
                           struct th_error *err)
{
  struct th_output output = {.file = -1};
  char note[TH_LOCK_NOTE];
  struct line *lines = NULL;
  th_status rc;
  TH_TRY(sort_lines(evaluated, count, &lines, err));
  TH_TRY(th_output_begin_text(&output, options->output, options->force, err));
  th_output_note(&output, note);
  th_wording_note(options, note);
  TH_TRY(th_output_text(&output, err));
  print_lines(output.text, lines, count, logistic);
  TH_TRY(th_output_commit(&output, err));
done:
  th_output_abort(&output);
  free(lines);
  return rc;
}

static void print_predicted(const struct th_options *options, int64_t count)
{
  th_printable_put(stderr, th_output_name(options->output));
  fprintf(stderr, ": predictions of %" PRId64 " example%s\n", count,
          th_wording_s(count));
}

th_status th_evaluate_predict(const struct th_options *options,
                              struct th_comm *comm, struct th_error *err)
{
  struct th_evaluator evaluator = {0};
  struct th_evaluated evaluated = {0};
  th_status rc;
  TH_TRY(th_options_output_check(comm, options->output, true, options->force,
                                 err));
  TH_TRY(th_evaluate_open(&evaluator, options, "predict", TH_MATCH_SUPPORT,
                          comm, err));
  TH_TRY(th_evaluated_collect(&evaluated, &evaluator.model, &evaluator.data,
                              evaluator.rows, comm->rank == 0, comm, err));
  if (comm->rank == 0)
    rc = write_csv(&evaluated, evaluator.rows.count,
                   th_evaluated_predictor(&evaluator.model) == TH_PREDICTS_ODDS,
                   options, err);
  TH_TRY(th_agree(comm, rc, err));
  if (comm->rank == 0 && !options->quiet)
    print_predicted(options, evaluator.rows.count);
done:
  th_evaluated_free(&evaluated);
  th_evaluate_close(&evaluator);
  return rc;
}

/* --- The command that scores a model -------------------------------------- */

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

struct scored {
  int64_t rows;  /* that count */
  bool weighted; /* by their weights */
  struct th_metrics scores;
};

/* A score that the data do not have is left out; a ratio of nothing to nothing
 * is a dash. */
static void print_score(const char *name, double score)
{
  if (!isnan(score))
    printf("%-15s %.10g\n", name, score);
  else if (strcmp(name, "relative_loss") == 0)
    printf("%-15s -\n", name);
}

static th_status print_scores_json(const struct th_evaluator *evaluator,
                                   const struct scored *scored,
                                   struct th_error *err)
{
  json_t *object = json_object();
  th_json_int(object, "n", scored->rows);
  json_object_set_new(object, "weighted", json_boolean(scored->weighted));
  for (int k = 0; th_metrics_name(k) != NULL; k++)
    th_json_real(object, th_metrics_name(k), scored->scores.score[k]);
  th_json_real(object, "population_mse", population_mse(evaluator));
  return th_json_print(stdout, object, JSON_INDENT(2), err);
}

static th_status print_results(const struct th_evaluator *evaluator,
                               const struct scored *scored, bool json,
                               struct th_error *err)
{
  if (json)
    return print_scores_json(evaluator, scored, err);
  printf("%-15s %" PRId64 "\n", "n", scored->rows);
  if (evaluator->data.store->shape.weighted)
    printf("%-15s %s\n", "weighted", scored->weighted ? "yes" : "no");
  for (int k = 0; th_metrics_name(k) != NULL; k++)
    print_score(th_metrics_name(k), scored->scores.score[k]);
  print_score("population_mse", population_mse(evaluator));
  return TH_OK;
}

/* A model that is of no use here. */
static void tell_worse(const struct th_metrics *scores)
{
  if (th_metrics_score(scores, "r2") < 0)
    fprintf(stderr, "note: r2 is below 0: the model is worse than predicting "
                    "the mean of these targets\n");
  if (th_metrics_score(scores, "relative_loss") > 1)
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

th_status th_evaluate_command(const struct th_options *options,
                              struct th_comm *comm, struct th_error *err)
{
  struct th_evaluator evaluator = {0};
  struct th_evaluated evaluated = {0};
  th_status rc;
  TH_TRY(th_evaluate_open(&evaluator, options, "evaluate", TH_MATCH_SUPPORT,
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
  th_evaluate_close(&evaluator);
  return rc;
}
