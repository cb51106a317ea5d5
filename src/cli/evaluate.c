/* evaluate.c - the commands that apply models to data: evaluate, predict,
 * verify
 * SPDX-License-Identifier: MIT */
#include "api/attribute_list.h"
#include "api/bounds.h"
#include "api/data.h"
#include "api/evaluated.h"
#include "api/fold_groups.h"
#include "api/match.h"
#include "api/training.h"
#include "base/elementary.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/printable.h"
#include "cli/commands.h"
#include "cli/covering.h"
#include "cli/direct.h"
#include "cli/options/options.h"
#include "cli/shared/input.h"
#include "cli/shared/json.h"
#include "cli/shared/model_list.h"
#include "cli/shared/model_text.h"
#include "cli/shared/wording.h"
#include "io/files/file.h"
#include "io/files/output.h"
#include "model/model.h"
#include "ranks/comm.h"
#include "ranks/team.h"
#include "solvers/driver/verify.h"
#include "synthetic/synthetic.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Models and the data that they are applied to. */
struct evaluator {
  struct th_model_list list;
  struct th_model *model; /* the first one; borrowed */
  struct th_direct direct;
  struct th_data data;
  struct th_rows rows; /* of the split */
};

/* --- Models and the data that a command applies them to ------------------- */

/* Match a model's attributes to the data (api/match.h); part says which ones
 * must be there. Collective. An error when the model is for other attributes.
 */
static th_status match_model(struct evaluator *evaluator, int64_t k,
                             enum th_match_part part, struct th_comm *comm,
                             struct th_error *err)
{
  struct th_model *model = &evaluator->list.model[k];
  const char *path = evaluator->list.path[k];
  const struct th_shape *shape = &evaluator->data.store->shape;
  th_status rc = th_match(model, &evaluator->data, part, path, comm, err);
  if (rc != TH_OK || shape->attributes == model->attributes)
    return rc;
  return th_fail(err, TH_EDATA,
                 "model %s is for %lld attributes, data set %s has %lld; "
                 "import the data with --like the data it was trained on",
                 path, (long long)model->attributes, evaluator->data.name,
                 (long long)shape->attributes);
}

/* A model of one target may be compared with another one, on purpose or not. */
static void tell_other_target(const struct evaluator *evaluator, int64_t k)
{
  const struct th_data *data = &evaluator->data;
  const char *trained = evaluator->list.model[k].origin.target_name;
  const char *target = data->dataset != NULL
                           ? th_dataset_origin(data->dataset)->target_name
                           : NULL;
  char text[256];
  if (data->note == NULL || trained == NULL || target == NULL ||
      strcmp(trained, target) == 0)
    return;
  snprintf(text, sizeof text,
           "%.80s was trained on the target '%.60s', and is compared with "
           "'%.60s'",
           evaluator->list.path[k], trained, target);
  data->note(text);
}

/* Open the models and the data of `command`: evaluate, predict or verify.
 * Collective; always end with close_evaluator. */
static th_status open_evaluator(struct evaluator *evaluator,
                                const struct th_options *options,
                                const char *command, enum th_match_part part,
                                struct th_comm *comm, struct th_error *err)
{
  const char *path = options->argument[1];
  struct th_model_list *list = &evaluator->list;
  int64_t share = 0;
  th_status rc;
  *evaluator = (struct evaluator){0};
  TH_TRY(th_model_list_read(list, options->argument[0], comm, err));
  if (options->scores.lambda != NULL)
    TH_TRY(th_agree(comm,
                    th_model_list_set_lambda(list, options->scores.lambda, err),
                    err));
  evaluator->model = list->model;
  if (part == TH_MATCH_ALL && list->count > 1)
    return th_fail(err, TH_EUSAGE, "%s: give one model at a time", command);
  share = th_team_memory_share(comm);
  evaluator->direct = (struct th_direct){.options = *options, .path = path};
  if (part == TH_MATCH_SUPPORT)
    TH_TRY(th_direct_open(&evaluator->direct, options, command, path, list,
                          comm, err));
  evaluator->direct.options.text.likely_class =
      list->model[0].origin.positive_class;
  evaluator->direct.options.text.likely_missing =
      list->model[0].origin.missing.targets;
  options = &evaluator->direct.options;
  path = evaluator->direct.path;
  /* every value is used once, so none is kept */
  TH_TRY(th_input_open(&evaluator->data, options, command, path, share / 8,
                       comm, err));
  TH_TRY(th_covering_open(&evaluator->data, options, command, list, comm, err));
  if (strcmp(command, "predict") != 0)
    TH_TRY(th_data_need_targets(&evaluator->data, command, path, err));
  void (*const note)(const char *) = evaluator->data.note;
  for (int64_t k = 0; k < list->count; k++) {
    /* of the lambdas of a path, the last one's: it has most attributes */
    bool tells = list->lambda == NULL || k == list->count - 1;
    evaluator->data.note = tells ? note : NULL;
    TH_TRY(match_model(evaluator, k, part, comm, err));
    if (strcmp(command, "predict") != 0)
      tell_other_target(evaluator, k);
  }
  TH_TRY(th_data_split_rows(&evaluator->data.store->shape,
                            options->scores.split, &evaluator->rows, err));
done:
  return rc;
}

static struct th_models models_of(const struct evaluator *evaluator)
{
  return (struct th_models){evaluator->list.model, evaluator->list.count};
}

static void close_evaluator(struct evaluator *evaluator, th_status rc,
                            struct th_error *err)
{
  th_data_close(&evaluator->data);
  th_direct_close(&evaluator->direct, rc, err);
  th_model_list_free(&evaluator->list);
  *evaluator = (struct evaluator){0};
}

/* --- The command that writes predictions as CSV --------------------------- */

struct line {
  int64_t row;
  int64_t place; /* in stored order */
};

static th_status sort_lines(const struct th_evaluated *evaluated, int64_t count,
                            struct line **lines, struct th_error *err)
{
  th_status rc = TH_NEW(lines, count, "sorting predictions", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t i = 0; i < count; i++)
    (*lines)[i] = (struct line){evaluated->row[i], i};
  qsort(*lines, (size_t)count, sizeof **lines, th_integer_ascending);
  return TH_OK;
}

/* An ID or a name as a field of CSV. */
static void print_csv_field(FILE *file, const char *id, size_t length)
{
  bool plain = length > 0 && id[0] != ' ' && id[length - 1] != ' ';
  for (size_t k = 0; plain && k < length; k++)
    plain = strchr(",\"\t\r\n", id[k]) == NULL;
  if (plain || length == 0) {
    fwrite(id, 1, length, file);
    return;
  }
  fputc('"', file);
  for (size_t k = 0; k < length; k++) {
    if (id[k] == '"')
      fputc('"', file);
    fputc(id[k], file);
  }
  fputc('"', file);
}

/* What column k of a model is called: `prediction` of the only one, and the
 * model's name of several. */
static void print_name(FILE *file, const struct th_model_list *list, int64_t k,
                       const char *what)
{
  char *name = NULL;
  struct th_error ignored = {0};
  bool first = strcmp(what, "prediction") == 0;
  fputc(',', file);
  if (list->count == 1)
    fputs(what, file);
  else if (first)
    print_csv_field(file, list->name[k], strlen(list->name[k]));
  else if (th_file_text(&name, &ignored, "%s.%s", list->name[k], what) == TH_OK)
    print_csv_field(file, name, strlen(name));
  free(name);
}

/* What a prediction says of the target, where it is not the target itself: a
 * column beside it. */
static const struct {
  const char *name; /* NULL: there is none */
  double (*of)(double prediction);
} beside[] = {[TH_PREDICTS_TARGET] = {NULL, NULL},
              [TH_PREDICTS_ODDS] = {"probability", th_metrics_probability},
              [TH_PREDICTS_MARGIN] = {NULL, NULL},
              [TH_PREDICTS_LOG_MEAN] = {"mean", th_exp}};

static enum th_predictor predictor_of(const struct th_model_list *list,
                                      int64_t k)
{
  return th_evaluated_predictor(&list->model[k]);
}

static void print_header(FILE *file, const struct th_model_list *list,
                         const char *first)
{
  fputs(first, file);
  for (int64_t k = 0; k < list->count; k++) {
    print_name(file, list, k, "prediction");
    if (beside[predictor_of(list, k)].name != NULL)
      print_name(file, list, k, beside[predictor_of(list, k)].name);
  }
  fputc('\n', file);
}

/* ids->text NULL: the examples have none, and go by their rows. */
static void print_lines(FILE *file, const struct line *lines,
                        const struct th_evaluated *evaluated,
                        const struct th_ids *ids,
                        const struct th_model_list *list)
{
  print_header(file, list, ids->text != NULL ? "id" : "row");
  for (int64_t i = 0; i < evaluated->count; i++) {
    const char *id = ids->text + (size_t)lines[i].place * ids->width;
    if (ids->text != NULL)
      print_csv_field(file, id, strnlen(id, ids->width));
    else
      fprintf(file, "%" PRId64, lines[i].row);
    for (int64_t k = 0; k < list->count; k++) {
      double prediction = th_evaluated_of(evaluated, k)[lines[i].place];
      fprintf(file, ",%.17g", prediction);
      if (beside[predictor_of(list, k)].name != NULL)
        fprintf(file, ",%.17g", beside[predictor_of(list, k)].of(prediction));
    }
    fputc('\n', file);
  }
}

/* Local: rank 0. */
static th_status write_csv(const struct evaluator *evaluator,
                           const struct th_evaluated *evaluated,
                           const struct th_options *options,
                           struct th_error *err)
{
  const int64_t count = evaluator->rows.count;
  struct th_dataset *dataset = evaluator->data.dataset;
  struct th_ids ids = {0};
  struct th_output output = {.file = -1};
  char note[TH_LOCK_NOTE];
  struct line *lines = NULL;
  th_status rc;
  TH_TRY(sort_lines(evaluated, count, &lines, err));
  if (dataset != NULL && th_dataset_has_ids(dataset))
    TH_TRY(th_dataset_ids(dataset, evaluator->rows, &ids, err));
  TH_TRY(th_output_begin_text(&output, options->output, options->force, err));
  th_output_note(&output, note);
  th_wording_note(options, note);
  TH_TRY(th_output_text(&output, err));
  print_lines(output.text, lines, evaluated, &ids, &evaluator->list);
  TH_TRY(th_output_commit(&output, err));
done:
  th_output_abort(&output);
  TH_FREE(lines, ids.text);
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
  struct evaluator evaluator = {0};
  struct th_evaluated evaluated = {0};
  th_status rc;
  TH_TRY(th_options_output_check(comm, options->output, true, options->force,
                                 err));
  TH_TRY(open_evaluator(&evaluator, options, "predict", TH_MATCH_SUPPORT, comm,
                        err));
  TH_TRY(th_evaluated_collect(&evaluated, models_of(&evaluator),
                              &evaluator.data, evaluator.rows, comm->rank == 0,
                              comm, err));
  if (comm->rank == 0)
    rc = write_csv(&evaluator, &evaluated, options, err);
  TH_TRY(th_agree(comm, rc, err));
  if (comm->rank == 0 && !options->quiet)
    print_predicted(options, evaluator.rows.count);
done:
  th_evaluated_free(&evaluated);
  close_evaluator(&evaluator, rc, err);
  return rc;
}

/* --- The command that scores a model -------------------------------------- */

/* NaN if the data were not generated, or the model's loss is not squared. */
static double population_mse(const struct evaluator *evaluator, int64_t k)
{
  const struct th_ground_truth *truth = evaluator->data.truth;
  const struct th_model *model = &evaluator->list.model[k];
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

/* With the name of its file, where there are several models. */
static json_t *scores_json(const struct evaluator *evaluator, int64_t number,
                           const struct scored *scored)
{
  json_t *object = json_object();
  if (evaluator->list.count > 1)
    th_json_text(object, "model", evaluator->list.path[number]);
  if (evaluator->list.lambda != NULL)
    th_json_real(object, "lambda", evaluator->list.lambda[number]);
  th_json_int(object, "n", scored->rows);
  json_object_set_new(object, "weighted", json_boolean(scored->weighted));
  for (int k = 0; th_metrics_name(k) != NULL; k++)
    th_json_real(object, th_metrics_name(k), scored->scores.score[k]);
  th_json_real(object, "population_mse", population_mse(evaluator, number));
  return object;
}

static void print_scores(const struct evaluator *evaluator, int64_t number,
                         const struct scored *scored)
{
  if (evaluator->list.count > 1) {
    printf("%s%-15s ", number > 0 ? "\n" : "", "model");
    th_printable_put(stdout, evaluator->list.path[number]);
    putchar('\n');
  }
  if (evaluator->list.lambda != NULL)
    printf("%-15s %.10g\n", "lambda", evaluator->list.lambda[number]);
  printf("%-15s %" PRId64 "\n", "n", scored->rows);
  if (evaluator->data.store->shape.weighted)
    printf("%-15s %s\n", "weighted", scored->weighted ? "yes" : "no");
  for (int k = 0; th_metrics_name(k) != NULL; k++)
    print_score(th_metrics_name(k), scored->scores.score[k]);
  print_score("population_mse", population_mse(evaluator, number));
}

/* A model that is of no use here. */
static void tell_worse(const struct th_metrics *scores, const char *model)
{
  if (th_metrics_score(scores, "r2") < 0)
    fprintf(stderr,
            "note: r2 is below 0: %s is worse than predicting "
            "the mean of these targets\n",
            model);
  if (th_metrics_score(scores, "relative_loss") > 1)
    fprintf(stderr,
            "note: relative_loss is above 1: %s is worse than "
            "predicting 0 for all examples\n",
            model);
}

/* Local: rank 0. */
static th_status score(const struct evaluator *evaluator,
                       struct th_evaluated *evaluated,
                       const struct th_options *options, struct th_error *err)
{
  const struct th_model_list *list = &evaluator->list;
  bool unweighted = options->scores.unweighted;
  struct scored scored = {.weighted = evaluator->data.store->shape.weighted &&
                                      !unweighted};
  json_t *all = json_array();
  th_status rc;
  TH_TRY(th_evaluated_weigh(evaluated, unweighted, err));
  scored.rows = evaluated->count;
  for (int64_t k = 0; k < list->count; k++) {
    TH_TRY(th_evaluated_scores(evaluated, k, &list->model[k], &evaluator->data,
                               &scored.scores, err));
    if (options->json)
      json_array_append_new(all, scores_json(evaluator, k, &scored));
    else
      print_scores(evaluator, k, &scored);
    if (!options->quiet)
      tell_worse(&scored.scores,
                 list->count == 1 ? "the model" : list->name[k]);
  }
  if (options->json)
    rc = th_json_print(stdout,
                       list->count == 1 ? json_incref(json_array_get(all, 0))
                                        : json_incref(all),
                       JSON_INDENT(2), err);
done:
  json_decref(all);
  return rc;
}

/* Errors on training examples do not tell how well others are predicted.
 * Collective. */
static void tell_training(const struct evaluator *evaluator, bool shows,
                          struct th_comm *comm)
{
  const struct th_store *store = evaluator->data.store;
  const struct th_direct *direct = &evaluator->direct;
  bool trained = false;
  for (int64_t k = 0; k < evaluator->list.count && !trained; k++) {
    uint64_t fingerprint = evaluator->list.model[k].fingerprint;
    trained = fingerprint == store->fingerprint ||
              th_direct_knows(direct, fingerprint, comm);
  }
  if (shows && trained && evaluator->rows.first < store->shape.training)
    fprintf(stderr,
            "note: the model was trained on these examples. It predicts others "
            "less well. %s--test 0.2 sets some apart\n",
            direct->imported ? "" : "import ");
}

/* A model of one target and another one. */
static void tell_target(const struct evaluator *evaluator,
                        const struct th_model *model)
{
  const struct th_dataset *dataset = evaluator->data.dataset;
  const char *learnt = model->origin.target_name;
  const char *given =
      dataset != NULL ? th_dataset_origin(dataset)->target_name : NULL;
  char text[2][TH_NAME_LONG];
  if (learnt == NULL || given == NULL || strcmp(learnt, given) == 0)
    return;
  fprintf(stderr,
          "note: the model was trained on the target %s, and is evaluated on "
          "%s\n",
          th_printable_name(learnt, text[0], sizeof text[0]),
          th_printable_name(given, text[1], sizeof text[1]));
}

th_status th_evaluate_command(const struct th_options *options,
                              struct th_comm *comm, struct th_error *err)
{
  struct evaluator evaluator = {0};
  struct th_evaluated evaluated = {0};
  th_status rc;
  TH_TRY(open_evaluator(&evaluator, options, "evaluate", TH_MATCH_SUPPORT, comm,
                        err));
  TH_TRY(th_evaluated_collect(&evaluated, models_of(&evaluator),
                              &evaluator.data, evaluator.rows, comm->rank == 0,
                              comm, err));
  if (comm->rank == 0)
    rc = score(&evaluator, &evaluated, options, err);
  TH_TRY(th_agree(comm, rc, err));
  tell_training(&evaluator, comm->rank == 0 && !options->quiet, comm);
  for (int64_t k = 0;
       comm->rank == 0 && !options->quiet && k < evaluator.list.count; k++)
    tell_target(&evaluator, &evaluator.list.model[k]);
done:
  th_evaluated_free(&evaluated);
  close_evaluator(&evaluator, rc, err);
  return rc;
}

/* --- verify: the certificate of a model, computed anew ---------------------
 */

struct session {
  const struct th_options *options;
  struct evaluator evaluator;
  struct th_options deck;          /* the model's */
  struct th_attribute_list exempt; /* its attributes without a penalty, */
  int64_t *attribute;              /* and their numbers */
  struct th_bounds bounds;
  struct th_fold_groups together;
  struct th_plan plan;
  struct th_verdict verdict;
};

/* The options that the model was trained with. Local, replicated. */
static th_status read_deck(struct session *session, struct th_error *err)
{
  const struct th_model *model = session->evaluator.model;
  th_status rc =
      th_options_init(&session->deck, session->options->commands, err);
  /* older programs chose nothing, and do not say so */
  session->deck.config.choice.how = TH_CHOOSE_LAST;
  for (int64_t k = 0; k < model->settings && rc == TH_OK; k++) {
    const struct th_setting *line = &model->deck[k];
    int row = th_option_table_find(line->name);
    bool number = row >= 0 && (th_option_table_row(row)->kind == TH_OPT_INT ||
                               th_option_table_row(row)->kind == TH_OPT_REAL);
    if (row >= 0 && !(number && strcmp(line->value, "auto") == 0))
      rc = th_option_set(&session->deck, row, line->value, "verify", err);
  }
  return rc;
}

/* The model's attributes without a penalty. Collective. */
static th_status list_exempt_of_model(struct session *session,
                                      struct th_comm *comm,
                                      struct th_error *err)
{
  struct th_attribute_list *list = &session->exempt;
  const char *text = session->deck.config.group.exempt.text;
  th_status rc = TH_OK;
  if (text == NULL)
    return rc;
  list->option = "--unpenalised";
  TH_TRY(
      th_attribute_list_read(list, text, &session->evaluator.data, comm, err));
  rc = TH_NEW(&session->attribute, list->count, "the model's options", err);
  TH_TRY(th_agree(comm, rc, err));
  for (int64_t k = 0; k < list->count; k++)
    session->attribute[k] = list->item[k].attribute;
done:
  return rc;
}

/* The groups of the folds that chose the model, to choose anew. Collective. */
static th_status read_groups_of_model(struct session *session,
                                      struct th_comm *comm,
                                      struct th_error *err)
{
  const struct th_options *options = session->options;
  struct th_config_choice *choice = &session->deck.config.choice;
  const char *given = options->config.choice.together.text;
  const struct th_fold_column column = {
      .text = given != NULL ? given : choice->together.text,
      .targets = options->text.targets,
      .ids = options->text.ids,
      .folds = choice->folds};
  bool needed = options->checks.retrain && choice->together.text != NULL;
  if (!needed && given != NULL)
    return th_fail(err, TH_EUSAGE,
                   "verify: --folds-by counts only with --retrain, for a model "
                   "that was chosen by it; leave it out");
  if (!needed)
    return TH_OK;
  return th_fold_groups_read(&session->together, &session->evaluator.data,
                             &column, comm, err);
}

/* What the model's own options ask for, on these data. Local, replicated. */
static th_status make_plan(struct session *session, const struct th_comm *comm,
                           int64_t memory, struct th_error *err)
{
  struct th_store *store = session->evaluator.data.store;
  const struct th_model *model = session->evaluator.model;
  struct th_config config = session->deck.config;
  config.row_cache_memory = memory;
  if (model->claims.loss_scale > 0) /* of the targets it was trained on */
    config.scaled.scale = model->claims.loss_scale;
  if (model->groups.attributes > 0)
    config.group.all = &model->groups;
  config.group.exempt.attribute = session->attribute;
  config.group.exempt.count = session->exempt.count;
  th_fold_groups_give(&session->together, &config.choice);
  return th_train_plan(&config, th_plan_size_of(store, comm->size),
                       &session->plan, err);
}

static void print_pair(const char *name, double now, double told)
{
  printf("%-12s %.15g (the model says %.15g)\n", name, now, told);
}

static void print_verdict(const struct session *session)
{
  const struct th_verdict *v = &session->verdict;
  const struct th_certificate *told = &session->evaluator.model->certificate;
  printf("%-12s %s\n", "data", v->same ? "those it was trained on" : "fresh");
  print_pair("objective", v->now.objective, told->objective);
  print_pair("gap", v->now.gap, told->gap);
  print_pair("lambda_max", v->now.lambda_max, told->lambda_max);
  print_pair("dual_norm", v->now.dual_norm, told->dual_norm);
  print_pair("violation", v->now.violation, told->violation);
  if (!v->same)
    printf("%-12s %.6g, half-widths up to %.6g at confidence %g\n", "excess",
           v->excess, v->width, v->now.confidence);
  if (v->unchecked[0] != '\0')
    printf("%-12s %s\n", "not compared", v->unchecked);
  printf("%-12s %s\n", "certificate",
         !v->holds    ? "does not hold"
         : v->decided ? "holds"
                      : "is not refuted, but half-widths of 1 or more decide "
                        "nothing. Give more examples");
}

static th_status print_json(const struct session *session, struct th_error *err)
{
  const struct th_verdict *v = &session->verdict;
  json_t *o = json_object();
  json_object_set_new(o, "holds", json_boolean(v->holds));
  json_object_set_new(o, "decided", json_boolean(v->decided));
  json_object_set_new(o, "fresh", json_boolean(!v->same));
  th_json_text(o, "wrong", v->wrong[0] != '\0' ? v->wrong : NULL);
  th_json_text(o, "not_compared",
               v->unchecked[0] != '\0' ? v->unchecked : NULL);
  th_json_real(o, "half_width", v->width);
  th_json_real(o, "excess", v->same ? NAN : v->excess);
  th_model_text_certificate_json(o, &v->now);
  return th_json_print(stdout, o, JSON_INDENT(2), err);
}

/* What the certificate says that these data do not. */
static th_status check_verdict(const struct session *session,
                               struct th_error *err)
{
  const struct th_verdict *v = &session->verdict;
  const char *model = session->options->argument[0];
  if (v->holds)
    return TH_OK;
  if (v->same)
    return th_fail(err, TH_EDATA,
                   "%s: the certificate does not hold: %s; train the model "
                   "again",
                   model, v->wrong);
  return th_fail(err, TH_EDATA,
                 "%s: the certificate does not hold on these examples: an "
                 "attribute outside the support exceeds its bound by %.3g "
                 "(confidence %g)",
                 model, v->excess, v->now.confidence);
}

/* Collective. */
static th_status check_certificate(struct session *session,
                                   struct th_comm *comm, struct th_error *err)
{
  const struct th_options *options = session->options;
  struct th_profile profile = {.comm = comm};
  struct evaluator *evaluator = &session->evaluator;
  int64_t share = 0;
  th_status rc;
  share = th_team_memory_share(comm);
  TH_TRY(read_deck(session, err));
  TH_TRY(list_exempt_of_model(session, comm, err));
  TH_TRY(th_bounds_read(&session->bounds, &session->deck.config.group, NULL,
                        &evaluator->data, comm, err));
  TH_TRY(read_groups_of_model(session, comm, err));
  TH_TRY(
      make_plan(session, comm, th_options_memory_to_keep(options, share), err));
  struct th_verify_setting setting = {.plan = &session->plan,
                                      .store = evaluator->data.store,
                                      .comm = comm,
                                      .profile = &profile};
  TH_TRY(th_verify(&setting, evaluator->model, options->config.confidence,
                   &session->verdict, err));
  if (options->checks.retrain && !session->verdict.same)
    TH_TRY(th_fail(err, TH_EUSAGE,
                   "verify: --retrain needs the data that the model was "
                   "trained on, and %s is another data set",
                   evaluator->data.name));
  if (options->checks.retrain)
    TH_TRY(th_verify_again(&setting, evaluator->model, &session->verdict, err));
done:
  return rc;
}

static th_status verify(struct session *session, struct th_comm *comm,
                        struct th_error *err)
{
  th_status rc;
  TH_TRY(check_certificate(session, comm, err));
  if (comm->rank == 0 && session->options->json)
    rc = print_json(session, err);
  else if (comm->rank == 0)
    print_verdict(session);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(check_verdict(session, err));
done:
  return rc;
}

th_status th_verify_command(const struct th_options *options,
                            struct th_comm *comm, struct th_error *err)
{
  struct session session = {.options = options};
  th_status rc;
  TH_TRY(open_evaluator(&session.evaluator, options, "verify", TH_MATCH_ALL,
                        comm, err));
  if (!(session.evaluator.model->certificate.lambda > 0))
    TH_TRY(th_fail(err, TH_EDATA,
                   "%s: a model of solver %s has no certificate to verify; "
                   "solvers with a penalty, such as lasso, give one",
                   options->argument[0], session.evaluator.model->solver));
  TH_TRY(verify(&session, comm, err));
done:
  th_claims_certificate_free(&session.verdict.now);
  th_options_free(&session.deck);
  th_attribute_list_free(&session.exempt);
  free(session.attribute);
  th_bounds_free(&session.bounds);
  th_fold_groups_free(&session.together);
  close_evaluator(&session.evaluator, rc, err);
  return rc;
}
