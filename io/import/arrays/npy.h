/* npy.h - arrays as NumPy writes them: a header in Python's words, then numbers
 * SPDX-License-Identifier: MIT */
#ifndef TH_NPY_H
#define TH_NPY_H

#include "io/files/stretch.h"
#include "io/import/arrays/items.h"

enum { TH_NPY_TEXT = 64, TH_NPY_DIMENSIONS = 2 };

/* An array; zeroed: none. */
struct th_npy {
  int dimensions; /* at most TH_NPY_DIMENSIONS */
  int64_t shape[TH_NPY_DIMENSIONS];
  bool by_columns; /* Fortran's order */
  bool is_text;    /* one text, without items: that of `text` */
  char text[TH_NPY_TEXT];
  char **word; /* a list of words, without items; NULL: it is none */
  int64_t words;
  struct th_items items;
};

/* True if a file begins like one. Local. */
bool th_npy_begins(const char *head, size_t bytes);

/* Open the array that is all of these bytes. An error for one of objects,
 * records, words in rows or complex numbers, or of more dimensions. Local.
 * Release with th_npy_close, also on failure. */
th_status th_npy_open(struct th_npy *npy, const struct th_stretch_place *place,
                      struct th_error *err);
void th_npy_close(struct th_npy *npy);

#endif
