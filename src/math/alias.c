/* alias.c - draws from a discrete distribution in constant time
 * SPDX-License-Identifier: MIT */
#include "math/alias.h"

/* Places that lack mass fill `work` from the front, those with too much from
 * the back. A place that lacks mass is completed from one that has too much,
 * which may then lack some itself. */
void th_alias_build(const struct th_alias *alias, const double *mass,
                    int32_t *work)
{
  int64_t count = alias->count;
  int64_t poor = 0;
  int64_t rich = count;
  int64_t richest = 0;
  double sum = 0;
  for (int64_t k = 0; k < count; k++) {
    sum += mass[k];
    richest = mass[k] > mass[richest] ? k : richest;
  }
  for (int64_t k = 0; k < count; k++) {
    alias->place[k].keep = mass[k] / sum * (double)count;
    alias->place[k].other = (int32_t)k;
    work[alias->place[k].keep < 1 ? poor++ : --rich] = (int32_t)k;
  }
  while (poor > 0 && rich < count) {
    int32_t needy = work[--poor];
    int32_t giver = work[rich];
    alias->place[needy].other = giver;
    alias->place[giver].keep -= 1 - alias->place[needy].keep;
    if (alias->place[giver].keep < 1) {
      rich++;
      work[poor++] = giver;
    }
  }
  /* What is left lacks nothing but rounding. */
  while (poor > 0) {
    int32_t k = work[--poor];
    alias->place[k].other = mass[k] > 0 ? k : (int32_t)richest;
    alias->place[k].keep = mass[k] > 0 ? 1 : 0;
  }
  while (rich < count)
    alias->place[work[rich++]].keep = 1;
}
