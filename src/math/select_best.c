/* select_best.c - the first entries of one rank, by a heap in a single pass
 * SPDX-License-Identifier: MIT */
#include "math/select_best.h"

#include "core/integer.h"

#include <stdlib.h>

int th_select_best_order(const void *a, const void *b)
{
  const struct th_index_value *left = a;
  const struct th_index_value *right = b;
  uint64_t lk = th_select_best_magnitude(left->value);
  uint64_t rk = th_select_best_magnitude(right->value);
  if (lk != rk)
    return lk > rk ? -1 : 1;
  return (left->attribute > right->attribute) -
         (left->attribute < right->attribute);
}

static void swap(struct th_index_value *a, struct th_index_value *b)
{
  struct th_index_value kept = *a;
  *a = *b;
  *b = kept;
}

/* In the heap every entry goes after its children. */
static void sift_up(struct th_index_value *heap, int64_t at)
{
  for (; at > 0; at = (at - 1) / 2) {
    int64_t parent = (at - 1) / 2;
    if (th_select_best_order(&heap[at], &heap[parent]) < 0)
      return;
    swap(&heap[at], &heap[parent]);
  }
}

static void sift_down(struct th_index_value *heap, int64_t size)
{
  int64_t at = 0;
  for (int64_t child = 1; child < size; child = 2 * at + 1) {
    if (child + 1 < size &&
        th_select_best_order(&heap[child], &heap[child + 1]) < 0)
      child++;
    if (th_select_best_order(&heap[child], &heap[at]) < 0)
      return;
    swap(&heap[at], &heap[child]);
    at = child;
  }
}

int64_t th_select_best(const struct th_select_among *entries, int64_t most,
                       struct th_index_value *best)
{
  uint64_t threshold = th_select_best_magnitude(entries->threshold);
  uint64_t last = threshold; /* of the heap, once it is full */
  int64_t above = 0;
  for (int64_t j = 0; j < entries->count; j++) {
    double value = entries->values[j];
    uint64_t magnitude = th_select_best_magnitude(value);
    above += magnitude > threshold;
    if (magnitude <= threshold || magnitude < last || most == 0)
      continue;
    struct th_index_value entry = {th_select_best_attribute(entries, j), value};
    if (above <= most) {
      best[above - 1] = entry;
      sift_up(best, above - 1);
    } else if (th_select_best_order(&entry, &best[0]) < 0) {
      best[0] = entry;
      sift_down(best, most);
    }
    if (above >= most)
      last = th_select_best_magnitude(best[0].value);
  }
  return above;
}

int64_t th_select_best_choose(struct th_index_value *candidates, int64_t total,
                              int64_t k, struct th_index_value *chosen)
{
  int64_t found = th_min_i64(total, k);
  qsort(candidates, (size_t)total, sizeof *candidates, th_select_best_order);
  qsort(candidates, (size_t)found, sizeof *candidates, th_integer_ascending);
  memcpy(chosen, candidates, (size_t)found * sizeof *candidates);
  return found;
}
