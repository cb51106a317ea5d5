/* stochastic.h - the engine of stochastic methods
 *
 * min P(b) = sum_i eta_i f(x_i'b + b0; y_i) + lambda Omega(b), eta_i = weight_i
 * / n, b0 only with --intercept. Examples come one by one, or in mini-batches;
 * the share that this rank has in their predictions is summed over ranks; an
 * update rule changes the coefficients, each of them at its owner; from time to
 * time a screening rule drops attributes. Rules are tables of functions, one
 * file each.
 *
 * All functions that do not say otherwise are collective. A status is one of
 * TH_EUSAGE, TH_ENUMERIC, TH_ENOMEM, and of reading TH_EBUDGET, TH_EDATA,
 * TH_EFORMAT, TH_EIO.
 * SPDX-License-Identifier: MIT */
#ifndef TH_STOCHASTIC_H
#define TH_STOCHASTIC_H

#include "core/model.h"
#include "core/state.h"
#include "math/grouping.h"
#include "solvers/algorithm.h"
#include "solvers/data/active.h"
#include "solvers/data/example_order.h"
#include "solvers/data/row_cache.h"
#include "solvers/data/support.h"
#include "solvers/stochastic/stochastic_control.h"
#include "solvers/stochastic/stochastic_known.h"
#include "solvers/stochastic/stochastic_pass.h"
#include "solvers/stochastic/stochastic_scaling.h"

#include <stdbool.h>
#include <stdint.h>

/* Vectors over the active places: active.field[...]. */
enum th_field {
  TH_FIELD_COEF,   /* b, as far as it is current: see catch_up and flush */
  TH_FIELD_SECOND, /* N_j = sum eta_i x_ij^2 */
  TH_FIELD_DUAL,   /* Z, of the last full pass */
  TH_FIELD_LAZY,   /* what has been done to a coefficient */
  TH_FIELD_UPDATE  /* first of the update rule's own; then the screening's */
};

/* One mini-batch. Replicated but for row[]. */
struct th_minibatch {
  int64_t rows;
  int64_t capacity;
  int64_t *index;     /* stored rows, in the order of drawing */
  struct th_row *row; /* this rank's values */
  double *prediction; /* x'b + b0 before the update */
  double *anchored;   /* the same at the anchor, where one is wanted */
  double *theta;      /* f'(prediction; y) */
  double *factor;     /* weight theta / rows: the mean gradient is the sum of
                         factor x over the rows */
  int64_t *sums;      /* predictions in fixed point, and a flag */
  int64_t holds; /* deal units whose row caches are held, the present last */
  int64_t *held;
};

struct th_problem;

/* How coefficients change. Collective unless said otherwise; a function that
 * is not needed is NULL. */
struct th_update {
  int fields;      /* vectors of its own */
  double constant; /* step size times Lmax; 0: decaying steps */
  bool memoryless; /* steps depend on b alone: attributes that a check of online
                      screening takes back go on as if never left out */
  th_status (*create)(struct th_stochastic *s, struct th_error *err);
  /* At the start of an outer loop. */
  th_status (*begin)(struct th_stochastic *s, struct th_error *err);
  /* Make the coefficients that a row meets current, before it is multiplied.
   * Local. */
  void (*catch_up)(struct th_stochastic *s, const struct th_row *row);
  /* Use the sample, whose step size is s->control.step_size. */
  void (*step)(struct th_stochastic *s);
  /* Make all coefficients current. Local. */
  void (*flush)(struct th_stochastic *s);
  /* The state between outer loops, beside its vectors. Local. */
  void (*describe)(struct th_stochastic *s, struct th_state *state);
  /* Values have changed by their rounding: what is remembered of them is that
   * of the full pass that has been made since. Local. */
  void (*restart)(struct th_stochastic *s);
  void (*free)(struct th_stochastic *s); /* local */
};

/* How attributes are dropped. The same conventions. */
struct th_screening {
  int fields;
  bool anchored; /* wants predictions at an anchor too: its field 0 */
  th_status (*create)(struct th_stochastic *s, struct th_error *err);
  /* Batches until the next end; NULL: th_stochastic_block. */
  int64_t (*block)(struct th_stochastic *s);
  /* The state between outer loops, beside its vectors. Local. */
  void (*describe)(struct th_stochastic *s, struct th_state *state);
  /* A sample whose theta is there and which has not been used yet. Local. */
  void (*observe)(struct th_stochastic *s);
  /* After a block: s->places.keep for th_stochastic_keep. */
  th_status (*end)(struct th_stochastic *s, struct th_error *err);
  /* After the last block; may change the model. */
  th_status (*finish)(struct th_stochastic *s, struct th_error *err);
  /* Whether finish makes the model the exact solution, so that nothing that is
   * looked at before is the model. Local. */
  bool (*exact)(const struct th_stochastic *s);
  /* After finish, where that is so: on to a smaller gap, with values that may
   * have changed by their rounding. */
  th_status (*refine)(struct th_stochastic *s, double gap,
                      struct th_error *err);
  void (*free)(struct th_stochastic *s); /* local */
};

/* What follows from the set of active places (stochastic_active.c), and work
 * arrays over them. */
struct th_places {
  struct th_cells cells;
  int64_t *edge; /* of cells */
  int64_t edge_capacity;
  int64_t capacity; /* of the work arrays: */
  bool *keep;       /* a flag for each active place */
  bool *group_keep; /* for each group; so are: */
  double *group_dual;
  double *group_second;
  struct th_index_value *choice; /* what the support is made of */
  int64_t choice_capacity;
};

/* The gap that ends a run, and certificates of it (stochastic_goal.c). */
struct th_goal {
  double zero_objective;
  bool last;          /* this lambda's model is the one that is written */
  int64_t certify_at; /* examples drawn when a gap is worth a next look */
  struct th_problem *problem;  /* for certificates; NULL: not yet */
  struct th_certificate whole; /* over all attributes; without a path */
};

struct th_stochastic {
  struct th_context *context; /* borrowed, like the rules */
  const struct th_update *update;
  const struct th_screening *screening;
  void *update_state; /* owned by the rules, which describe them */
  void *screening_state;
  struct th_active active;
  struct th_grouping grouping; /* of them */
  struct th_row_caches caches;
  struct th_example_order order;
  struct th_places places;
  struct th_minibatch minibatch;
  /* Replicated from here on. */
  double lambda;
  int64_t n;
  double *target; /* n, as solvers want them */
  double *eta;    /* weight / n: the sum is 1 */
  struct th_full_pass full;
  struct th_step_control control;
  struct th_scaling scaling;
  struct th_goal goal;
  unsigned known;         /* set of enum th_known */
  double intercept;       /* b0 */
  double start_intercept; /* of the zero model */
  double anchor_intercept;
  double confidence; /* of what was screened; 1: exact */
  int64_t moves;     /* of active attributes between ranks */
  double balanced;   /* most attributes of a rank over the mean, after it */
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
/* The same at a point of a path (--path), from the model of another one. */
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
/* One outer loop: a block of mini-batches, then what screening does. */
th_status th_stochastic_step(void *state, struct th_context *context,
                             bool *more, struct th_error *err);
th_status th_stochastic_finish(void *state, struct th_context *context,
                               struct th_error *err);
/* What the data say of the model, over all attributes, becomes its certificate,
 * after th_stochastic_finish. */
th_status th_stochastic_certify(struct th_stochastic *s, struct th_error *err);
/* A gap that was wanted and not reached is told; its certificate has it. Local.
 */
void th_stochastic_tell(const struct th_stochastic *s);
const struct th_support *th_stochastic_support(const void *state);
const struct th_certificate *th_stochastic_certificate(const void *state);
double th_stochastic_loss(const void *state);
double th_stochastic_step_size(const void *state);
/* The share of the present lambda's epochs, which a gap may end. Local. */
double th_stochastic_done(const struct th_stochastic *s);
void th_stochastic_free(void *state); /* local */

/* The state between outer loops (stochastic_state.c). Collective; what is put
 * is put into an engine of the same rules at the same point of the path. */
void th_stochastic_describe(struct th_stochastic *s, struct th_state *state);

/* ---- for rules ---- */

/* Vector `field` of the update rule, of the screening rule. Local. */
double *th_stochastic_update_field(const struct th_stochastic *s, int field);
double *th_stochastic_screening_field(const struct th_stochastic *s, int field);

/* b, over the active places. Local. */
static inline double *th_stochastic_coef(const struct th_stochastic *s)
{
  return s->active.field[TH_FIELD_COEF];
}

/* b -= g times the sum of factor[r] x_r over the sample; b0 likewise, by its
 * own measure. Local. */
void th_stochastic_descend(struct th_stochastic *s, double g,
                           const double *factor, double *b);

/* b = prox of g lambda Omega at b; later for sparse data where the penalty
 * allows: th_stochastic_lazy_catch_up and th_stochastic_lazy_flush are the
 * rule's functions then. Collective. */
void th_stochastic_batch_prox(struct th_stochastic *s, double g);

/* Both, one after the other, with the sample's own factors. Collective. */
void th_stochastic_prox_step(struct th_stochastic *s, double g);

/* Coefficients that wait for their soft thresholds until they are met: these
 * compose. Local. */
void th_stochastic_lazy_catch_up(struct th_stochastic *s,
                                 const struct th_row *row);
void th_stochastic_lazy_flush(struct th_stochastic *s);

/* v = prox of t lambda Omega at v, over the active places. Collective. */
void th_stochastic_prox(struct th_stochastic *s, double t, double *v);

/* The l1 norm without weights: the prox goes attribute by attribute, so that
 * sparse data may be updated lazily. Local. */
bool th_stochastic_separable(const struct th_stochastic *s);

/* The sum of v over all active attributes, in fixed point. Collective. */
th_status th_stochastic_total(struct th_stochastic *s, const double *v,
                              double *total, struct th_error *err);

/* Batches between two screenings: 4 n examples, or --screen-every. Local. */
int64_t th_stochastic_block(struct th_stochastic *s);

/* N_g of every group. A full pass leaves Omega_g^D(Z_g) in
 * s->places.group_dual. Collective. */
const double *th_stochastic_second(struct th_stochastic *s);

/* Keep the attributes of s->places.keep. Collective. */
th_status th_stochastic_keep(struct th_stochastic *s, struct th_error *err);

/* Ranks exchange active attributes, between outer loops, when some have more of
 * them than others; vectors over places are fields for this reason. Attributes
 * go home to the ranks that own them: before th_active_add. Collective. */
th_status th_stochastic_home(struct th_stochastic *s, struct th_error *err);

/* The active attributes have become others (th_active_add): row caches are read
 * again; groups, cells, N_j and step sizes are theirs. Z is lost. Collective.
 */
th_status th_stochastic_rebuild(struct th_stochastic *s, struct th_error *err);

#endif
