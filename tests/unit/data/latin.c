/* latin.c - rows dealt by Latin squares: no block meets an example twice,
 * after C passes each has met all of them
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "data/latin.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 1037, BLOCKS = 7 };

/* seen[row][block]: how often. */
static int seen[ROWS][BLOCKS];

static void note(const struct th_pieces *pieces, int64_t first, int64_t block)
{
  for (int64_t k = first; k < pieces->count; k++)
    for (int64_t i = 0; i < pieces->items[k].count; i++)
      seen[pieces->items[k].first + i][block]++;
}

static void start(struct th_latin *latin, struct th_deal *deal, int64_t passes,
                  double validation)
{
  const struct th_deal_plan plan = {.seed = 5,
                                    .training = ROWS,
                                    .row_group = 64,
                                    .unit = 8,
                                    .passes = passes,
                                    .validation = validation};
  struct th_error err = {0};
  CHECK(th_deal_init(deal, &plan, &err) == TH_OK);
  CHECK(th_latin_init(latin, deal, deal->training_units, BLOCKS, passes,
                      &err) == TH_OK);
  memset(seen, 0, sizeof seen);
}

/* Blocks in turn, a few rows at a time. */
static void deal_pass(struct th_latin *latin, int64_t at_once)
{
  struct th_pieces pieces = {0};
  struct th_error err = {0};
  while (th_latin_left(latin) > 0)
    for (int64_t c = 0; c < BLOCKS; c++) {
      int64_t first = pieces.count;
      CHECK(th_latin_rows(latin, c, at_once, &pieces, &err) == TH_OK);
      note(&pieces, first, c);
    }
  CHECK(th_deal_pieces_rows(&pieces) == latin->deal->rows_in_pass);
  th_deal_pieces_free(&pieces);
}

static void test_square(void)
{
  struct th_deal deal;
  struct th_latin latin;
  start(&latin, &deal, BLOCKS, 0);
  for (int64_t p = 0; p < BLOCKS; p++) {
    deal_pass(&latin, 5 + p);
    CHECK(deal.pass == p);
    CHECK(deal.taken == (p + 1) * ROWS);
    for (int64_t i = 0; i < ROWS; i++) {
      int64_t met = 0;
      for (int64_t c = 0; c < BLOCKS; c++) {
        CHECK(seen[i][c] <= 1);
        met += seen[i][c];
      }
      CHECK(met == p + 1);
    }
    CHECK(th_latin_turn(&latin) == (p + 1 < BLOCKS));
  }
  th_latin_free(&latin);
  th_deal_free(&deal);
}

/* Held-out units are dealt to nobody. */
static void test_held_out(void)
{
  struct th_deal deal;
  struct th_latin latin;
  start(&latin, &deal, 2, 0.25);
  deal_pass(&latin, 100);
  for (int64_t k = 0; k < th_deal_validation_units(&deal); k++) {
    struct th_rows rows = th_deal_validation_unit(&deal, k);
    for (int64_t c = 0; c < BLOCKS; c++)
      CHECK(seen[rows.first][c] == 0);
  }
  CHECK(deal.rows_in_pass < ROWS);
  th_latin_free(&latin);
  th_deal_free(&deal);
}

/* Rows for whoever: those of blocks that have most left, each row once. */
static void test_any(void)
{
  struct th_deal deal;
  struct th_latin latin;
  struct th_pieces pieces = {0};
  struct th_error err = {0};
  start(&latin, &deal, 1, 0);
  CHECK(th_latin_rows(&latin, 3, 100, &pieces, &err) == TH_OK);
  int64_t left = th_latin_left_of(&latin, 3);
  CHECK(th_latin_any_rows(&latin, 40, &pieces, &err) == TH_OK);
  CHECK(th_latin_left_of(&latin, 3) == left); /* it has least */
  CHECK(th_deal_pieces_rows(&pieces) == 140);
  CHECK(th_latin_any_rows(&latin, 2 * ROWS, &pieces, &err) == TH_OK);
  note(&pieces, 0, 0);
  for (int64_t i = 0; i < ROWS; i++)
    CHECK(seen[i][0] == 1);
  CHECK(th_latin_left(&latin) == 0 && !th_latin_turn(&latin));
  th_deal_pieces_free(&pieces);
  th_latin_free(&latin);
  th_deal_free(&deal);
}

int main(void)
{
  CASE(test_square());
  CASE(test_held_out());
  CASE(test_any());
  return check_finish(NULL);
}
