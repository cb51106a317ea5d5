/* rank_cost.c - what a run costs one rank, and all of them together
 * SPDX-License-Identifier: MIT */
#include "cli/run/rank_cost.h"

#include "base/integer.h"
#include "base/memory.h"
#include "io/files/mapping.h"
#include "ranks/comm.h"
#include "ranks/memory_use.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_phase(struct th_phase_cost *sum, struct th_phase_cost *most,
                      const struct th_phase_cost *cost)
{
  sum->calls += cost->calls;
  sum->seconds += cost->seconds;
  sum->waiting += cost->waiting;
  sum->bytes_sent += cost->bytes_sent;
  sum->bytes_exchanged += cost->bytes_exchanged;
  sum->operations += cost->operations;
  most->calls = th_max_i64(most->calls, cost->calls);
  most->seconds = fmax(most->seconds, cost->seconds);
  most->waiting = fmax(most->waiting, cost->waiting);
  most->bytes_sent = th_max_i64(most->bytes_sent, cost->bytes_sent);
  most->bytes_exchanged =
      th_max_i64(most->bytes_exchanged, cost->bytes_exchanged);
  most->operations = th_max_i64(most->operations, cost->operations);
}

static void add_traffic(struct th_traffic *sum, const struct th_traffic *cost)
{
  sum->read += cost->read;
  sum->observed += cost->observed;
}

static void add_rank(struct th_rank_total *total,
                     const struct th_rank_cost *cost)
{
  struct th_rank_cost *sum = &total->sum;
  struct th_rank_cost *most = &total->most;
  sum->seconds += cost->seconds;
  sum->waiting += cost->waiting;
  sum->reading += cost->reading;
  sum->operations += cost->operations;
  sum->bytes_sent += cost->bytes_sent;
  sum->bytes_exchanged += cost->bytes_exchanged;
  sum->bytes_read += cost->bytes_read;
  sum->bytes_in_place += cost->bytes_in_place;
  add_traffic(&sum->blocks, &cost->blocks);
  add_traffic(&sum->support, &cost->support);
  sum->peak_memory += cost->peak_memory;
  most->seconds = fmax(most->seconds, cost->seconds);
  most->waiting = fmax(most->waiting, cost->waiting);
  most->reading = fmax(most->reading, cost->reading);
  most->operations = th_max_i64(most->operations, cost->operations);
  most->bytes_sent = th_max_i64(most->bytes_sent, cost->bytes_sent);
  most->bytes_exchanged =
      th_max_i64(most->bytes_exchanged, cost->bytes_exchanged);
  most->bytes_read = th_max_i64(most->bytes_read, cost->bytes_read);
  most->bytes_in_place = th_max_i64(most->bytes_in_place, cost->bytes_in_place);
  most->peak_memory = th_max_i64(most->peak_memory, cost->peak_memory);
  for (int p = 0; p < TH_PHASE_COUNT; p++)
    add_phase(&sum->phase[p], &most->phase[p], &cost->phase[p]);
}

/* What is in no phase. */
static struct th_phase_cost rest_of(const struct th_rank_cost *cost)
{
  struct th_phase_cost rest = {.calls = 1,
                               .seconds = cost->seconds,
                               .waiting = cost->waiting,
                               .bytes_sent = cost->bytes_sent,
                               .bytes_exchanged = cost->bytes_exchanged,
                               .operations = cost->operations};
  for (int p = 0; p < TH_PHASE_OTHER; p++) {
    rest.seconds -= cost->phase[p].seconds;
    rest.waiting -= cost->phase[p].waiting;
    rest.bytes_sent -= cost->phase[p].bytes_sent;
    rest.bytes_exchanged -= cost->phase[p].bytes_exchanged;
    rest.operations -= cost->phase[p].operations;
  }
  rest.seconds = fmax(rest.seconds, 0);
  rest.waiting = fmin(fmax(rest.waiting, 0), rest.seconds);
  return rest;
}

struct th_rank_cost th_rank_cost_now(const struct th_comm *comm,
                                     const struct th_profile *profile,
                                     const struct th_store *store, double began)
{
  struct th_rank_cost now = {
      .seconds = th_comm_clock() - began,
      .waiting = comm->seconds,
      .reading = store->seconds,
      .operations = comm->operations,
      .bytes_sent = comm->bytes_sent,
      .bytes_exchanged = comm->bytes_exchanged,
      .bytes_read = store->bytes_read,
      .bytes_in_place = store->bytes_in_place,
      .blocks = store->blocks,
      .support = store->support,
      .peak_memory = th_memory_use_peak(comm->memory, th_mapping_memory())};
  memcpy(now.phase, profile->phase, sizeof now.phase);
  now.phase[TH_PHASE_OTHER] = rest_of(&now);
  return now;
}

static void append_phase(struct th_phase_cost *a, const struct th_phase_cost *b)
{
  a->calls += b->calls;
  a->seconds += b->seconds;
  a->waiting += b->waiting;
  a->bytes_sent += b->bytes_sent;
  a->bytes_exchanged += b->bytes_exchanged;
  a->operations += b->operations;
}

/* Of one part of a run and the next; memory is not needed twice. */
static void append_cost(struct th_rank_cost *a, const struct th_rank_cost *b)
{
  a->seconds += b->seconds;
  a->waiting += b->waiting;
  a->reading += b->reading;
  a->operations += b->operations;
  a->bytes_sent += b->bytes_sent;
  a->bytes_exchanged += b->bytes_exchanged;
  a->bytes_read += b->bytes_read;
  a->bytes_in_place += b->bytes_in_place;
  add_traffic(&a->blocks, &b->blocks);
  add_traffic(&a->support, &b->support);
  a->peak_memory = th_max_i64(a->peak_memory, b->peak_memory);
  for (int p = 0; p < TH_PHASE_COUNT; p++)
    append_phase(&a->phase[p], &b->phase[p]);
}

void th_rank_cost_append(struct th_rank_total *total,
                         const struct th_rank_total *later)
{
  append_cost(&total->sum, &later->sum);
  append_cost(&total->most, &later->most);
}

th_status th_rank_cost_gather(struct th_rank_total *total,
                              struct th_rank_cost **all, struct th_comm *comm,
                              const struct th_rank_cost *mine,
                              struct th_error *err)
{
  void *gathered = NULL;
  th_status rc;
  *total = (struct th_rank_total){.sum = {.seconds = 0}};
  TH_TRY(th_comm_collect(comm, mine, sizeof *mine, &gathered, err));
  const struct th_rank_cost *cost = gathered;
  for (int r = 0; comm->rank == 0 && r < comm->size; r++)
    add_rank(total, &cost[r]);
  comm->ops->bcast(comm, total, sizeof *total, 0);
  if (all != NULL) {
    *all = gathered;
    gathered = NULL;
  }
done:
  free(gathered);
  return rc;
}

_Static_assert(sizeof(struct th_rank_total) % sizeof(int64_t) == 0,
               "numbers of 8 bytes");

/* Of a number, whether it is an integer or the bits of a double: those of 1e18.
 */
static const int64_t rank_cost_most = INT64_C(0x43abc16d674ec800);

void th_rank_cost_describe(struct th_rank_total *total, struct th_state *state)
{
  int64_t numbers = (int64_t)(sizeof *total / sizeof(int64_t));
  th_state_all(state, "costs", TH_STATE_I64, total, numbers);
  th_state_limit(state, "costs", (int64_t *)(void *)total, numbers, 0,
                 rank_cost_most);
}
