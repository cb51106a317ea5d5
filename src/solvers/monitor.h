/* monitor.h - the functions that a caller gives to follow a run
 * SPDX-License-Identifier: MIT */
#ifndef TH_MONITOR_H
#define TH_MONITOR_H

#include <stdbool.h>
#include <stdint.h>

struct th_certificate;
struct th_ending;

/* The progress of a run. Every rank reports it after every update. */
struct th_progress {
  int64_t examples; /* drawn so far */
  int64_t attributes_observed;
  double done;   /* share of the run, 0 to 1; negative: not known */
  double epochs; /* passes so far, without those of screening */
  int64_t updates;
  double loss; /* mean over the rows of the last update, before the step */
  int64_t support_size;
  const int64_t *support; /* borrowed */
  const double *coef;     /* in the data's own units */
  double intercept;
  double step_size;
  const struct th_certificate *certificate; /* borrowed; NULL: none */
  const struct th_ending *ending;           /* the same; none before the end */
};
struct th_monitor {
  void (*progress)(void *self, const struct th_progress *progress);
  void (*notice)(void *self, const char *text); /* one line for the user */
  /* Called within a long step, with the share of the run that is done, as in
   * th_progress, and a few words on what is going on. May be NULL. */
  void (*going)(void *self, double done, const char *text);
  /* Whether to end the run after this update, asked on every rank where the
   * solver can (row member anytime). One rank's yes ends it. May be NULL. */
  bool (*stop)(void *self);
  void *self;
};

#endif
