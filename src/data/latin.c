/* latin.c - rows dealt to blocks so that none meets the same block twice
 * SPDX-License-Identifier: MIT */
#include "data/latin.h"

#include "base/integer.h"
#include "base/memory.h"
#include "state/state.h"

#include <stdlib.h>

/* Units of a class. */
static int64_t units_of(const struct th_latin *latin, int64_t class)
{
  return (latin->units - class + latin->classes - 1) / latin->classes;
}

static struct th_rows unit_at(const struct th_latin *latin, int64_t class,
                              int64_t k)
{
  return th_deal_training_unit(latin->deal, class + k * latin->classes);
}

static void start_pass(struct th_latin *latin)
{
  for (int64_t c = 0; c < latin->classes; c++) {
    struct th_latin_queue *queue = &latin->queue[c];
    *queue = (struct th_latin_queue){0};
    for (int64_t k = 0; k < units_of(latin, c); k++)
      queue->left += unit_at(latin, c, k).count;
  }
  th_deal_count(latin->deal, latin->pass, 0);
}

th_status th_latin_init(struct th_latin *latin, struct th_deal *deal,
                        int64_t units, int64_t classes, int64_t passes,
                        struct th_error *err)
{
  *latin = (struct th_latin){
      .deal = deal, .units = units, .classes = classes, .passes = passes};
  th_status rc = TH_NEW(&latin->queue, classes, "the order of examples", err);
  if (rc == TH_OK)
    start_pass(latin);
  return rc;
}

void th_latin_free(struct th_latin *latin)
{
  free(latin->queue);
  *latin = (struct th_latin){0};
}

enum { NUMBERS = sizeof(struct th_latin_queue) / sizeof(int64_t) };

void th_latin_describe(struct th_latin *latin, struct th_state *state)
{
  th_state_enter(state, "latin");
  TH_STATE_ONE(state, latin, pass);
  th_state_all(state, "queue", TH_STATE_I64, latin->queue,
               NUMBERS * latin->classes);
  if (state->examples > 0)
    th_state_limit(state, "queue", (int64_t *)(void *)latin->queue,
                   NUMBERS * latin->classes, 0, state->examples);
  th_state_leave(state);
}

/* The class from which a block takes its rows in this pass. */
static int64_t class_of(const struct th_latin *latin, int64_t block)
{
  return (block + latin->classes - latin->pass % latin->classes) %
         latin->classes;
}

int64_t th_latin_left_of(const struct th_latin *latin, int64_t block)
{
  return latin->queue[class_of(latin, block)].left;
}

int64_t th_latin_left(const struct th_latin *latin)
{
  int64_t left = 0;
  for (int64_t c = 0; c < latin->classes; c++)
    left += latin->queue[c].left;
  return left;
}

bool th_latin_turn(struct th_latin *latin)
{
  if (latin->pass + 1 >= latin->passes)
    return false;
  latin->pass++;
  start_pass(latin);
  return true;
}

static th_status deal_class(struct th_latin *latin, int64_t class, int64_t rows,
                            struct th_pieces *pieces, struct th_error *err)
{
  struct th_latin_queue *queue = &latin->queue[class];
  th_status rc = TH_OK;
  while (rows > 0 && queue->left > 0 && rc == TH_OK) {
    if (queue->rest.count == 0)
      queue->rest = unit_at(latin, class, queue->next++);
    int64_t count = th_min_i64(queue->rest.count, rows);
    rc = th_deal_pieces_add(pieces, (struct th_rows){queue->rest.first, count},
                            err);
    queue->rest.first += count;
    queue->rest.count -= count;
    queue->left -= count;
    th_deal_count(latin->deal, latin->pass, count);
    rows -= count;
  }
  return rc;
}

th_status th_latin_rows(struct th_latin *latin, int64_t block, int64_t rows,
                        struct th_pieces *pieces, struct th_error *err)
{
  return deal_class(latin, class_of(latin, block), rows, pieces, err);
}

/* The class that has the most rows left. */
static int64_t fullest(const struct th_latin *latin)
{
  int64_t best = 0;
  for (int64_t c = 1; c < latin->classes; c++)
    if (latin->queue[c].left > latin->queue[best].left)
      best = c;
  return best;
}

th_status th_latin_any_rows(struct th_latin *latin, int64_t rows,
                            struct th_pieces *pieces, struct th_error *err)
{
  int64_t part = latin->deal->plan.unit;
  th_status rc = TH_OK;
  rows = th_min_i64(rows, th_latin_left(latin));
  while (rows > 0 && rc == TH_OK) {
    int64_t class = fullest(latin);
    int64_t count =
        th_min_i64(th_min_i64(part, rows), latin->queue[class].left);
    rc = deal_class(latin, class, count, pieces, err);
    rows -= count;
  }
  return rc;
}
