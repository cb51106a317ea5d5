/* examples.h - targets, weights and row numbers of an open data set; internal
 * to io/
 * SPDX-License-Identifier: MIT */
#ifndef TH_EXAMPLES_H
#define TH_EXAMPLES_H

#include "data/store.h"
#include "io/dataset/fingerprint.h"
#include "io/dataset/master.h"
#include "io/hdf5/h5.h"
#include "ranks/comm.h"

#include <stdint.h>

/* Per-example arrays of the master. */
struct th_examples {
  const char *path;                  /* of the master; borrowed */
  const struct th_master_info *info; /* borrowed */
  struct th_store *store;            /* its account of what is read; borrowed */
  struct th_h5 h5;
  struct th_h5_set target;
  struct th_h5_set weight;
  struct th_h5_set row;
  uint64_t *target_checksum; /* per row group */
  uint64_t *weight_checksum;
  uint64_t *row_checksum;
  struct th_shared kept;     /* targets, then weights */
  const double *kept_target; /* NULL: they are read on request */
  const double *kept_weight;
  void *group; /* room for one row group */
};

/* Open the per-example arrays. image: of a master that is in memory, whose path
 * is but its name; NULL: it is a file. Local. */
th_status th_examples_open(struct th_examples *examples, const char *path,
                           const struct th_h5_image *image,
                           const struct th_master_info *info,
                           struct th_store *store, struct th_error *err);

/* Read and keep targets and weights when they are few beside so many bytes, one
 * copy per node. Collective. */
th_status th_examples_keep(struct th_examples *examples, int64_t memory,
                           struct th_comm *comm, struct th_error *err);

/* Targets and weights as they are stored; missing targets are NaN. Either
 * pointer may be NULL. Local. */
th_status th_examples_read(struct th_examples *examples, struct th_rows rows,
                           double *target, double *weight,
                           struct th_error *err);

/* Input row numbers of stored rows. Local. */
th_status th_examples_row_numbers(struct th_examples *examples,
                                  struct th_rows rows, int64_t *numbers,
                                  struct th_error *err);

/* Collective where there was more than one rank. */
void th_examples_close(struct th_examples *examples);

/* Verify all of them, and compute their parts of the fingerprint. Local. */
th_status th_examples_check(struct th_examples *examples,
                            struct th_print *print, struct th_error *err);

#endif
