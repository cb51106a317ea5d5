/* direct.c - imports as commands run them: that of import, and those of files
 * that train, evaluate and predict are given in the place of a data set
 * SPDX-License-Identifier: MIT */
#include "cli/direct.h"

#include "api/data.h"
#include "base/memory.h"
#include "base/printable.h"
#include "cli/shared/wording.h"
#include "io/dataset/format.h"
#include "io/files/hash.h"
#include "ranks/team.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- An import by the options of a command ---------------------------------
 */

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

struct th_import_monitor th_direct_monitor(struct th_meter *meter)
{
  if (meter == NULL)
    return (struct th_import_monitor){.self = NULL};
  return (struct th_import_monitor){on_progress, on_notice, meter, NULL};
}

struct th_import th_direct_job(const struct th_options *options, int64_t share,
                               int cores)
{
  return (struct th_import){
      .inputs = options->argument,
      .input_count = options->arguments,
      .files = {.list = options->text.files, .test = options->text.test_file},
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
                .labels = (enum th_label_form)options->text.labels},
      .attributes = options->data.attributes,
      .groups = options->config.group.file,
      .like = options->text.like,
      .max_line = options->text.max_line,
      .shards = options->data.shards,
      .row_group = options->data.row_group,
      .order = {options->config.seed, options->text.shuffle,
                options->data.test},
      .force = options->force,
      .append = options->text.append,
      .memory = th_options_memory_to_keep(options, share),
      .threads =
          options->data.threads > 0 ? -(int)options->data.threads : cores,
  };
}

void th_direct_print(const char *output, const struct th_import_result *result)
{
  double rate = result->seconds > 0
                    ? (double)result->text_bytes / result->seconds / 1e6
                    : 0;
  th_printable_put(stderr, output);
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

/* --- A file in the place of a data set -------------------------------------
 */

static bool is_direct(int row)
{
  return (th_option_table_row(row)->commands & TH_DIRECT) != 0;
}

enum kind { NEITHER, READY, TO_IMPORT };

/* Local: rank 0. */
static enum kind shown_by_file(const struct th_options *options,
                               const char *file)
{
  struct th_error ignored = {0};
  enum th_file_kind kind = TH_FILE_OTHER;
  if (options->source != NULL)
    return READY;
  if (th_import_open_takes(file))
    return TO_IMPORT;
  return th_format_kind(file, &kind, &ignored) == TH_OK &&
                 kind == TH_FILE_DATASET
             ? READY
             : NEITHER;
}

/* Local, replicated. */
static th_status refuse_options(const struct th_options *options,
                                const char *command, struct th_error *err)
{
  const bool tabled = options->text.targets != NULL;
  const bool covered = options->text.covariates != NULL;
  for (int k = 0; k < th_option_table_count(); k++) {
    const char *name = th_option_table_row(k)->name;
    bool target = strcmp(name, "target") == 0;
    bool of_table = tabled && (target || strcmp(name, "positive-class") == 0);
    bool of_any = (tabled || covered) && strcmp(name, "missing") == 0;
    bool kept = covered && strcmp(name, "cache") == 0;
    if (is_direct(k) && options->given[k] == TH_GIVEN_ON_LINE && !of_table &&
        !of_any && !kept)
      return th_fail(err, TH_EUSAGE,
                     "%s: --%s is for a file that is imported, %s; leave it "
                     "out",
                     command, name,
                     target ? "or goes with --targets TABLE"
                            : "and a data set was");
  }
  return TH_OK;
}

/* Of what the options say of the file: names and values. listed: and of the
 * model's attributes, which do not follow from the file that it is of. */
static uint64_t hash_options(const struct th_options *options,
                             const struct th_import *job, bool listed)
{
  uint64_t all = th_hash(THRESHER_VERSION, sizeof THRESHER_VERSION);
  const char *target = job->target != NULL ? job->target : "";
  for (int k = 0; k < th_option_table_count(); k++) {
    const struct th_option *row = th_option_table_row(k);
    char value[64] = "";
    const char *text = value;
    if (!is_direct(k) || options->given[k] == TH_NOT_GIVEN ||
        strcmp(row->name, "target") == 0 || strcmp(row->name, "cache") == 0 ||
        (job->from_table && strcmp(row->name, "positive-class") == 0))
      continue;
    if (row->kind == TH_OPT_TEXT)
      text = *(const char *const *)((const char *)options + row->offset);
    else
      th_option_text(options, k, value, sizeof value);
    all = th_hash_from(row->name, strlen(row->name) + 1, all);
    all = th_hash_from(text, strlen(text) + 1, all);
  }
  /* of several models, only the first one's file is a source */
  for (int64_t k = 0; listed && job->model != NULL &&
                      job->model->name != NULL && k < job->model->support_size;
       k++) {
    const struct th_model *m = job->model;
    all = th_hash_from(m->name[k], strlen(m->name[k]) + 1, all);
    if (m->allele != NULL)
      all = th_hash_from(m->allele[k], strlen(m->allele[k]) + 1, all);
  }
  return th_hash_from(target, strlen(target) + 1, all);
}

/* Seed, shards and what else is not told stay as import has them. */
static struct th_import job_of(const struct th_options *options,
                               const char *const *file,
                               const struct th_model_list *models,
                               const struct th_model *model, int64_t share,
                               int cores)
{
  struct th_import job = th_direct_job(options, share, cores);
  job.inputs = file;
  job.input_count = 1;
  job.order.seed = th_config_default().seed;
  job.groups = NULL;
  job.id.file = NULL; /* --ids is of a table */
  job.from_table = options->text.targets != NULL;
  if (job.from_table) {
    job.target = "none";
    job.positive_class = NULL;
  }
  if (models != NULL) {
    job.like = models->path[0];
    job.model = model;
  }
  return job;
}

static void print_found(const char *file, const char *path)
{
  fputs("file:    ", stderr);
  th_printable_put(stderr, file);
  fputs(", as it was imported into ", stderr);
  th_printable_put(stderr, path);
  fputc('\n', stderr);
}

/* Collective. */
static th_status import_file(struct th_direct *direct,
                             const struct th_options *options, const char *file,
                             const struct th_model_list *models,
                             struct th_comm *comm, struct th_error *err)
{
  const bool shows = comm->rank == 0 && !options->quiet;
  const bool several = models != NULL && models->count > 1;
  /* or the model is another one than its file's */
  const bool chosen = options->scores.lambda != NULL;
  struct th_model all = {0};
  struct th_meter meter;
  struct th_import_monitor monitor = th_direct_monitor(&meter);
  th_status rc;
  th_meter_begin(&meter, shows);
  int64_t share = th_team_memory_share(comm);
  int cores = th_team_core_share(comm);
  TH_TRY(th_agree(comm, TH_NEW(&direct->kept, 1, "an import", err), err));
  if (several)
    TH_TRY(th_agree(comm, th_model_list_like(models, &all, err), err));
  struct th_import job = job_of(options, &file, models,
                                several          ? &all
                                : models != NULL ? &models->model[0]
                                                 : NULL,
                                share, cores);
  job.monitor = shows ? &monitor : NULL;
  TH_TRY(th_kept_import(direct->kept, &job, options->cache,
                        hash_options(options, &job, several || chosen), comm,
                        err));
  th_meter_clear(&meter);
  if (shows && direct->kept->found)
    print_found(file, direct->kept->path);
  else if (shows)
    th_direct_print(direct->kept->path, &direct->kept->result);
  direct->imported = true;
  direct->path = direct->kept->path;
  if (!job.from_table)
    direct->options.text.target = NULL;
done:
  th_model_list_unlike(&all);
  th_meter_clear(&meter);
  return rc;
}

th_status th_direct_open(struct th_direct *direct,
                         const struct th_options *options, const char *command,
                         const char *file, const struct th_model_list *models,
                         struct th_comm *comm, struct th_error *err)
{
  *direct = (struct th_direct){.options = *options, .path = file};
  enum kind kind = comm->rank == 0 ? shown_by_file(options, file) : NEITHER;
  comm->ops->bcast(comm, &kind, sizeof kind, 0);
  if (kind == NEITHER && options->text.targets == NULL)
    direct->options.text.target = NULL;
  if (kind == NEITHER) /* which says so when it is opened */
    return TH_OK;
  if (kind == READY)
    return refuse_options(options, command, err);
  return import_file(direct, options, file, models, comm, err);
}

bool th_direct_knows(const struct th_direct *direct, uint64_t fingerprint,
                     struct th_comm *comm)
{
  return direct->imported && th_kept_knows(direct->kept, fingerprint, comm);
}

void th_direct_close(struct th_direct *direct, th_status rc,
                     struct th_error *err)
{
  if (direct->kept != NULL) {
    th_kept_forget(direct->kept, rc, err);
    th_kept_end(direct->kept);
  }
  free(direct->kept);
  *direct = (struct th_direct){0};
}
