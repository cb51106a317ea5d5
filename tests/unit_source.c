/* unit_source.c - the budget is kept by the code: greedy and careless solvers
 * against the observing source over a store in memory
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "core/source.h"

#include <string.h>

enum { D = 20, N = 40, TRAINING = 30, BUDGET = 6 };

/* Value of attribute a on row i is 100 a + i; the store counts its reads. */
struct fake_store {
  struct th_store store;
  double values[D * N];
  int64_t reads;
  bool kept;
  int64_t announced; /* rows times attributes, +1000 for each that is kept */
  int64_t forgotten;
};

static th_status fake_slab(struct th_store *store, struct th_rows rows,
                           struct th_range range, bool keep,
                           struct th_slab *slab, struct th_error *err)
{
  struct fake_store *fake = (struct fake_store *)store;
  (void)err;
  fake->reads++;
  fake->kept = keep;
  *slab =
      (struct th_slab){.layout = TH_DENSE,
                       .type = TH_F64,
                       .attributes = range,
                       .row = rows.first,
                       .rows = (int32_t)rows.count,
                       .values = fake->values + range.first * N + rows.first,
                       .stride = N};
  return TH_OK;
}

static th_status fake_targets(struct th_store *store, struct th_rows rows,
                              double *target, double *weight,
                              struct th_error *err)
{
  (void)store;
  (void)err;
  for (int64_t i = 0; i < rows.count; i++) {
    if (target != NULL)
      target[i] = (double)(rows.first + i);
    if (weight != NULL)
      weight[i] = 1;
  }
  return TH_OK;
}

static th_status fake_statistics(struct th_store *store, struct th_range range,
                                 struct th_statistics *statistics,
                                 struct th_error *err)
{
  (void)store;
  for (int64_t a = range.first; a < range.last; a++)
    statistics[a - range.first].mean = (double)a;
  return range.last <= D ? TH_OK : th_fail(err, TH_EIO, "no such attribute");
}

static void fake_announce(struct th_store *store, struct th_rows rows,
                          struct th_range range, bool keep)
{
  struct fake_store *fake = (struct fake_store *)store;
  fake->announced +=
      rows.count * (range.last - range.first) + (keep ? 1000 : 0);
}

static void fake_forget(struct th_store *store)
{
  ((struct fake_store *)store)->forgotten++;
}

static const struct th_store_ops fake_ops = {.slab = fake_slab,
                                             .targets = fake_targets,
                                             .statistics = fake_statistics,
                                             .announce = fake_announce,
                                             .forget = fake_forget};

static struct fake_store fake;
static struct th_source *source;

static void open_source(void)
{
  struct th_error err = {0};
  memset(&fake, 0, sizeof fake);
  fake.store.ops = &fake_ops;
  fake.store.shape = (struct th_shape){.examples = N,
                                       .training = TRAINING,
                                       .attributes = D,
                                       .row_group = 8,
                                       .type = TH_F64};
  for (int64_t a = 0; a < D; a++)
    for (int64_t i = 0; i < N; i++)
      fake.values[a * N + i] = (double)(100 * a + i);
  CHECK(th_source_create(&source, &fake.store, BUDGET, &err) == TH_OK);
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

static th_status try_draw(struct th_draw *draw)
{
  struct th_error err;
  th_error_clear(&err);
  return th_source_draw(source, draw, &err);
}

static th_status try_block(const struct th_draw *draw, struct th_rows rows,
                           struct th_range range)
{
  struct th_error err;
  struct th_slab slab;
  th_error_clear(&err);
  return th_source_block(source, draw, rows, range, &slab, &err);
}

static th_status try_support(const struct th_draw *draw, struct th_rows rows,
                             int64_t attribute)
{
  struct th_error err;
  struct th_slab slab;
  th_error_clear(&err);
  return th_source_support(source, draw, rows, attribute, &slab, &err);
}

static void test_ledger(void)
{
  open_source();
  const struct th_ledger *ledger = th_source_ledger(source);
  struct th_draw draw = legal_draw();
  CHECK(try_draw(&draw) == TH_OK);
  CHECK(ledger->examples == 5 && ledger->attributes == 30);
  CHECK(ledger->max_attributes_per_example == 6);
  struct th_rows three[] = {{0, 3}, {16, 2}, {27, 3}};
  draw = (struct th_draw){.rows = {.items = three, .count = 3},
                          .support = support,
                          .support_size = 3};
  CHECK(try_draw(&draw) == TH_OK);
  CHECK(ledger->examples == 13 && ledger->attributes == 54);
  CHECK(ledger->max_attributes_per_example == 6);
  draw.validation = true;
  CHECK(try_draw(&draw) == TH_OK);
  CHECK(ledger->examples == 13 && ledger->attributes == 54);
  CHECK(ledger->validation_examples == 8);
  CHECK(ledger->validation_attributes == 24);
  draw = legal_draw();
  draw.rows.count = 0; /* nothing is drawn, nothing is counted */
  CHECK(try_draw(&draw) == TH_OK);
  CHECK(ledger->examples == 13);
  CHECK(th_source_budget(source) == BUDGET);
  CHECK(th_source_shape(source)->attributes == D);
  th_source_free(source);
}

/* One attribute too many is refused, whatever it is asked for as. */
static void test_greedy(void)
{
  open_source();
  const struct th_ledger *ledger = th_source_ledger(source);
  struct th_draw draw = legal_draw();
  draw.block.last = 9;
  CHECK(try_draw(&draw) == TH_EBUDGET);
  CHECK(try_block(&draw, one_piece[0], draw.block) == TH_EBUDGET);
  CHECK(try_support(&draw, one_piece[0], 2) == TH_EBUDGET);
  draw = legal_draw();
  draw.block = (struct th_range){12, 16};
  CHECK(try_draw(&draw) == TH_EBUDGET);
  draw.validation = true; /* no way around it */
  CHECK(try_draw(&draw) == TH_EBUDGET);
  draw = legal_draw();
  draw.block = (struct th_range){0, D};
  CHECK(try_draw(&draw) == TH_EBUDGET);
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
  CHECK(try_draw(&draw) != TH_OK);
  draw.block = (struct th_range){-3, 1};
  CHECK(try_draw(&draw) != TH_OK);
  draw.block = (struct th_range){D - 1, D + 1};
  CHECK(try_draw(&draw) != TH_OK);
  struct th_rows test_rows[] = {{TRAINING - 1, 2}};
  draw = legal_draw();
  draw.rows.items = test_rows;
  CHECK(try_draw(&draw) != TH_OK);
  struct th_rows negative[] = {{3, -2}};
  draw.rows.items = negative;
  CHECK(try_draw(&draw) != TH_OK);
  CHECK(th_source_ledger(source)->examples == 0);
  th_source_free(source);
}

static void test_reads(void)
{
  open_source();
  struct th_error err = {0};
  struct th_slab slab;
  struct th_draw draw = legal_draw();
  CHECK(try_draw(&draw) == TH_OK);
  CHECK(th_source_block(source, &draw, (struct th_rows){9, 3},
                        (struct th_range){5, 8}, &slab, &err) == TH_OK);
  CHECK(((const double *)slab.values)[slab.stride + 2] == 611);
  CHECK(!fake.kept);
  CHECK(th_source_support(source, &draw, one_piece[0], 11, &slab, &err) ==
        TH_OK);
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
  CHECK(try_block(&draw, one_piece[0], inside) == TH_EBUDGET); /* no grant */
  CHECK(try_support(&draw, one_piece[0], 2) == TH_EBUDGET);
  CHECK(try_draw(&draw) == TH_OK);
  CHECK(try_block(&draw, one_piece[0], inside) == TH_OK);
  CHECK(try_block(&draw, one_piece[0], (struct th_range){3, 8}) == TH_EBUDGET);
  CHECK(try_block(&draw, one_piece[0], (struct th_range){4, 9}) == TH_EBUDGET);
  CHECK(try_block(&draw, (struct th_rows){7, 2}, inside) == TH_EBUDGET);
  CHECK(try_block(&draw, (struct th_rows){12, 2}, inside) == TH_EBUDGET);
  CHECK(try_block(&draw, (struct th_rows){20, 1}, inside) == TH_EBUDGET);
  CHECK(try_support(&draw, one_piece[0], 4) == TH_EBUDGET);
  CHECK(try_support(&draw, one_piece[0], 12) == TH_EBUDGET);
  CHECK(try_support(&draw, (struct th_rows){13, 1}, 7) == TH_EBUDGET);
  CHECK(fake.reads == 1);
  th_source_free(source);
}

/* A draw that is changed after it was granted is not the granted one. */
static void test_changed_after_grant(void)
{
  static const int64_t more[] = {2, 7, 11, 15};
  struct th_rows all[] = {{0, TRAINING}};
  struct th_range inside = {4, 8};
  open_source();
  struct th_draw draw = legal_draw();
  CHECK(try_draw(&draw) == TH_OK);
  struct th_draw changed = draw;
  changed.block.last = 9;
  CHECK(try_block(&changed, one_piece[0], changed.block) == TH_EBUDGET);
  changed = draw;
  changed.support = more;
  changed.support_size = 4;
  CHECK(try_support(&changed, one_piece[0], 15) == TH_EBUDGET);
  changed = draw;
  changed.rows.items = all;
  CHECK(try_block(&changed, (struct th_rows){0, 8}, inside) == TH_EBUDGET);
  changed = draw; /* a plain copy is the same draw */
  CHECK(try_block(&changed, one_piece[0], inside) == TH_OK);
  th_source_free(source);
}

/* Only what was granted is announced, and only what is handed over counts as
 * observed: the block, and of the support what lies outside of it. */
static void test_announcements(void)
{
  static const struct th_store_ops plain_ops = {.slab = fake_slab,
                                                .targets = fake_targets,
                                                .statistics = fake_statistics};
  struct th_error err = {0};
  struct th_slab slab;
  open_source();
  struct th_draw draw = legal_draw();
  th_source_announce_block(source, &draw, draw.block);
  th_source_announce_support(source, &draw, 7);
  CHECK(fake.announced == 0); /* no grant */
  CHECK(try_draw(&draw) == TH_OK);
  th_source_announce_block(source, &draw, (struct th_range){3, 8});
  th_source_announce_block(source, &draw, (struct th_range){4, 9});
  th_source_announce_support(source, &draw, 12);
  CHECK(fake.announced == 0); /* outside */
  th_source_announce_block(source, &draw, (struct th_range){5, 8});
  CHECK(fake.announced == 15);
  th_source_announce_support(source, &draw, 7);
  CHECK(fake.announced == 15 + 1000 + 5);
  th_source_forget(source);
  CHECK(fake.forgotten == 1);
  CHECK(th_source_block(source, &draw, one_piece[0], (struct th_range){5, 8},
                        &slab, &err) == TH_OK);
  CHECK(fake.store.blocks.observed == 5 * 3 * 8);
  CHECK(th_source_support(source, &draw, one_piece[0], 7, &slab, &err) ==
        TH_OK);
  CHECK(fake.store.support.observed == 0); /* the block has it */
  CHECK(th_source_support(source, &draw, one_piece[0], 11, &slab, &err) ==
        TH_OK);
  CHECK(fake.store.support.observed == 5 * 8);
  fake.store.ops = &plain_ops; /* nothing to prepare */
  th_source_announce_block(source, &draw, draw.block);
  th_source_forget(source);
  th_source_free(source);
}

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
  CHECK(try_draw(&draw) == TH_OK);
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
  CHECK(try_block(&draw, one_piece[0], (struct th_range){3, 4}) == TH_EBUDGET);
  CHECK(try_support(&draw, one_piece[0], 3) == TH_EBUDGET);
  CHECK(th_source_activate(source, &comm, list, 3, &err) == TH_OK);
  CHECK(try_active(&draw, one_piece[0], 0, &slab) == TH_EBUDGET);
  draw.block = (struct th_range){0, 2}; /* not both at once */
  CHECK(try_draw(&draw) == TH_EARG);
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
  CHECK(th_source_create(&source, &fake.store, D, &err) == TH_OK);
  struct th_draw draw = {.rows = {.items = one_piece, .count = 1},
                         .active = true};
  CHECK(th_source_activate(source, &comm, list, 11, &err) == TH_OK);
  CHECK(try_draw(&draw) == TH_OK);
  CHECK(try_active(&draw, one_piece[0], 1, &slab) == TH_OK);
  CHECK(slab.attributes.first == 4 && slab.attributes.last == 14);
  CHECK(!fake.kept);
  CHECK(try_active(&draw, one_piece[0], 0, &slab) == TH_OK);
  CHECK(slab.attributes.first == 2 && slab.attributes.last == 3);
  CHECK(fake.kept);
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
  CHECK(th_source_activate(source, &comm, many, BUDGET + 1, &err) == TH_OK);
  CHECK(try_draw(&draw) == TH_EBUDGET);
  CHECK(th_source_activate(source, &comm, many, BUDGET, &err) == TH_OK);
  CHECK(try_draw(&draw) == TH_OK);
  th_source_free(source);
}

int main(void)
{
  test_active();
  test_active_together();
  test_active_budget();
  test_ledger();
  test_greedy();
  test_crooked_draws();
  test_reads();
  test_reads_outside();
  test_changed_after_grant();
  test_announcements();
  return check_finish(NULL);
}
