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

/* This rank's values and whose they are. */
struct entries {
  const double *values;
  const int64_t *attribute; /* NULL: first, first + 1, ... */
  int64_t first;
  int64_t count;
};

static int64_t attribute_of(const struct entries *entries, int64_t j)
{
  return entries->attribute != NULL ? entries->attribute[j]
                                    : entries->first + j;
}

/* Keys in [low, low + 2^shift) are undecided, keys above are chosen. */
struct search {
  uint64_t low;
  int shift;     /* 64: nothing is known yet */
  int64_t above; /* chosen so far, over all ranks */
  int64_t undecided;
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
static void count_digits(const struct search *s, const struct entries *entries,
                         uint64_t floor, int64_t *digits)
{
  int shift = s->shift - DIGIT_BITS;
  memset(digits, 0, DIGITS * sizeof *digits);
  for (int64_t j = 0; j < entries->count; j++) {
    uint64_t key = key_of(entries->values[j]);
    if (key > floor && inside(s, key))
      digits[(key >> shift) & (DIGITS - 1)]++;
  }
}

/* Narrow the search by one digit. Collective. */
static void narrow(struct th_comm *comm, struct search *s,
                   const struct entries *entries, uint64_t floor, int64_t k)
{
  int64_t digits[DIGITS];
  count_digits(s, entries, floor, digits);
  comm->ops->sum_i64(comm, digits, DIGITS);
  s->shift -= DIGIT_BITS;
  int digit = DIGITS - 1;
  while (digit > 0 && s->above + digits[digit] < k)
    s->above += digits[digit--];
  s->low |= (uint64_t)digit << s->shift;
  s->undecided = digits[digit];
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

/* At most k of a rank's undecided entries can win: the best by magnitude. */
static th_status collect(const struct search *s, const struct entries *entries,
                         uint64_t floor, int64_t k, struct th_choice **mine,
                         int64_t *size, struct th_error *err)
{
  int64_t capacity = 0;
  th_status rc = TH_NEW(mine, 1, "candidates", err);
  *size = 0;
  for (int64_t j = 0; j < entries->count && rc == TH_OK; j++) {
    uint64_t key = key_of(entries->values[j]);
    if (key <= floor || !(chosen_already(s, key) || inside(s, key)))
      continue;
    if (*size >= capacity)
      rc = th_grow((void **)mine, &capacity, *size + 1, sizeof **mine,
                   "candidates", err);
    if (rc == TH_OK)
      (*mine)[(*size)++] =
          (struct th_choice){attribute_of(entries, j), entries->values[j]};
  }
  if (rc == TH_OK)
    qsort(*mine, (size_t)*size, sizeof **mine, by_magnitude);
  *size = *size < k ? *size : k;
  return rc;
}

static th_status check_numbers(const struct entries *entries,
                               struct th_error *err)
{
  for (int64_t j = 0; j < entries->count; j++)
    if (isnan(entries->values[j]))
      return th_fail(err, TH_ENUMERIC,
                     "the value of attribute %lld is not a number",
                     (long long)attribute_of(entries, j));
  return TH_OK;
}

static th_status select_entries(struct th_comm *comm,
                                const struct entries *entries, double floor,
                                int64_t k, struct th_choice *chosen,
                                int64_t *found, struct th_error *err)
{
  struct search s = {.shift = 64, .undecided = INT64_MAX};
  struct th_choice *mine = NULL;
  struct th_choice *all = NULL;
  int64_t *bytes = NULL;
  int64_t size = 0;
  int64_t total = 0;
  uint64_t floor_key = key_of(floor);
  th_status rc;
  *found = 0;
  TH_TRY(th_agree(comm, check_numbers(entries, err), err));
  while (s.shift > 0 && s.undecided > k + SPARE)
    narrow(comm, &s, entries, floor_key, k);
  rc = TH_NEW(&bytes, comm->size, "candidate counts", err);
  if (rc == TH_OK)
    rc = collect(&s, entries, floor_key, k, &mine, &size, err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(th_gather(comm, mine, size * (int64_t)sizeof *mine, bytes,
                   (void **)&all, err));
  for (int r = 0; r < comm->size; r++)
    total += bytes[r] / (int64_t)sizeof *all;
  qsort(all, (size_t)total, sizeof *all, by_magnitude);
  *found = total < k ? total : k;
  qsort(all, (size_t)*found, sizeof *all, by_attribute);
  memcpy(chosen, all, (size_t)*found * sizeof *all);
done:
  free(mine);
  free(all);
  free(bytes);
  return rc;
}

th_status th_select_largest(struct th_comm *comm, const double *values,
                            int64_t count, int64_t first, double floor,
                            int64_t k, struct th_choice *chosen, int64_t *found,
                            struct th_error *err)
{
  const struct entries entries = {values, NULL, first, count};
  return select_entries(comm, &entries, floor, k, chosen, found, err);
}

th_status th_select_listed(struct th_comm *comm, const double *values,
                           const int64_t *attribute, int64_t count,
                           double floor, int64_t k, struct th_choice *chosen,
                           int64_t *found, struct th_error *err)
{
  const struct entries entries = {values, attribute, 0, count};
  return select_entries(comm, &entries, floor, k, chosen, found, err);
}
