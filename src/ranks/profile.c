/* profile.c - where the time of a run goes, phase by phase
 * SPDX-License-Identifier: MIT */
#include "ranks/profile.h"

const char *th_profile_phase_key(enum th_phase phase)
{
  static const char *const keys[TH_PHASE_COUNT] = {
#define TH_PHASE_KEY(code, key) [code] = (key),
      TH_PHASE_LIST(TH_PHASE_KEY)
#undef TH_PHASE_KEY
  };
  return keys[phase];
}

/* The accounts as they stand: a phase costs what they grow by. */
static struct th_phase_cost accounts(const struct th_profile *profile)
{
  struct th_phase_cost now = {.seconds = th_comm_clock()};
  if (profile->comm != NULL) {
    now.waiting = profile->comm->seconds;
    now.bytes_sent = profile->comm->bytes_sent;
    now.operations = profile->comm->operations;
  }
  return now;
}

void th_profile_begin(struct th_profile *profile)
{
  profile->began = accounts(profile);
}

void th_profile_end(struct th_profile *profile, enum th_phase phase)
{
  struct th_phase_cost now = accounts(profile);
  struct th_phase_cost *cost = &profile->phase[phase];
  cost->calls++;
  cost->seconds += now.seconds - profile->began.seconds;
  cost->waiting += now.waiting - profile->began.waiting;
  cost->bytes_sent += now.bytes_sent - profile->began.bytes_sent;
  cost->operations += now.operations - profile->began.operations;
}
