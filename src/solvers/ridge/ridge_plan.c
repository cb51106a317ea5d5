/* ridge_plan.c - what a run of solver `ridge` is going to do
 * SPDX-License-Identifier: MIT */
#include "core/spread.h"
#include "solvers/penalised/plan_penalised.h"
#include "solvers/ridge/algorithms.h"
#include "solvers/ridge/conjugate.h"
#include "solvers/ridge/direct.h"

#include <limits.h>

/* Attributes up to which one rank factors the Gram matrix, and all together. */
enum { MOST_OWN = 2048, MOST_TOGETHER = 20000 };

enum { USUAL_STEPS = 100, PASSES = 6 };

static const double usual_ratio = 0.001; /* of the largest eigenvalue */

static enum th_factoring choose(int64_t attributes)
{
  if (attributes <= MOST_OWN)
    return TH_FACTORING_OWN;
  return attributes <= MOST_TOGETHER ? TH_FACTORING_SCALAPACK : TH_FACTORING_CG;
}

/* Bytes of a rank for what all ways have in common: the problem on all examples
 * and the model. */
static int64_t common_bytes(const struct th_plan_size *size)
{
  enum { EACH_EXAMPLE = 48, EACH_OWNED = 160, EACH_ATTRIBUTE = 160 };
  return size->shape->training * EACH_EXAMPLE + size->owned * EACH_OWNED +
         size->shape->attributes * EACH_ATTRIBUTE;
}

/* ScaLAPACK counts the numbers of a part in int. */
static th_status check_part(const struct th_plan_size *size,
                            struct th_error *err)
{
  double order = (double)size->shape->attributes + TH_SPREAD_BLOCK;
  if (order * order / size->ranks < INT_MAX)
    return TH_OK;
  return th_fail(err, TH_EUSAGE,
                 "{factor} scalapack cannot hold the Gram matrix of %lld "
                 "attributes on %d rank%s; use more ranks, or {factor} cg",
                 (long long)size->shape->attributes, size->ranks,
                 size->ranks == 1 ? "" : "s");
}

/* Products of pairs for a Gram matrix; steps for conjugate gradients. */
static double visits(const struct th_plan *plan,
                     const struct th_plan_size *size)
{
  double values = th_plan_penalised_values(size->shape);
  double points = (double)plan->points;
  if (plan->config.factoring == TH_FACTORING_CG)
    return values * (PASSES + 2 * USUAL_STEPS * points);
  double order = (double)size->shape->attributes;
  double multiplied = (double)size->shape->training * order * order / 2 +
                      points * order * order * order / 6;
  return values * PASSES + multiplied / 64;
}

th_status th_ridge_plan(struct th_plan *plan, const struct th_plan_size *size,
                        struct th_error *err)
{
  struct th_config *config = &plan->config;
  int64_t order = size->shape->attributes;
  th_status rc;
  if (!(config->lambda > 0) && !(config->lambda_ratio > 0) && config->path == 0)
    config->lambda_ratio = usual_ratio;
  config->penalty = "l1"; /* groups of one; the penalty is this solver's own */
  config->groups = NULL;
  TH_TRY(th_plan_penalised(plan, size, err));
  if (config->factoring == TH_FACTORING_AUTO)
    config->factoring = choose(order);
  bool together = config->factoring == TH_FACTORING_SCALAPACK;
  if (together)
    TH_TRY(check_part(size, err));
  plan->points = config->path > 0 ? config->path : 1;
  plan->memory +=
      common_bytes(size) +
      (config->factoring == TH_FACTORING_CG
           ? th_conjugate_bytes(order, size->shape->training)
           : th_direct_bytes(order, size->ranks, together, plan->points));
  plan->visits = visits(plan, size);
done:
  return rc;
}
