/* keeper.h - when a run is saved and when it is stopped; what it goes on from
 *
 * A keeper that is off (no --checkpoint) only tells when a run is to stop.
 * SPDX-License-Identifier: MIT */
#ifndef TH_KEEPER_H
#define TH_KEEPER_H

#include "api/training.h"
#include "cli/options/options.h"
#include "io/checkpoint/checkpoint.h"
#include "solvers/monitor.h"

struct th_keeper {
  bool on;
  bool shows; /* this rank prints what happens */
  struct th_comm *comm;
  struct th_data *data; /* that the run is on; borrowed */
  struct th_checkpoint checkpoint;
  struct th_checkpoint_image found;
  char *key;             /* what the run depends on */
  double end;            /* when the run has to end, by th_comm_clock */
  double every;          /* seconds between two checkpoints, */
  int64_t every_updates; /* or updates; 0: by the time */
  double saved;          /* when the last one was written, */
  int64_t saved_update;  /* and after which update */
  double writing;        /* longest time that writing one has taken, */
  bool measured;         /* or, at first, an estimate */
  bool failed;           /* the last one could not be written */
  double asked;          /* when th_keeper_wish was last called */
  double looked;         /* for a file STOP */
  double update;         /* longest time of an update */
  bool fresh;            /* what is there is to be removed */
  bool begun;            /* there is a checkpoint to go on from */
  bool current;          /* nothing but what is under way is lost by leaving */
  double told;           /* when a stop was asked for; 0: it was not */
  bool by_file;          /* rank 0: by a file STOP, not by a signal */
  int64_t polls;         /* calls of th_keeper_leaves */
};

/* Begin: find out when the run has to end, and claim the folder of checkpoints.
 * Collective. End with th_keeper_close, also after a failure. */
th_status th_keeper_open(struct th_keeper *keeper,
                         const struct th_options *options, double began,
                         struct th_comm *comm, struct th_error *err);

/* Find the checkpoint to go on from; with --fresh there is none, and the old
 * ones are removed once the run can begin. Collective. An error if it is of
 * another run, or if none is whole. */
th_status th_keeper_find(struct th_keeper *keeper, bool fresh,
                         struct th_training *training, struct th_error *err);

/* The run begins, or goes on, from this state: is there room for checkpoints?
 * Where there is none, a run that goes on does so with a note. What was found
 * is released. Collective. */
th_status th_keeper_begin(struct th_keeper *keeper,
                          const struct th_state *state, struct th_error *err);

/* What to do after an update. over: it was the last one. Local. */
enum th_wish th_keeper_wish(struct th_keeper *keeper, int64_t updates,
                            bool over);

/* True if a long update, or the end of the run, is to be left where it is. An
 * update that ends a few seconds after a stop was asked for is waited for.
 * After one that took long the run is saved, so that the next one can be left:
 * a checkpoint then takes at most a hundredth of the time. A run without any
 * checkpoint is left only if somebody asks, not at the end of its time, since
 * it would come no further the next time. Local. */
bool th_keeper_leaves(struct th_keeper *keeper);

/* Write a checkpoint. *kept: it was written; else rank 0 has said why not.
 * Collective. An error where the data are no longer those that the run began
 * with. */
th_status th_keeper_save(struct th_keeper *keeper, const struct th_state *state,
                         int64_t updates, bool *kept, struct th_error *err);

/* The model is written: remove the checkpoints. Collective. */
void th_keeper_done(struct th_keeper *keeper);

/* Collective. */
void th_keeper_close(struct th_keeper *keeper);

/* The exit status of a run that was stopped early: THRESHER_STOP_STATUS, 3 to
 * 125, for batch systems that requeue jobs by another status; else `usual`.
 * Local. */
int th_keeper_stop_status(int usual);

#endif
