/* data.h - the data of a command: a data set's file, or a computed source
 * SPDX-License-Identifier: MIT */
#ifndef TH_CLI_DATA_H
#define TH_CLI_DATA_H

#include "cli/source.h"
#include "core/comm.h"
#include "io/dataset/dataset.h"
#include "synthetic/synthetic_store.h"

struct th_data {
  struct th_store *store; /* borrowed from one of the next two */
  struct th_dataset *dataset;
  struct th_synthetic_store *computed;
  struct th_synthesis synthesis; /* of the computed one */
  char source[TH_SOURCE_TEXT];   /* with all parameters; empty for a file */
  const char *name;              /* of the file, or --source; borrowed */
  const struct th_ground_truth *truth; /* family[0] == 0: not generated */
};

/* Open --source if it was given, else the file `path`. memory: bytes of values
 * that this rank may keep. Collective; end with th_data_close, also after a
 * failure. */
th_status th_data_open(struct th_data *data, const struct th_options *options,
                       const char *command, const char *path, int64_t memory,
                       struct th_comm *comm, struct th_error *err);
void th_data_close(struct th_data *data);

/* TH_EDATA where the data have no targets. Local, replicated. */
th_status th_data_need_targets(const struct th_data *data, const char *command,
                               const char *path, struct th_error *err);

/* TH_EDATA where there are too few examples to train on. Local, replicated. */
th_status th_data_need_examples(const struct th_data *data,
                                struct th_error *err);

/* The groups of a file, or, file NULL, those of the data set where it has any:
 * groups->attributes is 0 where there are none. output: see th_groups_read.
 * Collective. Release with th_groups_free. */
th_status th_data_groups(struct th_data *data, const char *file,
                         const char *output, struct th_comm *comm,
                         struct th_groups *groups, struct th_error *err);

/* Input row numbers of stored rows. Local. */
th_status th_data_row_numbers(struct th_data *data, struct th_rows rows,
                              int64_t *numbers, struct th_error *err);

/* TH_EIO when files were replaced since they were opened. Local. */
th_status th_data_unchanged(struct th_data *data, struct th_error *err);

#endif
