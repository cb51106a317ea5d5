/* data.c - data to train on or to predict: a data set's file, or computed ones
 * SPDX-License-Identifier: MIT */
#include "api/data.h"

#include "io/dataset/row_groups.h"
#include "io/import/groups_file.h"
#include "synthetic/synthetic.h"

th_status th_data_open(struct th_data *data, const char *path, int64_t memory,
                       struct th_comm *comm, struct th_error *err)
{
  th_status rc;
  TH_TRY(th_dataset_open(&data->dataset, comm, path, memory, err));
  data->name = path;
  data->store = th_dataset_store(data->dataset);
  data->truth = th_dataset_truth(data->dataset);
done:
  return rc;
}

th_status th_data_compute(struct th_data *data, const struct th_shape *shape,
                          int64_t memory, struct th_error *err)
{
  struct th_row_groups row_groups; /* its limits are those of stored data */
  th_status rc;
  TH_TRY(th_row_groups_init(&row_groups, shape, err));
  TH_TRY(th_synthetic_store_create(&data->computed, &data->made, shape, memory,
                                   err));
  data->store = th_synthetic_store_of(data->computed);
  data->truth = &data->made;
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

void th_data_close(struct th_data *data)
{
  if (data->dataset != NULL)
    th_dataset_close(data->dataset);
  th_synthetic_store_free(data->computed);
  th_synthetic_truth_free(&data->made);
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
  int64_t (*number)(const struct th_store *, int64_t) =
      data->store->ops->number;
  for (int64_t i = 0; i < rows.count; i++)
    numbers[i] =
        number != NULL ? number(data->store, rows.first + i) : rows.first + i;
  return TH_OK;
}

th_status th_data_unchanged(struct th_data *data, struct th_error *err)
{
  return data->dataset != NULL ? th_dataset_unchanged(data->dataset, err)
                               : TH_OK;
}
