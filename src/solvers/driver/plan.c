/* plan.c - what a run is going to do, from options and sizes alone
 * SPDX-License-Identifier: MIT */
#include "math/loss.h"
#include "solvers/driver/train.h"

#include <string.h>

enum { FEWEST_EXAMPLES = 2 };

static th_status check_shape(const struct th_shape *shape, struct th_error *err)
{
  if (shape->training < FEWEST_EXAMPLES)
    return th_fail(err, TH_EDATA,
                   "%lld training example%s: at least %d are needed",
                   (long long)shape->training, shape->training == 1 ? "" : "s",
                   FEWEST_EXAMPLES);
  return TH_OK;
}

static th_status check_loss(const struct th_solver_row *row,
                            const struct th_config *config,
                            struct th_error *err)
{
  const struct th_loss *loss = th_loss_find(config->loss);
  if (loss == NULL)
    return th_fail(err, TH_EUSAGE, "there is no loss %s", config->loss);
  if (row->ridge != NULL && strcmp(loss->name, "squared") != 0)
    return th_fail(err, TH_EUSAGE,
                   "solver %s does not support {loss} %s: its loss is squared, "
                   "also for labels; take a solver such as lasso",
                   row->name, loss->name);
  if (loss->penalised_only && !row->penalised)
    return th_fail(err, TH_EUSAGE,
                   "solver %s does not support {loss} %s; take a solver with a "
                   "penalty, such as lasso, or {loss} logistic",
                   row->name, loss->name);
  return TH_OK;
}

th_status th_solver_check_needs(const struct th_config *config, bool starts,
                                struct th_error *err)
{
  const struct th_solver_row *row = th_solver_find(config->solver);
  if (row->needs_sparsity && config->sparsity == 0)
    return th_fail(err, TH_EUSAGE,
                   "solver %s needs {sparsity}, the most attributes in the "
                   "model",
                   row->name);
  if (row->needs_budget && config->budget == 0)
    return th_fail(err, TH_EUSAGE,
                   "solver %s needs {budget}, the most attributes observed of "
                   "one example",
                   row->name);
  if (row->needs_start && !starts)
    return th_fail(err, TH_EUSAGE,
                   "solver %s needs {start}, a model or a list of attributes",
                   row->name);
  return TH_OK;
}

th_status th_train_plan(const struct th_config *config,
                        const struct th_shape *shape, int ranks, int64_t owned,
                        struct th_plan *plan, struct th_error *err)
{
  const struct th_plan_size size = {shape, ranks, owned};
  const struct th_solver_row *row = th_solver_find(config->solver);
  th_status rc;
  *plan = (struct th_plan){.config = *config, .solver = row};
  if (row == NULL)
    return th_fail(err, TH_EUSAGE,
                   "there is no solver %s; see thresher solvers",
                   config->solver);
  TH_TRY(check_shape(shape, err));
  TH_TRY(check_loss(row, config, err));
  TH_TRY(th_solver_check_needs(config, config->start.size > 0, err));
  rc = row->plan(plan, &size, err);
done:
  return rc;
}
