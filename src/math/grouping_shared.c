/* grouping_shared.c - groups with members on several ranks
 * SPDX-License-Identifier: MIT */
#include "core/integer.h"
#include "math/grouping_parts.h"

#include "core/memory.h"

#include <stdlib.h>

/* A member of a shared group, as all ranks know it. */
struct shared_member {
  int64_t group;
  int64_t attribute;
  int64_t rank;
  int64_t place; /* on that rank */
  struct th_group_norm norm;
};

_Static_assert(sizeof(struct shared_member) + 24 == TH_SHARED_MEMBER_BYTES,
               "what a plan counts is what a member takes");

static int by_group_and_attribute(const void *a, const void *b)
{
  const struct shared_member *left = a;
  const struct shared_member *right = b;
  if (left->group != right->group)
    return left->group < right->group ? -1 : 1;
  return (left->attribute > right->attribute) -
         (left->attribute < right->attribute);
}

/* Gather the items of all ranks, in the order of the ranks. Collective. */
static th_status gather_items(struct th_comm *comm, const void *mine,
                              int64_t count, size_t size, void **all,
                              int64_t *total, struct th_error *err)
{
  int64_t *counts = NULL;
  th_status rc = TH_NEW(&counts, comm->size, "groups", err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(th_comm_gather(comm, mine, count * (int64_t)size, counts, all, err));
  *total = 0;
  for (int r = 0; r < comm->size; r++)
    *total += counts[r] / (int64_t)size;
done:
  free(counts);
  return rc;
}

/* Keep the marks only of groups that another rank has marked, too. Both lists
 * of names ascend. */
static void keep_marks(struct th_grouping *grouping, const int64_t *name,
                       const int64_t *marked, int64_t count)
{
  int64_t m = 0;
  for (int64_t g = 0; g < grouping->groups; g++) {
    while (m < count && marked[m] < name[g])
      m++;
    if (grouping->has_remote[g])
      grouping->has_remote[g] = m + 1 < count && marked[m + 1] == name[g];
  }
}

/* Find out which marked groups really have members on other ranks. Collective.
 */
static th_status confirm_marks(struct th_grouping *grouping,
                               struct th_comm *comm, const int64_t *name,
                               struct th_error *err)
{
  int64_t *mine = NULL;
  int64_t *all = NULL;
  int64_t count = 0;
  int64_t total = 0;
  th_status rc = TH_NEW(&mine, grouping->groups, "names of groups", err);
  for (int64_t g = 0; g < grouping->groups && rc == TH_OK; g++)
    if (grouping->has_remote[g])
      mine[count++] = name[g];
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(gather_items(comm, mine, count, sizeof *mine, (void **)&all, &total,
                      err));
  qsort(all, (size_t)total, sizeof *all, th_integer_ascending);
  keep_marks(grouping, name, all, total);
done:
  TH_FREE(mine, all);
  return rc;
}

/* List this rank's members of shared groups. Local. */
static th_status list_members(const struct th_grouping *grouping, int rank,
                              const int64_t *name, const int64_t *attribute,
                              struct shared_member **list, int64_t *count,
                              struct th_error *err)
{
  int64_t found = 0;
  th_status rc = TH_OK;
  for (int64_t g = 0; g < grouping->groups; g++)
    if (grouping->has_remote[g])
      found += grouping->start[g + 1] - grouping->start[g];
  TH_TRY(TH_NEW(list, found, "members of groups", err));
  *count = 0;
  for (int64_t g = 0; g < grouping->groups; g++)
    for (int64_t k = grouping->start[g];
         k < grouping->start[g + 1] && grouping->has_remote[g]; k++) {
      int64_t place = grouping->place != NULL ? grouping->place[k] : k;
      (*list)[(*count)++] = (struct shared_member){
          name[g], attribute[place], rank, place, grouping->norm[g]};
    }
done:
  return rc;
}

static th_status shared_alloc(struct th_grouping_shared *shared,
                              struct th_error *err)
{
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&shared->start, shared->groups + 1, "shared groups", err));
  TH_TRY(TH_NEW(&shared->norm, shared->groups, "shared groups", err));
  TH_TRY(TH_NEW(&shared->local, shared->groups, "shared groups", err));
  TH_TRY(TH_NEW(&shared->is_owner, shared->groups, "shared groups", err));
  TH_TRY(TH_NEW(&shared->place, shared->mine, "shared groups", err));
  TH_TRY(TH_NEW(&shared->at, shared->mine, "shared groups", err));
  TH_TRY(TH_NEW(&shared->value, shared->members, "shared groups", err));
done:
  return rc;
}

/* all: sorted by group and attribute; this rank's groups come up in the order
 * of their numbers. Local. */
static void shared_fill(struct th_grouping *grouping,
                        const struct shared_member *all, int rank)
{
  struct th_grouping_shared *shared = &grouping->shared;
  int64_t s = -1;
  int64_t mine = 0;
  int64_t local = -1; /* this rank's group that came up last */
  for (int64_t k = 0; k < shared->members; k++) {
    if (k == 0 || all[k - 1].group != all[k].group) {
      shared->start[++s] = k;
      shared->norm[s] = all[k].norm;
      shared->local[s] = -1;
      shared->is_owner[s] = all[k].rank == rank;
    }
    shared->start[s + 1] = k + 1;
    if (all[k].rank != rank)
      continue;
    if (shared->local[s] < 0) {
      do
        local++;
      while (!grouping->has_remote[local]);
      shared->local[s] = local;
    }
    shared->place[mine] = all[k].place;
    shared->at[mine++] = k;
  }
}

/* Send the members of shared groups to all ranks. Collective. */
static th_status tell_members(struct th_grouping *grouping,
                              struct th_comm *comm, const int64_t *name,
                              const int64_t *attribute, struct th_error *err)
{
  struct th_grouping_shared *shared = &grouping->shared;
  struct shared_member *mine = NULL;
  struct shared_member *all = NULL;
  th_status rc = list_members(grouping, comm->rank, name, attribute, &mine,
                              &shared->mine, err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(gather_items(comm, mine, shared->mine, sizeof *mine, (void **)&all,
                      &shared->members, err));
  qsort(all, (size_t)shared->members, sizeof *all, by_group_and_attribute);
  for (int64_t k = 0; k < shared->members; k++)
    shared->groups += k == 0 || all[k - 1].group != all[k].group;
  rc = shared_alloc(shared, err);
  if (rc == TH_OK)
    shared_fill(grouping, all, comm->rank);
  rc = th_agree(comm, rc, err);
done:
  TH_FREE(mine, all);
  return rc;
}

th_status th_grouping_share(struct th_grouping *grouping, struct th_comm *comm,
                            const int64_t *name, const int64_t *attribute,
                            struct th_error *err)
{
  th_status rc = confirm_marks(grouping, comm, name, err);
  if (rc == TH_OK)
    rc = tell_members(grouping, comm, name, attribute, err);
  return rc;
}

void th_grouping_shared_free(struct th_grouping_shared *shared)
{
  TH_FREE(shared->start, shared->norm, shared->local, shared->is_owner,
          shared->place, shared->at, shared->value);
}
