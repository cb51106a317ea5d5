/* explained.c - mu_S of a model's support, on a data set (inspect --data)
 * SPDX-License-Identifier: MIT */
#include "cli/explained.h"

#include "api/match.h"
#include "api/memory_share.h"
#include "cli/common.h"
#include "cli/input.h"
#include "cli/shared/json.h"
#include "core/printable.h"
#include "solvers/driver/train.h"
#include "solvers/greedy/irrepresentable.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* How the model's solver saw the data; yes where its deck does not say. */
static bool was_on(const struct th_model *model, const char *name)
{
  for (int64_t k = 0; k < model->settings; k++)
    if (strcmp(model->deck[k].name, name) == 0)
      return strcmp(model->deck[k].value, "no") != 0;
  return true;
}

static th_status open_data(struct th_data *data, struct th_model *model,
                           const struct th_options *options, int64_t memory,
                           struct th_comm *comm, struct th_error *err)
{
  const char *path = options->data_of_model;
  th_status rc;
  TH_TRY(th_input_open(data, options, "inspect", path, memory, comm, err));
  TH_TRY(th_data_need_targets(data, "inspect --data", path, err));
  TH_TRY(
      th_match(model, data, TH_MATCH_SUPPORT, options->argument[0], comm, err));
  if (data->store->shape.attributes != model->attributes)
    rc = th_fail(err, TH_EDATA,
                 "model %s is for %lld attributes, data set %s has %lld",
                 options->argument[0], (long long)model->attributes, path,
                 (long long)data->store->shape.attributes);
done:
  return rc;
}

static th_status compute(struct th_explained *explained,
                         const struct th_model *model, struct th_data *data,
                         struct th_comm *comm, struct th_error *err)
{
  struct th_profile profile = {.comm = comm};
  struct th_plan plan;
  struct th_config config = th_config_default();
  struct th_irrepresentable question = {.support = model->support,
                                        .size = model->support_size};
  struct th_store *store = data->store;
  config.solver = "omp";
  config.loss = "squared";
  config.sparsity = model->support_size;
  config.standardize = was_on(model, "standardize");
  config.intercept = was_on(model, "intercept");
  th_status rc;
  TH_TRY(th_train_plan(&config, &store->shape, comm->size,
                       th_store_most_owned(store, comm->size), &plan, err));
  TH_TRY(th_irrepresentable_find(&question, &plan, store, comm, &profile, err));
  explained->mu = question.mu;
  explained->attribute = question.attribute;
done:
  return rc;
}

th_status th_explained_find(struct th_explained *explained,
                            struct th_model *model,
                            const struct th_options *options,
                            struct th_comm *comm, struct th_error *err)
{
  struct th_data data = {0};
  int64_t share = 0;
  th_status rc;
  *explained =
      (struct th_explained){.data = options->data_of_model, .attribute = -1};
  if (explained->data == NULL || model->support_size == 0)
    return TH_OK;
  TH_TRY(th_memory_share(comm, &share, err));
  TH_TRY(open_data(&data, model, options,
                   th_common_memory_to_keep(options, share), comm, err));
  TH_TRY(compute(explained, model, &data, comm, err));
done:
  th_data_close(&data);
  return rc;
}

void th_explained_json(json_t *object, const struct th_explained *explained)
{
  if (explained->data == NULL)
    return;
  th_json_real(object, "mu", explained->mu);
  json_object_set_new(object, "mu_attribute",
                      explained->attribute < 0
                          ? json_null()
                          : json_integer(explained->attribute));
}

void th_explained_print(const struct th_explained *explained)
{
  if (explained->data == NULL)
    return;
  printf("mu:          %.4g on ", explained->mu);
  th_printable_put(stdout, explained->data);
  if (explained->attribute >= 0)
    printf(", of attribute %" PRId64, explained->attribute);
  printf(explained->mu < 1
             ? "; below 1, so that pursuit finds such a support from enough "
               "examples\n"
             : "; 1 or more, so that pursuit can be misled\n");
}
