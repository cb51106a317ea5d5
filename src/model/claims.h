/* claims.h - what a run says of its model: how it ended, what it chose and
 * in which order
 *
 * Each is a record (model/fields.h). Local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CLAIMS_H
#define TH_CLAIMS_H

#include "model/fields.h"

#include <stdbool.h>
#include <stdint.h>

/* --- How a run ended, and on what its statements rest --------------------- */

/* One list: what ended a run, its word, and what that means. Files hold the
 * number: append. */
#define TH_ENDED_BY(X)                                                         \
  X(UNKNOWN, "", "")                                                           \
  X(SPARSITY, "sparsity", "the model has as many attributes as it may")        \
  X(BOUND, "bound", "what is left is below the bound that was given")          \
  X(EXAMPLES, "examples", "the examples of its passes are used up")            \
  X(LIMIT, "limit", "a limit ended the run before it was through")             \
  X(TIME, "time", "its time was up, or it was told to stop")                   \
  X(NOTHING, "nothing left", "nothing was left to do")                         \
  X(TOLERANCE, "tolerance", "the duality gap is as small as it should be")     \
  X(HELD_OUT, "held-out loss", "held-out examples were predicted no better")   \
  X(PRECISION, "precision", "no step makes the duality gap smaller")

enum th_ended_by {
#define TH_ENDED_MEMBER(name, word, what) TH_ENDED_##name,
  TH_ENDED_BY(TH_ENDED_MEMBER) TH_ENDED_KINDS
#undef TH_ENDED_MEMBER
};

/* Where a constant comes from that a theorem takes as given. A constant that
 * the generator of the data contradicts is no better than an assumed one. */
enum th_constant_from {
  TH_CONSTANT_ASSUMED,
  TH_CONSTANT_GIVEN,
  TH_CONSTANT_GENERATOR,
  TH_CONSTANT_CONTRADICTED
};

/* Zero where a solver does not know it. */
#define TH_CLAIMS_FROM                                                         \
  .word = th_claims_from_word, .most = TH_CONSTANT_CONTRADICTED
#define TH_CLAIMS_FIELDS(X)                                                    \
  /* the guarantee, and the bound on what remains, if what is assumed holds */ \
  X(REAL, guarantee_if, "if_assumed.guarantee")                                \
  X(REAL, remaining_if, "if_assumed.remaining_bound", .zero_unknown = true)    \
  X(COUNT, ended_by, "", .most = TH_ENDED_KINDS - 1) /* enum th_ended_by */    \
  /* enum th_constant_from */                                                  \
  X(COUNT, mu_from, "assumed_from.mu", TH_CLAIMS_FROM)                         \
  X(COUNT, rho_from, "assumed_from.rho", TH_CLAIMS_FROM)                       \
  X(COUNT, smoothness_from, "assumed_from.smoothness", TH_CLAIMS_FROM)
struct th_claims {
  TH_CLAIMS_FIELDS(TH_FIELDS_MEMBER)
};
extern const struct th_fields th_claims_fields;

/* The word of what ended a run and what it means; "" and "" where that is not
 * known. */
const char *th_claims_end_word(int64_t ended_by);
const char *th_claims_end_meaning(int64_t ended_by);

/* True if the run did all that was asked of it. */
bool th_claims_complete(int64_t ended_by);

/* "assumed", "given", "generator", "contradicted". */
const char *th_claims_from_word(int64_t from);

/* True if a statement may rest on a constant from that source. */
bool th_claims_holds(int64_t from);

/* --- The choice that ended a run ------------------------------------------ */

/* The end of a run that chose among candidates. Losses are means over examples
 * that the candidates had not seen; se are their standard errors. Blind: the
 * mean, as too few examples could choose. Losses are 0 then. */
enum th_ending_kind {
  TH_ENDING_NONE,
  TH_ENDING_NULL,
  TH_ENDING_STRICT,
  TH_ENDING_NET,
  TH_ENDING_BLIND,
  TH_ENDING_KINDS
};
#define TH_ENDING_FIELDS(X)                                                    \
  X(REAL, mix,                                                                 \
    "chosen.mix") /* of the net that was chosen: the share of norm1 */         \
  X(REAL, lambda, "chosen.lambda")           /* its weight of the penalty */   \
  X(LOSS, null_loss, "candidates.null.loss") /* of the mean */                 \
  X(LOSS, null_se, "candidates.null.se")                                       \
  X(LOSS, strict_loss, "candidates.strict.loss") /* of the strict support */   \
  X(LOSS, strict_se, "candidates.strict.se")                                   \
  X(LOSS, best_loss, "candidates.best.loss") /* the least of all candidates */ \
  X(LOSS, best_se, "candidates.best.se")                                       \
  X(REAL, screen_passes, "passes.screen")         /* over blocks */            \
  X(REAL, end_passes, "passes.end")               /* over the list */          \
  X(COUNT, kind, "", .most = TH_ENDING_KINDS - 1) /* enum th_ending_kind */    \
  X(COUNT, size, "chosen.size") /* attributes of the one that was chosen */
struct th_ending {
  TH_ENDING_FIELDS(TH_FIELDS_MEMBER)
};
extern const struct th_fields th_ending_fields;

/* --- In which order a run chose attributes, and for how certain ----------- */

/* Zero where a solver does not know it. size 0 and no cost: nothing was to be
 * chosen in an order. */
#define TH_SELECTED_FIELDS(X)                                                  \
  X(REAL, guarantee, "") /* probability that all attributes are true */        \
  /* of the root mean square of the coefficients left out, in the units that   \
   * the solver worked in */                                                   \
  X(REAL, remaining_bound, "remaining_bound", .zero_unknown = true)            \
  X(REAL, cost_try_select, "cost.try_select") /* read to choose */             \
  X(REAL, cost_optim, "cost.optim")           /* read to fit in between */     \
  X(REAL, mu, "assumed.mu")                   /* irrepresentable constant */   \
  X(REAL, rho, "assumed.rho")                 /* smallest eigenvalue */        \
  X(REAL, smoothness, "assumed.smoothness")   /* largest eigenvalue */         \
  X(REAL, bound, "assumed.bound")             /* of the magnitude of values */ \
  X(COUNT, size, "")                                                           \
  X(COUNT, examples, "examples_to_select") /* that served to choose */         \
  X(FLAG, complete, "complete")            /* 0: a limit ended the choice */
struct th_selected {
  TH_SELECTED_FIELDS(TH_FIELDS_MEMBER)
  int64_t *attribute; /* in the order of selection; owned */
};
extern const struct th_fields th_selected_fields;

void th_claims_selected_free(struct th_selected *selection);

#endif
