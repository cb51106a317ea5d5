/* option.h - an option: one row of a table that describes it completely
 *
 * The rows of training are in training_options.c, those of the program alone in
 * src/cli/options/option_table.c. A row names the member of a record that it
 * sets: of struct th_config, or of what begins with one (struct th_options).
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_OPTION_H
#define TH_OPTION_H

#include "base/error.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Commands of the program, as bits of an option's mask. */
enum th_command_bit {
  TH_GENERATE = 1 << 0,
  TH_IMPORT = 1 << 1,
  TH_TRAIN = 1 << 2,
  TH_EVALUATE = 1 << 3,
  TH_PREDICT = 1 << 4,
  TH_INSPECT = 1 << 5,
  TH_SOLVERS = 1 << 6,
  TH_BENCH = 1 << 7,
  TH_VERIFY = 1 << 8,
  TH_EXPORT = 1 << 9,
  TH_REPORT = 1 << 10,
  TH_WATCH = 1 << 11,
  TH_COMPLETION = 1 << 12,
  TH_EVERY_COMMAND = (1 << 13) - 1,
  TH_SOURCE = 1 << 13, /* no command: keys of --source */
  TH_DIRECT = 1 << 14  /* no command: how a file is read that is no data set */
};

enum th_given { TH_NOT_GIVEN, TH_GIVEN_IN_DECK, TH_GIVEN_ON_LINE };

enum th_option_kind {
  TH_OPT_FLAG,   /* bool; --NAME and --no-NAME; yes or no in a deck */
  TH_OPT_INT,    /* int64_t or uint64_t below 2^63 */
  TH_OPT_ROWS,   /* struct th_schedule_rows: 100 or 100,200,400 */
  TH_OPT_REAL,   /* double */
  TH_OPT_SIZE,   /* int64_t bytes; suffix K, M, G, T */
  TH_OPT_TIME,   /* int64_t seconds; also MM:SS, HH:MM:SS, D-HH:MM:SS, and units
                    s, m, h, d */
  TH_OPT_PERIOD, /* the same, or, negative, a number of updates: 500u */
  TH_OPT_TEXT,   /* const char * */
  TH_OPT_NAME,   /* const char *, one of the choices */
  TH_OPT_CHOICE  /* int, the index of one of the choices */
};

/* The k-th name of a choice, NULL after the last. */
typedef const char *(*th_choices)(int64_t k);

/* Both bounds belong to the range unless they are marked open. */
struct th_limits {
  double lowest;
  double highest;
  bool lowest_open;
  bool highest_open;
};

/* Limits as the tables write them. */
#define TH_FROM(low)                                                           \
  {                                                                            \
    (low), INFINITY, false, true                                               \
  }
#define TH_ABOVE(low)                                                          \
  {                                                                            \
    (low), INFINITY, true, true                                                \
  }
#define TH_BETWEEN(low, high)                                                  \
  {                                                                            \
    (low), (high), false, false                                                \
  }
#define TH_INSIDE(low, high)                                                   \
  {                                                                            \
    (low), (high), true, true                                                  \
  }
#define TH_FRACTION                                                            \
  {                                                                            \
    0.0, 1.0, false, true                                                      \
  }
#define TH_SHARE                                                               \
  {                                                                            \
    0.0, 1.0, true, false                                                      \
  }
#define TH_NO_LIMITS                                                           \
  {                                                                            \
    0.0, 0.0, false, false                                                     \
  }

struct th_option {
  const char *name; /* long name and key in a deck */
  char letter;      /* 0: none */
  enum th_option_kind kind;
  size_t offset;           /* in the record */
  const char *placeholder; /* in help; NULL for flags */
  const char *start;       /* initial value as text; NULL: zero, not given;
                              th_option_by_config: see there */
  const char *shown;       /* the default in help; NULL: start */
  struct th_limits limits; /* INT, REAL, SIZE */
  th_choices choices;      /* NAME, CHOICE; REAL: words, the k-th of which
                              stands for -1 - k */
  const char *section;     /* of the deck; NULL: command line only */
  unsigned commands;       /* enum th_command_bit */
  bool model;              /* can change the model: part of its deck */
  const char *help;        /* names other options as {name} */
};

/* As `start`: the value that th_config_default has. */
extern const char th_option_by_config[];

/* Set one option of a record from text; `where` opens the message of a failure
 * (an option of a command, or run.ini:3: budget). A text is borrowed. */
th_status th_option_put(const struct th_option *option, void *record,
                        const char *value, const char *where,
                        struct th_error *err);

/* The value of an option as text that th_option_put reads back. */
void th_option_get(const struct th_option *option, const void *record,
                   char *text, size_t size);

/* The value that `start` stands for, as text; may be empty. */
void th_option_initial(const struct th_option *option, char *text, size_t size);

#endif
