/* option_files.c - no output may replace an input or another output
 * SPDX-License-Identifier: MIT */
#include "cli/options.h"

#include <string.h>
#include <sys/stat.h>

static bool same_file(const char *a, const char *b)
{
  struct stat x;
  struct stat y;
  if (strcmp(a, b) == 0)
    return true;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
         x.st_ino == y.st_ino;
}

/* Local. other: an input, or another output. */
static th_status check_pair(const char *command, const char *output,
                            const char *other, const char *what,
                            struct th_error *err)
{
  if (output == NULL || other == NULL || !same_file(output, other))
    return TH_OK;
  return th_fail(err, TH_EUSAGE,
                 "%s: output %s is %s as well; choose another name", command,
                 output, what);
}

/* Local: rank 0. */
static th_status check(const struct th_options *options, const char *command,
                       unsigned bit, struct th_error *err)
{
  const char *const outputs[] = {options->output, options->report,
                                 options->telemetry};
  const char *const inputs[] = {options->like,      options->test_file,
                                options->start,     options->groups,
                                options->reference, options->deck};
  th_status rc = TH_OK;
  for (size_t k = 0; k < sizeof outputs / sizeof *outputs; k++) {
    const char *output = outputs[k];
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
      TH_TRY(check_pair(command, output, inputs[i], "an input", err));
    /* the argument of generate is no file but a family */
    for (int i = 0; i < options->arguments && bit != TH_GENERATE; i++)
      TH_TRY(
          check_pair(command, output, options->argument[i], "an input", err));
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
