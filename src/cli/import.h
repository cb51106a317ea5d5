/* import.h - the data of a command: a data set's file, or --source
 * SPDX-License-Identifier: MIT */
#ifndef TH_CLI_IMPORT_H
#define TH_CLI_IMPORT_H

#include "api/data.h"
#include "cli/options/options.h"

/* Open --source if it was given, else the file `path`; notes about the data go
 * to standard error from rank 0, unless --quiet. memory: bytes of values that
 * this rank may keep. Collective; end with th_data_close, also after a failure.
 * An error where an output lies among the shards of the data. */
th_status th_import_input_open(struct th_data *data,
                               const struct th_options *options,
                               const char *command, const char *path,
                               int64_t memory, struct th_comm *comm,
                               struct th_error *err);

#endif
