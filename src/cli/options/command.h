/* command.h - what the option parser knows about a command
 * SPDX-License-Identifier: MIT */
#ifndef TH_COMMAND_H
#define TH_COMMAND_H

#include "ranks/comm.h"

struct th_options;

/* One row per command, ended by a NULL name. */
struct th_command {
  const char *name;
  unsigned bit;          /* of the option table's masks */
  const char *arguments; /* positional, as shown in help */
  int fewest;            /* positional arguments */
  int most;
  const char *summary;
  const char *help; /* a paragraph, or NULL */
  /* Collective. Results go to stdout on rank 0. */
  th_status (*run)(const struct th_options *options, struct th_comm *comm,
                   struct th_error *err);
};

#endif
