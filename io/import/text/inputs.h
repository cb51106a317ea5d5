/* inputs.h - the files of an import by name: folders, lists of files, and pipes
 *
 * Rank 0 finds out what the names stand for, and tells the others. A pipe is
 * written to a temporary file beside the output, which is read in its place.
 * SPDX-License-Identifier: MIT */
#ifndef TH_INPUTS_H
#define TH_INPUTS_H

#include "base/error.h"
#include "ranks/comm.h"

#include <stdbool.h>
#include <stdint.h>

/* What the standard input is called. */
#define TH_INPUTS_STANDARD "standard input"

/* A pipe that was written to a file. */
struct th_inputs_spool {
  char *path;
  int fd; /* which is locked meanwhile */
};

/* Begin with zeros and the name of the output. */
struct th_inputs {
  const char *output; /* borrowed */
  int64_t count;
  int64_t mains; /* without test files: the caller's to say */
  char **name;   /* of each, for messages */
  char **path;   /* to be opened; NULL: the name */
  int64_t name_capacity;
  int64_t path_capacity;
  bool piped; /* the standard input was read */
  struct th_inputs_spool *spool;
  int64_t spools;
  int64_t spool_capacity;
};

/* Is it a folder? Local. */
bool th_inputs_is_folder(const char *name);

/* Add what a name stands for: "-", the standard input, or a named pipe, which
 * is read to its end; of a folder all files in the order of their names, but
 * those whose names begin with a dot or an underscore: *passed counts these,
 * and folders in it; else a file. Local, on one rank. */
th_status th_inputs_add(struct th_inputs *inputs, const char *name,
                        int64_t *passed, struct th_error *err);

/* Add a name that is no file's. Local. */
th_status th_inputs_add_name(struct th_inputs *inputs, const char *name,
                             struct th_error *err);

/* Add what the lines of a file name, or those of the standard input, "-".
 * Local, on one rank. */
th_status th_inputs_add_list(struct th_inputs *inputs, const char *list,
                             int64_t *passed, struct th_error *err);

/* What rank 0 has added, or its failure rc, goes to all. A rank that has no
 * memory fails alone: the caller agrees. Collective. */
th_status th_inputs_share(struct th_inputs *inputs, struct th_comm *comm,
                          th_status rc, struct th_error *err);

/* Temporary files go. Local. */
void th_inputs_free(struct th_inputs *inputs);

#endif
