/* ball_l1.c - steps in the l1 ball: the lasso by exponentiated gradient
 *
 * Kukliansky & Shamir 2015, Algorithm 3, with its two vectors of weights in
 * one: S_i += clip(eta g_i, 1), w_i = -B sinh(S_i) / sum cosh(S_j).
 * SPDX-License-Identifier: MIT */
#include "solvers/sampling/ball.h"

#include "core/elementary.h"

#include <math.h>

enum { BISECTIONS = 200 };

static const double largest_total = 0x1p12;
static const double smallest_total = 0x1p-300;

static double move(const struct th_ball_frame *frame, double position,
                   double step, double gradient)
{
  (void)frame;
  return position + fmax(-1, fmin(1, step * gradient));
}

static double plain(double u)
{
  return fabs(u);
}

static double direction(const struct th_ball_frame *frame, double position)
{
  double up = th_exp(position - frame->shift);
  double down = th_exp(-position - frame->shift);
  return (down - up) / 2;
}

static double size(const struct th_ball_frame *frame, double position)
{
  double up = th_exp(position - frame->shift);
  double down = th_exp(-position - frame->shift);
  return (down + up) / 2;
}

/* S with sinh(S) = -w total / B. */
static double position_of(const struct th_ball_frame *frame, double w,
                          double total)
{
  double z = fabs(w) * total / frame->radius;
  double s = th_log(z + sqrt(z * z + 1));
  return w > 0 ? -s : s;
}

static double norm_of(const double *w, int64_t count)
{
  double sum = 0;
  for (int64_t k = 0; k < count; k++)
    sum += fabs(w[k]);
  return sum;
}

/* The root of sum cosh(S_j) - Z, which falls as Z grows if norm1(w) < B. */
static double total_of(const struct th_ball_frame *frame, const double *w,
                       int64_t count, int64_t attributes)
{
  double norm = 0;
  for (int64_t k = 0; k < count; k++)
    norm += fabs(w[k]) / frame->radius;
  double low = (double)attributes;
  double high = 2 * low / (1 - norm);
  for (int step = 0; step < BISECTIONS; step++) {
    double total = low + (high - low) / 2;
    double sum = (double)(attributes - count) - total;
    for (int64_t k = 0; k < count; k++) {
      double z = w[k] / frame->radius * total;
      sum += sqrt(1 + z * z);
    }
    *(sum > 0 ? &low : &high) = total;
  }
  return low;
}

static bool project(struct th_ball_frame *frame, double total)
{
  frame->factor = frame->radius / total;
  return total > largest_total || total < smallest_total;
}

static struct th_ball_frame reframe(const struct th_ball_frame *frame,
                                    double total)
{
  struct th_ball_frame after = *frame;
  after.shift += th_log(total);
  return after;
}

static double rebase(const struct th_ball_frame *before, double position)
{
  (void)before;
  return position;
}

/* As in the l2 ball, where as many attributes as there are examples share the
 * norm. */
static double radius(double response, double unit, double attributes,
                     int64_t examples)
{
  double members = fmin(attributes, (double)examples);
  return unit > 0 ? sqrt(members * response / unit * attributes) : 0;
}

static double moment_part(double moment, double error, bool estimated)
{
  (void)error;
  (void)estimated;
  return moment;
}

static double moment_norm(double sum)
{
  return sum;
}

/* Theorems 4.1, 4.6 and 4.7, k being the reads of a data point. What is printed
 * for uniform draws is the step of ridge regression; G^2 = 8 B^2 d/k bounds the
 * gradients here. */
static double theory(const struct th_ball_theory *t)
{
  double m = (double)t->examples;
  double d = (double)t->attributes;
  double k = t->reads;
  double entropy = th_log(2 * d);
  double eta = sqrt(entropy * k / (40 * d * m));
  if (t->estimated)
    eta = sqrt(k * entropy / (20 * m * (8 * t->norm + 20 * d * t->error + k)));
  else if (t->known)
    eta = sqrt(entropy / (5 * m * (t->norm / k + 1))) / 2;
  return t->radius > 0 ? eta / (t->radius * t->unit) : 0;
}

static double reach(const struct th_ball_frame *frame, int64_t attributes)
{
  (void)frame;
  return sqrt(th_log(2 * (double)attributes));
}

const struct th_ball th_ball_l1 = {.name = "l1",
                                   .squared = true,
                                   .factor = {[TH_ADAGRAD_NONE] = 30,
                                              [TH_ADAGRAD_NORM] = 0.25,
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
                                   .reach = reach,
                                   .largest = true};
