/* run.h - what several subcommands share
 * SPDX-License-Identifier: MIT */
#ifndef TH_RUN_H
#define TH_RUN_H

#include "cli/options/options.h"
#include "core/comm.h"
#include "core/source.h"

/* Bytes of main memory there are for each rank: the smallest share over all
 * machines of the job. Collective. */
th_status th_run_memory_share(struct th_comm *comm, int64_t *bytes,
                              struct th_error *err);

/* Bytes of stored values that a rank keeps: --memory, else 2/5 of its share. */
int64_t th_run_memory_to_keep(const struct th_options *options, int64_t share);

/* Refuse an output now rather than after the work: it exists, or its folder
 * cannot be written, or it is no text and goes to the standard output. path
 * NULL: nothing to check. Collective. */
th_status th_run_output_check(struct th_comm *comm, const char *path, bool text,
                              bool force, struct th_error *err);

/* The rows of a split. Local. TH_EUSAGE when there are none of it. */
th_status th_run_split_rows(const struct th_shape *shape, int split,
                            struct th_rows *rows, struct th_error *err);

/* The part of rows, from their first on, that lies in one row group; rows
 * become the rest. */
struct th_rows th_run_next_group(const struct th_shape *shape,
                                 struct th_rows *rows);

#endif
