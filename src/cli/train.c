/* train.c - the command that trains
 * SPDX-License-Identifier: MIT */
#include "api/training.h"
#include "api/training_options.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/printable.h"
#include "cli/commands.h"
#include "cli/covering.h"
#include "cli/direct.h"
#include "cli/run/report.h"
#include "cli/shared/input.h"
#include "cli/shared/model_text.h"
#include "cli/shared/wording.h"
#include "io/files/file.h"
#include "io/files/interrupt.h"
#include "io/import/text/text.h"
#include "io/model/model_file.h"
#include "ranks/comm.h"
#include "ranks/team.h"
#include "solvers/solver_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WORD = 4 * 4096 }; /* longest file name of a line to type, in quotes */

struct session {
  const struct th_options *options;
  struct th_direct direct;
  struct th_data data;
  struct th_training training;
  struct th_run_monitor monitor;
  struct th_keeper keeper;
  struct th_output output; /* the model's; rank 0 claims it at the start, */
  struct th_output report; /* and the report's, if there is one */
  struct th_profile profile;
  double began;         /* by th_comm_clock */
  struct th_usage used; /* when it began */
};

/* The first solver that can be stopped at any time. */
static const char *anytime_solver(void)
{
  const struct th_solver_row *row = th_solver_table();
  while (row->name != NULL && !row->anytime)
    row++;
  return row->name;
}

/* Files of such names in the folder of checkpoints are removed at the end. */
static th_status refuse_own(const struct th_options *options,
                            struct th_error *err)
{
  const char *const paths[] = {options->output, options->report,
                               options->told.telemetry, options->told.metrics};
  for (size_t k = 0; k < sizeof paths / sizeof *paths; k++)
    if (paths[k] != NULL && th_checkpoint_owns(paths[k]))
      return th_fail(err, TH_EUSAGE,
                     "train: %s has a name as files of checkpoints have it; "
                     "choose another name",
                     paths[k]);
  return TH_OK;
}

static bool counts_with_checkpoint(int row)
{
  return row == th_option_table_find("checkpoint-every") ||
         row == th_option_table_find("fresh");
}

/* What is wrong whatever the data are. Local. */
static th_status check_use(const struct th_options *options,
                           struct th_error *err)
{
  if (options->told.metrics != NULL && strcmp(options->told.metrics, "-") == 0)
    return th_fail(err, TH_EUSAGE,
                   "train: --metrics writes a file that is replaced again and "
                   "again; name one in place of -");
  if (options->told.telemetry == NULL &&
      options->given[th_option_table_find("reference")] == TH_GIVEN_ON_LINE)
    return th_fail(err, TH_EUSAGE,
                   "train: --reference counts only with --telemetry "
                   "FILE.jsonl; leave it out, or give both");
  if (options->max_time > 0 && options->checkpoint.folder == NULL &&
      !th_solver_find(options->config.solver)->anytime)
    return th_fail(err, TH_EUSAGE,
                   "train: solver %s has a model only at its end; give "
                   "--checkpoint FOLDER with --max-time, or use solver %s",
                   options->config.solver, anytime_solver());
  for (int k = 0;
       options->checkpoint.folder == NULL && k < th_option_table_count(); k++)
    if (options->given[k] == TH_GIVEN_ON_LINE && counts_with_checkpoint(k))
      return th_fail(err, TH_EUSAGE,
                     "train: --%s counts only with --checkpoint FOLDER; leave "
                     "it out, or give both",
                     th_option_table_row(k)->name);
  if (options->checkpoint.folder != NULL && refuse_own(options, err) != TH_OK)
    return err->code;
  return th_training_options_check(
      &options->config, options->given + th_option_table_training(), err);
}

/* No work is to be done in vain: names are claimed; that of the telemetry is
 * looked at, and claimed soon. Local: rank 0. */
static th_status claim(struct session *session, struct th_error *err)
{
  const struct th_options *options = session->options;
  th_status rc;
  TH_TRY(
      th_output_begin(&session->output, options->output, options->force, err));
  if (options->report != NULL)
    rc = th_output_begin_text(&session->report, options->report, options->force,
                              err);
done:
  return rc;
}

/* Say once how the folder of the checkpoints or of an output is locked, where
 * that is not as usual. Local: rank 0. */
static void note_lock(const struct session *session)
{
  char note[TH_LOCK_NOTE];
  th_checkpoint_lock_note(&session->keeper.checkpoint, note);
  if (note[0] == '\0')
    th_output_note(&session->output, note);
  if (note[0] == '\0' && session->report.path != NULL)
    th_output_note(&session->report, note);
  th_wording_note(session->options, note);
}

/* Collective. */
static th_status claim_outputs(struct session *session, struct th_comm *comm,
                               struct th_error *err)
{
  const struct th_options *options = session->options;
  th_status rc;
  TH_TRY(th_options_output_check(comm, options->told.telemetry, true,
                                 options->force, err));
  TH_TRY(th_options_output_check(comm, options->told.metrics, true,
                                 options->force, err));
  TH_TRY(th_agree(comm, comm->rank == 0 ? claim(session, err) : TH_OK, err));
  if (comm->rank == 0)
    note_lock(session);
done:
  return rc;
}

/* What does not fit is read in every pass anew. */
static void correct_reads(struct th_plan *plan, int64_t memory, int ranks)
{
  if (plan->read_bytes / ranks > memory)
    plan->read_bytes = plan->stream_bytes;
}

static th_status save_model(struct session *session, struct th_comm *comm,
                            struct th_error *err)
{
  th_comm_profile_begin(&session->profile);
  th_status rc = th_model_file_write_to(&session->training.model, comm,
                                        &session->output, err);
  th_comm_profile_end(&session->profile, TH_PHASE_WRITE);
  return rc;
}

/* What says how the data are read again, for a line to type. */
static void print_reading(const struct session *session)
{
  const struct th_options *options = session->options;
  const struct {
    const char *name;
    const char *value;
  } parts[] = {{"targets", options->text.targets},
               {"target", options->text.target},
               {"ids", options->text.ids},
               {"weights-column", options->text.weights_column},
               {"covariates", options->text.covariates},
               {"cache", options->cache}};
  char word[WORD];
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
    if (parts[k].value != NULL)
      fprintf(stderr, " --%s %s", parts[k].name,
              th_text_shell_word(parts[k].value, word, sizeof word));
  if (session->direct.imported && options->data.test > 0)
    fprintf(stderr, " --test %g", options->data.test);
}

static void print_next(const struct session *session)
{
  const struct th_options *options = session->options;
  bool computed = options->source != NULL;
  const char *data = computed ? options->source : options->argument[0];
  char model_word[WORD];
  char data_word[WORD];
  th_text_shell_word(options->output, model_word, sizeof model_word);
  th_text_shell_word(data, data_word, sizeof data_word);
  fprintf(stderr, "next:    thresher evaluate %s %s%s", model_word,
          computed ? "--source " : "", data_word);
  print_reading(session);
  fputc('\n', stderr);
  fprintf(stderr, "         thresher inspect %s\n", model_word);
  /* d, where there is none */
  int64_t budget = session->training.plan.config.budget;
  int64_t most = session->data.store->shape.attributes;
  if (budget < most)
    fprintf(stderr,
            "         the same with a larger budget: --budget %" PRId64 "\n",
            2 * budget < most ? 2 * budget : most);
}

/* Of a short run the table says nothing about bandwidth: it is not worth the
 * time to measure it then. */
static const double worth_measuring = 1; /* seconds */

/* The model is written: a report that cannot be written does not take it back.
 * Local: rank 0. */
static void write_report(struct session *session,
                         const struct th_report *report)
{
  struct th_error why = {0};
  if (th_report_write(report, &session->training.plan, &session->training.model,
                      &session->monitor, &session->report, &why) != TH_OK)
    th_wording_unwritten("report", session->options->report, why.text);
}

static th_status report_run(struct session *session, struct th_comm *comm,
                            struct th_error *err)
{
  const struct th_rank_cost mine = th_rank_cost_now(
      comm, &session->profile, session->data.store, session->began);
  const struct th_usage used = th_report_usage_since(&session->used);
  const struct th_options *options = session->options;
  struct th_report report = {0};
  th_status rc;
  TH_TRY(th_report_gather(&report, comm, &mine, &used, &session->monitor.before,
                          err));
  TH_TRY(th_run_monitor_loop_log_gather(&session->monitor.log, comm, err));
  bool shown = options->verbose && report.total.most.seconds >= worth_measuring;
  if (options->report != NULL || shown)
    TH_TRY(th_report_bandwidth(&report.read_gbs, comm, err));
  if (comm->rank == 0 && options->report != NULL)
    write_report(session, &report);
  if (session->monitor.prints) {
    th_report_result(stderr, &session->training.model,
                     &session->data.store->shape);
    th_report_print_line(stderr, &report);
    print_next(session);
    if (options->verbose)
      th_report_print(stderr, &report, &session->training.model,
                      &session->monitor);
  }
done:
  th_report_free(&report);
  return rc;
}

/* What was not asked for, and why it is so. */
static void print_fallback(const struct session *session)
{
  const struct th_config *given = &session->options->config;
  const struct th_config *used = &session->training.plan.config;
  const struct th_solver_row *solver = session->training.plan.solver;
  bool fell = solver->why_truth != NULL && given->select == TH_SELECT_AUTO &&
              used->select == TH_SELECT_TRUTH;
  if (fell)
    th_wording_print(stderr, "note: the model is that of --select truth: ",
                     solver->why_truth(given, &session->data.store->shape));
}

/* Local, replicated. */
static th_status end_if_stopped(const struct session *session,
                                struct th_error *err)
{
  const struct th_model *model = &session->training.model;
  if (!model->stopped)
    return TH_OK;
  return th_fail(err, TH_ESTOPPED,
                 "stopped after %" PRId64 " examples; %s is what "
                 "--max-examples %" PRId64 " gives",
                 model->selected.examples, session->options->output,
                 model->selected.examples);
}

/* Say where the run goes on from. */
static void print_start(const struct session *session)
{
  const struct th_keeper *keeper = &session->keeper;
  if (keeper->found.number == 0)
    return;
  fprintf(stderr, "note: going on from checkpoint %" PRId64 " in ",
          keeper->found.number);
  th_printable_put(stderr, keeper->checkpoint.path);
  fputc('\n', stderr);
}

/* Say what a failure comes from. Where files are changed while values of them
 * are used in place, any numbers may come out. Collective. */
static th_status find_cause(const struct session *session, struct th_comm *comm,
                            th_status failed, struct th_error *err)
{
  struct th_error why = {0};
  if (failed == TH_ESTOPPED && session->keeper.by_file)
    th_error_name(err, "file STOP"); /* job scripts look for it */
  if (failed != TH_ENUMERIC && failed != TH_EDATA)
    return failed;
  th_status rc =
      th_agree(comm, th_data_unchanged(session->training.data, &why), &why);
  if (rc != TH_OK)
    *err = why;
  return rc != TH_OK ? rc : failed;
}

/* What tells a run from others, in the telemetry: as the model and the report
 * have it, and how much data there is. Local. */
static th_status tell_run(struct session *session, struct th_error *err)
{
  const struct th_config *used = &session->training.plan.config;
  const struct th_store *store = session->data.store;
  struct th_model model = {0}; /* with a deck only */
  th_status rc = th_training_deck(&session->training, &model, err);
  json_t *o = json_object();
  th_json_text(o, "version", THRESHER_VERSION);
  th_json_text(o, "solver", used->solver);
  th_json_text(o, "loss", used->loss);
  th_json_int(o, "training", store->shape.training);
  th_json_int(o, "attributes", store->shape.attributes);
  th_json_hex(o, "dataset_fingerprint", store->fingerprint);
  json_object_set_new(o, "deck", th_model_text_deck_json(&model));
  th_run_monitor_tell(&session->monitor, o);
  th_model_free(&model);
  return rc;
}

static th_status train(struct session *session, struct th_comm *comm,
                       struct th_error *err)
{
  th_status rc =
      th_run_monitor_open(&session->monitor, session->options,
                          session->data.truth, session->data.store, comm, err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(th_agree(comm, tell_run(session, err), err));
  TH_TRY(th_keeper_find(&session->keeper, session->options->checkpoint.fresh,
                        &session->training, err));
  th_run_monitor_keep(&session->monitor, &session->keeper, &session->profile,
                      session->began);
  session->monitor.meter.at_most = session->training.plan.most_visits > 0;
  TH_TRY(th_run_monitor_refer(&session->monitor,
                              session->options->told.reference, &session->data,
                              comm, err));
  if (session->monitor.prints)
    th_report_plan(stderr, &session->training.plan, &session->data.store->shape,
                   comm->size, NULL);
  if (session->monitor.prints)
    print_fallback(session);
  if (session->monitor.prints)
    print_start(session);
  th_interrupt_ask(session->keeper.on ||
                   session->training.plan.solver->anytime);
  rc = th_train(&session->training.plan, session->data.store, comm,
                &session->monitor.monitor, &session->profile,
                &session->training.model, err);
  th_interrupt_ask(session->keeper.on); /* the model is all but there */
  TH_TRY(find_cause(session, comm, rc, err));
  TH_TRY(th_training_finish(&session->training, comm, err));
  th_meter_clear(&session->monitor.meter);
  TH_TRY(save_model(session, comm, err));
  th_run_monitor_finish(&session->monitor); /* no run is without its model */
  th_keeper_done(&session->keeper);
  TH_TRY(report_run(session, comm, err));
  rc = end_if_stopped(session, err);
done:
  th_run_monitor_close(&session->monitor);
  return rc;
}

/* The plan of a dry run, with an estimate of its time. Collective. */
static void print_estimate(const struct session *session, int ranks)
{
  const struct th_plan *plan = &session->training.plan;
  const struct th_shape *shape = &session->data.store->shape;
  struct th_estimate estimate = th_report_estimate(plan, shape, ranks);
  th_report_plan(stdout, plan, shape, ranks, &estimate);
}

static th_status train_one(const struct th_options *options,
                           struct th_comm *comm, struct th_error *err)
{
  struct session session = {.options = options,
                            .profile = {.comm = comm},
                            .began = th_comm_clock(),
                            .used = th_report_usage_now()};
  int64_t share = 0;
  th_status rc;
  TH_TRY(check_use(options, err));
  if (!options->dry_run) {
    TH_TRY(th_keeper_open(&session.keeper, options, session.began, comm, err));
    TH_TRY(claim_outputs(&session, comm, err));
  }
  share = th_team_memory_share(comm);
  th_comm_profile_begin(&session.profile);
  session.training = (struct th_training){
      .config = options->config,
      .output = options->output,
      .targets = options->text.targets,
      .ids = options->text.ids,
      .data = &session.data,
      .mapped = options->reading.map ? TH_MAPPED_RESIDENT : TH_MAPPED_NEVER,
      .memory = th_options_memory_to_keep(options, share)};
  rc = th_direct_open(&session.direct, options, "train", options->argument[0],
                      NULL, comm, err);
  if (rc == TH_OK)
    rc = th_input_open(
        &session.data, &session.direct.options, "train", session.direct.path,
        th_training_stored(&options->config, session.training.memory), comm,
        err);
  if (rc == TH_OK)
    rc = th_covering_open(&session.data, options, "train", NULL, comm, err);
  th_comm_profile_end(&session.profile, TH_PHASE_SETUP);
  TH_TRY(rc);
  TH_TRY(th_training_plan(&session.training, comm, options->reading.prefetch,
                          err));
  correct_reads(&session.training.plan, session.training.memory, comm->size);
  if (options->dry_run && comm->rank == 0)
    print_estimate(&session, comm->size);
  TH_TRY(th_training_check_memory(&session.training, comm, share, err));
  if (!options->dry_run)
    TH_TRY(train(&session, comm, err));
done:
  th_output_abort(&session.output);
  th_output_abort(&session.report);
  th_keeper_close(&session.keeper);
  th_training_free(&session.training);
  th_data_close(&session.data);
  th_direct_close(&session.direct, rc, err);
  return rc;
}

/* --- A model for each of several targets ----------------------------------
 */

/* Names of columns between commas, and the outputs that belong to them. */
struct targets {
  char **name;
  char **output;
  char **report;
  char **telemetry;
  char **metrics;
  int64_t count;
};

static void free_targets(struct targets *targets)
{
  TH_FREE_LIST(targets->name, targets->count);
  TH_FREE_LIST(targets->output, targets->count);
  TH_FREE_LIST(targets->report, targets->count);
  TH_FREE_LIST(targets->telemetry, targets->count);
  TH_FREE_LIST(targets->metrics, targets->count);
}

/* Cut the next name off a list between commas; in double quotes where it holds
 * one. The room has as many bytes as the list. */
static const char *next_target(const char *at, char *name)
{
  bool quoted = false;
  for (; *at != '\0' && (quoted || *at != ','); at++) {
    quoted ^= *at == '"';
    if (*at != '"')
      *name++ = *at;
  }
  *name = '\0';
  return *at == ',' ? at + 1 : at;
}

/* MODEL.h5 becomes MODEL.NAME.h5. NULL and - stay. */
static th_status name_output(const char *path, const char *name, char **output,
                             struct th_error *err)
{
  if (path == NULL)
    return TH_OK;
  const char *file = th_file_name(path);
  const char *dot = strrchr(file, '.');
  int stem =
      (int)(dot != NULL && dot > file ? dot - path : (ptrdiff_t)strlen(path));
  if (strcmp(path, "-") == 0)
    return th_file_text(output, err, "-");
  th_status rc =
      th_file_text(output, err, "%.*s.%s%s", stem, path, name, path + stem);
  for (char *p = rc == TH_OK ? *output + stem + 1 : NULL;
       p != NULL && p < *output + stem + 1 + strlen(name); p++)
    if (*p == '/' || *p == ' ' || (unsigned char)*p < 0x20)
      *p = '_';
  return rc;
}

static th_status name_outputs(struct targets *t,
                              const struct th_options *options,
                              struct th_error *err)
{
  const char *list = options->text.target;
  char *room = NULL;
  int64_t most = 1;
  th_status rc = TH_OK;
  for (const char *p = list; *p != '\0'; p++)
    most += *p == ',';
  TH_TRY(TH_NEW(&room, (int64_t)strlen(list) + 1, "names of targets", err));
  TH_TRY(TH_NEW(&t->name, most, "names of targets", err));
  TH_TRY(TH_NEW(&t->output, most, "names of targets", err));
  TH_TRY(TH_NEW(&t->report, most, "names of targets", err));
  TH_TRY(TH_NEW(&t->telemetry, most, "names of targets", err));
  TH_TRY(TH_NEW(&t->metrics, most, "names of targets", err));
  while (*list != '\0') {
    int64_t k = t->count;
    list = next_target(list, room);
    t->count++;
    TH_TRY(th_file_text(&t->name[k], err, "%s", room));
    TH_TRY(name_output(options->output, room, &t->output[k], err));
    TH_TRY(name_output(options->report, room, &t->report[k], err));
    TH_TRY(name_output(options->told.telemetry, room, &t->telemetry[k], err));
    TH_TRY(name_output(options->told.metrics, room, &t->metrics[k], err));
    for (int64_t j = 0; j < k; j++)
      if (strcmp(t->output[j], t->output[k]) == 0)
        rc = th_fail(err, TH_EUSAGE,
                     "train: targets '%s' and '%s' both make %s; train them "
                     "apart",
                     t->name[j], t->name[k], t->output[k]);
    TH_TRY(rc);
  }
done:
  free(room);
  return rc;
}

/* All outputs are looked at before the first model is trained. Collective. */
static th_status check_several(const struct targets *targets,
                               const struct th_options *options,
                               struct th_comm *comm, struct th_error *err)
{
  th_status rc = TH_OK;
  if (options->checkpoint.folder != NULL)
    return th_fail(err, TH_EUSAGE,
                   "train: --checkpoint is for one target at a time; leave it "
                   "out, or train the %lld targets apart",
                   (long long)targets->count);
  for (int64_t k = 0; k < targets->count && !options->dry_run; k++) {
    TH_TRY(th_options_output_check(comm, targets->output[k], false,
                                   options->force, err));
    TH_TRY(th_options_output_check(comm, targets->report[k], true,
                                   options->force, err));
    TH_TRY(th_options_output_check(comm, targets->telemetry[k], true,
                                   options->force, err));
    TH_TRY(th_options_output_check(comm, targets->metrics[k], true,
                                   options->force, err));
  }
done:
  return rc;
}

th_status th_train_command(const struct th_options *options,
                           struct th_comm *comm, struct th_error *err)
{
  struct targets targets = {0};
  const char *list = options->text.target;
  th_status rc;
  if (options->text.targets == NULL || list == NULL)
    return train_one(options, comm, err);
  TH_TRY(th_agree(comm, name_outputs(&targets, options, err), err));
  struct th_options one = *options;
  one.text.every_target = list;
  if (targets.count == 1) {
    one.text.target = targets.name[0];
    rc = train_one(&one, comm, err);
    goto done;
  }
  TH_TRY(check_several(&targets, options, comm, err));
  for (int64_t k = 0; k < targets.count; k++) {
    one.text.target = targets.name[k];
    one.output = targets.output[k];
    one.report = targets.report[k];
    one.told.telemetry = targets.telemetry[k];
    one.told.metrics = targets.metrics[k];
    TH_TRY(train_one(&one, comm, err));
  }
done:
  free_targets(&targets);
  return rc;
}
