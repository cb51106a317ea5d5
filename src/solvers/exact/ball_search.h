/* ball_search.h - the penalty at which a solution has a given norm
 *
 * The lasso in a ball, min mean loss subject to Omega(b) <= B, has the solution
 * of the penalised problem at that lambda where Omega(b) is B. Omega falls as
 * lambda rises: for a squared loss along straight lines (Efron et al. 2004).
 * Lambda comes down from lambda_max until Omega is above B. Then regula falsi
 * with halved weights (the Illinois rule; Dowell & Jarratt 1971) closes in.
 *
 * All functions are local; their arguments are replicated.
 * SPDX-License-Identifier: MIT */
#ifndef TH_BALL_SEARCH_H
#define TH_BALL_SEARCH_H

#include "core/state.h"

#include <stdbool.h>

/* How near Omega has to come to the radius, as a share of it. */
#define TH_BALL_NEAR 1e-9

/* How far it may stay away without a notice: gaps tell no more. */
#define TH_BALL_CLOSE 1e-6

/* A lambda, and Omega less the radius there. */
struct th_ball_end {
  double lambda;
  double excess;
};

struct th_ball_search {
  double radius;           /* 0: there is no ball, and nothing to search */
  double lambda;           /* to solve for next; the last one, once done */
  double least;            /* the smallest lambda that is tried */
  struct th_ball_end high; /* the solution is in the ball */
  struct th_ball_end low;  /* it is not; lambda 0: none such found yet */
  int side;                /* of the last lambda: 1 high, -1 low, 0 none yet */
  bool done;
  bool binds; /* false once done: the ball holds all solutions */
};

/* Begin at a share of lambda_max. If that is 0, all solutions are zero. */
struct th_ball_search th_ball_search_begin(double radius, double lambda_max);

/* Omega of the solution at search->lambda is known: go on to the next lambda,
 * or end. enough: no model in the ball is better by as much as counts, so a
 * ball that has not bound so far need not be tried further. */
void th_ball_search_take(struct th_ball_search *search, double omega,
                         bool enough);

void th_ball_search_describe(struct th_ball_search *search,
                             struct th_state *state);

#endif
