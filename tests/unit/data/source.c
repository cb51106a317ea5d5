/* source.c - the budget is kept by the code: greedy and careless solvers
 * against the observing source over a store in memory
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "fake_store.h"

static struct fake_store fake;
static struct th_source *source;

static void open_source(void)
{
  struct th_error err = {0};
  fake_store_init(&fake);
  CHECK(th_source_create(&source, &fake.store, FAKE_BUDGET, &err) == TH_OK);
}

static const int64_t support[] = {2, 7, 11};
static struct th_rows one_piece[] = {{8, 5}};

/* The largest legal draw: a block of four with one member of the support. */
static struct th_draw legal_draw(void)
{
  return (struct th_draw){.rows = {.items = one_piece, .count = 1},
                          .block = {4, 8},
                          .support = support,
                          .support_size = 3};
}

static void test_ledger(void)
{
  open_source();
  const struct th_ledger *ledger = th_source_ledger(source);
  struct th_draw draw = legal_draw();
  CHECK(fake_try_draw(source, &draw) == TH_OK);
  CHECK(ledger->examples == 5 && ledger->attributes == 30);
  CHECK(ledger->max_attributes_per_example == 6);
  struct th_rows three[] = {{0, 3}, {16, 2}, {27, 3}};
  draw = (struct th_draw){.rows = {.items = three, .count = 3},
                          .support = support,
                          .support_size = 3};
  CHECK(fake_try_draw(source, &draw) == TH_OK);
  CHECK(ledger->examples == 13 && ledger->attributes == 54);
  CHECK(ledger->max_attributes_per_example == 6);
  draw.validation = true;
  CHECK(fake_try_draw(source, &draw) == TH_OK);
  CHECK(ledger->examples == 13 && ledger->attributes == 54);
  CHECK(ledger->validation_examples == 8);
  CHECK(ledger->validation_attributes == 24);
  draw = legal_draw();
  draw.rows.count = 0; /* nothing is drawn, nothing is counted */
  CHECK(fake_try_draw(source, &draw) == TH_OK);
  CHECK(ledger->examples == 13);
  CHECK(th_source_budget(source) == FAKE_BUDGET);
  CHECK(th_source_shape(source)->attributes == FAKE_ATTRIBUTES);
  th_source_free(source);
}

/* One attribute too many is refused, whatever it is asked for as. */
static void test_greedy(void)
{
  open_source();
  const struct th_ledger *ledger = th_source_ledger(source);
  struct th_draw draw = legal_draw();
  draw.block.last = 9;
  CHECK(fake_try_draw(source, &draw) == TH_EBUDGET);
  CHECK(fake_try_block(source, &draw, one_piece[0], draw.block) == TH_EBUDGET);
  CHECK(fake_try_support(source, &draw, one_piece[0], 2) == TH_EBUDGET);
  draw = legal_draw();
  draw.block = (struct th_range){12, 16};
  CHECK(fake_try_draw(source, &draw) == TH_EBUDGET);
  draw.validation = true; /* no way around it */
  CHECK(fake_try_draw(source, &draw) == TH_EBUDGET);
  draw = legal_draw();
  draw.block = (struct th_range){0, FAKE_ATTRIBUTES};
  CHECK(fake_try_draw(source, &draw) == TH_EBUDGET);
  CHECK(ledger->examples == 0 && ledger->attributes == 0);
  CHECK(ledger->validation_examples == 0 && fake.reads == 0);
  th_source_free(source);
}

/* Impossible draws, which would count too little or see held-out data. */
static void test_crooked_draws(void)
{
  open_source();
  struct th_draw draw = legal_draw();
  draw.block = (struct th_range){12, 7};
  CHECK(fake_try_draw(source, &draw) != TH_OK);
  draw.block = (struct th_range){-3, 1};
  CHECK(fake_try_draw(source, &draw) != TH_OK);
  draw.block = (struct th_range){FAKE_ATTRIBUTES - 1, FAKE_ATTRIBUTES + 1};
  CHECK(fake_try_draw(source, &draw) != TH_OK);
  struct th_rows test_rows[] = {{FAKE_TRAINING - 1, 2}};
  draw = legal_draw();
  draw.rows.items = test_rows;
  CHECK(fake_try_draw(source, &draw) != TH_OK);
  struct th_rows negative[] = {{3, -2}};
  draw.rows.items = negative;
  CHECK(fake_try_draw(source, &draw) != TH_OK);
  CHECK(th_source_ledger(source)->examples == 0);
  th_source_free(source);
}

static void test_reads(void)
{
  open_source();
  struct th_error err = {0};
  struct th_slab slab;
  struct th_draw draw = legal_draw();
  CHECK(fake_try_draw(source, &draw) == TH_OK);
  CHECK(th_source_block(source, &draw, (struct th_rows){9, 3},
                        (struct th_range){5, 8}, &slab, &err) == TH_OK);
  CHECK(((const double *)slab.values)[slab.stride + 2] == 611);
  CHECK(!fake.kept);
  CHECK(th_source_members(source, &draw, one_piece[0], (struct th_range){2, 3},
                          &slab, &err) == TH_OK);
  CHECK(((const double *)slab.values)[0] == 1108);
  CHECK(fake.kept); /* support attributes will be wanted again */
  double target[3];
  CHECK(th_source_targets(source, (struct th_rows){4, 3}, target, NULL, &err) ==
        TH_OK);
  CHECK(target[2] == 6);
  struct th_statistics statistics[2];
  CHECK(th_source_statistics(source, (struct th_range){3, 5}, statistics,
                             &err) == TH_OK);
  CHECK(statistics[1].mean == 4);
  th_source_free(source);
}

static void test_reads_outside(void)
{
  open_source();
  struct th_draw draw = legal_draw();
  struct th_range inside = {4, 8};
  CHECK(fake_try_block(source, &draw, one_piece[0], inside) ==
        TH_EBUDGET); /* no grant */
  CHECK(fake_try_support(source, &draw, one_piece[0], 2) == TH_EBUDGET);
  CHECK(fake_try_draw(source, &draw) == TH_OK);
  CHECK(fake_try_block(source, &draw, one_piece[0], inside) == TH_OK);
  CHECK(fake_try_block(source, &draw, one_piece[0], (struct th_range){3, 8}) ==
        TH_EBUDGET);
  CHECK(fake_try_block(source, &draw, one_piece[0], (struct th_range){4, 9}) ==
        TH_EBUDGET);
  CHECK(fake_try_block(source, &draw, (struct th_rows){7, 2}, inside) ==
        TH_EBUDGET);
  CHECK(fake_try_block(source, &draw, (struct th_rows){12, 2}, inside) ==
        TH_EBUDGET);
  CHECK(fake_try_block(source, &draw, (struct th_rows){20, 1}, inside) ==
        TH_EBUDGET);
  CHECK(fake_try_support(source, &draw, one_piece[0], 4) == TH_EBUDGET);
  CHECK(fake_try_support(source, &draw, one_piece[0], 12) == TH_EBUDGET);
  CHECK(fake_try_support(source, &draw, (struct th_rows){13, 1}, 7) ==
        TH_EBUDGET);
  CHECK(fake.reads == 1);
  th_source_free(source);
}

/* A draw that is changed after it was granted is not the granted one. */
static void test_changed_after_grant(void)
{
  static const int64_t more[] = {2, 7, 11, 15};
  struct th_rows all[] = {{0, FAKE_TRAINING}};
  struct th_range inside = {4, 8};
  open_source();
  struct th_draw draw = legal_draw();
  CHECK(fake_try_draw(source, &draw) == TH_OK);
  struct th_draw changed = draw;
  changed.block.last = 9;
  CHECK(fake_try_block(source, &changed, one_piece[0], changed.block) ==
        TH_EBUDGET);
  changed = draw;
  changed.support = more;
  changed.support_size = 4;
  CHECK(fake_try_support(source, &changed, one_piece[0], 15) == TH_EBUDGET);
  changed = draw;
  changed.rows.items = all;
  CHECK(fake_try_block(source, &changed, (struct th_rows){0, 8}, inside) ==
        TH_EBUDGET);
  changed = draw; /* a plain copy is the same draw */
  CHECK(fake_try_block(source, &changed, one_piece[0], inside) == TH_OK);
  th_source_free(source);
}

/* Only what was granted is announced, and only what is handed over counts as
 * observed: the block, and of the support what lies outside of it. */
static void test_announcements(void)
{
  struct th_error err = {0};
  struct th_slab slab;
  open_source();
  struct th_store_ops plain_ops = *fake.store.ops;
  struct th_draw draw = legal_draw();
  th_source_announce_block(source, &draw, draw.block);
  th_source_announce_members(source, &draw, (struct th_range){1, 2});
  CHECK(fake.announced == 0); /* no grant */
  CHECK(fake_try_draw(source, &draw) == TH_OK);
  th_source_announce_block(source, &draw, (struct th_range){3, 8});
  th_source_announce_block(source, &draw, (struct th_range){4, 9});
  th_source_announce_members(source, &draw, (struct th_range){2, 4});
  th_source_announce_members(source, &draw, (struct th_range){-1, 1});
  CHECK(fake.announced == 0); /* outside */
  th_source_announce_block(source, &draw, (struct th_range){5, 8});
  CHECK(fake.announced == 15);
  th_source_announce_members(source, &draw, (struct th_range){1, 3});
  CHECK(fake.announced == 15 + 2 * (1000 + 5));
  th_source_forget(source);
  CHECK(fake.forgotten == 1);
  CHECK(th_source_block(source, &draw, one_piece[0], (struct th_range){5, 8},
                        &slab, &err) == TH_OK);
  CHECK(fake.store.blocks.observed == 5 * 3 * 8);
  CHECK(th_source_members(source, &draw, one_piece[0], (struct th_range){1, 2},
                          &slab, &err) == TH_OK);
  CHECK(fake.store.support.observed == 0); /* the block has it */
  CHECK(th_source_members(source, &draw, one_piece[0], (struct th_range){2, 3},
                          &slab, &err) == TH_OK);
  CHECK(fake.store.support.observed == 5 * 8);
  plain_ops.announce = NULL; /* nothing to prepare */
  plain_ops.forget = NULL;
  fake.store.ops = &plain_ops;
  th_source_announce_block(source, &draw, draw.block);
  th_source_forget(source);
  th_source_free(source);
}

/* From any row to the end of its row group; test examples begin one. */
static void test_rest(void)
{
  const struct th_shape shape = {
      .examples = 25, .training = 14, .row_group = 4, .attributes = 1};
  for (int64_t row = 0; row < shape.examples; row++) {
    struct th_rows rest = th_store_shape_rest(&shape, row);
    int64_t group = th_store_shape_group_of(&shape, row, &(int64_t){0});
    CHECK(rest.first == row && rest.count >= 1);
    for (int64_t k = row; k < shape.examples && k <= row + rest.count; k++)
      CHECK((th_store_shape_group_of(&shape, k, &(int64_t){0}) == group) ==
            (k < row + rest.count));
  }
}

/* Rows fall apart at the ends of row groups, and where test examples begin. */
static void test_next(void)
{
  const struct th_shape shape = {
      .examples = 25, .training = 14, .row_group = 4, .attributes = 1};
  static const int64_t first[] = {3, 4, 8, 12, 14, 18, 22};
  struct th_rows rows = {3, 21};
  for (int k = 0; k < 7; k++) {
    struct th_rows part = th_store_shape_next(&shape, &rows);
    CHECK(part.first == first[k]);
    CHECK(rows.first == part.first + part.count);
    CHECK(rows.first + rows.count == 24);
  }
  CHECK(rows.count == 0);
}

int main(void)
{
  CASE(test_rest());
  CASE(test_next());
  CASE(test_ledger());
  CASE(test_greedy());
  CASE(test_crooked_draws());
  CASE(test_reads());
  CASE(test_reads_outside());
  CASE(test_changed_after_grant());
  CASE(test_announcements());
  return check_finish(NULL);
}
