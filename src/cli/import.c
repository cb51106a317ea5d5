/* import.c - the subcommand that turns text into data sets
 * SPDX-License-Identifier: MIT */
#include "io/import.h"
#include "cli/commands.h"
#include "cli/run.h"

#include <inttypes.h>

static th_status check_options(const struct th_options *options,
                               struct th_error *err)
{
  if (options->test_file != NULL && options->test > 0)
    return th_fail(err, TH_EUSAGE,
                   "import: --test and --test-file exclude each other");
  if (options->like != NULL && options->attributes > 0)
    return th_fail(err, TH_EUSAGE,
                   "import: --like and --attributes exclude each other");
  if (!options->shuffle && th_option_given(options, "seed"))
    return th_fail(err, TH_EUSAGE,
                   "import: --no-shuffle has no use for --seed; leave one out");
  return TH_OK;
}

static struct th_import job_of(const struct th_options *options, int64_t share)
{
  return (struct th_import){
      .inputs = options->argument,
      .input_count = options->arguments,
      .test_file = options->test_file,
      .output = options->output,
      .format = options->format,
      .layout = options->layout - 1,
      .type = options->type,
      .target = options->target,
      .weights = options->weights,
      .zero_based = options->zero_based,
      .attributes = options->attributes,
      .groups = options->groups,
      .like = options->like,
      .max_line = options->max_line,
      .shards = options->shards,
      .row_group = options->row_group,
      .seed = options->config.seed,
      .shuffle = options->shuffle,
      .test_fraction = options->test,
      .force = options->force,
      .memory = th_memory_to_keep(options, share),
  };
}

static void print_summary(const struct th_options *options,
                          const struct th_import_result *result)
{
  double rate = result->seconds > 0
                    ? (double)result->text_bytes / result->seconds / 1e6
                    : 0;
  fprintf(stderr,
          "%s: %" PRId64 " examples (%" PRId64 " for testing), %" PRId64
          " attributes, %" PRId64 " non-zeros; %.1f MB of text in %.1f s "
          "(%.0f MB/s)\n",
          options->output, result->examples, result->test_examples,
          result->attributes, result->nonzeros,
          (double)result->text_bytes / 1e6, result->seconds, rate);
  if (result->constant_attributes > 0)
    fprintf(stderr,
            "%" PRId64 " attributes are constant in the training examples; "
            "training with an intercept leaves them out\n",
            result->constant_attributes);
}

th_status th_run_import(const struct th_options *options, struct th_comm *comm,
                        struct th_error *err)
{
  struct th_import_result result = {0};
  int64_t share = 0;
  th_status rc;
  TH_TRY(check_options(options, err));
  TH_TRY(th_memory_share(comm, &share, err));
  struct th_import job = job_of(options, share);
  TH_TRY(th_import_run(&job, comm, &result, err));
  if (comm->rank == 0 && !options->quiet)
    print_summary(options, &result);
done:
  return rc;
}
