/* select_digits.c - the k largest over all ranks by digits: the plain form
 *
 * Counting magnitudes by digits of 8 bits narrows the place of the k-th largest
 * until few enough candidates are left to be told to everyone.
 * SPDX-License-Identifier: MIT */
#include "math/select_digits.h"

#include "core/integer.h"
#include "core/memory.h"
#include "math/select_best.h"

#include <string.h>

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, SPARE = 64, PARTS = 2 };

/* Larger keys go first: magnitude, then attribute from the end. */
struct key {
  uint64_t part[PARTS];
};

/* Keys that agree with `low` but for its last `shift` bits are undecided, those
 * above are chosen. */
struct search {
  uint64_t threshold; /* magnitudes up to here are out */
  struct key low;
  int part;      /* of the key that is being narrowed */
  int shift;     /* 64: nothing is known of this part yet */
  int64_t above; /* chosen so far, over all ranks */
  int64_t undecided;
  int64_t mine; /* of both, on this rank */
};

static struct key key_of(const struct th_select_among *entries, int64_t j)
{
  return (struct key){{th_select_best_magnitude(entries->values[j]),
                       ~(uint64_t)th_select_best_attribute(entries, j)}};
}

/* 1: chosen, 0: undecided, -1: out. */
static int side_of(const struct search *s, const struct key *key)
{
  for (int p = 0; p < s->part; p++)
    if (key->part[p] != s->low.part[p])
      return key->part[p] > s->low.part[p] ? 1 : -1;
  if (s->shift == 64)
    return 0;
  uint64_t a = key->part[s->part] >> s->shift;
  uint64_t b = s->low.part[s->part] >> s->shift;
  return (a > b) - (a < b);
}

/* Count this rank's undecided keys by their next digit; how many are chosen. */
static int64_t count_digits(const struct search *s,
                            const struct th_select_among *entries,
                            int64_t *digits)
{
  int shift = s->shift - DIGIT_BITS;
  int64_t chosen = 0;
  memset(digits, 0, DIGITS * sizeof *digits);
  for (int64_t j = 0; j < entries->count; j++) {
    struct key key = key_of(entries, j);
    if (key.part[0] <= s->threshold)
      continue;
    int side = side_of(s, &key);
    chosen += side > 0;
    if (side == 0)
      digits[(key.part[s->part] >> shift) & (DIGITS - 1)]++;
  }
  return chosen;
}

/* Narrow the search by one digit. Collective. */
static th_status narrow(struct th_comm *comm, struct search *s,
                        const struct th_select_among *entries, th_status rc,
                        struct th_error *err)
{
  int64_t digits[DIGITS + 1];
  int64_t mine[DIGITS];
  if (s->shift == 0) { /* equal magnitudes: on to the attributes */
    s->part++;
    s->shift = 64;
  }
  s->mine = count_digits(s, entries, digits);
  memcpy(mine, digits, sizeof mine);
  rc = th_comm_sum_agree(comm, digits, DIGITS, rc, err);
  if (rc != TH_OK)
    return rc;
  s->shift -= DIGIT_BITS;
  int digit = DIGITS - 1;
  while (digit > 0 && s->above + digits[digit] < entries->k) {
    s->above += digits[digit];
    s->mine += mine[digit--];
  }
  s->mine += mine[digit];
  s->low.part[s->part] |= (uint64_t)digit << s->shift;
  s->undecided = digits[digit];
  return TH_OK;
}

/* This rank's candidates go behind those of lower ranks, and one sum makes the
 * list everyone's. Collective. */
static int64_t share(struct th_comm *comm, const struct search *s,
                     struct th_selection *work,
                     const struct th_select_among *entries)
{
  int64_t total = s->above + s->undecided;
  int64_t before = s->mine;
  comm->ops->prefix_i64(comm, &before, 1);
  int64_t *next = work->packed + 2 * before;
  memset(work->packed, 0, (size_t)total * 2 * sizeof *work->packed);
  for (int64_t j = 0; j < entries->count; j++) {
    struct key key = key_of(entries, j);
    if (key.part[0] <= s->threshold || side_of(s, &key) < 0)
      continue;
    *next++ = th_select_best_attribute(entries, j);
    memcpy(next++, &entries->values[j], sizeof *entries->values);
  }
  comm->ops->sum_i64(comm, work->packed, 2 * (size_t)total);
  for (int64_t c = 0; c < total; c++) {
    work->candidates[c].attribute = work->packed[2 * c];
    memcpy(&work->candidates[c].value, &work->packed[2 * c + 1],
           sizeof work->candidates[c].value);
  }
  return total;
}

/* Room for what can be left when the search ends. Local. */
static th_status reserve(struct th_selection *work, int64_t k,
                         struct th_error *err)
{
  int64_t most = 2 * k + SPARE;
  th_status rc = TH_OK;
  if (most <= work->capacity)
    return rc;
  th_select_free(work);
  TH_TRY(TH_NEW(&work->candidates, most, "the choice of attributes", err));
  TH_TRY(TH_NEW(&work->packed, 2 * most, "the choice of attributes", err));
  work->capacity = most;
done:
  return rc;
}

th_status th_select_by_digits(struct th_comm *comm, struct th_selection *work,
                              const struct th_select_among *among,
                              struct th_index_value *chosen, int64_t *found,
                              struct th_error *err)
{
  struct search s = {.threshold = th_select_best_magnitude(among->threshold),
                     .shift = 64,
                     .undecided = INT64_MAX};
  th_status rc = reserve(work, among->k, err);
  *found = 0;
  while (s.undecided > among->k + SPARE) {
    rc = narrow(comm, &s, among, rc, err);
    if (rc != TH_OK)
      return rc;
  }
  int64_t total = share(comm, &s, work, among);
  *found = th_select_best_choose(work->candidates, total, among->k, chosen);
  return TH_OK;
}
