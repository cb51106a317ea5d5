/* screen_online.h - what the files of online screening share
 *
 * th_screen_online is a rule of the engine (solvers/stochastic/stochastic.h).
 * Its vectors over the active places are the screening fields below.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SCREEN_ONLINE_H
#define TH_SCREEN_ONLINE_H

#include "math/online.h"
#include "solvers/stochastic/stochastic.h"

enum th_online_field {
  TH_ONLINE_ANCHOR, /* bbar: where the engine looks for it */
  TH_ONLINE_X,      /* as in math/online.h */
  TH_ONLINE_Z,
  TH_ONLINE_N,
  TH_ONLINE_AVERAGE, /* sum of iterates of the block */
  TH_ONLINE_VOTES,   /* ballots against an attribute: rule votes */
  TH_ONLINE_SAFE,    /* b at the last check that found no error */
  TH_ONLINE_HELD,    /* b while a check works at another point */
  TH_ONLINE_BACK,    /* 1: a check made it active again */
  TH_ONLINE_EXACT, /* the iterate of checks on its way to the exact solution */
  TH_ONLINE_WAS,   /* 1: was active before the check */
  TH_ONLINE_FIELDS
};

/* The number of examples that the anchor is chosen on: those seen last. */
enum { TH_ONLINE_RECENT = 256 };

/* Replicated. */
struct th_online_screen {
  struct th_online online;
  int64_t first_length;             /* steps of the first block */
  int64_t averaged;                 /* iterates in the average */
  double intercept;                 /* sum of their b0 */
  int64_t recent[TH_ONLINE_RECENT]; /* stored rows, a ring */
  int64_t seen;             /* examples that have passed through the ring */
  int64_t ballots;          /* held so far: rule votes */
  int64_t checked;          /* active attributes after the last check */
  int64_t drawn;            /* examples used by steps until then */
  int64_t checks;           /* checks of a stream */
  int64_t doubtful;         /* attributes left out without proof */
  bool refined;             /* TH_ONLINE_EXACT holds something */
  struct th_pass certified; /* certifies the last exact solution, */
  double certified_intercept;
  int64_t certified_active; /* valid while so many attributes are active; -1:
                               never */
  double safe_intercept;
  double wanted;     /* gap of an exact solution; 0: the usual one */
  double held_omega; /* Omega of the anchor */
};

/* A field becomes 0. Local. */
void th_screen_online_clear(struct th_stochastic *s,
                            enum th_online_field field);

/* ---- the anchor (screen_online_check.c) ---- */

/* The anchor of the next block, and its Omega: the iterate, or for rule proj
 * the block's average behind a hard threshold. Collective. */
th_status th_screen_online_check_anchor(struct th_stochastic *s,
                                        struct th_error *err);

/* ---- safety on a stream (screen_online.c) ---- */

/* One pass over many examples: nothing is solved exactly. n: training examples.
 * Local. */
bool th_screen_online_stream_of(const struct th_config *config, int64_t n);

/* ---- safety (screen_online_check.c) ---- */

/* Make all attributes active; the field WAS is 1 where they were before. Row
 * caches must be read again, and second moments of the new ones are 0.
 * Collective. */
th_status th_screen_online_check_readmit(struct th_stochastic *s,
                                         struct th_error *err);

/* Solve the problem exactly on the active attributes, look at all others, and
 * make those active again that the solution needs. Repeat until there are none.
 * b becomes the exact solution, whose certificate is filled in. *readmitted:
 * how many came back; -1 if `most` passes over the examples did not reach an
 * exact solution, or if no number can. The next call goes on from there.
 * Collective. */
th_status th_screen_online_check_refine(struct th_stochastic *s, int64_t most,
                                        int64_t *readmitted,
                                        struct th_error *err);

/* b becomes a solution that another solver has found, in the units of s.
 * Attributes of it that had been left out come back. Collective. */
th_status th_screen_online_check_adopt(struct th_stochastic *s,
                                       const struct th_support *solution,
                                       int64_t *readmitted,
                                       struct th_error *err);

#endif
