/* plan.h - what a run is going to do (made by driver/train.c), and what the
 * plans of several families share
 * SPDX-License-Identifier: MIT */
#ifndef TH_PLAN_H
#define TH_PLAN_H

#include "data/store.h"
#include "solvers/config.h"

#include <stdbool.h>
#include <stdint.h>

struct th_shape;
struct th_solver_row;

/* What a plan is made for. */
struct th_plan_size {
  const struct th_shape *shape;
  int ranks;
  int64_t owned;   /* attributes of the rank that owns the most */
  int together;    /* ranks of a node, of that with the fewest; 0: as 1 */
  int64_t room;    /* bytes that these can share, of the node with the least */
  int64_t memory;  /* bytes that these have, where a rank has the least */
  int64_t entries; /* sparse: of training examples, of the rank with the most,
                      about; 0: the attributes have as many each */
};

/* What a run on a store is planned for. Local, the same on every rank. */
struct th_plan_size th_plan_size_of(const struct th_store *store, int ranks);

/* The part of each rank of what the ranks of a node hold once among them.
 * Local. */
double th_plan_part(const struct th_plan_size *size, double bytes);

/* Entries of the rank with the most. Local. */
int64_t th_plan_entries(const struct th_plan_size *size);

/* Bytes of an attribute's values on so many training examples, in columns that
 * a node holds once (access/replicated_columns.h); of sparse data about, for
 * one with the mean number of entries. Local. */
double th_plan_column(const struct th_plan_size *size, double examples);

/* What a run is going to do, decided before anything large is allocated. */
struct th_plan {
  struct th_config config; /* with every "automatic" replaced where it can be
                              known before the first example is read */
  const struct th_solver_row *solver; /* the row of config.solver */
  int64_t deal_unit;                  /* u */
  int64_t blocks;                     /* d' of the first update */
  int64_t memory;       /* bytes that this rank needs besides stored values,
                           with its part of what a node holds once */
  int64_t stored;       /* bytes of these on the rank with the most, if all that
                           are read stay in memory */
  int64_t pairs;        /* bytes of all ranks, among them, of a number for each
                           pair of attributes; 0: none are kept */
  int64_t read_bytes;   /* expected, of all ranks, if values that were read stay
                           in memory */
  int64_t stream_bytes; /* the same if nothing stays in memory */
  double touched;       /* the share of the pages of dense data on which single
                           values are asked for; 0: none are, or not known */
  int64_t row_group;    /* examples of larger ones, with which runs that are
                           read again and again would be longer; 0: they are
                           long, or stay in memory, or would not be */
  int64_t updates;      /* expected, 0: not known beforehand */
  int64_t screens;      /* passes over blocks, before an end that predicts */
  int64_t list;         /* attributes on the list of the end; 0: no list */
  double fit_visits;    /* values that these fits visit, expected */
  int64_t points;       /* lambdas, expected; 0: no penalty */
  double visits;        /* stored values that are computed with, expected */
  double most_visits;   /* the same if no gap ends the run early; 0: none can */
};

/* True if single values lie on so many pages that all of the data are read.
 * Local. */
bool th_plan_reads_whole(const struct th_plan *plan);

/* --- Plans of solvers that read some attributes of each example, drawn at
 * random. Local. */

/* An error for a loss of labels. */
th_status th_plan_sampled_check_loss(const struct th_config *config,
                                     struct th_error *err);

/* Fill in what a run reads, where budget, passes and batch are chosen: all but
 * its memory. */
void th_plan_sampled_fill(struct th_plan *plan,
                          const struct th_plan_size *size);

/* An error where examples stay together (config.choice.together) in fewer
 * groups than `folds`, or than two. Local. */
th_status th_plan_check_together(const struct th_config *config, int64_t folds,
                                 struct th_error *err);

/* --- Plans of solvers with a penalty. Local. */

/* The part of the plan that all such solvers share: lambda, passes, reads and
 * the memory of groups. A solver's own plan adds its memory and visits. An
 * error for options that exclude each other. */
th_status th_plan_penalised(struct th_plan *plan,
                            const struct th_plan_size *size,
                            struct th_error *err);

/* The lambda that the options ask for, by the smallest one at which the model
 * is zero (0: nothing correlates with the target, any lambda will do); point:
 * of --path, from 0 on. */
double th_plan_penalised_lambda(const struct th_config *config,
                                double lambda_max, int64_t point);

/* Stored values of the training examples. */
double th_plan_penalised_values(const struct th_shape *shape);

#endif
