/* ball_l2.c - steps in the l2 ball: ridge regression
 *
 * Kukliansky & Shamir 2015, Algorithm 1: w <- Proj_B(w - eta g).
 * SPDX-License-Identifier: MIT */
#include "solvers/sampling/ball.h"

#include <math.h>

static const double smallest_factor = 0x1p-12;

static double move(const struct th_ball_frame *frame, double position,
                   double step, double gradient)
{
  return position - step * gradient / frame->factor;
}

static double plain(double u)
{
  return u * u;
}

static double direction(const struct th_ball_frame *frame, double position)
{
  (void)frame;
  return position;
}

static double size(const struct th_ball_frame *frame, double position)
{
  (void)frame;
  return position * position;
}

static double position_of(const struct th_ball_frame *frame, double w,
                          double total)
{
  (void)total;
  return w / frame->factor;
}

static double norm_of(const double *w, int64_t count)
{
  double sum = 0;
  for (int64_t k = 0; k < count; k++)
    sum += w[k] * w[k];
  return sqrt(sum);
}

static double total_of(const struct th_ball_frame *frame, const double *w,
                       int64_t count, int64_t attributes)
{
  double total = 0;
  (void)attributes;
  for (int64_t k = 0; k < count; k++)
    total += size(frame, position_of(frame, w[k], 0));
  return total;
}

static bool project(struct th_ball_frame *frame, double total)
{
  double norm = frame->factor * sqrt(total);
  if (norm > frame->radius)
    frame->factor *= frame->radius / norm;
  return frame->factor < smallest_factor;
}

static struct th_ball_frame reframe(const struct th_ball_frame *frame,
                                    double total)
{
  struct th_ball_frame after = *frame;
  (void)total;
  after.factor = 1;
  return after;
}

static double rebase(const struct th_ball_frame *before, double position)
{
  return position * before->factor;
}

/* Coefficients of one size on independent attributes would explain the targets
 * with this norm. */
static double radius(double response, double unit, double attributes,
                     int64_t examples)
{
  (void)examples;
  return unit > 0 ? sqrt(response / unit * attributes) : 0;
}

/* Lemma 3.11 */
static double moment_part(double moment, double error, bool estimated)
{
  return sqrt(estimated ? 2 * moment + 10.0 / 3 * error : moment);
}

static double moment_norm(double sum)
{
  return sum * sum;
}

/* Theorems 3.1, 3.5 and 3.12, k being the reads of a data point. */
static double theory(const struct th_ball_theory *t)
{
  double m = (double)t->examples;
  double d = (double)t->attributes;
  double k = t->reads;
  double eta = sqrt(k / (2 * d * m));
  if (t->estimated) {
    double spread = 2 * sqrt(5.0 / 3) * d * sqrt(t->norm * t->error);
    eta =
        fmax(sqrt(k / (6 * d * m)), sqrt(k / (m * (2 * t->norm + spread + k))));
  } else if (t->known)
    eta = 1 / sqrt(m * (t->norm / k + 1));
  return eta / t->unit;
}

static double reach(const struct th_ball_frame *frame, int64_t attributes)
{
  (void)attributes;
  return frame->radius;
}

const struct th_ball th_ball_l2 = {.name = "l2",
                                   .factor = {[TH_ADAGRAD_NONE] = 3,
                                              [TH_ADAGRAD_NORM] = 0.1,
                                              [TH_ADAGRAD_COORDINATE] = 0.1},
                                   .move = move,
                                   .plain = plain,
                                   .direction = direction,
                                   .size = size,
                                   .position = position_of,
                                   .norm_of = norm_of,
                                   .total = total_of,
                                   .project = project,
                                   .reframe = reframe,
                                   .rebase = rebase,
                                   .radius = radius,
                                   .moment_part = moment_part,
                                   .moment_norm = moment_norm,
                                   .theory = theory,
                                   .reach = reach};
