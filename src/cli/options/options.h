/* options.h - one table of options: parsing, decks, help and the man page
 *
 * Every option is one row of a table (api/option.h). The command line and the
 * deck (--deck FILE.ini) fill the same struct th_options through it; --help,
 * the man page and the deck inside a model are printed from it.
 * SPDX-License-Identifier: MIT */
#ifndef TH_OPTIONS_H
#define TH_OPTIONS_H

#include "api/option.h"
#include "api/training.h"
#include "base/error.h"
#include "model/origin.h"
#include "ranks/comm.h"
#include "solvers/config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* --- What the option parser knows about a command ------------------------- */

struct th_options;

/* One row per command, ended by a NULL name. */
struct th_command {
  const char *name;
  unsigned bit;          /* of the option table's masks */
  const char *arguments; /* positional, as shown in help */
  int fewest;            /* positional arguments */
  int most;
  const char *summary;
  const char *help; /* a paragraph, or NULL */
  /* Collective. Results go to stdout on rank 0. */
  th_status (*run)(const struct th_options *options, struct th_comm *comm,
                   struct th_error *err);
};

enum { TH_OPTIONS_MOST = 176 };

/* Data to be made: by generate, by import, on demand. */
struct th_options_data {
  int64_t examples;
  int64_t attributes;
  double test; /* share of the examples */
  int64_t shards;
  int64_t row_group;
  int64_t threads; /* per rank; 0: by the machine */
  int type;        /* enum th_type */
  int layout;      /* 0: auto, else enum th_layout + 1 */
};

/* Parameters of synthetic data. */
struct th_options_synthetic {
  int64_t support;
  double noise;
  struct th_family_parameters own;
};

/* Text to be imported. */
struct th_options_text {
  const char *format;
  int header;  /* enum th_header */
  int decimal; /* enum th_decimal */
  int64_t levels;
  const char *missing;
  double max_missing;
  const char *target;
  const char *weights;
  const char *ignore;
  const char *names;
  const char *id;
  const char *ids; /* of import a file, else a column of the table */
  const char *targets;
  const char *weights_column;
  const char *covariates;
  const char *every_target;   /* of which `target` is one; NULL: it is all */
  const char *likely_class;   /* of a model that is applied, or NULL */
  const char *likely_missing; /* likewise: missing targets of a table */
  const char *positive_class;
  bool zero_based;
  int labels; /* enum th_label_form */
  const char *like;
  const char *files; /* a list of more */
  const char *test_file;
  int64_t max_line; /* bytes */
  bool shuffle;
  bool append;
};

/* Which examples are used, and how they count. */
struct th_options_scores {
  int split; /* enum th_split */
  bool unweighted;
  const char *lambda; /* of the models' paths; NULL: the models as they are */
};

/* What a model is exported as. */
enum th_export_form {
  TH_EXPORT_TSV,
  TH_EXPORT_JSON,
  TH_EXPORT_C,
  TH_EXPORT_PLINK,
  TH_EXPORT_FORMS
};

/* What inspect and verify look at besides. */
struct th_options_checks {
  bool bytes;       /* all of a file */
  const char *data; /* of a model; NULL: none */
  bool path;        /* of a model, in place of the rest */
  bool retrain;
};

/* Checkpoints of a run. */
struct th_options_keeping {
  const char *folder; /* NULL: none */
  int64_t every;      /* seconds; negative: updates */
  bool fresh;
};

/* What a run tells while it goes on. NULL: nothing. */
struct th_options_told {
  const char *telemetry;
  const char *metrics;
  const char *reference; /* a model, for the telemetry */
};

/* How training reads its data. */
struct th_options_reading {
  bool prefetch;
  bool map;
};

/* Text of the deck, and the values that came from it. */
struct th_options_owned {
  char *deck;
  char **value;
  int64_t count;
  int64_t capacity;
};

/* The command's options. Strings are borrowed from the command line, or from
 * the deck's text, which the record owns. */
struct th_options {
  struct th_config config; /* training; seed also for generate and import */
  const struct th_command *commands; /* all of them; borrowed */
  /* every command */
  const char *output;
  const char *deck;
  bool force;
  bool quiet;
  bool verbose;
  bool help;
  bool help_all;
  /* generate and import */
  struct th_options_data data;
  struct th_options_synthetic synthetic;
  struct th_options_text text;
  /* train, evaluate, predict, inspect, bench */
  const char *source;
  const char
      *cache;     /* folder of data sets made on the way; NULL: beside FILE */
  int64_t memory; /* bytes per rank; 0: by the machine */
  struct th_options_told told;
  const char *report;
  int64_t max_time; /* seconds; 0: no limit */
  int64_t watchdog; /* the same; 0: none */
  struct th_options_keeping checkpoint;
  struct th_options_reading reading;
  bool dry_run;
  struct th_options_scores scores;
  int form; /* enum th_export_form */
  bool json;
  struct th_options_checks checks;
  /* how it was asked */
  int arguments; /* positional */
  const char **argument;
  unsigned char given[TH_OPTIONS_MOST]; /* enum th_given, by table row */
  struct th_options_owned owned;
};

/* Return the number of all rows, with those of training; row k of them; the
 * number of the first row of training; and that of a long name, of train where
 * it has one, or -1. Local. */
int th_option_table_count(void);
const struct th_option *th_option_table_row(int k);
int th_option_table_training(void);
int th_option_table_find(const char *name);

/* Likewise of the row that those commands accept; where none of them does, any
 * of that name. Local. */
int th_option_table_find_of(const char *name, unsigned commands);

/* Set every option to its initial value. commands: the table of commands,
 * borrowed; NULL: no command line is going to be parsed. Local. */
th_status th_options_init(struct th_options *options,
                          const struct th_command *commands,
                          struct th_error *err);
void th_options_free(struct th_options *options);

/* Set one option from text; `where` opens the message of a failure (such as
 * "train: --budget" or "run.ini:3: budget"). Local. */
th_status th_option_set(struct th_options *options, int row, const char *value,
                        const char *where, struct th_error *err);

/* Write the value of an option as text that th_option_set can read. Local. */
void th_option_text(const struct th_options *options, int row, char *text,
                    size_t size);

bool th_option_given(const struct th_options *options, const char *name);

/* Read the command line from the command's name on, which is argv[0], then the
 * deck. Collective: rank 0 reads the deck. An error is one line that opens with
 * the command or with the deck's file:line. */
th_status th_options_parse(struct th_options *options, struct th_comm *comm,
                           const struct th_command *command, int argc,
                           char **argv, struct th_error *err);

/* Return the option of these commands nearest to a misspelt name, or NULL.
 * Local. */
const char *th_option_nearest(const char *name, unsigned commands);

/* Read a deck. An option on the command line goes before one in the deck.
 * Collective. Shown for tests. */
th_status th_option_deck_read(struct th_options *options, struct th_comm *comm,
                              unsigned bit, struct th_error *err);

/* Bytes of stored values that a rank keeps: --memory, else 2/5 of its share.
 * Local. */
int64_t th_options_memory_to_keep(const struct th_options *options,
                                  int64_t share);

/* Refuse an output now rather than after the work: it exists, or its folder
 * cannot be written, or it is no text and goes to the standard output. path
 * NULL: nothing to check. Collective. */
th_status th_options_output_check(struct th_comm *comm, const char *path,
                                  bool text, bool force, struct th_error *err);

#endif
