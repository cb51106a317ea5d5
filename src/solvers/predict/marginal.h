/* marginal.h - scores that select the list of an end that predicts
 *
 * These sums are kept besides the evidence of solver `sift` and are never
 * reset. For every attribute there are its sums with the target, and its sums
 * with the residuals of the rounds. Each is kept for every fold of the
 * examples, so that a score can be formed from the other folds. Scores only
 * order attributes, so no variance enters them.
 *
 * On sparse data, centring makes zeros count. What they add to an attribute is
 * only worked out from its first entry on; until then it is kept in a list
 * (marginal.c). An attribute without an entry has a negative W, and no
 * score.
 * SPDX-License-Identifier: MIT */
#ifndef TH_MARGINAL_H
#define TH_MARGINAL_H

#include "math/kernels/kernels.h"
#include "solvers/access/batch.h"

#include <stdint.h>

enum { TH_MARGINAL_STRIP = 256 };

/* What the zeros of one draw add, in one fold: the sums that centring takes
 * away (math/kernels/kernels.h), for some of the owned attributes. */
struct th_marginal_zeros {
  struct th_range mine;
  int64_t fold;
  struct th_evidence unit; /* of `with` */
  struct th_evidence with;
  struct th_evidence alone;
};

/* Sums are over the owned attributes; the folds and work arrays of rows are
 * replicated. Sums are in the attribute's own units; entry f owned + j is that
 * of the j-th owned attribute in fold f. */
struct th_marginal {
  int64_t folds;
  const uint8_t *fold;       /* of each training example; borrowed; NULL: 0 */
  struct th_evidence *alone; /* with the target: U0, W0 */
  struct th_evidence *with;  /* with residuals, over their variance: U, W */
  bool rare;         /* few attributes have entries: those alone are scored */
  uint64_t *touched; /* sparse: a bit per attribute whose sums are up to date */
  struct th_marginal_zeros *zeros; /* what the sums of others lack, in order */
  int64_t zero_count;
  int64_t zero_capacity;
  bool settled; /* attributes without that bit may have sums */
  int64_t row_capacity;
  uint8_t *fold_of; /* rows of the batch: their folds */
  double *target;   /* and their weight times target */
  float *target32;
  int64_t hold_capacity;
  struct th_evidence *held; /* of members of S, folds of each */
};

/* Zeros. rare: of th_store_shape_is_rare. Local; release with th_marginal_free.
 */
th_status th_marginal_init(struct th_marginal *m,
                           const struct th_context *context, int64_t folds,
                           const uint8_t *fold, bool rare,
                           struct th_error *err);
void th_marginal_free(struct th_marginal *m);

/* Its state: the sums. Local. */
void th_marginal_describe(struct th_marginal *m,
                          const struct th_context *context,
                          struct th_state *state);

/* Prepare for a batch whose rows have been drawn and are about to be read.
 * Local. */
th_status th_marginal_begin(struct th_marginal *m,
                            const struct th_context *context,
                            const struct th_batch *batch,
                            const struct th_support *support,
                            struct th_error *err);

/* Between hold and release, nothing is learnt with residuals about the members
 * of S. Local. */
void th_marginal_hold(struct th_marginal *m, const struct th_context *context,
                      const struct th_support *support);
void th_marginal_release(struct th_marginal *m,
                         const struct th_context *context,
                         const struct th_support *support);

/* A slab of the batch, as th_batch_blocks visits it. Its first row is row `row`
 * of the batch. unit multiplies the sums with residuals. race: these attributes
 * were chosen by their promise, so the slab is no evidence for U0. All rows of
 * a slab are of one fold. */
struct th_marginal_slab {
  const struct th_slab *slab;
  const struct th_row_weights *multiplier;
  struct th_evidence unit;
  int64_t row;
  bool race;
  int64_t offset; /* sparse: the first attribute is that owned one */
};

/* What is known of the attributes of a dense slab. */
struct th_marginal_sums {
  const int64_t *at; /* among the owned ones */
  const double *centre;
  const double *u; /* of th_kernel_evidence, with residuals */
  const double *v;
};

/* Add a slab to both evidences; dense ones have at most TH_MARGINAL_STRIP
 * attributes. Local. */
void th_marginal_add_sparse(struct th_marginal *m,
                            const struct th_context *context,
                            const struct th_marginal_slab *given);
void th_marginal_add_dense(struct th_marginal *m,
                           const struct th_context *context,
                           const struct th_marginal_slab *given,
                           const struct th_marginal_sums *sums);

/* Sparse data: what the zeros of a batch's draws add, for which
 * th_marginal_begin has made room. Local. */
void th_marginal_centring(struct th_marginal *m,
                          const struct th_context *context,
                          const struct th_batch *batch,
                          struct th_evidence unit);

/* Bring the sums of the j-th owned attribute, or of all, up to date. Local.
 * Shown for tests. */
void th_marginal_touch(struct th_marginal *m, const struct th_context *context,
                       int64_t j);
void th_marginal_settle(struct th_marginal *m,
                        const struct th_context *context);

/* Add a member's own column of the batch, with residual + coef x: its own part
 * of the prediction is added back. All rows are evidence about an entrant.
 * Local, at its owner. */
void th_marginal_entrant(struct th_marginal *m,
                         const struct th_context *context,
                         const struct th_batch *batch, int64_t attribute,
                         const double *column, double coef, double mean_square);

enum th_score { TH_SCORE_ALONE, TH_SCORE_WITH, TH_SCORES };

/* score[owned], zeros at first, = |U| / sqrt(W) over all folds but `without`;
 * -1: over all folds. It is 0 where nothing is known or the attribute is left
 * out. Local. */
void th_marginal_scores(struct th_marginal *m, const struct th_context *context,
                        enum th_score which, int64_t without, double *score);

#endif
