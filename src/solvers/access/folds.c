/* folds.c - folds of rows for cross-validation
 * SPDX-License-Identifier: MIT */
#include "solvers/access/folds.h"

#include "base/integer.h"
#include "base/random.h"

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

void th_folds_make(const struct th_folds_rows *given, uint64_t seed,
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
