/* import.c - the command that turns text into data sets
 * SPDX-License-Identifier: MIT */
#include "io/import/import.h"
#include "api/data.h"
#include "base/memory.h"
#include "base/printable.h"
#include "cli/commands.h"
#include "cli/options/options.h"
#include "cli/run/meter.h"
#include "cli/shared/input.h"
#include "cli/shared/wording.h"
#include "io/dataset/format.h"
#include "io/model/model_file.h"
#include "ranks/team.h"

#include <inttypes.h>

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
  if (!options->text.shuffle && th_option_given(options, "seed"))
    return th_fail(err, TH_EUSAGE,
                   "import: --no-shuffle has no use for --seed; leave one out");
  return TH_OK;
}

static void on_progress(void *self, const struct th_import_progress *progress)
{
  struct th_meter *meter = self;
  char text[128];
  char done[TH_SIZE_TEXT];
  char total[TH_SIZE_TEXT];
  if (!th_meter_due(meter))
    return;
  if (progress->total > 0)
    snprintf(text, sizeof text, "%s: %s of %s", progress->step,
             th_printable_size(progress->bytes, done),
             th_printable_size(progress->total, total));
  else
    snprintf(text, sizeof text, "%s", progress->step);
  th_meter_show(meter, progress->fraction, text);
}

static void on_notice(void *self, const char *text)
{
  struct th_meter *meter = self;
  th_meter_clear(meter);
  th_wording_print(stderr, "", text);
}

static struct th_import job_of(const struct th_options *options, int64_t share,
                               int cores)
{
  return (struct th_import){
      .inputs = options->argument,
      .input_count = options->arguments,
      .files = {options->text.files, options->text.test_file},
      .output = options->output,
      .format = options->text.format,
      .layout = options->data.layout - 1,
      .type = th_option_given(options, "type") ? options->data.type : -1,
      .target = options->text.target,
      .weights = options->text.weights,
      .ignore = options->text.ignore,
      .names = options->text.names,
      .table = {(enum th_header)options->text.header,
                (enum th_decimal)options->text.decimal, options->text.levels},
      .id = {options->text.id, options->text.ids},
      .missing = {options->text.missing, options->text.max_missing},
      .positive_class = options->text.positive_class,
      .pairs = {.zero_based = !th_option_given(options, "zero-based")
                                  ? TH_FACT_UNKNOWN
                              : options->text.zero_based ? TH_FACT_YES
                                                         : TH_FACT_NO,
                .labels = (enum th_labels)options->text.labels},
      .attributes = options->data.attributes,
      .groups = options->config.group.file,
      .like = options->text.like,
      .max_line = options->text.max_line,
      .shards = options->data.shards,
      .row_group = options->data.row_group,
      .seed = options->config.seed,
      .shuffle = options->text.shuffle,
      .test_fraction = options->data.test,
      .force = options->force,
      .memory = th_options_memory_to_keep(options, share),
      .threads =
          options->data.threads > 0 ? -(int)options->data.threads : cores,
  };
}

static void print_imported(const struct th_options *options,
                           const struct th_import_result *result)
{
  double rate = result->seconds > 0
                    ? (double)result->text_bytes / result->seconds / 1e6
                    : 0;
  th_printable_put(stderr, options->output);
  fprintf(stderr,
          ": %" PRId64 " example%s (%" PRId64 " for testing), %" PRId64
          " attribute%s, %" PRId64 " non-zero%s; %.1f MB%s in %.1f s "
          "(%.0f MB/s)\n",
          result->examples, th_wording_s(result->examples),
          result->test_examples, result->attributes,
          th_wording_s(result->attributes), result->nonzeros,
          th_wording_s(result->nonzeros), (double)result->text_bytes / 1e6,
          result->text ? " of text" : "", result->seconds, rate);
  if (result->constant_attributes > 0 && !result->unlabelled)
    fprintf(stderr,
            "%" PRId64 " attribute%s the same value in all training examples; "
            "training with an intercept leaves %s out\n",
            result->constant_attributes,
            result->constant_attributes == 1 ? " has" : "s have",
            result->constant_attributes == 1 ? "it" : "them");
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

th_status th_import_command(const struct th_options *options,
                            struct th_comm *comm, struct th_error *err)
{
  const bool shows = comm->rank == 0 && !options->quiet;
  struct th_meter meter;
  struct th_import_monitor monitor = {on_progress, on_notice, &meter};
  struct th_import_result result = {0};
  struct th_model model = {0};
  int64_t share = 0;
  int cores = 1;
  th_status rc;
  th_meter_begin(&meter, shows);
  TH_TRY(check_options(options, err));
  bool like_model = false;
  if (options->text.like != NULL)
    TH_TRY(read_like(options->text.like, comm, &model, &like_model, err));
  share = th_team_memory_share(comm);
  TH_TRY(th_team_core_share(comm, &cores, err));
  struct th_import job = job_of(options, share, cores);
  job.model = like_model ? &model : NULL;
  job.monitor = shows ? &monitor : NULL;
  TH_TRY(th_import_run(&job, comm, &result, err));
  th_meter_clear(&meter);
  if (shows)
    print_imported(options, &result);
done:
  th_meter_clear(&meter);
  th_model_free(&model);
  return rc;
}
