/* evaluate.c - the commands that apply a model to data: evaluate, predict,
 * verify
 * SPDX-License-Identifier: MIT */
#include "api/data.h"
#include "api/evaluated.h"
#include "api/match.h"
#include "api/training.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/printable.h"
#include "cli/commands.h"
#include "cli/options/options.h"
#include "cli/shared/input.h"
#include "cli/shared/json.h"
#include "cli/shared/model_text.h"
#include "cli/shared/wording.h"
#include "io/files/output.h"
#include "io/model/model_file.h"
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

/* A model and the data that it is applied to. */
struct evaluator {
  struct th_model model;
  struct th_data data;
  struct th_rows rows; /* of the split */
};

/* Open the model and the data of `command`: evaluate, predict or verify. The
 * model's attributes are matched to the data (api/match.h); part says which
 * ones must be there. Collective; always end with close_evaluator. An error
 * when the model is for other attributes. */
/* --- A model and the data that a command applies it to -------------------- */

static th_status open_evaluator(struct evaluator *evaluator,
                                const struct th_options *options,
                                const char *command, enum th_match_part part,
                                struct th_comm *comm, struct th_error *err)
{
  const char *model = options->argument[0];
  const char *path = options->argument[1];
  int64_t share = 0;
  th_status rc;
  *evaluator = (struct evaluator){0};
  TH_TRY(th_input_refuse_text(comm, model, TH_TEXT_AS_MODEL, err));
  TH_TRY(th_model_file_read(&evaluator->model, comm, model, err));
  share = th_team_memory_share(comm);
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

static void close_evaluator(struct evaluator *evaluator)
{
  th_data_close(&evaluator->data);
  th_model_free(&evaluator->model);
  *evaluator = (struct evaluator){0};
}

/* --- The command that writes predictions as CSV --------------------------- */

struct line {
  int64_t row;
  int64_t place; /* in stored order */
  double prediction;
};

static th_status sort_lines(const struct th_evaluated *evaluated, int64_t count,
                            struct line **lines, struct th_error *err)
{
  th_status rc = TH_NEW(lines, count, "sorting predictions", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t i = 0; i < count; i++)
    (*lines)[i] = (struct line){evaluated->row[i], i, evaluated->prediction[i]};
  qsort(*lines, (size_t)count, sizeof **lines, th_integer_ascending);
  return TH_OK;
}

/* An ID as a field of CSV. */
static void print_id(FILE *file, const char *id, size_t length)
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

/* ids->text NULL: the examples have none, and go by their rows. */
static void print_lines(FILE *file, const struct line *lines, int64_t count,
                        const struct th_ids *ids, bool logistic)
{
  fprintf(file, "%s,prediction%s\n", ids->text != NULL ? "id" : "row",
          logistic ? ",probability" : "");
  for (int64_t i = 0; i < count; i++) {
    const char *id = ids->text + (size_t)lines[i].place * ids->width;
    if (ids->text != NULL)
      print_id(file, id, strnlen(id, ids->width));
    else
      fprintf(file, "%" PRId64, lines[i].row);
    fprintf(file, ",%.17g", lines[i].prediction);
    if (logistic)
      fprintf(file, ",%.17g", th_metrics_probability(lines[i].prediction));
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
  bool logistic = th_evaluated_predictor(&evaluator->model) == TH_PREDICTS_ODDS;
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
  print_lines(output.text, lines, count, &ids, logistic);
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
  TH_TRY(th_evaluated_collect(&evaluated, &evaluator.model, &evaluator.data,
                              evaluator.rows, comm->rank == 0, comm, err));
  if (comm->rank == 0)
    rc = write_csv(&evaluator, &evaluated, options, err);
  TH_TRY(th_agree(comm, rc, err));
  if (comm->rank == 0 && !options->quiet)
    print_predicted(options, evaluator.rows.count);
done:
  th_evaluated_free(&evaluated);
  close_evaluator(&evaluator);
  return rc;
}

/* --- The command that scores a model -------------------------------------- */

/* NaN if the data were not generated, or the model's loss is not squared. */
static double population_mse(const struct evaluator *evaluator)
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

static th_status print_scores_json(const struct evaluator *evaluator,
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

static th_status print_results(const struct evaluator *evaluator,
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
static th_status score(const struct evaluator *evaluator,
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
static void tell_training(const struct evaluator *evaluator)
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
  struct evaluator evaluator = {0};
  struct th_evaluated evaluated = {0};
  th_status rc;
  TH_TRY(open_evaluator(&evaluator, options, "evaluate", TH_MATCH_SUPPORT, comm,
                        err));
  TH_TRY(th_evaluated_collect(&evaluated, &evaluator.model, &evaluator.data,
                              evaluator.rows, comm->rank == 0, comm, err));
  if (comm->rank == 0)
    rc = score(&evaluator, &evaluated, options, err);
  if (comm->rank == 0 && rc == TH_OK && !options->quiet)
    tell_training(&evaluator);
  TH_TRY(th_agree(comm, rc, err));
done:
  th_evaluated_free(&evaluated);
  close_evaluator(&evaluator);
  return rc;
}

/* --- verify: the certificate of a model, computed anew ---------------------
 */

struct session {
  const struct th_options *options;
  struct evaluator evaluator;
  struct th_options deck; /* the model's */
  struct th_plan plan;
  struct th_verdict verdict;
};

/* The options that the model was trained with. Local, replicated. */
static th_status read_deck(struct session *session, struct th_error *err)
{
  const struct th_model *model = &session->evaluator.model;
  th_status rc =
      th_options_init(&session->deck, session->options->commands, err);
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

/* What the model's own options ask for, on these data. Local, replicated. */
static th_status make_plan(struct session *session, const struct th_comm *comm,
                           int64_t memory, struct th_error *err)
{
  struct th_store *store = session->evaluator.data.store;
  struct th_config config = session->deck.config;
  config.row_cache_memory = memory;
  if (session->evaluator.model.groups.attributes > 0)
    config.group.all = &session->evaluator.model.groups;
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
  const struct th_certificate *told = &session->evaluator.model.certificate;
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
  json_object_del(o, "path");
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
  TH_TRY(
      make_plan(session, comm, th_options_memory_to_keep(options, share), err));
  struct th_verify_setting setting = {.plan = &session->plan,
                                      .store = evaluator->data.store,
                                      .comm = comm,
                                      .profile = &profile};
  TH_TRY(th_verify(&setting, &evaluator->model, options->config.confidence,
                   &session->verdict, err));
  if (options->checks.retrain && !session->verdict.same)
    TH_TRY(th_fail(err, TH_EUSAGE,
                   "verify: --retrain needs the data that the model was "
                   "trained on, and %s is another data set",
                   evaluator->data.name));
  if (options->checks.retrain)
    TH_TRY(
        th_verify_again(&setting, &evaluator->model, &session->verdict, err));
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
  if (!(session.evaluator.model.certificate.lambda > 0))
    TH_TRY(th_fail(err, TH_EDATA,
                   "%s: a model of solver %s has no certificate to verify; "
                   "solvers with a penalty, such as lasso, give one",
                   options->argument[0], session.evaluator.model.solver));
  TH_TRY(verify(&session, comm, err));
done:
  th_claims_certificate_free(&session.verdict.now);
  th_options_free(&session.deck);
  close_evaluator(&session.evaluator);
  return rc;
}
