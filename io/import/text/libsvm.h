/* libsvm.h - strict reading of LIBSVM text, one line at a time
 *
 * label index:value index:value ... # comment
 * SPDX-License-Identifier: MIT */
#ifndef TH_LIBSVM_H
#define TH_LIBSVM_H

#include "io/import/text/text_row.h"

struct th_index_set;
struct th_missing;

struct th_libsvm {
  bool zero_based;
  bool unlabelled; /* lines begin with their first index:value */
  bool weighted;   /* lines begin with label:weight */
  bool leaves_out; /* values of indices beyond `attributes`, or that are not in
                      `set`, are left out */
  struct th_class class;            /* of the labels, against all others */
  int64_t attributes;               /* 0: no limit but TH_TEXT_ATTRIBUTES */
  const char *limiter;              /* what sets the limit, for messages */
  const struct th_missing *missing; /* values; NULL: none may be; borrowed */
  const struct th_index_set *set; /* what the indices number, which `attributes`
                                     does not limit then; NULL: themselves.
                                     Borrowed */
};

/* True where a line holds an example: not blank, not only a comment. Local. */
bool th_libsvm_is_example(const char *text, int64_t length);

/* True where a line begins with digits and a colon: an example without a label.
 * Local. Shown for tests. */
bool th_libsvm_is_unlabelled(const char *text, int64_t length);

/* True where a line looks like LIBSVM: a blank, then digits and a colon.
 * Local. */
bool th_libsvm_recognise(const char *text, int64_t length);

/* The last index of a line that holds an example; false: it has none, or what
 * is there is none. One of more than 64 bits is UINT64_MAX. Local. */
bool th_libsvm_last_index(const struct th_libsvm *format, const char *text,
                          int64_t length, uint64_t *index);

/* The indices of a line that holds an example, up to the first fault, which
 * th_libsvm_row tells of: *cursor, at first the text of the line, moves to the
 * next one. False: no more. Local. */
bool th_libsvm_next_index(const struct th_libsvm *format,
                          const struct th_line *line, const char **cursor,
                          uint64_t *index);

/* What the first word of an example can be. */
struct th_libsvm_word {
  bool is_index;  /* of index:value: it is a whole number, and the next index is
                     larger */
  bool is_weight; /* label:weight */
  double weight;  /* then */
  const char *label; /* what stands before the colon, or all; borrowed */
  int64_t length;
  bool is_number; /* the label is */
  double value;   /* then */
};

/* Local; of a line that holds an example. */
struct th_libsvm_word th_libsvm_first_word(const char *text, int64_t length,
                                           bool zero_based);

/* Read the example of a line; its target is NaN where there is no label. An
 * empty line of data without labels may be an example of zeros, and is refused.
 * Local. An error names the place of the first fault. */
th_status th_libsvm_row(const struct th_libsvm *format,
                        const struct th_line *line, struct th_text_row *row,
                        struct th_error *err);

#endif
