/* certificate.h - the certificate of a penalised model: objective, gap,
 * optimality
 * SPDX-License-Identifier: MIT */
#ifndef TH_CERTIFICATE_H
#define TH_CERTIFICATE_H

#include "base/error.h"

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
 * examples; Z is its dual point before scaling. There are two lists, of numbers
 * and of counts. Each row has the member, which is also its name in files and
 * reports, and its meaning. */
#define TH_CERTIFICATE_REALS(X)                                                \
  X(lambda, "weight of the penalty; 0: the model has none")                    \
  X(lambda_max, "the smallest lambda at which the model is zero")              \
  X(objective, "mean loss, of a squared loss half, + lambda Omega")            \
  X(norm, "Omega of the model")                                                \
  X(gap, "between the objective and the value of the dual point")              \
  X(dual_norm, "Omega^D(Z), 1 at an optimum")                                  \
  X(violation, "of the optimality conditions, the largest of a group")         \
  X(radius, "largest of the gap-safe radii")                                   \
  X(confidence, "1: exact on these examples; below: statistical")
#define TH_CERTIFICATE_COUNTS(X)                                               \
  X(active, "attributes that were not screened")                               \
  X(screened_wrongly, "attributes that checks re-admitted")                    \
  X(grid_rows,                                                                 \
    "of ScaLAPACK's grid, on which the bits depend; 0: they do not")           \
  X(grid_columns, "of the same grid")

/* Replicated; path is owned. */
struct th_certificate {
#define TH_CERTIFICATE_MEMBER(name, what) double name;
  TH_CERTIFICATE_REALS(TH_CERTIFICATE_MEMBER)
#undef TH_CERTIFICATE_MEMBER
#define TH_CERTIFICATE_MEMBER(name, what) int64_t name;
  TH_CERTIFICATE_COUNTS(TH_CERTIFICATE_MEMBER)
#undef TH_CERTIFICATE_MEMBER
  int64_t margin[TH_MARGINS];
  int64_t path_size;
  struct th_path_point *path;
};

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
