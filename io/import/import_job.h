/* import_job.h - an import under way; internal to io/import
 * SPDX-License-Identifier: MIT */
#ifndef TH_IMPORT_JOB_H
#define TH_IMPORT_JOB_H

#include "io/dataset/residency/dataset.h"
#include "io/dataset/variants.h"
#include "io/import/arrays/matrix_file.h"
#include "io/import/bins/bucket.h"
#include "io/import/bins/row_assignment.h"
#include "io/import/csv/csv.h"
#include "io/import/import.h"
#include "io/import/text/index_set.h"
#include "io/import/text/inputs.h"
#include "io/import/text/lacking.h"
#include "io/import/text/missing.h"
#include "io/import/text/text_files.h"
#include "io/import/text/text_ids.h"
#include "io/import/text/text_row.h"

/* What an import does, in this order. */
enum th_import_step {
  TH_IMPORT_UNPACKS, /* where an input is compressed */
  TH_IMPORT_COUNTS,
  TH_IMPORT_PARSES,
  TH_IMPORT_WRITES
};

/* The data set or model that --like names; replicated. */
struct th_like {
  int64_t attributes; /* 0: none was named */
  int layout;         /* enum th_layout; -1: not known */
  enum th_type type;
  struct th_variants variants; /* of its attributes, in their order, or of the
                                  support; count 0: not known */
  char **names;                /* NULL: not known; one allocation, owned */
  uint64_t *index;        /* in place of names, where they are indices; owned */
  unsigned char *lacking; /* th_dataset_lacking; owned */
  struct th_origin origin;
  char *const *support;         /* of a model with names; borrowed, else NULL */
  const int64_t *support_place; /* attributes of the support; borrowed */
  int64_t support_size;
};

/* What this rank reads of each file. */
struct th_import_share {
  struct th_inputs inputs; /* by name; replicated; other threads borrow them */
  struct th_range *range;
  int64_t *line;       /* the line before the range */
  int64_t *counted;    /* examples in the range, when they were counted */
  int64_t *weightless; /* of these, examples of weight 0 */
  bool cut; /* a line is too long: what follows it there was not counted */
};

/* The bins of this thread; on the first one, those of all, and what the others
 * read. */
struct th_import_bins {
  struct th_bucket_spill *own;
  struct th_bucket_spill **all; /* borrowed from the threads */
  int count;
  struct th_import_thread *other;
  int others;
};

/* What the progress display has shown. */
struct th_import_shown {
  bool unpacked;      /* there was something to unpack */
  int64_t file_bytes; /* of this rank's inputs as they lie on disk */
  int64_t offset;     /* in the file of what was read */
  bool quiet;         /* what is said now was said before */
};

/* This rank's rows in input order. */
struct th_import_rows {
  int64_t count;
  int64_t weightless; /* of these, of weight 0 */
  int64_t capacity;
  double *target;
  double *weight;
  struct th_text_ids ids; /* where examples have some */
  uint64_t *key;          /* th_fingerprint_example */
  int64_t *stored;        /* row of the data set to come */
  int64_t *number;        /* in the input; NULL: as they come */
};

enum { TH_IMPORT_PROVENANCE = 512 };

/* The data set that examples are appended to. */
struct th_append {
  bool on;
  struct th_dataset
      *data;  /* while its examples are read; of the first thread */
  bool reads; /* this thread does: the first one of a rank */
  int rank;   /* of the ranks, which are no threads */
  int size;
  struct th_shape shape;
  struct th_identity master; /* as rank 0 has opened it */
  char provenance[TH_IMPORT_PROVENANCE];
  int64_t main; /* its examples of main inputs; the others are of a test file */
  int64_t tests;  /* these */
  int64_t memory; /* bytes for values that are read of it */
  int64_t bytes;  /* that its examples take on their way, about */
  int64_t first;  /* of this rank's rows, which are its own */
  int64_t count;
  int64_t *number; /* of these, in the input of all; owned */
  int64_t room;
  const char *name; /* of the data set; borrowed */
  bool variants;    /* its attributes are variants of a genome */
  struct th_append_example *example; /* all, by their numbers, where attributes
                                        come whole; owned */
};

/* The examples before this rank's first one: its input row. */
struct th_import_before {
  int64_t rows;
  int64_t weightless; /* of these, of weight 0 */
  struct th_append old;
};

/* Where something stands in the text; line 0: nobody knows. */
struct th_import_place {
  int64_t file;
  int64_t line;
};

/* What the text may take; replicated. */
struct th_import_limits {
  int64_t memory; /* of the rank with the least, for parsed entries; bytes */
  struct th_line_limit line;
  int ranks; /* that are no threads */
};

/* Indices of sparse data, of which those that occur are attributes. */
struct th_import_indices {
  uint64_t largest; /* that occurs, as far as is known, or that may; replicated
                       after th_import_indices_begin */
  bool dense;       /* too many occur for there to be gaps */
  struct th_index_set set; /* those that occur; of a thread, then of all */
  uint64_t *list;          /* ascending; on rank 0, and with --like on all that
                              need one; owned by the first thread */
  struct th_index_set unseen; /* some that --like has not; of a thread */
  int64_t left_out;           /* values of these that no row has counted */
};

/* What the text has, and what of it is taken; replicated. */
struct th_import_text {
  const char *target_name;   /* of its column, or NULL; borrowed */
  char **path;               /* of each file, without what is named in it; owned
                                by the first thread */
  const char **member;       /* of each file: what is named in it, or NULL; its
                                text is borrowed */
  const char **source;       /* of each file: what is opened, borrowed */
  bool unlabelled;           /* there are no targets */
  bool weighted;             /* there are weights */
  struct th_missing missing; /* how it writes that; a thread borrows it */
  struct th_lacking lacking; /* what it lacks; after th_import_parse: of all
                                ranks; each thread has its own */
  bool named;                /* there are IDs in the text */
  bool listed;               /* rank 0 has a list of IDs, of all examples */
  bool again;   /* its first rows did not show all kinds of fields */
  bool reread;  /* examples whose values are stored as they are in the file are
                   read again when they are written */
  bool part;    /* of a model's attributes, those of its support are taken */
  bool indexed; /* attributes are the indices that occur, and named by them: */
  const uint64_t *index; /* these, ascending; on rank 0, and with --like on all;
                            else NULL; borrowed */
  struct th_import_indices occur;
  int64_t left_out; /* values of attributes that --like has not; known after
                       th_import_parse */
};

/* Groups of attributes, on rank 0. */
struct th_import_groups {
  struct th_group_piece *piece;
  int64_t pieces;
};

/* Of a format whose attributes come whole: its examples, in input order. A run
 * is the values of one attribute of all of them, each in its place; there may
 * be places of nobody. Lists are owned; replicated. */
struct th_import_listed {
  int64_t examples; /* 0: the format has none of this */
  int64_t main;     /* of the main inputs, those that count; those of the test
                       file follow */
  int64_t places;   /* in a run; a multiple of 32 */
  bool missing;     /* values may be missing */
  int64_t print;    /* a hash, not below 0, of what lies beside the files, which
                       each rank has read by itself */
  double *target;
  double *weight;  /* NULL: all are 1 */
  int64_t *number; /* in the input: some may be left out */
  int64_t *place;
  const struct th_variant *variant; /* of the attributes, or NULL; borrowed */
};

struct th_importing {
  const struct th_import *job; /* borrowed */
  struct th_comm *comm;        /* borrowed */

  struct th_import_limits limits;

  /* What is read: the inputs, then the test file. */
  struct th_text_files texts;
  int64_t files;             /* of these; replicated */
  struct th_text_file *file; /* borrowed from them */
  const struct th_importer_row *format;
  enum th_type type;
  struct th_class class; /* name NULL: targets are numbers */
  struct th_import_text text;
  void *state; /* of the format: of the size that its importer says, or NULL */
  struct th_like like;
  const char **names; /* of the attributes, or NULL; strings are borrowed */
  struct th_import_groups groups;
  int64_t text_bytes;

  struct th_import_listed listed;
  struct th_import_share share;
  int64_t *examples; /* of each file, on all ranks; replicated */
  struct th_text_lines lines;
  struct th_import_shown shown;

  /* What was counted; replicated but for `before`. */
  struct th_row_assignment assignment;
  struct th_import_before before;
  /* What was parsed. */
  struct th_import_bins bins;
  struct th_import_rows own;
  int64_t positives;           /* targets of the class */
  struct th_class_set others;  /* the other ones; after th_import_parse: of all
                                  ranks */
  struct th_rounding rounding; /* likewise */
  int64_t nonzeros;            /* after th_import_parse: of all ranks */
  int64_t attributes;          /* likewise: d */
};

/* The part of an import that another thread has: it counts and parses as
 * another rank would. */
struct th_import_thread {
  struct th_import job;   /* the same, without a monitor */
  struct th_importing im; /* what it borrows is the first thread's */
};

/* Say something to who watches. Local. */
void th_import_notice(const struct th_importing *im, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Room for what a file calls an attribute. */
enum { TH_IMPORT_CALLED = 96 };

/* Was it said that there is no target? A table may have a column of that name.
 * Local. */
bool th_import_open_targetless(const struct th_import *job);

/* Does a name end in one of some endings, a list up to NULL, or in one of these
 * and that of a compressed file? Local. */
bool th_import_open_named(const char *name, const char *const *endings);

/* How a format finds out what numbers the attributes, while examples are
 * counted and afterwards. */
struct th_import_numbering {
  /* Look at the line of an example that is counted. Local; of text alone. */
  void (*see)(struct th_importing *im, const struct th_line *line);
  /* Each thread learns of its own part. rc: how its work has gone so far.
   * Collective over all threads; where `number` is not local, they agree. */
  th_status (*collect)(struct th_importing *im, th_status rc,
                       struct th_error *err);
  /* The first threads put that of the others, im->bins.other, together.
   * Collective over ranks. */
  th_status (*number)(struct th_importing *im, struct th_error *err);
  /* The others take it over from the first one of their rank, which stays
   * longer. Local. */
  void (*adopt)(struct th_importing *im, const struct th_importing *first);
  /* Where the first entry of the last attribute stands; line 0: nobody knows.
   * Collective over ranks. */
  struct th_import_place (*place)(const struct th_importing *im);
};

/* What a format does once all examples have been parsed. */
struct th_import_later {
  /* Some attributes are left out: im->text.lacking says which; names and the
   * number of attributes are those that stay, already. Local; or NULL: then
   * none is. */
  th_status (*leave_out)(struct th_importing *im, struct th_error *err);
  /* On rank 0, attributes that belong together, if nobody says which: as
   * th_groups_file_whole. Local; or NULL. */
  th_status (*groups)(struct th_importing *im, struct th_error *err);
  /* Where im->text.reread: the values of the example in a place, th_text_row,
   * once all have been parsed; on one thread at a time. Or NULL. */
  th_status (*reread)(struct th_importing *im, int64_t place, void *values,
                      struct th_error *err);
};

/* How a format is read: a row of the importer table names one. Local but for
 * `check`; what a format has no use for is NULL, unless said otherwise. */
struct th_importer {
  const char *title;  /* of the format, in messages */
  size_t size;        /* bytes of im->state, which the job makes as zeros and
                         frees; 0: none */
  bool binary;        /* its files are not text: ranks share their bytes, and no
                         lines are looked for */
  bool alone;         /* one thread of a rank reads them */
  bool members;       /* FILE:NAME is what NAME is called in the file */
  bool indices;       /* attributes may be called by indices */
  const char *ending; /* may be left out of the name of a file; or NULL */
  const char *const *beside;  /* endings of files that are read with it, in the
                                 place of that one; NULL-ended, or NULL */
  const char *const *options; /* names of those that only this format takes;
                                 NULL-ended */
  bool (*named)(const char *name); /* is a file called so its own? */
  /* Does a file begin like its own? NULL where it is text. */
  bool (*begins)(const char *head, size_t bytes);
  /* Does a line show that the text is its own? NULL where it is binary. */
  bool (*recognises)(const char *text, int64_t length);
  /* May the text be its own, where nothing shows that, nor the name? Or NULL.
   */
  bool (*may_be)(const char *text, int64_t length);
  /* Read what stands before the examples of the first file, and of those that
   * this rank has looked at; name the attributes. Never NULL. */
  th_status (*open)(struct th_importing *im, struct th_error *err);
  /* Learn of all files what numbers their attributes; after open. Collective;
   * or NULL. */
  th_status (*learn)(struct th_importing *im, struct th_error *err);
  /* Before examples of file k are read, which another rank may have looked at.
   */
  th_status (*prepare)(struct th_importing *im, int64_t k,
                       struct th_error *err);
  /* Lines and examples in this rank's range of file k, and how many of these
   * have weight 0. Never NULL. */
  th_status (*count)(struct th_importing *im, int64_t k, int64_t *lines,
                     int64_t *examples, int64_t *weightless,
                     struct th_error *err);
  /* The next example of that range; no more: *more = false. It is the one with
   * number im->rows; one beyond `end` is a file that has changed. Never NULL.
   */
  th_status (*next)(struct th_importing *im, int64_t k, int64_t end,
                    struct th_text_row *row, bool *more, struct th_error *err);
  const struct th_import_numbering *numbering; /* or NULL */
  /* Of text: whether a line of file k holds an example, and the example. */
  bool (*is_example)(const struct th_importing *im, int64_t k,
                     const struct th_line *line);
  /* True if the example of such a line has weight 0; a line that cannot be read
   * may give any answer. NULL: its examples have no weights. */
  bool (*is_weightless)(const struct th_importing *im, int64_t k,
                        const struct th_line *line);
  th_status (*read_line)(struct th_importing *im, int64_t k,
                         const struct th_line *line, struct th_text_row *row,
                         struct th_error *err);
  /* Of formats whose attributes come whole, whose `open` fills in im->listed;
   * then nothing from `prepare` to here, nor `check` and `part`, is used. The
   * runs of some attributes, in the storage type, one every `stride` bytes,
   * which are as many as its places take; the places of nobody hold anything.
   * Called by several threads at a time. */
  th_status (*columns)(const struct th_importing *im, struct th_range range,
                       void *runs, int64_t stride, struct th_error *err);
  /* What only all examples together can show. Collective. */
  th_status (*check)(struct th_importing *im, struct th_error *err);
  struct th_import_later later;
  /* How the files call an attribute without a name. Never NULL. */
  void (*call)(const struct th_importing *im, int64_t attribute,
               char text[TH_IMPORT_CALLED]);
  /* What the master is to remember of the text; lists are the caller's to free,
   * texts are borrowed. */
  th_status (*told)(const struct th_importing *im, struct th_origin *origin,
                    struct th_error *err);
  /* How many columns of the first file were left out. */
  int64_t (*left_out)(const struct th_importing *im);
  /* The state for another thread: its bytes are those of im->state, which stays
   * longer. NULL where it can be used like that, and owns nothing. */
  th_status (*part)(struct th_importing *other, struct th_error *err);
  void (*close)(struct th_importing *im); /* what its state owns */
};

extern const struct th_importer th_import_libsvm;
extern const struct th_importer th_import_csv;
extern const struct th_importer th_import_npy;
extern const struct th_importer th_import_npz;
extern const struct th_importer th_import_hdf5;
extern const struct th_importer th_import_mtx;
extern const struct th_importer th_import_bed;

/* `count` and `next` of formats whose examples are lines. Local. */
th_status th_import_parse_count(struct th_importing *im, int64_t k,
                                int64_t *lines, int64_t *examples,
                                int64_t *weightless, struct th_error *err);
/* Local. */
th_status th_import_parse_next(struct th_importing *im, int64_t k, int64_t end,
                               struct th_text_row *row, bool *more,
                               struct th_error *err);

/* Fail, since some files have a target and others none. Local. */
th_status th_import_mixed(const struct th_importing *im, int64_t labelled,
                          int64_t unlabelled, struct th_error *err);
/* Fail, since some files have weights and others none. Local. */
th_status th_import_mixed_weights(const struct th_importing *im,
                                  int64_t weighted, int64_t unweighted,
                                  struct th_error *err);
/* Fail, since some files have IDs of examples and others none. Local. */
th_status th_import_mixed_ids(const struct th_importing *im, int64_t named,
                              int64_t unnamed, struct th_error *err);

/* Fail, since no target is a class of the other data, as the first: most
 * likely, another column was taken for the target. Local. */
th_status th_import_no_class(const struct th_importing *im, const char *first,
                             struct th_error *err);

/* Open all files, find the format, read headers and --like. rc: how this rank's
 * work has gone so far. Collective. */
th_status th_import_open(struct th_importing *im, th_status rc,
                         struct th_error *err);
/* Local. */
void th_import_open_close(struct th_importing *im);

/* Tell the monitor, if there is one, that `done` of `total` of a step is done,
 * in any unit. Local. */
void th_import_tell(const struct th_importing *im, enum th_import_step step,
                    int64_t done, int64_t total);

/* Lists with an item for each file. Local. */
th_status th_import_open_reserve_files(struct th_importing *im,
                                       struct th_error *err);

/* Count, and then parse, on several threads. Afterwards im has the rows of all
 * threads of this rank. Collective. */
th_status th_import_parse_all(struct th_importing *im, struct th_error *err);
/* Between the two: bins for this rank's threads, which share its memory. For
 * the first thread, as it alone may make files. Local. Shown for tests. */
th_status th_import_parse_make_bins(struct th_importing *im, int threads,
                                    struct th_error *err);
/* Local. */
void th_import_parse_free_threads(struct th_importing *im);

/* Give every rank its byte ranges; count lines and examples. Collective. Shown
 * for tests. */
th_status th_import_parse_divide(struct th_importing *im, struct th_error *err);

/* Show `see` each example of this rank's ranges, which are those of divide.
 * Local. */
th_status th_import_parse_visit(struct th_importing *im,
                                th_status (*see)(struct th_importing *im,
                                                 int64_t k,
                                                 const struct th_line *line,
                                                 struct th_error *err),
                                struct th_error *err);

/* Count a parsed example, and put it where it is going to be stored. Local. */
th_status th_import_parse_keep(struct th_importing *im,
                               const struct th_text_row *row, int64_t stored,
                               bool weightless, struct th_error *err);

/* Parse this rank's ranges into bins, which are there; agree on attributes and
 * non-zeros. Collective. Shown for tests. */
th_status th_import_parse(struct th_importing *im, struct th_error *err);

/* Decide which example is stored where, and write shards, where attributes come
 * whole; in place of th_import_parse_all and of the way by bins. Collective. */
th_status th_import_columns_place(struct th_importing *im,
                                  struct th_error *err);
th_status th_import_columns_write(struct th_importing *im,
                                  struct th_writer *writer,
                                  struct th_error *err);

/* --- The data set that examples are appended to --------------------------- */

/* Open it; the job takes over what nobody has said otherwise. Collective. End
 * with th_import_append_free, also after a failure. */
th_status th_import_append_open(struct th_append *old, struct th_import *job,
                                struct th_comm *comm, struct th_error *err);
/* Its values are not read any more. Collective. */
void th_import_append_close(struct th_append *old);
/* Collective. */
void th_import_append_free(struct th_append *old);

/* An error where new examples have not what the others have, or have more.
 * Local, replicated. */
th_status th_import_append_check(const struct th_importing *im,
                                 struct th_error *err);

/* Take over its groups of attributes. Collective. */
th_status th_import_append_groups(struct th_importing *im,
                                  struct th_error *err);

/* Parse this rank's share of its examples, as th_import_parse does new ones:
 * the rank's first thread reads them. Local. */
th_status th_import_append_parse(struct th_importing *im,
                                 struct th_text_row *row, struct th_error *err);

/* Number this rank's examples, now that they are all there. Local. */
th_status th_import_append_number(struct th_importing *im,
                                  struct th_error *err);

/* Of formats whose attributes come whole: list its examples before the new
 * ones, whose first number is *next then; and, behind `more` new ones, those of
 * its test file. There is room for all. Local. */
th_status th_import_append_list(struct th_importing *im, int64_t *next,
                                struct th_error *err);
th_status th_import_append_list_tests(struct th_importing *im, int64_t more,
                                      struct th_error *err);

/* Its values of some attributes, as `columns` gives the new ones. Local, on one
 * thread. */
th_status th_import_append_runs(const struct th_importing *im,
                                struct th_range range, char *runs,
                                int64_t stride, struct th_error *err);
/* When all examples are parsed: leave out the attributes that too many of them
 * lack, and say which. Local; ranks agree. */
th_status th_import_lacking(struct th_importing *im, struct th_error *err);

/* --- Attributes that are the indices that occur (import_indices.c) -------- */

/* Take those of --like, where they are called by indices: all of a data set, or
 * those of a model's support; *count receives how many. im->text.occur.set
 * numbers them then. Local. */
th_status th_import_indices_like(struct th_importing *im, int64_t *count,
                                 struct th_error *err);

/* The largest index of all threads; *wanted: gaps may be many, so those that
 * occur are to be collected. rc: how this thread's work has gone so far.
 * Collective over threads; where they are wanted, the status is this thread's
 * own. */
th_status th_import_indices_begin(struct th_importing *im, bool *wanted,
                                  th_status rc, struct th_error *err);
/* Indices that occur; none is above the largest. Once enough have come,
 * im->text.occur.dense is true, and more are of no use. Local. */
th_status th_import_indices_add(struct th_importing *im, uint64_t index,
                                struct th_error *err);
/* All threads have collected theirs. rc: how this one's work has gone.
 * Collective over threads. */
th_status th_import_indices_collected(struct th_importing *im, th_status rc,
                                      struct th_error *err);

/* Number those that occur, where gaps are many: im->text.indexed tells. For the
 * first threads, as `number`. Collective. */
th_status th_import_indices_number(struct th_importing *im,
                                   struct th_error *err);
/* As `adopt`; the set is that of the first thread. Local. */
void th_import_indices_adopt(struct th_importing *im,
                             const struct th_importing *first);

/* Say how many there are. all: what {attributes} takes all; 0: nothing.
 * Local. */
void th_import_indices_tell(const struct th_importing *im, uint64_t all);

/* Say what of new data was left out, in values and in indices; beyond: the last
 * index that was not, where indices are counted, from `first` on. For the first
 * threads, after parsing. Collective. */
th_status th_import_indices_tell_unseen(struct th_importing *im,
                                        struct th_error *err);

/* Local. */
void th_import_indices_free(struct th_import_indices *indices);

/* Which examples are test examples, and where all of them go, by the counts in
 * im->assignment. Local. */
th_status th_import_parse_assign(struct th_importing *im, struct th_error *err);

/* Write shards and master. Where several threads have parsed, one makes tiles
 * and another one writes them. rc: how this rank's work has gone so far.
 * Collective. */
th_status th_import_write(struct th_importing *im, th_status rc,
                          struct th_error *err);

/* --- Arrays (import_array*.c); all local -----------------------------------
 */

/* What each example has one of: a column of the matrix, a column of the table
 * of examples, or a file of their own. */
struct th_array_role {
  const char *name;              /* as it was given; NULL: there is none */
  int64_t column;                /* of the matrix; -1: not one */
  bool in_table;                 /* of examples, in each file */
  struct th_frame_column values; /* of all files, or of the one that is open */
};

/* A file of the import. */
struct th_array_file {
  int64_t rows;
  int64_t before; /* rows of the files before it */
};

/* The state of formats of arrays. */
struct th_array_files {
  enum th_matrix_kind kind;
  bool borrowed; /* all but what is open belongs to another thread */
  struct th_array_file *file;
  struct th_csv table; /* columns, names and roles; roles NULL: as they are */
  bool dense;
  bool plain;     /* columns have no names, and all are attributes */
  uint64_t first; /* what indices call the first column */
  const struct th_index_set *numbers; /* of columns that are called so, and are
                                         attributes; NULL: all; borrowed */
  enum th_element element;
  struct th_origin origin; /* of other data, as columns lie here; lists are
                              borrowed */
  struct th_array_role target;
  struct th_array_role weight;
  /* The file that is open. */
  int64_t open; /* -1: none */
  struct th_matrix_file in;
  char **id; /* of its examples; NULL: they have none */
};

static inline struct th_array_files *
th_import_job_arrays(const struct th_importing *im)
{
  return im->state;
}

/* What belongs to an example of file k that is a number. */
double th_import_array_labels_number(const struct th_array_files *arrays,
                                     const struct th_array_role *role,
                                     int64_t k, int64_t row,
                                     const struct th_matrix_row *values);

/* An error where weights are words. */
th_status th_import_array_labels_check(const struct th_importing *im,
                                       struct th_error *err);

/* Give an example of file k its weight, its ID and its target. */
th_status th_import_array_labels_give(struct th_importing *im, int64_t k,
                                      int64_t row,
                                      const struct th_matrix_row *values,
                                      struct th_text_row *to,
                                      struct th_error *err);

/* Number the columns that occur in sparse files, where gaps are many: a part of
 * th_importer. */
extern const struct th_import_numbering th_import_array_columns_numbering;

/* Tell the file that is open what its columns number. */
void th_import_array_columns_renumber(struct th_importing *im);

/* Attributes that too many examples lack become columns that are left out: a
 * part of th_importer. */
th_status th_import_array_columns_leave_out(struct th_importing *im,
                                            struct th_error *err);

/* Open file k, unless it is open, and what lies beside it. */
th_status th_import_array_turn(struct th_importing *im, int64_t k,
                               struct th_error *err);

#endif
