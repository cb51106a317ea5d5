/* path.h - which paths lead to one file, and where a data set keeps its shards
 *
 * Folders are compared by what they are, not by how they are spelt. All
 * functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_IO_PATH_H
#define TH_IO_PATH_H

#include <stdbool.h>

/* Length of a path without the ".h5" of its name: the shards of DIR/NAME.h5 and
 * of DIR/NAME lie in DIR/NAME.shards. */
int th_path_stem(const char *path);

/* Whether two paths name one file, be it there already or not. */
bool th_path_same(const char *a, const char *b);

/* Whether the names of two paths are names in one folder. */
bool th_path_beside(const char *a, const char *b);

/* Whether a path names something in the folder where a data set of the name
 * `master` has its shards. */
bool th_path_among_shards(const char *path, const char *master);

#endif
