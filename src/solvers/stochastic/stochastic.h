/* stochastic.h - the engine of stochastic methods
 *
 * min P(b) = sum_i eta_i f(x_i'b + b0; y_i) + lambda Omega(b), eta_i =
 * weight_i / n, b0 only with --intercept. Examples come one by one, or in
 * mini-batches. Each rank forms its share of their predictions, and these are
 * summed over ranks. An update rule changes the coefficients, each at its
 * owner. From time to time a screening rule drops attributes. Rules are tables
 * of functions: update rules in updates.c, screening rules in screen_gap_safe.c
 * and screen_online.c.
 *
 * All functions that do not say otherwise are collective.
 * SPDX-License-Identifier: MIT */
#ifndef TH_STOCHASTIC_H
#define TH_STOCHASTIC_H

#include "math/grouping.h"
#include "model/claims.h"
#include "model/model.h"
#include "solvers/access/active.h"
#include "solvers/access/example_order.h"
#include "solvers/access/row_caches.h"
#include "solvers/access/support.h"
#include "solvers/algorithms.h"
#include "solvers/penalised/exempt.h"
#include "solvers/stochastic/coef.h"
#include "solvers/stochastic/pass.h"
#include "state/state.h"

#include <stdbool.h>
#include <stdint.h>

/* Vectors over the active places: active.field[...]. */
enum th_field {
  TH_FIELD_COEF, /* b; not all current between steps: see catch_up and flush */
  TH_FIELD_SECOND, /* N_j = sum eta_i x_ij^2 */
  TH_FIELD_DUAL,   /* Z, of the last full pass */
  TH_FIELD_LAZY,   /* the state of a coefficient that is updated lazily */
  TH_FIELD_UPDATE  /* first of the update rule's own; then the screening's */
};

struct th_problem;

/* How coefficients change. Collective unless said otherwise; a function that
 * is not needed is NULL. */
struct th_update {
  size_t size;       /* bytes of its state: update_state, which the engine makes
                        as zeros and frees; 0: none */
  int fields;        /* vectors of its own */
  int example_bytes; /* that every rank keeps of each example */
  double constant;   /* step size times Lmax; 0: decaying steps */
  bool memoryless;   /* steps depend on b alone, so attributes that come back
                        after a check go on as if never left out */
  /* Give the state its first values. */
  th_status (*create)(struct th_stochastic *s, struct th_error *err);
  /* At the start of an outer loop. */
  th_status (*begin)(struct th_stochastic *s, struct th_error *err);
  /* Make the coefficients of a row's entries current, before it is multiplied.
   * Local. */
  void (*catch_up)(struct th_stochastic *s, const struct th_row *row);
  /* Use the mini-batch, whose step size is s->control.step_size. */
  void (*step)(struct th_stochastic *s);
  /* Make all coefficients current. Local. */
  void (*flush)(struct th_stochastic *s);
  /* The state between outer loops, beside its vectors. Local. */
  void (*describe)(struct th_stochastic *s, struct th_state *state);
  /* The rounding of values has changed: take what is remembered of them from
   * the full pass that has been made since. Local. */
  void (*restart)(struct th_stochastic *s);
  void (*free)(struct th_stochastic *s); /* what its state owns; local */
};

/* How attributes are dropped. The same conventions. */
struct th_screening {
  size_t size; /* of screening_state */
  int fields;
  bool anchored; /* needs predictions at an anchor, too: its field 0 */
  th_status (*create)(struct th_stochastic *s, struct th_error *err);
  /* Batches until the next end; NULL: th_stochastic_block. */
  int64_t (*block)(struct th_stochastic *s);
  /* The state between outer loops, beside its vectors. Local. */
  void (*describe)(struct th_stochastic *s, struct th_state *state);
  /* Look at a mini-batch before the update, when its theta is known. Local. */
  void (*observe)(struct th_stochastic *s);
  /* After a block: set s->places.keep and call th_coef_places_keep. */
  th_status (*end)(struct th_stochastic *s, struct th_error *err);
  /* After the last block; may change the model. */
  th_status (*finish)(struct th_stochastic *s, struct th_error *err);
  /* True if finish makes the model the exact solution, so that no earlier gap
   * is the model's. Local. */
  bool (*exact)(const struct th_stochastic *s);
  /* After such a finish: go on to a smaller gap, with values whose rounding may
   * have changed. */
  th_status (*refine)(struct th_stochastic *s, double gap,
                      struct th_error *err);
};

/* Step sizes and counters. Replicated. */
struct th_step_control {
  int64_t measured;     /* number of active attributes when the next three were
                           measured */
  double smoothness;    /* L of the loss f */
  double largest;       /* max_i norm2(x_i)^2 */
  double curvature;     /* L max_i weight_i norm2(x_i)^2 */
  double heaviest;      /* max_i weight_i */
  double constant;      /* c^2, where the intercept is b0 = c u
                           (pass.c) */
  double batch_speedup; /* how much longer steps of a mini-batch may be */
  double step_size;     /* of the present mini-batch */
  int64_t epoch_half;   /* the half epoch that step_size was made for */
  int64_t drawn;        /* examples used by steps so far */
  int64_t steps;        /* mini-batches so far */
  double threshold; /* sum of the soft thresholds since the last flush, for lazy
                       updates */
  int64_t flushed_at; /* steps at the last flush */
  double loss;        /* mean over the mini-batches of the last outer loop */
};

/* The gap that ends a run, and certificates of it (stochastic.c). */
struct th_goal {
  double zero_objective;
  bool last;          /* this lambda is the last: its model is written */
  int64_t certify_at; /* examples drawn at the next check of the gap */
  struct th_problem *problem;  /* for certificates; NULL until it is needed */
  struct th_certificate whole; /* over all attributes; without a path */
};

struct th_stochastic {
  struct th_context *context; /* borrowed, like the rules */
  const struct th_update *update;
  const struct th_screening *screening;
  void *update_state; /* of the size that the rule's row says, or NULL; each */
  void *screening_state; /* row describes its own */
  struct th_active active;
  struct th_grouping grouping; /* of them */
  struct th_exempt exempt;     /* attributes without a penalty: every full pass
                                  fits them, with the intercept */
  struct th_row_caches caches;
  struct th_example_order order;
  struct th_places places;
  struct th_minibatch minibatch;
  /* Replicated from here on. */
  double lambda;
  int64_t n;
  struct th_all_targets all;
  const double *target; /* n, of these */
  const double *eta;    /* weight / n: the sum is 1 */
  struct th_full_pass full;
  struct th_step_control control;
  struct th_scaling scaling;
  struct th_goal goal;
  unsigned known;   /* set of enum th_known */
  double intercept; /* b0 */
  double anchor_intercept;
  double confidence; /* that what was screened is 0; 1: exact */
  int64_t moves;     /* of active attributes between ranks */
  double balanced;   /* most attributes of a rank over the mean, after the last
                        move */
  bool done;         /* nothing is left to do */
  struct th_certificate certificate;
  struct th_support support;
};

/* ---- the driver's side (stochastic.c); collective ---- */

th_status th_stochastic_create(struct th_stochastic **made,
                               struct th_context *context,
                               const struct th_update *update,
                               const struct th_screening *screening,
                               struct th_error *err);

/* Where to begin at a point of a path (--path): the model of the point before.
 */
struct th_warm {
  int64_t point;
  const struct th_support *model; /* borrowed; NULL: the zero model */
};
th_status th_stochastic_resume(struct th_stochastic **made,
                               struct th_context *context,
                               const struct th_update *update,
                               const struct th_screening *screening,
                               const struct th_warm *warm,
                               struct th_error *err);
/* Make one outer loop: a block of mini-batches, then screening. */
th_status th_stochastic_step(void *state, struct th_context *context,
                             bool *more, struct th_error *err);
th_status th_stochastic_finish(void *state, struct th_context *context,
                               struct th_error *err);
/* What has ended the run, after th_stochastic_certify. Local. */
enum th_ended_by th_stochastic_ended_by(const struct th_stochastic *s);

/* Certify the model over all attributes, after th_stochastic_finish. */
th_status th_stochastic_certify(struct th_stochastic *s, struct th_error *err);
/* Tell the user if the wanted gap was not reached. The certificate has the gap.
 * Local. */
void th_stochastic_notify(const struct th_stochastic *s);
/* The share of the present lambda's epochs, which a gap may end. Local. */
double th_stochastic_done(const struct th_stochastic *s);
/* Collective. */
void th_stochastic_free(void *state);

/* The state between outer loops (stochastic.c). Collective. A state is
 * put into an engine of the same rules at the same point of the path. */
void th_stochastic_describe(struct th_stochastic *s, struct th_state *state);

/* ---- for rules ---- */

/* Vector `field` of the update rule, of the screening rule. Local. */
static inline double *th_stochastic_update_field(const struct th_stochastic *s,
                                                 int field)
{
  return s->active.field[TH_FIELD_UPDATE + field];
}
static inline double *
th_stochastic_screening_field(const struct th_stochastic *s, int field)
{
  return s->active.field[TH_FIELD_UPDATE + s->update->fields + field];
}

/* The first step size: --eta, else 1 / Lmax, longer for mini-batches; Lmax = L
 * max_i weight_i (norm2(x_i)^2 + constant). Local. */
double th_stochastic_first_step(const struct th_stochastic *s);

/* Batches between two screenings: 4 n examples, or --screen-every. Local. */
int64_t th_stochastic_block(struct th_stochastic *s);

/* --- Which derived quantities are current
 *
 * Passes, bounds and certificates belong to the coefficients and the active
 * attributes that they were computed for. Code that changes these says so by
 * th_stochastic_changed, code that computes them by th_stochastic_learnt.
 * One table says what a change makes unknown. */

enum th_known {
  TH_KNOWN_COEF_BOUND = 1, /* scaling.coef_bound bounds the present b */
  TH_KNOWN_LOOKED = 2,     /* full.pass has been made in this outer loop, */
  TH_KNOWN_PASS = 4,       /* full.pass belongs to the present coefficients */
  TH_KNOWN_CERTIFICATE = 8 /* goal.whole and support belong to them */
};

enum th_change {
  TH_CHANGE_LOOP,       /* an outer loop begins */
  TH_CHANGE_STEPS,      /* coefficients move, and their bound with them */
  TH_CHANGE_PLACES,     /* attributes leave or come */
  TH_CHANGE_COEF,       /* coefficients are replaced */
  TH_CHANGE_PROBLEM,    /* passes so far were of another problem */
  TH_CHANGE_COEF_BOUND, /* the bound was used for something else */
  TH_CHANGE_END,        /* the end of the run may change the model */
  TH_CHANGES
};

/* All local; replicated. */
static inline void th_stochastic_learnt(struct th_stochastic *s, unsigned what)
{
  s->known |= what;
}
static inline void th_stochastic_changed(struct th_stochastic *s,
                                         enum th_change change)
{
  /* what is no longer known after it */
  static const unsigned forgotten[TH_CHANGES] = {
      [TH_CHANGE_LOOP] = TH_KNOWN_LOOKED | TH_KNOWN_PASS | TH_KNOWN_CERTIFICATE,
      [TH_CHANGE_STEPS] = TH_KNOWN_COEF_BOUND,
      [TH_CHANGE_PLACES] = TH_KNOWN_PASS | TH_KNOWN_CERTIFICATE,
      [TH_CHANGE_COEF] = TH_KNOWN_PASS | TH_KNOWN_COEF_BOUND,
      [TH_CHANGE_PROBLEM] = TH_KNOWN_PASS,
      [TH_CHANGE_COEF_BOUND] = TH_KNOWN_COEF_BOUND,
      [TH_CHANGE_END] = TH_KNOWN_CERTIFICATE};
  s->known &= ~forgotten[change];
}

#endif
