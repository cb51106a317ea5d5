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
    TH_TRY(th_run_put(run, monitor->keeping.from, err));
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
static th_status tell_stop(const struct th_run *run,
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
  TH_TRY(tell_stop(&run, monitor, err));
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
