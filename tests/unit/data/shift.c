/* shift.c - sparse attributes whose mean is far from zero: which they are,
 * and what the source hands out
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "memory_store.h"

#include "data/shift.h"

#include <math.h>
#include <stdlib.h>

enum {
  EXAMPLES = 200,
  TRAINING = 150,
  ATTRIBUTES = 30,
  GROUP = 64,
  CUT = 7, /* attributes of a shard */
  KINDS = 3
};

/* Every third attribute is far from zero on all examples, the next one but on
 * few, and the others are nearly always zero. */
static float value_of(int64_t j, int64_t i)
{
  int64_t draw = (7 * j + 13 * i) % 31;
  if (j % KINDS == 0)
    return (float)(1000 + draw);
  if (j % KINDS == 1)
    return draw < 2 ? 0 : (float)(90 + draw % 4);
  return draw < 3 ? (float)(1 + draw) : 0;
}

static struct memory_store *new_store(enum th_type type)
{
  struct memory_store *m = memory_store_new(EXAMPLES, TRAINING, ATTRIBUTES);
  m->store.shape.layout = TH_SPARSE;
  m->store.shape.type = type;
  m->store.shape.row_group = GROUP;
  m->cut = CUT;
  for (int64_t j = 0; j < ATTRIBUTES; j++)
    for (int64_t i = 0; i < EXAMPLES; i++)
      m->values[j * EXAMPLES + i] = type == TH_U8 && j % KINDS == 0
                                        ? 200 + (float)((j + i) % 3)
                                        : value_of(j, i);
  memory_store_finish(m);
  return m;
}

static double stored(const struct memory_store *m, int64_t j, int64_t i)
{
  return (double)m->values[j * EXAMPLES + i];
}

/* A shift needs a mean that is far from zero, and a value that ever changes. */
static void test_which(void)
{
  struct th_statistics s = {.mean = -1e5, .deviation = 0.3};
  CHECK(th_shift_of(&s, TH_F64) == -1e5);
  s.mean = 1e6 + 0.01;
  CHECK(th_shift_of(&s, TH_F32) == (double)(float)s.mean);
  CHECK(th_shift_of(&s, TH_U8) == 1e6);
  s.deviation = 1e6; /* a mean of one deviation */
  CHECK(th_shift_of(&s, TH_F64) == s.mean);
  s.deviation = 1.2e6;
  CHECK(th_shift_of(&s, TH_F64) == 0);
  s.deviation = 0;
  CHECK(th_shift_of(&s, TH_F64) == 0);
}

/* A source over the store, with the shifts that its statistics ask for. */
static struct th_source *open_source(struct memory_store *m, int64_t *shifted)
{
  struct th_shift mine[ATTRIBUTES];
  struct th_source *source = NULL;
  struct th_error err = {0};
  struct th_comm comm;
  th_comm_self(&comm);
  *shifted = 0;
  for (int64_t j = 0; j < ATTRIBUTES; j++) {
    double shift = th_shift_of(&m->statistics[j], m->store.shape.type);
    if (shift != 0)
      mine[(*shifted)++] = (struct th_shift){j, shift};
  }
  CHECK(th_source_create(&source, &m->store, ATTRIBUTES, &err) == TH_OK);
  CHECK(th_source_shift(source, &comm, mine, *shifted, &err) == TH_OK);
  return source;
}

/* All values of a slab on rows that begin with `first`; entries of a run
 * ascend, and those of a shifted attribute are complete. */
static void check_slab(const struct memory_store *m, struct th_source *source,
                       const struct th_slab *slab, int64_t first)
{
  int64_t count = slab->attributes.last - slab->attributes.first;
  for (int64_t a = 0; a < count; a++) {
    int64_t j = th_slab_attribute(slab, a);
    double shift = th_source_shift_of(source, j);
    for (int64_t i = 0; i < slab->rows; i++)
      CHECK(th_slab_value(slab, slab->attributes.first + a, i) ==
            stored(m, j, first + i) - shift);
  }
  for (int64_t k = 0; k < slab->runs; k++) {
    struct th_range entries = th_slab_entries(slab, k);
    int64_t a = slab->base + slab->attribute[k] - slab->attributes.first;
    int64_t j = th_slab_attribute(slab, a);
    CHECK(a >= 0 && a < count);
    if (th_source_shift_of(source, j) != 0)
      CHECK(entries.last - entries.first == slab->rows);
    for (int64_t e = entries.first + 1; e < entries.last; e++)
      CHECK(slab->row_in_group[e - 1] < slab->row_in_group[e]);
  }
}

static void check_block(struct memory_store *m, struct th_source *source,
                        struct th_rows rows)
{
  static const int64_t support[] = {3, 4, 5};
  struct th_draw draw = {.rows = {.items = &rows, .count = 1},
                         .block = {2, ATTRIBUTES},
                         .support = support,
                         .support_size = 3};
  struct th_error err = {0};
  struct th_slab slab;
  CHECK(th_source_draw(source, &draw, &err) == TH_OK);
  for (int64_t j = draw.block.first; j < draw.block.last;) {
    struct th_range rest = {j, draw.block.last};
    CHECK(th_source_block(source, &draw, rows, rest, &slab, &err) == TH_OK);
    check_slab(m, source, &slab, rows.first);
    CHECK(slab.attributes.first == j);
    j = slab.attributes.last;
  }
  for (int k = 0; k < 3; k++) {
    CHECK(th_source_members(source, &draw, rows, (struct th_range){k, k + 1},
                            &slab, &err) == TH_OK);
    check_slab(m, source, &slab, rows.first);
  }
}

/* Of active attributes, those that were left out lie between the others. */
static void check_active(struct memory_store *m, struct th_source *source,
                         struct th_rows rows)
{
  static const int64_t list[] = {0, 1, 2, 6, 8, 9, 10, 20, 25, 29};
  struct th_draw draw = {.rows = {.items = &rows, .count = 1}, .active = true};
  struct th_error err = {0};
  struct th_slab slab;
  struct th_comm comm;
  th_comm_self(&comm);
  CHECK(th_source_activate(source, &comm, list, 10, &err) == TH_OK);
  CHECK(th_source_draw(source, &draw, &err) == TH_OK);
  for (int64_t place = 0; place < 10;) {
    CHECK(th_source_active(source, &draw, rows, place, &slab, &err) == TH_OK);
    check_slab(m, source, &slab, rows.first);
    CHECK(th_slab_attribute(&slab, 0) == list[place]);
    place += slab.attributes.last - slab.attributes.first;
  }
}

static void check_slots(struct memory_store *m, struct th_source *source)
{
  static const int32_t cell[] = {0, 0, 0};
  static const int64_t slot[] = {0, 1, 2};
  static const int64_t attribute[] = {3, 4, 5};
  struct th_rows row = {70, 1};
  struct th_draw draw = {
      .rows = {.items = &row, .count = 1}, .slots = 3, .cell = cell};
  struct th_slots slots = {3, slot, attribute};
  struct th_error err = {0};
  double value[3];
  CHECK(th_source_draw(source, &draw, &err) == TH_OK);
  CHECK(th_source_slots(source, &draw, &slots, value, &err) == TH_OK);
  for (int k = 0; k < 3; k++)
    CHECK(value[k] == stored(m, attribute[k], row.first) -
                          th_source_shift_of(source, attribute[k]));
}

static void check_statistics(struct memory_store *m, struct th_source *source)
{
  struct th_statistics found[ATTRIBUTES];
  struct th_error err = {0};
  CHECK(th_source_statistics(source, (struct th_range){4, 25}, found, &err) ==
        TH_OK);
  for (int64_t j = 4; j < 25; j++) {
    const struct th_statistics *s = &m->statistics[j];
    double shift = th_source_shift_of(source, j);
    CHECK(found[j - 4].mean == s->mean - shift);
    CHECK(found[j - 4].deviation == s->deviation);
    CHECK(found[j - 4].lowest == s->lowest - shift);
    CHECK(found[j - 4].highest == s->highest - shift);
    CHECK(fabs(found[j - 4].mean) < s->deviation);
  }
}

/* Whatever is asked of a source, it hands out x - shift, and counts the values
 * that are stored. */
static void test_source(void)
{
  static const enum th_type types[] = {TH_F32, TH_F64, TH_U8};
  static const struct th_rows rows[] = {{0, 64}, {64, 20}, {100, 28}, {149, 1}};
  for (int t = 0; t < 3; t++) {
    struct memory_store *m = new_store(types[t]);
    int64_t shifted;
    struct th_source *source = open_source(m, &shifted);
    CHECK(shifted == 2 * ATTRIBUTES / KINDS);
    CHECK(th_source_shift_of(source, 0) != 0);
    CHECK(th_source_shift_of(source, 1) != 0);
    CHECK(th_source_shift_of(source, 2) == 0);
    for (int r = 0; r < 4; r++) {
      check_block(m, source, rows[r]);
      check_active(m, source, rows[r]);
    }
    check_slots(m, source);
    check_statistics(m, source);
    th_source_free(source);
    memory_store_free(m);
  }
}

/* Entries that shifts add do not make a slab grow without a bound. */
static void test_cut(void)
{
  enum { MANY = 1000, ROWS = 1000 };
  struct th_shift *item = malloc(MANY * sizeof *item);
  static const uint32_t start[] = {0};
  struct th_shifts shifts = {.count = MANY, .item = item};
  struct th_slab slab = {.layout = TH_SPARSE,
                         .type = TH_F32,
                         .attributes = {0, MANY},
                         .rows = ROWS,
                         .start = start};
  struct th_error err = {0};
  CHECK(item != NULL);
  for (int64_t j = 0; j < MANY && item != NULL; j++)
    item[j] = (struct th_shift){j, 1 + (double)j};
  CHECK(th_shift_apply(&shifts, &slab, &err) == TH_OK);
  CHECK(slab.attributes.first == 0 && slab.attributes.last > 0);
  CHECK(slab.attributes.last < MANY / 4);
  CHECK(slab.runs == slab.attributes.last);
  CHECK(shifts.entries == slab.runs * ROWS);
  CHECK(th_slab_value(&slab, 5, ROWS - 1) == -6);
  th_shift_free(&shifts);
}

int main(void)
{
  CASE(test_which());
  CASE(test_source());
  CASE(test_cut());
  return check_finish(NULL);
}
