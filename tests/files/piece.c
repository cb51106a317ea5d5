/* piece.c - sparse pieces are taken and refused as a slow look says
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "io/dataset/shard_read.h"

#include <stdlib.h>
#include <string.h>

/* SKIPPED attributes of the shard come before the piece. */
enum { RUNS = 70000, ROOM = 300000, BASE = 512, SKIPPED = 5, ROWS = 1000 };

/* A piece and what its counts were. */
struct sample {
  struct th_piece piece;
  uint32_t attribute[RUNS];
  uint16_t count[RUNS];
  uint32_t start[RUNS + 1];
  uint16_t row[ROOM];
};

static uint64_t state = 7;

static uint64_t draw(uint64_t below)
{
  state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
  return (state >> 33) % below;
}

/* Runs of one to `most` entries. */
static void make(struct sample *s, int64_t runs, uint64_t most)
{
  int64_t entries = 0;
  uint32_t attribute = SKIPPED;
  for (int64_t k = 0; k < runs; k++) {
    uint64_t count = 1 + draw(most);
    uint64_t row = draw(8);
    attribute += 1 + (uint32_t)draw(3);
    s->attribute[k] = attribute - 1;
    s->count[k] = (uint16_t)count;
    for (uint64_t e = 0; e < count; e++, row += 1 + draw(ROWS / 8 / count))
      s->row[entries++] = (uint16_t)row;
  }
  s->piece = (struct th_piece){.runs = runs,
                               .entries = entries,
                               .attributes = {BASE + SKIPPED, BASE + attribute},
                               .attribute = s->attribute,
                               .start = s->start,
                               .row = s->row};
}

/* One entry after the other. */
static bool slow_look(const struct sample *s, int64_t rows)
{
  const struct th_piece *p = &s->piece;
  int64_t entry = 0;
  int64_t before = p->attributes.first - 1;
  for (int64_t k = 0; k < p->runs; k++) {
    int64_t attribute = BASE + (int64_t)s->attribute[k];
    int64_t count = s->count[k];
    if (count == 0 || count > p->entries - entry || attribute <= before ||
        attribute >= p->attributes.last)
      return false;
    for (int64_t e = entry; e < entry + count; e++)
      if (s->row[e] >= rows || (e > entry && s->row[e] <= s->row[e - 1]))
        return false;
    entry += count;
    before = attribute;
  }
  return entry == p->entries;
}

static bool settle(struct sample *s, int64_t rows)
{
  uint16_t *count =
      (uint16_t *)(void *)(s->start + s->piece.runs + 1) - s->piece.runs;
  memcpy(count, s->count, (size_t)s->piece.runs * sizeof *count);
  return th_shard_read_piece_check(&s->piece, count, BASE, rows);
}

static void check_starts(const struct sample *s)
{
  uint32_t sum = 0;
  bool good = s->start[0] == 0;
  for (int64_t k = 0; k < s->piece.runs; k++) {
    sum += s->count[k];
    good = good && s->start[k + 1] == sum;
  }
  CHECK(good);
}

/* Some item becomes another one. */
static void spoil(struct sample *s)
{
  static const uint32_t values[] = {0,          1,         ROWS - 1, ROWS,
                                    0x7fff,     0x8000,    0xffff,   0x10000,
                                    0x7fffffff, UINT32_MAX};
  struct th_piece *p = &s->piece;
  uint32_t value = values[draw(sizeof values / sizeof *values)];
  int64_t k = (int64_t)draw((uint64_t)p->runs);
  int64_t e = (int64_t)draw((uint64_t)p->entries);
  switch (draw(7)) {
  case 0:
    s->attribute[k] = value;
    break;
  case 1:
    s->count[k] = (uint16_t)value;
    break;
  case 2:
    s->row[e] = (uint16_t)value;
    break;
  case 3: /* like its neighbour */
    s->row[e] = s->row[e > 0 ? e - 1 : 0];
    break;
  case 4:
    s->attribute[k] = s->attribute[k > 0 ? k - 1 : 0];
    break;
  case 5: /* the sum stays */
    s->count[k]--;
    s->count[(k + 1) % p->runs]++;
    break;
  default:
    p->entries += draw(2) ? 1 : -1;
  }
}

static void compare(int64_t runs, uint64_t most, int times, int *refused)
{
  static struct sample sample;
  for (int k = 0; k < times; k++) {
    make(&sample, runs, most);
    CHECK(slow_look(&sample, ROWS) && settle(&sample, ROWS));
    check_starts(&sample);
    spoil(&sample);
    bool good = slow_look(&sample, ROWS);
    CHECK(settle(&sample, ROWS) == good);
    if (good)
      check_starts(&sample);
    *refused += !good;
  }
}

/* Counts that add up to the entries modulo 2^32 alone. */
static void test_wrap(void)
{
  static struct sample sample;
  make(&sample, RUNS - 1, 1);
  int64_t runs = sample.piece.runs;
  uint64_t sum = 0;
  for (int64_t k = 0; k < runs; k++)
    sum += sample.count[k] = 0xffff;
  CHECK(sum > UINT32_MAX);
  sample.piece.entries = (int64_t)(uint32_t)sum;
  CHECK(sample.piece.entries > 0 && !settle(&sample, ROWS));
}

static void test_none(void)
{
  static struct sample sample;
  sample.piece.start = sample.start;
  CHECK(settle(&sample, ROWS) && sample.start[0] == 0);
  sample.piece.entries = 1;
  CHECK(!settle(&sample, ROWS));
}

static void test_spoiled(void)
{
  int refused = 0;
  for (int64_t runs = 1; runs <= 40; runs++)
    compare(runs, 1 + (uint64_t)runs % 5, 100, &refused);
  compare(1, 100, 500, &refused);
  compare((1 << 14) - 1, 3, 20, &refused); /* around a strip */
  compare(1 << 14, 1, 20, &refused);
  compare((1 << 14) + 1, 4, 20, &refused);
  compare(RUNS - 1, 1, 10, &refused);
  fprintf(stderr, "%d spoiled pieces refused\n", refused);
  CHECK(refused > 2000);
}

int main(void)
{
  CASE(test_spoiled());
  CASE(test_wrap());
  CASE(test_none());
  return check_finish(NULL);
}
