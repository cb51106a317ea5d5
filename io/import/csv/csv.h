/* csv.h - CSV text: the columns of a file, and one example per line
 * SPDX-License-Identifier: MIT */
#ifndef TH_CSV_H
#define TH_CSV_H

#include "io/import/text/cell.h"
#include "io/import/text/levels.h"
#include "io/import/text/missing.h"
#include "io/import/text/text.h"
#include "model/origin.h"

/* What a column is; attributes count from 0. */
enum {
  TH_COLUMN_TARGET = -1,
  TH_COLUMN_WEIGHT = -2,
  TH_COLUMN_IGNORED = -3,
  TH_COLUMN_FREE = -4,  /* not yet decided */
  TH_COLUMN_WORDS = -5, /* its attributes are in th_csv.words */
  TH_COLUMN_ID = -6
};

/* An attribute whose column is called like a row index: where each of its
 * values is its row's number and the same offset, it only counts the rows. */
enum { TH_CSV_COUNTERS = 4 };
struct th_csv_counter {
  int64_t column;
  int64_t rows;  /* that were looked at */
  double offset; /* of the first of them */
  bool broken;   /* it does not count */
};

/* The attributes of a column of words: one for each word, from `first` on. */
struct th_csv_words {
  int64_t first;
  const struct th_levels *levels; /* borrowed */
  const struct th_levels *known;  /* words that are not new, where these are not
                                     all; or NULL; borrowed */
};

/* How one file is laid out. */
struct th_csv {
  char delimiter; /* ' ': blanks, any number of them */
  bool row_names; /* the first column, which the header does not name */
  bool index;     /* the first column has an empty name above words */
  char decimal;   /* the mark between whole numbers and fractions */
  bool unsure;    /* it is that of other data: see th_cell_field */
  int64_t columns;
  int64_t *role;         /* per column: an attribute or enum above; owned */
  char **names;          /* per column; NULL without a header; owned */
  int64_t attributes;    /* in each row */
  int64_t target;        /* its column; -1: the file has none */
  int64_t ignored;       /* columns that are left out */
  int64_t recalled;      /* of these, as in other data */
  int64_t surplus;       /* of these, no attributes of a model */
  int64_t weight;        /* column of the weights; -1: the file has none */
  int64_t id;            /* column of the IDs of examples; -1: it has none */
  struct th_class class; /* of the targets, against all others */
  const struct th_missing *missing; /* values; borrowed */
  struct th_csv_words *words; /* per column; NULL: none has words; owned */
  const bool *looked; /* of each place of th_csv_kinds_place: all of its fields
                         were looked at, or only the first ones; NULL: nobody
                         looks; borrowed */
  bool wordy;         /* columns may have words */
  bool mixable;       /* words among numbers are said with all such columns */
  int counters;
  struct th_csv_counter counter[TH_CSV_COUNTERS];
};

/* Which columns are what, as the user said; NULL: nothing was said. */
struct th_csv_choice {
  const char *target;
  const char *weights;
  const char *ignore;    /* a list between commas */
  int64_t target_place;  /* the column itself, from 1; 0: see `target` */
  int64_t weights_place; /* likewise */
  const char *id;
  const char *known_id; /* what the first file calls the column of the IDs */
  bool named; /* examples have IDs from elsewhere: those of the text are left
                 out */
  enum th_header header;
  char decimal;
  bool unsure;              /* nobody has said it: it is that of other data */
  const char *known_target; /* what other data call the column of the target */
  bool may_lack;            /* data without a target will do */
  const struct th_origin *told; /* the text of other data; NULL: there are none
                                 */
  const struct th_origin *origin; /* the same, where its columns are known */
};

/* Attributes by name in their order, from another file or data set; names NULL
 * where only their number matters, attributes 0 where nothing is known. */
struct th_csv_reference {
  const char *origin; /* for messages */
  int64_t attributes;
  const char *const *names;
  bool part; /* there are others, which are left out */
};

/* Read the first record of a file: delimiter, header, number of columns. Sets
 * file->body and file->header_lines. Where it is not said whether there is a
 * header, it is a first record of names that other data have; else one in which
 * some field is no number, unless the record below says that it is a row as
 * well. A record of numbers that may be names is what the first record of the
 * other data was; where nobody knows that, it is refused. Local. Release with
 * th_csv_header_free, also on failure. */
th_status th_csv_header_open(struct th_csv *csv, struct th_text_file *file,
                             const struct th_line_limit *longest,
                             const struct th_csv_choice *choice,
                             const struct th_csv_reference *reference,
                             struct th_error *err);

/* Look for attributes whose columns may only count the rows, by their names.
 * Local. */
void th_csv_columns_find_counters(struct th_csv *csv);

/* A column by its name or 1-based number; -1: there is none. An error where
 * several have the name. file, option: for messages. Local. */
th_status th_csv_columns_find(const struct th_csv *csv, const char *file,
                              const char *wanted, const char *option,
                              int64_t *column, struct th_error *err);

/* Give every column its role. Local. An error where only the user knows which
 * column is the target. */
th_status th_csv_columns(struct th_csv *csv, const struct th_text_file *file,
                         const struct th_csv_choice *choice,
                         const struct th_csv_reference *reference,
                         struct th_error *err);

/* Where other data are known: every attribute of theirs has a column, and no
 * other column is left; by name where both have names. Sets the roles anew.
 * Local. */
th_status th_csv_match(struct th_csv *csv, const struct th_text_file *file,
                       const struct th_csv_choice *choice,
                       const struct th_csv_reference *reference,
                       struct th_error *err);

/* How many columns have a name; *column receives the last of them. Local. */
int64_t th_csv_match_count(const struct th_csv *csv, const char *name,
                           int64_t *column);

/* What to type for a column: its name, fit for a shell, or its number. */
enum { TH_COLUMN_TEXT = 256 };
/* Local. */
const char *th_csv_match_text(const struct th_csv *csv, int64_t column,
                              char text[TH_COLUMN_TEXT]);

/* The attributes' names in their order, borrowed from csv, or NULL without a
 * header; the list is owned by the caller. Local. */
th_status th_csv_header_names(const struct th_csv *csv, const char ***names,
                              struct th_error *err);
void th_csv_header_free(struct th_csv *csv);

/* Columns that are attributes, where some of them have words: the fields of an
 * example. */
struct th_csv_fields {
  int64_t fields;           /* 0: no column has words */
  int64_t words;            /* how many do */
  struct th_levels *levels; /* of each field; without words: a number */
  struct th_levels *known;  /* of each field, what other data have; NULL: the
                               same */
  int64_t *first;           /* its first attribute; -1: left out */
  char **field;             /* its name */
  int64_t attributes;
  char **name; /* of each attribute */
};

/* Room for so many fields; release with th_csv_words_free. Local. */
th_status th_csv_words_reserve(struct th_csv_fields *w, int64_t fields,
                               struct th_error *err);
void th_csv_words_free(struct th_csv_fields *w);

/* Number the attributes of all fields, and name them. Local. */
th_status th_csv_words_number(struct th_csv_fields *w, struct th_error *err);

/* Fold the attributes of other data to the columns of their text: names and
 * count of the reference are those of the attributes, and become those of the
 * fields. Local. */
th_status th_csv_words_fold(struct th_csv_fields *w,
                            const struct th_origin *like,
                            struct th_csv_reference *reference,
                            struct th_error *err);

/* Give the columns of a file the attributes of their fields. Local. */
th_status th_csv_words_spread(const struct th_csv_fields *w, struct th_csv *csv,
                              struct th_error *err);

/* Attributes get other numbers: number[a], or UINT32_MAX where it is left out.
 * All attributes of a column of words are, or none is. w: NULL, or the fields
 * of the files. Local. */
void th_csv_words_renumber(struct th_csv_fields *w, struct th_csv *csv,
                           int64_t files, const uint32_t *number);

/* The columns of words, and how many attributes they have; texts are borrowed.
 * Local. */
th_status th_csv_words_told(const struct th_csv_fields *w,
                            struct th_origin *origin, struct th_error *err);

/* --- What kinds of fields columns have. Local. ---------------------------- */

/* The fields of attributes, of the target and of the weights. */
struct th_csv_kinds {
  int64_t places;
  struct th_levels *seen; /* what was met in each place */
  bool *wanted;           /* all of its fields are looked at */
};

/* Where a column is in such a list: an attribute by its number; behind these
 * the target, if it is a number, and the weights. -1: nowhere. */
int64_t th_csv_kinds_place(const struct th_csv *csv, int64_t column);

/* For the columns of a file; all are wanted. Release with th_csv_kinds_free. */
th_status th_csv_kinds_begin(struct th_csv_kinds *kinds,
                             const struct th_csv *csv, struct th_error *err);
void th_csv_kinds_free(struct th_csv_kinds *kinds);

/* After a sample was seen, which is forgotten: wanted is what has more than
 * plain numbers. Returns how many are. */
int64_t th_csv_kinds_sampled(struct th_csv_kinds *kinds);

/* Also look at all fields of the places that have another kind than plain
 * numbers in other data; returns how many are wanted. told: enum th_kind of
 * each place. */
int64_t th_csv_kinds_told(struct th_csv_kinds *kinds,
                          const unsigned char *told);

/* The kind that all fields of a place have, where it is another one than plain
 * numbers and words; else TH_KIND_NUMBER. */
enum th_kind th_csv_kinds_only(const struct th_csv_kinds *kinds,
                               const struct th_csv *csv, int64_t place);

/* The kind of fields in a place which is not that of other data, or -1. */
int th_csv_kinds_strange(const struct th_csv_kinds *kinds, int64_t place,
                         const unsigned char *told);

/* After all were seen: an error where columns have fields of another kind than
 * in the other data, all of which are said at once. at: "FILE:LINE", where the
 * first of them stands. */
th_status th_csv_kinds_compare(const struct th_csv_kinds *kinds,
                               const struct th_csv *csv,
                               const unsigned char *told, const char *like,
                               const char *at, struct th_error *err);

/* True if a place has words and may have them. */
bool th_csv_kinds_words(const struct th_csv_kinds *kinds,
                        const struct th_csv *csv, int64_t place);

/* After all were seen: an error where a column has fields of two kinds, or more
 * than `most` words; all such columns are said at once. ignored: what is left
 * out already, or NULL. What the reader of rows refuses is not looked at. */
th_status th_csv_kinds_check(const struct th_csv_kinds *kinds,
                             const struct th_csv *csv, const char *file,
                             const char *ignored, int64_t most,
                             struct th_error *err);

/* --- The kinds that columns have in other data. Local. -------------------- */

struct th_csv_parser;

/* Make a list of the enum th_kind of each place, as the text of other data had
 * them; owned by the caller. support: the attributes that the places are, or
 * NULL for all. */
th_status th_csv_told_recall(const struct th_csv *csv,
                             const struct th_origin *like,
                             const int64_t *support, int64_t size,
                             unsigned char **kind, struct th_error *err);

/* Make that list anew from what all files have, which was looked at before
 * words became attributes; these count as plain numbers. */
th_status th_csv_told_note(const struct th_csv *csv,
                           const struct th_csv_kinds *kinds,
                           const struct th_csv_fields *w, unsigned char **kind,
                           struct th_error *err);

/* The number of the first of the lines that has a field of another kind; 0:
 * none has. */
th_status th_csv_told_find(const struct th_csv *csv,
                           struct th_csv_parser *parser,
                           struct th_text_lines *lines,
                           const unsigned char *kind, int64_t *number,
                           struct th_error *err);

/* Put what is no plain number into what is known of the text; origin->kind is
 * the caller's. kind: as above, or NULL. */
th_status th_csv_told_keep(const struct th_csv *csv, const unsigned char *kind,
                           struct th_origin *origin, struct th_error *err);

/* --- The text of a file: records, fields, examples. Local. ---------------- */

/* A field between `p` and `end`, where the record ends at the latest. */
struct th_csv_field {
  const char *p; /* behind the field */
  const char *end;
  char delimiter;
  bool records; /* a carriage return ends a record */
  bool quoted;
  bool doubled;     /* the text has doubled quotes */
  const char *text; /* without blanks and quotes around it */
  int64_t length;
};

/* What follows a field: another one, nothing, a byte that does not belong
 * there; or its quotes are open. */
enum th_csv_ending { TH_CSV_MORE, TH_CSV_LAST, TH_CSV_MISPLACED, TH_CSV_OPEN };

/* Read the field that begins at p; p is then at the delimiter or the end. */
enum th_csv_ending th_csv_field_next(struct th_csv_field *field);

/* Go on at p with a field whose quotes were open; text is its beginning. */
enum th_csv_ending th_csv_field_close(struct th_csv_field *field);

/* Copy the text with a zero behind it, doubled quotes once; returns its length.
 */
int64_t th_csv_field_copy(const struct th_csv_field *field, char *to);

/* True if blanks stand between the words of a text, none of which reads like
 * index:value. Local. */
bool th_csv_has_blanks(const char *text, int64_t length);

/* A line in which blanks are the delimiter, with one where there are several
 * and none around them, but for those in quotes; in *room, which grows to
 * capacity. Other lines stay as they are. Local. */
th_status th_csv_squeeze(char delimiter, struct th_line *line, char **room,
                         int64_t *capacity, struct th_error *err);

/* True where a line holds an example: not blank. Local. */
bool th_csv_reader_is_example(const struct th_csv *csv, const char *text,
                              int64_t length);

/* Read the example of a line; its target is NaN where the file has none. Local.
 * An error names the place of the first fault. */
struct th_csv_parser;
th_status th_csv_reader_create(struct th_csv_parser **parser,
                               struct th_error *err);
void th_csv_reader_free(struct th_csv_parser *parser);
th_status th_csv_reader_row(struct th_csv_parser *parser,
                            const struct th_csv *csv,
                            const struct th_line *line, struct th_text_row *row,
                            struct th_error *err);

/* Of an example, note the kinds of fields of some columns, and add words to
 * their lists; levels and wanted have an item for each place of
 * th_csv_kinds_place. Local. */
th_status th_csv_reader_see(struct th_csv_parser *parser,
                            const struct th_csv *csv,
                            const struct th_line *line,
                            struct th_levels *levels, const bool *wanted,
                            int64_t most, struct th_error *err);

/* How many fields of columns of words had none of their words. Local. */
int64_t th_csv_reader_unseen(const struct th_csv_parser *parser);

/* Fields that a parser has read which are numbers in other forms, by form; and
 * the first column of each, or INT64_MAX. */
struct th_csv_forms {
  int64_t fields[TH_CELL_COUNT];
  int64_t column[TH_CELL_COUNT];
};
/* Local; borrowed from the parser. */
const struct th_csv_forms *
th_csv_reader_forms(const struct th_csv_parser *parser);

/* True if the example of any line has weight 0, in a file with weights; what a
 * line with a fault gives means nothing. Local. */
bool th_csv_weightless(const struct th_csv *csv, const struct th_line *line);

/* Look at the counters' values in the row that was read last, `row` being its
 * number from anywhere on. Local. */
void th_csv_reader_count(struct th_csv *csv, const struct th_csv_parser *parser,
                         int64_t row);

#endif
