/* usage.h - what the system counts of a rank's process: time of its cores and
 * page faults
 *
 * Of this process alone: it is no part of the accounts of a run that is gone on
 * with (cli/rank_cost.h).
 * SPDX-License-Identifier: MIT */
#ifndef TH_USAGE_H
#define TH_USAGE_H

#include <jansson.h>
#include <stdint.h>

/* Since the process began, or between two points of it; all threads. */
struct th_usage {
  double user;            /* seconds of cores in the program */
  double system;          /* seconds of cores in the kernel on its behalf */
  int64_t faults;         /* pages that memory was found for at first touch */
  int64_t faults_on_disk; /* pages that were waited for */
};

/* As it stands, by getrusage; zeros where the system does not tell. Local. */
struct th_usage th_usage_now(void);

/* What came after `began`. Local. */
struct th_usage th_usage_since(const struct th_usage *began);

/* Add one member of the object for each number. Local. */
void th_usage_json(json_t *object, const struct th_usage *usage);

#endif
