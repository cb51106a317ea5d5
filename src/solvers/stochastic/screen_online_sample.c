/* screen_online_sample.c - checks what screening left out of a stream
 *
 * One pass over many examples leaves no time to solve anything exactly. A check
 * takes K fresh examples instead and observes all attributes of them. Their
 * mean of -(1/lambda) theta x is within a half-width h_j of Z, for all
 * attributes at once with probability 1 - delta_c (Liang & Poon 2022, section
 * 3.4, with the empirical Bernstein half-width in place of Hoeffding's). The
 * half-width needs a bound on the entries. The largest entry seen is taken,
 * since a bound proved from the ranges of attributes is many times larger.
 * Groups whose estimate of Omega_g^D is beyond 1 come back. Those where it is
 * below 1 by more than the half-width may stay out. The others are reported as
 * doubtful.
 * SPDX-License-Identifier: MIT */
#include "solvers/stochastic/screen_online.h"

#include "core/integer.h"
#include "core/memory.h"
#include "math/confidence.h"
#include "solvers/stochastic/stochastic_parts.h"

#include <math.h>

enum {
  FROM = 20000, /* examples in a pass that is a stream */
  RESERVED = 10 /* one in so many is for the final check */
};

bool th_screen_online_stream_of(const struct th_config *config, int64_t n)
{
  return config->epochs == 1 && n >= FROM;
}

bool th_screen_online_streams(const struct th_stochastic *s)
{
  return th_screen_online_stream_of(s->context->config, s->n);
}

int64_t th_screen_online_left(const struct th_stochastic *s)
{
  int64_t reserved = th_screen_online_streams(s) ? s->n / RESERVED : 0;
  return th_max_i64(
      s->n * s->context->config->passes - s->control.drawn - reserved, 0);
}

/* bound_j = max |factor x_j|. */
static void widen_bounds(const struct th_row *row, double factor, double *bound)
{
  for (int64_t k = 0; k < row->count; k++) {
    int64_t p = row->place != NULL ? row->place[k] : k;
    bound[p] = fmax(bound[p], fabs(factor * th_row_value(row, k)));
  }
}

/* Means of -(1/lambda) theta x and of its square over fresh examples, and the
 * largest magnitude. *drawn: how many there were. Collective. */
static th_status take_sample(struct th_stochastic *s, int64_t examples,
                             int64_t *drawn, struct th_error *err)
{
  double *mean = th_stochastic_screening_field(s, TH_ONLINE_X);
  double *square = th_stochastic_screening_field(s, TH_ONLINE_AVERAGE);
  double *bound = th_stochastic_screening_field(s, TH_ONLINE_EXACT);
  double loss = s->control.loss; /* the loss of steps, to be restored */
  bool more = true;
  th_status rc = TH_OK;
  *drawn = 0;
  while (*drawn < examples && more) {
    TH_TRY(th_stochastic_batch_next(s, &more, err));
    for (int64_t r = 0; more && r < s->minibatch.rows; r++) {
      double factor =
          -s->minibatch.factor[r] * (double)s->minibatch.rows / s->lambda;
      th_row_add_moments(&s->minibatch.row[r], factor, mean, factor * factor,
                         square);
      widen_bounds(&s->minibatch.row[r], factor, bound);
    }
    *drawn += more ? s->minibatch.rows : 0;
    th_stochastic_batch_release(s, false);
  }
  s->control.drawn += *drawn;
  s->control.loss = loss;
  for (int64_t p = 0; p < s->active.count; p++) {
    mean[p] /= (double)th_max_i64(*drawn, 1);
    square[p] /= (double)th_max_i64(*drawn, 1);
  }
done:
  return rc;
}

/* Field X becomes the estimate of |Z_j|, and AVERAGE the largest value that the
 * sample leaves possible. */
static void bound_duals(struct th_stochastic *s, int64_t drawn, double delta)
{
  double *middle = th_stochastic_screening_field(s, TH_ONLINE_X);
  double *high = th_stochastic_screening_field(s, TH_ONLINE_AVERAGE);
  const double *bound = th_stochastic_screening_field(s, TH_ONLINE_EXACT);
  for (int64_t p = 0; p < s->active.count; p++) {
    double mean = fabs(middle[p]);
    double variance = fmax(high[p] - mean * mean, 0) * (double)drawn /
                      (double)th_max_i64(drawn - 1, 1);
    double half = th_confidence_bernstein(variance, bound[p], drawn,
                                          s->active.total, delta);
    middle[p] = mean;
    high[p] = mean + half;
  }
}

/* Set s->places.keep for active groups and for groups that must come back.
 * Collective. */
static int64_t judge(struct th_stochastic *s)
{
  double *was = th_stochastic_screening_field(s, TH_ONLINE_WAS);
  int64_t back = 0;
  th_grouping_dual(&s->grouping, s->context->comm,
                   th_stochastic_screening_field(s, TH_ONLINE_X),
                   s->places.group_dual);
  th_grouping_dual(&s->grouping, s->context->comm, was, s->places.group_second);
  for (int64_t g = 0; g < s->grouping.groups; g++)
    s->places.group_keep[g] =
        s->places.group_second[g] > 0 || s->places.group_dual[g] > 1;
  th_grouping_spread(&s->grouping, s->places.group_keep, s->places.keep);
  for (int64_t p = 0; p < s->active.count; p++)
    back += s->places.keep[p] && was[p] == 0;
  s->context->comm->ops->sum_i64(s->context->comm, &back, 1);
  return back;
}

/* Attributes that were left out although the sample does not show that they may
 * be. Collective. */
static int64_t count_doubtful(struct th_stochastic *s)
{
  const double *was = th_stochastic_screening_field(s, TH_ONLINE_WAS);
  int64_t doubtful = 0;
  th_grouping_dual(&s->grouping, s->context->comm,
                   th_stochastic_screening_field(s, TH_ONLINE_AVERAGE),
                   s->places.group_dual);
  for (int64_t g = 0; g < s->grouping.groups; g++)
    s->places.group_keep[g] = !(s->places.group_dual[g] < 1);
  th_grouping_spread(&s->grouping, s->places.group_keep, s->places.keep);
  for (int64_t p = 0; p < s->active.count; p++)
    doubtful += s->places.keep[p] && was[p] == 0;
  s->context->comm->ops->sum_i64(s->context->comm, &doubtful, 1);
  return doubtful;
}

/* Clear the vectors that a check works with. */
static void clear(struct th_stochastic *s)
{
  th_screen_online_clear(s, TH_ONLINE_X);
  th_screen_online_clear(s, TH_ONLINE_AVERAGE);
  th_screen_online_clear(s, TH_ONLINE_EXACT);
}

th_status th_screen_online_sample(struct th_stochastic *s, int64_t examples,
                                  int64_t *readmitted, struct th_error *err)
{
  struct th_online_screen *screen = th_screen_online_of(s);
  double risk = 1 - s->context->config->confidence;
  double delta = th_confidence_share(risk, ++screen->checks);
  int64_t drawn = 0;
  th_status rc;
  clear(s);
  TH_TRY(th_screen_online_readmit(s, err));
  TH_TRY(th_stochastic_coef_bound(s, err));
  TH_TRY(take_sample(s, examples, &drawn, err));
  bound_duals(s, drawn, delta);
  screen->doubtful = count_doubtful(s);
  *readmitted = judge(s);
  clear(s);
  TH_TRY(th_stochastic_keep(s, err));
  s->certificate.screened_wrongly += *readmitted;
  s->confidence = 1 - risk;
done:
  return rc;
}
