/* text_row.h - a line of a text file, and the example it holds: its class, its
 * values, and what these lose by being stored as f32
 * SPDX-License-Identifier: MIT */
#ifndef TH_TEXT_ROW_H
#define TH_TEXT_ROW_H

#include "base/error.h"
#include "data/slab.h"
#include "data/source.h"
#include "model/origin.h"
#include "ranks/comm.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

struct th_index_set;

/* One class of a target against all others. Where a class is given, targets are
 * names: a word, or a number in any form. */
struct th_class {
  const char *name; /* borrowed; NULL: no class is given */
  bool is_number;
  double value;
};

/* The classes that were met, each once, in ascending order. */
enum { TH_CLASSES_KEPT = 32, TH_CLASS_ROOM = 48 };

struct th_class_set {
  int64_t count;
  bool more; /* there were too many, or one that is too long */
  char name[TH_CLASSES_KEPT][TH_CLASS_ROOM];
  int64_t times[TH_CLASSES_KEPT]; /* how often each was met */
};

/* Local. */
struct th_class th_text_row_class_named(const char *name);

/* What a target's text says: +1 the class, -1 another one, 0 nothing, as a
 * missing value does. The byte behind the text is readable and is no part of a
 * number. Local. */
int th_text_row_class_of(const struct th_class *wanted, const char *text,
                         int64_t length);

/* Add a class that was met so many times. Local. */
void th_text_row_class_set_add(struct th_class_set *set, const char *text,
                               int64_t length, int64_t times);

/* The other classes that all ranks have met; *knows: a rank has met one that is
 * known from --like. Collective. */
th_status th_text_row_class_set_join(struct th_class_set *others, bool *knows,
                                     struct th_comm *comm,
                                     struct th_error *err);

/* What programs write for a value that is not there, or that is no number any
 * more. Local. */
bool th_text_row_is_missing(const char *text, int64_t length);

/* Attributes of a text file are counted in 32 bits: at 32 bytes of statistics
 * each, more would not fit a master file. */
#define TH_TEXT_ATTRIBUTES ((int64_t)UINT32_MAX - 1)

/* One physical line without its line end (LF or CR LF). The byte behind the
 * text is readable and is no digit. Borrowed. */
struct th_line {
  const char *file; /* as the user gave it */
  int64_t number;   /* from 1 */
  const char *text;
  int64_t length;
  bool too_long; /* text is only its beginning */
};

/* An example, in the type it will be stored in, but never packed. Reused from
 * line to line. */
enum { TH_QUOTED = 48 };

struct th_text_row {
  enum th_type type;
  double target;
  char other_class[TH_QUOTED];  /* the first target that is not of the class */
  struct th_class_set others;   /* the targets that are not */
  const struct th_class *known; /* classes to look out for; borrowed */
  int64_t known_count;
  bool knows; /* one of them, or the class itself, was met */
  double weight;
  char id[TH_ID_LONGEST + 1]; /* of the example, where the text has IDs */
  bool as_is;    /* all values are those of the input, bit for bit */
  int64_t place; /* then, of the example in the input: it can be read again by
                    this; -1: it cannot */
  int64_t left_out;            /* values that were left out, of all rows */
  struct th_index_set *unseen; /* their indices; NULL: nobody asks; borrowed */
  int64_t count;
  int64_t nonzeros; /* after conversion to the type */
  int64_t missing;  /* of these, values that nobody knows: th_type_missing */
  int64_t aside;    /* numbers that would be taken for such */
  int64_t first;    /* attributes first, first + 1, ..; -1: those in index */
  uint32_t *index;  /* 0-based, ascending; filled in where first is -1 */
  void *values;
  int64_t index_capacity;
  int64_t value_capacity;
  bool measured; /* f32: note what rounding takes from the values */
  double *lost;  /* of each value, where it is measured */
  int64_t lost_capacity;
};

/* Give the example the target +1, -1 or, for a missing one, 0: see
 * th_text_row_class_of. Local. */
int th_text_row_class(struct th_text_row *row, const struct th_class *wanted,
                      const char *text, int64_t length);

/* Make room for count entries; forget the old ones. Local. */
th_status th_text_row_reset(struct th_text_row *row, int64_t count,
                            struct th_error *err);

void th_text_row_free(struct th_text_row *row);

/* Store entry k; false where the type cannot hold the value. Local. */
static inline bool th_text_row_put(struct th_text_row *row, int64_t k,
                                   double value)
{
  if (row->type == TH_F32) {
    float nearest = (float)value;
    ((float *)row->values)[k] = nearest;
    if (row->measured)
      row->lost[k] = value - (double)nearest;
    row->nonzeros += nearest != 0.0F;
    return isfinite(nearest);
  }
  row->nonzeros += value != 0.0;
  row->aside += row->type != TH_F64 && value == th_type_missing(row->type);
  return th_type_fits(row->type, value) &&
         th_type_store(th_type_single(row->type), row->values, k, value);
}

/* Store that entry k is missing (th_type_missing). Local. */
void th_text_row_put_missing(struct th_text_row *row, int64_t k);

/* Fail with FILE:LINE:COLUMN in front, the column being that of `at` inside the
 * line. Local. */
th_status th_text_row_fail(const struct th_line *line, const char *at,
                           struct th_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* An error where a whole line has a byte 0, at which a name would end.
 * Local. */
th_status th_text_row_check(const struct th_line *line, struct th_error *err);

/* The text from `at` to the next blank, line end or `stop`, fit for a message:
 * short, printable, in quotes. Local. */
const char *th_text_row_quote(const struct th_line *line, const char *at,
                              char stop, char quoted[TH_QUOTED]);

/* Read the number at *cursor, at most to `end`, and say what is wrong with it
 * where it is none. `stop` ends a token in messages. Local. */
th_status th_text_row_number(const struct th_line *line, const char **cursor,
                             const char *end, char stop, const char *what,
                             double *value, struct th_error *err);

/* Say that the type cannot hold the value at `at`. Local. */
th_status th_text_row_misfit(const struct th_line *line, const char *at,
                             char stop, enum th_type type,
                             struct th_error *err);

/* The rounding errors of the rows that were measured. */
struct th_rounding {
  int64_t attributes; /* that were seen */
  int64_t capacity;
  double *error; /* per attribute: minus the lowest, then the highest */
};

/* True if a row of that number is to be measured: the first ones, and a share
 * of the others, so that it takes no time. Local. */
bool th_text_row_rounding_wants(int64_t row);

/* Look at a row that was measured. Local. */
th_status th_text_row_rounding_see(struct th_rounding *rounding,
                                   const struct th_text_row *row,
                                   struct th_error *err);

/* Room for those of the rank that has most attributes, which all ranks know;
 * local. Then those of all ranks; collective. */
th_status th_text_row_rounding_reserve(struct th_rounding *rounding,
                                       int64_t attributes,
                                       struct th_error *err);
void th_text_row_rounding_join(struct th_rounding *rounding,
                               struct th_comm *comm);

/* True if an attribute's values differ by errors of a notable part of their
 * standard deviation as stored. An error that is the same everywhere, as that
 * of a constant, is none. Local. */
bool th_text_row_rounding_notable(const struct th_rounding *rounding,
                                  int64_t attribute, double deviation);

void th_text_row_rounding_free(struct th_rounding *rounding);

#endif
