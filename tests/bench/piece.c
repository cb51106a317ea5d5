/* piece.c - what it costs to look through the sparse pieces that are read
 *
 * piece DATASET.h5: every piece of it is read, hashed, looked through
 * (th_shard_read_piece_check) and given to the gradient kernel, each the best
 * of REPEATS turns; prints nanoseconds per entry as JSON. Starts alone: what
 * was done with the counts before anything was looked at.
 * SPDX-License-Identifier: MIT */
#include "io/dataset/fingerprint.h"
#include "io/dataset/residency/dataset.h"
#include "io/dataset/residency/dataset_store.h"
#include "io/dataset/shard_read.h"
#include "math/kernels/kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 7 };

struct turn {
  double read; /* seconds: all of th_shard_read_piece */
  double hash;
  double settle;
  double starts;
  double kernel;
};

struct bench {
  struct th_shard *shard;
  struct th_piece piece;
  void *room;
  uint16_t *count;  /* kept aside: starts take their place */
  uint32_t *start;  /* the same */
  double *residual; /* by row in group */
  float *residual32;
  double *centre;
  double *grad;
  volatile double sink;
};

static void give_up(const char *why)
{
  fprintf(stderr, "piece: %s\n", why);
  exit(1);
}

static void *room_of(int64_t items, size_t size)
{
  void *room = calloc((size_t)items + 8, size);
  if (room == NULL)
    give_up("no memory");
  return room;
}

/* Counts from starts, and where they lie when a piece has been read. */
static uint16_t *lay_out_counts(struct bench *b)
{
  int64_t runs = b->piece.runs;
  uint16_t *place = (uint16_t *)(void *)(b->start + runs + 1) - runs;
  memcpy(place, b->count, (size_t)runs * sizeof *place);
  return place;
}

static double time_settle(struct bench *b, int64_t base, int64_t rows)
{
  struct th_piece piece = b->piece;
  piece.start = b->start;
  const uint16_t *count = lay_out_counts(b);
  double began = th_comm_clock();
  bool good = th_shard_read_piece_check(&piece, count, base, rows);
  double seconds = th_comm_clock() - began;
  if (!good || memcmp(piece.start, b->piece.start,
                      (size_t)(piece.runs + 1) * sizeof *piece.start) != 0)
    give_up("a piece is refused");
  return seconds;
}

static double time_starts(struct bench *b)
{
  const char *next = (const char *)lay_out_counts(b);
  uint32_t sum = 0;
  double began = th_comm_clock();
  for (int64_t k = 0; k < b->piece.runs; k++) {
    uint16_t here;
    memcpy(&here, next + 2 * k, sizeof here);
    b->start[k] = sum;
    sum += here;
  }
  b->start[b->piece.runs] = sum;
  double seconds = th_comm_clock() - began;
  b->sink += sum;
  return seconds;
}

static double time_hash(struct bench *b, size_t size)
{
  struct th_shard_piece_parts parts = {.runs = b->piece.runs,
                                       .entries = b->piece.entries,
                                       .attribute = b->piece.attribute,
                                       .count = b->count,
                                       .row = b->piece.row,
                                       .values = b->piece.values,
                                       .value_size = size};
  double began = th_comm_clock();
  uint64_t hash = th_fingerprint_piece(&parts);
  double seconds = th_comm_clock() - began;
  b->sink += (double)(hash & 1);
  return seconds;
}

static double time_kernel(struct bench *b, enum th_type type, int64_t rows)
{
  struct th_row_weights m = {.residual = b->residual,
                             .residual32 = b->residual32,
                             .weight = b->residual,
                             .weight32 = b->residual32};
  struct th_slab slab = {.layout = TH_SPARSE,
                         .type = type,
                         .attributes = b->piece.attributes,
                         .rows = (int32_t)rows,
                         .values = b->piece.values,
                         .runs = b->piece.runs,
                         .base = b->shard->row->range.first,
                         .attribute = b->piece.attribute,
                         .start = b->piece.start,
                         .row_in_group = b->piece.row};
  double began = th_comm_clock();
  th_kernel_gradient(&slab, &m, b->centre, b->grad);
  double seconds = th_comm_clock() - began;
  b->sink += b->grad[0];
  return seconds;
}

static void least(struct turn *best, const struct turn *turn)
{
  best->read = fmin(best->read, turn->read);
  best->hash = fmin(best->hash, turn->hash);
  best->settle = fmin(best->settle, turn->settle);
  best->starts = fmin(best->starts, turn->starts);
  best->kernel = fmin(best->kernel, turn->kernel);
}

static void prepare(struct bench *b, const struct th_row_groups *g)
{
  struct th_piece *p = &b->piece;
  int64_t width = p->attributes.last - p->attributes.first;
  b->count = room_of(p->runs, sizeof *b->count);
  b->start = room_of(p->runs + 1, sizeof *b->start);
  b->centre = room_of(width, sizeof *b->centre);
  b->grad = room_of(width, sizeof *b->grad);
  b->residual = room_of(g->shape.row_group, sizeof *b->residual);
  b->residual32 = room_of(g->shape.row_group, sizeof *b->residual32);
  for (int64_t i = 0; i < g->shape.row_group; i++) {
    b->residual[i] = 0.01 * (double)i - 1;
    b->residual32[i] = (float)b->residual[i];
  }
}

static void release(struct bench *b)
{
  free(b->room);
  free(b->count);
  free(b->start);
  free(b->centre);
  free(b->grad);
  free(b->residual);
  free(b->residual32);
}

static void measure(struct th_shard *shard, int64_t unit, int64_t group,
                    struct turn *all, int64_t *runs, int64_t *entries)
{
  const struct th_row_groups *g = shard->row_groups;
  int64_t rows = th_row_groups_group(g, group).count;
  struct bench b = {.shard = shard};
  struct turn best = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
  struct th_error err = {0};
  b.room = room_of(th_shard_read_piece_size(shard, unit, group, &b.piece), 1);
  if (b.piece.entries == 0) {
    free(b.room);
    return;
  }
  prepare(&b, g);
  for (int k = 0; k < REPEATS; k++) {
    struct turn turn;
    double began = th_comm_clock();
    if (th_shard_read_piece(shard, unit, group, &b.piece, b.room, &err) !=
        TH_OK)
      give_up(err.text);
    turn.read = th_comm_clock() - began;
    for (int64_t r = 0; r < b.piece.runs; r++)
      b.count[r] = (uint16_t)(b.piece.start[r + 1] - b.piece.start[r]);
    turn.hash = time_hash(&b, th_type_size(g->shape.type));
    turn.settle = time_settle(&b, shard->row->range.first, rows);
    turn.starts = time_starts(&b);
    turn.kernel = time_kernel(&b, g->shape.type, rows);
    least(&best, &turn);
  }
  all->read += best.read;
  all->hash += best.hash;
  all->settle += best.settle;
  all->starts += best.starts;
  all->kernel += best.kernel;
  *runs += b.piece.runs;
  *entries += b.piece.entries;
  release(&b);
}

int main(int argc, char **argv)
{
  struct th_comm comm;
  struct th_dataset *d = NULL;
  struct th_error err;
  struct turn all = {0};
  int64_t runs = 0;
  int64_t entries = 0;
  th_comm_self(&comm);
  th_error_clear(&err);
  if (argc != 2)
    give_up("DATASET.h5 is wanted");
  if (th_dataset_open(&d, &comm, argv[1], 0, &err) != TH_OK)
    give_up(err.text);
  for (int64_t k = 0; k < d->info.shards; k++) {
    struct th_shard *shard = &d->residency.shard[k];
    struct th_parts *parts = &shard->parts;
    struct th_range range = shard->row->range;
    if (th_shard_open(shard, &err) != TH_OK)
      give_up(err.text);
    for (int64_t g = 0; g < d->info.row_groups.groups; g++)
      for (int64_t a = range.first, unit = 0; a < range.last;
           a = parts->bundle[unit].attributes.last) {
        if (th_parts_find(parts, range, a, &unit, &err) != TH_OK)
          give_up(err.text);
        measure(shard, unit, g, &all, &runs, &entries);
      }
  }
  double per = 1e9 / (double)entries;
  printf("{\"entries\": %lld, \"entries_per_run\": %.3f, \"read_ns\": %.4f, "
         "\"hash_ns\": %.4f, \"settle_ns\": %.4f, \"starts_ns\": %.4f, "
         "\"kernel_ns\": %.4f}\n",
         (long long)entries, (double)entries / (double)runs, per * all.read,
         per * all.hash, per * all.settle, per * all.starts, per * all.kernel);
  th_dataset_close(d);
  return 0;
}
