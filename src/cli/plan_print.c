/* plan_print.c - the plan of a run, as it is printed before it begins
 * SPDX-License-Identifier: MIT */
#include "cli/option_names.h"
#include "cli/report.h"

#include <inttypes.h>

/* 1234567 as "1.23 MB". */
const char *th_bytes_text(int64_t bytes, char *text, size_t size)
{
  static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  double value = (double)bytes;
  size_t unit = 0;
  while (value >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
    value /= 1000;
    unit++;
  }
  snprintf(text, size, "%.3g %s", value, units[unit]);
  return text;
}

/* What is observed, and when: solvers under a budget. */
static void print_schedule(FILE *out, const struct th_plan *plan)
{
  const struct th_config *config = &plan->config;
  fprintf(out, "budget:  at most %" PRId64 " attributes of an example",
          config->budget);
  if (config->sparsity > 0)
    fprintf(out, ", at most %" PRId64 " in the model", config->sparsity);
  fprintf(out,
          "\nplan:    %" PRId64 " blocks, at most %" PRId64
          " passes, deal units of %" PRId64 " examples",
          plan->blocks, config->passes, plan->deal_unit);
  if (plan->updates > 0)
    fprintf(out, ", about %" PRId64 " updates", plan->updates);
  fputc('\n', out);
}

/* What is minimised: solvers with a penalty. */
static void print_problem(FILE *out, const struct th_plan *plan)
{
  const struct th_config *config = &plan->config;
  fprintf(out, "penalty: %s, ", config->penalty);
  if (config->path > 0)
    fprintf(out, "%" PRId64 " lambdas from lambda_max down to %g of it",
            config->path, config->path_min);
  else if (config->lambda > 0)
    fprintf(out, "lambda %g", config->lambda);
  else
    fprintf(out, "lambda %g of lambda_max", config->lambda_ratio);
  fprintf(out, "; screening %s; %s, %s\n", th_screen_names(config->screen),
          config->intercept ? "an intercept" : "no intercept",
          config->standardize ? "standardized" : "attributes as they are");
}

void th_plan_print(FILE *out, const struct th_plan *plan,
                   const struct th_shape *shape, int ranks)
{
  const struct th_config *config = &plan->config;
  char memory[32];
  char read[32];
  fprintf(out,
          "data:    %" PRId64 " training examples, %" PRId64
          " attributes, %s %s\n",
          shape->training, shape->attributes, th_layout_name(shape->layout),
          th_type_name(shape->type));
  fprintf(out, "solver:  %s, %s loss, seed %" PRIu64 "\n", config->solver,
          config->loss, config->seed);
  (th_solver_find(config->solver)->penalised ? print_problem
                                             : print_schedule)(out, plan);
  fprintf(out,
          "cost:    %d ranks, %s of memory each beside stored values, "
          "about %s to read\n",
          ranks, th_bytes_text(plan->memory, memory, sizeof memory),
          th_bytes_text(plan->read_bytes, read, sizeof read));
}
