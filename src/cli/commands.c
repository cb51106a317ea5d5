/* commands.c - the table of commands, the one that lists solvers, and help
 * SPDX-License-Identifier: MIT */
#include "cli/commands.h"

#include "base/nearest.h"
#include "base/search.h"
#include "cli/bench/bench.h"
#include "cli/help/completion.h"
#include "cli/help/glossary.h"
#include "cli/help/manual.h"
#include "cli/help/manual_table.h"
#include "cli/help/option_help.h"
#include "cli/options/options.h"
#include "cli/shared/json.h"
#include "solvers/driver/train.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

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
  return json_pack("{ss ss ss ss so so sb}", "name", row->name, "summary",
                   row->summary, "for", row->for_whom, "source", row->source,
                   "needs", words(needs), "options",
                   words(th_solver_options(row)), "penalised", row->penalised);
}

static th_status print_objects(const struct th_solver_row *only,
                               struct th_error *err)
{
  json_t *list = json_array();
  for (const struct th_solver_row *row = th_solver_table(); row->name != NULL;
       row++)
    if (only == NULL || row == only)
      json_array_append_new(list, solver_object(row));
  return th_json_print(stdout, json_pack("{so}", "solvers", list),
                       JSON_INDENT(2), err);
}

static void print_solver(const struct th_solver_row *row);
static void describe_solver(FILE *out, const struct th_solver_row *row);

static const char *names_of_solvers(int64_t k)
{
  return th_solver_table()[k].name;
}

static th_status unknown_solver(const char *name, struct th_error *err)
{
  const char *meant = th_nearest(name, names_of_solvers);
  return th_fail(
      err, TH_EUSAGE,
      "solvers: %s is not a solver; %s%s%sthresher solvers lists them", name,
      meant != NULL ? "did you mean " : "", meant != NULL ? meant : "",
      meant != NULL ? "? " : "");
}

/* Local. */
static th_status list_solvers(const struct th_options *options,
                              struct th_comm *comm, struct th_error *err)
{
  const struct th_solver_row *only = NULL;
  if (options->arguments > 0) {
    only = th_solver_find(options->argument[0]);
    if (only == NULL)
      return unknown_solver(options->argument[0], err);
  }
  if (comm->rank != 0)
    return TH_OK;
  if (options->json)
    return print_objects(only, err);
  if (only != NULL)
    describe_solver(stdout, only);
  for (const struct th_solver_row *row = th_solver_table();
       only == NULL && row->name != NULL; row++)
    print_solver(row);
  return TH_OK;
}

/* Local. */
static th_status print_completion(const struct th_options *options,
                                  struct th_comm *comm, struct th_error *err)
{
  FILE *out = comm->rank == 0 ? stdout : NULL;
  return out == NULL ? TH_OK
                     : th_completion_print(out, options->argument[0],
                                           options->commands, err);
}

static const struct th_command table[] = {
    {"generate", TH_GENERATE, "FAMILY -o NAME.h5", 1, 1,
     "Makes a synthetic data set whose true coefficients are known.",
     "There are six families. murata has independent standard normal "
     "attributes. toeplitz has AR(1) correlation along the attributes. sparse "
     "has counts like those of text, with power-law frequencies. kukliansky "
     "has independent attributes that are 0 or 1, ones less and less often, "
     "and targets without noise. oomp has uniform attributes, independent or "
     "in a chain, and coefficients that fall linearly. genotypes counts rarer "
     "alleles on two haplotypes, in stretches of 256 linked variants. The data "
     "are "
     "the same for any number of ranks. With --test the last examples are the "
     "test examples.",
     th_generate_command},
    {"import", TH_IMPORT, "FILE... -o NAME.h5", 1, INT_MAX,
     "Turns tables, LIBSVM text, arrays or genotypes into a data set.",
     "Files compressed by gzip, bzip2, xz, zstd or lz4, and zip archives of "
     "one file, are read directly. FILE may be a folder, whose files are read "
     "in the order of their names, a pipe, or -, the standard input. The "
     "program "
     "prints which column of CSV is the target. Data without a target can be "
     "imported for predict. Give --like with the model, or with the data set "
     "that it was trained on. --target none is for data that get their "
     "targets from tables.",
     th_import_command},
    {"train", TH_TRAIN, "FILE|--source SPEC -o MODEL.h5", 1, 1,
     "Trains a sparse linear model under a budget, or with a penalty.",
     "Under a budget, only so many attributes of an example are observed. "
     "Without options the program chooses solver, budget, step size, batches "
     "and stopping. It prints what it chose. Solvers with a penalty read all "
     "attributes that they have not screened. FILE is a data set, or whatever "
     "import reads: then it is imported once, into FILE.thresher, and found "
     "there again as long as its content is the same.",
     th_train_command},
    {"evaluate", TH_EVALUATE, "MODEL.h5[,...] FILE|--source SPEC", 2, 2,
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
     "(1 + z) / 2, clipped into [0, 1]. With Poisson loss mse and r2 are those "
     "of the mean. relative_loss is the model's loss over "
     "that of a model that always predicts 0. Where the data have weights, "
     "examples count by them in all of these, n is the number of those whose "
     "weight is not 0, and a line says so; --unweighted counts each of these "
     "once. With several models, between commas, it prints the errors of each. "
     "FILE is a data set, or whatever import reads, which is imported like the "
     "data of the model.",
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
    {"predict", TH_PREDICT, "MODEL.h5[,...] FILE -o FILE.csv", 2, 2,
     "Writes the predictions of a model as CSV.",
     "There is one line for each example, in the order of the input. It holds "
     "the row (the number of the example in the input, counted from 0), the "
     "prediction and, with logistic loss, the probability, or with Poisson "
     "loss the mean, of which the prediction is the logarithm. Only "
     "the attributes of the support are read. With several models, between "
     "commas, each has columns by the name of its file, and what they use is "
     "read once. FILE is a data set, or whatever import reads, which is "
     "imported like the data of the model.",
     th_evaluate_predict},
    {"export", TH_EXPORT, "MODEL.h5", 1, 1,
     "Writes a model in a form that other programs read.",
     "Each form has the attributes of the support, their names if the data "
     "have some, and their coefficients in the units of the data. tsv has a "
     "line for the intercept and one for each attribute, and json has the same "
     "and how the model was trained; standardized is the coefficient times the "
     "standard deviation of its attribute, and order the place in which the "
     "solver chose it, if it chose in an order; mean stands for a value that "
     "is "
     "missing. In names of a table \\t, "
     "\\n, \\r and \\\\ are a tab, the two ends of a line and a backslash, "
     "and \\xHH is a byte that a terminal does not show, or a double quote. c "
     "is a function "
     "in C that computes what predict prints, to the last digit, and a "
     "probability or mean but for rounding. plink-score "
     "has the variants, their counted alleles and their weights, for plink2 "
     "--score. Attributes are counted from 0.",
     th_export_command},
    {"inspect", TH_INSPECT, "FILE.h5", 1, 1, "Describes a data set or a model.",
     "Of a data set it also tells rho_ridge and rho_lasso (Kukliansky & Shamir "
     "2015, equations 11 and 12), from the second moments of the attributes on "
     "the training examples. 1 means attributes alike. The smaller they are, "
     "the more it can help to draw attributes by their moments.",
     th_inspect_command},
    {"report", TH_REPORT, "FILE... -o FILE.html", 1, INT_MAX,
     "Makes a page with pictures of what runs have learnt and cost.",
     "FILE is a model, or what train has written by --telemetry or --report. "
     "Files of one run are put together by their data and options, and runs "
     "side by side. Each picture has a sentence that says what to read from "
     "it. The page is one file without scripts, which asks for nothing else. "
     "The last line of a telemetry may be cut off, as by a killed run.",
     th_report_command},
    {"watch", TH_WATCH, "DIR|RUN.jsonl", 1, 1,
     "Follows a run of train from another shell.",
     "RUN.jsonl is the file that the run was given by --telemetry. Of a "
     "folder, it is the newest one in it, those that are being written first. "
     "On a terminal a bar shows how much is done, the loss, the support and "
     "the time left; elsewhere lines do, one every few seconds. It ends with "
     "the run, or on Ctrl-C. The exit status is 1 if the run ended without "
     "finishing.",
     th_watch_command},
    {"solvers", TH_SOLVERS, "[NAME]", 0, 1,
     "Lists the solvers, or describes one with its options.", NULL,
     list_solvers},
    {"completion", TH_COMPLETION, "bash|zsh|fish", 1, 1,
     "Prints what a shell needs to complete command lines.",
     "For bash: source <(thresher completion bash), in ~/.bashrc. For zsh: a "
     "file _thresher in a folder of $fpath. For fish: "
     "~/.config/fish/completions/thresher.fish.",
     print_completion},
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

static const char *names_of_commands(int64_t k)
{
  return table[k].name;
}

th_status th_command_unknown(const char *name, struct th_error *err)
{
  const char *meant = th_nearest(name, names_of_commands);
  return th_fail(err, TH_EUSAGE,
                 "%s is not a command; %s%s%sthresher --help lists them", name,
                 meant != NULL ? "did you mean " : "",
                 meant != NULL ? meant : "", meant != NULL ? "? " : "");
}

/* --- Help, printed from the tables ---------------------------------------- */

enum { WIDTH = 79, INDENT = 8, TEXT = 1024 };

static void wrap(FILE *out, int indent, const char *text)
{
  int column = 0;
  while (*text != '\0') {
    int length = (int)strcspn(text, " ");
    if (column > 0 && column + 1 + length > WIDTH) {
      fputc('\n', out);
      column = 0;
    }
    if (column == 0)
      column = fprintf(out, "%*s", indent, "");
    else
      column += fprintf(out, " ");
    column += fprintf(out, "%.*s", length, text);
    text += length;
    text += strspn(text, " ");
  }
  fputc('\n', out);
}

/* Lines break behind a |; the next one is indented further. */
static void print_usage(FILE *out, const char *text)
{
  int indent = 2;
  while (strlen(text) + (size_t)indent > WIDTH) {
    int length = WIDTH - indent;
    while (length > 0 && text[length - 1] != '|')
      length--;
    if (length == 0)
      break;
    fprintf(out, "%*s%.*s\n", indent, "", length, text);
    text += length;
    indent = INDENT - 2;
  }
  fprintf(out, "%*s%s\n", indent, "", text);
}

/* An option as help has it: how it is written, and what it does. */
static void print_option(FILE *out, const struct th_option *option)
{
  char text[TEXT];
  th_option_help_usage(option, text, sizeof text);
  print_usage(out, text);
  th_option_help_describe(option, text, sizeof text);
  wrap(out, INDENT, text);
}

static void print_section(FILE *out, const char *section, unsigned bit)
{
  const struct th_option *option;
  bool first = true;
  for (int row = -1;
       (option = th_option_help_next(&row, section, bit)) != NULL;) {
    if (first && section != NULL)
      fprintf(out, "\nOptions, deck section [%s]:\n", section);
    else if (first)
      fprintf(out, "\nOptions for the command line only:\n");
    first = false;
    print_option(out, option);
  }
}

/* What most people need of commands with many options, up to NULL. */
struct essentials {
  unsigned bit;
  const char *names[24];
};

static const struct essentials essential[] = {
    {TH_TRAIN,
     {"output", "target", "ignore", "test", "solver", "budget", "sparsity",
      "loss", "seed", "checkpoint", "max-time", "memory", "dry-run", "report",
      "telemetry", "force", NULL}},
    {TH_IMPORT,
     {"output", "target", "ignore", "id", "weights", "format", "positive-class",
      "like", "append", "test", "memory", "force", NULL}},
    {TH_GENERATE,
     {"output", "examples", "attributes", "support", "noise", "test", "type",
      "seed", "force", NULL}},
    {TH_EVALUATE,
     {"target", "targets", "split", "lambda", "unweighted", "json", NULL}},
    {TH_PREDICT,
     {"output", "split", "lambda", "covariates", "id", "force", NULL}}};

static const struct essentials *essentials_of(const struct th_command *command)
{
  for (size_t k = 0; k < sizeof essential / sizeof *essential; k++)
    if (essential[k].bit == command->bit)
      return &essential[k];
  return NULL;
}

/* An option in a line: what it does, without its second sentence. */
static void print_brief(FILE *out, const struct th_option *option)
{
  enum { NAMES = 27 };
  char text[TEXT];
  char shown[TEXT];
  struct th_option brief = *option;
  if (option->choices != NULL && option->placeholder == NULL)
    brief.placeholder = "NAME";
  brief.choices = NULL;
  brief.section = NULL; /* without [no-] */
  th_option_help_usage(&brief, shown, sizeof shown);
  snprintf(text, sizeof text, "%s", option->help);
  char *end = strstr(text, ". ");
  if (end != NULL)
    *end = '\0';
  th_error_name_options(text, true);
  int room = WIDTH - NAMES - 1;
  if ((int)strlen(text) > room) {
    int cut = room - 3;
    while (cut > 0 && text[cut] != ' ')
      cut--;
    memcpy(text + cut, "...", 4);
  }
  fprintf(out, "  %-*s %s\n", NAMES - 2, shown, text);
}

static void print_essentials(FILE *out, const struct th_command *command,
                             const struct essentials *essentials)
{
  fprintf(out, "\nMost used options:\n");
  for (const char *const *name = essentials->names; *name != NULL; name++)
    print_brief(
        out, th_option_table_row(th_option_table_find_of(*name, command->bit)));
  fprintf(out,
          "\nthresher %s --help-all has all options, and their defaults.\n",
          command->name);
}

/* A line of a shell, in two where it is long. */
static void print_shell_line(FILE *out, const char *line)
{
  enum { WHOLE = 75, BROKEN = WHOLE - 2 };
  size_t cut = strlen(line);
  if (cut > WHOLE)
    for (cut = BROKEN; cut > 0 && strncmp(line + cut, " -", 2) != 0; cut--)
      ;
  if (cut == 0)
    cut = strlen(line);
  fprintf(out, "    %.*s", (int)cut, line);
  if (line[cut] != '\0')
    fprintf(out, " \\\n       %s", line + cut);
  fputc('\n', out);
}

static void print_example_lines(FILE *out, const struct th_command *command)
{
  fprintf(out, "\nExamples:\n");
  for (const struct th_manual_example *row = th_manual_table_examples();
       row->commands != 0; row++)
    if ((row->commands & command->bit) != 0) {
      wrap(out, 2, row->does);
      print_shell_line(out, row->line);
    }
}

void th_command_help(FILE *out, const struct th_command *command, bool all)
{
  const struct essentials *brief = all ? NULL : essentials_of(command);
  fprintf(out, "Usage: thresher %s%s%s [OPTION]...\n\n", command->name,
          command->arguments[0] == '\0' ? "" : " ", command->arguments);
  wrap(out, 0, command->summary);
  if (brief != NULL) {
    print_essentials(out, command, brief);
    return;
  }
  if (command->help != NULL) {
    fputc('\n', out);
    wrap(out, 0, command->help);
  }
  for (const char *const *section = th_option_help_sections(); *section != NULL;
       section++)
    print_section(out, *section, command->bit);
  print_section(out, NULL, command->bit);
  print_example_lines(out, command);
}

/* --- Solvers and words ---------------------------------------------------- */

static const char *needs_of(const struct th_solver_row *row)
{
  return row->needs_sparsity && row->needs_budget ? "-s, --budget"
         : row->needs_sparsity                    ? "-s"
         : row->needs_budget                      ? "--budget"
         : row->needs_start                       ? "--start"
                                                  : "nothing";
}

static void print_solver(const struct th_solver_row *row)
{
  printf("%s\n  %s\n  for:     %s\n  source:  %s\n  needs:   %s\n  options:",
         row->name, row->summary, row->for_whom, row->source, needs_of(row));
  for (const char *const *option = th_solver_options(row); *option != NULL;
       option++)
    printf(" --%s", *option);
  printf("%s\n", th_solver_options(row)[0] == NULL ? " none of its own" : "");
}

static void describe_solver(FILE *out, const struct th_solver_row *row)
{
  fprintf(out, "%s: %s\n\n", row->name, row->summary);
  fprintf(out, "for:     %s\nsource:  %s\nneeds:   %s\n", row->for_whom,
          row->source, needs_of(row));
  fprintf(out, "takes:   %s\n",
          row->penalised ? "a penalty: all attributes that screening has left "
                           "are read"
                         : "a budget: only so many attributes of an example "
                           "are observed");
  fprintf(out, "\nIts own options, beside those of every training:\n");
  for (const char *const *name = th_solver_options(row); *name != NULL; name++)
    print_option(out,
                 th_option_table_row(th_option_table_find_of(*name, TH_TRAIN)));
}

static void print_words(FILE *out)
{
  for (int64_t k = 0; th_glossary_word(k) != NULL; k++) {
    fprintf(out, "%s\n", th_glossary_word(k));
    wrap(out, 4, th_glossary_meaning(th_glossary_word(k)));
  }
}

/* What may be asked for: commands, solvers, words. */
static const char *names_of_topics(int64_t k)
{
  enum { COMMANDS = sizeof table / sizeof *table - 1 };
  int64_t solvers = 0;
  while (names_of_solvers(solvers) != NULL)
    solvers++;
  if (k < COMMANDS)
    return names_of_commands(k);
  if (k < COMMANDS + solvers)
    return names_of_solvers(k - COMMANDS);
  return th_glossary_word(k - COMMANDS - solvers);
}

static th_status unknown_topic(const char *topic, struct th_error *err)
{
  const char *meant = th_nearest(topic, names_of_topics);
  return th_fail(
      err, TH_EUSAGE,
      "help: %s is no command, no solver, no option and no word; "
      "%s%s%sthresher --help lists commands, thresher help words the "
      "words",
      topic, meant != NULL ? "did you mean " : "", meant != NULL ? meant : "",
      meant != NULL ? "? " : "");
}

/* Print help on one topic; false: there is none. */
static bool print_topic(FILE *out, const char *topic)
{
  const struct th_command *command = th_command_find(topic);
  const struct th_solver_row *solver = th_solver_find(topic);
  const char *meaning = th_glossary_meaning(topic);
  int row =
      th_option_table_find(strncmp(topic, "--", 2) == 0 ? topic + 2 : topic);
  if (strcmp(topic, "words") == 0)
    print_words(out);
  else if (command != NULL)
    th_command_help(out, command, false);
  else if (solver != NULL)
    describe_solver(out, solver);
  else if (meaning != NULL && topic[0] != '-')
    wrap(out, 0, meaning);
  else if (row >= 0)
    print_option(out, th_option_table_row(row));
  else
    return false;
  return true;
}

th_status th_command_help_on(int words, char **word, bool prints,
                             struct th_error *err)
{
  char topic[TEXT] = "";
  size_t used = 0;
  for (int k = 0; k < words && used < sizeof topic; k++)
    used += (size_t)snprintf(topic + used, sizeof topic - used, "%s%s",
                             k > 0 ? " " : "", word[k]);
  FILE *out = prints ? stdout : fopen("/dev/null", "w");
  if (out == NULL)
    return TH_OK;
  if (words == 0)
    th_command_help_program(out);
  bool known = words == 0 || print_topic(out, topic);
  if (out != stdout)
    fclose(out);
  return known ? TH_OK : unknown_topic(topic, err);
}

void th_command_help_program(FILE *out)
{
  fprintf(out, "Usage: thresher COMMAND [ARGUMENT]... [OPTION]...\n"
               "       thresher --help | --version | --man [COMMAND]\n\n");
  wrap(out, 0, th_manual_table_about());
  fprintf(out, "\nCommands:\n");
  for (const struct th_command *c = th_command_table(); c->name != NULL; c++)
    fprintf(out, "  %-10s %s\n", c->name, c->summary);
  fprintf(out,
          "\nthresher COMMAND --help has the most used options of a command, "
          "--help-all all.\nthresher help WORD explains a command, a solver, "
          "an option or a word,\nthresher help words all words. thresher "
          "--man prints the manual page,\nthresher --man COMMAND that of a "
          "command.\n\n");
  wrap(out, 0, th_manual_table_launching(TH_EVERY_COMMAND));
  fprintf(out, "\nExit status:\n");
  for (const struct th_manual_exit *row = th_manual_table_exits();
       row->commands != 0; row++)
    if ((row->commands & TH_TRAIN) != 0)
      fprintf(out, "  %d  %s\n", row->status, row->meaning);
}

th_status th_command_man(int words, char **word, bool prints,
                         struct th_error *err)
{
  const struct th_command *command =
      words > 0 ? th_command_find(word[0]) : NULL;
  if (words > 1)
    return th_fail(err, TH_EUSAGE, "--man takes the name of one command");
  if (words > 0 && command == NULL)
    return th_command_unknown(word[0], err);
  if (prints && command == NULL)
    th_manual_print(stdout, table);
  else if (prints)
    th_manual_print_command(stdout, command, table);
  return TH_OK;
}
