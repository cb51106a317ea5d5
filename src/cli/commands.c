/* commands.c - the table of commands, and the one that lists solvers
 * SPDX-License-Identifier: MIT */
#include "cli/commands.h"

#include "base/search.h"
#include "cli/bench/bench.h"
#include "cli/options/options.h"
#include "cli/shared/json.h"
#include "solvers/driver/train.h"

#include <limits.h>
#include <stdio.h>

static void print_solver(const struct th_solver_row *row)
{
  printf("%s\n  %s\n  source:  %s\n  needs:   %s\n  options:", row->name,
         row->summary, row->source,
         row->needs_sparsity && row->needs_budget ? "-s, --budget"
         : row->needs_sparsity                    ? "-s"
         : row->needs_budget                      ? "--budget"
         : row->needs_start                       ? "--start"
                                                  : "nothing");
  for (const char *const *option = th_solver_options(row); *option != NULL;
       option++)
    printf(" --%s", *option);
  printf("%s\n", th_solver_options(row)[0] == NULL ? " none of its own" : "");
}

/* Words up to NULL. */
static json_t *words(const char *const *word)
{
  json_t *list = json_array();
  for (; *word != NULL; word++)
    json_array_append_new(list, json_string(*word));
  return list;
}

static json_t *solver_object(const struct th_solver_row *row)
{
  const char *needs[4] = {NULL};
  int count = 0;
  if (row->needs_sparsity)
    needs[count++] = "sparsity";
  if (row->needs_budget)
    needs[count++] = "budget";
  if (row->needs_start)
    needs[count++] = "start";
  return json_pack("{ss ss ss so so sb}", "name", row->name, "summary",
                   row->summary, "source", row->source, "needs", words(needs),
                   "options", words(th_solver_options(row)), "penalised",
                   row->penalised);
}

static th_status print_objects(struct th_error *err)
{
  json_t *list = json_array();
  for (const struct th_solver_row *row = th_solver_table(); row->name != NULL;
       row++)
    json_array_append_new(list, solver_object(row));
  return th_json_print(stdout, json_pack("{so}", "solvers", list),
                       JSON_INDENT(2), err);
}

/* Local. */
static th_status list_solvers(const struct th_options *options,
                              struct th_comm *comm, struct th_error *err)
{
  if (options->json)
    return comm->rank == 0 ? print_objects(err) : TH_OK;
  for (const struct th_solver_row *row = th_solver_table();
       comm->rank == 0 && row->name != NULL; row++)
    print_solver(row);
  return TH_OK;
}

static const struct th_command table[] = {
    {"generate", TH_GENERATE, "FAMILY -o NAME.h5", 1, 1,
     "Makes a synthetic data set whose true coefficients are known.",
     "There are five families. murata has independent standard normal "
     "attributes. toeplitz has AR(1) correlation along the attributes. sparse "
     "has counts like those of text, with power-law frequencies. kukliansky "
     "has independent attributes that are 0 or 1, ones less and less often, "
     "and targets without noise. oomp has uniform attributes, independent or "
     "in a chain, and coefficients that fall linearly. The data are "
     "the same for any number of ranks. With --test the last examples are the "
     "test examples.",
     th_generate_command},
    {"import", TH_IMPORT, "FILE... -o NAME.h5", 1, INT_MAX,
     "Turns LIBSVM or CSV text into a data set.",
     "Files compressed by gzip, bzip2 or xz are read directly. The program "
     "prints which column of CSV is the target. Data without a target can be "
     "imported for predict. Give --like with the model, or with the data set "
     "that it was trained on.",
     th_import_command},
    {"train", TH_TRAIN, "NAME.h5|--source SPEC -o MODEL.h5", 1, 1,
     "Trains a sparse linear model under a budget, or with a penalty.",
     "Under a budget, only so many attributes of an example are observed. "
     "Without options the program chooses solver, budget, step size, batches "
     "and stopping. It prints what it chose. Solvers with a penalty read all "
     "attributes that they have not screened.",
     th_train_command},
    {"evaluate", TH_EVALUATE, "MODEL.h5 NAME.h5|--source SPEC", 2, 2,
     "Computes the errors of a model on a data set.",
     "It prints n, mse, r2 and relative_loss. If the targets have exactly two "
     "values, it also "
     "prints auc, accuracy and log_loss; the larger value is the positive one. "
     "On generated data it also prints population_mse, the exact expected "
     "squared error. A model with squared loss is accurate on an example if "
     "its prediction is on the right side of the middle between the two "
     "values. For its log_loss the prediction is mapped so that the two values "
     "become 0 and 1, and clipped into [1e-15, 1 - 1e-15]. With logistic loss "
     "it is that of the log odds, not clipped, and "
     "mse and r2 are those of the expected target. The same holds for squared "
     "hinge loss: a prediction z says that the larger value has probability "
     "(1 + z) / 2, clipped into [0, 1]. relative_loss is the model's loss over "
     "that of a model that always predicts 0. Where the data have weights, "
     "examples count by them in all of these, n is the number of those whose "
     "weight is not 0, and a line says so; --unweighted counts each of these "
     "once.",
     th_evaluate_command},
    {"verify", TH_VERIFY, "MODEL.h5 NAME.h5|--source SPEC", 2, 2,
     "Recomputes the certificate of a model with a penalty.",
     "On the data that the model was trained on, every number of the "
     "certificate is computed anew. It must agree with the model up to "
     "rounding. Earlier entries of a path must fit the bounds that the model "
     "sets; --retrain computes them anew. The program prints what it did not "
     "compare. On fresh data, no attribute outside the support may contradict "
     "the model with the given confidence. The exit status is 1 if the "
     "certificate does not hold.",
     th_verify_command},
    {"predict", TH_PREDICT, "MODEL.h5 NAME.h5 -o FILE.csv", 2, 2,
     "Writes the predictions of a model as CSV.",
     "There is one line for each example, in the order of the input. It holds "
     "the row (the number of the example in the input, counted from 0), the "
     "prediction and, with logistic loss, the probability. Only "
     "the attributes of the support are read.",
     th_evaluate_predict},
    {"inspect", TH_INSPECT, "FILE.h5", 1, 1, "Describes a data set or a model.",
     "Of a data set it also tells rho_ridge and rho_lasso (Kukliansky & Shamir "
     "2015, equations 11 and 12), from the second moments of the attributes on "
     "the training examples. 1 means attributes alike. The smaller they are, "
     "the more it can help to draw attributes by their moments.",
     th_inspect_command},
    {"solvers", TH_SOLVERS, "", 0, 0, "Lists the solvers and their options.",
     NULL, list_solvers},
    {"bench", TH_BENCH, "[PART]...", 0, INT_MAX,
     "Measures the machine, and how much of it the program uses.",
     "PART restricts the run to one part. Its name is the first word of a "
     "heading in the output.",
     th_bench_command},
    {NULL, 0, NULL, 0, 0, NULL, NULL, NULL}};

const struct th_command *th_command_table(void)
{
  return table;
}

const struct th_command *th_command_find(const char *name)
{
  int64_t k = TH_SEARCH_NAME(table, name);
  return k < 0 ? NULL : &table[k];
}
