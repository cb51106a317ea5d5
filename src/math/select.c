/* select.c - the k largest over all ranks: hard thresholding and arg max
 *
 * Every rank tells its largest entries in one sum. They decide if no rank has
 * more of them than it told that might be chosen; mostly so. If not, all ranks
 * search by digits. Either way the choice is the same.
 * SPDX-License-Identifier: MIT */
#include "math/select.h"

#include "base/integer.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whose entry j is. */
static inline int64_t attribute_at(const struct th_select_among *entries,
                                   int64_t j)
{
  return entries->attribute != NULL ? entries->attribute[j]
                                    : entries->first + j;
}

/* Magnitudes are ordered like the integers of their bit patterns. */
static inline uint64_t magnitude_bits(double value)
{
  double magnitude = fabs(value);
  uint64_t bits;
  memcpy(&bits, &magnitude, sizeof bits);
  return bits;
}

/* --- The first entries of one rank, by a heap in a single pass ------------ */

int th_select_order(const void *a, const void *b)
{
  const struct th_index_value *left = a;
  const struct th_index_value *right = b;
  uint64_t lk = magnitude_bits(left->value);
  uint64_t rk = magnitude_bits(right->value);
  if (lk != rk)
    return lk > rk ? -1 : 1;
  return (left->attribute > right->attribute) -
         (left->attribute < right->attribute);
}

static void swap_entries(struct th_index_value *a, struct th_index_value *b)
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
    if (th_select_order(&heap[at], &heap[parent]) < 0)
      return;
    swap_entries(&heap[at], &heap[parent]);
  }
}

static void sift_down(struct th_index_value *heap, int64_t size)
{
  int64_t at = 0;
  for (int64_t child = 1; child < size; child = 2 * at + 1) {
    if (child + 1 < size && th_select_order(&heap[child], &heap[child + 1]) < 0)
      child++;
    if (th_select_order(&heap[child], &heap[at]) < 0)
      return;
    swap_entries(&heap[at], &heap[child]);
    at = child;
  }
}

/* Put the first `most` entries above the threshold into best[most], the last of
 * them in place 0 and the others in no order. Returns how many are above the
 * threshold in all, which may be more than `most`. */
static int64_t select_best(const struct th_select_among *entries, int64_t most,
                           struct th_index_value *best)
{
  uint64_t threshold = magnitude_bits(entries->threshold);
  uint64_t last = threshold; /* of the heap, once it is full */
  int64_t above = 0;
  for (int64_t j = 0; j < entries->count; j++) {
    double value = entries->values[j];
    uint64_t magnitude = magnitude_bits(value);
    above += magnitude > threshold;
    if (magnitude <= threshold || magnitude < last || most < 1)
      continue;
    struct th_index_value entry = {attribute_at(entries, j), value};
    if (above <= most) {
      best[above - 1] = entry;
      sift_up(best, above - 1);
    } else if (th_select_order(&entry, &best[0]) < 0) {
      best[0] = entry;
      sift_down(best, most);
    }
    if (above >= most)
      last = magnitude_bits(best[0].value);
  }
  return above;
}

/* Choose up to k among `total` candidates, which are put into another order:
 * chosen[k] receives them by attribute. Returns how many. */
static int64_t select_best_choose(struct th_index_value *candidates,
                                  int64_t total, int64_t k,
                                  struct th_index_value *chosen)
{
  int64_t found = th_min_i64(total, k);
  qsort(candidates, (size_t)total, sizeof *candidates, th_select_order);
  qsort(candidates, (size_t)found, sizeof *candidates, th_integer_ascending);
  memcpy(chosen, candidates, (size_t)found * sizeof *candidates);
  return found;
}

/* --- The k largest over all ranks, by one sum ----------------------------- */

/* A sum of 16 KiB takes little longer than one of 8 bytes. Teams so large that
 * few entries are left for a rank do without. */
enum { TOLD = 1024, LEAST_TOLD = 8, MOST_TEAM = TOLD / LEAST_TOLD };

void th_select_free(struct th_selection *work)
{
  TH_FREE(work->candidates, work->packed);
  *work = (struct th_selection){0};
}

static th_status refuse_nan(const struct th_select_among *entries,
                            struct th_error *err)
{
  for (int64_t j = 0; j < entries->count; j++)
    if (isnan(entries->values[j]))
      return th_fail(err, TH_ENUMERIC,
                     "the value of attribute %lld is not a number",
                     (long long)attribute_at(entries, j));
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
static th_status send_candidates(struct th_comm *comm, struct told *told,
                                 const struct th_select_among *entries,
                                 th_status rc, struct th_error *err)
{
  size_t words = (size_t)comm->size * (2 * (size_t)told->slots + 1);
  int64_t *part = told_by(told, comm->rank);
  int64_t found = 0;
  memset(told->packed, 0, words * sizeof *told->packed);
  if (rc == TH_OK)
    found = select_best(entries, told->slots, told->candidate);
  part[0] = found;
  for (int64_t c = 0; c < th_min_i64(found, told->slots); c++) {
    part[2 * c + 1] = told->candidate[c].attribute;
    memcpy(&part[2 * c + 2], &told->candidate[c].value, sizeof(double));
  }
  return th_comm_sum_agree(comm, told->packed, words, rc, err);
}

/* Collect what was told; whether it holds all that can be chosen: an entry that
 * was not told goes after the last told one of its rank. Local. */
static bool collect_told(struct told *told, int size, int64_t k, int64_t *total)
{
  bool enough = true;
  *total = 0;
  for (int r = 0; r < size; r++) {
    const int64_t *part = told_by(told, r);
    for (int64_t c = 0; c < th_min_i64(part[0], told->slots); c++)
      told->candidate[(*total)++] = told_entry(part, c);
  }
  struct th_index_value *all = told->candidate;
  qsort(all, (size_t)*total, sizeof *all, th_select_order);
  for (int r = 0; r < size && k > 0; r++) {
    const int64_t *part = told_by(told, r);
    struct th_index_value last = told_entry(part, 0);
    if (part[0] > told->slots) /* then *total is not 0 */
      enough =
          enough && *total >= k && th_select_order(&all[k - 1], &last) <= 0;
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
    rc = refuse_nan(among, err);
  if (comm->size > MOST_TEAM) {
    TH_TRY(th_agree(comm, rc, err));
    return th_select_by_digits(comm, work, among, chosen, found, err);
  }
  told.slots = th_min_i64(among->k, TOLD / comm->size);
  TH_TRY(send_candidates(comm, &told, among, rc, err));
  if (!collect_told(&told, comm->size, among->k, &total))
    return th_select_by_digits(comm, work, among, chosen, found, err);
  *found = select_best_choose(told.candidate, total, among->k, chosen);
done:
  return rc;
}

/* --- The k largest over all ranks by digits: the plain form
 *
 * Counting magnitudes by digits of 8 bits narrows the place of the k-th largest
 * until few enough candidates are left to be told to everyone. */

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
  return (struct key){{magnitude_bits(entries->values[j]),
                       ~(uint64_t)attribute_at(entries, j)}};
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
static th_status narrow_digit(struct th_comm *comm, struct search *s,
                              const struct th_select_among *entries,
                              th_status rc, struct th_error *err)
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
static int64_t share_candidates(struct th_comm *comm, const struct search *s,
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
    *next++ = attribute_at(entries, j);
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
  struct search s = {.threshold = magnitude_bits(among->threshold),
                     .shift = 64,
                     .undecided = INT64_MAX};
  th_status rc = reserve(work, among->k, err);
  *found = 0;
  while (s.undecided > among->k + SPARE) {
    rc = narrow_digit(comm, &s, among, rc, err);
    if (rc != TH_OK)
      return rc;
  }
  int64_t total = share_candidates(comm, &s, work, among);
  *found = select_best_choose(work->candidates, total, among->k, chosen);
  return TH_OK;
}

/* --- A weighted quantile of numbers that are read several times ----------- */

enum { BINS = TH_SELECT_BINS, READINGS = 4 };

static void divide(struct th_select_quantile *q, double low, double high)
{
  q->low = low;
  q->high = high;
  for (int k = 0; k < BINS; k++)
    q->edge[k] = low + (high - low) * k / BINS;
  q->edge[BINS] = high;
  memset(q->weight, 0, sizeof q->weight);
}

void th_select_quantile_begin(struct th_select_quantile *quantile, double low,
                              double high, double goal)
{
  quantile->goal = goal;
  quantile->below = 0;
  quantile->readings = READINGS;
  divide(quantile, low, high);
}

/* The bin of a number, the last one with its upper edge. Edges decide, so that
 * a number stays where it is when its bin is divided. */
static int bin_of(const struct th_select_quantile *q, double value)
{
  double share = (value - q->low) / (q->high - q->low);
  int k = q->high > q->low ? (int)(share * BINS) : 0;
  k = k < BINS ? k : BINS - 1;
  while (k > 0 && value < q->edge[k])
    k--;
  while (k < BINS - 1 && value >= q->edge[k + 1])
    k++;
  return k;
}

void th_select_quantile_add(struct th_select_quantile *quantile, int64_t n,
                            const double *value, const double *weight)
{
  for (int64_t i = 0; i < n; i++)
    if (value[i] >= quantile->low && value[i] <= quantile->high)
      quantile->weight[bin_of(quantile, value[i])] += weight[i];
}

bool th_select_quantile_narrow(struct th_select_quantile *quantile)
{
  int k = 0;
  while (k < BINS - 1 && quantile->below + quantile->weight[k] < quantile->goal)
    quantile->below += quantile->weight[k++];
  quantile->readings--;
  divide(quantile, quantile->edge[k], quantile->edge[k + 1]);
  return quantile->readings > 0 && quantile->high > quantile->low;
}
