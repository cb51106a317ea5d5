/* twins.c - which examples equal others: found at import, kept in the master
 * SPDX-License-Identifier: MIT */
#include "io/dataset/twins.h"

#include "base/memory.h"
#include "io/dataset/format.h"
#include "io/hdf5/h5.h"

#include <stdlib.h>

/* An example, to be sorted by its key. */
struct keyed {
  uint64_t key;
  int64_t row;
};

static int by_row_key(const void *a, const void *b)
{
  const struct keyed *left = a;
  const struct keyed *right = b;
  if (left->key != right->key)
    return left->key < right->key ? -1 : 1;
  return (left->row > right->row) - (left->row < right->row);
}

static th_status reserve(struct th_twins *twins, int64_t count,
                         struct th_error *err)
{
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&twins->row, count, "equal examples", err));
  TH_TRY(TH_NEW(&twins->first, count, "equal examples", err));
  twins->count = count;
done:
  return rc;
}

void th_twins_free(struct th_twins *twins)
{
  TH_FREE(twins->row, twins->first);
  *twins = (struct th_twins){0};
}

/* Sort the examples that have a weight; returns how many these are. */
static int64_t sort(const struct th_twins_given *given, struct keyed *sorted)
{
  int64_t count = 0;
  for (int64_t i = 0; i < given->examples; i++)
    if (given->weight == NULL || given->weight[i] > 0)
      sorted[count++] = (struct keyed){given->key[i], i};
  qsort(sorted, (size_t)count, sizeof *sorted, by_row_key);
  return count;
}

/* first[i] = the first example that equals example i, or -1; returns how many
 * have one. first[] holds -1 at first. */
static int64_t match(const struct th_twins_given *given,
                     const struct keyed *sorted, int64_t count, int64_t *first)
{
  int64_t found = 0;
  for (int64_t k = 0, last; k < count; k = last) {
    double target = given->target[sorted[k].row];
    bool same = true;
    for (last = k; last < count && sorted[last].key == sorted[k].key; last++)
      same = same && given->target[sorted[last].row] == target;
    for (int64_t j = k + 1; j < last && same; j++, found++)
      first[sorted[j].row] = sorted[k].row;
  }
  return found;
}

th_status th_twins_find(struct th_twins *twins,
                        const struct th_twins_given *given,
                        struct th_error *err)
{
  struct keyed *sorted = NULL;
  int64_t *first = NULL;
  int64_t at = 0;
  th_status rc = TH_OK;
  *twins = (struct th_twins){0};
  TH_TRY(TH_NEW(&sorted, given->examples, "equal examples", err));
  TH_TRY(TH_NEW(&first, given->examples, "equal examples", err));
  for (int64_t i = 0; i < given->examples; i++)
    first[i] = -1;
  int64_t found = match(given, sorted, sort(given, sorted), first);
  TH_TRY(reserve(twins, found, err));
  for (int64_t i = 0; i < given->examples; i++)
    if (first[i] >= 0) {
      twins->row[at] = i;
      twins->first[at++] = first[i];
    }
done:
  TH_FREE(sorted, first);
  return rc;
}

th_status th_twins_put(const struct th_h5 *h5, const struct th_twins *twins,
                       struct th_error *err)
{
  hid_t type = H5T_NATIVE_INT64;
  int64_t count = twins != NULL ? twins->count : 0;
  th_status rc = TH_OK;
  if (count == 0)
    return TH_OK;
  TH_TRY(th_h5_group(h5, TH_G_EQUAL, err));
  TH_TRY(th_h5_put_i64(h5, TH_G_EQUAL, TH_A_COUNT, count, err));
  TH_TRY(th_h5_set_put(h5, TH_D_EQUAL_ROW, type, count, twins->row, err));
  TH_TRY(th_h5_set_put(h5, TH_D_EQUAL_FIRST, type, count, twins->first, err));
done:
  return rc;
}

/* Rows ascend and each follows an example that follows none. */
static bool twins_ascend(const struct th_twins *twins, int64_t training)
{
  int64_t before = 0; /* the first example is no follower */
  for (int64_t k = 0; k < twins->count; k++) {
    int64_t first = twins->first[k];
    int64_t place = th_search_i64(twins->row, 0, k, first);
    if (twins->row[k] <= before || twins->row[k] >= training || first < 0 ||
        first >= twins->row[k] || (place < k && twins->row[place] == first))
      return false;
    before = twins->row[k];
  }
  return true;
}

th_status th_twins_get(const struct th_h5 *h5, int64_t training,
                       struct th_twins *twins, struct th_error *err)
{
  hid_t type = H5T_NATIVE_INT64;
  int64_t count = 0;
  th_status rc = TH_OK;
  if (!th_h5_set_exists(h5, TH_G_EQUAL))
    return rc;
  TH_TRY(th_h5_get_i64(h5, TH_G_EQUAL, TH_A_COUNT, &count, err));
  if (count > 0 && count < training) {
    TH_TRY(th_h5_set_expect(h5, TH_D_EQUAL_ROW, count, err));
    TH_TRY(reserve(twins, count, err));
    TH_TRY(th_h5_set_get(h5, TH_D_EQUAL_ROW, type, count, twins->row, err));
    TH_TRY(th_h5_set_get(h5, TH_D_EQUAL_FIRST, type, count, twins->first, err));
  }
  if (twins->count == 0 || !twins_ascend(twins, training))
    rc = TH_DAMAGED(err, "%s: equal examples that do not fit the data",
                    h5->name);
done:
  return rc;
}
