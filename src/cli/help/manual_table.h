/* manual_table.h - what manual pages and help say beside commands and options
 *
 * Local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_MANUAL_TABLE_H
#define TH_MANUAL_TABLE_H

/* Each table is ended by a row whose `commands` is 0; that is the mask of the
 * commands (enum th_command_bit) that the row is about. */

struct th_manual_example {
  unsigned commands;
  const char *does;
  const char *line; /* as it is typed */
};

/* A file, or a variable of the environment. */
struct th_manual_thing {
  unsigned commands;
  const char *name;
  const char *meaning;
};

struct th_manual_exit {
  unsigned commands;
  int status;
  const char *meaning;
};

/* In the order of the commands: a line may use what lines before it made. */
const struct th_manual_example *th_manual_table_examples(void);
const struct th_manual_thing *th_manual_table_files(void);
const struct th_manual_thing *th_manual_table_environment(void);
const struct th_manual_exit *th_manual_table_exits(void);

/* Paragraphs: what the program is, how these commands are launched on several
 * ranks (NULL: none of them is), how outputs are written. */
const char *th_manual_table_about(void);
const char *th_manual_table_launching(unsigned commands);
const char *th_manual_table_writing(void);

#endif
