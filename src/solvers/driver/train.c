/* train.c - training as a whole: one call from a store to a model
 * SPDX-License-Identifier: MIT */
#include "solvers/driver/train.h"

#include "solvers/driver/run.h"

/* Put the state that the monitor has kept, if there is one, and see whether
 * there is room for the next. Collective. */
static th_status go_on(struct th_run *run, const struct th_monitor *monitor,
                       struct th_error *err)
{
  th_status rc;
  if (monitor == NULL || monitor->keeping.save == NULL)
    return TH_OK;
  if (monitor->keeping.from != NULL)
    TH_TRY(th_run_restore(run, monitor->keeping.from, err));
  TH_TRY(th_run_room(run, err));
done:
  return rc;
}

/* What was under way is lost: it says so in place of what the read that was not
 * made says. Local, replicated. */
static th_status tell_leave(const struct th_run *run, bool over,
                            struct th_error *err)
{
  th_error_clear(err);
  if (over)
    return th_fail(err, TH_ESTOPPED,
                   "stopped after update %lld, while the model was made; the "
                   "same command goes on from there",
                   (long long)run->updates);
  if (run->updates == 0)
    return th_fail(err, TH_ESTOPPED,
                   "stopped before the first update was done; the same command "
                   "begins again");
  return th_fail(err, TH_ESTOPPED,
                 "stopped within update %lld; the same command goes on from "
                 "where it began",
                 (long long)run->updates + 1);
}

/* A run that is kept has no model before its end. Local, replicated. */
static th_status check_stop(const struct th_run *run,
                            const struct th_monitor *monitor,
                            struct th_error *err)
{
  if (!run->stopped || monitor->keeping.save == NULL)
    return TH_OK;
  const char *how = run->in_time ? "stopped in time" : "stopped";
  if (run->kept)
    return th_fail(err, TH_ESTOPPED,
                   "%s after update %lld; the same command goes on from there",
                   how, (long long)run->updates);
  return th_fail(err, TH_ESTOPPED,
                 "%s after update %lld, which could not be kept; the same "
                 "command goes on from the checkpoint before it, if there is "
                 "one",
                 how, (long long)run->updates);
}

th_status th_train(const struct th_plan *plan, struct th_store *store,
                   struct th_comm *comm, const struct th_monitor *monitor,
                   struct th_profile *profile, struct th_model *model,
                   struct th_error *err)
{
  struct th_run run;
  bool more = true;
  bool over = false;
  th_status rc;
  TH_TRY(th_run_open(&run, plan, store, comm, monitor, profile, err));
  TH_TRY(go_on(&run, monitor, err));
  TH_TRY(th_run_update(&run, INT64_MAX, &more, err));
  if (!run.stopped)
    TH_TRY(th_run_heed(&run, true, err));
  TH_TRY(check_stop(&run, monitor, err));
  over = true;
  if (monitor != NULL && monitor->ending != NULL)
    monitor->ending(monitor->self);
  rc = th_run_finish(&run, model, err);
done:
  if (rc == TH_ESTOPPED && !run.stopped)
    rc = tell_leave(&run, over, err);
  th_run_close(&run);
  return rc;
}

/* --- What a run is going to do, from options and sizes alone -------------- */

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
  if (loss->exact_only && !row->exact)
    return th_fail(err, TH_EUSAGE,
                   "solver %s does not support {loss} %s; take {solver} lasso",
                   row->name, loss->name);
  if (loss->penalised_only && !row->penalised)
    return th_fail(err, TH_EUSAGE,
                   "solver %s does not support {loss} %s; take a solver with a "
                   "penalty, such as lasso, or {loss} logistic",
                   row->name, loss->name);
  return TH_OK;
}

/* Bytes of stored values that a rank keeps, and of examples. */
static int64_t kept_bytes(const struct th_config *config,
                          const struct th_plan_size *size, bool by_examples)
{
  const struct th_shape *shape = size->shape;
  bool sparse = shape->layout == TH_SPARSE;
  int64_t items = sparse ? th_plan_entries(size) : size->owned;
  int64_t value = shape->type == TH_F64 ? 8 : 4;
  double examples =
      sparse ? (double)items * (double)(value + (int64_t)sizeof(int32_t))
             : (double)items * (double)shape->training * (double)value;
  double stored = th_store_shape_kept_bytes(shape, items);
  if (by_examples)
    stored += fmin(examples, (double)config->row_cache_memory);
  return (int64_t)fmin(stored, 0x1p62);
}

th_status th_train_plan(const struct th_config *config,
                        struct th_plan_size size, struct th_plan *plan,
                        struct th_error *err)
{
  const struct th_solver_row *row = th_solver_find(config->solver);
  th_status rc;
  *plan = (struct th_plan){.config = *config, .solver = row};
  if (row == NULL)
    return th_fail(err, TH_EUSAGE,
                   "there is no solver %s; see thresher solvers",
                   config->solver);
  TH_TRY(check_shape(size.shape, err));
  TH_TRY(check_loss(row, config, err));
  TH_TRY(th_solver_check_needs(config, config->start.size > 0, err));
  plan->stored = kept_bytes(config, &size, row->by_examples);
  rc = row->plan(plan, &size, err);
done:
  return rc;
}
