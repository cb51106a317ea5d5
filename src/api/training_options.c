/* training_options.c - the options of training: names, ranges, help
 * SPDX-License-Identifier: MIT */
#include "api/training_options.h"

#include "api/training_names.h"
#include "base/search.h"
#include "solvers/config.h"
#include "solvers/solver_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* --- Which options a solver uses ------------------------------------------ */

static bool lists(const struct th_solver_row *row, const char *option)
{
  return th_search_name(row->options, sizeof *row->options, SIZE_MAX, option) >=
         0;
}

bool th_training_options_solver_uses(const char *solver, const char *option)
{
  bool anyone = false;
  for (const struct th_solver_row *row = th_solver_table(); row->name != NULL;
       row++)
    anyone = anyone || lists(row, option);
  const struct th_solver_row *own = th_solver_find(solver);
  return !anyone || (own != NULL && lists(own, option));
}

void th_training_options_solver_users(const char *option, char *text,
                                      size_t size)
{
  size_t used = 0;
  text[0] = '\0';
  for (const struct th_solver_row *row = th_solver_table();
       row->name != NULL && used < size; row++)
    if (lists(row, option))
      used += (size_t)snprintf(text + used, size - used, "%s%s",
                               used == 0 ? "" : " or ", row->name);
}

#define AT(member) offsetof(struct th_config, member)

enum { SEEDED = TH_GENERATE | TH_IMPORT | TH_TRAIN | TH_SOURCE };

static const struct th_option table[] = {
    /* model */
    {"solver", 0, TH_OPT_NAME, AT(solver), NULL, th_option_by_config, NULL,
     TH_NO_LIMITS, th_training_names_solver, "model", TH_TRAIN, true,
     "The algorithm. `thresher solvers` describes all of them"},
    {"sparsity", 's', TH_OPT_INT, AT(sparsity), "K", th_option_by_config,
     "no limit for sift; for omp as many as predict best, unless "
     "{stop-residual} is given; no limit for ssr without {budget}; required "
     "for "
     "exploration, hybrid, rda-ito and dantzig",
     TH_FROM(1), NULL, "model", TH_TRAIN, true,
     "Largest number of attributes in the model"},
    {"budget", 0, TH_OPT_INT, AT(budget), "B", th_option_by_config,
     "for sift min(d, max(128, d/10, 2 s)), and with {select} truth max(64, "
     "d/10, 2 s); for aerr and aelr min(d, 128); all for ssr; required for "
     "exploration, hybrid, rda-ito and dantzig",
     TH_FROM(1), NULL, "model", TH_TRAIN, true,
     "Largest number of attributes that are observed of one example"},
    {"loss", 0, TH_OPT_NAME, AT(loss), NULL, th_option_by_config,
     "auto. It is logistic if the targets have two values and the solver has a "
     "penalty or selects for prediction, and squared otherwise and for ridge",
     TH_NO_LIMITS, th_training_names_loss, "model", TH_TRAIN, true,
     "The loss that is minimised"},
    {"standardize", 0, TH_OPT_FLAG, AT(standardize), NULL, th_option_by_config,
     "yes; no for solvers with a penalty or in a ball", TH_NO_LIMITS, NULL,
     "model", TH_TRAIN, true,
     "Work on attributes with mean 0 and standard deviation 1, or without an "
     "intercept with mean square 1. The model is in the units of the data in "
     "any case"},
    {"intercept", 0, TH_OPT_FLAG, AT(intercept), NULL, th_option_by_config,
     NULL, TH_NO_LIMITS, NULL, "model", TH_TRAIN, true,
     "Fit a constant term. No penalty applies to it"},
    {"refit", 0, TH_OPT_CHOICE, AT(refit), NULL, th_option_by_config, NULL,
     TH_NO_LIMITS, th_training_names_refit, "model", TH_TRAIN, true,
     "End with an exact fit on the support: least squares, or Newton's method "
     "for logistic loss. auto makes this fit where it predicts better, least "
     "squares with the small ridge that the examples suggest"},
    {"select", 0, TH_OPT_CHOICE, AT(select), NULL, th_option_by_config,
     "auto, which is predict if there are enough examples and passes for it",
     TH_NO_LIMITS, th_training_names_select, "model", TH_TRAIN, true,
     "What the run is for. predict ends with the model that best predicts "
     "examples that it has not seen. It compares elastic nets on a list of the "
     "best attributes with the strict support. truth ends with the strict "
     "support, the attributes that stand out beyond doubt"},
    {"start", 0, TH_OPT_TEXT, AT(start.text), "MODEL.h5|LIST",
     th_option_by_config, "none", TH_NO_LIMITS, NULL, "model", TH_TRAIN, true,
     "The support to begin with: a model, or a list of attributes such as "
     "3,17,20. Attributes are numbers counted from 0, or names. Each may have "
     "a coefficient: 3:0.5,17:-2"},
    {"stop-residual", 0, TH_OPT_REAL, AT(greedy.residual), "X",
     th_option_by_config, "no limit", TH_INSIDE(0, 1), NULL, "model", TH_TRAIN,
     true,
     "Choose attributes until the loss has fallen to this share of the loss "
     "without any"},
    {"oracle", 0, TH_OPT_FLAG, AT(greedy.oracle), NULL, th_option_by_config,
     NULL, TH_NO_LIMITS, NULL, "model", TH_TRAIN, true,
     "Fit the true attributes of generated data, and choose none: what the "
     "best "
     "choice would give"},
    {"delta", 0, TH_OPT_REAL, AT(greedy.delta), "D", th_option_by_config, NULL,
     TH_INSIDE(0, 1), NULL, "model", TH_TRAIN, true,
     "With probability 1 - 2 D all attributes of the model are true"},
    {"mu", 0, TH_OPT_REAL, AT(greedy.mu), "M", th_option_by_config,
     "what the generator of the data knows, else 0.5", TH_FRACTION, NULL,
     "model", TH_TRAIN, true,
     "Irrepresentable constant of the true attributes: how well they explain "
     "one of the others, at most. 0 where attributes are independent. Where it "
     "is not known, the guarantee is given as a condition"},
    {"rho", 0, TH_OPT_REAL, AT(greedy.rho), "R", th_option_by_config,
     "what the generator of the data knows, else the smallest variance of an "
     "attribute",
     TH_ABOVE(0), NULL, "model", TH_TRAIN, true,
     "Smallest eigenvalue of the covariance of the true attributes, or less, "
     "in the units that the solver works in. The bound on the coefficients "
     "that are left rests on it"},
    {"smoothness", 0, TH_OPT_REAL, AT(greedy.smoothness), "L",
     th_option_by_config,
     "what the generator of the data knows, else the largest variance of an "
     "attribute",
     TH_ABOVE(0), NULL, "model", TH_TRAIN, true,
     "Largest eigenvalue of the covariance of the true attributes, or more, in "
     "the units that the solver works in"},
    {"bound", 0, TH_OPT_REAL, AT(greedy.bound), "M", th_option_by_config,
     "by the statistics of the import", TH_ABOVE(0), NULL, "model", TH_TRAIN,
     true,
     "Largest magnitude of a value, in the units that the solver works in"},
    {"stop-below", 0, TH_OPT_REAL, AT(greedy.stop_below), "X",
     th_option_by_config, "no limit", TH_ABOVE(0), NULL, "model", TH_TRAIN,
     true,
     "Stop once the root mean square of the true coefficients that are left is "
     "below X for certain, in the units of the data. It needs {mu}, {rho} and "
     "{smoothness}, or data of {generate} oomp"},
    {"optim", 0, TH_OPT_CHOICE, AT(greedy.optim), NULL, th_option_by_config,
     NULL, TH_NO_LIMITS, th_training_names_optim, "model", TH_TRAIN, true,
     "How the selected attributes are fitted before the next ones are "
     "selected: least squares, or averaged stochastic gradient descent as in "
     "the paper, which needs more examples"},
    {"constants", 0, TH_OPT_CHOICE, AT(greedy.constants), NULL,
     th_option_by_config, NULL, TH_NO_LIMITS, th_training_names_constants,
     "model", TH_TRAIN, true,
     "How many steps this descent makes: theory is proven, practical is that "
     "divided by 42,000"},
    {"max-examples", 0, TH_OPT_INT, AT(greedy.max_examples), "N",
     th_option_by_config, "no limit", TH_FROM(1), NULL, "schedule", TH_TRAIN,
     true, "Stop after so many examples"},
    {"max-attributes", 0, TH_OPT_INT, AT(greedy.max_attributes), "N",
     th_option_by_config, "no limit", TH_FROM(1), NULL, "schedule", TH_TRAIN,
     true, "Stop once so many attributes have been observed of all examples"},
    {"moments", 0, TH_OPT_CHOICE, AT(ball.moments), NULL, th_option_by_config,
     NULL, TH_NO_LIMITS, th_training_names_moments, "model", TH_TRAIN, true,
     "Attributes are drawn by their second moments. two-phase estimates these "
     "in the first tenth of the run, known takes those of the import, and "
     "uniform draws all attributes alike"},
    {"inner", 0, TH_OPT_CHOICE, AT(ball.inner), NULL, th_option_by_config, NULL,
     TH_NO_LIMITS, th_training_names_inner, "model", TH_TRAIN, true,
     "How the attributes of an inner product are drawn. improved also goes by "
     "their second moments, plain by the coefficients alone"},
    {"radius", 0, TH_OPT_REAL, AT(ball.radius), "B", th_option_by_config,
     "chosen by the mean squares of targets and attributes; no ball for lasso",
     TH_ABOVE(0), NULL, "model", TH_TRAIN, true,
     "Radius of the ball that holds the coefficients: of the l2 norm for aerr "
     "and ogd-ridge, of the l1 norm for aelr and eg-lasso. lasso then finds "
     "the "
     "lambda at which its penalty, such as the l1 norm, has this value. The "
     "units are those of the attributes as the solver sees them"},
    {"penalty", 0, TH_OPT_NAME, AT(penalty), NULL, th_option_by_config, NULL,
     TH_NO_LIMITS, th_training_names_penalty, "model", TH_TRAIN, true,
     "The penalty Omega. The solver minimises the mean loss + lambda "
     "Omega(coefficients)"},
    {"groups", 0, TH_OPT_TEXT, AT(group.file), "FILE", th_option_by_config,
     "none; for penalties of groups the groups of the data set", TH_NO_LIMITS,
     NULL, "model", TH_TRAIN | TH_IMPORT, false,
     "File with groups of attributes, one group on a line: attributes, counted "
     "from 0, ranges a-b, and weight=W. The default weight is 1 for l1, and "
     "otherwise the square root of the group's size"},
    {"mix", 0, TH_OPT_REAL, AT(group.mix), "A", th_option_by_config, NULL,
     TH_INSIDE(0, 1), NULL, "model", TH_TRAIN, true,
     "For sparse-group only: the share A of the l1 norm in the penalty A norm1 "
     "+ (1 - A) group norm"},
    {"lambda", 0, TH_OPT_REAL, AT(lambda), "X", th_option_by_config,
     "lambda_max times {lambda-ratio}; chosen by the data for rda-ito, dantzig "
     "and ssr",
     TH_ABOVE(0), NULL, "model", TH_TRAIN, true,
     "Weight of the penalty. Of dantzig and ssr it falls with the root of the "
     "examples, and X is that of one example"},
    {"lambda-ratio", 0, TH_OPT_REAL, AT(lambda_ratio), "R", th_option_by_config,
     "0.1, and for ridge 0.001, if neither {lambda} nor {path} is given",
     TH_ABOVE(0), NULL, "model", TH_TRAIN, true,
     "Weight of the penalty as a share of lambda_max, the smallest weight at "
     "which the model is zero. For ridge it is the largest eigenvalue of the "
     "attributes' covariances"},
    {"path", 0, TH_OPT_INT, AT(path), "N", th_option_by_config,
     "one value only", TH_FROM(2), NULL, "model", TH_TRAIN, true,
     "Solve for N values of lambda, which fall from lambda_max in equal "
     "ratios. The model is that of the last one"},
    {"path-min", 0, TH_OPT_REAL, AT(path_min), "R", th_option_by_config, NULL,
     TH_INSIDE(0, 1), NULL, "model", TH_TRAIN, true,
     "The last lambda of {path}, as a share of lambda_max"},
    {"factor", 0, TH_OPT_CHOICE, AT(factoring), NULL, th_option_by_config,
     "auto, which is own up to 2048 attributes, scalapack up to 20000, and cg "
     "beyond",
     TH_NO_LIMITS, th_training_names_factoring, "model", TH_TRAIN, true,
     "How ridge solves its system: on one rank by a Cholesky factor, on all "
     "ranks by that of ScaLAPACK, whose bits depend on the ranks, or by "
     "conjugate gradients, which need no matrix"},
    /* schedule */
    {"passes", 0, TH_OPT_INT, AT(passes), "P", th_option_by_config,
     "1 with {source}. Otherwise enough passes to learn something about every "
     "attribute, and one or more for the end. For exploitation 1 if that is "
     "enough, or 20. For rda-ito, dantzig and ssr 1. For solvers in a ball "
     "such that each attribute of an "
     "example is observed 4 times, at most 20",
     TH_FROM(1), NULL, "schedule", TH_TRAIN, true,
     "Largest number of passes over the training examples"},
    {"validation", 0, TH_OPT_REAL, AT(validation), "FRACTION",
     th_option_by_config,
     "0.1 where hybrid, exploration and solvers in a ball stop early. With "
     "{select} predict a "
     "fifth of the examples that choose the model; small data are "
     "cross-validated. For omp without {sparsity} 0.1 of many examples, and "
     "else 0, which makes five folds",
     TH_FRACTION, NULL, "schedule", TH_TRAIN, true,
     "Share of the training examples that is held out, to choose a model or to "
     "stop by"},
    {"eta", 0, TH_OPT_REAL, AT(eta), "X", th_option_by_config,
     "chosen by the curvature of the loss; in a ball see {adagrad}; for "
     "rda-ito "
     "and ssr by what is observed",
     TH_ABOVE(0), th_training_names_eta, "schedule", TH_TRAIN, true,
     "Step size. theory is for solvers in a ball: the size that is proved, "
     "with "
     "data scaled to a mean square of 1"},
    {"step-factor", 0, TH_OPT_REAL, AT(ball.step_factor), "F",
     th_option_by_config,
     "by {adagrad}, such as 0.1 with norm for aerr and 0.25 for aelr",
     TH_ABOVE(0), NULL, "schedule", TH_TRAIN, true,
     "Factor of the step size that a rule gives"},
    {"adagrad", 0, TH_OPT_CHOICE, AT(ball.adagrad), NULL, th_option_by_config,
     "auto, which is norm unless {eta} is given", TH_NO_LIMITS,
     th_training_names_adagrad, "schedule", TH_TRAIN, true,
     "Steps that shrink as gradients add up: by the norm of all, or coordinate "
     "by coordinate, which can end beside the minimum if the ball binds. none "
     "takes the size that is proved, times {step-factor}"},
    {"batch-explore", 0, TH_OPT_INT, AT(rounds.batch_explore), "B",
     th_option_by_config, "chosen by the solver", TH_FROM(1), NULL, "schedule",
     TH_TRAIN, true, "Examples of a block in the first update of exploration"},
    {"batch-exploit", 0, TH_OPT_INT, AT(rounds.batch_exploit), "B",
     th_option_by_config, "chosen by the solver", TH_FROM(1), NULL, "schedule",
     TH_TRAIN, true, "Examples in the first update of exploitation"},
    {"updates-explore", 0, TH_OPT_INT, AT(rounds.updates_explore), "T",
     th_option_by_config, "chosen by the solver", TH_FROM(1), NULL, "schedule",
     TH_TRAIN, true, "Updates of exploration in a round"},
    {"updates-exploit", 0, TH_OPT_INT, AT(rounds.updates_exploit), "T",
     th_option_by_config, "chosen by the solver", TH_FROM(1), NULL, "schedule",
     TH_TRAIN, true, "Updates of exploitation in a round"},
    {"growth", 0, TH_OPT_REAL, AT(rounds.growth), "G", th_option_by_config,
     "chosen by the solver", TH_FROM(1), NULL, "schedule", TH_TRAIN, true,
     "Factor by which batches grow from round to round, and the examples from "
     "epoch to epoch of dantzig"},
    {"rounds", 0, TH_OPT_INT, AT(rounds.most), "K", th_option_by_config,
     "no limit", TH_FROM(1), NULL, "schedule", TH_TRAIN, true,
     "Largest number of rounds"},
    {"shared-support", 0, TH_OPT_FLAG, AT(rounds.shared_support), NULL,
     th_option_by_config, NULL, TH_NO_LIMITS, NULL, "schedule", TH_TRAIN, true,
     "Use all examples of an exploration update for the coefficients of the "
     "support"},
    {"epochs", 0, TH_OPT_INT, AT(epochs), "E", th_option_by_config, "1000",
     TH_FROM(1), NULL, "schedule", TH_TRAIN, true,
     "Largest number of passes over the training examples, for each lambda"},
    {"batch", 0, TH_OPT_INT, AT(batch), "B", th_option_by_config,
     "1; for solvers in a ball such that there are 1000 steps, at most 256; "
     "for "
     "rda-ito and ssr with {budget} the same, at most 64",
     TH_FROM(1), NULL, "schedule", TH_TRAIN, true,
     "Number of examples in a step"},
    {"tolerance", 0, TH_OPT_REAL, AT(tolerance), "GAP", th_option_by_config,
     "1e-9 of the objective of the zero model", TH_ABOVE(0), NULL, "schedule",
     TH_TRAIN, true,
     "Stop at this duality gap, or where double precision does not allow a "
     "smaller one"},
    {"screen", 0, TH_OPT_CHOICE, AT(screening.how), NULL, th_option_by_config,
     "auto, which depends on the solver", TH_NO_LIMITS,
     th_training_names_screen, "schedule", TH_TRAIN, true,
     "How useless attributes are found and dropped"},
    {"screen-rule", 0, TH_OPT_CHOICE, AT(screening.rule), NULL,
     th_option_by_config, NULL, TH_NO_LIMITS, th_training_names_screen_rule,
     "schedule", TH_TRAIN, true,
     "The rule of screening. proj is proved to be safe; with gap-safe "
     "screening it also judges by a refined point. paper is the rule as "
     "printed. votes is for online "
     "screening only; it is a heuristic that loses attributes until checks "
     "bring them back"},
    {"screen-exponent", 0, TH_OPT_REAL, AT(screening.exponent), "W",
     th_option_by_config, NULL, TH_BETWEEN(0.5, 1), NULL, "schedule", TH_TRAIN,
     true,
     "For online screening only: examples have the weight t^-W. A smaller W "
     "forgets faster and drops more"},
    {"screen-every", 0, TH_OPT_INT, AT(screening.every), "T",
     th_option_by_config,
     "four epochs; for online screening chosen by the number of examples",
     TH_FROM(1), NULL, "schedule", TH_TRAIN, true,
     "Number of steps between two screenings"},
    {"confidence", 0, TH_OPT_REAL, AT(confidence), "P", th_option_by_config,
     NULL, TH_INSIDE(0, 1), NULL, "schedule", TH_TRAIN | TH_VERIFY, true,
     "Some statements about all examples are derived from a part of them. Each "
     "holds with this probability"},
    {"seed", 0, TH_OPT_INT, AT(seed), "N", th_option_by_config, NULL,
     TH_FROM(0), NULL, "run", SEEDED, true, "Seed of all random numbers"},
};

enum { COUNT = sizeof table / sizeof *table };
_Static_assert(COUNT <= (int)TH_TRAINING_OPTIONS_MOST, "one byte per row");

int th_training_options_count(void)
{
  return COUNT;
}

const struct th_option *th_training_options_row(int k)
{
  return &table[k];
}

int th_training_options_find(const char *name)
{
  return (int)TH_SEARCH_NAME(table, name);
}
