/* attribute_list.h - a list of attributes in an option, or in a file that it
 * names: numbers or names
 * SPDX-License-Identifier: MIT */
#ifndef TH_ATTRIBUTE_LIST_H
#define TH_ATTRIBUTE_LIST_H

#include "api/data.h"

#include <stdbool.h>
#include <stdint.h>

struct th_listed_attribute {
  int64_t attribute;
  double coef;
  char *name; /* in place of the attribute; NULL: none. Borrowed */
};

/* The first two members are the caller's to set. */
struct th_attribute_list {
  const char *option; /* opens messages: "{start}" */
  bool coefficients;  /* each may have one: 3:0.5,17:-2 */
  bool has_coef;      /* they have */
  char *text;         /* cut up */
  int64_t count;
  struct th_listed_attribute *item; /* ascending */
};

/* Read a list such as 3,17,20 or 3:0.5,17:-2, with names in place of numbers
 * where the data have names; where names are indices, numbers are these.
 * Collective. An error for a malformed list, an
 * attribute that is there twice or that the data do not have. Release with
 * th_attribute_list_free, also after a failure. */
th_status th_attribute_list_read(struct th_attribute_list *list,
                                 const char *text, struct th_data *data,
                                 struct th_comm *comm, struct th_error *err);
/* A file with a number for each attribute of a list; the range that the numbers
 * may have. */
struct th_attribute_file {
  const char *name;
  const char *output; /* a compressed one is unpacked beside it; NULL: beside
                         itself */
  double least;
  double most;
  const char *expected; /* the range in words: "a factor, 0 or above" */
};

/* Read a list from a file with one attribute on a line, by name or number as in
 * th_attribute_list_read, and behind it, after a blank, a tab or a comma, its
 * coefficient. Lines that are empty or begin with # are left out. Rank 0 reads.
 * Collective. Likewise an error, of FILE:LINE where the line is wrong. Release
 * likewise. */
th_status th_attribute_list_file(struct th_attribute_list *list,
                                 const struct th_attribute_file *file,
                                 struct th_data *data, struct th_comm *comm,
                                 struct th_error *err);

/* Local. */
void th_attribute_list_free(struct th_attribute_list *list);

/* Can the text be nothing but a list of numbers? Local. */
bool th_attribute_list_numbers(const char *text);

#endif
