/* vector.h - a number or a word for each example, from a file of its own; names
 * of files with names of what is in them
 * SPDX-License-Identifier: MIT */
#ifndef TH_VECTOR_H
#define TH_VECTOR_H

#include "io/import/arrays/frame.h"

#include <stddef.h>

/* The length of the file's name in FILE:NAME, where the file is called as files
 * of several arrays are; else, and where nothing is named, that of the whole.
 * Local. */
size_t th_vector_file(const char *name);

/* True if a name is that of a file of arrays, perhaps with one in it. Local. */
bool th_vector_named(const char *name);

/* Read all numbers of FILE.npy, FILE.npz:NAME or FILE.h5:/PATH. Local. Release
 * with th_frame_free, also on failure. */
th_status th_vector_read(const char *name, struct th_frame_column *column,
                         struct th_error *err);

/* Read the lines of a text file, compressed or not, without the blanks around
 * them: one for each of `count` columns. output: a compressed file is
 * decompressed beside it. *lines: TH_FREE_LIST. Local. */
th_status th_vector_lines(const char *path, const char *output, int64_t count,
                          char ***lines, struct th_error *err);

#endif
