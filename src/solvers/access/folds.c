/* folds.c - folds of rows for cross-validation
 * SPDX-License-Identifier: MIT */
#include "solvers/access/folds.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/random.h"

#include <stdlib.h>

enum { FEW_ROWS = 500, FOLDS_OF_FEW = 10, FOLDS = 5 };

/* How a row is dealt: with the others of its class, without a weight, or where
 * the row is that it equals. */
enum deck { LOW, HIGH, WEIGHTLESS, DECKS, FOLLOWS = DECKS };

static enum deck deck_of(const struct th_folds_rows *given, int64_t i)
{
  if (given->twin != NULL && given->twin[i] != i)
    return FOLLOWS;
  if (given->weight != NULL && !(given->weight[i] > 0))
    return WEIGHTLESS;
  return given->labels && given->target[i] > 0 ? HIGH : LOW;
}

void th_folds_twins(const struct th_twins *twins, int64_t rows, int64_t *twin)
{
  for (int64_t i = 0; i < rows; i++)
    twin[i] = i;
  for (int64_t k = 0; twins != NULL && k < twins->count; k++)
    twin[twins->row[k]] = twins->first[k];
}

static int64_t count_deck(const struct th_folds_rows *given, enum deck which)
{
  int64_t size = 0;
  for (int64_t i = 0; i < given->rows; i++)
    size += deck_of(given, i) == which;
  return size;
}

int64_t th_folds_distinct(const struct th_folds_rows *given)
{
  return count_deck(given, LOW) + count_deck(given, HIGH);
}

int64_t th_folds_count(int64_t distinct)
{
  return th_min_i64(distinct, distinct < FEW_ROWS ? FOLDS_OF_FEW : FOLDS);
}

static void deal_single_rows(const struct th_folds_rows *given, uint64_t seed,
                             int64_t count, uint8_t *fold)
{
  struct th_stream stream = {seed, TH_PURPOSE_FOLD};
  int64_t dealt = 0;
  for (enum deck which = LOW; which < DECKS; which++) {
    int64_t size = count_deck(given, which);
    int64_t number = 0;
    for (int64_t i = 0; i < given->rows; i++)
      if (deck_of(given, i) == which) {
        int64_t place =
            th_random_place(stream, (uint64_t)which, size, number++);
        fold[i] = (uint8_t)((dealt + place) % count);
      }
    dealt += size;
  }
  for (int64_t i = 0; i < given->rows; i++)
    if (deck_of(given, i) == FOLLOWS)
      fold[i] = fold[given->twin[i]];
}

/* --- Groups --------------------------------------------------------------- */

enum { CLASSES = 2, MOST_FOLDS = UINT8_MAX + 1 };

/* Steps of the random numbers, behind those of decks. */
enum { ORDER_OF_GROUPS = DECKS, NUMBERS_OF_FOLDS };

struct whole {
  int64_t first;         /* row */
  int64_t size[CLASSES]; /* rows of a weight */
  int64_t place;         /* in a random order */
};

/* What has been dealt: rows of each class, in each fold and in all. */
struct hands {
  int64_t folds;
  int64_t size[MOST_FOLDS][CLASSES];
  int64_t all[CLASSES];
};

static int64_t rows_of_size(const int64_t *size)
{
  return size[0] + size[1];
}

/* The larger first. */
static int compare_wholes(const void *a, const void *b)
{
  const struct whole *one = a;
  const struct whole *two = b;
  int64_t left = rows_of_size(one->size);
  int64_t right = rows_of_size(two->size);
  if (left != right)
    return left > right ? -1 : 1;
  return (one->place > two->place) - (one->place < two->place);
}

static bool takes_part(const struct th_folds_rows *given, int64_t i)
{
  return given->weight == NULL || given->weight[i] > 0;
}

/* Number the groups that have rows of a weight: number[i] of their first rows,
 * -1 elsewhere. Returns how many there are. */
static int64_t number_groups(const struct th_folds_rows *given, int64_t *number)
{
  int64_t groups = 0;
  for (int64_t i = 0; i < given->rows; i++)
    number[i] = -1;
  for (int64_t i = 0; i < given->rows; i++)
    if (takes_part(given, i) && number[given->group[i]] < 0)
      number[given->group[i]] = groups++;
  return groups;
}

static void measure_groups(const struct th_folds_rows *given,
                           const int64_t *number, struct whole *whole,
                           struct hands *hands)
{
  for (int64_t i = 0; i < given->rows; i++) {
    if (!takes_part(given, i))
      continue;
    struct whole *w = &whole[number[given->group[i]]];
    bool high = given->labels && given->target[i] > 0;
    w->first = given->group[i];
    w->size[high]++;
    hands->all[high]++;
  }
}

/* How much a fold has of what the group would add to. */
static double crowding(const struct hands *hands, int64_t f,
                       const struct whole *whole)
{
  double sum = 0;
  for (int c = 0; c < CLASSES; c++)
    if (whole->size[c] > 0)
      sum += (double)hands->size[f][c] / (double)hands->all[c] *
             ((double)whole->size[c] / (double)hands->all[c]);
  return sum;
}

/* The fold for a group; of equal ones that of the fewest rows, then the first.
 */
static int64_t fold_for(const struct hands *hands, const struct whole *whole)
{
  int64_t best = 0;
  for (int64_t f = 1; f < hands->folds; f++) {
    double here = crowding(hands, f, whole);
    double least = crowding(hands, best, whole);
    if (here < least || (here == least && rows_of_size(hands->size[f]) <
                                              rows_of_size(hands->size[best])))
      best = f;
  }
  return best;
}

/* number[] becomes the fold, at the first row of each group. */
static void deal_wholes(struct whole *whole, int64_t groups,
                        struct th_stream stream, struct hands *hands,
                        int64_t *number)
{
  for (int64_t k = 0; k < groups; k++)
    whole[k].place =
        th_random_place(stream, (uint64_t)ORDER_OF_GROUPS, groups, k);
  qsort(whole, (size_t)groups, sizeof *whole, compare_wholes);
  for (int64_t k = 0; k < groups; k++) {
    int64_t f = fold_for(hands, &whole[k]);
    for (int c = 0; c < CLASSES; c++)
      hands->size[f][c] += whole[k].size[c];
    number[whole[k].first] =
        th_random_place(stream, (uint64_t)NUMBERS_OF_FOLDS, hands->folds, f);
  }
}

static th_status deal_groups(const struct th_folds_rows *given, uint64_t seed,
                             int64_t count, uint8_t *fold, struct th_error *err)
{
  struct hands hands = {.folds = count};
  struct whole *whole = NULL;
  int64_t *number = NULL;
  th_status rc;
  TH_TRY(TH_NEW(&number, given->rows, "folds", err));
  int64_t groups = number_groups(given, number);
  TH_TRY(TH_NEW(&whole, groups, "folds", err));
  measure_groups(given, number, whole, &hands);
  deal_wholes(whole, groups, (struct th_stream){seed, TH_PURPOSE_FOLD}, &hands,
              number);
  for (int64_t i = 0; i < given->rows; i++)
    fold[i] = (uint8_t)th_max_i64(0, number[given->group[i]]);
done:
  TH_FREE(number, whole);
  return rc;
}

th_status th_folds_make(const struct th_folds_rows *given, uint64_t seed,
                        int64_t count, uint8_t *fold, struct th_error *err)
{
  if (given->group != NULL)
    return deal_groups(given, seed, count, fold, err);
  deal_single_rows(given, seed, count, fold);
  return TH_OK;
}

/* The first row of a joint group; the way there is made shorter. */
static int64_t root_of(int64_t *first, int64_t i)
{
  for (; first[i] != i; i = first[i])
    first[i] = first[first[i]];
  return i;
}

int64_t th_folds_unite(int64_t *first, int64_t rows,
                       const struct th_twins *twins)
{
  int64_t groups = 0;
  for (int64_t k = 0; twins != NULL && k < twins->count; k++) {
    int64_t one = root_of(first, twins->row[k]);
    int64_t two = root_of(first, twins->first[k]);
    first[th_max_i64(one, two)] = th_min_i64(one, two);
  }
  for (int64_t i = 0; i < rows; i++) {
    first[i] = root_of(first, i);
    groups += first[i] == i;
  }
  return groups;
}
