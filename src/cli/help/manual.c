/* manual.c - the manual pages, in troff
 * SPDX-License-Identifier: MIT */
#include "cli/help/manual.h"

#include "cli/help/manual_table.h"
#include "cli/help/option_help.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* troff: a leading dot or quote and every backslash and minus are escaped; a
 * line may break behind a bar. */
static void man_text(FILE *out, const char *text)
{
  if (*text == '.' || *text == '\'')
    fputs("\\&", out);
  for (; *text != '\0'; text++) {
    if (*text == '\\')
      fputs("\\e", out);
    else if (*text == '-')
      fputs("\\-", out);
    else if (*text == '|')
      fputs("|\\:", out);
    else
      fputc(*text, out);
  }
}

static void man_option(FILE *out, const struct th_option *option)
{
  char text[TH_OPTION_HELP_TEXT];
  th_option_help_usage(option, text, sizeof text);
  fputs(".TP\n.B ", out);
  man_text(out, text);
  fputc('\n', out);
  th_option_help_describe(option, text, sizeof text);
  man_text(out, text);
  fputc('\n', out);
}

/* Options of a section that these commands have, less those of every command.
 */
static void man_options(FILE *out, const char *section, unsigned commands)
{
  const struct th_option *option;
  for (int row = -1;
       (option = th_option_help_next(&row, section, commands)) != NULL;)
    if (option->commands != TH_EVERY_COMMAND)
      man_option(out, option);
}

static void man_options_of_every(FILE *out)
{
  for (int k = 0; k < th_option_table_count(); k++)
    if (th_option_table_row(k)->commands == TH_EVERY_COMMAND)
      man_option(out, th_option_table_row(k));
}

static void man_paragraph(FILE *out, const char *text)
{
  fputs(".PP\n", out);
  man_text(out, text);
  fputc('\n', out);
}

static void man_synopsis(FILE *out, const struct th_command *command)
{
  bool takes = command->arguments[0] != '\0';
  fprintf(out, ".B thresher %s\n", command->name);
  if (takes)
    man_text(out, command->arguments);
  fprintf(out, "%s[\\fIoption\\fR]...\n", takes ? " " : "");
}

static void man_head(FILE *out, const char *command)
{
  fputs(".TH THRESHER", out);
  if (command != NULL)
    fputc('-', out);
  for (; command != NULL && *command != '\0'; command++)
    fputc(toupper((unsigned char)*command), out);
  fputs(" 1 \"\" \"thresher " THRESHER_VERSION "\"\n.ad l\n.SH NAME\n", out);
}

static void man_examples(FILE *out, unsigned commands)
{
  fputs(".SH EXAMPLES\n", out);
  for (const struct th_manual_example *row = th_manual_table_examples();
       row->commands != 0; row++) {
    if ((row->commands & commands) == 0)
      continue;
    man_paragraph(out, row->does);
    fputs(".PP\n.RS 4\n.nf\n", out);
    man_text(out, row->line);
    fputs("\n.fi\n.RE\n", out);
  }
}

static void man_things(FILE *out, const char *heading,
                       const struct th_manual_thing *row, unsigned commands)
{
  fprintf(out, ".SH %s\n", heading);
  for (; row->commands != 0; row++) {
    if ((row->commands & commands) == 0)
      continue;
    fputs(".TP\n.B ", out);
    man_text(out, row->name);
    fputc('\n', out);
    man_text(out, row->meaning);
    fputc('\n', out);
  }
}

static void man_exits(FILE *out, unsigned commands)
{
  fputs(".SH EXIT STATUS\n", out);
  for (const struct th_manual_exit *row = th_manual_table_exits();
       row->commands != 0; row++)
    if ((row->commands & commands) != 0) {
      fprintf(out, ".TP\n.B %d\n", row->status);
      man_text(out, row->meaning);
      fputc('\n', out);
    }
}

/* The pages of the other commands; only: of all, where it is NULL. */
static void man_others(FILE *out, const struct th_command *commands,
                       const struct th_command *but)
{
  fputs(".SH SEE ALSO\n", out);
  const char *joint = "";
  if (but != NULL) {
    fputs(".BR thresher (1)", out);
    joint = ",\n";
  }
  for (const struct th_command *c = commands; c->name != NULL; c++) {
    if (c == but)
      continue;
    fprintf(out, "%s.BR thresher\\-%s (1)", joint, c->name);
    joint = ",\n";
  }
  fputc('\n', out);
}

/* --- The page of a command ------------------------------------------------ */

/* Writes an output that may be there already. */
static bool writes(const struct th_command *command)
{
  int row = th_option_table_find_of("force", command->bit);
  return (th_option_table_row(row)->commands & command->bit) != 0;
}

/* The summary as a name's: without its capital and its stop. */
static void man_summary(FILE *out, const char *summary)
{
  size_t length = strlen(summary);
  fputc(tolower((unsigned char)summary[0]), out);
  fprintf(out, "%.*s\n", (int)length - 2, summary + 1);
}

void th_manual_print_command(FILE *out, const struct th_command *command,
                             const struct th_command *commands)
{
  man_head(out, command->name);
  fprintf(out, "thresher\\-%s \\- ", command->name);
  man_summary(out, command->summary);
  fputs(".SH SYNOPSIS\n", out);
  man_synopsis(out, command);
  fputs(".SH DESCRIPTION\n", out);
  man_text(out, command->summary);
  fputc('\n', out);
  if (command->help != NULL)
    man_paragraph(out, command->help);
  if (th_manual_table_launching(command->bit) != NULL)
    man_paragraph(out, th_manual_table_launching(command->bit));
  if (writes(command))
    man_paragraph(out, th_manual_table_writing());
  fputs(".SH OPTIONS\n", out);
  for (const char *const *section = th_option_help_sections(); *section != NULL;
       section++)
    man_options(out, *section, command->bit);
  man_options(out, NULL, command->bit);
  fputs(".SS Of every command\n", out);
  man_options_of_every(out);
  man_examples(out, command->bit);
  man_things(out, "FILES", th_manual_table_files(), command->bit);
  man_things(out, "ENVIRONMENT", th_manual_table_environment(), command->bit);
  man_exits(out, command->bit);
  man_others(out, commands, command);
}

/* --- The page of the program ---------------------------------------------- */

static void man_command(FILE *out, const struct th_command *command)
{
  fprintf(out, ".SS thresher %s ", command->name);
  man_text(out, command->arguments);
  fputc('\n', out);
  man_text(out, command->summary);
  fputc('\n', out);
  if (command->help != NULL)
    man_paragraph(out, command->help);
  for (const char *const *section = th_option_help_sections(); *section != NULL;
       section++)
    man_options(out, *section, command->bit);
}

static void man_deck(FILE *out)
{
  const struct th_option *option;
  fputs(".SH DECK\nOptions may come from a file, which \\-\\-deck names. It "
        "has lines name = value under\n[section], with the names of the long "
        "options. Options on the command line have priority.\n",
        out);
  for (const char *const *section = th_option_help_sections(); *section != NULL;
       section++) {
    fprintf(out, ".TP\n.B [%s]\n", *section);
    const char *joint = "";
    for (int row = -1; (option = th_option_help_next(
                            &row, *section, TH_EVERY_COMMAND)) != NULL;) {
      fputs(joint, out);
      man_text(out, option->name);
      joint = ", ";
    }
    fputc('\n', out);
  }
}

void th_manual_print(FILE *out, const struct th_command *commands)
{
  man_head(out, NULL);
  fputs("thresher \\- sparse linear models under an attribute budget\n.SH "
        "SYNOPSIS\n",
        out);
  for (const struct th_command *c = commands; c->name != NULL; c++) {
    man_synopsis(out, c);
    fputs(".br\n", out);
  }
  fputs(".SH DESCRIPTION\n", out);
  man_text(out, th_manual_table_about());
  fputc('\n', out);
  man_paragraph(out, th_manual_table_launching(TH_EVERY_COMMAND));
  man_paragraph(out, th_manual_table_writing());
  fputs(".SH OPTIONS OF EVERY COMMAND\n", out);
  man_options_of_every(out);
  fputs(".SH COMMANDS\n", out);
  for (const struct th_command *c = commands; c->name != NULL; c++)
    man_command(out, c);
  man_deck(out);
  man_things(out, "FILES", th_manual_table_files(), TH_EVERY_COMMAND);
  man_things(out, "ENVIRONMENT", th_manual_table_environment(),
             TH_EVERY_COMMAND);
  man_exits(out, TH_TRAIN);
  man_others(out, commands, NULL);
}
