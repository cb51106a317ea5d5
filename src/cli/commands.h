/* commands.h - the subcommands of the program
 * SPDX-License-Identifier: MIT */
#ifndef TH_COMMANDS_H
#define TH_COMMANDS_H

#include "cli/options/options.h"
#include "core/comm.h"

/* One row per subcommand, ended by a NULL name. */
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
const struct th_command *th_command_table(void);
const struct th_command *th_command_find(const char *name);

th_status th_run_generate(const struct th_options *options,
                          struct th_comm *comm, struct th_error *err);
th_status th_run_import(const struct th_options *options, struct th_comm *comm,
                        struct th_error *err);
th_status th_run_train(const struct th_options *options, struct th_comm *comm,
                       struct th_error *err);
th_status th_run_verify(const struct th_options *options, struct th_comm *comm,
                        struct th_error *err);
th_status th_run_evaluate(const struct th_options *options,
                          struct th_comm *comm, struct th_error *err);
th_status th_run_predict(const struct th_options *options, struct th_comm *comm,
                         struct th_error *err);
th_status th_run_inspect(const struct th_options *options, struct th_comm *comm,
                         struct th_error *err);
th_status th_run_solvers(const struct th_options *options, struct th_comm *comm,
                         struct th_error *err);
th_status th_run_bench(const struct th_options *options, struct th_comm *comm,
                       struct th_error *err);

#endif
