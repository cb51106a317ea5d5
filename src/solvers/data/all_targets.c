/* all_targets.c - targets and weights of all training examples, for solvers
 * that take examples one by one
 * SPDX-License-Identifier: MIT */
#include "solvers/data/all_targets.h"

#include "core/memory.h"

#include <stdlib.h>

th_status th_all_targets_init(struct th_all_targets *all,
                              struct th_context *context, struct th_error *err)
{
  int64_t n = th_source_shape(context->source)->training;
  th_status rc;
  *all = (struct th_all_targets){.square = 0};
  TH_TRY(TH_NEW(&all->target, n, "targets", err));
  TH_TRY(TH_NEW(&all->weight, n, "weights", err));
  TH_TRY(th_context_all_examples(context, all->target, all->weight, err));
  for (int64_t i = 0; i < n; i++) {
    all->weight[i] *= (double)n;
    all->square += all->weight[i] * all->target[i] * all->target[i] / (double)n;
  }
done:
  return rc;
}

void th_all_targets_free(struct th_all_targets *all)
{
  TH_FREE(all->target, all->weight);
}
