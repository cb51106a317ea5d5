/* oomp_law.c - what the theory of online orthogonal matching pursuit takes as
 * given
 * SPDX-License-Identifier: MIT */
#include "solvers/greedy/oomp_law.h"

#include "core/integer.h"

#include <math.h>

/* Smallest and largest variance of the useful attributes of this rank. */
static th_status find_variances(const struct th_context *context, double *least,
                                double *most, struct th_error *err)
{
  struct th_statistics statistics[TH_CELL];
  struct th_range owned = context->owned;
  for (int64_t first = owned.first; first < owned.last; first += TH_CELL) {
    struct th_range part = {first, th_min_i64(first + TH_CELL, owned.last)};
    th_status rc = th_source_statistics(context->source, part, statistics, err);
    if (rc != TH_OK)
      return rc;
    for (int64_t j = part.first; j < part.last; j++) {
      double scale = context->scale[j - owned.first];
      double x = statistics[j - part.first].deviation * scale;
      if (scale > 0) {
        *least = fmin(*least, x * x);
        *most = fmax(*most, x * x);
      }
    }
  }
  return TH_OK;
}

th_status th_oomp_law_find(struct th_oomp_law *law,
                           const struct th_context *context,
                           struct th_error *err)
{
  const struct th_config_greedy *given = &context->config->greedy;
  double range[3] = {-INFINITY, 0, 0};
  double least = INFINITY;
  th_status rc = find_variances(context, &least, &range[1], err);
  TH_TRY(th_agree(context->comm, rc, err));
  for (int64_t a = 0; a < context->owned.last - context->owned.first; a++)
    if (context->scale[a] > 0)
      range[2] = fmax(range[2], context->bound[a]);
  range[0] = -least;
  context->comm->ops->max_f64(context->comm, range, 3);
  *law = (struct th_oomp_law){
      .mu = given->mu,
      .least = given->rho > 0 ? given->rho : -range[0],
      .most = given->smoothness > 0 ? given->smoothness : range[1],
      .reach = given->bound > 0 ? given->bound : range[2],
      .span = context->target.largest};
done:
  return rc;
}
