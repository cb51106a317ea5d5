/* pass.h - how a stochastic method passes over its training examples: a
 * mini-batch at a time, or all of them at one iterate
 *
 * Steps see a mini-batch. Outer loops, screening and certificates need sums
 * over all examples at one iterate. th_pass_make forms these into the engine's
 * full (stochastic.h); th_pass_measure forms those that step sizes need. The
 * engine knows whether a pass is current.
 * SPDX-License-Identifier: MIT */
#ifndef TH_PASS_H
#define TH_PASS_H

#include "base/error.h"
#include "ranks/comm.h"

#include <stdbool.h>
#include <stdint.h>

struct th_state;
struct th_stochastic;

/* --- Passes over all examples */

/* What a full pass finds, on the active attributes. Replicated. */
struct th_pass {
  double lambda;    /* that Z was made for */
  double objective; /* P(b) */
  double omega;     /* Omega(b) */
  double dual;      /* D(theta / c) */
  double gap;       /* P - D, at least 0 */
  double dual_norm; /* Omega^D(Z) */
};

/* The work arrays and results of a pass. Replicated; numbers of all examples
 * lie once on a node, as in solvers/access/context.h. */
struct th_full_pass {
  double *prediction;      /* of the last full pass */
  double *theta;           /* its dual point, before it is scaled */
  struct th_shared memory; /* of both */
  int64_t *sums;           /* of some examples, and a flag */
  int64_t room;            /* for so many */
  int64_t first;           /* the first of them */
  struct th_pass pass;
};

/* Room for n examples, of which up to `unit` are a deal unit. Collective. */
th_status th_pass_init(struct th_full_pass *full, struct th_comm *comm,
                       int64_t n, int64_t unit, struct th_error *err);
/* Bytes of the sums. Local. */
int64_t th_pass_bytes(int64_t n, int64_t unit);
/* Collective. */
void th_pass_free(struct th_full_pass *full);

/* Local. */
void th_pass_describe(struct th_pass *pass, const char *name,
                      struct th_state *state);

/* Hold the columns of attributes without a penalty, which passes fit.
 * Collective. */
th_status th_pass_fetch_exempt(struct th_stochastic *s, struct th_error *err);

/* Fill in s->full with predictions, dual point, objective and gap at b over all
 * training examples, and the field of Z. All coefficients must be current, as
 * between outer loops. Collective. An error where values are out of range. */
th_status th_pass_make(struct th_stochastic *s, struct th_error *err);

/* What a full pass has found becomes what is known again, and b0 what it was.
 * Local. */
void th_pass_restore(struct th_stochastic *s, const struct th_pass *pass,
                     double intercept);

/* Omega_g^D(v_g) of every group in s->places.group_dual, as a full pass leaves
 * that of Z there; the largest. Collective. */
double th_pass_dual_norm(struct th_stochastic *s, const double *v);

/* Compute N_j and the largest norm2(x_i)^2, with the parts of s->control and
 * s->scaling that follow from them, and batch_speedup: by how much steps of
 * mini-batches may be longer than those of single examples. Collective. */
th_status th_pass_measure(struct th_stochastic *s, struct th_error *err);

struct th_row;

/* Call after th_active_add has changed the active attributes. Row caches are
 * read again, and groups and cells are formed. N_j and step sizes are those of
 * before, until th_pass_measure. Z is lost. Collective. */
th_status th_pass_rebuild(struct th_stochastic *s, struct th_error *err);

/* --- Mini-batches */

/* One mini-batch. Replicated but for row[]. */
struct th_minibatch {
  int64_t rows;
  int64_t capacity;
  int64_t *index;     /* stored rows, in the order of drawing */
  struct th_row *row; /* this rank's values */
  double *prediction; /* x'b + b0 before the update */
  double *anchored;   /* the same at the anchor, if the rule has one */
  double *theta;      /* f'(prediction; y) */
  double *factor;     /* weight theta / rows: the mean gradient is the sum of
                         factor x over the rows */
  int64_t *sums;      /* predictions in fixed point, and a flag */
  int64_t holds;      /* deal units held, the present one last */
  int64_t *held;
};

/* Room for batches of that many rows. Local. */
th_status th_pass_batch_init(struct th_minibatch *minibatch, int64_t rows,
                             struct th_error *err);
void th_pass_batch_free(struct th_minibatch *minibatch);

/* The next mini-batch, its predictions and duals; *more = false: all passes are
 * over. Collective: one sum, none on one rank. */
th_status th_pass_batch_next(struct th_stochastic *s, bool *more,
                             struct th_error *err);

/* Release the deal units that the mini-batch no longer needs; release all.
 * Local. */
void th_pass_batch_release(struct th_stochastic *s, bool all);

#endif
