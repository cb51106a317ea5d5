/* sift_enter.c - how attributes enter S in solver `sift`
 * SPDX-License-Identifier: MIT */
#include "core/memory.h"
#include "solvers/budgeted/sift.h"

static const struct th_array arrays[] = {
    TH_ARRAY(struct th_sift_entry, entrants),
    TH_ARRAY(struct th_sift_entry, merged),
    TH_ARRAY(struct th_sift_entry, attribute),
    TH_ARRAY(struct th_sift_entry, sum), TH_ARRAY(struct th_sift_entry, place)};

void th_sift_entry_free(struct th_sift_entry *entry)
{
  th_select_free(&entry->selection);
  th_memory_arrays_free(TH_ARRAYS(entry, arrays));
  *entry = (struct th_sift_entry){0};
}

th_status th_sift_entry_reserve(struct th_sift_entry *e, int64_t size,
                                struct th_error *err)
{
  return th_memory_arrays_reserve(TH_ARRAYS(e, arrays), &e->capacity, size,
                                  "attributes that enter the support", err);
}

/* S += E: two ascending lists become one. Local. */
static th_status merge(struct th_sift *s, int64_t found, struct th_error *err)
{
  struct th_sift_entry *entry = &s->entry;
  const struct th_index_value *entrants = entry->entrants;
  int64_t old = s->support.size;
  int64_t k = 0;
  int64_t e = 0;
  for (int64_t at = 0; at < old + found; at++) {
    bool member = e == found ||
                  (k < old && s->support.attribute[k] < entrants[e].attribute);
    struct th_index_value *to = &entry->merged[at];
    if (member) {
      entry->place[k] = at;
      *to =
          (struct th_index_value){s->support.attribute[k], s->support.coef[k]};
      k++;
    } else {
      *to = (struct th_index_value){entrants[e].attribute,
                                    entry->sum[e].u / entry->sum[e].v};
      e++;
    }
  }
  th_status rc = th_sift_fit_insert(&s->fit, entry->place, old + found, err);
  for (int64_t at = 0, c = 0; c < found && rc == TH_OK; at++)
    if (entry->merged[at].attribute == entrants[c].attribute) {
      s->fit.came[at] = entry->sum[c];
      s->fit.score[at] = entrants[c++].value;
    }
  return rc;
}

/* Local. */
static th_status judge(struct th_sift *s, const struct th_context *context,
                       struct th_error *err)
{
  const struct th_judgement rule = {.threshold = s->threshold,
                                    .mean_square = s->mean_square,
                                    .support = &s->support};
  th_status rc = th_sift_entry_reserve(&s->entry, s->largest_support, err);
  if (rc == TH_OK)
    rc = th_sift_evidence_score(&s->evidence, context, &rule, err);
  return rc;
}

/* S += E, of which found are there. Collective. */
static th_status join(struct th_sift *s, struct th_context *context,
                      int64_t found, struct th_error *err)
{
  int64_t size = s->support.size + found;
  bool grows = size + s->fit.constant > s->fit.capacity; /* on all alike */
  for (int64_t k = 0; k < found; k++)
    s->entry.attribute[k] = s->entry.entrants[k].attribute;
  th_sift_evidence_message(&s->evidence, context, s->entry.attribute, found,
                           s->entry.sum);
  th_status rc = merge(s, found, err);
  if (grows)
    TH_TRY(th_agree(context->comm, rc, err));
  TH_TRY(th_support_assign(&s->support, context, s->entry.merged, size, err));
done:
  return rc;
}

th_status th_sift_enter(struct th_sift *s, struct th_context *context,
                        th_status learnt, struct th_error *err)
{
  struct th_sift_evidence *evidence = &s->evidence;
  int64_t room = s->largest_support - s->support.size;
  int64_t found = 0;
  if (room <= 0)
    return th_agree(context->comm, learnt, err);
  th_profile_begin(context->profile);
  th_status rc = learnt == TH_OK ? judge(s, context, err) : learnt;
  struct th_select_among among = {.values = evidence->score,
                                  .attribute = evidence->candidate,
                                  .count = evidence->candidates,
                                  .threshold = s->threshold,
                                  .k = room};
  TH_TRY(th_select_largest(context->comm, &s->entry.selection, &among, rc,
                           s->entry.entrants, &found, err));
  if (found > 0)
    TH_TRY(join(s, context, found, err));
done:
  th_profile_end(context->profile, TH_PHASE_SELECT);
  return rc;
}
