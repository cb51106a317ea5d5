/* training.h - from a configuration and data to a model, step by step
 *
 * th_training_plan, th_training_check_memory, th_train (solvers/driver) on its
 * plan, th_training_finish.
 * SPDX-License-Identifier: MIT */
#ifndef TH_TRAINING_H
#define TH_TRAINING_H

#include "api/bounds.h"
#include "api/data.h"
#include "api/fold_groups.h"
#include "data/source.h"
#include "ranks/comm.h"
#include "solvers/driver/train.h"

/* The first members are the caller's to set; the rest begins as zeros. */
struct th_training {
  struct th_config config; /* as asked for */
  const char *output;      /* of the model, or NULL; borrowed */
  const char *targets;     /* the table of targets, and its column of IDs, or */
  const char *ids;         /* NULL; borrowed */
  struct th_data *data;    /* borrowed */
  int64_t memory;          /* bytes of values that a rank keeps in all */
  enum th_mapped mapped;   /* which values of files are not copied */
  struct th_groups groups;
  struct th_model start; /* support and coefficients alone */
  bool start_coef;
  int64_t *exempt; /* attributes without a penalty */
  struct th_bounds bounds;
  struct th_fold_groups together;
  struct th_plan plan;
  struct th_model model;
};

/* Bytes of `memory` that stay in the form of files: little where the solver
 * keeps another form. Local. */
int64_t th_training_stored(const struct th_config *config, int64_t memory);

/* Check the configuration against the data and complete it; reads what `start`
 * and `groups` name. Data are read ahead from now on, by a thread where
 * threaded. Collective. End with th_training_free, also after a failure. */
th_status th_training_plan(struct th_training *training, struct th_comm *comm,
                           bool threaded, struct th_error *err);
/* Local. */
void th_training_free(struct th_training *training);

/* An error where a rank needs more than its share of memory. Collective. */
th_status th_training_check_memory(const struct th_training *training,
                                   struct th_comm *comm, int64_t share,
                                   struct th_error *err);

/* Add every option that can change the model, as it is used, to a model's deck.
 * Local. */
th_status th_training_deck(const struct th_training *training,
                           struct th_model *model, struct th_error *err);

/* Give the model that was trained its deck and the names of its attributes.
 * Collective. An error where the data were replaced meanwhile. */
th_status th_training_finish(struct th_training *training, struct th_comm *comm,
                             struct th_error *err);

#endif
