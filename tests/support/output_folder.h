/* output_folder.h - a folder in which outputs are tried out
 * SPDX-License-Identifier: MIT */
#ifndef OUTPUT_FOLDER_H
#define OUTPUT_FOLDER_H

#include <stdbool.h>

/* A new empty folder, instead of the one before; remove it in the end. */
void folder_start(void);
void folder_end(void);

const char *folder_path(void);
const char *in_folder(const char *name);

/* A file with a text; whether it has exactly that. */
void put(const char *name, const char *text);
bool holds(const char *name, const char *text);

bool is_there(const char *name);
bool is_link(const char *name);
int names_in_folder(void);

#endif
