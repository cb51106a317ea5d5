/* monitor.h - who is told how a run is going
 * SPDX-License-Identifier: MIT */
#ifndef TH_MONITOR_H
#define TH_MONITOR_H

#include <stdint.h>

struct th_certificate;
struct th_ending;

/* How a run is going; called by every rank after every update. */
struct th_progress {
  int64_t examples; /* drawn so far */
  int64_t attributes_observed;
  double done;   /* share of the run, 0 to 1; less: not known */
  double epochs; /* passes so far, those of screening apart */
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
  /* In the midst of a long step: the share of the run that is done, as in
   * th_progress, and a few words on what is going on. NULL: nobody listens. */
  void (*going)(void *self, double done, const char *text);
  void *self;
};

#endif
