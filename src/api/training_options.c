/* training_options.c - the options of training: names, ranges, help
 * SPDX-License-Identifier: MIT */
#include "api/training_options.h"

#include "api/training_names.h"
#include "solvers/config.h"

#include <string.h>

#define AT(member) offsetof(struct th_config, member)
#define AUTOMATIC "automatic"

enum { SEEDED = TH_GENERATE | TH_IMPORT | TH_TRAIN | TH_SOURCE };

static const struct th_option table[] = {
    /* model */
    {"solver", 0, TH_OPT_NAME, AT(solver), NULL, th_option_by_config, NULL,
     TH_NO_LIMITS, th_option_names_solver, "model", TH_TRAIN, true,
     "algorithm; `thresher solvers` describes them"},
    {"sparsity", 's', TH_OPT_INT, AT(sparsity), "K", th_option_by_config,
     "sift: no limit; others: required", TH_FROM(1), NULL, "model", TH_TRAIN,
     true, "most attributes in the model"},
    {"budget", 0, TH_OPT_INT, AT(budget), "B", th_option_by_config,
     "sift: min(d, max(128, d/10, 2 s)), of {select} truth max(64, d/10, 2 s); "
     "others: required",
     TH_FROM(1), NULL, "model", TH_TRAIN, true,
     "most attributes observed of one example"},
    {"loss", 0, TH_OPT_NAME, AT(loss), NULL, th_option_by_config,
     "auto: logistic for targets of two values under solvers with a penalty "
     "and "
     "{select} predict, else squared",
     TH_NO_LIMITS, th_option_names_loss, "model", TH_TRAIN, true,
     "what is minimised"},
    {"standardize", 0, TH_OPT_FLAG, AT(standardize), NULL, th_option_by_config,
     "yes; solvers with a penalty: no", TH_NO_LIMITS, NULL, "model", TH_TRAIN,
     true,
     "work on attributes with mean 0 and deviation 1, without an intercept "
     "with mean square 1 (solvers with a penalty: as the examples weigh); the "
     "model is in the data's own units all the same"},
    {"intercept", 0, TH_OPT_FLAG, AT(intercept), NULL, th_option_by_config,
     NULL, TH_NO_LIMITS, NULL, "model", TH_TRAIN, true,
     "fit a constant term, which no penalty applies to"},
    {"refit", 0, TH_OPT_CHOICE, AT(refit), NULL, th_option_by_config, NULL,
     TH_NO_LIMITS, th_option_names_refit, "model", TH_TRAIN, true,
     "end with a least-squares (logistic: Newton) fit on the support"},
    {"select", 0, TH_OPT_CHOICE, AT(select), NULL, th_option_by_config,
     "auto: predict where there are examples and passes for it", TH_NO_LIMITS,
     th_option_names_select, "model", TH_TRAIN, true,
     "predict: end with the model that predicts best examples it has not seen, "
     "of elastic nets on a list of the best attributes and the strict support; "
     "truth: with the strict support, attributes that stand out beyond doubt"},
    {"start", 0, TH_OPT_TEXT, AT(start), "MODEL.h5|LIST", th_option_by_config,
     "none", TH_NO_LIMITS, NULL, "model", TH_TRAIN, true,
     "support to begin with: a model, or attributes, 0-based or by name, such "
     "as 3,17,20, each with a coefficient if wanted: 3:0.5,17:-2"},
    {"penalty", 0, TH_OPT_NAME, AT(penalty), NULL, th_option_by_config, NULL,
     TH_NO_LIMITS, th_option_names_penalty, "model", TH_TRAIN, true,
     "Omega, in mean loss + lambda Omega(coefficients)"},
    {"groups", 0, TH_OPT_TEXT, AT(group_file), "FILE", th_option_by_config,
     "none; penalties of groups: those of the data set", TH_NO_LIMITS, NULL,
     "model", TH_TRAIN | TH_IMPORT, false,
     "groups of attributes: one group on a line, 0-based attributes and ranges "
     "a-b, and weight=W where it is not the default (l1: 1, else the root of "
     "the group's size)"},
    {"mix", 0, TH_OPT_REAL, AT(mix), "A", th_option_by_config, NULL,
     TH_INSIDE(0, 1), NULL, "model", TH_TRAIN, true,
     "sparse-group: A norm1 + (1 - A) the group norm"},
    {"lambda", 0, TH_OPT_REAL, AT(lambda), "X", th_option_by_config,
     "by the ratio", TH_ABOVE(0), NULL, "model", TH_TRAIN, true,
     "weight of the penalty"},
    {"lambda-ratio", 0, TH_OPT_REAL, AT(lambda_ratio), "R", th_option_by_config,
     "0.1 where neither {lambda} nor {path} is given", TH_ABOVE(0), NULL,
     "model", TH_TRAIN, true,
     "weight of the penalty over lambda_max, the smallest at which the model "
     "is zero"},
    {"path", 0, TH_OPT_INT, AT(path), "N", th_option_by_config, "one lambda",
     TH_FROM(2), NULL, "model", TH_TRAIN, true,
     "solve for N lambdas from lambda_max down, in equal ratios; the model is "
     "that of the last"},
    {"path-min", 0, TH_OPT_REAL, AT(path_min), "R", th_option_by_config, NULL,
     TH_INSIDE(0, 1), NULL, "model", TH_TRAIN, true,
     "the last lambda of {path}, over lambda_max"},
    /* schedule */
    {"passes", 0, TH_OPT_INT, AT(passes), "P", th_option_by_config,
     "1 with {source}; else as many as tell something of every attribute, and "
     "for an end; exploitation: 1 where that is enough, or 20",
     TH_FROM(1), NULL, "schedule", TH_TRAIN, true,
     "most passes over the training examples"},
    {"validation", 0, TH_OPT_REAL, AT(validation), "FRACTION",
     th_option_by_config,
     "0.1 where hybrid and exploration stop early; {select} predict: a fifth "
     "of what the end sees, or folds of small data",
     TH_FRACTION, NULL, "schedule", TH_TRAIN, true,
     "share of the training examples held out, to choose or to stop by"},
    {"eta", 0, TH_OPT_REAL, AT(eta), "X", th_option_by_config, AUTOMATIC,
     TH_ABOVE(0), NULL, "schedule", TH_TRAIN, true, "step size"},
    {"batch-explore", 0, TH_OPT_INT, AT(batch_explore), "B",
     th_option_by_config, AUTOMATIC, TH_FROM(1), NULL, "schedule", TH_TRAIN,
     true, "examples per block in the first exploration update"},
    {"batch-exploit", 0, TH_OPT_INT, AT(batch_exploit), "B",
     th_option_by_config, AUTOMATIC, TH_FROM(1), NULL, "schedule", TH_TRAIN,
     true, "examples in the first exploitation update"},
    {"updates-explore", 0, TH_OPT_INT, AT(updates_explore), "T",
     th_option_by_config, AUTOMATIC, TH_FROM(1), NULL, "schedule", TH_TRAIN,
     true, "exploration updates in a round"},
    {"updates-exploit", 0, TH_OPT_INT, AT(updates_exploit), "T",
     th_option_by_config, AUTOMATIC, TH_FROM(1), NULL, "schedule", TH_TRAIN,
     true, "exploitation updates in a round"},
    {"growth", 0, TH_OPT_REAL, AT(growth), "G", th_option_by_config, AUTOMATIC,
     TH_FROM(1), NULL, "schedule", TH_TRAIN, true,
     "factor by which batches grow from round to round"},
    {"rounds", 0, TH_OPT_INT, AT(rounds), "K", th_option_by_config, "no limit",
     TH_FROM(1), NULL, "schedule", TH_TRAIN, true, "most rounds"},
    {"shared-support", 0, TH_OPT_FLAG, AT(shared_support), NULL,
     th_option_by_config, NULL, TH_NO_LIMITS, NULL, "schedule", TH_TRAIN, true,
     "use all examples of an exploration update for the coordinates on the "
     "support"},
    {"epochs", 0, TH_OPT_INT, AT(epochs), "E", th_option_by_config, AUTOMATIC,
     TH_FROM(1), NULL, "schedule", TH_TRAIN, true,
     "most passes over the training examples, for each lambda"},
    {"batch", 0, TH_OPT_INT, AT(batch), "B", th_option_by_config, NULL,
     TH_FROM(1), NULL, "schedule", TH_TRAIN, true, "examples in a step"},
    {"tolerance", 0, TH_OPT_REAL, AT(tolerance), "GAP", th_option_by_config,
     "1e-9 of the objective of the zero model", TH_ABOVE(0), NULL, "schedule",
     TH_TRAIN, true,
     "stop at this duality gap, or where double precision ends"},
    {"screen", 0, TH_OPT_CHOICE, AT(screen), NULL, th_option_by_config,
     "auto: by the solver", TH_NO_LIMITS, th_option_names_screen, "schedule",
     TH_TRAIN, true, "how useless attributes are found and dropped"},
    {"screen-rule", 0, TH_OPT_CHOICE, AT(screen_rule), NULL,
     th_option_by_config, NULL, TH_NO_LIMITS, th_option_names_screen_rule,
     "schedule", TH_TRAIN, true,
     "proj is proved, also for a refined point where gap-safe; paper is the "
     "printed rule; votes, online alone, is a heuristic that loses attributes "
     "until checks bring them back"},
    {"screen-exponent", 0, TH_OPT_REAL, AT(screen_exponent), "W",
     th_option_by_config, NULL, TH_BETWEEN(0.5, 1), NULL, "schedule", TH_TRAIN,
     true,
     "online: examples weigh t^-W; smaller forgets faster and drops more"},
    {"screen-every", 0, TH_OPT_INT, AT(screen_every), "T", th_option_by_config,
     "by the examples", TH_FROM(1), NULL, "schedule", TH_TRAIN, true,
     "steps between two screenings"},
    {"confidence", 0, TH_OPT_REAL, AT(confidence), "P", th_option_by_config,
     NULL, TH_INSIDE(0, 1), NULL, "schedule", TH_TRAIN | TH_VERIFY, true,
     "of what is said about a stream's attributes from some of its examples"},
    {"seed", 0, TH_OPT_INT, AT(seed), "N", th_option_by_config, NULL,
     TH_FROM(0), NULL, "run", SEEDED, true, "seed of all random numbers"},
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
  for (int k = 0; k < COUNT; k++)
    if (strcmp(table[k].name, name) == 0)
      return k;
  return -1;
}
