/* evaluated.c - a model applied to data, row group by row group
 * SPDX-License-Identifier: MIT */
#include "api/evaluated.h"

#include "api/split.h"
#include "core/memory.h"
#include "math/loss.h"
#include "solvers/driver/predict.h"
#include "solvers/driver/train.h"

#include <stdlib.h>
#include <string.h>

enum { LABEL_ROWS = 4096 }; /* targets read at once */

/* Targets and row numbers of a piece, for rank 0. Local. */
static th_status look_up(struct th_data *data, struct th_rows rows,
                         int64_t done, struct th_evaluated *evaluated,
                         struct th_error *err)
{
  struct th_store *store = data->store;
  th_status rc = TH_OK;
  if (!store->shape.unlabelled)
    rc = store->ops->targets(store, rows, evaluated->target + done,
                             evaluated->weight + done, err);
  if (rc == TH_OK)
    rc = th_data_row_numbers(data, rows, evaluated->row + done, err);
  return rc;
}

static th_status make_room(struct th_evaluated *evaluated, int64_t rows,
                           double **piece, int64_t piece_rows,
                           struct th_error *err)
{
  th_status rc;
  TH_TRY(TH_NEW(&evaluated->prediction, rows, "predictions", err));
  TH_TRY(TH_NEW(&evaluated->target, rows, "targets", err));
  TH_TRY(TH_NEW(&evaluated->weight, rows, "weights", err));
  TH_TRY(TH_NEW(&evaluated->row, rows, "row numbers", err));
  TH_TRY(TH_NEW(piece, piece_rows, "predictions of a row group", err));
done:
  return rc;
}

th_status th_evaluated_collect(struct th_evaluated *evaluated,
                               const struct th_model *model,
                               struct th_data *data, struct th_rows rows,
                               bool keep, struct th_comm *comm,
                               struct th_error *err)
{
  const struct th_shape *shape = &data->store->shape;
  double *piece = NULL;
  int64_t begun = 0;
  *evaluated = (struct th_evaluated){.count = keep ? rows.count : 0};
  th_status rc = make_room(evaluated, keep ? rows.count : 0, &piece,
                           shape->row_group, err);
  TH_TRY(th_agree(comm, rc, err));
  while (rows.count > 0) {
    struct th_rows part = th_shape_next(shape, &rows);
    if (keep)
      rc = look_up(data, part, begun, evaluated, err);
    TH_TRY(th_agree(comm, rc, err));
    TH_TRY(th_predict(model, data->store, comm, part, piece, err));
    if (keep)
      memcpy(evaluated->prediction + begun, piece,
             (size_t)part.count * sizeof *piece);
    begun += part.count;
  }
done:
  free(piece);
  return rc;
}

void th_evaluated_free(struct th_evaluated *evaluated)
{
  TH_FREE(evaluated->prediction, evaluated->target, evaluated->weight,
          evaluated->row);
  *evaluated = (struct th_evaluated){0};
}

enum th_predictor th_evaluated_predictor(const struct th_model *model)
{
  const struct th_loss *loss = th_loss_find(model->loss);
  return loss != NULL ? loss->predicts : TH_PREDICTS_TARGET;
}

th_status th_evaluated_weigh(struct th_evaluated *evaluated, bool unweighted,
                             struct th_error *err)
{
  int64_t kept = 0;
  for (int64_t i = 0; i < evaluated->count; i++) {
    if (!(evaluated->weight[i] > 0))
      continue; /* not there, however the others count */
    evaluated->weight[kept] = unweighted ? 1 : evaluated->weight[i];
    evaluated->prediction[kept] = evaluated->prediction[i];
    evaluated->target[kept] = evaluated->target[i];
    evaluated->row[kept++] = evaluated->row[i];
  }
  if (kept == 0)
    return th_fail(err, TH_EDATA,
                   "the %lld examples have weight 0, and count for nothing; "
                   "give another {split}",
                   (long long)evaluated->count);
  evaluated->count = kept;
  return TH_OK;
}

/* Those of some targets whose rows count; returns how many. */
static int64_t leave_weightless(double *target, const double *weight,
                                int64_t count)
{
  int64_t kept = 0;
  for (int64_t i = 0; i < count; i++)
    if (weight[i] > 0)
      target[kept++] = target[i];
  return kept;
}

/* Find the labels among all targets of the data set that count, not only those
 * of the split. Local. */
static th_status find_labels(const struct th_data *data,
                             struct th_labels *labels, struct th_error *err)
{
  double target[LABEL_ROWS];
  double weight[LABEL_ROWS];
  int64_t n = data->store->shape.examples;
  int64_t seen = 0;
  for (int64_t first = 0; first < n; first += LABEL_ROWS) {
    int64_t count = n - first < LABEL_ROWS ? n - first : LABEL_ROWS;
    struct th_rows rows = {first, count};
    th_status rc =
        data->store->ops->targets(data->store, rows, target, weight, err);
    if (rc != TH_OK)
      return rc;
    count = leave_weightless(target, weight, count);
    th_metrics_labels_add(labels, seen, target, count);
    seen += count;
  }
  return TH_OK;
}

th_status th_evaluated_scores(const struct th_evaluated *evaluated,
                              const struct th_model *model,
                              const struct th_data *data,
                              struct th_metrics *scores, struct th_error *err)
{
  const struct th_loss *loss = th_loss_find(model->loss);
  const struct th_metrics_rows scored = {.count = evaluated->count,
                                         .predictor = evaluated->prediction,
                                         .target = evaluated->target,
                                         .weight = evaluated->weight};
  struct th_labels labels = {0};
  th_status rc = find_labels(data, &labels, err);
  if (rc == TH_OK)
    rc = th_metrics_compute(scores, &scored, &labels,
                            th_evaluated_predictor(model), err);
  if (rc == TH_OK && loss != NULL)
    scores->relative_loss = th_metrics_relative_loss(&scored, &labels, loss);
  return rc;
}
