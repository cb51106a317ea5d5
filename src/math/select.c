/* select.c - the k largest over all ranks: hard thresholding and arg max
 *
 * Magnitudes are ordered like the integers of their bit patterns. Counting
 * them by digits of 8 bits narrows the place of the k-th largest until few
 * enough candidates are left to gather everywhere.
 * SPDX-License-Identifier: MIT */
#include "math/select.h"

#include "core/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, FIRST_SHIFT = 56, SPARE = 64 };

/* Keys in [low, low + 2^shift) are undecided, keys above are chosen. */
struct search {
  uint64_t floor;
  uint64_t low;
  int shift;     /* 64: nothing is known yet */
  int64_t above; /* chosen so far, over all ranks */
  int64_t undecided;
  int64_t mine[2]; /* of this rank: chosen, undecided */
};

static uint64_t key_of(double value)
{
  double magnitude = fabs(value);
  uint64_t key;
  memcpy(&key, &magnitude, sizeof key);
  return key;
}

static bool inside(const struct search *s, uint64_t key)
{
  return s->shift == 64 || (key >> s->shift) == (s->low >> s->shift);
}

static bool chosen_already(const struct search *s, uint64_t key)
{
  return s->shift < 64 && (key >> s->shift) > (s->low >> s->shift);
}

/* Count this rank's undecided keys above the floor by their next digit. */
static void count_digits(const struct search *s, const double *values,
                         int64_t count, int64_t *digits)
{
  int shift = s->shift - DIGIT_BITS;
  memset(digits, 0, DIGITS * sizeof *digits);
  for (int64_t j = 0; j < count; j++) {
    uint64_t key = key_of(values[j]);
    if (key > s->floor && inside(s, key))
      digits[(key >> shift) & (DIGITS - 1)]++;
  }
}

/* Narrow the search by one digit. Collective. */
static th_status narrow(struct th_comm *comm, struct search *s,
                        const double *values, int64_t count, int64_t k,
                        th_status rc, struct th_error *err)
{
  int64_t digits[DIGITS + 1];
  int64_t mine[DIGITS];
  count_digits(s, values, count, digits);
  memcpy(mine, digits, sizeof mine);
  rc = th_sum_agree(comm, digits, DIGITS, rc, err);
  if (rc != TH_OK)
    return rc;
  s->shift -= DIGIT_BITS;
  int digit = DIGITS - 1;
  while (digit > 0 && s->above + digits[digit] < k) {
    s->above += digits[digit];
    s->mine[0] += mine[digit--];
  }
  s->low |= (uint64_t)digit << s->shift;
  s->undecided = digits[digit];
  s->mine[1] = mine[digit];
  return TH_OK;
}

static int by_magnitude(const void *a, const void *b)
{
  const struct th_choice *left = a;
  const struct th_choice *right = b;
  uint64_t lk = key_of(left->value);
  uint64_t rk = key_of(right->value);
  if (lk != rk)
    return lk > rk ? -1 : 1;
  return (left->attribute > right->attribute) -
         (left->attribute < right->attribute);
}

static int by_attribute(const void *a, const void *b)
{
  const struct th_choice *left = a;
  const struct th_choice *right = b;
  return (left->attribute > right->attribute) -
         (left->attribute < right->attribute);
}

static int64_t smaller(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

/* This rank's candidates go to their place behind those of lower ranks, and one
 * sum makes the list everyone's: a place that nobody fills stays 0. Undecided
 * keys that are still too many are equal in all bits; then the lowest
 * attributes win, which are those of the lowest ranks. Collective. */
static int64_t pack(struct th_comm *comm, const struct search *s,
                    struct th_selection *work, const double *values,
                    int64_t count, int64_t first, int64_t k)
{
  int64_t wanted = s->undecided > k + SPARE ? k - s->above : s->undecided;
  int64_t total = s->above + wanted;
  int64_t before[2] = {s->mine[0], s->mine[1]};
  comm->ops->prefix_i64(comm, before, 2);
  int64_t ties = wanted - smaller(wanted, before[1]);
  int64_t *next = work->packed + 2 * (before[0] + smaller(wanted, before[1]));
  memset(work->packed, 0, (size_t)total * 2 * sizeof *work->packed);
  for (int64_t j = 0; j < count; j++) {
    uint64_t key = key_of(values[j]);
    bool tie = inside(s, key) && ties > 0;
    if (key <= s->floor || !(tie || chosen_already(s, key)))
      continue;
    ties -= tie;
    *next++ = first + j;
    memcpy(next++, &values[j], sizeof values[j]);
  }
  comm->ops->sum_i64(comm, work->packed, 2 * (size_t)total);
  return total;
}

static void unpack(struct th_selection *work, int64_t total)
{
  for (int64_t c = 0; c < total; c++) {
    work->candidates[c].attribute = work->packed[2 * c];
    memcpy(&work->candidates[c].value, &work->packed[2 * c + 1],
           sizeof work->candidates[c].value);
  }
}

/* Room for what can be left when the search ends. Local. */
static th_status reserve(struct th_selection *work, int64_t k,
                         struct th_error *err)
{
  int64_t most = 2 * k + SPARE;
  int64_t old = work->capacity;
  th_status rc = th_grow((void **)&work->candidates, &old, most,
                         sizeof *work->candidates, "candidates", err);
  old = work->capacity;
  if (rc == TH_OK)
    rc = th_grow((void **)&work->packed, &old, 2 * most, sizeof *work->packed,
                 "candidates", err);
  if (rc == TH_OK && work->capacity < most)
    work->capacity = most;
  return rc;
}

void th_selection_free(struct th_selection *work)
{
  free(work->candidates);
  free(work->packed);
  *work = (struct th_selection){0};
}

static th_status check_numbers(const double *values, int64_t count,
                               int64_t first, struct th_error *err)
{
  for (int64_t j = 0; j < count; j++)
    if (isnan(values[j]))
      return th_fail(err, TH_ENUMERIC,
                     "the value of attribute %lld is not a number",
                     (long long)(first + j));
  return TH_OK;
}

th_status th_select_largest(struct th_comm *comm, struct th_selection *work,
                            const double *values, int64_t count, int64_t first,
                            double floor, int64_t k, th_status before,
                            struct th_choice *chosen, int64_t *found,
                            struct th_error *err)
{
  struct search s = {
      .floor = key_of(floor), .shift = 64, .undecided = INT64_MAX};
  th_status rc = before;
  *found = 0;
  if (rc == TH_OK)
    rc = reserve(work, k, err);
  if (rc == TH_OK)
    rc = check_numbers(values, count, first, err);
  while (s.shift > 0 && s.undecided > k + SPARE)
    if ((rc = narrow(comm, &s, values, count, k, rc, err)) != TH_OK)
      return rc;
  int64_t total = pack(comm, &s, work, values, count, first, k);
  unpack(work, total);
  struct th_choice *all = work->candidates;
  qsort(all, (size_t)total, sizeof *all, by_magnitude);
  *found = smaller(total, k);
  qsort(all, (size_t)*found, sizeof *all, by_attribute);
  memcpy(chosen, all, (size_t)*found * sizeof *all);
  return TH_OK;
}
