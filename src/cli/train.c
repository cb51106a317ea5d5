/* train.c - the subcommand that trains
 * SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "cli/data.h"
#include "cli/match.h"
#include "cli/options/option_check.h"
#include "cli/options/solver_options.h"
#include "cli/report.h"
#include "cli/run.h"
#include "cli/start_model.h"
#include "cli/wording.h"
#include "io/import/quote.h"
#include "io/model/model_file.h"
#include "math/penalty.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 4096 }; /* longest file name of a line to type */

struct session {
  const struct th_options *options;
  struct th_data data;
  struct th_groups groups; /* of --groups */
  struct th_model start;   /* support and coefficients alone */
  bool start_coef;
  int64_t memory; /* bytes of values that a rank keeps in all */
  struct th_plan plan;
  struct th_run_monitor watch;
  struct th_profile profile;
  struct th_model model;
};

static th_status check_outputs(const struct th_options *options,
                               struct th_comm *comm, struct th_error *err)
{
  const char *const paths[] = {options->output, options->report,
                               options->telemetry};
  for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
    th_status rc =
        th_run_output_check(comm, paths[k], k > 0, options->force, err);
    if (rc != TH_OK)
      return rc;
  }
  return TH_OK;
}

/* Bytes of them that stay in the form of files: little where the solver keeps
 * another form. */
static int64_t stored_memory(const struct session *session)
{
  enum { SHARE = 4 };
  const struct th_config *config = &session->options->config;
  bool both = th_solver_find(config->solver)->by_examples;
  return both ? session->memory / SHARE + 1 : session->memory;
}

/* Defaults that the solver decides. */
static void choose_defaults(struct th_config *config,
                            const struct th_options *options)
{
  if (!th_solver_find(config->solver)->penalised)
    return;
  config->standardize =
      config->standardize && th_option_given(options, "standardize");
}

/* l1 takes the weights of groups only where they are asked for. */
static bool wants_groups(const struct th_config *config)
{
  const struct th_penalty *penalty = th_penalty_find(config->penalty);
  return th_solver_find(config->solver)->penalised && penalty != NULL &&
         penalty->grouped;
}

static th_status make_plan(struct session *session, struct th_comm *comm,
                           struct th_error *err)
{
  const struct th_options *options = session->options;
  const struct th_shape *shape = &session->data.store->shape;
  struct th_config config = options->config;
  choose_defaults(&config, options);
  config.panel_memory = session->memory - stored_memory(session);
  if (options->groups != NULL || wants_groups(&config)) {
    th_status rc = th_data_groups(&session->data, options->groups,
                                  options->output, comm, &session->groups, err);
    if (rc != TH_OK)
      return rc;
    config.groups = session->groups.attributes > 0 ? &session->groups : NULL;
  }
  if (options->start != NULL) {
    th_status rc = th_start_model_read(&session->start, &session->start_coef,
                                       comm, options->start, &session->data,
                                       options->quiet, err);
    if (rc != TH_OK)
      return rc;
    config.start_support = session->start.support;
    config.start_coef = session->start_coef ? session->start.coef : NULL;
    config.start_size = session->start.support_size;
  }
  th_status rc = th_train_choose_loss(&config, session->data.store, err);
  if (rc != TH_OK)
    return rc;
  int64_t owned = th_store_most_owned(session->data.store, comm->size);
  return th_train_plan(&config, shape, comm->size, owned, &session->plan, err);
}

/* What does not fit is read in every pass anew. */
static void correct_reads(struct th_plan *plan, int64_t memory, int ranks)
{
  if (plan->read_bytes / ranks > memory)
    plan->read_bytes = plan->stream_bytes;
}

/* One pass over row groups that are dealt as wholes comes back to nothing.
 * Local. */
static th_status prepare_reading(struct session *session, struct th_error *err)
{
  const struct th_plan *plan = &session->plan;
  struct th_dataset *dataset = session->data.dataset;
  if (dataset == NULL)
    return TH_OK;
  if (plan->config.passes == 1 && plan->points == 0 &&
      plan->deal_unit >= session->data.store->shape.row_group)
    th_dataset_keep_little(dataset);
  return th_dataset_read_ahead(dataset, session->options->prefetch, err);
}

/* Collective: plans of ranks may differ in what they need. */
static th_status check_memory(const struct th_plan *plan, struct th_comm *comm,
                              int64_t share, struct th_error *err)
{
  int64_t most = plan->memory;
  comm->ops->max_i64(comm, &most, 1);
  if (most <= share)
    return TH_OK;
  return th_fail(err, TH_ENOMEM,
                 "this run needs %.2f GB on each of %d ranks, and there are "
                 "%.2f GB for each; use more machines%s",
                 (double)most / 1e9, comm->size, (double)share / 1e9,
                 th_solver_find(plan->config.solver)->penalised
                     ? ""
                     : " or a smaller --budget");
}

/* Groups may be many: a model names them by their fingerprint. */
static th_status name_groups(struct session *session, struct th_error *err)
{
  char text[32];
  if (session->groups.attributes == 0)
    return TH_OK;
  snprintf(text, sizeof text, "%016" PRIx64, session->groups.fingerprint);
  session->model.groups = session->groups; /* which is not wanted any more */
  session->groups = (struct th_groups){0};
  return th_model_set(&session->model, "groups", text, err);
}

/* Every option that can change the model, as it was used. */
static th_status fill_deck(struct session *session, struct th_error *err)
{
  int count;
  const struct th_option *table = th_option_table(&count);
  struct th_options used = *session->options;
  char text[TH_SOURCE_TEXT];
  used.config = session->plan.config;
  used.source = session->data.source;
  for (int k = 0; k < count; k++) {
    if (!table[k].model || strcmp(table[k].name, "start") == 0 ||
        (strcmp(table[k].name, "source") == 0 && used.source[0] == '\0') ||
        !th_solver_uses(used.config.solver, table[k].name))
      continue;
    th_option_text(&used, k, text, sizeof text);
    th_status rc = th_model_set(&session->model, table[k].name, text, err);
    if (rc != TH_OK)
      return rc;
  }
  if (used.start == NULL)
    return TH_OK;
  char *start = th_start_model_text(&session->start, session->start_coef);
  th_status rc = start == NULL
                     ? th_fail(err, TH_ENOMEM, "no memory for the deck")
                     : th_model_set(&session->model, "start", start, err);
  free(start);
  return rc;
}

static th_status finish_local(struct session *session, struct th_error *err)
{
  th_status rc;
  TH_TRY(th_run_monitor_finish(&session->watch, err));
  TH_TRY(th_data_unchanged(&session->data, err));
  TH_TRY(fill_deck(session, err));
  TH_TRY(name_groups(session, err));
done:
  return rc;
}

static th_status write_model(struct session *session, struct th_comm *comm,
                             struct th_error *err)
{
  th_profile_begin(&session->profile);
  th_status rc = th_model_write(&session->model, comm, session->options->output,
                                session->options->force, err);
  th_profile_end(&session->profile, TH_PHASE_WRITE);
  return rc;
}

static void print_next(const struct session *session)
{
  const struct th_options *options = session->options;
  bool computed = options->source != NULL;
  const char *data = computed ? options->source : options->argument[0];
  char model_word[WORD];
  char data_word[WORD];
  th_quote_shell_word(options->output, model_word, sizeof model_word);
  th_quote_shell_word(data, data_word, sizeof data_word);
  fprintf(stderr, "next:    thresher evaluate %s %s%s\n", model_word,
          computed ? "--source " : "", data_word);
  fprintf(stderr, "         thresher inspect %s\n", model_word);
  int64_t budget = session->plan.config.budget; /* d, where there is none */
  int64_t most = session->data.store->shape.attributes;
  if (budget < most)
    fprintf(stderr,
            "         the same with a larger budget: --budget %" PRId64 "\n",
            2 * budget < most ? 2 * budget : most);
}

/* Of a short run the table says nothing about bandwidth: it is not worth the
 * time to measure it then. */
static const double worth_measuring = 1; /* seconds */

static th_status report(struct session *session, struct th_comm *comm,
                        double seconds, struct th_error *err)
{
  const struct th_options *options = session->options;
  struct th_report report = {0};
  th_status rc;
  TH_TRY(th_report_gather(&report, comm, &session->profile, session->data.store,
                          seconds, err));
  TH_TRY(th_loop_log_gather(&session->watch.loops, comm, err));
  bool shown = options->verbose && report.most.seconds >= worth_measuring;
  if (options->report != NULL || shown)
    TH_TRY(th_report_bandwidth(&report.read_gbs, comm, err));
  if (comm->rank == 0 && options->report != NULL)
    rc = th_report_write(&report, &session->plan, &session->model,
                         &session->watch, options->report, options->force, err);
  TH_TRY(th_agree(comm, rc, err));
  if (session->watch.prints) {
    th_report_result(stderr, &session->model, &session->data.store->shape);
    th_report_print_line(stderr, &report);
    print_next(session);
    if (options->verbose)
      th_report_print(stderr, &report, &session->model, &session->watch);
  }
done:
  th_report_free(&report);
  return rc;
}

/* What was not asked for, and why it is so. */
static void print_fallback(const struct session *session)
{
  const struct th_config *given = &session->options->config;
  const struct th_config *used = &session->plan.config;
  const struct th_solver_row *solver = session->plan.solver;
  bool fell = solver->why_truth != NULL && given->select == TH_SELECT_AUTO &&
              used->select == TH_SELECT_TRUTH;
  if (fell)
    th_print_said(stderr, "note: the strict support alone, --select truth: ",
                  solver->why_truth(given, &session->data.store->shape));
}

static th_status train(struct session *session, struct th_comm *comm,
                       double began, struct th_error *err)
{
  th_status rc =
      th_run_monitor_open(&session->watch, session->options,
                          session->data.truth, session->data.store, comm, err);
  TH_TRY(th_agree(comm, rc, err));
  session->watch.meter.at_most = session->plan.most_visits > 0;
  TH_TRY(th_run_monitor_refer(&session->watch, session->options->reference,
                              &session->data, comm, err));
  if (session->watch.prints)
    th_report_plan(stderr, &session->plan, &session->data.store->shape,
                   comm->size, NULL);
  if (session->watch.prints)
    print_fallback(session);
  TH_TRY(th_train(&session->plan, session->data.store, comm,
                  &session->watch.monitor, &session->profile, &session->model,
                  err));
  TH_TRY(th_agree(comm, finish_local(session, err), err));
  TH_TRY(th_match_label(&session->model, &session->data, comm, err));
  TH_TRY(write_model(session, comm, err));
  TH_TRY(report(session, comm, th_comm_clock() - began, err));
done:
  th_run_monitor_close(&session->watch);
  return rc;
}

/* The plan of a dry run, with an estimate of its time. Collective. */
static th_status print_estimate(const struct session *session,
                                struct th_comm *comm, struct th_error *err)
{
  const struct th_shape *shape = &session->data.store->shape;
  struct th_estimate estimate = {0, 0};
  th_status rc =
      th_report_estimate(&session->plan, shape, comm, &estimate, err);
  if (rc == TH_OK && comm->rank == 0)
    th_report_plan(stdout, &session->plan, shape, comm->size, &estimate);
  return rc;
}

th_status th_command_train(const struct th_options *options,
                           struct th_comm *comm, struct th_error *err)
{
  struct session session = {.options = options, .profile = {.comm = comm}};
  double began = th_comm_clock();
  int64_t share = 0;
  th_status rc;
  TH_TRY(th_option_use_check(options, err));
  if (!options->dry_run)
    TH_TRY(check_outputs(options, comm, err));
  TH_TRY(th_run_memory_share(comm, &share, err));
  th_profile_begin(&session.profile);
  session.memory = th_run_memory_to_keep(options, share);
  rc = th_data_open(&session.data, options, "train", options->argument[0],
                    stored_memory(&session), comm, err);
  th_profile_end(&session.profile, TH_PHASE_SETUP);
  TH_TRY(rc);
  TH_TRY(
      th_data_need_targets(&session.data, "train", options->argument[0], err));
  TH_TRY(th_data_need_examples(&session.data, err));
  TH_TRY(make_plan(&session, comm, err));
  correct_reads(&session.plan, session.memory, comm->size);
  TH_TRY(th_agree(comm, prepare_reading(&session, err), err));
  if (options->dry_run)
    TH_TRY(print_estimate(&session, comm, err));
  TH_TRY(check_memory(&session.plan, comm, share, err));
  if (!options->dry_run)
    TH_TRY(train(&session, comm, began, err));
done:
  th_model_free(&session.model);
  th_model_free(&session.start);
  th_groups_free(&session.groups);
  th_data_close(&session.data);
  return rc;
}
