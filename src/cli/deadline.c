/* deadline.c - when a run has to end, by its options and by the batch system
 * SPDX-License-Identifier: MIT */
#include "cli/deadline.h"

#include "core/comm.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { LEAST_STATUS = 3 }; /* 1 and 2 are failures */

/* A whole number in the environment. -1: not there; -2: something else. */
static int64_t number_of(const char *name)
{
  const char *text = getenv(name);
  char *end = NULL;
  if (text == NULL || *text == '\0')
    return -1;
  long long value = strtoll(text, &end, 10);
  return *end != '\0' || value < 0 ? -2 : value;
}

static double now_in_unix_time(void)
{
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

th_status th_deadline_find(int64_t max_time, double began, double *left,
                           struct th_error *err)
{
  static const char *const names[] = {"THRESHER_STOP_AT", "SLURM_JOB_END_TIME"};
  *left = INFINITY;
  if (max_time > 0)
    *left = (double)max_time - (th_comm_clock() - began);
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    int64_t at = number_of(names[k]);
    if (at == -2 && k == 0)
      return th_fail(err, TH_EUSAGE,
                     "%s is %.60s, not a time in seconds since 1970, as "
                     "date +%%s prints it",
                     names[k], getenv(names[k]));
    if (at >= 0)
      *left = fmin(*left, (double)at - now_in_unix_time());
  }
  const char *status = getenv("THRESHER_STOP_STATUS");
  if (status != NULL && *status != '\0' && th_deadline_status(0) == 0)
    return th_fail(err, TH_EUSAGE,
                   "THRESHER_STOP_STATUS is %.60s, not a number from 3 to 125",
                   status);
  return TH_OK;
}

int th_deadline_status(int usual)
{
  int64_t status = number_of("THRESHER_STOP_STATUS");
  return status >= LEAST_STATUS && status <= 125 ? (int)status : usual;
}
