/* option_table.c - every option of the program, once
 * SPDX-License-Identifier: MIT */
#include "api/training_options.h"
#include "cli/options/option_names.h"
#include "cli/options/options.h"

#include <string.h>

#define AT(member) offsetof(struct th_options, member)
enum {
  MAKE = TH_GENERATE | TH_IMPORT,
  WRITES = MAKE | TH_TRAIN | TH_PREDICT,
  SCORES = TH_EVALUATE | TH_PREDICT,
  SYNTHETIC = TH_GENERATE | TH_SOURCE
};

/* Those of training come between these two. */
static const struct th_option before[] = {
    /* data */
    {"examples", 'n', TH_OPT_INT, AT(examples), "N", NULL, "required",
     TH_FROM(1), NULL, "data", SYNTHETIC, false, "examples to generate"},
    {"attributes", 'd', TH_OPT_INT, AT(attributes), "D", NULL,
     "generate: required; import: the largest index", TH_FROM(1), NULL, "data",
     MAKE | TH_SOURCE, false,
     "attributes of an example; import: an index above it is an error"},
    {"support", 0, TH_OPT_INT, AT(support), "K", NULL, "by the family",
     TH_FROM(1), NULL, "data", SYNTHETIC, false,
     "attributes with a true coefficient that is not zero"},
    {"noise", 0, TH_OPT_REAL, AT(noise), "S", "1", NULL, TH_FROM(0), NULL,
     "data", SYNTHETIC, false, "standard deviation of the target noise"},
    {"correlation", 0, TH_OPT_REAL, AT(correlation), "R", "0.5", NULL,
     TH_INSIDE(-1, 1), NULL, "data", SYNTHETIC, false,
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
    {"format", 0, TH_OPT_NAME, AT(format), NULL, "auto", NULL, TH_NO_LIMITS,
     th_option_names_format, "data", TH_IMPORT, false,
     "format of the input files"},
    {"layout", 0, TH_OPT_CHOICE, AT(layout), NULL, "auto",
     "auto: that of --like, else by density", TH_NO_LIMITS,
     th_option_names_layout, "data", TH_IMPORT, false,
     "store every value, or those that are not zero"},
    {"type", 0, TH_OPT_CHOICE, AT(type), NULL, "f32",
     "f32; import: that of --like, where it is given", TH_NO_LIMITS,
     th_option_names_type, "data", MAKE | TH_SOURCE, false,
     "storage type of attribute values; u8, i8 and u2 (0..3) only where exact"},
    {"header", 0, TH_OPT_CHOICE, AT(header), NULL, "auto",
     "auto: a first row with a field that is no number", TH_NO_LIMITS,
     th_option_names_header, "data", TH_IMPORT, false,
     "CSV: whether the first row names the columns"},
    {"target", 0, TH_OPT_TEXT, AT(target), "COLUMN", NULL,
     "the last column, where the file has no header or calls it y, target, "
     "label, class, outcome or response",
     TH_NO_LIMITS, NULL, "data", TH_IMPORT, false,
     "CSV: column of the target, by name or 1-based number"},
    {"weights", 0, TH_OPT_TEXT, AT(weights), "COLUMN", NULL, "none",
     TH_NO_LIMITS, NULL, "data", TH_IMPORT, false,
     "CSV: column of the example weights, by name or 1-based number"},
    {"ignore", 0, TH_OPT_TEXT, AT(ignore), "COLUMN,...", NULL, "none",
     TH_NO_LIMITS, NULL, "data", TH_IMPORT, false,
     "CSV: columns to leave out, by names or 1-based numbers between commas; a "
     "name with a comma in double quotes"},
    {"positive-class", 0, TH_OPT_TEXT, AT(positive_class), "A", NULL,
     "that of --like, else targets are numbers", TH_NO_LIMITS, NULL, "data",
     TH_IMPORT, false,
     "class A against all others: targets become 1 for A and -1 for the rest; "
     "classes may be words"},
    {"zero-based", 0, TH_OPT_FLAG, AT(zero_based), NULL, "no", NULL,
     TH_NO_LIMITS, NULL, "data", TH_IMPORT, false,
     "LIBSVM: indices begin at 0, not at 1"},
    {"like", 0, TH_OPT_TEXT, AT(like), "OTHER.h5", NULL, "none", TH_NO_LIMITS,
     NULL, "data", TH_IMPORT, false,
     "take over the attributes of another data set, its type, layout and "
     "positive class, and the columns of its text that are its target or left "
     "out; a target may be missing then, for predict"},
    {"max-line", 0, TH_OPT_SIZE, AT(max_line), "SIZE", "1G", NULL, TH_FROM(1),
     NULL, "data", TH_IMPORT, false, "longest legal line of a text file"},
    {"shuffle", 0, TH_OPT_FLAG, AT(shuffle), NULL, "yes", NULL, TH_NO_LIMITS,
     NULL, "data", TH_IMPORT, false,
     "store the examples in a random order drawn from the seed"},
    {"test", 0, TH_OPT_REAL, AT(test), "FRACTION", "0", NULL, TH_FRACTION, NULL,
     "data", MAKE | TH_SOURCE, false,
     "share of the examples to set apart for testing"},
    {"test-file", 0, TH_OPT_TEXT, AT(test_file), "FILE", NULL, "none",
     TH_NO_LIMITS, NULL, "data", TH_IMPORT, false,
     "a file of its own with the test examples"},
    {"shards", 0, TH_OPT_INT, AT(shards), "K", NULL, "one per GiB",
     TH_BETWEEN(1, 1024), NULL, "data", MAKE, false,
     "files over which the attributes are spread"},
    {"row-group", 0, TH_OPT_INT, AT(row_group), "R", NULL,
     "by the number of examples", TH_BETWEEN(1, 1048576), NULL, "data",
     MAKE | TH_SOURCE, false, "examples that are stored together"},
    {"source", 0, TH_OPT_TEXT, AT(source), "FAMILY:KEY=VALUE,...", NULL, "none",
     TH_NO_LIMITS, NULL, "data", TH_TRAIN | TH_EVALUATE | TH_VERIFY, true,
     "in place of a data set: one that is computed when asked for, with the "
     "values that generate would write; keys are options of generate that say "
     "what the data are, such as murata:examples=100000,attributes=1000000 or "
     "murata:n=100000,d=1000000"},
    {"split", 0, TH_OPT_CHOICE, AT(split), NULL, "auto",
     "auto: test if there is one, else all", TH_NO_LIMITS,
     th_option_names_split, "data", SCORES, false, "which examples to use"},
};

static const struct th_option after[] = {
    {"output", 'o', TH_OPT_TEXT, AT(output), "FILE", NULL, "required",
     TH_NO_LIMITS, NULL, "run", WRITES, false,
     "file to write; predict: - is the standard output"},
    {"memory", 0, TH_OPT_SIZE, AT(memory), "SIZE", NULL, "by the machine",
     TH_FROM(1), NULL, "run", TH_IMPORT | TH_TRAIN, false,
     "memory of a rank for values: read ones to keep, parsed ones to sort"},
    {"prefetch", 0, TH_OPT_FLAG, AT(prefetch), NULL, "yes", NULL, TH_NO_LIMITS,
     NULL, "run", TH_TRAIN, false,
     "read dense data from disk while the rank computes"},
    {"dry-run", 0, TH_OPT_FLAG, AT(dry_run), NULL, "no", NULL, TH_NO_LIMITS,
     NULL, "run", TH_TRAIN, false, "print the plan and stop"},
    {"report", 0, TH_OPT_TEXT, AT(report), "RUN.json", NULL, "none",
     TH_NO_LIMITS, NULL, "run", TH_TRAIN, false,
     "write times, memory and traffic of the run; - is the standard output"},
    {"telemetry", 0, TH_OPT_TEXT, AT(telemetry), "FILE.jsonl", NULL, "none",
     TH_NO_LIMITS, NULL, "run", TH_TRAIN, false,
     "write one JSON line per update; - is the standard output"},
    {"reference", 0, TH_OPT_TEXT, AT(reference), "MODEL.h5", NULL, "none",
     TH_NO_LIMITS, NULL, "run", TH_TRAIN, false,
     "telemetry also tells the distance of the coefficients from this model's"},
    {"json", 0, TH_OPT_FLAG, AT(json), NULL, "no", NULL, TH_NO_LIMITS, NULL,
     "run", TH_EVALUATE | TH_INSPECT | TH_BENCH | TH_VERIFY, false,
     "print the results as JSON"},
    {"check", 0, TH_OPT_FLAG, AT(check), NULL, "no", NULL, TH_NO_LIMITS, NULL,
     "run", TH_INSPECT, false, "read everything and verify every checksum"},
    {"retrain", 0, TH_OPT_FLAG, AT(retrain), NULL, "no", NULL, TH_NO_LIMITS,
     NULL, "run", TH_VERIFY, false,
     "also train anew by the model's own options, and compare every number, "
     "those of its path among them"},
    {"force", 'f', TH_OPT_FLAG, AT(force), NULL, "no", NULL, TH_NO_LIMITS, NULL,
     "run", TH_EVERY_COMMAND, false, "overwrite existing outputs"},
    {"quiet", 'q', TH_OPT_FLAG, AT(quiet), NULL, "no", NULL, TH_NO_LIMITS, NULL,
     "run", TH_EVERY_COMMAND, false, "no progress, no summary"},
    {"verbose", 'v', TH_OPT_FLAG, AT(verbose), NULL, "no", NULL, TH_NO_LIMITS,
     NULL, "run", TH_TRAIN, false,
     "also print what each phase and each outer loop of the run took"},
    {"deck", 0, TH_OPT_TEXT, AT(deck), "FILE.ini", NULL, "none", TH_NO_LIMITS,
     NULL, NULL, TH_EVERY_COMMAND, false,
     "read options from a file; the command line wins"},
    {"help", 'h', TH_OPT_FLAG, AT(help), NULL, NULL, NULL, TH_NO_LIMITS, NULL,
     NULL, TH_EVERY_COMMAND, false, "print this and stop"},
};

enum {
  BEFORE = sizeof before / sizeof *before,
  AFTER = sizeof after / sizeof *after
};

/* So that rows of training serve both records. */
_Static_assert(offsetof(struct th_options, config) == 0,
               "struct th_options begins with its configuration");
_Static_assert(BEFORE + AFTER + TH_TRAINING_OPTIONS_MOST <= TH_OPTIONS_MOST,
               "struct th_options keeps one byte per row");

int th_option_count(void)
{
  return BEFORE + th_training_options_count() + AFTER;
}

int th_option_training_first(void)
{
  return BEFORE;
}

const struct th_option *th_option_row(int k)
{
  int behind = k - BEFORE - th_training_options_count();
  if (k < BEFORE)
    return &before[k];
  return behind < 0 ? th_training_options_row(k - BEFORE) : &after[behind];
}

int th_option_find(const char *name)
{
  for (int k = 0; k < th_option_count(); k++)
    if (strcmp(th_option_row(k)->name, name) == 0)
      return k;
  return -1;
}
