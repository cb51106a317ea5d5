/* verify.c - the command that recomputes a model's certificate
 * SPDX-License-Identifier: MIT */
#include "solvers/driver/verify.h"
#include "api/match.h"
#include "api/training.h"
#include "cli/commands.h"
#include "cli/evaluate.h"
#include "cli/options/options.h"
#include "cli/shared/json.h"
#include "cli/shared/model_text.h"
#include "model/model.h"
#include "ranks/comm.h"
#include "ranks/team.h"

#include <math.h>
#include <string.h>

struct session {
  const struct th_options *options;
  struct th_evaluator evaluator;
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
  return th_train_plan(&config, &store->shape, comm->size,
                       th_store_most_owned(store, comm->size), &session->plan,
                       err);
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
  struct th_evaluator *evaluator = &session->evaluator;
  int64_t share = 0;
  th_status rc;
  TH_TRY(th_team_memory_share(comm, &share, err));
  TH_TRY(read_deck(session, err));
  TH_TRY(
      make_plan(session, comm, th_options_memory_to_keep(options, share), err));
  struct th_verify_setting setting = {.plan = &session->plan,
                                      .store = evaluator->data.store,
                                      .comm = comm,
                                      .profile = &profile};
  TH_TRY(th_verify(&setting, &evaluator->model, options->config.confidence,
                   &session->verdict, err));
  if (options->retrain && !session->verdict.same)
    TH_TRY(th_fail(err, TH_EUSAGE,
                   "verify: --retrain needs the data that the model was "
                   "trained on, and %s is another data set",
                   evaluator->data.name));
  if (options->retrain)
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
  TH_TRY(th_evaluate_open(&session.evaluator, options, "verify", TH_MATCH_ALL,
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
  th_evaluate_close(&session.evaluator);
  return rc;
}
