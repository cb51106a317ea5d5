/* source.h - the observing source: the only way a solver sees data
 *
 * A store (struct th_store, filled in by io/ or by a generator) can read
 * anything. A solver never holds one: it holds a th_source, which hands out
 * values only inside a declared draw, counts every attribute of every example
 * that is observed, and refuses a draw of more attributes than the budget.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SOURCE_H
#define TH_SOURCE_H

#include "core/comm.h"
#include "core/deal.h"
#include "core/error.h"
#include "core/placement.h"
#include "core/slab.h"

#include <stdbool.h>
#include <stdint.h>

/* What a data set is, replicated on every rank. Rows are numbered as stored:
 * training examples 0 .. training-1, test examples training .. examples-1. */
struct th_shape {
  int64_t examples;
  int64_t training;
  int64_t attributes; /* d */
  int64_t row_group;  /* R; test examples begin a row group of their own */
  int64_t nonzeros;   /* stored non-zeros; dense: values that are not zero */
  enum th_layout layout;
  enum th_type type;
  bool weighted;
  bool unlabelled; /* there are no targets: for prediction alone */
  bool computed;   /* values are computed when they are asked for */
};

/* Row groups are numbered training first, then test. The group of a stored row,
 * and the row counted from its first; the rows of a group; how many groups.
 * Local. */
int64_t th_shape_group_of(const struct th_shape *shape, int64_t row,
                          int64_t *row_in_group);
struct th_rows th_shape_group(const struct th_shape *shape, int64_t group);
int64_t th_shape_groups(const struct th_shape *shape);
/* Bytes of the stored training values. */
double th_shape_bytes(const struct th_shape *shape);

/* Statistics of the training examples per attribute, from import. */
struct th_statistics {
  double mean;
  double deviation; /* standard deviation, divisor n */
  double lowest;    /* smallest and largest value */
  double highest;
};

struct th_store;

/* Slabs of blocks, or of support attributes. */
struct th_traffic {
  int64_t read;     /* bytes, by this rank, from files */
  int64_t observed; /* bytes of the stored values that it was handed */
};

struct th_store_ops {
  /* The stored values of attributes from range.first on, at most to
   * range.last, on the given rows of one row group, as far as they lie
   * together: slab->attributes starts at range.first and is not empty. keep:
   * range is a single attribute, and those around it are not wanted. Local;
   * verifies checksums; TH_EIO, TH_EFORMAT name file, attribute and row group.
   */
  th_status (*slab)(struct th_store *store, struct th_rows rows,
                    struct th_range range, bool keep, struct th_slab *slab,
                    struct th_error *err);
  /* Targets and weights (1 where the data have none) of rows; either pointer
   * may be NULL. Local. TH_EDATA where targets are asked of data that have
   * none. */
  th_status (*targets)(struct th_store *store, struct th_rows rows,
                       double *target, double *weight, struct th_error *err);
  /* statistics[range.last - range.first]. Local. */
  th_status (*statistics)(struct th_store *store, struct th_range range,
                          struct th_statistics *statistics,
                          struct th_error *err);
  /* The slabs of range on these rows are going to be asked for, behind those
   * announced before; a hint. forget: none of them is any more. NULL for
   * stores that have nothing to prepare. Local. */
  void (*announce)(struct th_store *store, struct th_rows rows,
                   struct th_range range, bool keep);
  void (*forget)(struct th_store *store);
  /* Add to cost[] what each cell (TH_CELL attributes) costs its owner, the same
   * on every rank, in any unit: stored entries where they are known. NULL for
   * stores that do not know. Collective. */
  th_status (*cost)(struct th_store *store, struct th_comm *comm, int64_t *cost,
                    struct th_error *err);
};

/* Implementations embed it as their first member. */
struct th_store {
  const struct th_store_ops *ops;
  struct th_shape shape;
  uint64_t fingerprint;          /* of the logical content */
  int64_t shards;                /* that hold it (th_partition_shard), or 0 */
  struct th_placement placement; /* made by th_store_place */
  const char *statistics;        /* where they come from: "import" if NULL */
  int64_t bytes_read;            /* by this rank, from files: all there is */
  struct th_traffic blocks;      /* observed: counted by the source */
  struct th_traffic support;     /* observed: outside of the draw's block */
  double seconds;                /* this rank spent reading */
};

/* Place the cells of a store on the ranks by what they cost; even ranges where
 * the store does not know, or there is one rank. Collective; before anything is
 * read of its values, once. What it takes is O(d / TH_CELL) bytes for the
 * moment. The store's owner releases the placement. */
th_status th_store_place(struct th_store *store, struct th_comm *comm,
                         struct th_error *err);

/* The attributes that a rank of `size` owns; of the rank that owns the most.
 * Local. */
struct th_range th_store_owned(const struct th_store *store, int rank,
                               int size);
int64_t th_store_most_owned(const struct th_store *store, int size);

/* What was observed; replicated: every rank counts whole draws. */
struct th_ledger {
  int64_t examples;   /* draws for training, step-size estimates among them */
  int64_t attributes; /* observed in all of them */
  int64_t max_attributes_per_example; /* in one draw */
  int64_t validation_examples;
  int64_t validation_attributes;
};

/* One draw: on these rows the attributes of `block` and of `support` are
 * observed; or the active ones (th_source_activate), which are none of S, and
 * S.
 */
struct th_draw {
  struct th_pieces rows;  /* borrowed */
  struct th_range block;  /* may be empty */
  const int64_t *support; /* ascending; borrowed */
  int64_t support_size;
  bool active;     /* the block is empty then */
  bool validation; /* counted under keys of its own */
  uint64_t grant;  /* set by th_source_draw; 0: not granted */
};

struct th_source;

/* A source over a borrowed store. budget: s', the most attributes of an
 * example that a draw may observe. Local; release with th_source_free. */
th_status th_source_create(struct th_source **source, struct th_store *store,
                           int64_t budget, struct th_error *err);
void th_source_free(struct th_source *source);

const struct th_shape *th_source_shape(const struct th_source *source);
const struct th_ledger *th_source_ledger(const struct th_source *source);
int64_t th_source_budget(const struct th_source *source);
/* th_store_owned of its store. */
struct th_range th_source_owned(const struct th_source *source, int rank,
                                int size);

/* Declare and count a draw; what it names must stay as it is until the last
 * read. Local, the same on every rank. TH_EBUDGET when it would observe more
 * than the budget, TH_EARG when it names rows that are no training examples or
 * attributes that are not there; nothing is counted then. */
th_status th_source_draw(struct th_source *source, struct th_draw *draw,
                         struct th_error *err);

/* The slab of a granted draw's block that begins at range.first; rows lie in
 * one of the draw's pieces. Local. TH_EBUDGET outside of the draw. */
th_status th_source_block(struct th_source *source, const struct th_draw *draw,
                          struct th_rows rows, struct th_range range,
                          struct th_slab *slab, struct th_error *err);

/* The slab of one attribute of a granted draw's support. Local. */
th_status th_source_support(struct th_source *source,
                            const struct th_draw *draw, struct th_rows rows,
                            int64_t attribute, struct th_slab *slab,
                            struct th_error *err);

/* Declare the active attributes, each rank its own part of them: what draws
 * marked `active` observe on all ranks together. attribute[count] ascends and
 * is copied; no attribute may be listed by two ranks. Draws granted before end.
 * Collective: one sum. TH_EARG for attributes that are not there. */
th_status th_source_activate(struct th_source *source, struct th_comm *comm,
                             const int64_t *attribute, int64_t count,
                             struct th_error *err);

/* How many of them are this rank's. Local. */
int64_t th_source_active_count(const struct th_source *source);

/* The slab of this rank's active attributes from entry `place` of the list on,
 * as far as they lie together; rows lie in one piece of a granted active draw.
 * Its attributes are numbered as if the active ones were consecutive:
 * attributes.first + k is entry place + k. Local. TH_EBUDGET outside of the
 * draw. */
th_status th_source_active(struct th_source *source, const struct th_draw *draw,
                           struct th_rows rows, int64_t place,
                           struct th_slab *slab, struct th_error *err);

/* Tell the store what is going to be read, in the order of reading: the slabs
 * of a granted draw's block from range.first to range.last; one attribute of
 * its support. A draw that is not granted, and what lies outside of it, is not
 * announced. Forget: nothing of it is going to be read any more. Local. */
void th_source_announce_block(struct th_source *source,
                              const struct th_draw *draw,
                              struct th_range range);
void th_source_announce_support(struct th_source *source,
                                const struct th_draw *draw, int64_t attribute);
/* All of this rank's active attributes, piece of rows by piece. */
void th_source_announce_active(struct th_source *source,
                               const struct th_draw *draw);
void th_source_forget(struct th_source *source);

/* Targets and weights are not counted. Local. */
th_status th_source_targets(struct th_source *source, struct th_rows rows,
                            double *target, double *weight,
                            struct th_error *err);
th_status th_source_statistics(struct th_source *source, struct th_range range,
                               struct th_statistics *statistics,
                               struct th_error *err);

#endif
