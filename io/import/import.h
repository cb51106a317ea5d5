/* import.h - text files and arrays to data sets
 * SPDX-License-Identifier: MIT */
#ifndef TH_IMPORT_H
#define TH_IMPORT_H

#include "io/import/text/cell.h"
#include "model/model.h"
#include "ranks/comm.h"

#include <stdbool.h>
#include <stdint.h>

/* How far an import is, as far as one rank can tell. */
struct th_import_progress {
  const char *step; /* what is being done, in words */
  double fraction;  /* of the whole import that is done, about: 0 to 1 */
  int64_t bytes;    /* of text that this step has done, on all ranks, about */
  int64_t total;    /* of text; 0: the step is not measured in text */
};

/* Who wants to know, while the import is at work. Called on the rank that has
 * it; either function may be NULL. */
struct th_import_monitor {
  void (*progress)(void *self, const struct th_import_progress *progress);
  void (*notice)(void *self, const char *text); /* one line for the user */
  void *self;
  struct th_profile *profile; /* has what the steps cost this rank; borrowed */
};

/* What stands before the first index:value of a line of LIBSVM. */
enum th_label_form {
  TH_LABELS_AUTO, /* a label; with `like`, as the lines look */
  TH_LABELS_PLAIN,
  TH_LABELS_WEIGHTED, /* label:weight */
  TH_LABELS_NONE,     /* nothing */
  TH_LABELS_COUNT
};

/* The mark between whole numbers and fractions, in CSV. */
enum th_decimal {
  TH_DECIMAL_LIKE, /* as `like`'s, or a point */
  TH_DECIMAL_POINT,
  TH_DECIMAL_COMMA,
  TH_DECIMAL_COUNT
};

/* How LIBSVM text writes examples. */
struct th_import_pairs {
  enum th_fact zero_based; /* indices; unknown: as `like`'s, or no */
  enum th_label_form labels;
};

/* Where the IDs of examples are. */
struct th_import_id {
  const char *column; /* of CSV; NULL: that of `like`, or names of rows if there
                         are some */
  const char *file;   /* with an ID on each line, or NULL */
};

/* Values that are missing. */
struct th_import_missing {
  const char *words; /* how they are written beside the usual words, between
                        commas; "error": none may be missing; NULL: as
                        `like`'s, or the usual words */
  double most;       /* the largest share of the training examples that may lack
                        an attribute which is used; not with `like` */
};

/* How examples are laid out. */
struct th_import_order {
  uint64_t seed;
  bool shuffle;
  double test_fraction; /* 0: none */
};

/* How CSV is read. */
struct th_import_table {
  enum th_header header;
  enum th_decimal decimal;
  int64_t levels; /* a column of at most so many different words has an
                     attribute for each; 0: none has */
};

/* What targets and weights are called that stand in memory. */
#define TH_IMPORT_TARGETS "the targets"
#define TH_IMPORT_WEIGHTS "the weights"

struct th_given_matrix;
struct th_held;

/* Files beside the inputs, or what is in their place. */
struct th_import_files {
  const char *list; /* names more inputs, one a line; "-"; NULL: none */
  const char *test; /* with test examples; NULL: none */
  const struct th_given_matrix *given; /* a matrix in memory in place of all
                                          inputs, with what belongs to its rows
                                          and columns; format is the one of a
                                          file that it is like, npy or npz;
                                          target and weights are the names above
                                          where it has some. Borrowed; the same
                                          on every rank. Or NULL */
  struct th_held *held; /* takes a dense one on the only rank, in place of the
                           output; nothing is made, without an error, where its
                           values need files. NULL: files */
};

/* -1 in an enum-valued member means: decide by itself. */
struct th_import {
  const char *const *inputs; /* files, folders, pipes, "-" */
  int64_t input_count;
  struct th_import_files files;
  const char *output;
  const char *format;  /* "auto" or a name from the importer table */
  int layout;          /* enum th_layout or -1: of `like`, else by density */
  int type;            /* enum th_type or -1: of `like`, else f32 */
  const char *target;  /* CSV column by name or 1-based number; NULL: the last
                          where that is sure, else an error */
  bool from_table;     /* targets come from a table: target is "none", for
                          formats that ask for one */
  const char *weights; /* CSV column; NULL: none */
  const char *ignore;  /* CSV columns between commas; NULL: none */
  const char *names;   /* file of names of an array's columns; NULL: none */
  struct th_import_table table;
  struct th_import_id id; /* where the examples' IDs are */
  struct th_import_missing missing;
  const char *positive_class; /* +1, all others -1; NULL: targets are numbers */
  struct th_import_pairs pairs; /* of LIBSVM */
  int64_t attributes;           /* 0: the largest index seen */
  const char *groups;           /* file of groups of attributes, or NULL */
  const char *like; /* data set or model whose attributes, type, layout, class
                       and form of text to take over, or NULL; a target may be
                       missing then */
  const struct th_model *model; /* `like` is the name of this one; borrowed.
                                   NULL: of a data set */
  int64_t max_line;             /* bytes */
  int64_t shards;               /* 0: by size */
  int64_t row_group;            /* 0: by the number of examples */
  struct th_import_order order;
  bool force;
  bool append;    /* to the data set that is the output: seed, shuffle, test
                     fraction, and `like` are its own */
  int64_t memory; /* bytes of parsed entries this rank may hold */
  int threads;    /* of this rank at most, some more text for each; below 0: so
                     many however little text there is; 0: one. No more than
                     memory has room for */
  const struct th_import_monitor *monitor; /* or NULL; of this rank */
};

/* What was imported, for the summary. */
struct th_import_result {
  int64_t examples;
  int64_t test_examples;
  int64_t attributes;
  int64_t nonzeros;
  int64_t constant_attributes; /* in the training examples */
  bool unlabelled;             /* there is no target */
  bool text;                   /* the files were text */
  int64_t text_bytes;          /* uncompressed */
  double seconds;
  struct th_shape shape; /* of the data set, unless it is held */
  uint64_t fingerprint;  /* likewise */
  int64_t shards;        /* likewise */
};

/* Import text files into a new data set. Collective. A fault of the text is an
 * error with file:line:column, what was expected and what to do; nothing is
 * left under the final name or beside it. */
th_status th_import_run(const struct th_import *job, struct th_comm *comm,
                        struct th_import_result *result, struct th_error *err);

/* True if a file is to be imported, where a data set is wanted: it is there,
 * and is none, nor one that is damaged. Local. */
bool th_import_open_takes(const char *name);

/* All files that an import reads, the first input first. Local;
 * TH_FREE_LIST(files->name, files->count), also after a failure. */
struct th_import_reads {
  char **name;
  int64_t count;
  int64_t room;
};
th_status th_import_open_list(const struct th_import *job,
                              struct th_import_reads *files,
                              struct th_error *err);

/* The importer table, ended by a NULL name: how a format is read; NULL: one of
 * the others, as the files show. */
struct th_importer;

struct th_importer_row {
  const char *name;
  const char *summary;
  const struct th_importer *importer;
};
/* Local. */
const struct th_importer_row *th_import_table(void);

#endif
