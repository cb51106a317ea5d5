/* claims.h - how a run ended, and what it says of its model
 *
 * Local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CLAIMS_H
#define TH_CLAIMS_H

#include <stdbool.h>
#include <stdint.h>

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
  TH_ENDED_BY(TH_ENDED_MEMBER)
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

/* One list of each kind; zero where a solver does not know it. */
#define TH_CLAIMS_REALS(X)                                                     \
  X(guarantee_if, "the guarantee, if what is assumed holds")                   \
  X(remaining_if, "the bound on what remains, if what is assumed holds")
#define TH_CLAIMS_COUNTS(X)                                                    \
  X(ended_by, "enum th_ended_by")                                              \
  X(mu_from, "enum th_constant_from, likewise the others")                     \
  X(rho_from, "")                                                              \
  X(smoothness_from, "")

struct th_claims {
#define TH_CLAIMS_MEMBER(name, what) double name;
  TH_CLAIMS_REALS(TH_CLAIMS_MEMBER)
#undef TH_CLAIMS_MEMBER
#define TH_CLAIMS_MEMBER(name, what) int64_t name;
  TH_CLAIMS_COUNTS(TH_CLAIMS_MEMBER)
#undef TH_CLAIMS_MEMBER
};

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

/* True if each member of the claims has a value that it can have. */
bool th_claims_good(const struct th_claims *claims);

#endif
