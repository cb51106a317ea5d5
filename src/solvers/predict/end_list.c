/* end_list.c - the attributes that the end of a run looks at
 * SPDX-License-Identifier: MIT */
#include "solvers/predict/end_list.h"

#include "base/integer.h"
#include "base/memory.h"

#include <stdlib.h>

/* The best attributes by each score, best first. */
struct ranking {
  struct th_index_value *best[TH_SCORES];
  int64_t found[TH_SCORES];
};

static void ranking_free(struct ranking *r)
{
  for (int which = 0; which < TH_SCORES; which++)
    free(r->best[which]);
}

/* Collective. */
static th_status rank_all(struct ranking *r, struct th_marginal *scores,
                          struct th_context *context,
                          const struct th_end_wish *request,
                          struct th_error *err)
{
  struct th_selection work = {0};
  struct th_range owned = context->owned;
  double *score = NULL;
  th_status rc = (scores->rare ? th_memory_rare : th_alloc)(
      (void **)&score, th_range_count(owned), sizeof *score, "scores", err);
  for (int which = 0; which < TH_SCORES && rc == TH_OK; which++)
    rc = TH_NEW(&r->best[which], request->most,
                "the models compared at the end", err);
  TH_TRY(th_agree(context->comm, rc, err));
  for (int which = 0; which < TH_SCORES; which++) {
    th_marginal_scores(scores, context, (enum th_score)which, request->without,
                       score);
    struct th_select_among among = {.values = score,
                                    .first = owned.first,
                                    .count = th_range_count(owned),
                                    .k = request->most};
    TH_TRY(th_select_largest(context->comm, &work, &among, TH_OK,
                             r->best[which], &r->found[which], err));
    qsort(r->best[which], (size_t)r->found[which], sizeof *r->best[which],
          th_select_order);
  }
done:
  th_select_free(&work);
  free(score);
  return rc;
}

/* A hash set of the attributes in a list, with open addressing. */
struct taken {
  int64_t *slot; /* attribute + 1, or 0 */
  int64_t slots; /* a power of two */
};

/* Put an attribute in. False: it was there. */
static bool insert_attribute(struct taken *taken, int64_t attribute)
{
  uint64_t at = (uint64_t)attribute * 0x9e3779b97f4a7c15u >> 20;
  for (;; at++) {
    int64_t *slot = &taken->slot[at & (uint64_t)(taken->slots - 1)];
    if (*slot == attribute + 1)
      return false;
    if (*slot == 0) {
      *slot = attribute + 1;
      return true;
    }
  }
}

static void list_attribute(struct th_end_list *list, struct taken *taken,
                           int64_t attribute)
{
  if (insert_attribute(taken, attribute))
    list->attribute[list->count++] = attribute;
}

/* Add the next attribute of a ranking that is not in the list yet. */
static bool list_next_ranked(struct th_end_list *list, struct taken *taken,
                             const struct ranking *r, int which, int64_t *at)
{
  int64_t before = list->count;
  while (list->count == before && *at < r->found[which])
    list_attribute(list, taken, r->best[which][(*at)++].attribute);
  return list->count > before;
}

/* Local. */
static th_status fill_list(struct th_end_list *list, const struct ranking *r,
                           const struct th_end_wish *request,
                           struct th_error *err)
{
  struct taken taken = {.slots = 64};
  int64_t at[TH_SCORES] = {0};
  int64_t members = request->members == NULL ? 0 : request->members->size;
  bool more = true;
  th_status rc;
  while (taken.slots < 4 * request->most)
    taken.slots *= 2;
  TH_TRY(
      TH_NEW(&taken.slot, taken.slots, "the models compared at the end", err));
  TH_TRY(TH_NEW(&list->attribute, request->most,
                "the models compared at the end", err));
  for (int64_t k = 0; k < members && list->count < request->most; k++)
    list_attribute(list, &taken, request->members->attribute[k]);
  while (more && list->count < request->most) {
    more = false;
    for (int which = 0; which < TH_SCORES && list->count < request->most;
         which++)
      more |= list_next_ranked(list, &taken, r, which, &at[which]);
  }
  qsort(list->attribute, (size_t)list->count, sizeof *list->attribute,
        th_integer_ascending);
done:
  free(taken.slot);
  return rc;
}

th_status th_end_list_make(struct th_end_list *list, struct th_marginal *scores,
                           struct th_context *context,
                           const struct th_end_wish *request,
                           struct th_error *err)
{
  struct ranking ranking = {0};
  th_status rc;
  *list = (struct th_end_list){0};
  TH_TRY(rank_all(&ranking, scores, context, request, err));
  TH_TRY(th_agree(context->comm, fill_list(list, &ranking, request, err), err));
done:
  ranking_free(&ranking);
  return rc;
}

void th_end_list_free(struct th_end_list *list)
{
  free(list->attribute);
  *list = (struct th_end_list){0};
}

th_status th_end_list_unite(struct th_end_list *all,
                            const struct th_end_list *lists, int64_t count,
                            struct th_error *err)
{
  int64_t total = 0;
  int64_t kept = 0;
  *all = (struct th_end_list){0};
  for (int64_t k = 0; k < count; k++)
    total += lists[k].count;
  th_status rc =
      TH_NEW(&all->attribute, total, "the models compared at the end", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t k = 0; k < count; k++)
    for (int64_t i = 0; i < lists[k].count; i++)
      all->attribute[all->count++] = lists[k].attribute[i];
  qsort(all->attribute, (size_t)total, sizeof *all->attribute,
        th_integer_ascending);
  for (int64_t i = 0; i < total; i++)
    if (kept == 0 || all->attribute[kept - 1] != all->attribute[i])
      all->attribute[kept++] = all->attribute[i];
  all->count = kept;
  return rc;
}

int64_t th_end_list_find(const struct th_end_list *list, int64_t attribute)
{
  return th_range_find(list->attribute, list->count, attribute);
}
