/* plan_print.c - the plan of a run, as it is printed before it begins
 * SPDX-License-Identifier: MIT */
#include "api/training_names.h"
#include "cli/report.h"
#include "cli/wording.h"
#include "solvers/solver_table.h"

#include <inttypes.h>
#include <math.h>

/* What is observed, and when: solvers under a budget. */
static void print_schedule(FILE *out, const struct th_plan *plan)
{
  const struct th_config *config = &plan->config;
  fprintf(out, "budget:  at most %" PRId64 " attribute%s of an example",
          config->budget, th_wording_s(config->budget));
  if (config->sparsity > 0)
    fprintf(out, ", at most %" PRId64 " in the model", config->sparsity);
  fprintf(out, "\nplan:    %" PRId64 " block%s; %s%" PRId64 " pass%s",
          plan->blocks, th_wording_s(plan->blocks),
          config->passes == 1 ? "" : "at most ", config->passes,
          th_wording_es(config->passes));
  if (plan->list > 0 && config->passes == 1)
    fprintf(out,
            ", two thirds over the blocks and the rest over a list of %" PRId64
            " attribute%s",
            plan->list, th_wording_s(plan->list));
  else if (plan->list > 0)
    fprintf(out,
            ", %" PRId64 " over the blocks and the rest over lists of %" PRId64
            " attribute%s",
            plan->screens, plan->list, th_wording_s(plan->list));
  if (plan->updates > 0)
    fprintf(out, "; about %" PRId64 " update%s", plan->updates,
            th_wording_s(plan->updates));
  fprintf(out, "; deal units of %" PRId64 " example%s\n", plan->deal_unit,
          th_wording_s(plan->deal_unit));
}

/* What is minimised: solvers with a penalty. */
static void print_problem(FILE *out, const struct th_plan *plan)
{
  const struct th_config *config = &plan->config;
  const char *ridge = plan->solver->ridge;
  fprintf(out, "penalty: %s, ", ridge != NULL ? ridge : config->penalty);
  if (config->path > 0)
    fprintf(out, "%" PRId64 " lambda%s from lambda_max down to %g of it",
            config->path, th_wording_s(config->path), config->path_min);
  else if (config->lambda > 0)
    fprintf(out, "lambda %g", config->lambda);
  else if (config->ball.radius > 0)
    fprintf(out, "in a ball of radius %g", config->ball.radius);
  else
    fprintf(out, "lambda %g of lambda_max", config->lambda_ratio);
  if (ridge != NULL)
    fprintf(out, "; factor %s", th_training_names_factoring(config->factoring));
  else
    fprintf(out, "; screening %s",
            th_training_names_screen(config->screening.how));
  fprintf(out, "; %s, %s\n",
          config->intercept ? "with an intercept" : "without an intercept",
          config->standardize ? "standardized" : "attributes as they are");
}

/* How attributes are chosen: pursuits. */
static void print_choice(FILE *out, const struct th_plan *plan)
{
  const struct th_config *config = &plan->config;
  fprintf(out, "choice:  at most %" PRId64 " attribute%s", config->greedy.most,
          th_wording_s(config->greedy.most));
  if (config->greedy.residual > 0)
    fprintf(out, ", until the loss is %g of that without any",
            config->greedy.residual);
  if (config->greedy.folds > 1)
    fprintf(out, ", as many as %" PRId64 " folds choose", config->greedy.folds);
  if (config->greedy.folds == 1)
    fprintf(out, ", as many as predict best what is held out");
  fprintf(out, "; %s, %s\n",
          config->intercept ? "with an intercept" : "without an intercept",
          config->standardize ? "standardized" : "attributes as they are");
}

static void print_time(FILE *out, const struct th_estimate *estimate)
{
  char time[TH_DURATION_TEXT];
  if (!(estimate->most > estimate->usual)) {
    fprintf(out, ", %sroughly %s", estimate->most > 0 ? "at most " : "",
            th_meter_duration_text(fmax(estimate->usual, 1), time));
    return;
  }
  fprintf(out, ", roughly %s",
          th_meter_duration_text(fmax(estimate->usual, 1), time));
  fprintf(out, ", at most %s",
          th_meter_duration_text(fmax(estimate->most, 1), time));
}

void th_report_plan(FILE *out, const struct th_plan *plan,
                    const struct th_shape *shape, int ranks,
                    const struct th_estimate *estimate)
{
  const struct th_config *config = &plan->config;
  char memory[32];
  char read[32];
  fprintf(out,
          "data:    %" PRId64 " training example%s, %" PRId64
          " attribute%s, %s %s\n",
          shape->training, th_wording_s(shape->training), shape->attributes,
          th_wording_s(shape->attributes), th_type_layout_name(shape->layout),
          th_type_name(shape->type));
  fprintf(out, "solver:  %s, %s loss, seed %" PRIu64 "\n", config->solver,
          config->loss, config->seed);
  if (plan->solver->selects)
    print_choice(out, plan);
  else
    (plan->solver->penalised ? print_problem : print_schedule)(out, plan);
  fprintf(out,
          "cost:    %d rank%s, %s of memory%s besides stored values, "
          "about %s to read",
          ranks, th_wording_s(ranks),
          th_wording_bytes(plan->memory, memory, sizeof memory),
          ranks > 1 ? " each" : "",
          th_wording_bytes(plan->read_bytes, read, sizeof read));
  if (estimate != NULL)
    print_time(out, estimate);
  fputc('\n', out);
}
