/* evaluator.c - a model applied to a data set, row group by row group
 * SPDX-License-Identifier: MIT */
#include "cli/evaluator.h"

#include "cli/refuse_text.h"
#include "cli/run.h"
#include "core/memory.h"
#include "io/model/model_file.h"
#include "solvers/driver/predict.h"
#include "solvers/driver/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

th_status th_evaluator_open(struct th_evaluator *scoring,
                            const struct th_options *options,
                            const char *command, enum th_match_part part,
                            struct th_comm *comm, struct th_error *err)
{
  const char *model = options->argument[0];
  const char *path = options->argument[1];
  int64_t share = 0;
  th_status rc;
  *scoring = (struct th_evaluator){0};
  TH_TRY(th_refuse_text(comm, model, TH_TEXT_AS_MODEL, err));
  TH_TRY(th_model_read(&scoring->model, comm, model, err));
  TH_TRY(th_run_memory_share(comm, &share, err));
  /* every value is used once: nothing is worth keeping */
  TH_TRY(th_data_open(&scoring->data, options, command, path, share / 8, comm,
                      err));
  if (strcmp(command, "predict") != 0)
    TH_TRY(th_data_need_targets(&scoring->data, command, path, err));
  TH_TRY(th_match(&scoring->model, &scoring->data, part, model, options->quiet,
                  comm, err));
  const struct th_shape *shape = &scoring->data.store->shape;
  if (shape->attributes != scoring->model.attributes)
    return th_fail(err, TH_EDATA,
                   "model %s is for %lld attributes, data set %s has %lld; "
                   "import the data with --like the data it was trained on",
                   model, (long long)scoring->model.attributes,
                   scoring->data.name, (long long)shape->attributes);
  TH_TRY(th_run_split_rows(shape, options->split, &scoring->rows, err));
done:
  return rc;
}

void th_evaluator_close(struct th_evaluator *scoring)
{
  th_data_close(&scoring->data);
  th_model_free(&scoring->model);
  *scoring = (struct th_evaluator){0};
}

/* Targets and row numbers of a piece, for rank 0. Local. */
static th_status look_up(struct th_evaluator *scoring, struct th_rows rows,
                         int64_t done, struct th_evaluated *scored,
                         struct th_error *err)
{
  struct th_store *store = scoring->data.store;
  th_status rc = TH_OK;
  if (!store->shape.unlabelled)
    rc = store->ops->targets(store, rows, scored->target + done, NULL, err);
  if (rc == TH_OK)
    rc = th_data_row_numbers(&scoring->data, rows, scored->row + done, err);
  return rc;
}

static th_status make_room(struct th_evaluated *scored, int64_t rows,
                           double **piece, int64_t piece_rows,
                           struct th_error *err)
{
  th_status rc;
  TH_TRY(TH_NEW(&scored->prediction, rows, "predictions", err));
  TH_TRY(TH_NEW(&scored->target, rows, "targets", err));
  TH_TRY(TH_NEW(&scored->row, rows, "row numbers", err));
  TH_TRY(TH_NEW(piece, piece_rows, "predictions of a row group", err));
done:
  return rc;
}

th_status th_evaluator_collect(struct th_evaluator *scoring,
                               struct th_comm *comm,
                               struct th_evaluated *scored,
                               struct th_error *err)
{
  const struct th_shape *shape = &scoring->data.store->shape;
  const bool keeps = comm->rank == 0;
  struct th_rows left = scoring->rows;
  double *piece = NULL;
  int64_t begun = 0;
  *scored = (struct th_evaluated){0};
  th_status rc =
      make_room(scored, keeps ? left.count : 0, &piece, shape->row_group, err);
  TH_TRY(th_agree(comm, rc, err));
  while (left.count > 0) {
    struct th_rows rows = th_run_next_group(shape, &left);
    if (keeps)
      rc = look_up(scoring, rows, begun, scored, err);
    TH_TRY(th_agree(comm, rc, err));
    TH_TRY(th_predict(&scoring->model, scoring->data.store, comm, rows, piece,
                      err));
    if (keeps)
      memcpy(scored->prediction + begun, piece,
             (size_t)rows.count * sizeof *piece);
    begun += rows.count;
  }
done:
  free(piece);
  return rc;
}

void th_evaluator_free_evaluated(struct th_evaluated *scored)
{
  TH_FREE(scored->prediction, scored->target, scored->row);
  *scored = (struct th_evaluated){0};
}

double th_evaluator_probability(double z)
{
  double e = exp(-fabs(z));
  return z >= 0 ? 1 / (1 + e) : e / (1 + e);
}

bool th_evaluator_is_logistic(const struct th_model *model)
{
  return strcmp(model->loss, "logistic") == 0;
}
