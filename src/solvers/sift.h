/* sift.h - the state of solver `sift`, and its parts: evidence, end
 *
 * The sweep itself, which puts them together, is in sift.c.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SIFT_H
#define TH_SIFT_H

#include "solvers/sift_fit.h"

#include <stdbool.h>
#include <stdint.h>

/* Replicated but for evidence and z. */
struct th_sift {
  struct th_support support;   /* S with theta, entrants among them */
  struct th_support confirmed; /* S without entrants: the model as it is */
  struct th_blocks blocks;     /* J */
  struct th_batch batch;
  struct th_gram gram; /* of one sweep */
  struct th_sift_fit fit;
  struct th_selection selection;
  double *evidence; /* U, W, Q of the owned attributes, then u, v, q */
  double *z;
  bool extreme;     /* th_sift_has_extremes */
  double threshold; /* z0 */
  int64_t largest_support;
  int64_t sweep;      /* k, from 0 */
  int64_t reserve;    /* p_end: rows kept for the end */
  double smallest;    /* rmin */
  double mean_square; /* r2 of the last sweep */
  double unit;        /* power of two that brings sqrt(r2) to 0.5 .. 1 */
  double label_mean;  /* labels -1, +1 are centred for the evidence */
  double least;       /* r2 of labels counts as no less */
  double luck;        /* rows of the rarer label that luck may bring, times
                         their squared residual */
};

/* ---- evidence: U, W, Q of every owned attribute (sift_evidence.c) ---- */

/* Owner: u_j = sum r x_j, v_j = sum x_j^2, q_j = sum r^2 x_j^2 of the blocks of
 * this sweep. Collective. */
th_status th_sift_gather(struct th_sift *s, struct th_context *context,
                         struct th_error *err);

/* Does this rank own an attribute whose squares leave the range of f32? Local.
 */
bool th_sift_has_extremes(const struct th_context *context);

/* U += u/r2, W += v/r2, Q += q/r2^2; n rows give no more evidence than n rows,
 * however often they are read. Local. */
void th_sift_keep(struct th_sift *s, const struct th_context *context);

/* What was known about an attribute no longer holds. Local. */
void th_sift_forget(struct th_sift *s, const struct th_context *context,
                    int64_t attribute);

/* Residuals that have doubled while nobody is on probation mean that S has
 * changed for the worse: all evidence is about another S then, and is
 * forgotten. Local. */
void th_sift_watch(struct th_sift *s, const struct th_context *context);

/* z_j of the owned attributes outside S, 0 on S. Local. */
void th_sift_score(struct th_sift *s, const struct th_context *context);

/* bits[k] = the bit pattern of U_j / W_j, the first guess at theta_j, of each
 * chosen attribute. Collective. */
void th_sift_guess(struct th_sift *s, struct th_context *context,
                   const struct th_choice *chosen, int64_t found,
                   int64_t *bits);

/* Say so where squares of the residuals follow the attributes. Collective. */
void th_sift_warn_of_tails(const struct th_sift *s, struct th_context *context);

/* Is a member of S an entrant of the last sweep? Local. */
bool th_sift_on_probation(const struct th_sift *s);

/* ---- the end: what is left of the rows goes to S (sift_end.c) ---- */

/* Entrants leave; the kept rows see S only; backward elimination to -s; least
 * squares, or Newton steps. Collective. */
th_status th_sift_end(struct th_sift *s, struct th_context *context,
                      struct th_error *err);

#endif
