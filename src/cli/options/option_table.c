/* option_table.c - every option of the program, once
 * SPDX-License-Identifier: MIT */
#include "api/training_options.h"
#include "cli/options/options.h"
#include "data/slab.h"
#include "io/import/import.h"

#include <string.h>

/* --- The names of what options choose from: the k-th one, NULL behind the last
 */

static const char *names_of_format(int64_t k)
{
  return th_import_table()[k].name;
}

static const char *names_of_type(int64_t k)
{
  return k < TH_TYPE_COUNT ? th_type_name((enum th_type)k) : NULL;
}

static const char *names_of_layout(int64_t k)
{
  if (k == 0)
    return "auto";
  return k <= TH_LAYOUT_COUNT ? th_type_layout_name((enum th_layout)(k - 1))
                              : NULL;
}

static const char *names_of_decimal(int64_t k)
{
  static const char *const names[TH_DECIMAL_COUNT + 1] = {
      [TH_DECIMAL_LIKE] = "auto",
      [TH_DECIMAL_POINT] = ".",
      [TH_DECIMAL_COMMA] = ","};
  return names[k];
}

static const char *names_of_header(int64_t k)
{
  static const char *const names[TH_HEADER_COUNT + 1] = {
      [TH_HEADER_AUTO] = "auto",
      [TH_HEADER_YES] = "yes",
      [TH_HEADER_NO] = "no"};
  return names[k];
}

static const char *names_of_labels(int64_t k)
{
  static const char *const names[TH_LABELS_COUNT + 1] = {
      [TH_LABELS_AUTO] = "auto",
      [TH_LABELS_PLAIN] = "plain",
      [TH_LABELS_WEIGHTED] = "weighted",
      [TH_LABELS_NONE] = "none"};
  return names[k];
}

static const char *names_of_split(int64_t k)
{
  static const char *const names[] = {[TH_SPLIT_AUTO] = "auto",
                                      [TH_SPLIT_TEST] = "test",
                                      [TH_SPLIT_TRAIN] = "train",
                                      [TH_SPLIT_ALL] = "all",
                                      NULL};
  return names[k];
}

static const char *names_of_form(int64_t k)
{
  static const char *const names[TH_EXPORT_FORMS + 1] = {
      [TH_EXPORT_TSV] = "tsv",
      [TH_EXPORT_JSON] = "json",
      [TH_EXPORT_C] = "c",
      [TH_EXPORT_PLINK] = "plink-score"};
  return names[k];
}

/* --- The table -------------------------------------------------------------
 */

#define AT(member) offsetof(struct th_options, member)
enum {
  MAKE = TH_GENERATE | TH_IMPORT,
  WRITES = MAKE | TH_TRAIN | TH_PREDICT | TH_EXPORT | TH_REPORT,
  SCORES = TH_EVALUATE | TH_PREDICT,
  JOINS = TH_TRAIN | TH_EVALUATE | TH_VERIFY,
  SYNTHETIC = TH_GENERATE | TH_SOURCE,
  READS = TH_IMPORT | TH_TRAIN | TH_EVALUATE | TH_PREDICT | TH_DIRECT,
  READS_FIRST = TH_IMPORT | TH_TRAIN | TH_DIRECT /* not with a model */
};

/* A parameter of one family. */
#define OWN(name) AT(synthetic.own.name)
#define NUMBER_ROW(name, family, initial, placeholder, lowest, highest,        \
                   lowest_open, highest_open, help)                            \
  {#name,                                                                      \
   0,                                                                          \
   TH_OPT_REAL,                                                                \
   OWN(name),                                                                  \
   placeholder,                                                                \
   initial,                                                                    \
   NULL,                                                                       \
   {lowest, highest, lowest_open, highest_open},                               \
   NULL,                                                                       \
   "data",                                                                     \
   SYNTHETIC,                                                                  \
   false,                                                                      \
   "For " family " only: " help},
#define CHOICE_ROW(name, family, initial, choices, help)                       \
  {#name,                                                                      \
   0,                                                                          \
   TH_OPT_CHOICE,                                                              \
   OWN(name),                                                                  \
   NULL,                                                                       \
   initial,                                                                    \
   NULL,                                                                       \
   TH_NO_LIMITS,                                                               \
   choices,                                                                    \
   "data",                                                                     \
   SYNTHETIC,                                                                  \
   false,                                                                      \
   "For " family " only: " help},

/* The options of training come between these two lists. */
static const struct th_option before[] = {
    /* data */
    {"examples", 'n', TH_OPT_INT, AT(data.examples), "N", NULL, "required",
     TH_FROM(1), NULL, "data", SYNTHETIC, false,
     "Number of examples to generate"},
    {"attributes", 'd', TH_OPT_INT, AT(data.attributes), "D", NULL,
     "for generate required; for import the largest index in the text, or "
     "those that occur where gaps are many",
     TH_FROM(1), NULL, "data", MAKE | TH_SOURCE | READS_FIRST, false,
     "Number of attributes of an example. When importing, a larger index is an "
     "error"},
    {"support", 0, TH_OPT_INT, AT(synthetic.support), "K", NULL,
     "chosen by the family", TH_FROM(1), NULL, "data", SYNTHETIC, false,
     "Number of attributes whose true coefficient is not zero. kukliansky "
     "takes "
     "no such number"},
    {"noise", 0, TH_OPT_REAL, AT(synthetic.noise), "S", NULL,
     "1; for kukliansky 0", TH_FROM(0), NULL, "data", SYNTHETIC, false,
     "Standard deviation of the noise in the targets. genotypes has a "
     "{heritability} in its place"},
    TH_FAMILY_PARAMETERS(NUMBER_ROW, CHOICE_ROW){
        "format", 0, TH_OPT_NAME, AT(text.format), NULL, "auto", NULL,
        TH_NO_LIMITS, names_of_format, "data", READS, false,
        "Format of the input files. auto recognises it by the text"},
    {"layout", 0, TH_OPT_CHOICE, AT(data.layout), NULL, "auto",
     "auto, which is the layout of --like, or else depends on the density",
     TH_NO_LIMITS, names_of_layout, "data", READS_FIRST, false,
     "How values are stored. dense stores every value, sparse only those that "
     "are not zero"},
    {"type", 0, TH_OPT_CHOICE, AT(data.type), NULL, "f32",
     "f32, or u2 for genotypes; for import the type of --like, if that is "
     "given",
     TH_NO_LIMITS, names_of_type, "data", MAKE | TH_SOURCE | READS_FIRST, false,
     "Type in which attribute values are stored. u8, i8 and u2 (whole numbers "
     "0 to 3) are refused where they are not exact"},
    {"header", 0, TH_OPT_CHOICE, AT(text.header), NULL, "auto",
     "auto, which takes the first row for names if one of its fields is not a "
     "number",
     TH_NO_LIMITS, names_of_header, "data", READS, false,
     "CSV only: whether the first row names the columns"},
    {"decimal", 0, TH_OPT_CHOICE, AT(text.decimal), NULL, NULL,
     "that of the data of {like}, or a point", TH_NO_LIMITS, names_of_decimal,
     "data", READS, false,
     "CSV only: the mark between whole numbers and fractions, a point or a "
     "comma"},
    {"levels", 0, TH_OPT_INT, AT(text.levels), "N", "100", NULL,
     TH_BETWEEN(0, 100000), NULL, "data", READS_FIRST, false,
     "CSV only: a column of at most so many different words becomes a group of "
     "attributes, one for each word, called COLUMN=WORD. 0: columns of words "
     "are refused"},
    {"missing", 0, TH_OPT_TEXT, AT(text.missing), "WORD,...", NULL,
     "that of the data of {like}, or none", TH_NO_LIMITS, NULL, "data",
     READS | TH_VERIFY, false,
     "How the text writes values that are missing, beside NA, N/A, NaN, null, "
     "None, ?, a dot, and nothing. The mean of the training examples stands "
     "for each. The word error refuses missing values. Tables of {targets} "
     "and {covariates} write them so, too, if it is given beside these, and "
     "the model keeps the words for other tables"},
    {"max-missing", 0, TH_OPT_REAL, AT(text.max_missing), "FRACTION", "0.5",
     NULL, TH_BETWEEN(0, 1), NULL, "data", READS_FIRST, false,
     "Attributes that a larger share of the training examples lacks are left "
     "out"},
    {"target", 0, TH_OPT_TEXT, AT(text.target), "COLUMN", NULL,
     "the last column, if the file has no header or the header calls it y, "
     "target, label, class, outcome or response; of a table the only one",
     TH_NO_LIMITS, NULL, "data", READS | JOINS, false,
     "The column of the target in CSV and arrays, or in the table of "
     "{targets}, "
     "by its name or by its number, counted from 1. For arrays also FILE.npy, "
     "FILE.npz:NAME or FILE.h5:/PATH with a number, or a word with "
     "{positive-class}, for each example, and in AnnData a column of obs. "
     "import takes none for data that "
     "get their targets from tables. train takes several with commas between "
     "them, and makes a model for each: of MODEL.h5, MODEL.NAME.h5"},
    {"targets", 0, TH_OPT_TEXT, AT(text.targets), "TABLE", NULL, "none",
     TH_NO_LIMITS, NULL, "data", JOINS, false,
     "Take targets from a table, CSV with a header or a .fam file, and find "
     "the examples by their IDs. Examples without a target count for nothing"},
    {"weights-column", 0, TH_OPT_TEXT, AT(text.weights_column), "COLUMN", NULL,
     "none", TH_NO_LIMITS, NULL, "data", JOINS, false,
     "The column of the example weights in the table of {targets}"},
    {"covariates", 0, TH_OPT_TEXT, AT(text.covariates), "TABLE", NULL, "none",
     TH_NO_LIMITS, NULL, "data", JOINS | TH_PREDICT, false,
     "Put the columns of a table beside the attributes, without a penalty, and "
     "find the examples by their IDs. The table is CSV with a header; words "
     "become attributes as import makes them, and means stand for what is "
     "missing. All columns but those of IDs and targets are taken, or those "
     "of TABLE:COLUMN,COLUMN. A model that has covariates is applied with a "
     "table of the same columns"},
    {"files", 0, TH_OPT_TEXT, AT(text.files), "LIST", NULL, "none",
     TH_NO_LIMITS, NULL, "data", TH_IMPORT, false,
     "More files to read, behind those that are named: a text file with one "
     "name on each line, as seen from the present folder, or -, the standard "
     "input"},
    {"names", 0, TH_OPT_TEXT, AT(text.names), "FILE", NULL,
     "those that the file has", TH_NO_LIMITS, NULL, "data", READS, false,
     "Arrays only: a text file with the name of each column on a line of its "
     "own"},
    {"weights", 0, TH_OPT_TEXT, AT(text.weights), "COLUMN", NULL, "none",
     TH_NO_LIMITS, NULL, "data", READS, false,
     "CSV and arrays: the column of the example weights, by its name or by its "
     "number, counted from 1, or a file as of --target"},
    {"ignore", 0, TH_OPT_TEXT, AT(text.ignore), "COLUMN,...", NULL, "none",
     TH_NO_LIMITS, NULL, "data", READS, false,
     "CSV and arrays: columns to leave out, by their names or by their "
     "numbers, "
     "counted from 1, with commas between them. A name with a comma in it "
     "stands in double quotes"},
    {"id", 0, TH_OPT_TEXT, AT(text.id), "COLUMN", NULL,
     "the column of the data of {like}; or names of rows as R writes them, or "
     "an index of words as pandas writes it, without a name",
     TH_NO_LIMITS, NULL, "data", READS, false,
     "CSV only: the column of the IDs of examples, by its name or by its "
     "number, counted from 1. predict writes them beside its predictions"},
    {"ids", 0, TH_OPT_TEXT, AT(text.ids), "FILE|COLUMN", NULL,
     "for import none; in a table FID and IID, or the column that is called "
     "IID, ID, or as the data call their IDs",
     TH_NO_LIMITS, NULL, "data", TH_IMPORT | JOINS | TH_PREDICT, false,
     "For import a file with the ID of an example on each line, in the order "
     "of the input. Otherwise the column of the IDs in the tables of "
     "{targets} and {covariates}"},
    {"positive-class", 0, TH_OPT_TEXT, AT(text.positive_class), "A", NULL,
     "the class of --like; without it targets are numbers, and in a table of "
     "{targets} two words are classes",
     TH_NO_LIMITS, NULL, "data", READS | JOINS, false,
     "Take class A against all others. Targets become 1 for A and -1 for the "
     "rest. Classes may be words"},
    {"zero-based", 0, TH_OPT_FLAG, AT(text.zero_based), NULL, NULL,
     "that of --like, or else no", TH_NO_LIMITS, NULL, "data", READS, false,
     "LIBSVM only: the first attribute has index 0, not 1"},
    {"labels", 0, TH_OPT_CHOICE, AT(text.labels), NULL, "auto",
     "auto, which is plain; with --like, as the lines look", TH_NO_LIMITS,
     names_of_labels, "data", READS, false,
     "LIBSVM only: what stands before the first index:value of a line. plain "
     "is a label, weighted is label:weight, and none is nothing, which goes "
     "with --like"},
    {"like", 0, TH_OPT_TEXT, AT(text.like), "OTHER.h5", NULL, "none",
     TH_NO_LIMITS, NULL, "data", TH_IMPORT, false,
     "Read text as that of another data set, or of the data of a model, was "
     "read. The data get its attributes, type, layout and positive class. "
     "Columns have the role that they had there. The target may be missing; "
     "such data serve predict only. Like a model, only attributes that it uses "
     "have to be there"},
    {"append", 0, TH_OPT_FLAG, AT(text.append), NULL, "no", NULL, TH_NO_LIMITS,
     NULL, "data", TH_IMPORT, false,
     "Add the examples to the data set that the output is, whose text the new "
     "one is read like. The data set is then that of one import of all files. "
     "It is replaced when the new one is whole"},
    {"max-line", 0, TH_OPT_SIZE, AT(text.max_line), "SIZE", "1G", NULL,
     TH_FROM(1), NULL, "data", READS, false,
     "Length of the longest line of text that is accepted, in bytes. K, M, G "
     "and T behind the number stand for powers of 1024. A line longer than 4M "
     "must also be within a sixteenth of --memory"},
    {"shuffle", 0, TH_OPT_FLAG, AT(text.shuffle), NULL, "yes", NULL,
     TH_NO_LIMITS, NULL, "data", TH_IMPORT, false,
     "Store the examples in a random order, which the seed determines"},
    {"test", 0, TH_OPT_REAL, AT(data.test), "FRACTION", "0", NULL, TH_FRACTION,
     NULL, "data", MAKE | TH_SOURCE | READS, false,
     "Share of the examples to set apart for testing"},
    {"test-file", 0, TH_OPT_TEXT, AT(text.test_file), "FILE", NULL, "none",
     TH_NO_LIMITS, NULL, "data", READS_FIRST, false,
     "A further file, which holds the test examples"},
    {"shards", 0, TH_OPT_INT, AT(data.shards), "K", NULL,
     "one for each GiB of data", TH_BETWEEN(1, 1024), NULL, "data", MAKE, false,
     "Number of files over which the attributes are spread"},
    {"row-group", 0, TH_OPT_INT, AT(data.row_group), "R", NULL,
     "chosen by the number of examples", TH_BETWEEN(1, 1048576), NULL, "data",
     MAKE | TH_SOURCE, false, "Number of examples that are stored together"},
    {"cache", 0, TH_OPT_TEXT, AT(cache), "FOLDER", NULL, "beside the file",
     TH_NO_LIMITS, NULL, "data",
     TH_TRAIN | TH_EVALUATE | TH_PREDICT | TH_DIRECT, false,
     "Where the data set is kept that is made of a file that is none, or of a "
     "table of {covariates}, in FILE.thresher"},
    {"source", 0, TH_OPT_TEXT, AT(source), "FAMILY:KEY=VALUE,...", NULL, "none",
     TH_NO_LIMITS, NULL, "data", TH_TRAIN | TH_EVALUATE | TH_VERIFY, true,
     "Use data that are computed on demand in place of a data set. Their "
     "values are those that generate would write. The keys are the options of "
     "generate that say what the data are. Examples: "
     "murata:examples=100000,attributes=1000000 and, the same, "
     "murata:n=100000,d=1000000"},
    {"split", 0, TH_OPT_CHOICE, AT(scores.split), NULL, "auto",
     "auto, which is test if there are test examples, and all otherwise",
     TH_NO_LIMITS, names_of_split, "data", SCORES, false,
     "Which examples to use"},
    {"as", 0, TH_OPT_CHOICE, AT(form), NULL, "tsv", NULL, TH_NO_LIMITS,
     names_of_form, "data", TH_EXPORT, false,
     "What to write. tsv is a table, json has also how the model was trained, "
     "c is a function in C that predicts, plink-score is a table for plink2 "
     "--score"},
};

static const struct th_option after[] = {
    {"output", 'o', TH_OPT_TEXT, AT(output), "FILE", NULL,
     "for export the standard output; else required", TH_NO_LIMITS, NULL, "run",
     WRITES, false,
     "File to write. For predict, export and report, - is the standard output"},
    {"threads", 0, TH_OPT_INT, AT(data.threads), "N", NULL,
     "the cores of the machine that the rank has for itself, if there is "
     "enough text or data for them",
     TH_BETWEEN(1, 1024), NULL, "run", MAKE, false,
     "Threads of each rank that read text or make values, as far as there is "
     "memory for them. The data set does not depend on them"},
    {"memory", 0, TH_OPT_SIZE, AT(memory), "SIZE", NULL,
     "two fifths of the rank's share of the machine's memory", TH_FROM(1), NULL,
     "run", TH_IMPORT | TH_TRAIN, false,
     "Memory of each rank for values, in bytes. K, M, G and T behind the "
     "number stand for powers of 1024. Training keeps the values that it has "
     "read there; importing sorts the values that it has parsed there, and "
     "keeps statistics of the attributes in as much again, or in 64M"},
    {"prefetch", 0, TH_OPT_FLAG, AT(reading.prefetch), NULL, "yes", NULL,
     TH_NO_LIMITS, NULL, "run", TH_TRAIN, false,
     "Read dense data from disk while the rank computes"},
    {"map", 0, TH_OPT_FLAG, AT(reading.map), NULL, "yes", NULL, TH_NO_LIMITS,
     NULL, "run", TH_TRAIN, false,
     "Use dense data where the system has them in memory, without a copy"},
    {"max-time", 0, TH_OPT_TIME, AT(max_time), "T", NULL, "no limit",
     TH_FROM(1), NULL, "run", TH_TRAIN, false,
     "Stop after so many seconds, or minutes and seconds as in 90:00, or "
     "HH:MM:SS, or days before these as in 1-12:00:00, or with a unit as in "
     "55m. The exit status is 3. With --checkpoint a checkpoint is written in "
     "time. Otherwise what was selected by then is fitted and written, if the "
     "solver can do that"},
    {"watchdog", 0, TH_OPT_TIME, AT(watchdog), "T", NULL, "none", TH_FROM(1),
     NULL, "run", (WRITES & ~(TH_EXPORT | TH_REPORT)) | TH_EVALUATE, false,
     "Print a note for each rank that waits for others, or that others wait "
     "for, for longer than this, as for --max-time: it tells which rank and "
     "host hold up a job"},
    {"checkpoint", 0, TH_OPT_TEXT, AT(checkpoint.folder), "FOLDER", NULL,
     "none", TH_NO_LIMITS, NULL, "run", TH_TRAIN, false,
     "Keep the state of the run in this folder. The same command goes on from "
     "there, on any number of ranks, and ends with the same model. The "
     "checkpoints are removed when the model is written"},
    {"checkpoint-every", 0, TH_OPT_PERIOD, AT(checkpoint.every), "T|Nu", "10m",
     NULL, TH_FROM(1), NULL, "run", TH_TRAIN, false,
     "Time from one checkpoint to the next, as for --max-time, or a number of "
     "updates as in 500u"},
    {"fresh", 0, TH_OPT_FLAG, AT(checkpoint.fresh), NULL, "no", NULL,
     TH_NO_LIMITS, NULL, "run", TH_TRAIN, false,
     "Remove the checkpoints that are there, and begin anew"},
    {"dry-run", 0, TH_OPT_FLAG, AT(dry_run), NULL, "no", NULL, TH_NO_LIMITS,
     NULL, "run", TH_TRAIN, false, "Print the plan and stop"},
    {"report", 0, TH_OPT_TEXT, AT(report), "RUN.json", NULL, "none",
     TH_NO_LIMITS, NULL, "run", TH_TRAIN | TH_IMPORT, false,
     "Write times, memory and traffic of the run to this file. - is the "
     "standard output"},
    {"telemetry", 0, TH_OPT_TEXT, AT(told.telemetry), "FILE.jsonl", NULL,
     "none", TH_NO_LIMITS, NULL, "run", TH_TRAIN, false,
     "Write one line of JSON for each update to this file. - is the standard "
     "output"},
    {"metrics", 0, TH_OPT_TEXT, AT(told.metrics), "FILE.prom", NULL, "none",
     TH_NO_LIMITS, NULL, "run", TH_TRAIN, false,
     "Write numbers of the run to this file every five seconds, in the text "
     "format of Prometheus. The file is replaced whole each time"},
    {"reference", 0, TH_OPT_TEXT, AT(told.reference), "MODEL.h5", NULL, "none",
     TH_NO_LIMITS, NULL, "run", TH_TRAIN, false,
     "Add to the telemetry how far the coefficients are from those of this "
     "model"},
    {"json", 0, TH_OPT_FLAG, AT(json), NULL, "no", NULL, TH_NO_LIMITS, NULL,
     "run", TH_EVALUATE | TH_INSPECT | TH_SOLVERS | TH_BENCH | TH_VERIFY, false,
     "Print the results as JSON"},
    {"lambda", 0, TH_OPT_TEXT, AT(scores.lambda), "X|best|1se|all", NULL,
     "that of the model", TH_NO_LIMITS, NULL, "run", SCORES, false,
     "Take the model at another lambda of the path that it was chosen from: "
     "the best on held-out examples, the largest within a standard error of "
     "it, or X. Between two lambdas of the path coefficients lie on the line "
     "through those of the two. all takes all of them, side by side"},
    {"unweighted", 0, TH_OPT_FLAG, AT(scores.unweighted), NULL, "no", NULL,
     TH_NO_LIMITS, NULL, "run", TH_EVALUATE, false,
     "Count every example once, whatever its weight, if it is not 0"},
    {"check", 0, TH_OPT_FLAG, AT(checks.bytes), NULL, "no", NULL, TH_NO_LIMITS,
     NULL, "run", TH_INSPECT, false,
     "Read everything, and verify every checksum"},
    {"path", 0, TH_OPT_FLAG, AT(checks.path), NULL, "no", NULL, TH_NO_LIMITS,
     NULL, "run", TH_INSPECT, false,
     "Show the path that a model was chosen from: lambdas, sizes, losses on "
     "held-out examples, and attributes in the order in which they enter"},
    {"data", 0, TH_OPT_TEXT, AT(checks.data), "NAME.h5", NULL, "none",
     TH_NO_LIMITS, NULL, "run", TH_INSPECT, false,
     "Tell mu of a model's attributes on the training examples of this data "
     "set: how well they explain one of the others, as a sum of magnitudes of "
     "coefficients (Saad, Blanchard & Arlot 2024, Assumption 2). And tell the "
     "least and the largest eigenvalue of their covariance"},
    {"retrain", 0, TH_OPT_FLAG, AT(checks.retrain), NULL, "no", NULL,
     TH_NO_LIMITS, NULL, "run", TH_VERIFY, false,
     "Also train the model anew by its own options, and compare every number, "
     "including those of its path"},
    {"force", 'f', TH_OPT_FLAG, AT(force), NULL, "no", NULL, TH_NO_LIMITS, NULL,
     "run", WRITES | TH_EVALUATE, false, "Overwrite existing outputs"},
    {"quiet", 'q', TH_OPT_FLAG, AT(quiet), NULL, "no", NULL, TH_NO_LIMITS, NULL,
     "run", TH_EVERY_COMMAND, false, "Print no progress and no summary"},
    {"verbose", 'v', TH_OPT_FLAG, AT(verbose), NULL, "no", NULL, TH_NO_LIMITS,
     NULL, "run", TH_TRAIN, false,
     "Also print how long each phase and each outer loop of the run took"},
    {"deck", 0, TH_OPT_TEXT, AT(deck), "FILE.ini", NULL, "none", TH_NO_LIMITS,
     NULL, NULL, TH_EVERY_COMMAND, false,
     "Read options from a file. Options on the command line have priority"},
    {"help", 'h', TH_OPT_FLAG, AT(help), NULL, NULL, NULL, TH_NO_LIMITS, NULL,
     NULL, TH_EVERY_COMMAND, false,
     "Print help and stop: of commands with many options those that most "
     "people "
     "need"},
    {"help-all", 0, TH_OPT_FLAG, AT(help_all), NULL, NULL, NULL, TH_NO_LIMITS,
     NULL, NULL, TH_EVERY_COMMAND, false,
     "Print help with all options and stop"},
};

enum {
  BEFORE = sizeof before / sizeof *before,
  AFTER = sizeof after / sizeof *after
};

/* A th_options begins with a th_config, so that rows of training serve both. */
_Static_assert(offsetof(struct th_options, config) == 0,
               "struct th_options begins with its configuration");
_Static_assert(BEFORE + AFTER + TH_TRAINING_OPTIONS_MOST <= TH_OPTIONS_MOST,
               "struct th_options keeps one byte per row");

int th_option_table_count(void)
{
  return BEFORE + th_training_options_count() + AFTER;
}

int th_option_table_training(void)
{
  return BEFORE;
}

const struct th_option *th_option_table_row(int k)
{
  int behind = k - BEFORE - th_training_options_count();
  if (k < BEFORE)
    return &before[k];
  return behind < 0 ? th_training_options_row(k - BEFORE) : &after[behind];
}

/* commands 0: of any. */
static int named_row(const char *name, unsigned commands)
{
  for (int k = 0; k < th_option_table_count(); k++)
    if ((commands == 0 || (th_option_table_row(k)->commands & commands) != 0) &&
        strcmp(th_option_table_row(k)->name, name) == 0)
      return k;
  return -1;
}

int th_option_table_find_of(const char *name, unsigned commands)
{
  int row = named_row(name, commands);
  return row >= 0 ? row : named_row(name, 0);
}

int th_option_table_find(const char *name)
{
  return th_option_table_find_of(name, TH_TRAIN);
}
