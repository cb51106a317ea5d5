/* options.c - the command line, read through the option table
 * SPDX-License-Identifier: MIT */
#include "cli/options/options.h"

#include "base/memory.h"
#include "base/nearest.h"
#include "io/files/output.h"
#include "io/import/import.h"
#include "model/model.h"

#include <errno.h>
#include <getopt.h>
#include <ini.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- No output may replace an input or another output --------------------- */

/* Local. other: an input, or another output. */
static th_status check_pair(const char *command, const char *output,
                            const char *other, const char *what,
                            struct th_error *err)
{
  if (output == NULL || other == NULL || !th_output_path_same(output, other))
    return TH_OK;
  return th_fail(err, TH_EUSAGE,
                 "%s: output %s is %s as well; choose another name", command,
                 output, what);
}

/* Local. Inputs that are data sets have shards; so have outputs that are. */
static th_status check_input(const char *command, unsigned bit,
                             const char *output, const char *input,
                             struct th_error *err)
{
  bool shards = (bit & (TH_GENERATE | TH_IMPORT)) != 0;
  th_status rc = check_pair(command, output, input, "an input", err);
  if (rc != TH_OK || output == NULL || input == NULL)
    return rc;
  if (strcmp(output, "-") != 0 && th_output_path_among_shards(output, input))
    return th_fail(err, TH_EUSAGE,
                   "%s: output %s lies among the shards of %s; choose another "
                   "folder",
                   command, output, input);
  if (shards && th_output_path_among_shards(input, output))
    return th_fail(err, TH_EUSAGE,
                   "%s: input %s lies where output %s keeps its shards; choose "
                   "another name",
                   command, input, output);
  return TH_OK;
}

/* Local: rank 0. */
static th_status check(const struct th_options *options, const char *command,
                       unsigned bit, struct th_error *err)
{
  const char *const outputs[] = {options->output, options->report,
                                 options->told.telemetry,
                                 options->told.metrics};
  const char *const inputs[] = {
      options->text.like,         options->text.test_file,
      options->config.start.text, options->config.group.file,
      options->told.reference,    options->deck};
  th_status rc = TH_OK;
  for (size_t k = 0; k < sizeof outputs / sizeof *outputs; k++) {
    const char *output = outputs[k];
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
      TH_TRY(check_input(command, bit, output, inputs[i], err));
    /* the argument of generate is no file but a family */
    for (int i = 0; i < options->arguments && bit != TH_GENERATE; i++)
      TH_TRY(check_input(command, bit, output, options->argument[i], err));
    for (size_t i = 0; i < k; i++)
      TH_TRY(check_pair(command, output, outputs[i], "another output", err));
  }
done:
  return rc;
}

/* Refuse an output that would replace an input, and two outputs in one file,
 * with TH_EUSAGE, even with --force. Collective: as rank 0 sees the files. */
static th_status option_files_check(const struct th_options *options,
                                    struct th_comm *comm, const char *command,
                                    unsigned bit, struct th_error *err)
{
  th_status rc = TH_OK;
  if (comm->rank == 0)
    rc = check(options, command, bit, err);
  return th_agree(comm, rc, err);
}

/* --- The option that a misspelt name may stand for ------------------------ */

const char *th_option_nearest(const char *name, unsigned commands)
{
  int count = th_option_table_count();
  const char *nearest = NULL;
  const char *bare = strncmp(name, "no-", 3) == 0 ? name + 3 : name;
  int best = th_nearest_most(name) + 1;
  for (int k = 0; k < count; k++) {
    int far = th_nearest_distance(bare, th_option_table_row(k)->name);
    if ((th_option_table_row(k)->commands & commands) != 0 && far < best) {
      best = far;
      nearest = th_option_table_row(k)->name;
    }
  }
  return nearest;
}

/* --- The command line ----------------------------------------------------- */

enum { FLAG_OFF = 1000, LETTERS = 3 * TH_OPTIONS_MOST };

th_status th_options_init(struct th_options *options,
                          const struct th_command *commands,
                          struct th_error *err)
{
  *options =
      (struct th_options){.config = th_config_default(), .commands = commands};
  th_status rc = TH_OK;
  for (int k = 0; k < th_option_table_count() && rc == TH_OK; k++) {
    const struct th_option *option = th_option_table_row(k);
    if (option->start != NULL && option->start != th_option_by_config)
      rc = th_option_set(options, k, option->start, option->name, err);
  }
  return rc;
}

th_status th_option_set(struct th_options *options, int row, const char *value,
                        const char *where, struct th_error *err)
{
  return th_option_put(th_option_table_row(row), options, value, where, err);
}

void th_option_text(const struct th_options *options, int row, char *text,
                    size_t size)
{
  th_option_get(th_option_table_row(row), options, text, size);
}

void th_options_free(struct th_options *options)
{
  TH_FREE_LIST(options->owned.value, options->owned.count);
  TH_FREE(options->owned.deck, options->argument);
  *options = (struct th_options){0};
}

bool th_option_given(const struct th_options *options, const char *name)
{
  int row = th_option_table_find(name);
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
  int count = th_option_table_count();
  char *letter = form->letters;
  struct option *row = form->longs;
  *letter++ = '-'; /* positional arguments in order, as code 1 */
  *letter++ = ':'; /* a missing value is ':' */
  for (int k = 0; k < count; k++) {
    if ((th_option_table_row(k)->commands & bit) == 0)
      continue;
    bool flag = th_option_table_row(k)->kind == TH_OPT_FLAG;
    *row++ = (struct option){th_option_table_row(k)->name,
                             flag ? no_argument : required_argument, NULL,
                             'z' + 1 + k};
    if (has_negative(th_option_table_row(k))) {
      snprintf(form->negatives[k], sizeof form->negatives[k], "no-%s",
               th_option_table_row(k)->name);
      *row++ = (struct option){form->negatives[k], no_argument, NULL,
                               'z' + 1 + k + FLAG_OFF};
    }
    if (th_option_table_row(k)->letter != 0) {
      *letter++ = th_option_table_row(k)->letter;
      if (!flag)
        *letter++ = ':';
    }
  }
  *letter = '\0';
  *row = (struct option){NULL, 0, NULL, 0};
}

static int row_of_letter(int letter, unsigned bit)
{
  int count = th_option_table_count();
  for (int k = 0; k < count; k++)
    if (th_option_table_row(k)->letter == letter &&
        (th_option_table_row(k)->commands & bit) != 0)
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

/* Refuse an option that no row of `commands` accepts, with TH_EUSAGE. The
 * message names it and the option that may have been meant. `where` opens the
 * message; `dashes` is "--" on the command line and empty in a deck. Local. */
static th_status option_unknown(const struct th_options *options,
                                const char *where, const char *dashes,
                                const char *name, unsigned bit,
                                struct th_error *err)
{
  const char *bare = strncmp(name, "no-", 3) == 0 ? name + 3 : name;
  int row = th_option_table_find_of(name, bit);
  if (row < 0)
    row = th_option_table_find_of(bare, bit);
  const char *command = command_of(options, bit);
  if (row >= 0 && (th_option_table_row(row)->commands & bit) == 0)
    return th_fail(
        err, TH_EUSAGE, "%s: %s%s is an option of %s, not of %s", where, dashes,
        name, command_of(options, th_option_table_row(row)->commands), command);
  const char *nearest =
      row >= 0 ? th_option_table_row(row)->name : th_option_nearest(name, bit);
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
  return option_unknown(options, command, "--", name, bit, err);
}

static th_status take(struct th_options *options, int code, const char *command,
                      unsigned bit, struct th_error *err)
{
  bool off = code > 'z' + FLAG_OFF;
  int row = off          ? code - 'z' - 1 - FLAG_OFF
            : code > 'z' ? code - 'z' - 1
                         : row_of_letter(code, bit);
  char where[96];
  snprintf(where, sizeof where, "%s: --%s", command,
           th_option_table_row(row)->name);
  bool flag = th_option_table_row(row)->kind == TH_OPT_FLAG;
  const char *value = !flag ? optarg : off ? "no" : "yes";
  options->given[row] = TH_GIVEN_ON_LINE;
  return th_option_set(options, row, value, where, err);
}

static th_status refuse_token(const struct th_options *options, int code,
                              const char *command, const char *token,
                              unsigned bit, struct th_error *err)
{
  char letter[2] = {(char)optopt, '\0'};
  if (code != ':')
    return option_unknown(options, command, "-", letter, bit, err);
  if (strncmp(token, "--", 2) == 0)
    return th_fail(err, TH_EUSAGE, "%s: %s needs a value", command, token);
  return th_fail(err, TH_EUSAGE, "%s: -%s needs a value", command, letter);
}

static th_status read_command_line(struct th_options *options,
                                   const char *command, unsigned bit, int argc,
                                   char **argv, struct th_error *err)
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
      rc = refuse_token(options, code, command, token, bit, err);
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
  if (options->arguments + (options->text.files != NULL) <
      command->fewest - named)
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
  int row = th_option_table_find("output");
  if ((th_option_table_row(row)->commands & command->bit) != 0 &&
      command->bit != TH_EXPORT && options->output == NULL && !options->dry_run)
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
  TH_TRY(read_command_line(options, command->name, bit, argc, argv, err));
  if (options->help || options->help_all)
    return TH_OK;
  if (options->deck != NULL)
    TH_TRY(th_option_deck_read(options, comm, bit, err));
  TH_TRY(check_arguments(options, command, err));
  TH_TRY(option_files_check(options, comm, command->name, bit, err));
done:
  return rc;
}

/* --- Options from a file: the same names, in sections by subject ---------- */

enum { DECK_MOST = 1 << 20 };

/* The text that inih reads line by line. It counts lines, as inih does not pass
 * line numbers to its handler. */
struct deck {
  struct th_options *options;
  unsigned bit;
  const char *next; /* rest of the text */
  int line;
  int failed_line; /* 0: none */
  struct th_error *err;
};

static char *next_deck_line(char *line, int size, void *self)
{
  struct deck *deck = self;
  size_t length = strcspn(deck->next, "\n");
  if (deck->next[0] == '\0')
    return NULL;
  deck->line++;
  if (length + 2 > (size_t)size) {
    th_fail(deck->err, TH_EUSAGE,
            "%s:%d: the line is longer than %d characters", deck->options->deck,
            deck->line, size - 2);
    deck->failed_line = deck->line;
    return NULL;
  }
  memcpy(line, deck->next, length);
  line[length] = '\0';
  deck->next += length + (deck->next[length] == '\n');
  return line;
}

static th_status keep_text(struct th_options *options, const char *value,
                           const char **kept, struct th_error *err)
{
  th_status rc = TH_GROW(&options->owned.value, &options->owned.capacity,
                         options->owned.count + 1, "the deck", err);
  if (rc != TH_OK)
    return rc;
  char *copy = th_model_copy_string(value);
  if (copy == NULL)
    return th_fail(err, TH_ENOMEM, "no memory for the deck");
  options->owned.value[options->owned.count++] = copy;
  *kept = copy;
  return TH_OK;
}

static th_status set_from_deck(struct deck *deck, const char *section,
                               const char *name, const char *value)
{
  struct th_options *options = deck->options;
  char where[512];
  int row = th_option_table_find_of(name, deck->bit);
  snprintf(where, sizeof where, "%s:%d", options->deck, deck->line);
  if (row < 0 || (th_option_table_row(row)->commands & deck->bit) == 0)
    return option_unknown(deck->options, where, "", name, deck->bit, deck->err);
  if (th_option_table_row(row)->section == NULL)
    return th_fail(deck->err, TH_EUSAGE,
                   "%s: %s is for the command line, not for a deck", where,
                   name);
  if (strcmp(th_option_table_row(row)->section, section) != 0)
    return th_fail(deck->err, TH_EUSAGE,
                   "%s: %s belongs in section [%s], not in [%s]", where, name,
                   th_option_table_row(row)->section, section);
  if (options->given[row] == TH_GIVEN_IN_DECK)
    return th_fail(deck->err, TH_EUSAGE, "%s: %s is given twice", where, name);
  if (options->given[row] == TH_GIVEN_ON_LINE)
    return TH_OK;
  const char *kept = NULL;
  th_status rc = keep_text(options, value, &kept, deck->err);
  if (rc != TH_OK)
    return rc;
  snprintf(where, sizeof where, "%s:%d: %s", options->deck, deck->line, name);
  options->given[row] = TH_GIVEN_IN_DECK;
  return th_option_set(options, row, kept, where, deck->err);
}

/* Handle a setting; inih expects 0 for a failure. */
static int handle(void *self, const char *section, const char *name,
                  const char *value)
{
  struct deck *deck = self;
  if (deck->failed_line > 0)
    return 0;
  if (set_from_deck(deck, section, name, value) == TH_OK)
    return 1;
  deck->failed_line = deck->line;
  return 0;
}

static th_status read_deck_file(const char *path, char **text, int64_t *length,
                                struct th_error *err)
{
  struct stat what = {0};
  /* looked at first: to open a pipe may last for ever */
  bool other = stat(path, &what) == 0 && !S_ISREG(what.st_mode);
  FILE *file = other ? NULL : fopen(path, "r");
  if (file == NULL)
    return th_fail(err, TH_EIO, "deck %s: %s", path,
                   other ? "not a file" : strerror(errno));
  int64_t most = what.st_size < DECK_MOST ? what.st_size : DECK_MOST;
  th_status rc = TH_NEW(text, most + 2, "the deck", err);
  if (rc == TH_OK) {
    *length = (int64_t)fread(*text, 1, (size_t)most + 1, file);
    if (ferror(file) || *length > most)
      rc = th_fail(err, TH_EIO, "deck %s: %s", path,
                   ferror(file)       ? "cannot be read"
                   : most < DECK_MOST ? "grows while it is read"
                                      : "larger than 1 MiB");
  }
  fclose(file);
  return rc;
}

/* A text ends at a byte 0: what is behind it would not count. */
static th_status check_bytes(const struct th_options *options, int64_t length,
                             struct th_error *err)
{
  const char *text = options->owned.deck;
  int64_t zero = (int64_t)strlen(text);
  int64_t line = 1;
  int64_t begin = 0; /* of that line */
  for (int64_t k = 0; k < zero; k++)
    if (text[k] == '\n') {
      line++;
      begin = k + 1;
    }
  if (zero == length)
    return TH_OK;
  return th_fail(err, TH_EUSAGE,
                 "%s:%lld:%lld: a byte 0 found, so this is not a text file; "
                 "correct the line, or name another deck",
                 options->deck, (long long)line, (long long)(zero - begin + 1));
}

/* Collective: give rank 0's text to all ranks. */
static th_status share_text(struct th_options *options, struct th_comm *comm,
                            struct th_error *err)
{
  int64_t length = 0;
  th_status rc = TH_OK;
  if (comm->rank == 0)
    rc = read_deck_file(options->deck, &options->owned.deck, &length, err);
  TH_TRY(th_agree(comm, rc, err));
  comm->ops->bcast(comm, &length, sizeof length, 0);
  if (comm->rank != 0)
    rc = TH_NEW(&options->owned.deck, length + 1, "the deck", err);
  TH_TRY(th_agree(comm, rc, err));
  comm->ops->bcast(comm, options->owned.deck, (size_t)length, 0);
  options->owned.deck[length] = '\0';
  rc = check_bytes(options, length, err);
done:
  return rc;
}

th_status th_option_deck_read(struct th_options *options, struct th_comm *comm,
                              unsigned bit, struct th_error *err)
{
  th_status rc = share_text(options, comm, err);
  if (rc != TH_OK)
    return rc;
  struct deck deck = {
      .options = options, .bit = bit, .next = options->owned.deck, .err = err};
  struct th_error first;
  th_error_clear(&first);
  deck.err = &first;
  int line = ini_parse_stream(next_deck_line, &deck, handle, &deck);
  if (line > 0 && (deck.failed_line == 0 || line < deck.failed_line))
    return th_fail(err, TH_EUSAGE, "%s:%d: neither [section] nor name = value",
                   options->deck, line);
  if (deck.failed_line > 0)
    return th_fail(err, first.code, "%s", first.text);
  return line == 0 ? TH_OK : th_fail(err, TH_ENOMEM, "no memory for the deck");
}

int64_t th_options_memory_to_keep(const struct th_options *options,
                                  int64_t share)
{
  return options->memory > 0 ? options->memory : share / 5 * 2;
}

th_status th_options_output_check(struct th_comm *comm, const char *path,
                                  bool text, bool force, struct th_error *err)
{
  struct th_output output = {.file = -1};
  th_status rc = TH_OK;
  if (path == NULL)
    return TH_OK;
  if (comm->rank == 0) {
    rc = (text ? th_output_begin_text : th_output_begin)(&output, path, force,
                                                         err);
    th_output_abort(&output);
  }
  return th_agree(comm, rc, err);
}
