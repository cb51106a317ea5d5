/* glossary.c - the words that the program prints and that are not common
 * SPDX-License-Identifier: MIT */
#include "cli/help/glossary.h"

#include <string.h>

struct entry {
  const char *word;
  const char *meaning;
};

static const struct entry entries[] = {
    {"active attributes",
     "Attributes that screening has not dropped. Only they are read."},
    {"attribute", "A column of the data, which others call a feature or a "
                  "variable. Attributes are counted from 0."},
    {"block",
     "Attributes that one draw observes beside those of the model. The "
     "blocks together are all attributes."},
    {"budget", "The most attributes that may be looked at of one example."},
    {"candidates",
     "The models among which the end of a run of sift chooses, by "
     "examples that none of them has seen."},
    {"certificate",
     "Numbers that prove how good a model with a penalty is, and "
     "that verify computes anew."},
    {"deal unit",
     "So many examples that follow each other on disk and are drawn "
     "together, because they are read together. The order of deal "
     "units is random."},
    {"deck", "A file with options, in the place of a long command line."},
    {"draws",
     "Examples that were drawn to learn from. An example that is drawn "
     "in two passes counts twice."},
    {"duality gap", "The objective is at most so far above the best one."},
    {"epoch", "As many steps as there are training examples."},
    {"example", "A row of the data: what a prediction is made for."},
    {"fingerprint", "A number that follows from the values of a data set, and "
                    "from nothing else. Models say which data they are of."},
    {"fold", "A part of the examples that is held out, one after the other, to "
             "choose by."},
    {"intercept", "What is predicted where all attributes are 0."},
    {"lambda", "The weight of the penalty. The larger it is, the fewer "
               "attributes are in the model; at lambda_max there is none."},
    {"ledger",
     "The account of what was looked at: how many examples were drawn, "
     "how many attributes observed, and how many at most of one "
     "example. The program keeps it, not the solver."},
    {"observed", "Of an attribute of an example: its value was given to the "
                 "solver."},
    {"pass", "A way through all training examples, each drawn once."},
    {"path", "The models of falling lambdas, of which one is chosen."},
    {"rank", "One of the processes of a run, as mpirun starts them."},
    {"row group", "Examples that are stored together."},
    {"screening", "Dropping attributes that are proved to be useless, or look "
                  "so, while a run goes on. They are not read any more."},
    {"shard", "One file of a data set. It holds some attributes of all "
              "examples."},
    {"standardized", "Times the standard deviation of the attribute, so that "
                     "coefficients of attributes in different units compare."},
    {"strict support", "Of sift: the attributes that stand out beyond doubt, "
                       "fitted by themselves. The model that predicts best may "
                       "have more."},
    {"support", "The attributes of a model: those with a coefficient that is "
                "not 0."},
    {"update", "One step of a run, behind which its progress is told."},
    {"validation", "Judging by examples that were held out. The ledger counts "
                   "them by themselves."},
    {NULL, NULL}};

const char *th_glossary_word(int64_t k)
{
  return entries[k].word;
}

const char *th_glossary_meaning(const char *word)
{
  const struct entry *entry = entries;
  while (entry->word != NULL && strcmp(entry->word, word) != 0)
    entry++;
  return entry->meaning;
}
