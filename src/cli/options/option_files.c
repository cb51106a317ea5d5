/* option_files.c - no output may replace an input or another output
 * SPDX-License-Identifier: MIT */
#include "cli/options/options.h"
#include "io/hdf5/path.h"

#include <string.h>

/* Local. other: an input, or another output. */
static th_status check_pair(const char *command, const char *output,
                            const char *other, const char *what,
                            struct th_error *err)
{
  if (output == NULL || other == NULL || !th_path_same(output, other))
    return TH_OK;
  return th_fail(err, TH_EUSAGE,
                 "%s: output %s is %s as well; choose another name", command,
                 output, what);
}

/* Local. Inputs that are data sets have shards; so have outputs that are. */
static th_status check_input(const char *command, unsigned bit,
                             const char *output, const char *input,
                             struct th_error *err)
{
  bool shards = (bit & (TH_GENERATE | TH_IMPORT)) != 0;
  th_status rc = check_pair(command, output, input, "an input", err);
  if (rc != TH_OK || output == NULL || input == NULL)
    return rc;
  if (strcmp(output, "-") != 0 && th_path_among_shards(output, input))
    return th_fail(err, TH_EUSAGE,
                   "%s: output %s lies among the shards of %s; choose another "
                   "folder",
                   command, output, input);
  if (shards && th_path_among_shards(input, output))
    return th_fail(err, TH_EUSAGE,
                   "%s: input %s lies where output %s keeps its shards; choose "
                   "another name",
                   command, input, output);
  return TH_OK;
}

/* Local: rank 0. */
static th_status check(const struct th_options *options, const char *command,
                       unsigned bit, struct th_error *err)
{
  const char *const outputs[] = {options->output, options->report,
                                 options->telemetry};
  const char *const inputs[] = {
      options->text.like,         options->text.test_file,
      options->config.start.text, options->config.group.file,
      options->reference,         options->deck};
  th_status rc = TH_OK;
  for (size_t k = 0; k < sizeof outputs / sizeof *outputs; k++) {
    const char *output = outputs[k];
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
      TH_TRY(check_input(command, bit, output, inputs[i], err));
    /* the argument of generate is no file but a family */
    for (int i = 0; i < options->arguments && bit != TH_GENERATE; i++)
      TH_TRY(check_input(command, bit, output, options->argument[i], err));
    for (size_t i = 0; i < k; i++)
      TH_TRY(check_pair(command, output, outputs[i], "another output", err));
  }
done:
  return rc;
}

th_status th_option_files_check(const struct th_options *options,
                                struct th_comm *comm, const char *command,
                                unsigned bit, struct th_error *err)
{
  th_status rc = TH_OK;
  if (comm->rank == 0)
    rc = check(options, command, bit, err);
  return th_agree(comm, rc, err);
}
