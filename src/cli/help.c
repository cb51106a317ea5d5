/* help.c - help and the man page, printed from the tables
 * SPDX-License-Identifier: MIT */
#include "cli/help.h"

#include "cli/options/options.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 79, INDENT = 8, TEXT = 1024 };

static const char *const sections[] = {"data", "model", "schedule", "run",
                                       NULL};

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

/* "-s, --sparsity K", "--[no-]quiet", "--type f32|f64". */
static void usage_text(const struct th_option *option, char *text, size_t size)
{
  int used = 0;
  if (option->letter != 0)
    used = snprintf(text, size, "-%c, ", option->letter);
  bool negative = option->kind == TH_OPT_FLAG && option->section != NULL;
  used += snprintf(text + used, size - (size_t)used, "--%s%s",
                   negative ? "[no-]" : "", option->name);
  if (option->placeholder != NULL)
    used +=
        snprintf(text + used, size - (size_t)used, " %s", option->placeholder);
  for (int64_t k = 0; option->choices != NULL && option->choices(k) != NULL;
       k++)
    used += snprintf(text + used, size - (size_t)used, "%c%s",
                     k == 0 && option->placeholder == NULL ? ' ' : '|',
                     option->choices(k));
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

static bool has_range(const struct th_option *option)
{
  return option->kind == TH_OPT_INT || option->kind == TH_OPT_REAL ||
         option->kind == TH_OPT_SIZE || option->kind == TH_OPT_TIME ||
         option->kind == TH_OPT_PERIOD;
}

/* "At least 1, at most 1024.": nothing for options without a range. */
static int describe_range(const struct th_option *option, char *text,
                          size_t size)
{
  const struct th_limits *limits = &option->limits;
  if (!has_range(option))
    return 0;
  int used = 0;
  if (isfinite(limits->lowest))
    used = snprintf(text, size, " %s %g",
                    limits->lowest_open ? "Above" : "At least", limits->lowest);
  else if (isfinite(limits->highest))
    return snprintf(text, size, " %s %.10g.",
                    limits->highest_open ? "Below" : "At most",
                    limits->highest);
  if (isfinite(limits->highest))
    used +=
        snprintf(text + used, size - (size_t)used, ", %s %.10g",
                 limits->highest_open ? "below" : "at most", limits->highest);
  return used + snprintf(text + used, size - (size_t)used, ".");
}

/* The help text with range and default, a sentence each. */
static void describe(const struct th_option *option, char *text, size_t size)
{
  char initial[TEXT];
  th_option_initial(option, initial, sizeof initial);
  const char *shown = option->shown != NULL ? option->shown : initial;
  int used = snprintf(text, size, "%s.", option->help);
  used += describe_range(option, text + used, size - (size_t)used);
  if (strcmp(shown, "required") == 0)
    snprintf(text + used, size - (size_t)used, " Required.");
  else if (shown[0] != '\0')
    snprintf(text + used, size - (size_t)used, " Default: %s.", shown);
  th_error_name_options(text, true);
}

/* Options of a command in a section; NULL: those of no section. */
static bool next_in_section(const struct th_option **option, int *row,
                            const char *section, unsigned bit)
{
  int count = th_option_table_count();
  while (++*row < count) {
    const char *own = th_option_table_row(*row)->section;
    bool same = own == section ||
                (own != NULL && section != NULL && strcmp(own, section) == 0);
    if (same && (th_option_table_row(*row)->commands & bit) != 0) {
      *option = th_option_table_row(*row);
      return true;
    }
  }
  return false;
}

static void print_section(FILE *out, const char *section, unsigned bit)
{
  const struct th_option *option;
  char text[TEXT];
  bool first = true;
  for (int row = -1; next_in_section(&option, &row, section, bit);) {
    if (first && section != NULL)
      fprintf(out, "\nOptions, deck section [%s]:\n", section);
    else if (first)
      fprintf(out, "\nOptions for the command line only:\n");
    first = false;
    usage_text(option, text, sizeof text);
    print_usage(out, text);
    describe(option, text, sizeof text);
    wrap(out, INDENT, text);
  }
}

void th_help_command(FILE *out, const struct th_command *command)
{
  fprintf(out, "Usage: thresher %s%s%s [OPTION]...\n\n", command->name,
          command->arguments[0] == '\0' ? "" : " ", command->arguments);
  wrap(out, 0, command->summary);
  if (command->help != NULL) {
    fputc('\n', out);
    wrap(out, 0, command->help);
  }
  for (int k = 0; sections[k] != NULL; k++)
    print_section(out, sections[k], command->bit);
  print_section(out, NULL, command->bit);
}

static const char about[] =
    "Trains sparse linear models on data with very many attributes. It reads "
    "as few attributes of each example as the method allows.";

static const char launching[] =
    "Under mpirun or srun every command that reads or writes data runs on "
    "all ranks. Without a launcher the program is a single rank. The model "
    "file is the same for any number of ranks. Results go to the standard "
    "output, everything else to the standard error.";

static const char writing[] =
    "An output gets its name when it is complete. It replaces a regular file "
    "only if --force is given. A symbolic link in its place is refused. So is "
    "a folder of shards that holds anything else. SIGINT, SIGTERM, SIGHUP and "
    "SIGUSR1 remove what is unfinished and end the run. With --checkpoint the "
    "first signal writes a checkpoint and stops the run; SIGUSR2 writes one "
    "and "
    "goes on; a file STOP in the folder of checkpoints stops the run, too. "
    "Solver oomp has a model at any time: without --checkpoint the first "
    "signal "
    "stops the run as --max-time does. Under mpirun only SIGUSR1 and SIGUSR2 "
    "do that, since the others leave no time to write. In place of a text "
    "file, - is the standard output.";

struct exit_row {
  int status;
  const char *meaning;
};

static const struct exit_row exits[] = {
    {0, "done"},
    {1, "failed: something is wrong with files, data or the run"},
    {2, "usage: the command line is wrong, or an option does not fit the data"},
    {3, "stopped early, by --max-time, a signal, a file STOP or the end of a "
        "Slurm job. With --checkpoint the same command goes on; otherwise the "
        "model is what was found by then. "
        "THRESHER_STOP_STATUS in the environment is another number for this"},
    {128, "or more: a signal ended the run; its number is the status less 128"},
};
enum { EXITS = sizeof exits / sizeof *exits };

void th_help_program(FILE *out)
{
  fprintf(out, "Usage: thresher COMMAND [ARGUMENT]... [OPTION]...\n"
               "       thresher --help | --version | --man\n\n");
  wrap(out, 0, about);
  fprintf(out, "\nCommands:\n");
  for (const struct th_command *c = th_command_table(); c->name != NULL; c++)
    fprintf(out, "  %-10s %s\n", c->name, c->summary);
  fprintf(out, "\nthresher COMMAND --help describes the options of a "
               "command.\nthresher --man prints the manual page.\n\n");
  wrap(out, 0, launching);
  fprintf(out, "\nExit status:\n");
  for (int k = 0; k < EXITS; k++)
    fprintf(out, "  %d  %s\n", exits[k].status, exits[k].meaning);
}

/* troff: a leading dot or quote and every backslash and minus are escaped. */
static void man_text(FILE *out, const char *text)
{
  if (*text == '.' || *text == '\'')
    fputs("\\&", out);
  for (; *text != '\0'; text++) {
    if (*text == '\\')
      fputs("\\e", out);
    else if (*text == '-')
      fputs("\\-", out);
    else
      fputc(*text, out);
  }
}

static void man_option(FILE *out, const struct th_option *option)
{
  char text[TEXT];
  usage_text(option, text, sizeof text);
  fputs(".TP\n.B ", out);
  man_text(out, text);
  fputc('\n', out);
  describe(option, text, sizeof text);
  man_text(out, text);
  fputc('\n', out);
}

static void man_command(FILE *out, const struct th_command *command)
{
  const struct th_option *option;
  fprintf(out, ".SS thresher %s ", command->name);
  man_text(out, command->arguments);
  fputc('\n', out);
  man_text(out, command->summary);
  fputc('\n', out);
  if (command->help != NULL) {
    fputs(".PP\n", out);
    man_text(out, command->help);
    fputc('\n', out);
  }
  for (int k = 0; sections[k] != NULL; k++)
    for (int row = -1;
         next_in_section(&option, &row, sections[k], command->bit);)
      if (option->commands != TH_EVERY_COMMAND)
        man_option(out, option);
}

static void man_deck(FILE *out)
{
  const struct th_option *option;
  fputs(".SH DECK\nOptions may come from a file, which \\-\\-deck names. It "
        "has lines name = value under\n[section], with the names of the long "
        "options. Options on the command line have priority.\n",
        out);
  for (int k = 0; sections[k] != NULL; k++) {
    fprintf(out, ".TP\n.B [%s]\n", sections[k]);
    const char *joint = "";
    for (int row = -1;
         next_in_section(&option, &row, sections[k], TH_EVERY_COMMAND);) {
      fputs(joint, out);
      man_text(out, option->name);
      joint = ", ";
    }
    fputc('\n', out);
  }
}

void th_help_man(FILE *out)
{
  int count = th_option_table_count();
  fputs(".TH THRESHER 1 \"\" \"thresher " THRESHER_VERSION "\"\n"
        ".SH NAME\nthresher \\- sparse linear models under an attribute "
        "budget\n.SH SYNOPSIS\n",
        out);
  for (const struct th_command *c = th_command_table(); c->name != NULL; c++) {
    fprintf(out, ".B thresher %s\n", c->name);
    if (c->arguments[0] != '\0')
      man_text(out, c->arguments);
    fprintf(out, "%s[\\fIoption\\fR]...\n.br\n",
            c->arguments[0] != '\0' ? " " : "");
  }
  fputs(".SH DESCRIPTION\n", out);
  man_text(out, about);
  fputs("\n.PP\n", out);
  man_text(out, launching);
  fputs("\n.PP\n", out);
  man_text(out, writing);
  fputs("\n.SH OPTIONS OF EVERY COMMAND\n", out);
  for (int k = 0; k < count; k++)
    if (th_option_table_row(k)->commands == TH_EVERY_COMMAND)
      man_option(out, th_option_table_row(k));
  fputs(".SH COMMANDS\n", out);
  for (const struct th_command *c = th_command_table(); c->name != NULL; c++)
    man_command(out, c);
  man_deck(out);
  fputs(".SH EXIT STATUS\n", out);
  for (int k = 0; k < EXITS; k++)
    fprintf(out, ".TP\n.B %d\n%s\n", exits[k].status, exits[k].meaning);
}
