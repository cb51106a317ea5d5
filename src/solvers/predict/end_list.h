/* end_list.h - the attributes that the end of a run looks at
 *
 * First come the members of S. Then come, in turns, the next best attribute by
 * its score with the target and the next best by its score with the residuals,
 * until the list is full.
 * SPDX-License-Identifier: MIT */
#ifndef TH_END_LIST_H
#define TH_END_LIST_H

#include "solvers/predict/marginal.h"

/* Ascending; replicated. */
struct th_end_list {
  int64_t count;
  int64_t *attribute;
};

/* How a list is made. */
struct th_end_wish {
  const struct th_support *members; /* come first; NULL: none do */
  int64_t without;                  /* fold whose sums are left out, or -1 */
  int64_t most;                     /* K */
};

/* Collective: two selections of the `most` best. Release with
 * th_end_list_free. */
th_status th_end_list_make(struct th_end_list *list, struct th_marginal *scores,
                           struct th_context *context,
                           const struct th_end_wish *request,
                           struct th_error *err);
/* Local. */
void th_end_list_free(struct th_end_list *list);

/* The union of the lists. Local. */
th_status th_end_list_unite(struct th_end_list *all,
                            const struct th_end_list *lists, int64_t count,
                            struct th_error *err);

/* Where an attribute is in a list, or -1. Local. */
int64_t th_end_list_find(const struct th_end_list *list, int64_t attribute);

#endif
