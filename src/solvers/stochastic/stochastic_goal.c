/* stochastic_goal.c - the gap that ends a run of a stochastic method
 *
 * A check sees the iterate before screening prunes it, and only on the active
 * attributes. The model is the pruned iterate, and its certificate is over all
 * attributes. Pruned attributes may break the optimality conditions at an
 * iterate with noise. For both reasons its gap may be larger. So a run ends
 * only if the certificate of the model itself says so.
 * SPDX-License-Identifier: MIT */
#include "core/memory.h"
#include "solvers/penalised/problem.h"
#include "solvers/stochastic/stochastic_parts.h"

#include <math.h>

static const double usual_tolerance = 1e-9; /* of the zero model's objective */

/* Also relative to it: gaps that the rounding of values to float may cause;
 * gaps at which steps no longer help; the limit of double precision. */
static const double float_gap = 1e-6;
static const double still_gap = 1e-11;
static const double double_gap = 1e-13;

enum { LOOK_AGAIN = 4 }; /* after a quarter of the examples so far */

/* The gap to reach: --tolerance, or a small share of the zero model's
 * objective, or 0 for none if --epochs says how long to go on. */
static double goal(const struct th_stochastic *s)
{
  const struct th_config *config = s->context->config;
  if (config->tolerance > 0)
    return config->tolerance;
  return config->epochs > 0 ? 0 : usual_tolerance * s->goal.zero_objective;
}

th_status th_stochastic_open_problem(struct th_stochastic *s,
                                     struct th_error *err)
{
  struct th_context *context = s->context;
  th_status rc;
  if (s->goal.problem != NULL)
    return TH_OK;
  rc = TH_NEW(&s->goal.problem, 1, "a certificate", err);
  TH_TRY(th_agree(context->comm, rc, err));
  TH_TRY(th_problem_init(s->goal.problem, context, NULL, err));
done:
  return rc;
}

/* Fill in s->goal.whole. Collective. */
static th_status look_at_all(struct th_stochastic *s, struct th_error *err)
{
  struct th_context *context = s->context;
  th_status rc = TH_OK;
  if (th_stochastic_knows(s, TH_KNOWN_CERTIFICATE))
    return rc;
  TH_TRY(th_stochastic_gather(s, err));
  TH_TRY(th_stochastic_open_problem(s, err));
  TH_TRY(th_problem_certify(s->goal.problem, &s->support, s->lambda,
                            &s->goal.whole, err));
  rc = th_source_activate(context->source, context->comm, s->active.attribute,
                          s->active.count, err);
  th_stochastic_learnt(s, TH_KNOWN_CERTIFICATE);
done:
  return rc;
}

/* Values that are centred or scaled are rounded to float, so the steps solve a
 * slightly different problem. Change to double, whose solution is that of the
 * data. Collective. */
static th_status sharpen(struct th_stochastic *s, struct th_error *err)
{
  th_status rc;
  s->caches.type = TH_F64;
  TH_TRY(th_stochastic_rebuild(s, err));
  if (s->update->restart == NULL)
    return rc;
  TH_TRY(th_stochastic_pass(s, err));
  s->update->restart(s);
done:
  return rc;
}

static bool may_sharpen(const struct th_stochastic *s, double wanted)
{
  const struct th_context *context = s->context;
  return s->caches.type == TH_F32 &&
         (context->centred || context->config->standardize) &&
         wanted < float_gap * s->goal.zero_objective;
}

/* The wanted gap has been reached, or no smaller one can be. Does the model
 * have it, too? Collective. */
static th_status confirm(struct th_stochastic *s, double wanted,
                         struct th_error *err)
{
  th_status rc = TH_OK;
  if (s->control.drawn < s->goal.certify_at)
    return rc;
  TH_TRY(look_at_all(s, err));
  s->goal.certify_at = s->control.drawn + s->control.drawn / LOOK_AGAIN;
  s->done = s->done || s->goal.whole.gap <= wanted;
  if (!s->done && may_sharpen(s, wanted))
    rc = sharpen(s, err);
done:
  return rc;
}

bool th_stochastic_ends_exactly(const struct th_stochastic *s)
{
  return s->screening->exact != NULL && s->screening->exact(s);
}

th_status th_stochastic_check_gap(struct th_stochastic *s, struct th_error *err)
{
  double wanted = goal(s);
  bool exact = th_stochastic_ends_exactly(s);
  double look = wanted;
  th_status rc = TH_OK;
  if (!(wanted > 0))
    return rc;
  if (s->goal.last && !exact && may_sharpen(s, wanted))
    look = fmax(look, still_gap * s->goal.zero_objective);
  if (!th_stochastic_knows(s, TH_KNOWN_LOOKED))
    TH_TRY(th_stochastic_pass(s, err));
  if (!th_stochastic_knows(s, TH_KNOWN_PASS) && !exact &&
      s->full.pass.gap <= look)
    TH_TRY(th_stochastic_pass(s, err));
  if (!(s->full.pass.gap <= look))
    return rc;
  if (s->goal.last && !exact)
    rc = confirm(s, wanted, err);
  else
    s->done = true;
done:
  return rc;
}

th_status th_stochastic_end_exactly(struct th_stochastic *s,
                                    struct th_error *err)
{
  double wanted = goal(s);
  th_status rc = TH_OK;
  if (!(wanted > 0) || !s->goal.last)
    return rc;
  TH_TRY(look_at_all(s, err));
  if (s->goal.whole.gap <= fmax(wanted, double_gap * s->goal.zero_objective))
    return rc;
  if (may_sharpen(s, wanted))
    TH_TRY(sharpen(s, err));
  th_stochastic_changed(s, TH_CHANGE_END);
  TH_TRY(s->screening->refine(s, wanted, err));
  if (!th_stochastic_knows(s, TH_KNOWN_PASS))
    rc = th_stochastic_pass(s, err);
done:
  return rc;
}

th_status th_stochastic_certify(struct th_stochastic *s, struct th_error *err)
{
  struct th_certificate own = s->certificate;
  th_status rc = look_at_all(s, err);
  if (rc != TH_OK)
    return rc;
  s->certificate = s->goal.whole;
  s->certificate.path = own.path;
  s->certificate.path_size = own.path_size;
  s->certificate.active = own.active;
  s->certificate.screened_wrongly = own.screened_wrongly;
  s->certificate.confidence = own.confidence;
  return rc;
}

enum th_ended_by th_stochastic_ended_by(const struct th_stochastic *s)
{
  double gap = s->certificate.gap;
  double wanted = goal(s);
  if (!(wanted > 0))
    return TH_ENDED_EXAMPLES;
  if (gap <= wanted)
    return TH_ENDED_TOLERANCE;
  if (gap <= double_gap * s->goal.zero_objective)
    return TH_ENDED_PRECISION;
  return TH_ENDED_EXAMPLES;
}

/* A certificate alone would be overlooked, so this is a notice. */
void th_stochastic_tell(const struct th_stochastic *s)
{
  const struct th_config *config = s->context->config;
  double gap = s->certificate.gap;
  double wanted = goal(s);
  bool used_up = th_stochastic_done(s) >= 1;
  if (!(wanted > 0) || gap <= wanted)
    return;
  if (gap <= double_gap * s->goal.zero_objective)
    th_context_notice(s->context,
                      "the gap is %g and not %g, because double precision "
                      "allows no smaller one",
                      gap, wanted);
  else
    th_context_notice(s->context,
                      "%s at a gap of %g, not %g: the model is not the "
                      "solution. To come closer, give %s%s{solver} lasso",
                      used_up ? "the examples are used up" : "the run ended",
                      gap, wanted, config->standardize ? "" : "{standardize}, ",
                      used_up ? "a larger {epochs} or " : "");
}
