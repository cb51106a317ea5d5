/* source_active.c - draws of declared attributes through the observing
 * source, over a store in memory
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

static struct th_rows one_piece[] = {{8, 5}};

static th_status try_active(const struct th_draw *draw, struct th_rows rows,
                            int64_t place, struct th_slab *slab)
{
  struct th_error err;
  th_error_clear(&err);
  return th_source_active(source, draw, rows, place, slab, &err);
}

/* Active draws hand out the declared attributes and no others, and count them
 * all; a new declaration ends what was granted before. */
static void test_active(void)
{
  static const int64_t list[] = {3, 4, 5, 9, 19};
  static const int64_t crooked[] = {4, 4};
  struct th_error err = {0};
  struct th_comm comm;
  struct th_slab slab;
  th_comm_self(&comm);
  open_source();
  struct th_draw draw = {.rows = {.items = one_piece, .count = 1},
                         .active = true};
  CHECK(th_source_activate(source, &comm, crooked, 2, &err) == TH_EARG);
  th_error_clear(&err);
  CHECK(th_source_activate(source, &comm, list, 5, &err) == TH_OK);
  CHECK(try_active(&draw, one_piece[0], 0, &slab) == TH_EBUDGET); /* no grant */
  CHECK(fake_try_draw(source, &draw) == TH_OK);
  CHECK(th_source_ledger(source)->attributes == 5 * 5);
  th_source_announce_active(source, &draw);
  CHECK(fake.announced == 5 * 5 + 3 * 1000);
  CHECK(try_active(&draw, one_piece[0], 0, &slab) == TH_OK);
  CHECK(slab.attributes.first == 3 && slab.attributes.last == 4);
  CHECK(fake.kept); /* few that lie together: one by one */
  CHECK(try_active(&draw, one_piece[0], 2, &slab) == TH_OK);
  CHECK(slab.attributes.first == 5 && slab.attributes.last == 6);
  CHECK(try_active(&draw, one_piece[0], 4, &slab) == TH_OK);
  CHECK(slab.attributes.first == 19 && slab.attributes.last == 20);
  CHECK(try_active(&draw, one_piece[0], 5, &slab) == TH_EBUDGET);
  CHECK(try_active(&draw, (struct th_rows){7, 2}, 0, &slab) == TH_EBUDGET);
  CHECK(fake_try_block(source, &draw, one_piece[0], (struct th_range){3, 4}) ==
        TH_EBUDGET);
  CHECK(fake_try_support(source, &draw, one_piece[0], 3) == TH_EBUDGET);
  CHECK(th_source_activate(source, &comm, list, 3, &err) == TH_OK);
  CHECK(try_active(&draw, one_piece[0], 0, &slab) == TH_EBUDGET);
  draw.block = (struct th_range){0, 2}; /* not both at once */
  CHECK(fake_try_draw(source, &draw) == TH_EARG);
  th_source_free(source);
}

/* Many active attributes that lie together are one slab. */
static void test_active_together(void)
{
  static const int64_t list[] = {2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
  struct th_error err = {0};
  struct th_comm comm;
  struct th_slab slab;
  th_comm_self(&comm);
  open_source();
  th_source_free(source);
  CHECK(th_source_create(&source, &fake.store, FAKE_ATTRIBUTES, &err) == TH_OK);
  struct th_draw draw = {.rows = {.items = one_piece, .count = 1},
                         .active = true};
  CHECK(th_source_activate(source, &comm, list, 11, &err) == TH_OK);
  CHECK(fake_try_draw(source, &draw) == TH_OK);
  CHECK(try_active(&draw, one_piece[0], 1, &slab) == TH_OK);
  CHECK(slab.attributes.first == 4 && slab.attributes.last == 14);
  CHECK(!fake.kept);
  CHECK(try_active(&draw, one_piece[0], 0, &slab) == TH_OK);
  CHECK(slab.attributes.first == 2 && slab.attributes.last == 3);
  CHECK(fake.kept);
  th_source_free(source);
}

/* Attributes that lie apart are one slab, as far as they are in memory. */
static void test_active_packed(void)
{
  static const int64_t list[] = {3, 5, 9, 19};
  struct th_error err = {0};
  struct th_comm comm;
  struct th_slab slab;
  th_comm_self(&comm);
  fake_store_init_copying(&fake, 10);
  CHECK(th_source_create(&source, &fake.store, FAKE_BUDGET, &err) == TH_OK);
  struct th_draw draw = {.rows = {.items = one_piece, .count = 1},
                         .active = true};
  CHECK(th_source_activate(source, &comm, list, 4, &err) == TH_OK);
  CHECK(fake_try_draw(source, &draw) == TH_OK);
  CHECK(try_active(&draw, one_piece[0], 0, &slab) == TH_OK);
  CHECK(slab.attributes.first == 3 && slab.attributes.last == 6);
  CHECK(fake.reads == 0 && fake.store.blocks.observed == 3 * 5 * 8);
  struct th_slab rest = th_slab_part(&slab, (struct th_range){4, 6});
  for (int64_t k = 0; k < 3; k++)
    for (int64_t i = 0; i < 5; i++) {
      double value = (double)(100 * list[k] + 8 + i);
      CHECK(th_slab_attribute(&slab, k) == list[k]);
      CHECK(th_slab_load(&slab, k, i) == value);
      CHECK(k == 0 || th_slab_attribute(&rest, k - 1) == list[k]);
      CHECK(k == 0 || th_slab_load(&rest, k - 1, i) == value);
    }
  CHECK(try_active(&draw, one_piece[0], 3, &slab) == TH_OK); /* not there */
  CHECK(slab.attributes.first == 19 && slab.attributes.last == 20);
  CHECK(th_slab_attribute(&slab, 0) == 19 && fake.reads == 1 && fake.kept);
  th_source_free(source);
}

static th_status try_members(const struct th_draw *draw, int64_t first,
                             int64_t last, struct th_slab *slab)
{
  struct th_error err = {0};
  return th_source_members(source, draw, one_piece[0],
                           (struct th_range){first, last}, slab, &err);
}

/* So is the support. What the block has, too, counts once. */
static void test_members(void)
{
  static const int64_t list[] = {3, 5, 9, 19};
  struct th_error err = {0};
  struct th_slab slab;
  fake_store_init_copying(&fake, 10);
  CHECK(th_source_create(&source, &fake.store, FAKE_BUDGET, &err) == TH_OK);
  struct th_draw draw = {.rows = {.items = one_piece, .count = 1},
                         .block = {4, 6},
                         .support = list,
                         .support_size = 4};
  CHECK(try_members(&draw, 0, 4, &slab) == TH_EBUDGET); /* no grant */
  CHECK(fake_try_draw(source, &draw) == TH_OK);
  CHECK(try_members(&draw, 0, 5, &slab) == TH_EBUDGET);
  CHECK(try_members(&draw, -1, 1, &slab) == TH_EBUDGET);
  CHECK(try_members(&draw, 2, 2, &slab) == TH_EBUDGET);
  CHECK(fake.reads == 0 && fake.store.support.observed == 0);
  CHECK(try_members(&draw, 0, 4, &slab) == TH_OK);
  CHECK(th_range_count(slab.attributes) == 3);
  CHECK(fake.reads == 0 && fake.store.support.observed == 2 * 5 * 8);
  for (int64_t k = 0; k < 3; k++)
    for (int64_t i = 0; i < 5; i++)
      CHECK(th_slab_load(&slab, k, i) == (double)(100 * list[k] + 8 + i));
  CHECK(try_members(&draw, 0, 2, &slab) == TH_OK); /* no more than wanted */
  CHECK(th_range_count(slab.attributes) == 2);
  CHECK(try_members(&draw, 3, 4, &slab) == TH_OK); /* not there */
  CHECK(slab.attributes.first == 19 && slab.attributes.last == 20);
  CHECK(fake.reads == 1 && fake.kept);
  th_source_free(source);
}

/* More active attributes than the budget has room for are refused. */
static void test_active_budget(void)
{
  static const int64_t many[] = {0, 1, 2, 3, 4, 5, 6};
  struct th_error err = {0};
  struct th_comm comm;
  th_comm_self(&comm);
  open_source();
  struct th_draw draw = {.rows = {.items = one_piece, .count = 1},
                         .active = true};
  CHECK(th_source_activate(source, &comm, many, FAKE_BUDGET + 1, &err) ==
        TH_OK);
  CHECK(fake_try_draw(source, &draw) == TH_EBUDGET);
  CHECK(th_source_activate(source, &comm, many, FAKE_BUDGET, &err) == TH_OK);
  CHECK(fake_try_draw(source, &draw) == TH_OK);
  th_source_free(source);
}

int main(void)
{
  CASE(test_active());
  CASE(test_active_together());
  CASE(test_active_packed());
  CASE(test_members());
  CASE(test_active_budget());
  return check_finish(NULL);
}
