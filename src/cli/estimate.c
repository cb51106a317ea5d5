/* estimate.c - a rough estimate of the time of a run
 *
 * Solvers compute with values at a share of the memory's bandwidth, which is
 * measured. Files are read at 1 GB/s, as from a fast disk or the system's
 * cache. Every step has a fixed cost, too. Shares and costs were observed in
 * runs on dense, sparse and labelled data. They hold within a factor of about
 * three (`thresher bench`, tests/bench/path.sh, peers.sh, text.sh).
 * SPDX-License-Identifier: MIT */
#include "cli/report.h"
#include "math/loss.h"

#include <math.h>

static const double file_gbs = 1;
static const double update_seconds = 1e-3; /* of a solver under a budget */
static const double lambda_seconds = 3e-3; /* of the exact solver */
static const double usual_end = 0.01;      /* of lambda_max: down to there */
static const double most_growth = 1000;
static const double row_seconds = 5e-7;   /* of a step on one example */
static const double label_factor = 10;    /* its Newton steps */
static const double sparse_bytes = 2;     /* a row number, beside the value */
static const double fit_seconds = 1e-9;   /* of a value on a list */
static const double value_seconds = 4e-8; /* of one that is computed */

/* Of the memory's bandwidth, by what a solver does with a value. */
static const double budgeted_share = 0.1;
static const double exact_share = 0.5;
static const double stochastic_share = 0.3;

static double bytes_of_value(const struct th_shape *shape)
{
  enum { MANY = 1024 };
  double bytes = (double)th_type_bytes(shape->type, MANY) / MANY;
  return shape->layout == TH_SPARSE ? bytes + sparse_bytes : bytes;
}

static double share_of(const struct th_solver_row *solver)
{
  if (!solver->penalised)
    return budgeted_share;
  return solver->by_examples ? stochastic_share : exact_share;
}

/* If there are more attributes than examples, small penalties let very many
 * into the support. */
static double growth_of_support(const struct th_plan *plan,
                                const struct th_shape *shape)
{
  const struct th_config *config = &plan->config;
  double last = config->path > 0 ? config->path_min : config->lambda_ratio;
  double below = last > 0 ? usual_end / last : 1;
  bool wide = shape->attributes > shape->training;
  return wide ? fmin(fmax(below * below, 1), most_growth) : 1;
}

/* The fixed cost of steps, besides that of values. */
static double step_seconds(const struct th_plan *plan,
                           const struct th_shape *shape,
                           const struct th_solver_row *solver, double visits)
{
  double attributes = (double)shape->attributes;
  double values = shape->layout == TH_SPARSE
                      ? (double)shape->nonzeros / (double)shape->examples
                      : attributes;
  if (!solver->penalised)
    return update_seconds * (double)plan->updates;
  if (solver->by_examples)
    return row_seconds * visits / fmax(values, 1);
  return lambda_seconds * (double)plan->points * growth_of_support(plan, shape);
}

static double seconds_of(const struct th_plan *plan,
                         const struct th_shape *shape, int ranks, double gbs,
                         double visits)
{
  const struct th_solver_row *solver = plan->solver;
  bool labels = th_loss_find(plan->config.loss)->labels;
  double compute =
      visits * bytes_of_value(shape) / (share_of(solver) * gbs * 1e9 * ranks);
  compute += step_seconds(plan, shape, solver, visits);
  compute += plan->fit_visits * fit_seconds / ranks;
  if (labels && solver->penalised && !solver->by_examples)
    compute *= label_factor;
  if (shape->computed)
    return compute + visits * value_seconds / ranks;
  return compute + (double)plan->read_bytes / ranks / (file_gbs * 1e9);
}

th_status th_report_estimate(const struct th_plan *plan,
                             const struct th_shape *shape, struct th_comm *comm,
                             struct th_estimate *estimate, struct th_error *err)
{
  double gbs = 1;
  double most = plan->most_visits;
  th_status rc = th_report_bandwidth(&gbs, comm, err);
  estimate->usual = seconds_of(plan, shape, comm->size, gbs, plan->visits);
  estimate->most =
      most > 0 ? seconds_of(plan, shape, comm->size, gbs, most) : 0;
  return rc;
}
