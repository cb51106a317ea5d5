/* deck.c - options from a file: the same names, in sections by subject
 * SPDX-License-Identifier: MIT */
#include "cli/options/options.h"

#include "core/memory.h"
#include "core/model.h"

#include <errno.h>
#include <ini.h>
#include <string.h>
#include <sys/stat.h>

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

static char *next_line(char *line, int size, void *self)
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

static th_status keep(struct th_options *options, const char *value,
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

static th_status enter(struct deck *deck, const char *section, const char *name,
                       const char *value)
{
  struct th_options *options = deck->options;
  char where[512];
  int row = th_option_find(name);
  snprintf(where, sizeof where, "%s:%d", options->deck, deck->line);
  if (row < 0 || (th_option_row(row)->commands & deck->bit) == 0)
    return th_option_unknown(deck->options, where, "", name, deck->bit,
                             deck->err);
  if (th_option_row(row)->section == NULL)
    return th_fail(deck->err, TH_EUSAGE,
                   "%s: %s is for the command line, not for a deck", where,
                   name);
  if (strcmp(th_option_row(row)->section, section) != 0)
    return th_fail(deck->err, TH_EUSAGE,
                   "%s: %s belongs in section [%s], not in [%s]", where, name,
                   th_option_row(row)->section, section);
  if (options->given[row] == TH_GIVEN_IN_DECK)
    return th_fail(deck->err, TH_EUSAGE, "%s: %s is given twice", where, name);
  if (options->given[row] == TH_GIVEN_ON_LINE)
    return TH_OK;
  const char *kept = NULL;
  th_status rc = keep(options, value, &kept, deck->err);
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
  if (enter(deck, section, name, value) == TH_OK)
    return 1;
  deck->failed_line = deck->line;
  return 0;
}

static th_status read_text(const char *path, char **text, int64_t *length,
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
    rc = read_text(options->deck, &options->owned.deck, &length, err);
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
  int line = ini_parse_stream(next_line, &deck, handle, &deck);
  if (line > 0 && (deck.failed_line == 0 || line < deck.failed_line))
    return th_fail(err, TH_EUSAGE, "%s:%d: neither [section] nor name = value",
                   options->deck, line);
  if (deck.failed_line > 0)
    return th_fail(err, first.code, "%s", first.text);
  return line == 0 ? TH_OK : th_fail(err, TH_ENOMEM, "no memory for the deck");
}
