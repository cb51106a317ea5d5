/* in_memory.h - data that a caller has in memory, as a data set that lasts as
 * long as they are open
 *
 * They are imported as a file of NumPy or SciPy with the same values would be,
 * so that all that is known of a data set is known of them, and models have the
 * same bytes. That is one copy: of dense values of a single rank in memory
 * (io/dataset/held.h), of others in files in a folder of their own, which the
 * system keeps in memory, where training uses dense values in place.
 * SPDX-License-Identifier: MIT */
#ifndef TH_IN_MEMORY_H
#define TH_IN_MEMORY_H

#include "io/files/lock.h"
#include "io/import/arrays/given.h"
#include "ranks/comm.h"

struct th_dataset;
struct th_held;

/* Zeroed: none. All is owned. */
struct th_in_memory {
  struct th_held *held; /* all of it, and there is no folder; or NULL */
  bool begun;           /* a folder, on every rank */
  char *path;           /* of the data set; on every rank */
  char *folder;         /* that holds it, and nothing else; on rank 0 */
  struct th_lock lock;
  int inside; /* rank 0: descriptor of the folder, and of the file in it that */
  int locked; /* is locked as long as the folder is in use */
};

/* What is stored, and how. */
struct th_in_memory_job {
  const struct th_given_matrix *given;
  int type;             /* enum th_type or -1, as struct th_import has it */
  double test_fraction; /* of the examples, for testing */
  bool in_order;        /* not shuffled */
  uint64_t seed;        /* of the order */
  int64_t memory;       /* bytes that this rank may take meanwhile */
  int threads;          /* of this rank at most; 0: one */
};

/* Store what every rank has the same: in memory where there is one rank whose
 * values are dense, all known, and not more than its memory. Else the folder
 * lies in $TMPDIR, or in /tmp; folders there whose process has gone are
 * removed. Collective. End with th_in_memory_remove, also after a failure. */
th_status th_in_memory_store(struct th_in_memory *kept,
                             const struct th_in_memory_job *job,
                             struct th_comm *comm, struct th_error *err);

/* Open what is stored; name: in messages. memory: of th_dataset_open.
 * Collective. Close the data set before what is stored is removed. */
th_status th_in_memory_open(const struct th_in_memory *kept, const char *name,
                            int64_t memory, struct th_comm *comm,
                            struct th_dataset **dataset, struct th_error *err);

/* The copy goes; nobody has it open any more. Local. */
void th_in_memory_remove(struct th_in_memory *kept);

#endif
