/* sift_member.c - the evidence of attributes that have joined S
 * SPDX-License-Identifier: MIT */
#include "core/memory.h"
#include "core/partition.h"
#include "solvers/budgeted/sift_evidence.h"

enum { WORD = 64 };

/* The place of an attribute among the owned ones; -1: another rank owns it. */
static int64_t place_of(const struct th_context *context, int64_t attribute)
{
  struct th_range owned = context->owned;
  bool mine = attribute >= owned.first && attribute < owned.last;
  return mine ? attribute - owned.first : -1;
}

struct th_evidence th_sift_evidence_of(const struct th_sift_evidence *e,
                                       const struct th_context *context,
                                       int64_t j)
{
  struct th_evidence sum = e->sums[j];
  if (e->centring != NULL) {
    const struct th_evidence *centring = &e->centring[j / TH_CELL].sum;
    double c = context->centre[j];
    sum.u -= c * centring->u;
    sum.v -= c * c * centring->v;
  }
  return sum;
}

/* Set the sums of an attribute so that they are `sum` after centring. */
static void set(struct th_sift_evidence *e, const struct th_context *context,
                int64_t j, struct th_evidence sum)
{
  if (e->centring != NULL) {
    const struct th_evidence *centring = &e->centring[j / TH_CELL].sum;
    double c = context->centre[j];
    sum.u += c * centring->u;
    sum.v += c * c * centring->v;
  }
  e->sums[j] = sum;
}

static const struct th_array of_members[] = {
    TH_ARRAY(struct th_sift_evidence, held),
    TH_ARRAY(struct th_sift_evidence, held_robust)};

th_status th_sift_evidence_reserve(struct th_sift_evidence *e,
                                   const struct th_context *context,
                                   const struct th_support *support,
                                   struct th_error *err)
{
  struct th_range mine = th_support_owned(support, context->owned);
  return th_memory_arrays_reserve(TH_ARRAYS(e, of_members), &e->hold_capacity,
                                  mine.last - mine.first,
                                  "the evidence on attributes", err);
}

void th_sift_evidence_hold(struct th_sift_evidence *e,
                           const struct th_context *context,
                           const struct th_support *support)
{
  struct th_range mine = th_support_owned(support, context->owned);
  for (int64_t k = mine.first; k < mine.last; k++) {
    int64_t j = place_of(context, support->attribute[k]);
    e->held[k - mine.first] = th_sift_evidence_of(e, context, j);
    if (e->robust != NULL)
      e->held_robust[k - mine.first] = e->robust[j];
  }
}

void th_sift_evidence_release(struct th_sift_evidence *e,
                              const struct th_context *context,
                              const struct th_support *support)
{
  struct th_range mine = th_support_owned(support, context->owned);
  for (int64_t k = mine.first; k < mine.last; k++) {
    int64_t j = place_of(context, support->attribute[k]);
    set(e, context, j, e->held[k - mine.first]);
    if (e->robust != NULL)
      e->robust[j] = e->held_robust[k - mine.first];
  }
}

void th_sift_evidence_put(struct th_sift_evidence *e,
                          const struct th_context *context, int64_t attribute,
                          struct th_evidence sum)
{
  int64_t j = place_of(context, attribute);
  if (j < 0)
    return;
  double scale = context->scale[j];
  struct th_evidence own = {sum.u / scale, sum.v / scale / scale};
  set(e, context, j, own);
  if (e->robust != NULL)
    e->robust[j] = own.v;
  if (e->touched != NULL)
    e->touched[j / WORD] |= (uint64_t)1 << j % WORD;
}

void th_sift_evidence_add(struct th_sift_evidence *e,
                          const struct th_context *context, int64_t attribute,
                          struct th_evidence more, int64_t rows)
{
  int64_t j = place_of(context, attribute);
  if (j < 0)
    return;
  double scale = context->scale[j];
  struct th_evidence now = th_sift_evidence_of(e, context, j);
  set(e, context, j,
      (struct th_evidence){now.u + more.u / scale,
                           now.v + more.v / scale / scale});
  if (e->robust != NULL)
    e->robust[j] += more.v / scale / scale;
  if (e->seen != NULL)
    e->seen[j] += rows;
  if (e->touched != NULL)
    e->touched[j / WORD] |= (uint64_t)1 << j % WORD;
}
