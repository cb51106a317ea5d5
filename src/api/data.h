/* data.h - data to train on or to predict: a data set's file, or computed ones
 * SPDX-License-Identifier: MIT */
#ifndef TH_DATA_H
#define TH_DATA_H

#include "io/dataset/residency/dataset.h"
#include "ranks/comm.h"
#include "synthetic/synthetic_store.h"

/* Longest description of computed data, and its end. */
enum { TH_SOURCE_TEXT = 512 };

/* Bytes that joins of tables took on this rank: at most, while they were made;
 * and what is kept of them, once a node. */
struct th_join_costs {
  int64_t most;
  int64_t kept;
};

struct th_covered;

/* Zeroed: nothing is open. */
struct th_data {
  struct th_store *store; /* borrowed: of one of the next two, or a caller's;
                             with what is beside them */
  struct th_dataset *dataset;
  struct th_synthetic_store *computed;
  struct th_ground_truth made; /* of the computed ones; owned */
  char source[TH_SOURCE_TEXT]; /* description of computed data; else empty */
  struct th_covered *covered;  /* attributes of a table beside those of the
                                  data set (api/covered.h), or NULL; owned */
  void (*uncover)(struct th_covered *covered); /* releases them; collective */
  const char *name;                            /* in messages; borrowed */
  int64_t room;               /* bytes that a rank has for tables that are
                                 joined; 0: any */
  struct th_join_costs joins; /* of those that were */
  const struct th_ground_truth
      *truth; /* NULL, or family[0] == 0: not generated */
  /* called with one line for the user; may be NULL */
  void (*note)(const char *text);
};

/* Open the data set in the file `path`, which is borrowed as the name. memory:
 * bytes of values that this rank may keep. Collective; failures of
 * th_dataset_open. End with th_data_close, also after a failure; place the
 * store's cells (th_store_place) before its values are read. */
th_status th_data_open(struct th_data *data, const char *path, int64_t memory,
                       struct th_comm *comm, struct th_error *err);

/* Open data of that shape that are computed from data->made, which the caller
 * has filled in. Local. An error for sizes beyond those of a data set. */
th_status th_data_compute(struct th_data *data, const struct th_shape *shape,
                          int64_t memory, struct th_error *err);
/* Collective where the data are a file's. */
void th_data_close(struct th_data *data);

/* An error where the data have no targets. Local, replicated. */
th_status th_data_need_targets(const struct th_data *data, const char *command,
                               const char *path, struct th_error *err);

/* The groups of a file. If file is NULL, those of the data set;
 * groups->attributes is 0 if it has none. output: see th_groups_file_read.
 * Collective. Release with th_groups_free. */
th_status th_data_groups(struct th_data *data, const char *file,
                         const char *output, struct th_comm *comm,
                         struct th_groups *groups, struct th_error *err);

/* Input row numbers of stored rows. Local. */
th_status th_data_row_numbers(struct th_data *data, struct th_rows rows,
                              int64_t *numbers, struct th_error *err);

/* The attributes without those of a table beside them. Local. */
int64_t th_data_attributes(const struct th_data *data);

/* An error when files were replaced since they were opened. Local. */
th_status th_data_unchanged(struct th_data *data, struct th_error *err);

/* --- The examples of a split, row group by row group
 *
 * All functions are local. */

enum th_split { TH_SPLIT_AUTO, TH_SPLIT_TEST, TH_SPLIT_TRAIN, TH_SPLIT_ALL };

/* The rows of a split. auto: the test examples if there are any, else all. An
 * error if the split is empty. */
th_status th_data_split_rows(const struct th_shape *shape, int split,
                             struct th_rows *rows, struct th_error *err);

#endif
