/* claims.h - what a run says of its model: its certificate, how it ended, what
 * it chose and in which order
 *
 * Each is a record: a table of fields. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CLAIMS_H
#define TH_CLAIMS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- Tables of fields -----------------------------------------------------
 *
 * A record is a list of rows; its struct, its part of a model file, what
 * checkpoints keep of it, JSON and text follow from the rows. A row is X(type,
 * name, shown, ...): REAL, LOSS, COUNT or FLAG; the member, which is also its
 * name in files; where JSON shows it; and of struct th_fields_row what else it
 * needs. A row that is new says `.later = true`, since files of older programs
 * lack it, and `.absent` where its value is not 0 then. */

/* Eight bytes each. A flag is a count that is 0 or 1. */
enum th_fields_type {
  TH_FIELD_REAL,
  TH_FIELD_LOSS, /* a real, shown in the unit that evaluate prints */
  TH_FIELD_COUNT,
  TH_FIELD_FLAG,
  TH_FIELD_BITS, /* uint64_t */
  TH_FIELD_TEXT  /* char *, owned; in records of files alone */
};

struct th_fields_row {
  const char *name;
  enum th_fields_type type;
  size_t place;      /* in the record's struct */
  const char *shown; /* in JSON, "group.name"; "": not by itself */
  const char *what;  /* for people */
  bool later;        /* not in a file where the value is `absent` */
  double absent;     /* of records whose file lacks the field */
  int64_t most;      /* that a count may be; 0: any */
  const char *(*word)(int64_t count); /* how a count is shown */
  bool zero_unknown;                  /* 0 is shown as null */
  bool unverified; /* of the run: model and data alone do not give it */
};

struct th_fields {
  const struct th_fields_row *row;
  int rows;
};

#define TH_FIELDS_REAL double
#define TH_FIELDS_LOSS double
#define TH_FIELDS_COUNT int64_t
#define TH_FIELDS_FLAG int64_t

/* For the rows of a list: a member of the struct, and a row of the table. */
#define TH_FIELDS_MEMBER(type, name, ...) TH_FIELDS_##type name;
#define TH_FIELDS_ROW(record, type_, name_, ...)                               \
  {.name = #name_,                                                             \
   .type = TH_FIELD_##type_,                                                   \
   .place = offsetof(record, name_),                                           \
   .shown = __VA_ARGS__},
#define TH_FIELDS(rows)                                                        \
  {                                                                            \
    (rows), sizeof(rows) / sizeof *(rows)                                      \
  }

/* Where a field lies in a record. */
static inline void *th_claims_field_at(const struct th_fields_row *field,
                                       void *record)
{
  return (char *)record + field->place;
}

/* True for a double. The value as a double; counts are at most 2^46. */
static inline bool th_claims_field_is_real(const struct th_fields_row *field)
{
  return field->type == TH_FIELD_REAL || field->type == TH_FIELD_LOSS;
}

static inline double th_claims_field_number(const struct th_fields_row *field,
                                            const void *record)
{
  const void *at = (const char *)record + field->place;
  return th_claims_field_is_real(field) ? *(const double *)at
                                        : (double)*(const int64_t *)at;
}

/* True if files do not have the field: it came later, and has the value of
 * those that lack it. */
static inline bool th_claims_field_left_out(const struct th_fields_row *field,
                                            const void *record)
{
  return field->later && th_claims_field_number(field, record) == field->absent;
}

/* True if counts are 0 or more and no larger than they may be, and reals,
 * where they are looked at, finite and not negative. */
bool th_claims_good(const struct th_fields *record, const void *values,
                    bool reals);

/* --- The certificate of a penalised model: objective, gap, optimality ----- */

struct th_state;

/* One lambda of a path of penalised models. */
struct th_path_point {
  double lambda;
  double objective;
  double gap;
  int64_t support_size;
};

/* Distances 1 - Omega_g^D(Z_g) of groups outside the support are counted in
 * decades: entry k counts those from 10^-k down to 10^-(k + 1), the last entry
 * all below. */
enum { TH_MARGINS = 9 };

/* The certificate of a model of min mean loss + lambda Omega on the training
 * examples; Z is its dual point before scaling. */
#define TH_CERTIFICATE_FIELDS(X)                                               \
  X(REAL, lambda, "lambda",                                                    \
    .what = "weight of the penalty; 0: the model has none")                    \
  X(REAL, lambda_max, "lambda_max",                                            \
    .what = "the smallest lambda at which the model is zero")                  \
  X(REAL, objective, "objective",                                              \
    .what = "mean loss, of a squared loss half, + lambda Omega")               \
  X(REAL, norm, "norm", .what = "Omega of the model")                          \
  X(REAL, gap, "gap",                                                          \
    .what = "between the objective and the value of the dual point")           \
  X(REAL, dual_norm, "dual_norm", .what = "Omega^D(Z), 1 at an optimum")       \
  X(REAL, violation, "violation",                                              \
    .what = "of the optimality conditions, the largest of a group")            \
  X(REAL, radius, "radius", .what = "largest of the gap-safe radii")           \
  X(REAL, confidence, "confidence",                                            \
    .what = "1: exact on these examples; below: statistical")                  \
  X(COUNT, active, "active", .what = "attributes that were not screened")      \
  X(COUNT, screened_wrongly, "screened_wrongly",                               \
    .what = "attributes that checks re-admitted")                              \
  X(COUNT, grid_rows, "grid_rows",                                             \
    .what = "of ScaLAPACK's grid, on which the bits depend; 0: they do not")   \
  X(COUNT, grid_columns, "grid_columns", .what = "of the same grid")

/* Replicated; path is owned. */
struct th_certificate {
  TH_CERTIFICATE_FIELDS(TH_FIELDS_MEMBER)
  int64_t margin[TH_MARGINS];
  int64_t path_size;
  struct th_path_point *path;
};
extern const struct th_fields th_certificate_fields;

/* *to = *from, with a path of its own; what *to held is released. Local. */
th_status th_claims_certificate_copy(struct th_certificate *to,
                                     const struct th_certificate *from,
                                     struct th_error *err);
void th_claims_certificate_free(struct th_certificate *certificate);

/* Describe its numbers without the path; describe the path, of which `points`
 * are filled in. Local. */
void th_claims_certificate_describe(struct th_certificate *certificate,
                                    const char *name, struct th_state *state);
void th_claims_certificate_describe_path(struct th_certificate *certificate,
                                         int64_t points,
                                         struct th_state *state);

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
  X(COUNT, smoothness_from, "assumed_from.smoothness", TH_CLAIMS_FROM)         \
  /* of a loss that is linear far from the target: math/loss.h */              \
  X(REAL, loss_scale, "", .later = true)                                       \
  X(REAL, quantile, "", .later = true)
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
