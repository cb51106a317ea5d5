/* select.c - the k largest over all ranks: hard thresholding and arg max
 *
 * Every rank tells its largest entries in one sum. They decide if no rank has
 * more of them than it told that might be chosen; mostly so. If not, all ranks
 * search by digits (select_digits.c). Either way the choice is the same.
 * SPDX-License-Identifier: MIT */
#include "math/select.h"

#include "core/integer.h"
#include "core/memory.h"
#include "math/select_best.h"
#include "math/select_digits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A sum of 16 KiB takes little longer than one of 8 bytes. Teams so large that
 * few entries are left for a rank do without. */
enum { TOLD = 1024, LEAST_TOLD = 8, MOST_TEAM = TOLD / LEAST_TOLD };

void th_select_free(struct th_selection *work)
{
  TH_FREE(work->candidates, work->packed);
  *work = (struct th_selection){0};
}

static th_status check_numbers(const struct th_select_among *entries,
                               struct th_error *err)
{
  for (int64_t j = 0; j < entries->count; j++)
    if (isnan(entries->values[j]))
      return th_fail(err, TH_ENUMERIC,
                     "the value of attribute %lld is not a number",
                     (long long)th_select_best_attribute(entries, j));
  return TH_OK;
}

/* What every rank tells: how many entries it has above the threshold, and the
 * first `slots` of them, the last one at the beginning. The flag of a failure
 * follows. */
struct told {
  int64_t slots; /* per rank */
  int64_t packed[2 * TOLD + MOST_TEAM + 1];
  struct th_index_value candidate[TOLD];
};

static int64_t *told_by(struct told *told, int rank)
{
  return told->packed + rank * (2 * told->slots + 1);
}

static struct th_index_value told_entry(const int64_t *part, int64_t c)
{
  struct th_index_value entry = {.attribute = part[2 * c + 1]};
  memcpy(&entry.value, &part[2 * c + 2], sizeof entry.value);
  return entry;
}

/* Collective. */
static th_status tell(struct th_comm *comm, struct told *told,
                      const struct th_select_among *entries, th_status rc,
                      struct th_error *err)
{
  size_t words = (size_t)comm->size * (2 * (size_t)told->slots + 1);
  int64_t *part = told_by(told, comm->rank);
  int64_t found = 0;
  memset(told->packed, 0, words * sizeof *told->packed);
  if (rc == TH_OK)
    found = th_select_best(entries, told->slots, told->candidate);
  part[0] = found;
  for (int64_t c = 0; c < th_min_i64(found, told->slots); c++) {
    part[2 * c + 1] = told->candidate[c].attribute;
    memcpy(&part[2 * c + 2], &told->candidate[c].value, sizeof(double));
  }
  return th_comm_sum_agree(comm, told->packed, words, rc, err);
}

/* Collect what was told; whether it holds all that can be chosen: an entry that
 * was not told goes after the last told one of its rank. Local. */
static bool collect(struct told *told, int size, int64_t k, int64_t *total)
{
  bool enough = true;
  *total = 0;
  for (int r = 0; r < size; r++) {
    const int64_t *part = told_by(told, r);
    for (int64_t c = 0; c < th_min_i64(part[0], told->slots); c++)
      told->candidate[(*total)++] = told_entry(part, c);
  }
  struct th_index_value *all = told->candidate;
  qsort(all, (size_t)*total, sizeof *all, th_select_best_order);
  for (int r = 0; r < size && k > 0; r++) {
    const int64_t *part = told_by(told, r);
    struct th_index_value last = told_entry(part, 0);
    if (part[0] > told->slots) /* then *total is not 0 */
      enough = enough && *total >= k &&
               th_select_best_order(&all[k - 1], &last) <= 0;
  }
  return enough;
}

th_status th_select_largest(struct th_comm *comm, struct th_selection *work,
                            const struct th_select_among *among,
                            th_status before, struct th_index_value *chosen,
                            int64_t *found, struct th_error *err)
{
  struct told told;
  int64_t total = 0;
  th_status rc = before;
  *found = 0;
  if (rc == TH_OK)
    rc = check_numbers(among, err);
  if (comm->size > MOST_TEAM) {
    TH_TRY(th_agree(comm, rc, err));
    return th_select_by_digits(comm, work, among, chosen, found, err);
  }
  told.slots = th_min_i64(among->k, TOLD / comm->size);
  TH_TRY(tell(comm, &told, among, rc, err));
  if (!collect(&told, comm->size, among->k, &total))
    return th_select_by_digits(comm, work, among, chosen, found, err);
  *found = th_select_best_choose(told.candidate, total, among->k, chosen);
done:
  return rc;
}
