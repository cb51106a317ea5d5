/* oomp_law.c - what the theory of online orthogonal matching pursuit takes as
 * given
 * SPDX-License-Identifier: MIT */
#include "solvers/greedy/oomp_law.h"

#include "core/integer.h"

#include <math.h>

/* Of useful attributes. */
struct extremes {
  double least; /* variance */
  double most;
  double least_scale;
  double scale;
  double reach;
};

/* Of this rank. */
static th_status find_here(const struct th_context *context, struct extremes *e,
                           struct th_error *err)
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
      if (!(scale > 0))
        continue;
      e->least = fmin(e->least, x * x);
      e->most = fmax(e->most, x * x);
      e->least_scale = fmin(e->least_scale, scale);
      e->scale = fmax(e->scale, scale);
      e->reach = fmax(e->reach, context->bound[j - owned.first]);
    }
  }
  return TH_OK;
}

/* Of all ranks. Collective. */
static th_status find(const struct th_context *context, struct extremes *e,
                      struct th_error *err)
{
  *e = (struct extremes){.least = INFINITY, .least_scale = INFINITY};
  th_status rc = th_agree(context->comm, find_here(context, e, err), err);
  double all[] = {-e->least, e->most, -e->least_scale, e->scale, e->reach};
  if (rc != TH_OK)
    return rc;
  context->comm->ops->max_f64(context->comm, all, sizeof all / sizeof *all);
  *e = (struct extremes){-all[0], all[1], -all[2], all[3], all[4]};
  return TH_OK;
}

/* A constant, as it was given, as the generator knows it, or as it is assumed.
 * sign: 1, a larger one is safe, and -1. */
static double choose(double given, bool is_given, double known, bool is_known,
                     double assumed, double sign, enum th_constant_from *from)
{
  static const double rounding = 1e-9;
  bool worse = is_known && sign * (known - given) > rounding * known;
  if (is_given)
    *from = worse ? TH_CONSTANT_CONTRADICTED : TH_CONSTANT_GIVEN;
  else
    *from = is_known ? TH_CONSTANT_GENERATOR : TH_CONSTANT_ASSUMED;
  if (is_given)
    return given;
  return is_known ? known : assumed;
}

th_status th_oomp_law_find(struct th_oomp_law *law,
                           const struct th_context *context,
                           struct th_error *err)
{
  const struct th_config_greedy *given = &context->config->greedy;
  const struct th_design *design = &given->known;
  bool known = design->most > 0;
  struct extremes e;
  th_status rc = find(context, &e, err);
  if (rc != TH_OK)
    return rc;
  double least = design->least * e.least_scale * e.least_scale;
  double most = design->most * e.scale * e.scale;
  *law =
      (struct th_oomp_law){.reach = given->bound > 0 ? given->bound : e.reach,
                           .span = context->target.largest,
                           .own = e.scale};
  law->mu = choose(given->mu, given->mu >= 0, design->mu, known, TH_MU_ASSUMED,
                   1, &law->mu_from);
  law->least = choose(given->rho, given->rho > 0, least, known, e.least, -1,
                      &law->least_from);
  law->most = choose(given->smoothness, given->smoothness > 0, most, known,
                     e.most, 1, &law->most_from);
  return TH_OK;
}

bool th_oomp_law_bounds(const struct th_oomp_law *law)
{
  return th_claims_holds(law->mu_from) && th_claims_holds(law->least_from) &&
         th_claims_holds(law->most_from);
}

bool th_oomp_law_guarantees(const struct th_oomp_law *law, bool descends)
{
  return th_claims_holds(law->mu_from) &&
         (!descends || th_claims_holds(law->least_from));
}

double th_oomp_law_remaining(const struct th_oomp_law *law, double most)
{
  return law->own * sqrt(law->most / law->least) / law->least * most;
}
