/* solvers.c - the solver table
 * SPDX-License-Identifier: MIT */
#include "base/search.h"
#include "solvers/algorithms.h"
#include "solvers/sampling/ball.h"
#include "solvers/solver_table.h"

/* Solvers that share a file differ in options, too. */
#define EXPLORES                                                               \
  "unpenalised", "eta", "batch-explore", "updates-explore", "shared-support"
#define EXPLOITS "batch-exploit", "updates-exploit"
#define IN_ROUNDS "growth", "rounds"
static const char *const hybrid_options[] = {
    TH_OPTIONS_UNDER_A_BUDGET, EXPLORES, EXPLOITS, IN_ROUNDS, "start", NULL};
static const char *const exploration_options[] = {
    TH_OPTIONS_UNDER_A_BUDGET, EXPLORES, IN_ROUNDS, "start", NULL};
static const char *const exploitation_options[] = {TH_OPTIONS_UNDER_A_BUDGET,
                                                   "unpenalised",
                                                   "eta",
                                                   EXPLOITS,
                                                   IN_ROUNDS,
                                                   "start",
                                                   NULL};

/* What stochastic methods have in common. The options follow from the
 * screening. */
#define IN_STEPS "batch", "eta", "screen-every", "screen-rule", "screen-draws"
#define STOCHASTIC                                                             \
  .penalised = true, .by_examples = true, .plan = th_stochastic_plan,          \
  .algorithm = &th_stochastic_algorithm, .screenings = th_screenings

static const char *const online_options[] = {
    TH_OPTIONS_OF_A_PENALTY, IN_STEPS,     "steps",
    "screen-exponent",       "confidence", NULL};
static const char *const falling_options[] = {TH_OPTIONS_OF_A_PENALTY, IN_STEPS,
                                              "steps", NULL};
static const char *const steps_options[] = {TH_OPTIONS_OF_A_PENALTY, IN_STEPS,
                                            NULL};

/* What methods that sample attributes have in common; those that read all. */
#define SAMPLING                                                               \
  .why_all = "all coefficients lie in its ball", .dense_model = true,          \
  .plan = th_sampling_plan, .algorithm = &th_sampling_algorithm
#define FULL_INFORMATION                                                       \
  .why_all = "all coefficients lie in its ball", .dense_model = true,          \
  .by_examples = true, .plan = th_online_plan,                                 \
  .algorithm = &th_online_algorithm

static const struct th_solver_row solvers[] = {
    {.name = "sift",
     .summary = "attributes enter by accumulated evidence; nothing to set but "
                "the budget",
     .for_whom = "a limit on the attributes that may be observed of an "
                 "example; the first to try, and the default",
     .source = "ours, on the observations of Murata & Suzuki 2018, Algorithm 1",
     .plan = th_sift_run_plan,
     .why_truth = th_sift_why_truth,
     .algorithm = &th_sift_algorithm},
    {.name = "exploration",
     .summary = "gradients in blocks of attributes, then a hard threshold",
     .for_whom = "a method to compare with: hybrid without its steps on "
                 "the support",
     .source = "Murata & Suzuki 2018, Algorithm 1",
     .own_options = exploration_options,
     .needs_sparsity = true,
     .needs_budget = true,
     .plan = th_iht_plan,
     .algorithm = &th_exploration_algorithm},
    {.name = "exploitation",
     .summary = "gradient steps on a support that is given and stays",
     .for_whom = "a limit on the attributes of an example, and a list of those "
                 "that matter",
     .source = "Murata & Suzuki 2018, Algorithm 2",
     .own_options = exploitation_options,
     .needs_start = true,
     .plan = th_iht_plan,
     .algorithm = &th_exploitation_algorithm},
    {.name = "hybrid",
     .summary = "rounds of exploration, each followed by exploitation",
     .for_whom = "a limit on the attributes of an example, and a wish for the "
                 "method of the paper",
     .source = "Murata & Suzuki 2018, Algorithm 3",
     .own_options = hybrid_options,
     .needs_sparsity = true,
     .needs_budget = true,
     .plan = th_iht_plan,
     .algorithm = &th_hybrid_algorithm},
    {.name = "prox-sgd",
     .summary =
         "stochastic gradient steps, each followed by the penalty's prox",
     .for_whom = "a method to compare with: stochastic steps without screening",
     .source = "Duchi & Singer 2009; Liang & Poon 2022, section 1.2",
     .own_options = online_options,
     STOCHASTIC,
     .screen = TH_SCREEN_NONE,
     .update = &th_prox_sgd_update},
    {.name = "fs-prox-sgd",
     .summary =
         "prox-sgd that drops attributes proven useless every few epochs",
     .for_whom = "a method to compare with: stochastic steps, and screening "
                 "that is never wrong",
     .source = "Liang & Poon 2022, Algorithm 1",
     .own_options = falling_options,
     STOCHASTIC,
     .screen = TH_SCREEN_GAP_SAFE,
     .update = &th_prox_sgd_update},
    {.name = "os-prox-sgd",
     .summary = "prox-sgd that drops attributes while examples come; exact in "
                "the end",
     .for_whom = "data that may be read whole, with very many examples",
     .source = "Liang & Poon 2022, Algorithm 2",
     .own_options = online_options,
     STOCHASTIC,
     .screen = TH_SCREEN_ONLINE,
     .update = &th_prox_sgd_update},
    {.name = "sgd",
     .summary = "stochastic subgradient steps, the baseline of all of these; "
                "no coefficient stays at 0",
     .for_whom =
         "a method to compare with, the plainest; its models are not sparse",
     .source = "Robbins & Monro 1951; Liang & Poon 2022, equation 1.1",
     .own_options = online_options,
     STOCHASTIC,
     .screen = TH_SCREEN_NONE,
     .update = &th_sgd_update},
    {.name = "truncated-gradient",
     .summary = "stochastic gradient steps, truncated every ten of them",
     .for_whom = "a method to compare with: steps that make coefficients 0 by "
                 "truncation",
     .source = "Langford, Li & Zhang 2009",
     .own_options = online_options,
     STOCHASTIC,
     .screen = TH_SCREEN_NONE,
     .update = &th_truncated_gradient_update},
    {.name = "rda",
     .summary = "regularised dual averaging: the prox of the mean gradient",
     .for_whom =
         "a method to compare with: steps by the mean of all gradients so far",
     .source = "Xiao 2010, Algorithms 1 and 2",
     .own_options = steps_options,
     STOCHASTIC,
     .screen = TH_SCREEN_NONE,
     .update = &th_rda_update},
    {.name = "saga",
     .summary = "a table of gradients takes the noise out of the steps",
     .for_whom = "a method to compare with: stochastic steps that become "
                 "exact, with a gradient kept of each example",
     .source = "Defazio, Bach & Lacoste-Julien 2014",
     .own_options = steps_options,
     STOCHASTIC,
     .screen = TH_SCREEN_GAP_SAFE,
     .update = &th_saga_update},
    {.name = "svrg",
     .summary = "a full gradient every few epochs takes the noise out",
     .for_whom = "a method to compare with: stochastic steps that become "
                 "exact, without keeping gradients",
     .source = "Johnson & Zhang 2013; Xiao & Zhang 2014",
     .own_options = steps_options,
     STOCHASTIC,
     .screen = TH_SCREEN_GAP_SAFE,
     .update = &th_svrg_update},
    {.name = "lasso",
     .summary = "the exact path: working sets, coordinate descent, a full "
                "certificate",
     .for_whom =
         "data that may be read whole, and of which some attributes matter",
     .source = "Massias, Gramfort & Salmon 2018; Liang & Poon 2022, section 2",
     .penalised = true,
     .exact = true,
     .chooses = true,
     .squares = true,
     .screen = TH_SCREEN_GAP_SAFE,
     .plan = th_lasso_plan,
     .algorithm = &th_lasso_algorithm},
    {.name = "ridge",
     .summary = "exact ridge regression: a Gram matrix and its factor, or "
                "conjugate gradients",
     .for_whom = "data that may be read whole, and of which every attribute "
                 "matters a little",
     .source = "Hoerl & Kennard 1970; Hestenes & Stiefel 1952",
     .penalised = true,
     .ridge = "l2 squared",
     .why_all = "its certificate is that of a penalty on every coefficient",
     .screen = TH_SCREEN_NONE,
     .plan = th_ridge_plan,
     .algorithm = &th_ridge_algorithm},
    {.name = "omp",
     .summary =
         "orthogonal matching pursuit: the attribute that explains most, "
         "one after the other",
     .for_whom = "data of which few attributes matter much, and you want them "
                 "in that order",
     .source = "Pati, Rezaiifar & Krishnaprasad 1993; Saad, Blanchard & Arlot "
               "2024, Algorithm 1",
     .penalised = true,
     .selects = true,
     .screen = TH_SCREEN_NONE,
     .plan = th_omp_plan,
     .algorithm = &th_omp_algorithm},
    {.name = "oomp",
     .summary = "online orthogonal matching pursuit: attributes that are true "
                "for certain, from examples read once",
     .for_whom = "a long stream of examples, and no attribute of the model may "
                 "be wrong",
     .source = "Saad, Blanchard & Arlot 2024, Algorithms 3 to 6",
     .anytime = true,
     .why_all = "its guarantee is for attributes that it has found itself",
     .plan = th_oomp_plan,
     .algorithm = &th_oomp_algorithm},
    {.name = "aerr",
     .summary = "ridge regression from a few attributes of each example",
     .for_whom = "a stream of examples, a few attributes of each, and a model "
                 "of many attributes",
     .source = "Kukliansky & Shamir 2015, Algorithms 1 and 2",
     SAMPLING,
     .ball = &th_ball_l2},
    {.name = "aelr",
     .summary = "the lasso in an l1 ball from a few attributes of each example",
     .for_whom = "a stream of examples, a few attributes of each, and a model "
                 "of which most coefficients are small",
     .source = "Kukliansky & Shamir 2015, Algorithms 3 and 4",
     SAMPLING,
     .ball = &th_ball_l1},
    {.name = "ogd-ridge",
     .summary = "online gradient descent in an l2 ball: aerr without a budget",
     .for_whom =
         "a method to compare with: what aerr would learn from all attributes",
     .source = "Zinkevich 2003; Kukliansky & Shamir 2015, section 5",
     FULL_INFORMATION,
     .ball = &th_ball_l2},
    {.name = "eg-lasso",
     .summary = "exponentiated gradient in an l1 ball: aelr without a budget",
     .for_whom =
         "a method to compare with: what aelr would learn from all attributes",
     .source = "Kivinen & Warmuth 1997; Kukliansky & Shamir 2015, section 5",
     FULL_INFORMATION,
     .ball = &th_ball_l1},
    {.name = "rda-ito",
     .summary = "dual averaging of gradients that are estimated from the s "
                "largest attributes and others at random; slow",
     .for_whom = "a method to compare with: dual averaging under a budget",
     .source = "Ito et al. 2017, Algorithm 1, reconstructed",
     .needs_sparsity = true,
     .needs_budget = true,
     .why_all = "its method has a penalty on every coefficient",
     .plan = th_rda_ito_plan,
     .algorithm = &th_rda_ito_algorithm},
    {.name = "dantzig",
     .summary = "the Dantzig selector on a Gram matrix that is estimated from "
                "a few attributes of each example; keeps d x d numbers",
     .for_whom = "a method to compare with: the Dantzig selector under a "
                 "budget, of a few thousand attributes",
     .source = "Kale, Karnin, Liang & Pal 2017, reconstructed",
     .needs_sparsity = true,
     .needs_budget = true,
     .why_all = "its method has a penalty on every coefficient",
     .plan = th_dantzig_plan,
     .algorithm = &th_dantzig_algorithm},
    {.name = "ssr",
     .summary = "streaming sparse regression: dual averaging whose penalty "
                "grows with the root of the examples",
     .for_whom = "a method to compare with: one pass over a stream, without "
                 "steps to tune",
     .source = "Steinhardt, Wager & Liang 2014, Algorithm 2, reconstructed",
     .by_examples = true,
     .why_all = "its method has a penalty on every coefficient",
     .plan = th_ssr_plan,
     .algorithm = &th_ssr_algorithm},
    {.name = NULL},
};

const struct th_solver_row *th_solver_table(void)
{
  return solvers;
}

const struct th_solver_row *th_solver_find(const char *name)
{
  int64_t k = TH_SEARCH_NAME(solvers, name);
  return k < 0 ? NULL : &solvers[k];
}

const char *const *th_solver_options(const struct th_solver_row *row)
{
  return row->own_options != NULL ? row->own_options : row->algorithm->options;
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
