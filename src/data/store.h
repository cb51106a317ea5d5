/* store.h - the shape of a data set, and the interface of a store: reading
 * values, and which rank owns which
 *
 * io/ fills a store in from files, src/synthetic computes one. Solvers never
 * hold a store: they see values through the source (data/source.h).
 * SPDX-License-Identifier: MIT */
#ifndef TH_STORE_H
#define TH_STORE_H

#include "base/error.h"
#include "data/deal.h"
#include "data/slab.h"
#include "data/type.h"
#include "ranks/comm.h"
#include "ranks/partition.h"

#include <stdbool.h>
#include <stdint.h>

/* --- The size, layout and row groups of a data set; local ----------------- */

/* The shape of a data set, replicated on every rank. Rows are numbered as
 * stored: training examples, then test examples, then those of weight 0, which
 * count for nothing and lie among the test examples' row groups. */
struct th_shape {
  int64_t examples;
  int64_t training;
  int64_t weightless; /* the last so many have weight 0; data from before that
                         was looked at may have others anywhere */
  int64_t attributes; /* d */
  int64_t row_group;  /* R; test examples begin a row group of their own */
  int64_t nonzeros;   /* stored non-zeros; dense: values that are not zero */
  int64_t missing;    /* stored values that nobody knows, counted among the
                         non-zeros; their attribute's mean stands in for each */
  enum th_layout layout;
  enum th_type type;
  bool mixed; /* dense: some attributes are floats, not of `type` */
  bool weighted;
  bool weighted_statistics; /* statistics count examples by their weights */
  bool unlabelled;          /* there are no targets: for prediction alone */
  bool computed;            /* values are computed when they are asked for */
};

/* Row groups are numbered training first, then test. The group of a stored row,
 * and the row counted from its first; the rows of a group; how many groups.
 */
int64_t th_store_shape_group_of(const struct th_shape *shape, int64_t row,
                                int64_t *row_in_group);
struct th_rows th_store_shape_group(const struct th_shape *shape,
                                    int64_t group);
int64_t th_store_shape_groups(const struct th_shape *shape);
/* The rows from a stored one to the end of its row group. */
struct th_rows th_store_shape_rest(const struct th_shape *shape, int64_t row);
/* The part of rows, from their first on, that lies in one row group; rows
 * become what is behind it. */
struct th_rows th_store_shape_next(const struct th_shape *shape,
                                   struct th_rows *rows);
/* Sparse data with fewer entries than attributes, most of which are zero on all
 * examples. */
bool th_store_shape_is_rare(const struct th_shape *shape);
/* True if what solvers keep of the data in memory, examples or attributes, has
 * a value for everything: of dense data, and of sparse data of which two values
 * in three or more are not zero. An entry takes half as much memory again as a
 * value does. */
bool th_store_shape_is_full(const struct th_shape *shape);
/* True if slabs may have missing values, and say what stands for them: those of
 * whole numbers. */
bool th_store_shape_stands_in(const struct th_shape *shape);
/* How many test examples there are. */
int64_t th_store_shape_tests(const struct th_shape *shape);
/* Bytes of the stored training values, with the row of each if sparse. */
double th_store_shape_bytes(const struct th_shape *shape);
/* Bytes that reading all training values takes, with the statistics of
 * attributes: sparse data begin each run with its attribute and count, and
 * dense data have a checksum of each. */
double th_store_shape_read_bytes(const struct th_shape *shape);
double th_store_shape_statistics_bytes(const struct th_shape *shape);
/* The share of the attributes that is read together, on a row group, where one
 * of them is wanted: a run (dense), or TH_TOGETHER entries, about (sparse). */
enum { TH_TOGETHER = 16384 };
double th_store_shape_together(const struct th_shape *shape);
/* Bytes in memory of what was read of some of the training examples' entries
 * (sparse), or attributes (dense). */
double th_store_shape_kept_bytes(const struct th_shape *shape, int64_t items);

/* --- A store -------------------------------------------------------------- */

/* Statistics of the training examples per attribute, from import. */
struct th_statistics {
  double mean;
  double deviation; /* standard deviation, divisor n */
  double lowest;    /* smallest and largest value */
  double highest;
};

struct th_store;

/* Single values of this rank's attributes. Borrowed. */
struct th_entries {
  int64_t count;
  const int64_t *row;
  const int64_t *attribute;
};

/* Slabs of blocks, or of support attributes. */
struct th_traffic {
  int64_t read;     /* bytes, by this rank, from files */
  int64_t observed; /* bytes of the stored values that it was handed */
};

/* Training examples that equal an earlier one in all attributes and the target,
 * where all examples of these attributes have this target. (Where they differ
 * in their targets, values are few, and equal examples are no copies.) */
struct th_twins {
  int64_t count;
  int64_t *row;   /* ascending */
  int64_t *first; /* the first example that equals it */
};

/* How attributes are laid side by side. */
struct th_packing {
  int64_t bytes;    /* of each, from the byte of the first row on */
  int64_t stride;   /* bytes from one to the next, not less */
  int64_t alone;    /* the first so many attributes have few neighbours that are
                       wanted: they may be read where that takes no copy */
  double *stand_in; /* receives that of each attribute (struct th_slab); NULL:
                       no value is missing */
};

struct th_store_ops {
  /* The stored values of attributes from range.first on, at most to range.last,
   * on the given rows of one row group, as far as they lie together:
   * slab->attributes starts at range.first and is not empty. keep: range is a
   * single attribute, and those around it are not wanted. Local; verifies
   * checksums; an error names file, attribute and row group. */
  th_status (*slab)(struct th_store *store, struct th_rows rows,
                    struct th_range range, bool keep, struct th_slab *slab,
                    struct th_error *err);
  /* Dense stores: copy the stored values of ascending attributes on the given
   * rows of one row group, as far as that needs no reading: returns how many,
   * from the first on. NULL for stores that keep nothing. Local. */
  int64_t (*copy)(struct th_store *store, struct th_rows rows,
                  const int64_t *attribute, int64_t count, void *to,
                  const struct th_packing *packing);
  /* value[k] = the stored value of attribute[k] on row[k]; 0 where a sparse
   * store has no entry. Rows may lie in any row groups, and entries come in any
   * order. Local; failures as of slab. NULL for stores that have no quicker way
   * than slabs. */
  th_status (*entries)(struct th_store *store, const struct th_entries *entries,
                       double *value, struct th_error *err);
  /* Targets and weights (1 where the data have none) of rows; either pointer
   * may be NULL. Local. An error where targets are asked of data that have
   * none. */
  th_status (*targets)(struct th_store *store, struct th_rows rows,
                       double *target, double *weight, struct th_error *err);
  /* The number of a stored row in the input. NULL: rows are stored in the order
   * of their numbers, or the store is a data set
   * (io/dataset/residency/dataset.h). Local.
   */
  int64_t (*number)(const struct th_store *store, int64_t row);
  /* statistics[range.last - range.first]. Local. */
  th_status (*statistics)(struct th_store *store, struct th_range range,
                          struct th_statistics *statistics,
                          struct th_error *err);
  /* A hint that the slabs of range on these rows are going to be asked for,
   * after those announced before. forget: drop all announcements. Both are NULL
   * for stores that have nothing to prepare. Local. */
  void (*announce)(struct th_store *store, struct th_rows rows,
                   struct th_range range, bool keep);
  void (*forget)(struct th_store *store);
  /* Add to cost[] the cost of each cell (TH_CELL attributes) to its owner, the
   * same on every rank, in any unit: stored entries if they are known. NULL for
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
  const struct th_twins *twins;  /* borrowed; NULL: nothing is known */
  const char *statistics;        /* where they come from: "import" if NULL */
  int64_t bytes_read;            /* by this rank, from files: all there is */
  int64_t bytes_in_place;        /* of these, used where the system has them */
  struct th_traffic blocks;      /* observed: counted by the source */
  struct th_traffic support;     /* observed: outside of the draw's block */
  double seconds;                /* time that this rank spent reading */
};

/* Place the cells of a store on the ranks by their cost; in even ranges if the
 * store does not know it, or if there is one rank. Collective; call it once,
 * before any value is read. It takes O(d / TH_CELL) bytes for the moment. The
 * store's owner releases the placement. */
th_status th_store_place(struct th_store *store, struct th_comm *comm,
                         struct th_error *err);

/* The attributes that a rank of `size` owns; of the rank that owns the most.
 * Local. */
struct th_range th_store_owned(const struct th_store *store, int rank,
                               int size);
int64_t th_store_most_owned(const struct th_store *store, int size);

/* value[k] = the stored value of attribute[k] on row[k], as the operation says;
 * by slabs where the store has none. Counts them as observed. Local. */
th_status th_store_entries(struct th_store *store,
                           const struct th_entries *entries, double *value,
                           struct th_error *err);

#endif
