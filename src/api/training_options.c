/* training_options.c - the options of training: names, ranges, help
 * SPDX-License-Identifier: MIT */
#include "api/training_options.h"

#include "base/search.h"
#include "math/loss.h"
#include "math/penalty.h"
#include "solvers/config.h"
#include "solvers/solver_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* --- The names of what options choose from -------------------------------- */

static const char *names_of_solver(int64_t k)
{
  return th_solver_table()[k].name;
}

static const char *names_of_loss(int64_t k)
{
  return k == 0 ? "auto" : th_loss_table()[k - 1].name;
}

static const char *names_of_refit(int64_t k)
{
  static const char *const names[TH_REFIT_COUNT + 1] = {
      [TH_REFIT_NO] = "no", [TH_REFIT_YES] = "yes", [TH_REFIT_AUTO] = "auto"};
  return names[k];
}

static const char *names_of_select(int64_t k)
{
  static const char *const names[TH_SELECT_COUNT + 1] = {
      [TH_SELECT_AUTO] = "auto",
      [TH_SELECT_PREDICT] = "predict",
      [TH_SELECT_TRUTH] = "truth"};
  return names[k];
}

static const char *names_of_choose(int64_t k)
{
  static const char *const names[TH_CHOOSE_COUNT + 1] = {
      [TH_CHOOSE_BEST] = "best",
      [TH_CHOOSE_1SE] = "1se",
      [TH_CHOOSE_LAST] = "last"};
  return names[k];
}

static const char *names_of_penalty(int64_t k)
{
  return th_penalty_table()[k].name;
}

const char *th_training_options_screen(int64_t k)
{
  static const char *const names[TH_SCREEN_COUNT + 1] = {
      [TH_SCREEN_AUTO] = "auto",
      [TH_SCREEN_NONE] = "none",
      [TH_SCREEN_GAP_SAFE] = "gap-safe",
      [TH_SCREEN_ONLINE] = "online"};
  return names[k];
}

const char *th_training_options_factoring(int64_t k)
{
  static const char *const names[TH_FACTORING_COUNT + 1] = {
      [TH_FACTORING_AUTO] = "auto",
      [TH_FACTORING_OWN] = "own",
      [TH_FACTORING_SCALAPACK] = "scalapack",
      [TH_FACTORING_CG] = "cg"};
  return names[k];
}

static const char *names_of_screen_rule(int64_t k)
{
  static const char *const names[TH_RULE_COUNT + 1] = {
      [TH_RULE_PROJ] = "proj",
      [TH_RULE_PAPER] = "paper",
      [TH_RULE_VOTES] = "votes"};
  return names[k];
}

static const char *names_of_draws(int64_t k)
{
  static const char *const names[TH_DRAWS_COUNT + 1] = {
      [TH_DRAWS_LEFT] = "left", [TH_DRAWS_ALL] = "all"};
  return names[k];
}

static const char *names_of_eta(int64_t k)
{
  static const char *const names[] = {"theory", NULL};
  return names[k];
}

static const char *names_of_steps(int64_t k)
{
  static const char *const names[TH_STEPS_COUNT + 1] = {
      [TH_STEPS_EPOCHS] = "epochs", [TH_STEPS_PAPER] = "paper"};
  return names[k];
}

static const char *names_of_moments(int64_t k)
{
  static const char *const names[TH_MOMENTS_COUNT + 1] = {
      [TH_MOMENTS_AUTO] = "auto",
      [TH_MOMENTS_TWO_PHASE] = "two-phase",
      [TH_MOMENTS_UNIFORM] = "uniform",
      [TH_MOMENTS_KNOWN] = "known",
      [TH_MOMENTS_NORM] = "norm"};
  return names[k];
}

static const char *names_of_oracle(int64_t k)
{
  static const char *const names[TH_ORACLE_COUNT + 1] = {
      [TH_ORACLE_NO] = "no", [TH_ORACLE_FIT] = "fit", [TH_ORACLE_OMP] = "omp"};
  return names[k];
}

static const char *names_of_adagrad(int64_t k)
{
  static const char *const names[TH_ADAGRAD_COUNT + 1] = {
      [TH_ADAGRAD_AUTO] = "auto",
      [TH_ADAGRAD_NONE] = "none",
      [TH_ADAGRAD_NORM] = "norm",
      [TH_ADAGRAD_COORDINATE] = "coordinate"};
  return names[k];
}

static const char *names_of_inner(int64_t k)
{
  static const char *const names[TH_INNER_COUNT + 1] = {
      [TH_INNER_IMPROVED] = "improved", [TH_INNER_PLAIN] = "plain"};
  return names[k];
}

static const char *names_of_optim(int64_t k)
{
  static const char *const names[TH_OPTIM_COUNT + 1] = {
      [TH_OPTIM_SQUARES] = "ls", [TH_OPTIM_DESCENT] = "asgd"};
  return names[k];
}

static const char *names_of_constants(int64_t k)
{
  static const char *const names[TH_CONSTANTS_COUNT + 1] = {
      [TH_CONSTANTS_PRACTICAL] = "practical", [TH_CONSTANTS_THEORY] = "theory"};
  return names[k];
}

/* --- Which options a solver uses ------------------------------------------ */

static bool lists(const struct th_solver_row *row, const char *option)
{
  const char *const *options = th_solver_options(row);
  return th_search_name(options, sizeof *options, SIZE_MAX, option) >= 0;
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

/* The names of the solvers that list an option, "a or b". Local. */
static void solver_users(const char *option, char *text, size_t size)
{
  size_t used = 0;
  text[0] = '\0';
  for (const struct th_solver_row *row = th_solver_table();
       row->name != NULL && used < size; row++)
    if (lists(row, option))
      used += (size_t)snprintf(text + used, size - used, "%s%s",
                               used == 0 ? "" : " or ", row->name);
}

/* --- The table ------------------------------------------------------------ */

#define AT(member) offsetof(struct th_config, member)

enum { SEEDED = TH_GENERATE | TH_IMPORT | TH_TRAIN | TH_SOURCE };

static const struct th_option table[] = {
    /* model */
    {"solver", 0, TH_OPT_NAME, AT(solver), NULL, th_option_by_config, NULL,
     TH_NO_LIMITS, names_of_solver, "model", TH_TRAIN, true,
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
     TH_NO_LIMITS, names_of_loss, "model", TH_TRAIN, true,
     "The loss that is minimised"},
    {"loss-scale", 0, TH_OPT_REAL, AT(scaled.scale), "G", th_option_by_config,
     "a tenth of the distance between the quartiles of the targets",
     TH_ABOVE(0), NULL, "model", TH_TRAIN, true,
     "Of the losses huber and quantile, in units of the target. An error "
     "beyond G counts linearly with huber. The loss quantile is a parabola in "
     "place of its corner, within an interval of length G about a target"},
    {"quantile", 0, TH_OPT_REAL, AT(scaled.quantile), "T", th_option_by_config,
     NULL, TH_INSIDE(0, 1), NULL, "model", TH_TRAIN, true,
     "For {loss} quantile: the quantile that is predicted, 0.5 for the "
     "median"},
    {"standardize", 0, TH_OPT_FLAG, AT(standardize), NULL, th_option_by_config,
     "yes", TH_NO_LIMITS, NULL, "model", TH_TRAIN, true,
     "Work on attributes with mean 0 and standard deviation 1, or without an "
     "intercept with mean square 1. The model is in the units of the data in "
     "any case"},
    {"intercept", 0, TH_OPT_FLAG, AT(intercept), NULL, th_option_by_config,
     NULL, TH_NO_LIMITS, NULL, "model", TH_TRAIN, true,
     "Fit a constant term. No penalty applies to it"},
    {"refit", 0, TH_OPT_CHOICE, AT(refit), NULL, th_option_by_config, NULL,
     TH_NO_LIMITS, names_of_refit, "model", TH_TRAIN, true,
     "End with an exact fit on the support: least squares, or Newton's method "
     "for logistic loss. auto makes this fit where it predicts better, least "
     "squares with the small ridge that the examples suggest"},
    {"select", 0, TH_OPT_CHOICE, AT(select), NULL, th_option_by_config,
     "auto, which is predict if there are enough examples and passes for it",
     TH_NO_LIMITS, names_of_select, "model", TH_TRAIN, true,
     "What the run is for. predict ends with the model that best predicts "
     "examples that it has not seen. It compares elastic nets on a list of the "
     "best attributes with the strict support. truth ends with the strict "
     "support, the attributes that stand out beyond doubt"},
    {"start", 0, TH_OPT_TEXT, AT(start.text), "MODEL.h5|LIST",
     th_option_by_config, "none", TH_NO_LIMITS, NULL, "model", TH_TRAIN, true,
     "The support to begin with: a model, or a list of attributes such as "
     "3,17,20. Attributes are numbers counted from 0, or names, also where "
     "these are indices. Each or none has a coefficient: 3:0.5,17:-2. "
     "exploration and hybrid begin with the largest of them, as many as the "
     "model may have"},
    {"stop-residual", 0, TH_OPT_REAL, AT(greedy.residual), "X",
     th_option_by_config, "no limit", TH_INSIDE(0, 1), NULL, "model", TH_TRAIN,
     true,
     "Choose attributes until the loss has fallen to this share of the loss "
     "without any"},
    {"stop-correlation", 0, TH_OPT_REAL, AT(greedy.correlation), "X",
     th_option_by_config, "no limit", TH_ABOVE(0), NULL, "model", TH_TRAIN,
     true,
     "Choose attributes until the mean over the examples of an attribute times "
     "the residual is below X for all others: eta of the paper over the number "
     "of examples. The attributes are those that the solver works on"},
    {"oracle", 0, TH_OPT_CHOICE, AT(greedy.oracle), NULL, th_option_by_config,
     NULL, TH_NO_LIMITS, names_of_oracle, "model", TH_TRAIN, true,
     "What to do with the true attributes of generated data. fit takes all of "
     "them, and chooses none: what the best choice would give. omp chooses "
     "among them alone, which shows in what order they come"},
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
     NULL, TH_NO_LIMITS, names_of_optim, "model", TH_TRAIN, true,
     "How the selected attributes are fitted before the next ones are "
     "selected: least squares, or averaged stochastic gradient descent as in "
     "the paper, which needs more examples"},
    {"constants", 0, TH_OPT_CHOICE, AT(greedy.constants), NULL,
     th_option_by_config, NULL, TH_NO_LIMITS, names_of_constants, "model",
     TH_TRAIN, true,
     "How many steps this descent makes: theory is proven, practical is that "
     "divided by 42,000"},
    {"max-examples", 0, TH_OPT_INT, AT(greedy.max_examples), "N",
     th_option_by_config, "no limit", TH_FROM(1), NULL, "schedule", TH_TRAIN,
     true, "Stop after so many examples"},
    {"max-attributes", 0, TH_OPT_INT, AT(greedy.max_attributes), "N",
     th_option_by_config, "no limit", TH_FROM(1), NULL, "schedule", TH_TRAIN,
     true, "Stop once so many attributes have been observed of all examples"},
    {"moments", 0, TH_OPT_CHOICE, AT(ball.moments), NULL, th_option_by_config,
     "auto: uniform with {standardize}, which makes them equal, or else "
     "two-phase",
     TH_NO_LIMITS, names_of_moments, "model", TH_TRAIN, true,
     "Attributes are drawn by their second moments. two-phase estimates these "
     "in the first tenth of the run, known takes those of the import, and "
     "uniform draws all attributes alike. norm is two-phase where "
     "{moment-norm} is known, by which proved steps go; it is for aerr"},
    {"moment-norm", 0, TH_OPT_REAL, AT(ball.moment_norm), "X",
     th_option_by_config, "not known", TH_ABOVE(0), NULL, "model", TH_TRAIN,
     true,
     "The norm of the attributes' second moments, for {moments} norm: the "
     "square of the sum of their roots, in the units of the data. Steps that "
     "are proved ({eta} theory, or {adagrad} none) go by it in the second "
     "phase; others do not"},
    {"inner", 0, TH_OPT_CHOICE, AT(ball.inner), NULL, th_option_by_config, NULL,
     TH_NO_LIMITS, names_of_inner, "model", TH_TRAIN, true,
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
     TH_NO_LIMITS, names_of_penalty, "model", TH_TRAIN, true,
     "The penalty Omega. The solver minimises the mean loss + lambda "
     "Omega(coefficients)"},
    {"groups", 0, TH_OPT_TEXT, AT(group.file), "FILE", th_option_by_config,
     "none; for penalties of groups the groups of the data set", TH_NO_LIMITS,
     NULL, "model", TH_TRAIN | TH_IMPORT, false,
     "File with groups of attributes, one group on a line: attributes, counted "
     "from 0 or by the indices they are called by, ranges a-b, and weight=W. "
     "The default weight is 1 for l1, and "
     "otherwise the square root of the group's size"},
    {"penalty-weights", 0, TH_OPT_TEXT, AT(group.weights), "FILE",
     th_option_by_config, "none", TH_NO_LIMITS, NULL, "model", TH_TRAIN, false,
     "File with factors of the penalty, for l1 and elastic-net: on each line "
     "an "
     "attribute, by its name or counted from 0, and its factor. 0 is for no "
     "penalty at all, as {unpenalised}. Other attributes have the factor 1; "
     "factors are taken as they are, where glmnet gives them a mean of 1"},
    {"unpenalised", 0, TH_OPT_TEXT, AT(group.exempt.text), "LIST",
     th_option_by_config, "none", TH_NO_LIMITS, NULL, "model", TH_TRAIN, true,
     "Attributes without a penalty, such as covariates: numbers counted from 0 "
     "or names, with commas between them. They are fitted with the intercept, "
     "are never dropped and always observed, and do not count as attributes of "
     "{sparsity}. lambda_max is that after they have been fitted"},
    {"positive", 0, TH_OPT_FLAG, AT(group.positive), NULL, th_option_by_config,
     NULL, TH_NO_LIMITS, NULL, "model", TH_TRAIN, true,
     "No coefficient of an attribute with a penalty is below 0: {lower} 0"},
    {"lower", 0, TH_OPT_TEXT, AT(group.lower.text), "X|FILE",
     th_option_by_config, "none", TH_NO_LIMITS, NULL, "model", TH_TRAIN, true,
     "Least coefficient, 0 or below, in the units of the data: a number for "
     "all attributes with a penalty, or a file with an attribute and its bound "
     "on each line; others have none"},
    {"upper", 0, TH_OPT_TEXT, AT(group.upper.text), "X|FILE",
     th_option_by_config, "none", TH_NO_LIMITS, NULL, "model", TH_TRAIN, true,
     "Largest coefficient, 0 or above, as {lower}"},
    {"mix", 0, TH_OPT_REAL, AT(group.mix), "A", th_option_by_config, NULL,
     TH_SHARE, NULL, "model", TH_TRAIN, true,
     "For sparse-group and elastic-net: the share A of the l1 norm in the "
     "penalty A norm1 + (1 - A) group norm, or A norm1 + (1 - A)/2 norm2^2, "
     "where A is glmnet's alpha"},
    {"lambda", 0, TH_OPT_REAL, AT(lambda), "X", th_option_by_config,
     "lambda_max times {lambda-ratio}; chosen by the data for rda-ito, dantzig "
     "and ssr",
     TH_ABOVE(0), NULL, "model", TH_TRAIN, true,
     "Weight of the penalty. Of dantzig and ssr it falls with the root of the "
     "examples, and X is that of one example"},
    {"lambda-ratio", 0, TH_OPT_REAL, AT(lambda_ratio), "R", th_option_by_config,
     "0.1, and for ridge 0.001, if neither {lambda} nor {path} is given; lasso "
     "chooses on a {path}",
     TH_ABOVE(0), NULL, "model", TH_TRAIN, true,
     "Weight of the penalty as a share of lambda_max, the smallest weight at "
     "which the model is zero. For ridge it is the largest eigenvalue of the "
     "attributes' covariances"},
    {"path", 0, TH_OPT_INT, AT(path), "N", th_option_by_config,
     "one value only; for lasso 100 unless {lambda}, {lambda-ratio} or "
     "{radius} is given",
     TH_FROM(2), NULL, "model", TH_TRAIN, true,
     "Solve for N values of lambda, which fall from lambda_max in equal "
     "ratios. lasso chooses one of them by examples that are held out, and "
     "keeps all models; it ends the path early as glmnet does, once 0.999 of "
     "the loss is explained or nothing is gained. Of other solvers the model "
     "is that of the last one"},
    {"path-min", 0, TH_OPT_REAL, AT(choice.path_min), "R", th_option_by_config,
     "0.01; 0.0001 where lambda is chosen and there are more examples than "
     "attributes; with huber and quantile 0.05, and 0.001 where there are more "
     "examples",
     TH_INSIDE(0, 1), NULL, "model", TH_TRAIN, true,
     "The last lambda of {path}, as a share of lambda_max"},
    {"folds", 0, TH_OPT_INT, AT(choice.folds), "K", th_option_by_config,
     "5; from 5,000 examples on a fifth of them is held out, once",
     TH_BETWEEN(2, 100), NULL, "model", TH_TRAIN, true,
     "Choose lambda by cross-validation: K parts of the examples are held out, "
     "one after the other. They are random, with as many of each label; equal "
     "examples share one"},
    {"folds-by", 0, TH_OPT_TEXT, AT(choice.together.text), "COLUMN",
     th_option_by_config, "no column", TH_NO_LIMITS, NULL, "model",
     TH_TRAIN | TH_VERIFY, true,
     "Examples with the same value of a column stay in one fold: families, "
     "patients, sites. An attribute by its name or number, a column of words, "
     "the IDs (ID, or FID alone), or a column of the table of {targets}; or "
     "TABLE:COLUMN, whose rows are found by ID. What is held out are whole "
     "groups, in folds as even as these allow; where there are fewer groups "
     "than usual folds, each is one. The column stays an attribute if it is "
     "one"},
    {"choose", 0, TH_OPT_CHOICE, AT(choice.how), NULL, th_option_by_config,
     NULL, TH_NO_LIMITS, names_of_choose, "model", TH_TRAIN, true,
     "Which lambda of {path} to take: best predicts held-out examples best, "
     "1se is the largest whose loss is within a standard error of that. last "
     "holds nothing out: the model is that of the last lambda, and no other is "
     "kept"},
    {"factor", 0, TH_OPT_CHOICE, AT(method.factoring), NULL,
     th_option_by_config,
     "auto, which is own up to 2048 attributes, scalapack up to 20000, and cg "
     "beyond",
     TH_NO_LIMITS, th_training_options_factoring, "model", TH_TRAIN, true,
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
     TH_ABOVE(0), names_of_eta, "schedule", TH_TRAIN, true,
     "Step size. theory is for solvers in a ball: the size that is proved, "
     "with "
     "data scaled to a mean square of 1"},
    {"steps", 0, TH_OPT_CHOICE, AT(method.steps), NULL, th_option_by_config,
     NULL, TH_NO_LIMITS, names_of_steps, "schedule", TH_TRAIN, true,
     "How steps shrink. epochs: by the power 0.55 of the half epochs; paper: "
     "by "
     "the n t^0.51 of Liang & Poon, which hardly moves where n is large"},
    {"step-factor", 0, TH_OPT_REAL, AT(ball.step_factor), "F",
     th_option_by_config,
     "by {adagrad}, such as 0.1 with norm for aerr and 0.25 for aelr",
     TH_ABOVE(0), NULL, "schedule", TH_TRAIN, true,
     "Factor of the step size that a rule gives"},
    {"adagrad", 0, TH_OPT_CHOICE, AT(ball.adagrad), NULL, th_option_by_config,
     "auto, which is norm unless {eta} is given", TH_NO_LIMITS,
     names_of_adagrad, "schedule", TH_TRAIN, true,
     "Steps that shrink as gradients add up: by the norm of all, or coordinate "
     "by coordinate, which can end beside the minimum if the ball binds. none "
     "takes the size that is proved, times {step-factor}"},
    {"batch-explore", 0, TH_OPT_ROWS, AT(rounds.batch_explore), "B,...",
     th_option_by_config, "chosen by the solver", TH_FROM(1), NULL, "schedule",
     TH_TRAIN, true,
     "Examples of a block in an update of exploration, in the first round and "
     "those behind it. From the last number on they grow by {growth}"},
    {"batch-exploit", 0, TH_OPT_ROWS, AT(rounds.batch_exploit), "B,...",
     th_option_by_config, "chosen by the solver", TH_FROM(1), NULL, "schedule",
     TH_TRAIN, true,
     "Examples in an update of exploitation, as {batch-explore}"},
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
     th_training_options_screen, "schedule", TH_TRAIN, true,
     "How useless attributes are found and dropped"},
    {"screen-rule", 0, TH_OPT_CHOICE, AT(screening.rule), NULL,
     th_option_by_config, NULL, TH_NO_LIMITS, names_of_screen_rule, "schedule",
     TH_TRAIN, true,
     "The rule of screening. proj is proved to be safe; with gap-safe "
     "screening it also judges by a refined point. paper is the rule as "
     "printed. votes is for online "
     "screening only; it is a heuristic that loses attributes until checks "
     "bring them back"},
    {"screen-draws", 0, TH_OPT_CHOICE, AT(screening.draws), NULL,
     th_option_by_config, NULL, TH_NO_LIMITS, names_of_draws, "schedule",
     TH_TRAIN, true,
     "What is read of examples for steps: the attributes that are left, or "
     "all, "
     "also those that have been dropped. It shows what screening saves in "
     "reading; steps are the same"},
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

/* --- Options that would have no effect, or that need another one ---------- */

/* Attributes without a penalty are for most solvers. */
static th_status refuse_exempt(const char *solver, struct th_error *err)
{
  return th_fail(err, TH_EUSAGE,
                 "solver %s has no attributes without a penalty: %s; leave "
                 "{unpenalised} out, or use another solver, such as lasso, "
                 "hybrid or omp",
                 solver, th_solver_find(solver)->why_all);
}

/* An option that the solver does not use is refused, not ignored. */
static th_status check_solver(const struct th_config *config,
                              const unsigned char *given, struct th_error *err)
{
  for (int k = 0; k < th_training_options_count(); k++) {
    const char *name = th_training_options_row(k)->name;
    char users[128];
    if (given[k] == TH_NOT_GIVEN ||
        th_training_options_solver_uses(config->solver, name))
      continue;
    if (strcmp(name, "unpenalised") == 0)
      return refuse_exempt(config->solver, err);
    solver_users(name, users, sizeof users);
    return th_fail(err, TH_EUSAGE,
                   "solver %s does not use {%s}; leave it out, or use solver "
                   "%s",
                   config->solver, name, users);
  }
  return TH_OK;
}

static bool chooses(const struct th_config *config)
{
  return th_solver_find(config->solver)->chooses && !(config->lambda > 0) &&
         !(config->lambda_ratio > 0) && !(config->ball.radius > 0);
}

static bool has_path(const struct th_config *config)
{
  return config->path > 0 || chooses(config);
}

static bool holds_out(const struct th_config *config)
{
  return chooses(config) && config->choice.how != TH_CHOOSE_LAST;
}

/* Solvers that have folds without a path hold groups out anyhow. */
static bool holds_groups(const struct th_config *config)
{
  return !th_solver_find(config->solver)->chooses || holds_out(config);
}

static bool predicts(const struct th_config *config)
{
  return config->select != TH_SELECT_TRUTH;
}

static bool has_folds_of_sizes(const struct th_config *config)
{
  return !th_solver_find(config->solver)->selects ||
         (config->sparsity == 0 && !(config->greedy.residual > 0) &&
          !(config->greedy.correlation > 0) && !(config->validation > 0) &&
          config->greedy.oracle == TH_ORACLE_NO);
}

static bool scales(const struct th_config *config)
{
  const struct th_loss *loss = th_loss_find(config->loss);
  return loss != NULL && loss->scaled;
}

static bool has_quantile(const struct th_config *config)
{
  return scales(config) && th_loss_find(config->loss)->by_share;
}

static bool mixes(const struct th_config *config)
{
  const struct th_penalty *penalty = th_penalty_find(config->penalty);
  return penalty != NULL && penalty->mixes;
}

static bool weighs_each(const struct th_config *config)
{
  const struct th_penalty *penalty = th_penalty_find(config->penalty);
  return penalty != NULL && !penalty->grouped && config->group.file == NULL;
}

static enum th_screen screen_of(const struct th_config *config)
{
  return config->screening.how == TH_SCREEN_AUTO
             ? th_solver_find(config->solver)->screen
             : config->screening.how;
}

static bool screens(const struct th_config *config)
{
  return screen_of(config) != TH_SCREEN_NONE;
}

static bool screens_online(const struct th_config *config)
{
  return screen_of(config) == TH_SCREEN_ONLINE;
}

static bool descends(const struct th_config *config)
{
  return config->greedy.optim == TH_OPTIM_DESCENT;
}

static bool knows_norm(const struct th_config *config)
{
  return config->ball.moments == TH_MOMENTS_NORM;
}

/* Options that have an effect only with another one. */
static const struct partner {
  const char *option;
  const char *other;
  bool (*there)(const struct th_config *config);
} partners[] = {
    {"path-min", "{path}", has_path},
    {"choose", "{path}, not with {lambda}, {lambda-ratio} or {radius}",
     chooses},
    {"folds", "{path} and {choose} best or 1se", holds_out},
    {"folds-by", "{path} and {choose} best or 1se", holds_groups},
    {"folds-by", "{select} predict", predicts},
    {"folds-by",
     "the folds of omp, which {sparsity}, {stop-residual}, {stop-correlation}, "
     "{oracle} and {validation} take the place of",
     has_folds_of_sizes},
    {"penalty-weights", "{penalty} l1 or elastic-net, and without {groups}",
     weighs_each},
    {"mix", "{penalty} elastic-net or sparse-group", mixes},
    {"loss-scale", "{loss} huber or quantile", scales},
    {"quantile", "{loss} quantile", has_quantile},
    {"screen-rule", "{screen} gap-safe or online", screens},
    {"screen-draws", "{screen} gap-safe or online", screens},
    {"screen-exponent", "{screen} online", screens_online},
    {"confidence", "{screen} online", screens_online},
    {"constants", "{optim} asgd", descends},
    {"moment-norm", "{moments} norm", knows_norm},
};

/* In decks such options are allowed, since the deck of a model lists all
 * options, used or not. */
static th_status check_partners(const struct th_config *config,
                                const unsigned char *given,
                                struct th_error *err)
{
  for (size_t k = 0; k < sizeof partners / sizeof *partners; k++) {
    int row = th_training_options_find(partners[k].option);
    if (given[row] == TH_GIVEN_ON_LINE && !partners[k].there(config))
      return th_fail(err, TH_EUSAGE,
                     "{%s} counts only with %s; leave it out, or give both",
                     partners[k].option, partners[k].other);
  }
  return TH_OK;
}

/* A solver that screens online by itself. */
static const char *online_solver(void)
{
  const struct th_solver_row *row = th_solver_table();
  while (row->name != NULL && row->screen != TH_SCREEN_ONLINE)
    row++;
  return row->name;
}

/* Online screening needs solvers that take examples one by one. Rule votes
 * needs online screening. */
static th_status check_online_rule(const struct th_config *config,
                                   struct th_error *err)
{
  const struct th_solver_row *row = th_solver_find(config->solver);
  bool online = screen_of(config) == TH_SCREEN_ONLINE;
  if (config->screening.rule == TH_RULE_VOTES && row->by_examples && !online)
    return th_fail(err, TH_EUSAGE,
                   "{screen-rule} votes counts only with {screen} "
                   "online; leave the rule out, or give {screen} online too");
  if (config->screening.how != TH_SCREEN_ONLINE || row->screenings != NULL)
    return TH_OK;
  return th_fail(err, TH_EUSAGE,
                 "solver %s cannot {screen} online; leave it out, or "
                 "use solver %s",
                 row->name, online_solver());
}

/* Local. */
static th_status check_theory(const struct th_config *config,
                              struct th_error *err)
{
  if (config->eta != TH_ETA_THEORY ||
      th_solver_find(config->solver)->ball != NULL)
    return TH_OK;
  return th_fail(err, TH_EUSAGE,
                 "solver %s has no {eta} theory; give a number, or leave {eta} "
                 "out",
                 config->solver);
}

th_status th_training_options_check(const struct th_config *config,
                                    const unsigned char *given,
                                    struct th_error *err)
{
  th_status rc;
  TH_TRY(check_solver(config, given, err));
  TH_TRY(check_partners(config, given, err));
  TH_TRY(check_online_rule(config, err));
  TH_TRY(check_theory(config, err));
  TH_TRY(th_solver_check_needs(config, config->start.text != NULL, err));
done:
  return rc;
}
