/* monitor.h - the functions that a caller gives to follow a run
 * SPDX-License-Identifier: MIT */
#ifndef TH_MONITOR_H
#define TH_MONITOR_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct th_certificate;
struct th_ending;
struct th_state;
struct th_state_image;

/* The progress of a run. Every rank reports it after every update. */
struct th_progress {
  int64_t examples; /* drawn so far */
  int64_t attributes_observed;
  double done;   /* share of the run, 0 to 1; negative: not known */
  double epochs; /* passes so far, without those of screening */
  int64_t updates;
  double loss; /* mean over the rows of the last update, before the step: of a
                  squared loss the mean squared error; or the objective */
  const char *loss_name; /* "squared", and so on; static */
  bool objective;        /* the loss is that: with the penalty, and of a squared
                            loss half */
  bool unpublished;      /* the model of the moment is not known yet: there is
                            no support, and no number that follows from it */
  int64_t support_size;
  const int64_t *support; /* borrowed */
  const double *coef;     /* in the data's own units */
  double intercept;
  double step_size;
  int64_t fold; /* where lambda is chosen: the fold that is held out, from 1 on;
                   0: none; of `folds` */
  int64_t folds;    /* 0: nothing is chosen */
  double remaining; /* bound on the root mean square of the true coefficients
                       that are left out, in the data's own units; 0: none */
  bool remaining_holds; /* false: if what is assumed holds */
  const struct th_certificate *certificate; /* borrowed; NULL: none */
  const struct th_ending *ending;           /* the same; none before the end */
};

/* TH_STOP_IN_TIME: nobody asked for a stop, but the time is nearly up. */
enum th_wish { TH_GO_ON, TH_SAVE, TH_STOP_IN_TIME, TH_STOP };

/* For runs that are kept, so that they can be gone on with; save NULL: this one
 * is not. The functions are collective. */
struct th_keeping {
  /* Describe what the monitor itself keeps with the state of the run. */
  void (*describe)(void *self, struct th_state *state);
  /* Is there room for this state? Asked before the first update. */
  th_status (*room)(void *self, const struct th_state *state,
                    struct th_error *err);
  /* Keep the state. *kept: it could be; otherwise the monitor has said so. A
   * failure ends the run: it can have no model. */
  th_status (*save)(void *self, const struct th_state *state, bool *kept,
                    struct th_error *err);
  /* The state to go on from; NULL: the run begins. Borrowed. */
  const struct th_state_image *from;
};

/* The functions are local where nothing else is said. */
struct th_monitor {
  void (*progress)(void *self, const struct th_progress *progress);
  void (*notice)(void *self, const char *text); /* one line for the user */
  /* Called within a long step, with the share of the run that is done, as in
   * th_progress, and a few words on what is going on. May be NULL. */
  void (*going)(void *self, double done, const char *text);
  /* A part of the run begins, of which nobody knows how long it takes beside
   * the others: `done` is a share of it from now on. at_most: it may end before
   * all of it is done. May be NULL. */
  void (*part)(void *self, bool at_most);
  /* What to do after this update; asked on every rank, and the strongest wish
   * of any rank counts. over: it was the last one, and the model is made next.
   * NULL: go on. A run that is not kept can be stopped only where the solver
   * has a model at any time (row member anytime). */
  enum th_wish (*wish)(void *self, bool over);
  /* True to end within an update or within the end of the run, and lose what
   * has been done since the run was last saved. Ranks may differ; one is
   * enough. Asked very often. NULL: no. */
  bool (*leaves)(void *self);
  /* The updates are over: no wish is asked for any more. NULL: nobody cares. */
  void (*ending)(void *self);
  struct th_keeping keeping;
  void *self;
};

#endif
