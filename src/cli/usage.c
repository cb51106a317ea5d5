/* usage.c - what the system counts of a rank's process: time of its cores and
 * page faults
 * SPDX-License-Identifier: MIT */
#include "cli/usage.h"

#include "cli/shared/json.h"

#include <sys/resource.h>

static double seconds_of(const struct timeval *time)
{
  return (double)time->tv_sec + 1e-6 * (double)time->tv_usec;
}

struct th_usage th_usage_now(void)
{
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) != 0)
    return (struct th_usage){.user = 0};
  return (struct th_usage){.user = seconds_of(&usage.ru_utime),
                           .system = seconds_of(&usage.ru_stime),
                           .faults = usage.ru_minflt,
                           .faults_on_disk = usage.ru_majflt};
}

struct th_usage th_usage_since(const struct th_usage *began)
{
  struct th_usage now = th_usage_now();
  return (struct th_usage){.user = now.user - began->user,
                           .system = now.system - began->system,
                           .faults = now.faults - began->faults,
                           .faults_on_disk =
                               now.faults_on_disk - began->faults_on_disk};
}

void th_usage_json(json_t *object, const struct th_usage *usage)
{
  th_json_real(object, "user_seconds", usage->user);
  th_json_real(object, "system_seconds", usage->system);
  th_json_int(object, "page_faults", usage->faults);
  th_json_int(object, "page_faults_on_disk", usage->faults_on_disk);
}
