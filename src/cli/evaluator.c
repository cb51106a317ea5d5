/* evaluator.c - a model applied to a data set, row group by row group
 * SPDX-License-Identifier: MIT */
#include "cli/evaluator.h"

#include "cli/common.h"
#include "cli/input.h"
#include "cli/refuse_text.h"
#include "io/model/model_file.h"

#include <string.h>

th_status th_evaluator_open(struct th_evaluator *evaluator,
                            const struct th_options *options,
                            const char *command, enum th_match_part part,
                            struct th_comm *comm, struct th_error *err)
{
  const char *model = options->argument[0];
  const char *path = options->argument[1];
  int64_t share = 0;
  th_status rc;
  *evaluator = (struct th_evaluator){0};
  TH_TRY(th_refuse_text(comm, model, TH_TEXT_AS_MODEL, err));
  TH_TRY(th_model_read(&evaluator->model, comm, model, err));
  TH_TRY(th_memory_share(comm, &share, err));
  /* every value is used once, so none is kept */
  TH_TRY(th_input_open(&evaluator->data, options, command, path, share / 8,
                       comm, err));
  if (strcmp(command, "predict") != 0)
    TH_TRY(th_data_need_targets(&evaluator->data, command, path, err));
  TH_TRY(th_match(&evaluator->model, &evaluator->data, part, model, comm, err));
  const struct th_shape *shape = &evaluator->data.store->shape;
  if (shape->attributes != evaluator->model.attributes)
    return th_fail(err, TH_EDATA,
                   "model %s is for %lld attributes, data set %s has %lld; "
                   "import the data with --like the data it was trained on",
                   model, (long long)evaluator->model.attributes,
                   evaluator->data.name, (long long)shape->attributes);
  TH_TRY(th_split_rows(shape, options->scores.split, &evaluator->rows, err));
done:
  return rc;
}

void th_evaluator_close(struct th_evaluator *evaluator)
{
  th_data_close(&evaluator->data);
  th_model_free(&evaluator->model);
  *evaluator = (struct th_evaluator){0};
}
