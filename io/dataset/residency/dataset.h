/* dataset.h - sharded HDF5 data sets: opening, reading, checking
 *
 * NAME.h5 is a small master; NAME.shards/00000.h5 ... hold the attributes. The
 * format is described in io/dataset/format.h.
 *
 * All functions that do not say otherwise are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_DATASET_H
#define TH_DATASET_H

#include "base/error.h"
#include "data/groups.h"
#include "data/source.h"
#include "io/dataset/variants.h"
#include "io/files/mapping.h"
#include "model/origin.h"
#include "ranks/comm.h"

#include <stdbool.h>
#include <stdint.h>

struct th_dataset;
struct th_held;

/* Open PATH: rank 0 reads the master and broadcasts; every shard's identity is
 * checked when it is first opened. Collective. memory: bytes of stored values
 * that a rank may keep, the same on every rank. Targets and weights are kept
 * once per node. An error for a model or another file, or where a rank sees
 * another master under this name than rank 0. */
th_status th_dataset_open(struct th_dataset **dataset, struct th_comm *comm,
                          const char *path, int64_t memory,
                          struct th_error *err);
/* Open a data set that is held in memory, by that name in messages; the memory
 * is for targets and weights. held is borrowed, and complete. Collective; comm
 * is of one rank. */
th_status th_dataset_open_held(struct th_dataset **dataset,
                               struct th_comm *comm, const struct th_held *held,
                               const char *name, int64_t memory,
                               struct th_error *err);
/* Collective over the ranks that opened it. */
void th_dataset_close(struct th_dataset *dataset);

/* Keep few values in memory, however much there is, because most are read only
 * once. Call before th_dataset_read_ahead. Local. */
void th_dataset_keep_little(struct th_dataset *dataset);

/* Where single values of dense data are asked for: read all values around one,
 * because most of them are going to be asked for, or lie on the same pages; or
 * read its run alone. Call after th_dataset_keep_little. Local. */
void th_dataset_read_whole(struct th_dataset *dataset, bool whole);

/* Examples are going to be asked for one by one: sparse values are kept row by
 * row as well, which takes as much memory again. It changes the time of a run,
 * but no result. Call before the first value is read. Local. */
void th_dataset_by_row(struct th_dataset *dataset);

/* From now on, announced values of dense data are read ahead within the data
 * set's memory; with `threaded` by a thread of its own. It changes the time of
 * a run, but no result. Local. */
th_status th_dataset_read_ahead(struct th_dataset *dataset, bool threaded,
                                struct th_error *err);

/* Which values of dense data are used in place. At first it is TH_MAPPED_NEVER.
 * It changes no result, but may change how many bytes are read. A file that is
 * cut short while it is in use makes an error of the next read or of
 * th_dataset_unchanged, and what was read before may have been zeros: call
 * th_dataset_unchanged before anything that was computed is kept. Local. */
void th_dataset_map(struct th_dataset *dataset, enum th_mapped mapped);

/* Forget all stored values in memory, and where the system has them. The next
 * requests read them again. Local. */
void th_dataset_drop(struct th_dataset *dataset);

/* The store behind it; borrowed, lives as long as the data set. */
struct th_store *th_dataset_store(struct th_dataset *dataset);
int64_t th_dataset_shards(const struct th_dataset *dataset);
/* Bytes of the master and all shards. */
int64_t th_dataset_bytes(const struct th_dataset *dataset);
const struct th_ground_truth *
th_dataset_truth(const struct th_dataset *dataset);
const char *th_dataset_provenance(const struct th_dataset *dataset);
/* What is known about the text that it was imported from; zeroed if nothing is.
 */
const struct th_origin *th_dataset_origin(const struct th_dataset *dataset);

/* One name per attribute; *names is one allocation, owned by the caller, or
 * NULL where the data set has no names. Local. */
th_status th_dataset_names(struct th_dataset *dataset, char ***names,
                           struct th_error *err);

/* The names as indices, ascending, owned by the caller; NULL where they are
 * none. Local. */
th_status th_dataset_indices(struct th_dataset *dataset, uint64_t **index,
                             struct th_error *err);

/* What is known of attributes that are variants; count 0: they are none, or it
 * is not known. Release with th_variants_free. Local. */
th_status th_dataset_variants(struct th_dataset *dataset,
                              struct th_variants *variants,
                              struct th_error *err);

/* 1 of each attribute that lacks too many values, and has zeros in their place;
 * NULL: none does. The caller owns *lacking. Local. */
th_status th_dataset_lacking(struct th_dataset *dataset,
                             unsigned char **lacking, struct th_error *err);

/* Hashes of the names, which tell whether two data sets have the same names.
 * Replicated. */
struct th_name_print th_dataset_name_print(const struct th_dataset *dataset);

/* The names of some attributes, if the data set has names. name[k] is an
 * allocation of its own; after a failure some are filled in. It is fastest for
 * ascending attributes. Local. */
th_status th_dataset_names_of(struct th_dataset *dataset,
                              const int64_t *attribute, int64_t count,
                              char **name, struct th_error *err);

/* Find the attributes with these names. TH_NAME_ABSENT: no attribute has it.
 * TH_NAME_TWICE: several have it, or it was in the list before. Reads all
 * names, in pieces. Local. */
enum { TH_NAME_ABSENT = -1, TH_NAME_TWICE = -2 };
th_status th_dataset_names_find(struct th_dataset *dataset, char *const *name,
                                int64_t count, int64_t *attribute,
                                struct th_error *err);

/* How many values of each attribute of a range are missing. Local. */
th_status th_dataset_missing(struct th_dataset *dataset, struct th_range range,
                             int64_t *missing, struct th_error *err);

/* From now on these numbers stand for the missing values of some attributes,
 * and for those of others their means on the data set's own training examples,
 * as at first. Values in memory are forgotten. Local. */
th_status th_dataset_stand_in(struct th_dataset *dataset,
                              const int64_t *attribute, const double *mean,
                              int64_t count, struct th_error *err);

/* The groups of attributes in the data set; groups->attributes is 0 if it has
 * none. Collective. Release with th_groups_free. */
th_status th_dataset_groups(struct th_dataset *dataset, struct th_comm *comm,
                            struct th_groups *groups, struct th_error *err);

/* Input row numbers of stored rows. Local. */
th_status th_dataset_row_numbers(struct th_dataset *dataset,
                                 struct th_rows rows, int64_t *numbers,
                                 struct th_error *err);

/* IDs of examples: text[k * width] is that of row rows.first + k, of up to
 * `width` bytes, padded with zeros. */
struct th_ids {
  char *text; /* owned: free it */
  size_t width;
};

/* True if the examples have IDs. Local. */
bool th_dataset_has_ids(const struct th_dataset *dataset);

/* Bytes of the longest ID, if there are any. Local. */
size_t th_dataset_ids_width(const struct th_dataset *dataset);

/* The IDs of some rows, if there are any. Local. */
th_status th_dataset_ids(struct th_dataset *dataset, struct th_rows rows,
                         struct th_ids *ids, struct th_error *err);

/* Targets and weights from elsewhere, in stored order. */
struct th_relabelling {
  const double *target;     /* finite; on rank 0; borrowed */
  const double *weight;     /* finite, not negative; likewise */
  const char *name;         /* of the target; on every rank */
  const char *positive;     /* the class that is 1, where others are -1; empty:
                               targets are numbers; on every rank */
  const char *missing;      /* how the table writes values that are missing,
                               beside the usual words, or NULL; on every rank */
  const char *const *other; /* these others, where they are known */
  int64_t others;
  bool weighted; /* some weights are not 1 */
};

/* Give an open data set other targets and weights: its store is then labelled,
 * and has another fingerprint; its statistics stay. Call before anybody has
 * asked for targets. 16 bytes of an example, once per node. Collective. */
th_status th_dataset_relabel(struct th_dataset *dataset, struct th_comm *comm,
                             const struct th_relabelling *labels,
                             struct th_error *err);

/* Read and verify everything: every checksum, every index, the presence of
 * statistics, and the fingerprint. Collective; the shards are shared out among
 * the ranks. */
th_status th_dataset_check(struct th_dataset *dataset, struct th_comm *comm,
                           struct th_error *err);

/* True if a path lies in the folder of the data set's shards, where nothing
 * else may be written. Local. */
bool th_dataset_holds(const struct th_dataset *dataset, const char *path);

/* An error when the master or an opened shard was replaced or cut short since
 * it was opened. Local. */
th_status th_dataset_unchanged(struct th_dataset *dataset,
                               struct th_error *err);

#endif
