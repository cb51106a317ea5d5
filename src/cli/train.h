/* train.h - when a run has to end, by its options and by the batch system
 *
 * Local. Clocks decide only when a run stops, never what it computes.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CLI_TRAIN_H
#define TH_CLI_TRAIN_H

#include "base/error.h"

#include <stdint.h>

/* The seconds from now to the first of these: the end of --max-time, counted
 * from `began` by th_comm_clock, 0: none; THRESHER_STOP_AT and
 * SLURM_JOB_END_TIME, both in seconds of Unix time. Infinite if there is none.
 * *left may be negative. An error if THRESHER_STOP_AT is no time. */
th_status th_train_deadline_find(int64_t max_time, double began, double *left,
                                 struct th_error *err);

/* The exit status of a run that was stopped early: THRESHER_STOP_STATUS, 1 to
 * 125, for batch systems that requeue jobs by another status; else `usual`. */
int th_train_deadline_status(int usual);

#endif
