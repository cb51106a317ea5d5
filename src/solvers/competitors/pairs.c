/* pairs.c - unbiased estimates of X'X / n and X'y / n from looks at examples
 * SPDX-License-Identifier: MIT */
#include "solvers/competitors/pairs.h"

#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

static int64_t width(const struct th_pairs *pairs)
{
  return pairs->owned.last - pairs->owned.first;
}

int64_t th_pairs_bytes(int64_t d, int64_t owned)
{
  return (d + 1) * owned * (int64_t)sizeof(double);
}

th_status th_pairs_init(struct th_pairs *pairs,
                        const struct th_context *context, struct th_error *err)
{
  th_status rc;
  *pairs = (struct th_pairs){.owned = context->owned,
                             .d = th_source_shape(context->source)->attributes};
  const char *what = "the products of all pairs of attributes";
  TH_TRY(TH_NEW(&pairs->product, pairs->d * width(pairs), what, err));
  TH_TRY(TH_NEW(&pairs->target, width(pairs), what, err));
done:
  return rc;
}

void th_pairs_free(struct th_pairs *pairs)
{
  TH_FREE(pairs->product, pairs->target);
}

/* A slot of a row, whose attribute is of this rank, with all of the row. */
static void add_slot(struct th_pairs *pairs, const struct th_looks *looks,
                     int64_t slot, double weight)
{
  int64_t slots = looks->draw.slots;
  int64_t row = slot / slots;
  int64_t own = slot % slots;
  const int64_t *attribute = looks->attribute + row * slots;
  const double *value = looks->number + row * slots;
  bool member = own < looks->known;
  double x = weight * value[own];
  double with_member = x / (member ? 1 : looks->odds.one);
  double with_other = x / (member ? looks->odds.one : looks->odds.two);
  double *column = pairs->product + (attribute[own] - pairs->owned.first);
  for (int64_t k = 0; k < looks->known; k++)
    column[attribute[k] * width(pairs)] += with_member * value[k];
  for (int64_t k = looks->known; k < slots; k++)
    if (k != own)
      column[attribute[k] * width(pairs)] += with_other * value[k];
  if (!member)
    column[attribute[own] * width(pairs)] += with_member * value[own];
}

void th_pairs_add(struct th_pairs *pairs, const struct th_looks *looks,
                  const struct th_all_targets *targets)
{
  for (int64_t k = 0; k < looks->count; k++) {
    int64_t slot = looks->slot[k];
    int64_t row = th_looks_row(looks, slot / looks->draw.slots);
    bool member = slot % looks->draw.slots < looks->known;
    double weight = targets->weight[row];
    double odds = member ? 1 : looks->odds.one;
    add_slot(pairs, looks, slot, weight);
    pairs->target[looks->mine[k] - pairs->owned.first] +=
        weight * looks->value[k] * targets->target[row] / odds;
  }
  pairs->examples += (double)looks->rows;
}

/* The mean over the examples, known to the owners, on every rank. */
static void share(const struct th_pairs *pairs, struct th_comm *comm,
                  double *out)
{
  for (int64_t j = pairs->owned.first; j < pairs->owned.last; j++)
    out[j] /= pairs->examples;
  th_comm_share_numbers(comm, out, (size_t)pairs->d);
}

void th_pairs_multiply(const struct th_pairs *pairs, struct th_comm *comm,
                       const double *v, double *out)
{
  int64_t count = width(pairs);
  double *own = out + pairs->owned.first;
  memset(out, 0, (size_t)pairs->d * sizeof *out);
  for (int64_t i = 0; i < pairs->d; i++) {
    const double *row = pairs->product + i * count;
    if (v[i] != 0)
      for (int64_t j = 0; j < count; j++)
        own[j] += v[i] * row[j];
  }
  share(pairs, comm, out);
}

void th_pairs_targets(const struct th_pairs *pairs, struct th_comm *comm,
                      double *out)
{
  memset(out, 0, (size_t)pairs->d * sizeof *out);
  memcpy(out + pairs->owned.first, pairs->target,
         (size_t)width(pairs) * sizeof *out);
  share(pairs, comm, out);
}

void th_pairs_describe(struct th_pairs *pairs, struct th_state *state)
{
  th_state_enter(state, "pairs");
  TH_STATE_ONE(state, pairs, examples);
  th_state_spread(state, "product", TH_STATE_F64, pairs->product, pairs->d,
                  pairs->owned);
  th_state_spread(state, "target", TH_STATE_F64, pairs->target, 1,
                  pairs->owned);
  th_state_leave(state);
}
