/* ball.c - the ball that holds the coefficients, and steps within it
 * SPDX-License-Identifier: MIT */
#include "solvers/sampling/ball.h"

#include "base/elementary.h"

#include <math.h>

/* --- Steps in the l2 ball: ridge regression
 *
 * Kukliansky & Shamir 2015, Algorithm 1: w <- Proj_B(w - eta g). */

static const double smallest_factor = 0x1p-12;

static double l2_move(const struct th_ball_frame *frame, double position,
                      double step, double gradient)
{
  return position - step * gradient / frame->factor;
}

static double l2_plain(double u)
{
  return u * u;
}

static double l2_direction(const struct th_ball_frame *frame, double position)
{
  (void)frame;
  return position;
}

static double l2_size(const struct th_ball_frame *frame, double position)
{
  (void)frame;
  return position * position;
}

static double l2_position_of(const struct th_ball_frame *frame, double w,
                             double total)
{
  (void)total;
  return w / frame->factor;
}

static double l2_norm_of(const double *w, int64_t count)
{
  double sum = 0;
  for (int64_t k = 0; k < count; k++)
    sum += w[k] * w[k];
  return sqrt(sum);
}

static double l2_total_of(const struct th_ball_frame *frame, const double *w,
                          int64_t count, int64_t attributes)
{
  double total = 0;
  (void)attributes;
  for (int64_t k = 0; k < count; k++)
    total += l2_size(frame, l2_position_of(frame, w[k], 0));
  return total;
}

static bool l2_project(struct th_ball_frame *frame, double total)
{
  double norm = frame->factor * sqrt(total);
  if (norm > frame->radius)
    frame->factor *= frame->radius / norm;
  return frame->factor < smallest_factor;
}

static struct th_ball_frame l2_reframe(const struct th_ball_frame *frame,
                                       double total)
{
  struct th_ball_frame after = *frame;
  (void)total;
  after.factor = 1;
  return after;
}

static double l2_rebase(const struct th_ball_frame *before, double position)
{
  return position * before->factor;
}

/* Coefficients of one size on independent attributes would explain the targets
 * with this norm. */
static double l2_radius(double response, double unit, double attributes,
                        int64_t examples)
{
  (void)examples;
  return unit > 0 ? sqrt(response / unit * attributes) : 0;
}

/* Lemma 3.11 */
static double l2_moment_part(double moment, double error, bool estimated)
{
  return sqrt(estimated ? 2 * moment + 10.0 / 3 * error : moment);
}

static double l2_moment_norm(double sum)
{
  return sum * sum;
}

/* Theorems 3.1, 3.5 and 3.12, k being the reads of a data point. */
static double l2_theory(const struct th_ball_theory *t)
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

static double l2_reach(const struct th_ball_frame *frame, int64_t attributes)
{
  (void)attributes;
  return frame->radius;
}

const struct th_ball th_ball_l2 = {.name = "l2",
                                   .factor = {[TH_ADAGRAD_NONE] = 3,
                                              [TH_ADAGRAD_NORM] = 0.1,
                                              [TH_ADAGRAD_COORDINATE] = 0.1},
                                   .move = l2_move,
                                   .plain = l2_plain,
                                   .direction = l2_direction,
                                   .size = l2_size,
                                   .position = l2_position_of,
                                   .norm_of = l2_norm_of,
                                   .total = l2_total_of,
                                   .project = l2_project,
                                   .reframe = l2_reframe,
                                   .rebase = l2_rebase,
                                   .radius = l2_radius,
                                   .moment_part = l2_moment_part,
                                   .moment_norm = l2_moment_norm,
                                   .theory = l2_theory,
                                   .reach = l2_reach};

/* --- Steps in the l1 ball: the lasso by exponentiated gradient
 *
 * Kukliansky & Shamir 2015, Algorithm 3, with its two vectors of weights in
 * one: S_i += clip(eta g_i, 1), w_i = -B sinh(S_i) / sum cosh(S_j). */

enum { BISECTIONS = 200 };

static const double largest_total = 0x1p12;
static const double smallest_total = 0x1p-300;

static double l1_move(const struct th_ball_frame *frame, double position,
                      double step, double gradient)
{
  (void)frame;
  return position + fmax(-1, fmin(1, step * gradient));
}

static double l1_plain(double u)
{
  return fabs(u);
}

static double l1_direction(const struct th_ball_frame *frame, double position)
{
  double up = th_exp(position - frame->shift);
  double down = th_exp(-position - frame->shift);
  return (down - up) / 2;
}

static double l1_size(const struct th_ball_frame *frame, double position)
{
  double up = th_exp(position - frame->shift);
  double down = th_exp(-position - frame->shift);
  return (down + up) / 2;
}

/* S with sinh(S) = -w total / B. */
static double l1_position_of(const struct th_ball_frame *frame, double w,
                             double total)
{
  double z = fabs(w) * total / frame->radius;
  double s = th_log(z + sqrt(z * z + 1));
  return w > 0 ? -s : s;
}

static double l1_norm_of(const double *w, int64_t count)
{
  double sum = 0;
  for (int64_t k = 0; k < count; k++)
    sum += fabs(w[k]);
  return sum;
}

/* The root of sum cosh(S_j) - Z, which falls as Z grows if norm1(w) < B. */
static double l1_total_of(const struct th_ball_frame *frame, const double *w,
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

static bool l1_project(struct th_ball_frame *frame, double total)
{
  frame->factor = frame->radius / total;
  return total > largest_total || total < smallest_total;
}

static struct th_ball_frame l1_reframe(const struct th_ball_frame *frame,
                                       double total)
{
  struct th_ball_frame after = *frame;
  after.shift += th_log(total);
  return after;
}

static double l1_rebase(const struct th_ball_frame *before, double position)
{
  (void)before;
  return position;
}

/* As in the l2 ball, where as many attributes as there are examples share the
 * norm. */
static double l1_radius(double response, double unit, double attributes,
                        int64_t examples)
{
  double members = fmin(attributes, (double)examples);
  return unit > 0 ? sqrt(members * response / unit * attributes) : 0;
}

static double l1_moment_part(double moment, double error, bool estimated)
{
  (void)error;
  (void)estimated;
  return moment;
}

static double l1_moment_norm(double sum)
{
  return sum;
}

/* Theorems 4.1, 4.6 and 4.7, k being the reads of a data point. What is printed
 * for uniform draws is the step of ridge regression; G^2 = 8 B^2 d/k bounds the
 * gradients here. */
static double l1_theory(const struct th_ball_theory *t)
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

static double l1_reach(const struct th_ball_frame *frame, int64_t attributes)
{
  (void)frame;
  return sqrt(th_log(2 * (double)attributes));
}

const struct th_ball th_ball_l1 = {.name = "l1",
                                   .squared = true,
                                   .factor = {[TH_ADAGRAD_NONE] = 30,
                                              [TH_ADAGRAD_NORM] = 0.25,
                                              [TH_ADAGRAD_COORDINATE] = 0.1},
                                   .move = l1_move,
                                   .plain = l1_plain,
                                   .direction = l1_direction,
                                   .size = l1_size,
                                   .position = l1_position_of,
                                   .norm_of = l1_norm_of,
                                   .total = l1_total_of,
                                   .project = l1_project,
                                   .reframe = l1_reframe,
                                   .rebase = l1_rebase,
                                   .radius = l1_radius,
                                   .moment_part = l1_moment_part,
                                   .moment_norm = l1_moment_norm,
                                   .theory = l1_theory,
                                   .reach = l1_reach,
                                   .largest = true};
