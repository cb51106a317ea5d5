/* context.h - what every solver works with: ranks, data, targets, scaling
 * SPDX-License-Identifier: MIT */
#ifndef TH_CONTEXT_H
#define TH_CONTEXT_H

#include "data/deal.h"
#include "data/source.h"
#include "math/loss.h"
#include "ranks/comm.h"
#include "solvers/config.h"
#include "solvers/monitor.h"
#include "solvers/plan.h"
#include "state/state.h"

#include <stdbool.h>
#include <stdint.h>

/* How solvers see targets: y = value - shift for a squared loss, -1 or +1 for
 * labels. Replicated. */
struct th_target {
  double shift; /* weighted mean of the training targets, or 0 */
  bool labels;  /* two values, mapped to -1 and +1 */
  double low;   /* smallest and largest value; labels: the two */
  double high;
  double kurtosis; /* of targets that are numbers; the normal law has 3. 0 for
                      two values */
  double largest;  /* largest |y| over the training examples */
  double offset;   /* where a logistic predictor starts: the log odds, or 0 */
  double worst; /* largest loss of an example when only offset is predicted */
  double weight_unit; /* brings the mean training weight to 1 or, for solvers
                         that count evidence, to counted / n */
  double counted; /* how many training examples of equal weight tell as much: n
                     for other solvers */
};

/* Examples that solvers do not learn from: they have the weight 0. */
struct th_context_fold {
  const uint8_t *fold; /* of each training example, in stored order; borrowed;
                          NULL: all are learnt from */
  uint8_t held;        /* the fold that is apart */
  double run_from; /* where in the run this context's work begins, and its */
  double run_part; /* share of the run; 0: it is the run */
};

/* Made by the driver, borrowed by solvers. Solvers see an attribute as (x -
 * centre) * scale, with x as the source hands it out: sparse attributes that
 * are far from zero have a shift there. Scale 0 marks an attribute that is left
 * out: one that never changes or, without an intercept, one that is always
 * zero. */
struct th_context {
  struct th_comm *comm;
  struct th_source *source;
  struct th_deal deal;
  const struct th_config *config;
  const struct th_loss *loss;
  struct th_loss scaled; /* the loss, where it has a scale */
  struct th_target target;
  struct th_range owned; /* attributes of this rank */
  const struct th_solver_row *solver;
  bool centred;   /* centre is the mean, else 0 */
  double *centre; /* of the owned attributes */
  double *scale;
  double *bound;     /* largest |(x - centre) * scale| */
  double *deviation; /* weighted standard deviations; NULL: the source's
                        statistics are used */
  int64_t left_out;  /* attributes, over all ranks */
  double spread[2];  /* - the least of what standardizes an owned attribute that
                        is not left out, and the largest */
  struct th_profile *profile;
  const struct th_monitor *monitor;
  double piece_from; /* where in the run the present piece of work begins, */
  double piece_part; /* 0 to 1, and its share of the run */
  struct th_context_fold apart;
};

/* Open everything a solver needs. Collective. The context owns the source; the
 * caller owns the store. Release with th_context_free. */
th_status th_context_init(struct th_context *context,
                          const struct th_plan *plan, struct th_store *store,
                          struct th_comm *comm,
                          const struct th_monitor *monitor,
                          struct th_profile *profile, struct th_error *err);
/* Local. */
void th_context_free(struct th_context *context);

/* A context of these data for a solver within a solver, which is told another
 * config. Everything is borrowed: not to be freed, and the deal is not to be
 * moved on. Local. */
struct th_context th_context_lend(const struct th_context *context,
                                  const struct th_config *config);

/* Set a fold of the training examples apart in a context that was lent: others
 * have the mean weight 1 over all. weight: of all examples together, and of
 * those that are left, as the context gave them. Local. */
void th_context_apart(struct th_context *lent, const uint8_t *fold,
                      uint8_t held, double all, double left);

/* The state that solvers share: the deal, the ledger, and how far the run is.
 * Local. */
void th_context_describe(struct th_context *context, struct th_state *state);

/* Where a slab's attributes are among the owned ones: at[], and their centres.
 * Local. */
void th_context_places(const struct th_context *context,
                       const struct th_slab *slab, int64_t *at, double *centre);

/* Targets and weights of several pieces, one after the other. Local. */
th_status th_context_piece_targets(struct th_context *context,
                                   const struct th_pieces *pieces,
                                   double *target, double *weight,
                                   struct th_error *err);

/* A part of the run begins, whose share alone is told from now on. at_most: it
 * may end before all of it is done. Local. */
void th_context_part(struct th_context *context, bool at_most);

/* Report from within a long step: how far the present piece of work is, 0 to 1
 * (negative: not known), and a few words on it. Goes to every rank's monitor.
 * Local. */
void th_context_going(const struct th_context *context, double done,
                      const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Report one line for the user to every rank's monitor. Local. */
void th_context_notice(const struct th_context *context, const char *format,
                       ...) __attribute__((format(printf, 2, 3)));

/* --- Targets and weights of all training examples, in stored order
 *
 * Numbers of all examples lie once on a node: its writer fills them, and the
 * others read them after th_comm_shared_show (ranks/comm.h). */

struct th_all_targets {
  const double *target;    /* as solvers see them */
  const double *weight;    /* of mean 1, or eta: of sum 1 */
  double square;           /* weighted mean of the squared targets */
  struct th_shared memory; /* of both */
};

enum th_weights { TH_WEIGHTS_OF_MEAN_1, TH_WEIGHTS_OF_SUM_1 };

/* Read them. Collective. Release with th_context_all_targets_free, which is
 * collective, too. */
th_status th_context_all_targets_init(struct th_all_targets *all,
                                      struct th_context *context,
                                      enum th_weights weights,
                                      struct th_error *err);
void th_context_all_targets_free(struct th_all_targets *all);

/* --- What the import knows of the squares of the attributes --------------- */

/* second[owned] = E x^2 of attributes as solvers see them, which is
 * (x - centre) * scale: 0 for those that are left out. Local. */
th_status th_context_second_moments_read(const struct th_context *context,
                                         double *second, struct th_error *err);

/* --- Means and deviations under the weights of the examples --------------- */

/* True if these data and options need means and deviations under weights.
 * Solvers with a penalty, which may read everything, standardize by the weights
 * of their loss. Local. */
bool th_context_weighted_wanted(const struct th_context *context);

#endif
