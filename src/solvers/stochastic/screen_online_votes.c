/* screen_online_votes.c - the heuristic of the paper's experiments
 *
 * Their program (not their text) lets the rule vote four times in a block, with
 * a radius sqrt(n) smaller than proved. Then attributes leave that have at
 * least as many votes against them as the mean and the median of all, if that
 * is more than five. Half of the attributes may leave at once, without any
 * proof, and attributes of the solution that become active late leave with
 * them.
 * SPDX-License-Identifier: MIT */
#include "solvers/stochastic/screen_online.h"

#include "core/integer.h"

#include <math.h>

static const double least_votes = 5;

/* Sums over all active attributes: those with `at_most` votes or fewer, and
 * votes. Collective. */
static void count(struct th_stochastic *s, double at_most, int64_t sums[2])
{
  const double *votes = th_stochastic_screening_field(s, TH_ONLINE_VOTES);
  sums[0] = 0;
  sums[1] = 0;
  for (int64_t p = 0; p < s->active.count; p++) {
    sums[0] += votes[p] <= at_most;
    sums[1] += (int64_t)votes[p];
  }
  s->context->comm->ops->sum_i64(s->context->comm, sums, 2);
}

/* The smallest number that half of the attributes do not exceed. */
static double median(struct th_stochastic *s, int64_t ballots)
{
  int64_t low = 0;
  int64_t high = ballots;
  while (low < high) {
    int64_t sums[2];
    int64_t middle = (low + high) / 2;
    count(s, (double)middle, sums);
    if (2 * sums[0] >= s->active.total)
      high = middle;
    else
      low = middle + 1;
  }
  return (double)low;
}

void th_screen_online_vote(struct th_stochastic *s)
{
  struct th_online_screen *screen = th_screen_online_of(s);
  double *votes = th_stochastic_screening_field(s, TH_ONLINE_VOTES);
  bool election = ++screen->ballots % TH_ONLINE_BALLOTS == 0;
  double enough = INFINITY;
  int64_t sums[2];
  for (int64_t p = 0; p < s->active.count; p++)
    votes[p] += s->places.keep[p] ? 0 : 1;
  if (election) {
    count(s, 0, sums);
    enough = fmax((double)sums[1] / (double)th_max_i64(s->active.total, 1),
                  median(s, screen->ballots));
    enough = enough > least_votes ? enough : INFINITY;
  }
  for (int64_t p = 0; p < s->active.count; p++)
    s->places.keep[p] = votes[p] < enough;
}
