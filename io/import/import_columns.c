/* import_columns.c - formats whose attributes come whole: examples take their
 * places in row groups, tile by tile of attributes
 * SPDX-License-Identifier: MIT */
#include "io/import/import_job.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/printable.h"
#include "io/dataset/fingerprint.h"
#include "io/dataset/writer/writer.h"
#include "io/import/genotypes/calls.h"
#include "ranks/partition.h"
#include "ranks/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Which example is stored where ---------------------------------------- */

static th_status reserve_listed(struct th_import_rows *own, int64_t count,
                                struct th_error *err)
{
  const char *what = "targets";
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&own->target, count, what, err));
  TH_TRY(TH_NEW(&own->weight, count, what, err));
  TH_TRY(TH_NEW(&own->key, count, what, err));
  TH_TRY(TH_NEW(&own->stored, count, what, err));
  TH_TRY(TH_NEW(&own->number, count, what, err));
  own->count = count;
  own->capacity = count;
done:
  return rc;
}

/* The stored row of the next example, k, after so many that count and that have
 * weight 0. */
static int64_t stored_listed(const struct th_importing *im, int64_t k,
                             int64_t seen[2])
{
  const double *weight = im->listed.weight;
  return weight != NULL && weight[k] == 0
             ? th_row_assignment_weightless(&im->assignment, seen[1]++)
             : th_row_assignment_row(&im->assignment, seen[0]++);
}

/* All examples are rank 0's. */
static th_status take_rows(struct th_importing *im, struct th_error *err)
{
  const struct th_import_listed *listed = &im->listed;
  struct th_import_rows *own = &im->own;
  int64_t seen[2] = {0};
  th_status rc = th_import_parse_assign(im, err);
  if (rc == TH_OK && im->comm->rank == 0)
    rc = reserve_listed(own, listed->examples, err);
  for (int64_t k = 0; rc == TH_OK && k < own->count; k++) {
    own->target[k] = listed->target[k];
    own->weight[k] = listed->weight != NULL ? listed->weight[k] : 1;
    own->number[k] = listed->number[k];
    own->stored[k] = stored_listed(im, k, seen);
  }
  return rc;
}

/* All ranks have seen the same. Collective. */
static th_status compare_prints(const struct th_importing *im,
                                struct th_error *err)
{
  int64_t bounds[2] = {im->listed.print, -im->listed.print};
  im->comm->ops->max_i64(im->comm, bounds, 2);
  if (bounds[0] == -bounds[1])
    return TH_OK;
  return th_fail(err, TH_EIO,
                 "%s: what lies beside it is not the same on all ranks; let "
                 "all of them see the same files",
                 im->file[0].name);
}

/* --- What is missing of each attribute, before any is written --------------
 */

static const uint64_t low_bits = UINT64_C(0x5555555555555555);

/* Attributes of this rank, some at a time, by threads. Bits 2 p of a list of
 * words: the example in place p is one of these. */
struct tally {
  struct th_importing *im;
  struct th_range range;
  int64_t step;    /* attributes at a time */
  int64_t stride;  /* bytes of a run */
  int64_t words;   /* of places, 32 each */
  uint64_t *all;   /* examples */
  uint64_t *train; /* those for training */
  int rooms;
  char **room;      /* of each place of the relay: for runs; */
  int64_t *missing; /* values that were missing there */
};

/* How many of some examples lack the value in a run. */
static int64_t count_in_run(const struct tally *tally, const char *run,
                            const uint64_t *some)
{
  const enum th_type type = tally->im->type;
  const double aside = th_type_missing(type);
  int64_t count = 0;
  uint64_t word;
  for (int64_t w = 0; w < tally->words; w++) {
    if (type == TH_U2) {
      memcpy(&word, run + w * (int64_t)sizeof word, sizeof word);
      count += __builtin_popcountll(word & word >> 1 & some[w] & low_bits);
      continue;
    }
    for (int64_t k = 0; k < TH_CALLS_TOGETHER; k++) {
      double value = th_type_load(type, run, w * TH_CALLS_TOGETHER + k);
      bool missing = value == aside || isnan(value);
      count += missing && (some[w] >> (2 * k) & 1) != 0;
    }
  }
  return count;
}

static th_status tally_tile(void *self, int64_t piece, int place,
                            struct th_error *err)
{
  struct tally *tally = self;
  struct th_importing *im = tally->im;
  int64_t first = tally->range.first + piece * tally->step;
  struct th_range some = th_range_intersect(
      tally->range, (struct th_range){first, first + tally->step});
  char *runs = tally->room[place];
  th_status rc =
      im->format->importer->columns(im, some, runs, tally->stride, err);
  for (int64_t a = some.first; rc == TH_OK && a < some.last; a++) {
    const char *run = runs + (a - some.first) * tally->stride;
    int64_t missing = count_in_run(tally, run, tally->all);
    if (missing == 0)
      continue;
    tally->missing[place] += missing;
    im->text.lacking.count[a] = count_in_run(tally, run, tally->train);
    if (im->text.missing.refused)
      rc = th_fail(err, TH_EDATA,
                   "%s: '%.60s' has %lld missing values, and {missing} says "
                   "that none may be; leave the option out",
                   im->file[0].name, im->names[a], (long long)missing);
  }
  return rc;
}

static th_status tallied(void *self, int64_t piece, int place,
                         struct th_error *err)
{
  (void)self;
  (void)piece;
  (void)place;
  (void)err;
  return TH_OK;
}

static th_status begin_tally(struct tally *tally, int rooms,
                             struct th_error *err)
{
  const struct th_importing *im = tally->im;
  const char *what = "counts of missing values";
  int64_t seen[2] = {0};
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&tally->all, tally->words, what, err));
  TH_TRY(TH_NEW(&tally->train, tally->words, what, err));
  TH_TRY(TH_NEW(&tally->missing, rooms, what, err));
  TH_TRY(TH_NEW(&tally->room, rooms, what, err));
  for (; tally->rooms < rooms; tally->rooms++)
    TH_TRY(TH_NEW(&tally->room[tally->rooms], tally->step * tally->stride, what,
                  err));
  for (int64_t k = 0; k < im->listed.examples; k++) {
    int64_t place = im->listed.place[k];
    uint64_t bit = UINT64_C(1) << (2 * (place % TH_CALLS_TOGETHER));
    tally->all[place / TH_CALLS_TOGETHER] |= bit;
    if (stored_listed(im, k, seen) < im->assignment.training)
      tally->train[place / TH_CALLS_TOGETHER] |= bit;
  }
done:
  return rc;
}

static void tally_free(struct tally *tally)
{
  TH_FREE_LIST(tally->room, tally->rooms);
  TH_FREE(tally->all, tally->train, tally->missing);
}

/* Collective. */
static th_status count_lacking(struct th_importing *im, struct th_error *err)
{
  enum { ROOM = 4 << 20 }; /* bytes of runs at a time */
  struct th_lacking *lacking = &im->text.lacking;
  struct tally tally = {.im = im,
                        .range = th_partition_rank(
                            im->attributes, im->comm->rank, im->comm->size)};
  struct th_relay relay = {
      .make = tally_tile, .use = tallied, .self = &tally, .places = 1};
  tally.words = im->listed.places / TH_CALLS_TOGETHER;
  tally.stride = (int64_t)th_type_bytes(im->type, im->listed.places);
  tally.step = th_max_i64(1, ROOM / tally.stride);
  relay.count = th_integer_ceil_divide(th_range_count(tally.range), tally.step);
  int threads = th_team_size(
      im->job->threads, 1 + im->attributes / tally.step / im->comm->size,
      im->limits.memory / 2 / (tally.step * tally.stride));
  relay.places = threads > 1 ? threads + 1 : 1;
  th_status rc = th_lacking_begin(lacking, im->attributes, err);
  if (rc == TH_OK)
    rc = begin_tally(&tally, relay.places, err);
  TH_TRY(th_agree(im->comm, rc, err));
  TH_TRY(th_team_relay_run(&relay, im->comm, threads, err));
  for (int k = 0; k < relay.places; k++)
    lacking->values += tally.missing[k];
  rc = th_lacking_share(lacking, im->attributes, im->comm, err);
done:
  tally_free(&tally);
  return rc;
}

th_status th_import_columns_place(struct th_importing *im, struct th_error *err)
{
  th_status rc = compare_prints(im, err);
  if (rc != TH_OK)
    return rc;
  im->assignment.examples = im->listed.examples;
  im->assignment.main = im->listed.main;
  for (int64_t k = 0; im->listed.weight != NULL && k < im->listed.examples; k++)
    im->assignment.weightless += im->listed.weight[k] == 0;
  TH_TRY(th_agree(im->comm, take_rows(im, err), err));
  rc = count_lacking(im, err);
done:
  return rc;
}

/* --- Tiles ---------------------------------------------------------------- */

enum { NOBODY_WORDS = TH_CALLS_TOGETHER };

/* Attributes that are written together. */
struct tile {
  int64_t shard;
  struct th_range range;
};

/* Where a tile is made, by one thread at a time. */
struct workshop {
  char *runs;     /* in input order, as the format gives them */
  char *moved;    /* as stored: row group g from g R on */
  uint64_t *word; /* u2: of 32 attributes of an example, in input order */
  uint64_t *key;  /* of the example in each place, summed over attributes */
};

struct turning {
  struct th_importing *im;
  struct th_writer *writer;
  int64_t tiles;
  struct tile *tile;
  int64_t places;      /* of the input */
  int64_t width;       /* of what is stored: row groups, all of full length */
  int64_t from_bytes;  /* of a run of the one, */
  int64_t width_bytes; /* and of the other */
  uint32_t *from; /* the place of what is stored where; `places`: of nobody */
  int shops;
  struct workshop *shop;
  int64_t told;
};

/* u2: 32 attributes at once. Words of examples are put in order, each is that
 * of an example or none's. */
static void move_calls(const struct turning *turning, struct workshop *shop,
                       int64_t attribute, int64_t first, int count)
{
  const unsigned char *runs =
      (const unsigned char *)shop->runs + first * turning->from_bytes;
  unsigned char *moved =
      (unsigned char *)shop->moved + first * turning->width_bytes;
  for (int64_t p = 0; p < turning->places; p += TH_CALLS_TOGETHER)
    th_calls_to_words(runs, turning->from_bytes, count, p, shop->word + p);
  th_fingerprint_words(attribute, shop->word, turning->places, shop->key);
  for (int64_t w = 0; w < turning->width; w += TH_CALLS_TOGETHER) {
    uint64_t word[TH_CALLS_TOGETHER];
    for (int k = 0; k < TH_CALLS_TOGETHER; k++)
      word[k] = shop->word[turning->from[w + k]];
    th_calls_from_words(word, moved, turning->width_bytes, count, w);
  }
}

/* Values of whole bytes: one attribute. */
static void move_values(const struct turning *turning, struct workshop *shop,
                        int64_t attribute, int64_t first)
{
  const size_t size = th_type_size(turning->im->type);
  const char *run = shop->runs + first * turning->from_bytes;
  char *moved = shop->moved + first * turning->width_bytes;
  for (int64_t p = 0; p < turning->places; p++)
    shop->key[p] += th_fingerprint_example(attribute, NULL,
                                           run + (size_t)p * size, size, 1);
  for (int64_t w = 0; w < turning->width; w++)
    if (turning->from[w] < turning->places)
      memcpy(moved + (size_t)w * size, run + turning->from[w] * size, size);
}

static th_status turn_tile(void *self, int64_t piece, int place,
                           struct th_error *err)
{
  struct turning *turning = self;
  const struct th_importing *im = turning->im;
  struct workshop *shop = &turning->shop[place];
  struct th_range range = turning->tile[piece].range;
  int64_t count = th_range_count(range);
  th_status rc = im->format->importer->columns(im, range, shop->runs,
                                               turning->from_bytes, err);
  if (rc == TH_OK && im->before.old.on)
    rc = th_import_append_runs(im, range, shop->runs, turning->from_bytes, err);
  if (rc != TH_OK)
    return rc;
  if (th_type_packed(im->type) == 1)
    for (int64_t a = 0; a < count; a++)
      move_values(turning, shop, range.first + a, a);
  else
    for (int64_t a = 0; a < count; a += TH_CALLS_TOGETHER)
      move_calls(turning, shop, range.first + a, a,
                 (int)th_min_i64(count - a, TH_CALLS_TOGETHER));
  return rc;
}

static th_status store_tile(void *self, int64_t piece, int place,
                            struct th_error *err)
{
  struct turning *turning = self;
  const struct th_importing *im = turning->im;
  const struct tile *tile = &turning->tile[piece];
  const char *values = turning->shop[place].moved;
  int64_t rows = im->assignment.row_group;
  th_status rc = TH_OK;
  th_import_tell(im, TH_IMPORT_WRITES, piece, turning->tiles);
  for (int64_t g = 0; rc == TH_OK && g < im->assignment.groups; g++)
    rc = th_writer_dense(turning->writer, tile->shard, g, tile->range,
                         values + th_type_offset(im->type, g * rows),
                         turning->width, err);
  return rc;
}

/* --- The work of a rank --------------------------------------------------- */

/* Tiles of this rank's shards, in order. */
static th_status list_tiles(struct turning *turning, struct th_error *err)
{
  const struct th_writer *writer = turning->writer;
  int64_t chunk = th_writer_chunk(writer);
  int64_t shards = th_writer_shards(writer);
  int64_t count = 0;
  for (int64_t s = 0; s < shards; s++)
    if (th_writer_owns(writer, s))
      count += th_integer_ceil_divide(th_range_count(th_writer_mine(writer, s)),
                                      chunk);
  th_status rc = TH_NEW(&turning->tile, count, "the list of tiles", err);
  for (int64_t s = 0; rc == TH_OK && s < shards; s++) {
    struct th_range all = th_writer_mine(writer, s);
    for (int64_t a = all.first; th_writer_owns(writer, s) && a < all.last;
         a += chunk)
      turning->tile[turning->tiles++] = (struct tile){
          s, th_range_intersect(all, (struct th_range){a, a + chunk})};
  }
  return rc;
}

/* Row group g begins at place g R of a stored run, however many rows it has. */
static int64_t stored_place(const struct th_importing *im, int64_t stored)
{
  const struct th_row_assignment *assignment = &im->assignment;
  int64_t groups =
      th_integer_ceil_divide(assignment->training, assignment->row_group);
  return stored < assignment->training
             ? stored
             : groups * assignment->row_group + stored - assignment->training;
}

static th_status list_sources(struct turning *turning, struct th_error *err)
{
  const struct th_importing *im = turning->im;
  if (turning->places >= UINT32_MAX)
    return th_fail(err, TH_EDATA, "%s: too many examples; import parts",
                   im->file[0].name);
  int64_t seen[2] = {0};
  th_status rc = TH_NEW(&turning->from, turning->width, "examples", err);
  for (int64_t w = 0; rc == TH_OK && w < turning->width; w++)
    turning->from[w] = (uint32_t)turning->places;
  for (int64_t k = 0; rc == TH_OK && k < im->listed.examples; k++)
    turning->from[stored_place(im, stored_listed(im, k, seen))] =
        (uint32_t)im->listed.place[k];
  return rc;
}

/* Bytes of a workshop. */
static int64_t shop_bytes(const struct turning *turning)
{
  int64_t chunk = th_writer_chunk(turning->writer);
  return chunk * (turning->from_bytes + turning->width_bytes) +
         16 * (turning->places + NOBODY_WORDS);
}

static th_status check_turning_memory(const struct turning *turning,
                                      struct th_error *err)
{
  const struct th_importing *im = turning->im;
  char sizes[2][TH_SIZE_TEXT];
  int64_t needed = shop_bytes(turning);
  if (needed <= im->limits.memory)
    return TH_OK;
  th_printable_size(needed, sizes[0]);
  th_printable_size(im->limits.memory, sizes[1]);
  return th_fail(err, TH_EDATA,
                 "%s: to put %lld examples into their order takes %s on a "
                 "rank, and {memory} leaves %s; raise it",
                 im->file[0].name, (long long)im->listed.examples, sizes[0],
                 sizes[1]);
}

static th_status reserve_shops(struct turning *turning, struct th_error *err)
{
  int64_t chunk = th_writer_chunk(turning->writer);
  const char *what = "values to be written";
  th_status rc = TH_NEW(&turning->shop, turning->shops, what, err);
  for (int k = 0; rc == TH_OK && k < turning->shops; k++) {
    struct workshop *shop = &turning->shop[k];
    TH_TRY(TH_NEW(&shop->runs, chunk * turning->from_bytes + TH_CALLS_BEHIND,
                  what, err));
    TH_TRY(TH_NEW(&shop->moved, chunk * turning->width_bytes, what, err));
    TH_TRY(TH_NEW(&shop->word, turning->places + NOBODY_WORDS, what, err));
    TH_TRY(TH_NEW(&shop->key, turning->places, what, err));
  }
done:
  return rc;
}

static void turning_free(struct turning *turning)
{
  for (int k = 0; turning->shop != NULL && k < turning->shops; k++)
    TH_FREE(turning->shop[k].runs, turning->shop[k].moved,
            turning->shop[k].word, turning->shop[k].key);
  TH_FREE(turning->tile, turning->from, turning->shop);
}

/* Threads that there is work and room for; replicated. A data set is read by
 * one. */
static int turners(const struct turning *turning)
{
  const struct th_importing *im = turning->im;
  if (im->before.old.on)
    return 1;
  int64_t tiles = im->attributes / th_writer_chunk(turning->writer);
  return th_team_size(im->job->threads, 1 + tiles / im->comm->size,
                      im->limits.memory / 2 / shop_bytes(turning));
}

static th_status begin_turning(struct turning *turning, struct th_error *err)
{
  struct th_importing *im = turning->im;
  th_status rc = TH_OK;
  turning->places = im->listed.places;
  turning->width = im->assignment.groups * im->assignment.row_group;
  turning->width = th_integer_ceil_divide(turning->width, TH_CALLS_TOGETHER) *
                   TH_CALLS_TOGETHER;
  turning->from_bytes = (int64_t)th_type_bytes(im->type, turning->places);
  turning->width_bytes = (int64_t)th_type_bytes(im->type, turning->width);
  TH_TRY(check_turning_memory(turning, err));
  TH_TRY(list_tiles(turning, err));
  TH_TRY(list_sources(turning, err));
done:
  return rc;
}

/* The sums of all workshops of all ranks; of keys by halves, which do not
 * overflow. Collective. */
static th_status gather_sums(struct turning *turning, struct th_error *err)
{
  struct th_importing *im = turning->im;
  int64_t places = turning->places;
  int64_t *half = NULL;
  th_status rc = TH_NEW(&half, 2 * places, "equal examples", err);
  TH_TRY(th_agree(im->comm, rc, err));
  for (int k = 1; k < turning->shops; k++)
    for (int64_t p = 0; p < places; p++)
      turning->shop[0].key[p] += turning->shop[k].key[p];
  for (int64_t p = 0; p < places; p++) {
    half[2 * p] = (int64_t)(turning->shop[0].key[p] & UINT32_MAX);
    half[2 * p + 1] = (int64_t)(turning->shop[0].key[p] >> 32);
  }
  im->comm->ops->sum_i64(im->comm, half, 2 * (size_t)places);
  for (int64_t k = 0; k < im->own.count; k++) {
    const int64_t *sum = half + 2 * im->listed.place[k];
    im->own.key[k] = (uint64_t)sum[0] + ((uint64_t)sum[1] << 32);
  }
done:
  free(half);
  return rc;
}

th_status th_import_columns_write(struct th_importing *im,
                                  struct th_writer *writer,
                                  struct th_error *err)
{
  struct turning turning = {.im = im, .writer = writer};
  struct th_relay relay = {
      .make = turn_tile, .use = store_tile, .self = &turning};
  int threads = 1;
  th_status rc = begin_turning(&turning, err);
  if (rc == TH_OK) {
    threads = turners(&turning);
    turning.shops = threads > 1 ? threads + 1 : 1;
    rc = reserve_shops(&turning, err);
  }
  TH_TRY(th_agree(im->comm, rc, err));
  relay.count = turning.tiles;
  relay.places = turning.shops;
  TH_TRY(th_team_relay_run(&relay, im->comm, threads, err));
  rc = gather_sums(&turning, err);
done:
  turning_free(&turning);
  return rc;
}
