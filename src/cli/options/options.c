/* options.c - the command line, read through the option table
 * SPDX-License-Identifier: MIT */
#include "cli/options/options.h"

#include "core/memory.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { FLAG_OFF = 1000, LETTERS = 3 * TH_OPTIONS_MOST };

th_status th_options_init(struct th_options *options,
                          const struct th_command *commands,
                          struct th_error *err)
{
  *options =
      (struct th_options){.config = th_config_default(), .commands = commands};
  th_status rc = TH_OK;
  for (int k = 0; k < th_option_count() && rc == TH_OK; k++) {
    const struct th_option *option = th_option_row(k);
    if (option->start != NULL && option->start != th_option_by_config)
      rc = th_option_set(options, k, option->start, option->name, err);
  }
  return rc;
}

th_status th_option_set(struct th_options *options, int row, const char *value,
                        const char *where, struct th_error *err)
{
  return th_option_put(th_option_row(row), options, value, where, err);
}

void th_option_text(const struct th_options *options, int row, char *text,
                    size_t size)
{
  th_option_get(th_option_row(row), options, text, size);
}

void th_options_free(struct th_options *options)
{
  TH_FREE_LIST(options->owned.value, options->owned.count);
  TH_FREE(options->owned.deck, options->argument);
  *options = (struct th_options){0};
}

bool th_option_given(const struct th_options *options, const char *name)
{
  int row = th_option_find(name);
  return row >= 0 && options->given[row] != TH_NOT_GIVEN;
}

static bool has_negative(const struct th_option *option)
{
  return option->kind == TH_OPT_FLAG && option->section != NULL;
}

/* The rows of the table that the command accepts, in the form of getopt_long.
 * The values of long options are row numbers, plus FLAG_OFF for --no-NAME. */
struct getopt_form {
  char letters[LETTERS];
  struct option longs[2 * TH_OPTIONS_MOST + 1];
  char negatives[TH_OPTIONS_MOST][40];
};

static void build_form(struct getopt_form *form, unsigned bit)
{
  int count = th_option_count();
  char *letter = form->letters;
  struct option *row = form->longs;
  *letter++ = '-'; /* positional arguments in order, as code 1 */
  *letter++ = ':'; /* a missing value is ':' */
  for (int k = 0; k < count; k++) {
    if ((th_option_row(k)->commands & bit) == 0)
      continue;
    bool flag = th_option_row(k)->kind == TH_OPT_FLAG;
    *row++ = (struct option){th_option_row(k)->name,
                             flag ? no_argument : required_argument, NULL,
                             'z' + 1 + k};
    if (has_negative(th_option_row(k))) {
      snprintf(form->negatives[k], sizeof form->negatives[k], "no-%s",
               th_option_row(k)->name);
      *row++ = (struct option){form->negatives[k], no_argument, NULL,
                               'z' + 1 + k + FLAG_OFF};
    }
    if (th_option_row(k)->letter != 0) {
      *letter++ = th_option_row(k)->letter;
      if (!flag)
        *letter++ = ':';
    }
  }
  *letter = '\0';
  *row = (struct option){NULL, 0, NULL, 0};
}

static int row_of_letter(int letter, unsigned bit)
{
  int count = th_option_count();
  for (int k = 0; k < count; k++)
    if (th_option_row(k)->letter == letter &&
        (th_option_row(k)->commands & bit) != 0)
      return k;
  return -1;
}

static const char *command_of(const struct th_options *options,
                              unsigned commands)
{
  const struct th_command *command = options->commands;
  while (command->name != NULL && (command->bit & commands) == 0)
    command++;
  return command->name;
}

th_status th_option_unknown(const struct th_options *options, const char *where,
                            const char *dashes, const char *name, unsigned bit,
                            struct th_error *err)
{
  const char *bare = strncmp(name, "no-", 3) == 0 ? name + 3 : name;
  int row = th_option_find(name);
  if (row < 0)
    row = th_option_find(bare);
  const char *command = command_of(options, bit);
  if (row >= 0 && (th_option_row(row)->commands & bit) == 0)
    return th_fail(err, TH_EUSAGE, "%s: %s%s is an option of %s, not of %s",
                   where, dashes, name,
                   command_of(options, th_option_row(row)->commands), command);
  const char *nearest =
      row >= 0 ? th_option_row(row)->name : th_option_nearest(name, bit);
  if (nearest != NULL)
    return th_fail(err, TH_EUSAGE,
                   "%s: %s%s is not an option; did you mean %s%s?", where,
                   dashes, name, dashes, nearest);
  return th_fail(err, TH_EUSAGE,
                 "%s: %s%s is not an option; thresher %s --help lists them",
                 where, dashes, name, command);
}

/* A long name must be complete; getopt_long alone would accept an abbreviation.
 */
static th_status check_long(const struct th_options *options,
                            const char *command, const char *token,
                            const struct getopt_form *form, unsigned bit,
                            struct th_error *err)
{
  char name[64];
  size_t length = strcspn(token + 2, "=");
  snprintf(name, sizeof name, "%.*s", (int)length, token + 2);
  for (const struct option *row = form->longs; row->name != NULL; row++) {
    if (strcmp(row->name, name) != 0)
      continue;
    if (row->has_arg == no_argument && token[2 + length] == '=')
      return th_fail(err, TH_EUSAGE, "%s: --%s takes no value", command, name);
    return TH_OK;
  }
  return th_option_unknown(options, command, "--", name, bit, err);
}

static th_status take(struct th_options *options, int code, const char *command,
                      unsigned bit, struct th_error *err)
{
  bool off = code > 'z' + FLAG_OFF;
  int row = off          ? code - 'z' - 1 - FLAG_OFF
            : code > 'z' ? code - 'z' - 1
                         : row_of_letter(code, bit);
  char where[96];
  snprintf(where, sizeof where, "%s: --%s", command, th_option_row(row)->name);
  bool flag = th_option_row(row)->kind == TH_OPT_FLAG;
  const char *value = !flag ? optarg : off ? "no" : "yes";
  options->given[row] = TH_GIVEN_ON_LINE;
  return th_option_set(options, row, value, where, err);
}

static th_status refuse(const struct th_options *options, int code,
                        const char *command, const char *token, unsigned bit,
                        struct th_error *err)
{
  char letter[2] = {(char)optopt, '\0'};
  if (code != ':')
    return th_option_unknown(options, command, "-", letter, bit, err);
  if (strncmp(token, "--", 2) == 0)
    return th_fail(err, TH_EUSAGE, "%s: %s needs a value", command, token);
  return th_fail(err, TH_EUSAGE, "%s: -%s needs a value", command, letter);
}

static th_status read_line(struct th_options *options, const char *command,
                           unsigned bit, int argc, char **argv,
                           struct th_error *err)
{
  struct getopt_form form;
  build_form(&form, bit);
  th_status rc = TH_OK;
  int code = 0;
  opterr = 0;
  optind = 0; /* glibc: start anew */
  for (int at = 1; rc == TH_OK && code != -1; at = optind) {
    const char *token = at < argc ? argv[at] : "";
    if (strncmp(token, "--", 2) == 0 && token[2] != '\0')
      rc = check_long(options, command, token, &form, bit, err);
    if (rc == TH_OK)
      code = getopt_long(argc, argv, form.letters, form.longs, NULL);
    if (rc != TH_OK || code == -1)
      continue;
    if (code == 1)
      options->argument[options->arguments++] = optarg;
    else if (code == '?' || code == ':')
      rc = refuse(options, code, command, token, bit, err);
    else
      rc = take(options, code, command, bit, err);
  }
  while (rc == TH_OK && optind < argc) /* behind "--" */
    options->argument[options->arguments++] = argv[optind++];
  return rc;
}

static th_status check_arguments(const struct th_options *options,
                                 const struct th_command *command,
                                 struct th_error *err)
{
  const int named = options->source != NULL; /* in place of the data set */
  if (options->arguments < command->fewest - named)
    return th_fail(err, TH_EUSAGE,
                   "%s: too few arguments; usage: thresher %s %s",
                   command->name, command->name, command->arguments);
  if (named && options->arguments == command->most)
    return th_fail(err, TH_EUSAGE, "%s: both %s and --source; give one of them",
                   command->name, options->argument[command->most - 1]);
  if (options->arguments > command->most)
    return th_fail(err, TH_EUSAGE,
                   "%s: %s is one argument too many; usage: thresher %s %s",
                   command->name, options->argument[command->most],
                   command->name, command->arguments);
  int row = th_option_find("output");
  if ((th_option_row(row)->commands & command->bit) != 0 &&
      options->output == NULL && !options->dry_run)
    return th_fail(err, TH_EUSAGE, "%s: -o FILE is missing: where to write to",
                   command->name);
  return TH_OK;
}

th_status th_options_parse(struct th_options *options, struct th_comm *comm,
                           const struct th_command *command, int argc,
                           char **argv, struct th_error *err)
{
  unsigned bit = command->bit;
  th_status rc;
  TH_TRY(TH_NEW(&options->argument, argc, "arguments", err));
  TH_TRY(read_line(options, command->name, bit, argc, argv, err));
  if (options->help)
    return TH_OK;
  if (options->deck != NULL)
    TH_TRY(th_option_deck_read(options, comm, bit, err));
  TH_TRY(check_arguments(options, command, err));
  TH_TRY(th_option_files_check(options, comm, command->name, bit, err));
done:
  return rc;
}
