/* deal.c - dealing against a plain count of every row, on many random
 * plans: odd sizes, changing block counts, updates longer than a pass
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/random.h"
#include "data/deal.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 512 };

/* What a plain observer has seen of a deal. */
struct tally {
  struct th_deal deal;
  int64_t dealt[ROWS];  /* times a row was handed out */
  int64_t update[ROWS]; /* the same within the present update */
  int64_t in_update;    /* rows of the present update */
  bool long_update;     /* some update was longer than a pass */
  bool validates[ROWS];
  uint64_t draws; /* random choices made */
  uint64_t seed;
};

static int64_t choose(struct tally *t, int64_t count)
{
  struct th_stream stream = {t->seed, TH_PURPOSE_TEST};
  uint32_t bits[4];
  th_random_bits(stream, 0, t->draws++, bits);
  return (int64_t)(bits[0] % (uint64_t)count);
}

static void start(struct tally *t, uint64_t seed)
{
  static const double fractions[] = {0, 0, 0.1, 0.3};
  struct th_error err = {0};
  memset(t, 0, sizeof *t);
  t->seed = seed;
  int64_t group = 1 + choose(t, 100);
  struct th_deal_plan plan = {.seed = seed,
                              .training = 2 + choose(t, ROWS - 2),
                              .row_group = group,
                              .unit = 1 + choose(t, group),
                              .passes = 1 + choose(t, 4),
                              .validation = fractions[choose(t, 4)]};
  if (plan.training <= plan.unit || plan.row_group >= plan.training)
    plan.unit = plan.row_group = 1;
  CHECK(th_deal_init(&t->deal, &plan, &err) == TH_OK);
  for (int64_t k = 0; k < th_deal_validation_units(&t->deal); k++) {
    struct th_rows rows = th_deal_validation_unit(&t->deal, k);
    for (int64_t i = rows.first; i < rows.first + rows.count; i++) {
      CHECK(i >= 0 && i < plan.training && !t->validates[i]);
      t->validates[i] = true;
    }
  }
}

static void check_piece(struct tally *t, struct th_rows piece)
{
  const struct th_deal_plan *plan = &t->deal.plan;
  CHECK(piece.count > 0 && piece.first >= 0 &&
        piece.first + piece.count <= plan->training);
  CHECK(piece.first / plan->row_group ==
        (piece.first + piece.count - 1) / plan->row_group);
  for (int64_t i = piece.first; i < piece.first + piece.count; i++) {
    t->dealt[i]++;
    t->update[i]++;
    CHECK(!t->validates[i]);
    CHECK(t->update[i] == 1 || t->in_update > t->deal.rows_in_pass);
  }
}

static void take(struct tally *t, int64_t consumer, int64_t rows)
{
  struct th_error err = {0};
  struct th_pieces pieces = {0};
  int64_t left = th_deal_left(&t->deal);
  int64_t expected = rows < left ? rows : left;
  CHECK(th_deal_rows(&t->deal, consumer, rows, &pieces, &err) == TH_OK);
  CHECK(th_deal_pieces_rows(&pieces) == expected);
  CHECK(th_deal_left(&t->deal) == left - expected);
  t->in_update += expected;
  if (t->in_update > t->deal.rows_in_pass)
    t->long_update = true;
  for (int64_t k = 0; k < pieces.count; k++)
    check_piece(t, pieces.items[k]);
  th_deal_pieces_free(&pieces);
}

/* No row is ahead of another by more than one pass. */
static void check_passes(const struct tally *t)
{
  for (int64_t i = 0; i < t->deal.plan.training; i++)
    CHECK(t->validates[i]
              ? t->dealt[i] == 0
              : t->dealt[i] >= t->deal.pass && t->dealt[i] <= t->deal.pass + 1);
}

static void one_update(struct tally *t, int64_t largest)
{
  struct th_error err = {0};
  CHECK(th_deal_begin(&t->deal, &err) == TH_OK);
  memset(t->update, 0, sizeof t->update);
  t->in_update = 0;
  if (choose(t, 3) == 0)
    CHECK(th_deal_set_blocks(&t->deal, choose(t, 9), &err) == TH_OK);
  int64_t rows = 1 + choose(t, largest);
  for (int64_t c = 0; c < t->deal.consumers; c++)
    if (choose(t, 4) > 0)
      take(t, c, rows);
}

static void check_end(struct tally *t)
{
  take(t, TH_CONSUMER_EXPLOIT, 5);
  CHECK(th_deal_left(&t->deal) == 0);
  for (int64_t i = 0; i < t->deal.plan.training; i++)
    CHECK(t->dealt[i] == (t->validates[i] ? 0 : t->deal.plan.passes));
  CHECK(t->deal.reused == t->long_update);
}

static void test_random_plans(void)
{
  static struct tally t;
  for (uint64_t seed = 0; seed < 1500; seed++) {
    int before = check_failures;
    start(&t, seed);
    int64_t largest = 1 + choose(&t, 4) * choose(&t, 40);
    while (th_deal_left(&t.deal) > 0) {
      one_update(&t, largest);
      check_passes(&t);
    }
    check_end(&t);
    th_deal_free(&t.deal);
    if (check_failures > before) {
      fprintf(stderr, "with random plan %d\n", (int)seed);
      return;
    }
  }
}

/* An update of exactly one pass that begins in the middle of a pass: every row
 * once, though deal units were begun before it. */
static void test_whole_pass_across_border(void)
{
  static struct tally t;
  struct th_error err = {0};
  struct th_deal_plan plan = {
      .seed = 1, .training = 100, .row_group = 50, .unit = 50, .passes = 3};
  memset(&t, 0, sizeof t);
  CHECK(th_deal_init(&t.deal, &plan, &err) == TH_OK);
  for (int64_t first = 1; first <= 100; first += 33) {
    CHECK(th_deal_begin(&t.deal, &err) == TH_OK);
    take(&t, TH_CONSUMER_STEP_SIZE, 13);
    CHECK(th_deal_begin(&t.deal, &err) == TH_OK);
    memset(t.update, 0, sizeof t.update);
    t.in_update = 0;
    take(&t, TH_CONSUMER_EXPLOIT, 100);
  }
  CHECK(!t.deal.reused);
  th_deal_free(&t.deal);
}

static void check_same(const struct th_pieces *a, const struct th_pieces *b)
{
  CHECK(a->count == b->count);
  for (int64_t k = 0; k < a->count && k < b->count; k++)
    CHECK(a->items[k].first == b->items[k].first &&
          a->items[k].count == b->items[k].count);
}

/* The same plan deals the same; another seed deals otherwise. */
static void test_seed(void)
{
  struct th_error err = {0};
  struct th_pieces dealt[3] = {{0}, {0}, {0}};
  for (int k = 0; k < 3; k++) {
    struct th_deal deal;
    struct th_deal_plan plan = {.seed = k == 2 ? 8 : 7,
                                .training = 1000,
                                .row_group = 64,
                                .unit = 16,
                                .passes = 2};
    CHECK(th_deal_init(&deal, &plan, &err) == TH_OK);
    CHECK(th_deal_rows(&deal, TH_CONSUMER_EXPLOIT, 2000, &dealt[k], &err) ==
          TH_OK);
    th_deal_free(&deal);
  }
  check_same(&dealt[0], &dealt[1]);
  int64_t equal = 0;
  for (int64_t k = 0; k < dealt[0].count && k < dealt[2].count; k++)
    equal += dealt[0].items[k].first == dealt[2].items[k].first;
  CHECK(equal < dealt[0].count / 4);
  int64_t half = dealt[0].count / 2;
  int64_t repeated = 0; /* the second pass has an order of its own */
  for (int64_t k = 0; k < half; k++)
    repeated += dealt[0].items[k].first == dealt[0].items[half + k].first;
  CHECK(repeated < half / 4);
  for (int k = 0; k < 3; k++)
    th_deal_pieces_free(&dealt[k]);
}

/* Units in stored order leave no row out, whatever divides what. */
static void test_places(void)
{
  for (int64_t group = 1; group <= 40; group++)
    for (int64_t unit = 1; unit <= group; unit++) {
      struct th_deal_plan plan = {
          .training = 97, .row_group = group, .unit = unit, .passes = 1};
      int64_t row = 0;
      for (int64_t k = 0; k < th_deal_units(&plan); k++) {
        struct th_rows rows = th_deal_unit(&plan, k);
        CHECK(rows.first == row && rows.count > 0 && rows.count <= unit);
        CHECK(row / group == (row + rows.count - 1) / group);
        for (int64_t i = 0; i < rows.count; i++, row++) {
          struct th_deal_place place = th_deal_place(&plan, row);
          CHECK(place.unit == k && place.row == i);
        }
      }
      CHECK(row == plan.training);
    }
}

static void test_too_few_to_validate(void)
{
  struct th_error err;
  struct th_deal deal;
  struct th_deal_plan plan = {.training = 10,
                              .row_group = 64,
                              .unit = 16,
                              .passes = 1,
                              .validation = 0.1};
  th_error_clear(&err);
  CHECK(th_deal_init(&deal, &plan, &err) == TH_EDATA);
  CHECK(strstr(err.text, "validation") != NULL);
  th_deal_free(&deal);
}

int main(void)
{
  CASE(test_random_plans());
  CASE(test_whole_pass_across_border());
  CASE(test_seed());
  CASE(test_places());
  CASE(test_too_few_to_validate());
  return check_finish(NULL);
}
