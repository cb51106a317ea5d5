/* comm.h - the ranks of a job as a small table of collective operations, and
 * what they cost
 *
 * Every algorithm communicates through this table alone. mpi/ fills it with
 * MPI; th_comm_self fills it for one rank, so all algorithms also run, and are
 * tested, without MPI.
 *
 * What agrees on a status returns the code of the failing rank.
 * SPDX-License-Identifier: MIT */
#ifndef TH_COMM_H
#define TH_COMM_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct th_comm;
struct th_memory_use;
struct th_comm_ops;
struct th_spread_ops;

/* Memory that the ranks of a node share. */
struct th_shared {
  void *data;  /* the same memory for every rank of the node, aligned to 64
                  bytes; what it holds at first is not known */
  bool writer; /* this rank fills it: one rank on each node, or every rank if
                  nothing is shared */
  const struct th_comm_ops *ops;
  void *window; /* private to the implementation */
};

/* All collective. The operations return nothing: a broken transport is fatal.
 * Integer sums and maxima give the same bits for every number of ranks. */
struct th_comm_ops {
  void (*sum_i64)(struct th_comm *comm, int64_t *values, size_t count);
  /* Replace values by their sums over the lower ranks: 0 on rank 0. */
  void (*prefix_i64)(struct th_comm *comm, int64_t *values, size_t count);
  void (*max_i64)(struct th_comm *comm, int64_t *values, size_t count);
  void (*max_f64)(struct th_comm *comm, double *values, size_t count);
  void (*bcast)(struct th_comm *comm, void *data, size_t bytes, int root);
  /* One number from each rank to each: send[r] goes to rank r, receive[r] came
   * from it. */
  void (*alltoall_i64)(struct th_comm *comm, const int64_t *send,
                       int64_t *receive);
  /* All-to-all of bytes: the piece for rank r has send_bytes[r] bytes, and the
   * pieces lie one after the other. The received pieces lie in the same way.
   * Only ranks that have something for each other send messages. */
  void (*exchange)(struct th_comm *comm, const void *send,
                   const int64_t *send_bytes, void *receive,
                   const int64_t *receive_bytes);
  /* Give every rank's part of `all` to all ranks, in place. Parts lie one after
   * the other in rank order; that of rank r has bytes[r] bytes. */
  void (*join)(struct th_comm *comm, void *all, const int64_t *bytes);
  /* Every rank's record of so many bytes to rank 0, in rank order. `all` is
   * used there alone. */
  void (*collect)(struct th_comm *comm, const void *mine, size_t bytes,
                  void *all);
  /* A sum that is under way while the caller computes; one at a time. The
   * values must stay untouched until sum_finish. */
  void (*sum_start)(struct th_comm *comm, int64_t *values, size_t count);
  void (*sum_finish)(struct th_comm *comm);
  /* Let a sum that is under way progress, as some transports work only when
   * they are called. Legal without a sum. */
  void (*sum_progress)(struct th_comm *comm);
  /* One block for every node: see th_comm_share. data NULL: no memory. */
  void (*share)(struct th_comm *comm, size_t bytes, struct th_shared *block);
  /* As join, where each rank has written its part into the block: afterwards
   * every node has all parts, and all ranks see them. */
  void (*join_shared)(struct th_comm *comm, struct th_shared *block,
                      const int64_t *bytes);
  void (*show)(struct th_shared *block);
  void (*unshare)(struct th_shared *block);
  void (*barrier)(struct th_comm *comm);
  /* Make a team of the ranks of equal color, in rank order. Release *part with
   * th_comm_free. */
  void (*split)(struct th_comm *comm, int color, struct th_comm *part);
  /* Make a team of the ranks that share this one's memory: of its node. */
  void (*split_node)(struct th_comm *comm, struct th_comm *part);
  void (*release)(struct th_comm *comm);
  /* Local, unlike the others: print a note whenever this rank has waited in one
   * operation, or has been outside all, for so many seconds. 0: no longer. */
  void (*watch)(struct th_comm *comm, double seconds);
  /* Dense linear algebra on all ranks together (ranks/spread.h); NULL: the team
   * has none. */
  const struct th_spread_ops *spread;
};

struct th_comm {
  const struct th_comm_ops *ops;
  int rank;
  int size;
  int64_t bytes_sent;      /* by this rank: payload handed to the operations */
  int64_t bytes_exchanged; /* of them, from rank to rank, by exchange */
  int64_t operations;      /* collective operations entered */
  double seconds;          /* spent inside them */
  const struct th_memory_use
      *memory;     /* borrowed: of this process; NULL: nothing is ever shared */
  void *transport; /* private to the implementation */
};

/* A team of one. Local. */
void th_comm_self(struct th_comm *comm);

/* Add to the accounts of comm what a part of it, of some of its ranks, was
 * charged since `before`, a copy of that team. Local. */
void th_comm_charge(struct th_comm *comm, const struct th_comm *team,
                    const struct th_comm *before);

/* Release a team made by a split or an MPI start. Collective. */
void th_comm_free(struct th_comm *comm);

/* Used by th_agree. Collective. */
th_status th_comm_agree_over(struct th_comm *comm, th_status rc,
                             struct th_error *err);

/* Give one rank's failure to all ranks: the error of the lowest failing rank
 * becomes that of every rank. Collective; one 8-byte reduction when all is
 * well. */
static inline th_status th_agree(struct th_comm *comm, th_status rc,
                                 struct th_error *err)
{
  /* A rank that failed never gets TH_OK back. This line tells compilers and
   * analyzers so in every caller. */
  th_status agreed = th_comm_agree_over(comm, rc, err);
  return agreed != TH_OK ? agreed : rc;
}

/* Share numbers. Each is known to one rank, and must be 0.0 (not -0.0) on the
 * others. All ranks get the same bits. Collective. */
void th_comm_share_numbers(struct th_comm *comm, double *value, size_t count);

/* Sum over the ranks and agree in one operation: values has room for count + 1
 * integers, the last for the flag of a failure. After a failure the sums mean
 * nothing. Collective. */
th_status th_comm_sum_agree(struct th_comm *comm, int64_t *values, size_t count,
                            th_status rc, struct th_error *err);

/* The largest values of all ranks, and agree, likewise. Collective. */
th_status th_comm_max_agree(struct th_comm *comm, int64_t *values, size_t count,
                            th_status rc, struct th_error *err);

/* Sum and agree in two halves, so that the caller can compute in between.
 * Collective. */
void th_comm_sum_agree_start(struct th_comm *comm, int64_t *values,
                             size_t count, th_status rc);
th_status th_comm_sum_agree_finish(struct th_comm *comm, const int64_t *values,
                                   size_t count, th_status rc,
                                   struct th_error *err);

/* Gather every rank's bytes on every rank, one after the other in rank order.
 * Collective. counts[size] receives the bytes of each rank. *all is allocated;
 * the caller owns it. */
th_status th_comm_gather(struct th_comm *comm, const void *mine, int64_t bytes,
                         int64_t *counts, void **all, struct th_error *err);

/* Before an exchange: how many bytes every rank sends to each; or else the
 * failure of a rank whose rc is one. Collective; one operation when all is
 * well. send is not changed where this rank has not failed. */
th_status th_comm_tell_bytes(struct th_comm *comm, int64_t *send,
                             int64_t *receive, th_status rc,
                             struct th_error *err);

/* Collect every rank's record of so many bytes on rank 0, in rank order.
 * Collective. *all is allocated there, and NULL on other ranks; the caller owns
 * it. */
th_status th_comm_collect(struct th_comm *comm, const void *mine, size_t bytes,
                          void **all, struct th_error *err);

/* Rank r has filled in its part first .. last - 1 of count values, which begins
 * where that of rank r - 1 ends. Afterwards every rank has all values.
 * Collective. */
th_status th_comm_join(struct th_comm *comm, double *values, int64_t count,
                       int64_t first, int64_t last, struct th_error *err);

/* A block of memory for each node, or for each rank if sharing is not worth it
 * or does not fit. Collective. block->writer says who fills it. After
 * th_comm_shared_show the others see what was written. Release with
 * th_comm_shared_free. */
th_status th_comm_share(struct th_comm *comm, size_t bytes, const char *what,
                        struct th_shared *block, struct th_error *err);

/* Every rank, not the writer alone, has written its part of bytes[rank] into
 * the block; parts lie one after the other in rank order. Afterwards every rank
 * reads all parts. Collective. */
static inline void th_comm_shared_join(struct th_comm *comm,
                                       struct th_shared *block,
                                       const int64_t *bytes)
{
  comm->ops->join_shared(comm, block, bytes);
}

/* Plain memory for a block, as where nothing is shared; NULL: there is none.
 * Local; release with free(). */
void *th_comm_shared_plain(size_t bytes);

/* Put bytes that rank 0 has at a place of the block of every node; `from` is
 * used on rank 0 alone. Collective. */
th_status th_comm_shared_spread(struct th_comm *comm, struct th_shared *block,
                                size_t place, const void *from, size_t bytes,
                                struct th_error *err);

/* Afterwards every rank reads what the writer has written. Collective. */
void th_comm_shared_show(struct th_shared *block);

/* Collective if more than one rank made the block: all of them must release it
 * at the same point. Legal on a zeroed record. */
void th_comm_shared_free(struct th_shared *block);

/* Sum of the values of the lower ranks; *total receives the sum of all.
 * Collective. */
int64_t th_comm_prefix(struct th_comm *comm, int64_t value, int64_t *total);

/* The wall clock in seconds from some fixed moment; never enters a result.
 * Local. */
double th_comm_clock(void);

/* --- Where the time of a run goes, phase by phase -------------------------
 *
 * Clocks are read for the report alone; no result depends on them. */

/* One list: enumerator, key in the report. */
#define TH_PHASE_LIST(X)                                                       \
  X(TH_PHASE_OPEN, "open")       /* of an import: looking at its files */      \
  X(TH_PHASE_PARSE, "parse")     /* of it: counting and reading examples */    \
  X(TH_PHASE_SETUP, "setup")     /* opening, statistics, step-size estimate */ \
  X(TH_PHASE_DRAW, "draw")       /* drawing examples and their targets */      \
  X(TH_PHASE_SUPPORT, "support") /* reading support attributes */              \
  X(TH_PHASE_PREDICT, "predict") /* predictions and their sum over ranks */    \
  X(TH_PHASE_GRADIENT, "gradient") /* reading blocks and their gradients */    \
  X(TH_PHASE_SELECT, "select")     /* hard threshold and other selections */   \
  X(TH_PHASE_GRAM, "gram")         /* Gram matrix of the support */            \
  X(TH_PHASE_SOLVE, "solve")       /* least squares and Newton steps */        \
  X(TH_PHASE_STEPS, "steps") /* stochastic steps, mini-batch by mini-batch */  \
  X(TH_PHASE_PASS, "pass")   /* full passes: predictions, dual point, gap */   \
  X(TH_PHASE_VALIDATE, "validate") /* validation on held-out examples */       \
  X(TH_PHASE_WRITE, "write")       /* writing the results */                   \
  X(TH_PHASE_OTHER, "other")       /* what no phase was told (rank_cost.h) */

enum th_phase {
#define TH_PHASE_ENUM(code, key) code,
  TH_PHASE_LIST(TH_PHASE_ENUM)
#undef TH_PHASE_ENUM
      TH_PHASE_COUNT
};

enum { TH_PHASE_DEPTH = 4 }; /* phases open at once, at most */

/* The cost of a phase on this rank. */
struct th_phase_cost {
  int64_t calls;
  double seconds;
  double waiting;          /* of them inside collective operations */
  int64_t bytes_sent;      /* by this rank */
  int64_t bytes_exchanged; /* of them, by exchange */
  int64_t operations;      /* collective ones */
};

struct th_profile {
  const struct th_comm *comm; /* borrowed; NULL: it is not looked at */
  struct th_phase_cost phase[TH_PHASE_COUNT];
  struct th_phase_cost began[TH_PHASE_DEPTH]; /* accounts of the open phases */
  int depth;                                  /* open phases */
};

/* The key of a phase in the report. Local. */
const char *th_comm_phase_key(enum th_phase phase);

/* Begin a phase, and end it. What a phase costs inside another one is told of
   the inner phase alone: the phases add up to the run. Local. */
void th_comm_profile_begin(struct th_profile *profile);
void th_comm_profile_end(struct th_profile *profile, enum th_phase phase);

#endif
