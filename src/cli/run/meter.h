/* meter.h - progress of long work: a bar on a terminal, else a line now and
 * then, on the standard error
 *
 *   [########................]  35 %, 12 s elapsed, 22 s left  reading text
 *
 * If the work may end before all of it is done: `at most 22 s left`. If it has
 * parts of which nobody knows how they compare: `22 s left of part 1`; the
 * share is that of the part.
 *
 * An estimate that has not come true is a lie: once the time of one has passed
 * and the part goes on, there is none any more until the next part.
 *
 * Work that is done within two seconds leaves no line. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_METER_H
#define TH_METER_H

#include <stdbool.h>
#include <stdio.h>

struct th_meter {
  FILE *out; /* NULL: nothing is shown */
  bool terminal;
  bool bar;     /* one stands on the terminal */
  bool at_most; /* the work may end early; for the caller to set */
  double (*clock)(void);
  double began;      /* by the clock */
  double shown;      /* when the last bar or line was */
  int part;          /* from 1 on; 0: there is one only */
  double part_began; /* when it was at `from`, a share of it */
  double from;
  double promised; /* the earliest end of it that was shown */
  bool broken;     /* that has passed */
};

/* Begin to measure the time. shows: this rank shows the progress; it is rank 0,
 * and --quiet is not given. */
void th_meter_begin(struct th_meter *meter, bool shows);

/* The next part of the work begins. */
void th_meter_part(struct th_meter *meter);

/* So much of the part was done before now, at another pace or by an earlier
 * run: the time left follows from what is done from now on. */
void th_meter_go_on(struct th_meter *meter, double fraction);

/* True if th_meter_show would show anything now. Ask it first if the text takes
 * time to make. */
bool th_meter_due(const struct th_meter *meter);

/* Show where the work is, if it is due. fraction: the share of the work that is
 * done, 0 to 1, from which the time left follows; negative: not known. what: a
 * few words, one line. */
void th_meter_show(struct th_meter *meter, double fraction, const char *what);

/* Seconds left of the part where so much of it is done, as it would be shown;
 * negative: nobody knows. Nothing is promised by it. */
double th_meter_left(const struct th_meter *meter, double fraction);

/* Show what is known of work that goes on elsewhere, due or not. */
struct th_meter_times {
  double fraction; /* negative: not known */
  double elapsed;  /* seconds */
  double left;     /* the same; negative: not known */
  int part;        /* from 1 on; 0: there is one only */
  bool at_most;
};
void th_meter_put(struct th_meter *meter, const struct th_meter_times *times,
                  const char *what);

/* Remove the bar from the terminal, before other output and at the end. Legal
 * on a zeroed record. */
void th_meter_clear(struct th_meter *meter);

/* "12 s", "3 min 20 s", "2 h 5 min". */
enum { TH_DURATION_TEXT = 32 };
const char *th_meter_duration_text(double seconds, char text[TH_DURATION_TEXT]);

#endif
