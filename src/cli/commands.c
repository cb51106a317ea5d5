/* commands.c - the table of subcommands
 * SPDX-License-Identifier: MIT */
#include "cli/commands.h"

#include <limits.h>
#include <string.h>

static const struct th_command table[] = {
    {"generate", TH_GENERATE, "FAMILY -o NAME.h5", 1, 1,
     "make a synthetic data set whose true coefficients are known",
     "Families: murata (independent standard normal attributes), toeplitz "
     "(AR(1) correlation along the attributes), sparse (text-like counts with "
     "power-law frequencies). The data are the same for any number of ranks. "
     "With --test the last examples are the test examples.",
     th_command_generate},
    {"import", TH_IMPORT, "FILE... -o NAME.h5", 1, INT_MAX,
     "turn LIBSVM or CSV text into a data set",
     "Files compressed by gzip, bzip2 or xz are read directly. Which column of "
     "CSV is the target is printed. Data without a target, to predict, are "
     "imported with --like the data that the model was trained on.",
     th_command_import},
    {"train", TH_TRAIN, "NAME.h5|--source SPEC -o MODEL.h5", 1, 1,
     "train a sparse linear model, under an attribute budget or with a penalty",
     "Without options it picks solver, budget, step size, batches and stopping "
     "by itself and says what it picked. Solvers with a penalty read "
     "everything "
     "that they have not screened.",
     th_command_train},
    {"evaluate", TH_EVALUATE, "MODEL.h5 NAME.h5|--source SPEC", 2, 2,
     "score a model on a data set",
     "Prints n, mse, r2 and, where the targets have exactly two values (the "
     "larger is positive), auc, accuracy and log_loss; on generated data also "
     "population_mse, the exact expected squared error. A model with squared "
     "loss is accurate where its prediction is on the right side of the "
     "middle between the two values; its log_loss takes the prediction, "
     "mapped so that the two values become 0 and 1, clipped into [1e-15, "
     "1 - 1e-15]. With logistic loss mse and r2 are those of the expected "
     "target; so with squared hinge loss, where a prediction z says that the "
     "larger value has probability (1 + z) / 2, clipped into [0, 1]. Every "
     "example counts alike, whatever its weight.",
     th_command_evaluate},
    {"verify", TH_VERIFY, "MODEL.h5 NAME.h5|--source SPEC", 2, 2,
     "recompute the certificate of a model with a penalty",
     "On the data that the model was trained on every number of the "
     "certificate is computed anew and has to be what the model says, but for "
     "rounding; entries of a path before the last have to fit the bounds that "
     "the model sets, and --retrain makes them anew. What was not compared is "
     "said. On fresh data no attribute outside the support may contradict the "
     "model with the given confidence. Exit status 1 when the certificate does "
     "not hold.",
     th_command_verify},
    {"predict", TH_PREDICT, "MODEL.h5 NAME.h5 -o FILE.csv", 2, 2,
     "write the predictions of a model as CSV",
     "One line per example in the order of the input: row, prediction and, "
     "with logistic loss, probability. Only the support's attributes are "
     "read.",
     th_command_predict},
    {"inspect", TH_INSPECT, "FILE.h5", 1, 1, "describe a data set or a model",
     NULL, th_command_inspect},
    {"solvers", TH_SOLVERS, "", 0, 0, "list the solvers and their options",
     NULL, th_command_solvers},
    {"bench", TH_BENCH, "[PART]...", 0, INT_MAX,
     "measure what the machine can do and what of it the kernels reach",
     "PART, the first word of a heading in what is printed, measures that part "
     "alone.",
     th_command_bench},
    {NULL, 0, NULL, 0, 0, NULL, NULL, NULL}};

const struct th_command *th_command_table(void)
{
  return table;
}

const struct th_command *th_command_find(const char *name)
{
  for (const struct th_command *row = table; row->name != NULL; row++)
    if (strcmp(row->name, name) == 0)
      return row;
  return NULL;
}
