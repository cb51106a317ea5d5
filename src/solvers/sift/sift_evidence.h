/* sift_evidence.h - what solver `sift` knows about each owned attribute
 *
 * There are two or three sums for each attribute: U of residual times value, W
 * of squared values and, for dense data, Q of squared products. The share of
 * each round is divided by the round's mean squared residual.
 *
 * All functions that do not say otherwise are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SIFT_EVIDENCE_H
#define TH_SIFT_EVIDENCE_H

#include "math/kernels/kernels.h"
#include "math/select.h"
#include "solvers/predict/marginal.h"

#include <stdbool.h>
#include <stdint.h>

/* What centring takes from the sums of a cell's attributes: c u and c^2 v. */
struct th_sift_centring {
  struct th_evidence sum;
  double largest; /* |c| in this cell */
};

/* Arrays are over the owned attributes. Zeroed: empty. */
struct th_sift_evidence {
  struct th_evidence *sums;          /* U and W, in the attribute's own units */
  double *robust;                    /* dense: Q */
  struct th_sift_centring *centring; /* sparse: of every owned cell */
  uint64_t *touched;  /* sparse: a bit per attribute with new evidence */
  bool extreme;       /* some attribute's squares leave f32 */
  double rows;        /* sparse: rows that met each attribute; replicated */
  int64_t candidates; /* of the last judgement */
  int64_t capacity;
  int64_t *candidate; /* attributes */
  double *score;      /* their z */
  int64_t *seen;      /* dense: rows of each attribute */
  uint16_t *bin;      /* dense: of th_sift_evidence_rank */
  double *sd;         /* dense: deviations, where scale is not their inverse */
  struct th_marginal *beside; /* scores of the end, which learn from the same
                                 slabs; borrowed; may be NULL */
  bool once;                  /* no attribute of an example is read twice */
  int64_t hold_capacity;
  struct th_evidence *held; /* of members: U and W */
  double *held_robust;      /* and Q */
};

/* Local; release with th_sift_evidence_free. */
th_status th_sift_evidence_create(struct th_sift_evidence *e,
                                  const struct th_context *context,
                                  struct th_error *err);
void th_sift_evidence_free(struct th_sift_evidence *e);

/* Its state: the sums. Local. */
void th_sift_evidence_describe(struct th_sift_evidence *e,
                               const struct th_context *context,
                               struct th_state *state);

/* Read the blocks of a round whose residuals p - y are in the batch, with mean
 * square mean_square > 0. Nothing is learnt about members of S. Clips and
 * scales the batch's residuals, which are of no use afterwards. Local. */
th_status th_sift_evidence_gather(struct th_sift_evidence *e,
                                  struct th_batch *batch,
                                  struct th_context *context,
                                  const struct th_support *support,
                                  double mean_square, struct th_error *err);

/* Forget all evidence. Local. */
void th_sift_evidence_forget_all(struct th_sift_evidence *e,
                                 const struct th_context *context);

struct th_judgement {
  double threshold;                 /* z0 */
  double mean_square;               /* r2 of the last round */
  const struct th_support *support; /* S, whose members are no candidates */
};

/* List the owned attributes outside S whose |z| = |U| / sqrt(max(W, Q)) is
 * above z0. On sparse data only those with new evidence are looked at. Local.
 * An error where that is no number. */
th_status th_sift_evidence_score(struct th_sift_evidence *e,
                                 const struct th_context *context,
                                 const struct th_judgement *rule,
                                 struct th_error *err);

/* How many attributes outside S have a |z| between the two. Collective. */
int64_t th_sift_evidence_count(const struct th_sift_evidence *e,
                               struct th_context *context,
                               const struct th_support *support, double low,
                               double high);

enum { TH_PROMISE_BINS = 4096, TH_PROMISE_NONE = 0xffff };

struct th_promise {
  double level;       /* information that the rotation has given everyone */
  double mean_square; /* r2 of the last round */
  const struct th_support *support;
};

/* Sort the owned attributes outside S into bins by their promise, z^2 - log
 * (max(W, level) r2), with W scaled to deviation 1. count[b] grows by the
 * attributes in bin b. For dense data. Local. */
void th_sift_evidence_rank(struct th_sift_evidence *e,
                           const struct th_context *context,
                           const struct th_promise *rule,
                           int64_t count[TH_PROMISE_BINS]);

/* Tell all ranks U and W of some attributes, for their scaled values.
 * Collective. */
void th_sift_evidence_message(const struct th_sift_evidence *e,
                              struct th_context *context,
                              const int64_t *attribute, int64_t count,
                              struct th_evidence *sum);

/* Tell all ranks U and W of the marked members of S, in their order. Returns
 * how many there are. attribute: room for them. Collective where there are
 * some. */
int64_t th_sift_evidence_marked(const struct th_sift_evidence *e,
                                struct th_context *context,
                                const struct th_support *support,
                                const bool *marked, int64_t *attribute,
                                struct th_evidence *sum);

/* U and W of a member of S, for the attribute's scaled values, become `sum` or
 * grow by it, from so many rows. Q changes as W does. Nothing is done for the
 * attributes of other ranks. Local. */
void th_sift_evidence_put(struct th_sift_evidence *e,
                          const struct th_context *context, int64_t attribute,
                          struct th_evidence sum);
void th_sift_evidence_add(struct th_sift_evidence *e,
                          const struct th_context *context, int64_t attribute,
                          struct th_evidence more, int64_t rows);

#endif
