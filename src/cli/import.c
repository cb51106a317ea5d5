/* import.c - the command that turns text into data sets
 * SPDX-License-Identifier: MIT */
#include "io/import/import.h"
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/direct.h"
#include "cli/options/options.h"
#include "cli/run/meter.h"
#include "cli/run/report.h"
#include "cli/shared/input.h"
#include "cli/shared/wording.h"
#include "io/dataset/format.h"
#include "io/files/output.h"
#include "io/model/model_file.h"
#include "ranks/team.h"

/* What --append takes over from the data set. Local, replicated. */
static th_status check_append(const struct th_options *options,
                              struct th_error *err)
{
  static const char *const taken[] = {
      "like", "ids",        "test",   "test-file",   "shuffle",
      "seed", "attributes", "groups", "max-missing", "levels"};
  for (size_t k = 0; k < TH_COUNT(taken); k++)
    if (th_option_given(options, taken[k]))
      return th_fail(err, TH_EUSAGE,
                     "import: --append takes over what the data set says, so "
                     "--%s is of no use; leave it out",
                     taken[k]);
  return TH_OK;
}

static th_status check_options(const struct th_options *options,
                               struct th_error *err)
{
  if (options->text.test_file != NULL && options->data.test > 0)
    return th_fail(err, TH_EUSAGE,
                   "import: --test and --test-file exclude each other");
  if (options->text.like != NULL && options->data.attributes > 0)
    return th_fail(err, TH_EUSAGE,
                   "import: --like and --attributes exclude each other");
  if (options->text.id != NULL && options->text.ids != NULL)
    return th_fail(err, TH_EUSAGE, "import: --id and --ids exclude each other");
  if (options->text.append && check_append(options, err) != TH_OK)
    return err->code;
  if (!options->text.shuffle && th_option_given(options, "seed"))
    return th_fail(err, TH_EUSAGE,
                   "import: --no-shuffle has no use for --seed; leave one out");
  return TH_OK;
}

/* What --like names: *is_model is false for a data set, which the import opens
 * by itself. Collective. */
static th_status read_like(const char *path, struct th_comm *comm,
                           struct th_model *model, bool *is_model,
                           struct th_error *err)
{
  enum th_file_kind kind = TH_FILE_OTHER;
  th_status rc;
  TH_TRY(th_input_refuse_text(comm, path, TH_TEXT_TO_TRAIN, err));
  if (comm->rank == 0)
    rc = th_format_kind(path, &kind, err);
  TH_TRY(th_agree(comm, rc, err));
  comm->ops->bcast(comm, &kind, sizeof kind, 0);
  *is_model = kind == TH_FILE_MODEL;
  if (*is_model)
    rc = th_model_file_read(model, comm, path, err);
done:
  return rc;
}

/* What --report asks for, while an import is under way. */
struct account {
  struct th_output output; /* rank 0 claims it at the start */
  struct th_profile profile;
  double began;         /* by th_comm_clock */
  struct th_usage used; /* when it began */
};

/* Collective; nothing is claimed without --report. */
static th_status begin_account(struct account *account,
                               const struct th_options *options,
                               struct th_comm *comm, struct th_error *err)
{
  th_status rc = TH_OK;
  account->profile.comm = comm;
  account->began = th_comm_clock();
  account->used = th_report_usage_now();
  if (comm->rank == 0 && options->report != NULL)
    rc = th_output_begin_text(&account->output, options->report, options->force,
                              err);
  return th_agree(comm, rc, err);
}

/* The data set is written: a report that cannot be written does not take it
 * back. Collective. */
static th_status write_account(struct account *account,
                               const struct th_options *options,
                               const struct th_import_result *result,
                               struct th_comm *comm, struct th_error *err)
{
  const struct th_store none = {.bytes_read = 0};
  const struct th_rank_total before = {.sum = {.seconds = 0}};
  const struct th_rank_cost mine =
      th_rank_cost_now(comm, &account->profile, &none, account->began);
  const struct th_usage used = th_report_usage_since(&account->used);
  struct th_report report = {0};
  struct th_error why = {0};
  th_status rc = th_report_gather(&report, comm, &mine, &used, &before, err);
  if (rc == TH_OK && comm->rank == 0 &&
      th_report_write_import(&report, result, &account->output, &why) != TH_OK)
    th_wording_unwritten("report", options->report, why.text);
  th_report_free(&report);
  return rc;
}

th_status th_import_command(const struct th_options *options,
                            struct th_comm *comm, struct th_error *err)
{
  const bool shows = comm->rank == 0 && !options->quiet;
  struct th_meter meter;
  struct th_import_monitor monitor = th_direct_monitor(shows ? &meter : NULL);
  struct th_import_result result = {0};
  struct account account = {.output = {.folder = -1, .file = -1}};
  struct th_model model = {0};
  th_status rc;
  th_meter_begin(&meter, shows);
  TH_TRY(check_options(options, err));
  monitor.profile = &account.profile;
  TH_TRY(begin_account(&account, options, comm, err));
  bool like_model = false;
  if (options->text.like != NULL)
    TH_TRY(read_like(options->text.like, comm, &model, &like_model, err));
  int64_t share = th_team_memory_share(comm);
  int cores = th_team_core_share(comm);
  struct th_import job = th_direct_job(options, share, cores);
  job.model = like_model ? &model : NULL;
  job.monitor = &monitor;
  TH_TRY(th_import_run(&job, comm, &result, err));
  th_meter_clear(&meter);
  if (shows)
    th_direct_print(options->output, &result);
  if (options->report != NULL)
    TH_TRY(write_account(&account, options, &result, comm, err));
done:
  th_meter_clear(&meter);
  th_output_abort(&account.output);
  th_model_free(&model);
  return rc;
}
