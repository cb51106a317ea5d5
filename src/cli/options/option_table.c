/* option_table.c - every option of the program, once
 * SPDX-License-Identifier: MIT */
#include "cli/options/option_names.h"
#include "cli/options/options.h"

#include <math.h>
#include <string.h>

#define AT(member) offsetof(struct th_options, member)
#define FROM(low)                                                              \
  {                                                                            \
    (low), INFINITY, false, true                                               \
  }
#define ABOVE(low)                                                             \
  {                                                                            \
    (low), INFINITY, true, true                                                \
  }
#define BETWEEN(low, high)                                                     \
  {                                                                            \
    (low), (high), false, false                                                \
  }
#define INSIDE(low, high)                                                      \
  {                                                                            \
    (low), (high), true, true                                                  \
  }
#define FRACTION                                                               \
  {                                                                            \
    0.0, 1.0, false, true                                                      \
  }
#define NO_LIMITS                                                              \
  {                                                                            \
    0.0, 0.0, false, false                                                     \
  }

enum {
  MAKE = TH_GENERATE | TH_IMPORT,
  WRITES = MAKE | TH_TRAIN | TH_PREDICT,
  SCORES = TH_EVALUATE | TH_PREDICT,
  SYNTHETIC = TH_GENERATE | TH_SOURCE
};

#define AUTOMATIC "automatic"

static const struct th_option table[] = {
    /* data */
    {"examples", 'n', TH_OPT_INT, AT(examples), "N", NULL, "required", FROM(1),
     NULL, "data", SYNTHETIC, false, "examples to generate"},
    {"attributes", 'd', TH_OPT_INT, AT(attributes), "D", NULL,
     "generate: required; import: the largest index", FROM(1), NULL, "data",
     MAKE | TH_SOURCE, false,
     "attributes of an example; import: an index above it is an error"},
    {"support", 0, TH_OPT_INT, AT(support), "K", NULL, "by the family", FROM(1),
     NULL, "data", SYNTHETIC, false,
     "attributes with a true coefficient that is not zero"},
    {"noise", 0, TH_OPT_REAL, AT(noise), "S", "1", NULL, FROM(0), NULL, "data",
     SYNTHETIC, false, "standard deviation of the target noise"},
    {"correlation", 0, TH_OPT_REAL, AT(correlation), "R", "0.5", NULL,
     INSIDE(-1, 1), NULL, "data", SYNTHETIC, false,
     "toeplitz: correlation of neighbouring attributes"},
    {"density",
     0,
     TH_OPT_REAL,
     AT(density),
     "P",
     "0.001",
     NULL,
     {0, 0.5, true, false},
     NULL,
     "data",
     SYNTHETIC,
     false,
     "sparse: mean share of values that are not zero"},
    {"format", 0, TH_OPT_NAME, AT(format), NULL, "auto", NULL, NO_LIMITS,
     th_option_names_format, "data", TH_IMPORT, false,
     "format of the input files"},
    {"layout", 0, TH_OPT_CHOICE, AT(layout), NULL, "auto",
     "auto: that of --like, else by density", NO_LIMITS, th_option_names_layout,
     "data", TH_IMPORT, false, "store every value, or those that are not zero"},
    {"type", 0, TH_OPT_CHOICE, AT(type), NULL, "f32",
     "f32; import: that of --like, where it is given", NO_LIMITS,
     th_option_names_type, "data", MAKE | TH_SOURCE, false,
     "storage type of attribute values; u8, i8 and u2 (0..3) only where exact"},
    {"header", 0, TH_OPT_CHOICE, AT(header), NULL, "auto",
     "auto: a first row with a field that is no number", NO_LIMITS,
     th_option_names_header, "data", TH_IMPORT, false,
     "CSV: whether the first row names the columns"},
    {"target", 0, TH_OPT_TEXT, AT(target), "COLUMN", NULL,
     "the last column, where the file has no header or calls it y, target, "
     "label, class, outcome or response",
     NO_LIMITS, NULL, "data", TH_IMPORT, false,
     "CSV: column of the target, by name or 1-based number"},
    {"weights", 0, TH_OPT_TEXT, AT(weights), "COLUMN", NULL, "none", NO_LIMITS,
     NULL, "data", TH_IMPORT, false,
     "CSV: column of the example weights, by name or 1-based number"},
    {"ignore", 0, TH_OPT_TEXT, AT(ignore), "COLUMN,...", NULL, "none",
     NO_LIMITS, NULL, "data", TH_IMPORT, false,
     "CSV: columns to leave out, by names or 1-based numbers between commas; a "
     "name with a comma in double quotes"},
    {"positive-class", 0, TH_OPT_TEXT, AT(positive_class), "A", NULL,
     "that of --like, else targets are numbers", NO_LIMITS, NULL, "data",
     TH_IMPORT, false,
     "class A against all others: targets become 1 for A and -1 for the rest; "
     "classes may be words"},
    {"zero-based", 0, TH_OPT_FLAG, AT(zero_based), NULL, "no", NULL, NO_LIMITS,
     NULL, "data", TH_IMPORT, false, "LIBSVM: indices begin at 0, not at 1"},
    {"like", 0, TH_OPT_TEXT, AT(like), "OTHER.h5", NULL, "none", NO_LIMITS,
     NULL, "data", TH_IMPORT, false,
     "take over the attributes of another data set, its type, layout and "
     "positive class, and the columns of its text that are its target or left "
     "out; a target may be missing then, for predict"},
    {"max-line", 0, TH_OPT_SIZE, AT(max_line), "SIZE", "1G", NULL, FROM(1),
     NULL, "data", TH_IMPORT, false, "longest legal line of a text file"},
    {"shuffle", 0, TH_OPT_FLAG, AT(shuffle), NULL, "yes", NULL, NO_LIMITS, NULL,
     "data", TH_IMPORT, false,
     "store the examples in a random order drawn from the seed"},
    {"test", 0, TH_OPT_REAL, AT(test), "FRACTION", "0", NULL, FRACTION, NULL,
     "data", MAKE | TH_SOURCE, false,
     "share of the examples to set apart for testing"},
    {"test-file", 0, TH_OPT_TEXT, AT(test_file), "FILE", NULL, "none",
     NO_LIMITS, NULL, "data", TH_IMPORT, false,
     "a file of its own with the test examples"},
    {"shards", 0, TH_OPT_INT, AT(shards), "K", NULL, "one per GiB",
     BETWEEN(1, 1024), NULL, "data", MAKE, false,
     "files over which the attributes are spread"},
    {"row-group", 0, TH_OPT_INT, AT(row_group), "R", NULL,
     "by the number of examples", BETWEEN(1, 1048576), NULL, "data",
     MAKE | TH_SOURCE, false, "examples that are stored together"},
    {"source", 0, TH_OPT_TEXT, AT(source), "FAMILY:KEY=VALUE,...", NULL, "none",
     NO_LIMITS, NULL, "data", TH_TRAIN | TH_EVALUATE | TH_VERIFY, true,
     "in place of a data set: one that is computed when asked for, with the "
     "values that generate would write; keys are options of generate that say "
     "what the data are, such as murata:examples=100000,attributes=1000000 or "
     "murata:n=100000,d=1000000"},
    {"split", 0, TH_OPT_CHOICE, AT(split), NULL, "auto",
     "auto: test if there is one, else all", NO_LIMITS, th_option_names_split,
     "data", SCORES, false, "which examples to use"},
    /* model */
    {"solver", 0, TH_OPT_NAME, AT(config.solver), NULL, "sift", NULL, NO_LIMITS,
     th_option_names_solver, "model", TH_TRAIN, true,
     "algorithm; `thresher solvers` describes them"},
    {"sparsity", 's', TH_OPT_INT, AT(config.sparsity), "K", NULL,
     "sift: no limit; others: required", FROM(1), NULL, "model", TH_TRAIN, true,
     "most attributes in the model"},
    {"budget", 0, TH_OPT_INT, AT(config.budget), "B", NULL,
     "sift: min(d, max(128, d/10, 2 s)), of --select truth max(64, d/10, 2 s); "
     "others: required",
     FROM(1), NULL, "model", TH_TRAIN, true,
     "most attributes observed of one example"},
    {"loss", 0, TH_OPT_NAME, AT(config.loss), NULL, "auto",
     "auto: logistic for targets of two values under solvers with a penalty "
     "and "
     "--select predict, else squared",
     NO_LIMITS, th_option_names_loss, "model", TH_TRAIN, true,
     "what is minimised"},
    {"standardize", 0, TH_OPT_FLAG, AT(config.standardize), NULL, "yes",
     "yes; solvers with a penalty: no", NO_LIMITS, NULL, "model", TH_TRAIN,
     true,
     "work on attributes with mean 0 and deviation 1, without an intercept "
     "with mean square 1 (solvers with a penalty: as the examples weigh); the "
     "model is in the data's own units all the same"},
    {"intercept", 0, TH_OPT_FLAG, AT(config.intercept), NULL, "yes", NULL,
     NO_LIMITS, NULL, "model", TH_TRAIN, true,
     "fit a constant term, which no penalty applies to"},
    {"refit", 0, TH_OPT_CHOICE, AT(config.refit), NULL, "auto", NULL, NO_LIMITS,
     th_option_names_refit, "model", TH_TRAIN, true,
     "end with a least-squares (logistic: Newton) fit on the support"},
    {"select", 0, TH_OPT_CHOICE, AT(config.select), NULL, "auto",
     "auto: predict where there are examples and passes for it", NO_LIMITS,
     th_option_names_select, "model", TH_TRAIN, true,
     "predict: end with the model that predicts best examples it has not seen, "
     "of elastic nets on a list of the best attributes and the strict support; "
     "truth: with the strict support, attributes that stand out beyond doubt"},
    {"start", 0, TH_OPT_TEXT, AT(start), "MODEL.h5|LIST", NULL, "none",
     NO_LIMITS, NULL, "model", TH_TRAIN, true,
     "support to begin with: a model, or attributes, 0-based or by name, such "
     "as 3,17,20, each with a coefficient if wanted: 3:0.5,17:-2"},
    {"penalty", 0, TH_OPT_NAME, AT(config.penalty), NULL, "l1", NULL, NO_LIMITS,
     th_option_names_penalty, "model", TH_TRAIN, true,
     "Omega, in mean loss + lambda Omega(coefficients)"},
    {"groups", 0, TH_OPT_TEXT, AT(groups), "FILE", NULL,
     "none; penalties of groups: those of the data set", NO_LIMITS, NULL,
     "model", TH_TRAIN | TH_IMPORT, false,
     "groups of attributes: one group on a line, 0-based attributes and ranges "
     "a-b, and weight=W where it is not the default (l1: 1, else the root of "
     "the group's size)"},
    {"mix", 0, TH_OPT_REAL, AT(config.mix), "A", "0.5", NULL, INSIDE(0, 1),
     NULL, "model", TH_TRAIN, true,
     "sparse-group: A norm1 + (1 - A) the group norm"},
    {"lambda", 0, TH_OPT_REAL, AT(config.lambda), "X", NULL, "by the ratio",
     ABOVE(0), NULL, "model", TH_TRAIN, true, "weight of the penalty"},
    {"lambda-ratio", 0, TH_OPT_REAL, AT(config.lambda_ratio), "R", NULL,
     "0.1 where neither --lambda nor --path is given", ABOVE(0), NULL, "model",
     TH_TRAIN, true,
     "weight of the penalty over lambda_max, the smallest at which the model "
     "is zero"},
    {"path", 0, TH_OPT_INT, AT(config.path), "N", NULL, "one lambda", FROM(2),
     NULL, "model", TH_TRAIN, true,
     "solve for N lambdas from lambda_max down, in equal ratios; the model is "
     "that of the last"},
    {"path-min", 0, TH_OPT_REAL, AT(config.path_min), "R", "0.01", NULL,
     INSIDE(0, 1), NULL, "model", TH_TRAIN, true,
     "the last lambda of --path, over lambda_max"},
    /* schedule */
    {"passes", 0, TH_OPT_INT, AT(config.passes), "P", NULL,
     "1 with --source; else as many as tell something of every attribute, and "
     "for an end; exploitation: 1 where that is enough, or 20",
     FROM(1), NULL, "schedule", TH_TRAIN, true,
     "most passes over the training examples"},
    {"validation", 0, TH_OPT_REAL, AT(config.validation), "FRACTION", "-1",
     "0.1 where hybrid and exploration stop early; --select predict: a fifth "
     "of what the end sees, or folds of small data",
     FRACTION, NULL, "schedule", TH_TRAIN, true,
     "share of the training examples held out, to choose or to stop by"},
    {"eta", 0, TH_OPT_REAL, AT(config.eta), "X", NULL, AUTOMATIC, ABOVE(0),
     NULL, "schedule", TH_TRAIN, true, "step size"},
    {"batch-explore", 0, TH_OPT_INT, AT(config.batch_explore), "B", NULL,
     AUTOMATIC, FROM(1), NULL, "schedule", TH_TRAIN, true,
     "examples per block in the first exploration update"},
    {"batch-exploit", 0, TH_OPT_INT, AT(config.batch_exploit), "B", NULL,
     AUTOMATIC, FROM(1), NULL, "schedule", TH_TRAIN, true,
     "examples in the first exploitation update"},
    {"updates-explore", 0, TH_OPT_INT, AT(config.updates_explore), "T", NULL,
     AUTOMATIC, FROM(1), NULL, "schedule", TH_TRAIN, true,
     "exploration updates in a round"},
    {"updates-exploit", 0, TH_OPT_INT, AT(config.updates_exploit), "T", NULL,
     AUTOMATIC, FROM(1), NULL, "schedule", TH_TRAIN, true,
     "exploitation updates in a round"},
    {"growth", 0, TH_OPT_REAL, AT(config.growth), "G", NULL, AUTOMATIC, FROM(1),
     NULL, "schedule", TH_TRAIN, true,
     "factor by which batches grow from round to round"},
    {"rounds", 0, TH_OPT_INT, AT(config.rounds), "K", NULL, "no limit", FROM(1),
     NULL, "schedule", TH_TRAIN, true, "most rounds"},
    {"shared-support", 0, TH_OPT_FLAG, AT(config.shared_support), NULL, "yes",
     NULL, NO_LIMITS, NULL, "schedule", TH_TRAIN, true,
     "use all examples of an exploration update for the coordinates on the "
     "support"},
    {"epochs", 0, TH_OPT_INT, AT(config.epochs), "E", NULL, AUTOMATIC, FROM(1),
     NULL, "schedule", TH_TRAIN, true,
     "most passes over the training examples, for each lambda"},
    {"batch", 0, TH_OPT_INT, AT(config.batch), "B", "1", NULL, FROM(1), NULL,
     "schedule", TH_TRAIN, true, "examples in a step"},
    {"tolerance", 0, TH_OPT_REAL, AT(config.tolerance), "GAP", NULL,
     "1e-9 of the objective of the zero model", ABOVE(0), NULL, "schedule",
     TH_TRAIN, true,
     "stop at this duality gap, or where double precision ends"},
    {"screen", 0, TH_OPT_CHOICE, AT(config.screen), NULL, "auto",
     "auto: by the solver", NO_LIMITS, th_option_names_screen, "schedule",
     TH_TRAIN, true, "how useless attributes are found and dropped"},
    {"screen-rule", 0, TH_OPT_CHOICE, AT(config.screen_rule), NULL, "proj",
     NULL, NO_LIMITS, th_option_names_screen_rule, "schedule", TH_TRAIN, true,
     "proj is proved, also for a refined point where gap-safe; paper is the "
     "printed rule; votes, online alone, is a heuristic that loses attributes "
     "until checks bring them back"},
    {"screen-exponent", 0, TH_OPT_REAL, AT(config.screen_exponent), "W", "0.75",
     NULL, BETWEEN(0.5, 1), NULL, "schedule", TH_TRAIN, true,
     "online: examples weigh t^-W; smaller forgets faster and drops more"},
    {"screen-every", 0, TH_OPT_INT, AT(config.screen_every), "T", NULL,
     "by the examples", FROM(1), NULL, "schedule", TH_TRAIN, true,
     "steps between two screenings"},
    {"confidence", 0, TH_OPT_REAL, AT(config.confidence), "P", "0.95", NULL,
     INSIDE(0, 1), NULL, "schedule", TH_TRAIN | TH_VERIFY, true,
     "of what is said about a stream's attributes from some of its examples"},
    /* run */
    {"seed", 0, TH_OPT_INT, AT(config.seed), "N", "1", NULL, FROM(0), NULL,
     "run", MAKE | TH_TRAIN | TH_SOURCE, true, "seed of all random numbers"},
    {"output", 'o', TH_OPT_TEXT, AT(output), "FILE", NULL, "required",
     NO_LIMITS, NULL, "run", WRITES, false,
     "file to write; predict: - is the standard output"},
    {"memory", 0, TH_OPT_SIZE, AT(memory), "SIZE", NULL, "by the machine",
     FROM(1), NULL, "run", TH_IMPORT | TH_TRAIN, false,
     "memory of a rank for values: read ones to keep, parsed ones to sort"},
    {"prefetch", 0, TH_OPT_FLAG, AT(prefetch), NULL, "yes", NULL, NO_LIMITS,
     NULL, "run", TH_TRAIN, false,
     "read dense data from disk while the rank computes"},
    {"dry-run", 0, TH_OPT_FLAG, AT(dry_run), NULL, "no", NULL, NO_LIMITS, NULL,
     "run", TH_TRAIN, false, "print the plan and stop"},
    {"report", 0, TH_OPT_TEXT, AT(report), "RUN.json", NULL, "none", NO_LIMITS,
     NULL, "run", TH_TRAIN, false,
     "write times, memory and traffic of the run; - is the standard output"},
    {"telemetry", 0, TH_OPT_TEXT, AT(telemetry), "FILE.jsonl", NULL, "none",
     NO_LIMITS, NULL, "run", TH_TRAIN, false,
     "write one JSON line per update; - is the standard output"},
    {"reference", 0, TH_OPT_TEXT, AT(reference), "MODEL.h5", NULL, "none",
     NO_LIMITS, NULL, "run", TH_TRAIN, false,
     "telemetry also tells the distance of the coefficients from this model's"},
    {"json", 0, TH_OPT_FLAG, AT(json), NULL, "no", NULL, NO_LIMITS, NULL, "run",
     TH_EVALUATE | TH_INSPECT | TH_BENCH | TH_VERIFY, false,
     "print the results as JSON"},
    {"check", 0, TH_OPT_FLAG, AT(check), NULL, "no", NULL, NO_LIMITS, NULL,
     "run", TH_INSPECT, false, "read everything and verify every checksum"},
    {"retrain", 0, TH_OPT_FLAG, AT(retrain), NULL, "no", NULL, NO_LIMITS, NULL,
     "run", TH_VERIFY, false,
     "also train anew by the model's own options, and compare every number, "
     "those of its path among them"},
    {"force", 'f', TH_OPT_FLAG, AT(force), NULL, "no", NULL, NO_LIMITS, NULL,
     "run", TH_EVERY_COMMAND, false, "overwrite existing outputs"},
    {"quiet", 'q', TH_OPT_FLAG, AT(quiet), NULL, "no", NULL, NO_LIMITS, NULL,
     "run", TH_EVERY_COMMAND, false, "no progress, no summary"},
    {"verbose", 'v', TH_OPT_FLAG, AT(verbose), NULL, "no", NULL, NO_LIMITS,
     NULL, "run", TH_TRAIN, false,
     "also print what each phase and each outer loop of the run took"},
    {"deck", 0, TH_OPT_TEXT, AT(deck), "FILE.ini", NULL, "none", NO_LIMITS,
     NULL, NULL, TH_EVERY_COMMAND, false,
     "read options from a file; the command line wins"},
    {"help", 'h', TH_OPT_FLAG, AT(help), NULL, NULL, NULL, NO_LIMITS, NULL,
     NULL, TH_EVERY_COMMAND, false, "print this and stop"},
};

_Static_assert(sizeof table / sizeof *table <= TH_OPTIONS_MOST,
               "struct th_options keeps one byte per row");

const struct th_option *th_option_table(int *count)
{
  *count = (int)(sizeof table / sizeof *table);
  return table;
}

int th_option_find(const char *name)
{
  for (int k = 0; k < (int)(sizeof table / sizeof *table); k++)
    if (strcmp(table[k].name, name) == 0)
      return k;
  return -1;
}
