/* auto_loss.c - the loss that loss `auto` becomes, by the targets
 * SPDX-License-Identifier: MIT */
#include "solvers/driver/train.h"

#include <string.h>

enum { SCAN_ROWS = 4096 };

/* The distinct values of the training targets, up to two of them. */
struct values {
  int count;
  double value[2];
  double weight[2];
};

/* False if y is a third value. */
static bool take(struct values *v, double y, double weight)
{
  for (int k = 0; k < v->count; k++)
    if (v->value[k] == y) {
      v->weight[k] += weight;
      return true;
    }
  if (v->count == 2)
    return false;
  v->value[v->count] = y;
  v->weight[v->count++] = weight;
  return true;
}

/* Whether the targets have two values, both on examples with a weight. Local.
 */
static th_status are_labels(struct th_store *store, bool *labels,
                            struct th_error *err)
{
  struct values values = {0};
  double target[SCAN_ROWS];
  double weight[SCAN_ROWS];
  *labels = false;
  for (int64_t first = 0; first < store->shape.training; first += SCAN_ROWS) {
    int64_t count = store->shape.training - first;
    count = count < SCAN_ROWS ? count : SCAN_ROWS;
    struct th_rows rows = {first, count};
    th_status rc = store->ops->targets(store, rows, target, weight, err);
    if (rc != TH_OK)
      return rc;
    for (int64_t i = 0; i < count; i++)
      if (!take(&values, target[i], weight[i]))
        return TH_OK;
  }
  *labels = values.count == 2 && values.weight[0] > 0 && values.weight[1] > 0;
  return TH_OK;
}

th_status th_train_choose_loss(struct th_config *config, struct th_store *store,
                               struct th_error *err)
{
  const struct th_solver_row *row = th_solver_find(config->solver);
  bool labels = false;
  if (strcmp(config->loss, "auto") != 0)
    return TH_OK;
  bool predicts = row != NULL && row->why_truth != NULL &&
                  config->select != TH_SELECT_TRUTH &&
                  row->why_truth(config, &store->shape) == NULL;
  bool looks =
      row != NULL && ((row->penalised && row->ridge == NULL) || predicts);
  th_status rc = looks ? are_labels(store, &labels, err) : TH_OK;
  config->loss = labels ? "logistic" : "squared";
  return rc;
}
