/* profile.c - where the time of a run goes, phase by phase
 * SPDX-License-Identifier: MIT */
#include "core/profile.h"

#include "core/comm.h"

const char *th_phase_key(enum th_phase phase)
{
  static const char *const keys[TH_PHASE_COUNT] = {
#define TH_PHASE_KEY(code, key, what) [code] = (key),
      TH_PHASE_LIST(TH_PHASE_KEY)
#undef TH_PHASE_KEY
  };
  return keys[phase];
}

void th_profile_begin(struct th_profile *profile)
{
  profile->began = th_clock();
}

void th_profile_end(struct th_profile *profile, enum th_phase phase)
{
  profile->seconds[phase] += th_clock() - profile->began;
  profile->calls[phase]++;
}
