/* certificate.h - the certificate of a penalised model: objective, gap,
 * optimality
 *
 * Its numbers are a record (model/fields.h). Local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CERTIFICATE_H
#define TH_CERTIFICATE_H

#include "base/error.h"
#include "model/fields.h"

#include <stdint.h>

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
th_status th_certificate_copy(struct th_certificate *to,
                              const struct th_certificate *from,
                              struct th_error *err);
void th_certificate_free(struct th_certificate *certificate);

/* Describe its numbers without the path; describe the path, of which `points`
 * are filled in. Local. */
void th_certificate_describe(struct th_certificate *certificate,
                             const char *name, struct th_state *state);
void th_certificate_describe_path(struct th_certificate *certificate,
                                  int64_t points, struct th_state *state);

#endif
