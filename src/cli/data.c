/* data.c - the data of a command: a data set's file, or a computed source
 * SPDX-License-Identifier: MIT */
#include "cli/data.h"

#include "cli/refuse_text.h"
#include "cli/wording.h"
#include "io/import/groups_file.h"

#include <string.h>

/* Local, the same on every rank but for want of memory. */
static th_status open_source(struct th_data *data, const char *source,
                             const char *command, int64_t memory,
                             struct th_error *err)
{
  th_status rc;
  TH_TRY(th_source_read(&data->synthesis, source, command, data->source, err));
  TH_TRY(th_synthetic_store_create(&data->computed, &data->synthesis.truth,
                                   &data->synthesis.shape, memory, err));
  data->store = th_synthetic_store_of(data->computed);
  data->truth = &data->synthesis.truth;
done:
  return rc;
}

/* Local. An output among the shards would replace one, or be taken for one. */
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

th_status th_data_open(struct th_data *data, const struct th_options *options,
                       const char *command, const char *path, int64_t memory,
                       struct th_comm *comm, struct th_error *err)
{
  th_status rc;
  *data = (struct th_data){.name = options->source != NULL ? options->source
                                                           : path};
  if (options->source != NULL) {
    rc = open_source(data, options->source, command, memory, err);
    TH_TRY(th_agree(comm, rc, err));
  } else {
    bool trains = strcmp(command, "train") == 0;
    TH_TRY(th_refuse_text(comm, path,
                          trains ? TH_TEXT_TO_TRAIN : TH_TEXT_TO_SCORE, err));
    TH_TRY(th_dataset_open(&data->dataset, comm, path, memory, err));
    rc = comm->rank == 0 ? check_outputs(data->dataset, options, command, err)
                         : TH_OK;
    TH_TRY(th_agree(comm, rc, err));
    data->store = th_dataset_store(data->dataset);
    data->truth = th_dataset_truth(data->dataset);
  }
  TH_TRY(th_store_place(data->store, comm, err));
done:
  return rc;
}

th_status th_data_need_targets(const struct th_data *data, const char *command,
                               const char *path, struct th_error *err)
{
  if (!data->store->shape.unlabelled)
    return TH_OK;
  return th_fail(err, TH_EDATA,
                 "%s has no target, and %s needs one; import text with a "
                 "target, or use predict",
                 path, command);
}

th_status th_data_need_examples(const struct th_data *data,
                                struct th_error *err)
{
  enum { FEWEST = 2 };
  int64_t training = data->store->shape.training;
  if (training >= FEWEST)
    return TH_OK;
  return th_fail(err, TH_EDATA,
                 "%s has %lld training example%s, and train needs at least %d; "
                 "give it more, or set fewer apart with --test",
                 data->name, (long long)training, th_wording_s(training),
                 FEWEST);
}

void th_data_close(struct th_data *data)
{
  if (data->dataset != NULL)
    th_dataset_close(data->dataset);
  th_synthetic_store_free(data->computed);
  th_family_free(&data->synthesis);
  *data = (struct th_data){0};
}

th_status th_data_groups(struct th_data *data, const char *file,
                         const char *output, struct th_comm *comm,
                         struct th_groups *groups, struct th_error *err)
{
  *groups = (struct th_groups){0};
  if (file != NULL)
    return th_groups_read(groups, comm, file, output,
                          data->store->shape.attributes, err);
  return data->dataset != NULL
             ? th_dataset_groups(data->dataset, comm, groups, err)
             : TH_OK;
}

th_status th_data_row_numbers(struct th_data *data, struct th_rows rows,
                              int64_t *numbers, struct th_error *err)
{
  if (data->dataset != NULL)
    return th_dataset_row_numbers(data->dataset, rows, numbers, err);
  for (int64_t i = 0; i < rows.count; i++) /* in the order of their numbers */
    numbers[i] = rows.first + i;
  return TH_OK;
}

th_status th_data_unchanged(struct th_data *data, struct th_error *err)
{
  return data->dataset != NULL ? th_dataset_unchanged(data->dataset, err)
                               : TH_OK;
}
