/* input.c - the data of a command: a data set's file, or --source
 * SPDX-License-Identifier: MIT */
#include "cli/input.h"

#include "cli/refuse_text.h"
#include "cli/shared/source.h"
#include "cli/wording.h"

#include <string.h>

static void print_note(const char *text)
{
  th_wording_print(stderr, "note: ", text);
}

/* Local; the same on every rank unless memory is short. */
static th_status open_source(struct th_data *data, const char *source,
                             const char *command, int64_t memory,
                             struct th_error *err)
{
  struct th_synthesis synthesis;
  th_status rc = th_source_read(&synthesis, source, command, data->source, err);
  data->name = source;
  data->made = synthesis.truth; /* the data own its lists now */
  return rc == TH_OK ? th_data_compute(data, &synthesis.shape, memory, err)
                     : rc;
}

/* Local. An output among the shards would replace a shard or be taken for one.
 */
static th_status check_outputs(const struct th_dataset *dataset,
                               const struct th_options *options,
                               const char *command, struct th_error *err)
{
  const char *const outputs[] = {options->output, options->report,
                                 options->telemetry};
  for (size_t k = 0; k < sizeof outputs / sizeof *outputs; k++)
    if (outputs[k] != NULL && strcmp(outputs[k], "-") != 0 &&
        th_dataset_holds(dataset, outputs[k]))
      return th_fail(err, TH_EUSAGE,
                     "%s: output %s lies among the shards of the data; choose "
                     "another folder",
                     command, outputs[k]);
  return TH_OK;
}

/* Collective. */
static th_status open_file(struct th_data *data,
                           const struct th_options *options,
                           const char *command, const char *path,
                           int64_t memory, struct th_comm *comm,
                           struct th_error *err)
{
  bool trains = strcmp(command, "train") == 0;
  th_status rc;
  TH_TRY(th_refuse_text(comm, path,
                        trains ? TH_TEXT_TO_TRAIN : TH_TEXT_TO_SCORE, err));
  TH_TRY(th_data_open(data, path, memory, comm, err));
  if (comm->rank == 0)
    rc = check_outputs(data->dataset, options, command, err);
  TH_TRY(th_agree(comm, rc, err));
done:
  return rc;
}

th_status th_input_open(struct th_data *data, const struct th_options *options,
                        const char *command, const char *path, int64_t memory,
                        struct th_comm *comm, struct th_error *err)
{
  bool prints = comm->rank == 0 && !options->quiet;
  th_status rc;
  *data = (struct th_data){.note = prints ? print_note : NULL};
  if (options->source != NULL)
    rc = th_agree(
        comm, open_source(data, options->source, command, memory, err), err);
  else
    rc = open_file(data, options, command, path, memory, comm, err);
  return rc == TH_OK ? th_store_place(data->store, comm, err) : rc;
}
