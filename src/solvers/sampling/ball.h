/* ball.h - the ball that holds the coefficients, and steps within it
 *
 * An iterate is w = factor u, so that a projection changes one number. Each
 * attribute has a position, which steps move, and from which its u follows:
 *
 *   l2 ball: position = u; w is projected by a smaller factor (Kukliansky &
 *            Shamir 2015, Algorithm 1).
 *   l1 ball: position = S, u = -sinh(S) exp(-shift); norm1(w) stays below the
 *            radius by the factor radius / sum cosh(S) exp(-shift)
 *            (exponentiated gradient, Algorithm 3). The shift keeps both sums
 *            within the range of doubles.
 *
 * All functions are local, and the same on every rank.
 * SPDX-License-Identifier: MIT */
#ifndef TH_BALL_H
#define TH_BALL_H

#include "solvers/config.h"

#include <stdbool.h>
#include <stdint.h>

/* The options of steps within a ball. */
#define TH_OPTIONS_IN_A_BALL                                                   \
  "passes", "validation", "batch", "eta", "start", "radius", "step-factor",    \
      "adagrad"

/* The numbers of an iterate that belong to no attribute. Replicated. */
struct th_ball_frame {
  double radius; /* B */
  double factor; /* w = factor u */
  double shift;  /* l1 */
};

/* What theory says a step should be: the examples m of the phase, the reads kx
 * of a data point, and the second moments. The mean over a mini-batch varies
 * less, which makes up for fewer steps if they are longer by its size. */
struct th_ball_theory {
  int64_t examples;
  int64_t batch;
  int64_t attributes; /* that are useful */
  double reads;
  double radius;
  double unit;  /* mean square of the data (l2), or the largest second moment
                   (l1): the paper's data have 1 */
  double norm;  /* norm_half (l2) or norm1 (l1) of the second moments, over the
                   unit */
  double error; /* epsilon: how far off estimated moments may be */
  bool known;   /* moments decide what is drawn */
  bool estimated; /* and were estimated */
};

struct th_ball {
  const char *name; /* of the norm, in messages */
  bool squared; /* the mass of an attribute is its second moment, else the root
                   of that */
  double factor[TH_ADAGRAD_COUNT]; /* of steps, where none is given; with
                                      TH_ADAGRAD_NONE times theory */
  /* A position after a step against a gradient. */
  double (*move)(const struct th_ball_frame *frame, double position,
                 double step, double gradient);
  /* In proportion to what the plain estimate of the inner product draws. */
  double (*plain)(double u);
  /* u and size of a position. Sizes add up over the attributes. */
  double (*direction)(const struct th_ball_frame *frame, double position);
  double (*size)(const struct th_ball_frame *frame, double position);
  /* The position with that coefficient w, given the sum of all sizes. */
  double (*position)(const struct th_ball_frame *frame, double w, double total);
  /* The norm of w[count]. */
  double (*norm_of)(const double *w, int64_t count);
  /* The total of sizes at which the coefficients w[count] of `attributes`, the
   * rest of which are 0, have their positions. */
  double (*total)(const struct th_ball_frame *frame, const double *w,
                  int64_t count, int64_t attributes);
  /* Bring w into the ball, given the sum of all sizes. True: the factor has
   * become so small that it would be lost in sums of factors, and `rebase` is
   * to be called on each position. */
  bool (*project)(struct th_ball_frame *frame, double total);
  /* Move w to another frame: first the frame, then each position. */
  struct th_ball_frame (*reframe)(const struct th_ball_frame *frame,
                                  double total);
  double (*rebase)(const struct th_ball_frame *before, double position);
  /* The radius that the data suggest. response: mean square of the targets;
   * unit: that of all attributes together; attributes: as many as the examples
   * are likely to show; examples: n. */
  double (*radius)(double response, double unit, double attributes,
                   int64_t examples);
  /* The norm of the second moments in it, from a sum of parts of each moment:
   * norm_half or norm1. Estimates are enlarged, such that the norm is not too
   * small. */
  double (*moment_part)(double moment, double error, bool estimated);
  double (*moment_norm)(double sum);
  /* The paper's step size. */
  double (*theory)(const struct th_ball_theory *theory);
  /* AdaGrad-Norm steps have the size factor x reach / sqrt(sum), of squared
   * norms of the gradients: l2 norms, or the largest parts. */
  double (*reach)(const struct th_ball_frame *frame, int64_t attributes);
  bool largest;
};

extern const struct th_ball th_ball_l2;
extern const struct th_ball th_ball_l1;

#endif
