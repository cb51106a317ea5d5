/* bench_scalar.c - time of a scalar exp after each library that may use wide
 * vectors
 *
 * All figures but the last should be equal: see base/processor.h. The last
 * one shows the cost of a library that leaves the upper halves of the vector
 * registers in use.
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "base/processor.h"
#include "cli/bench/bench.h"
#include "io/files/hash.h"
#include "math/linalg.h"

#include <math.h>

enum { CALLS = 20000, ORDER = 160, BYTES = 1 << 20 };

struct room {
  char *bytes;
  double *matrix; /* ORDER x ORDER */
  double *inverse;
  volatile double sink; /* nothing must be optimised away */
};

static void nothing(struct room *room)
{
  (void)room;
}

static void hash(struct room *room)
{
  room->sink += (double)(th_hash(room->bytes, BYTES) & 1);
}

/* Diagonally dominant. */
static void solve_sample(struct room *room)
{
  struct th_error ignored = {0};
  double b[ORDER] = {1};
  double x[ORDER];
  bool kept[ORDER];
  for (int k = 0; k < ORDER * ORDER; k++)
    room->matrix[k] = k % (ORDER + 1) == 0 ? 2 * ORDER : 1;
  if (th_linalg_solve(&(struct th_linalg_system){ORDER, room->matrix, b, 1e-12},
                      x, room->inverse, kept, &ignored) == TH_OK)
    room->sink += x[0];
}

static void spoil(struct room *room)
{
  (void)room;
  th_processor_spoil_upper();
}

struct scalar_row {
  const char *key;
  const char *what;
  void (*call)(struct room *room);
};

static const struct scalar_row scalars[] = {
    {"exp_ns", "scalar exp", nothing},
    {"exp_after_hash_ns", "the same behind a checksum of 1 MiB", hash},
    {"exp_after_solve_ns", "the same behind a solve", solve_sample},
    {"exp_spoiled_ns", "the same with upper halves of vectors in use", spoil},
};

static double nanoseconds_of_exp(struct room *room)
{
  double began = th_comm_clock();
  for (int k = 0; k < CALLS; k++)
    room->sink += exp(-1e-4 * k);
  return (th_comm_clock() - began) / CALLS * 1e9;
}

static void time_scalar(struct th_bench *bench, struct room *room,
                        const struct scalar_row *row)
{
  double each[TH_BENCH_REPEATS];
  for (int k = 0; k < TH_BENCH_REPEATS; k++) {
    row->call(room);
    each[k] = nanoseconds_of_exp(room);
    th_processor_clear_upper();
  }
  th_bench_report(bench, (struct th_figure){
                             row->key, "ns", row->what,
                             th_bench_median(bench, each, TH_BENCH_REPEATS)});
}

th_status th_bench_scalar(struct th_bench *bench, struct th_error *err)
{
  struct room room = {0};
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&room.bytes, BYTES, "bytes to hash", err));
  TH_TRY(TH_NEW(&room.matrix, ORDER * ORDER, "a matrix", err));
  TH_TRY(TH_NEW(&room.inverse, ORDER * ORDER, "its inverse", err));
done:
  rc = th_agree(bench->comm, rc, err);
  for (size_t k = 0; rc == TH_OK && k < sizeof scalars / sizeof *scalars; k++)
    time_scalar(bench, &room, &scalars[k]);
  TH_FREE(room.bytes, room.matrix, room.inverse);
  return rc;
}
