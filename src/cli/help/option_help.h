/* option_help.h - an option as help and manual pages have it
 *
 * Local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_OPTION_HELP_H
#define TH_OPTION_HELP_H

#include "cli/options/options.h"

#include <stdbool.h>
#include <stddef.h>

/* Bytes that any of these texts needs at most, with its end. */
enum { TH_OPTION_HELP_TEXT = 1024 };

/* How it is written: "-s, --sparsity K", "--[no-]quiet", "--type f32|f64". */
void th_option_help_usage(const struct th_option *option, char *text,
                          size_t size);

/* What it does, its range and its default, a sentence each. */
void th_option_help_describe(const struct th_option *option, char *text,
                             size_t size);

/* The sections of decks, up to NULL. */
const char *const *th_option_help_sections(void);

/* The next option behind *row in a section, of these commands; section NULL:
 * of those that are for the command line only. *row is -1 in the beginning.
 * NULL: there is no more. */
const struct th_option *th_option_help_next(int *row, const char *section,
                                            unsigned commands);

#endif
