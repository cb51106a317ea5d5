/* stochastic.c - the engine of stochastic methods
 *
 * Liang & Poon 2022, Algorithms 1 and 2, with an update rule and a screening
 * rule; t counts examples, b the coefficients:
 *
 *   until the gap or the epochs say so: an outer loop
 *     1  make what the steps need of all examples: bounds, for svrg an anchor
 *     2  for T = 4 n examples, or as the screening rule says: a mini-batch
 *     3    gamma_t = 1 / (Lmax ceil(t / (n/2))^0.55)
 *     4    draw examples; theta = f'(x'b + b0; y) of each
 *     5    the screening rule looks at theta (screen_online.c)
 *     6    the update rule makes a step: b = prox of gamma_t lambda Omega at
 *          b - gamma_t theta x (updates.c)
 *     7  the screening rule drops attributes (screen_gap_safe.c,
 *        screen_online.c)
 *     8  end if the duality gap of the model itself is small enough
 *     9  spread the attributes that are left evenly over the ranks
 *    10  measure Lmax again where enough have left
 * SPDX-License-Identifier: MIT */
#include "solvers/stochastic/stochastic.h"

#include "base/elementary.h"
#include "base/integer.h"
#include "base/memory.h"
#include "math/gap.h"
#include "solvers/access/csc_cache.h"
#include "solvers/algorithms.h"
#include "solvers/penalised/certify.h"
#include "solvers/penalised/problem.h"
#include "solvers/plan.h"
#include "solvers/solver_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static bool ends_exactly(const struct th_stochastic *s);
static th_status check_gap(struct th_stochastic *s, struct th_error *err);
static th_status end_exactly(struct th_stochastic *s, struct th_error *err);

/* Is all of that current? Local; replicated. */
static bool knows(const struct th_stochastic *s, unsigned what)
{
  return (s->known & what) == what;
}

/* --- Step sizes and counters ---------------------------------------------- */

/* gamma_t = 1 / (Lmax ceil(t / (n/2))^0.55): the printed 1 / (n L t^0.51) is
 * for the sum of the losses, and hardly moves on their mean; --steps paper has
 * it. */
static const double step_decay = 0.55;
static const double printed_decay = 0.51;

/* Lmax is computed anew, for the active attributes, when a tenth of them has
 * left. */
static const double worth_renewing = 0.9;

static void describe_control(struct th_step_control *control,
                             struct th_state *state)
{
  th_state_enter(state, "control");
  TH_STATE_ONE(state, control, measured);
  TH_STATE_ONE(state, control, largest);
  TH_STATE_ONE(state, control, curvature);
  TH_STATE_ONE(state, control, heaviest);
  TH_STATE_ONE(state, control, constant);
  TH_STATE_ONE(state, control, batch_speedup);
  TH_STATE_ONE(state, control, step_size);
  TH_STATE_ONE(state, control, epoch_half);
  TH_STATE_ONE(state, control, drawn);
  TH_STATE_ONE(state, control, steps);
  TH_STATE_ONE(state, control, threshold);
  TH_STATE_ONE(state, control, flushed_at);
  TH_STATE_ONE(state, control, loss);
  th_state_leave(state);
}

double th_stochastic_first_step(const struct th_stochastic *s)
{
  double given = s->context->config->eta;
  if (given > 0)
    return given;
  double curvature = s->control.curvature + s->control.smoothness *
                                                s->control.heaviest *
                                                s->control.constant;
  return curvature > 0 ? s->control.batch_speedup / curvature : 1;
}

/* Section 4.2 of the paper: the step is that of one example. Local. */
static void choose_printed_step(struct th_stochastic *s)
{
  double t = (double)s->control.drawn + 1;
  s->control.step_size =
      th_stochastic_first_step(s) / ((double)s->n * th_pow(t, printed_decay));
}

/* Choose the step size of the next mini-batch. t counts examples, so that a
 * mini-batch decays by the same number of epochs. Local. */
static void choose_step(struct th_stochastic *s)
{
  double constant = s->update->constant;
  if (s->context->config->method.steps == TH_STEPS_PAPER) {
    choose_printed_step(s);
    return;
  }
  int64_t half = th_integer_ceil_divide(2 * (s->control.drawn + 1), s->n);
  if (half == s->control.epoch_half ||
      (constant > 0 && s->control.epoch_half > 0))
    return;
  s->control.epoch_half = half;
  s->control.step_size =
      th_stochastic_first_step(s) *
      (constant > 0 ? constant : 1 / th_pow((double)half, step_decay));
}

/* After screening the active part of an example is shorter, so steps may be
 * longer: measure again if enough attributes have left. But not where online
 * screening does not end exactly: the model would have the noise of the last
 * steps. Collective. */
static th_status renew_steps(struct th_stochastic *s, struct th_error *err)
{
  th_status rc = TH_OK;
  if ((double)s->active.total > worth_renewing * (double)s->control.measured ||
      (s->screening->exact != NULL && !ends_exactly(s)))
    return rc;
  TH_TRY(th_pass_measure(s, err));
done:
  return rc;
}

/* --- The outer loop of stochastic methods --------------------------------- */

enum {
  EPOCHS_IN_LOOP = 4, /* T = 4 n examples between two screenings */
  STEPS_UNTOLD = 1024 /* between two reports to the monitor */
};

double th_stochastic_done(const struct th_stochastic *s)
{
  double epochs = (double)s->context->config->passes;
  return (double)s->control.drawn / (epochs * (double)s->n);
}

/* Local. */
static void tell_going(const struct th_stochastic *s)
{
  if (s->control.steps % STEPS_UNTOLD == 0)
    th_context_going(s->context, th_stochastic_done(s),
                     "lambda %.4g  epoch %.1f of %" PRId64 "  %" PRId64
                     " active attributes",
                     s->lambda, (double)s->control.drawn / (double)s->n,
                     s->context->config->passes, s->active.total);
}

/* One mini-batch. Collective. */
static th_status take_step(struct th_stochastic *s, bool *more,
                           struct th_error *err)
{
  th_status rc;
  choose_step(s);                           /* line 3 */
  TH_TRY(th_pass_batch_next(s, more, err)); /* line 4 */
  if (!*more)
    return TH_OK;
  if (s->screening->observe != NULL)
    s->screening->observe(s); /* line 5 */
  s->control.drawn += s->minibatch.rows;
  s->control.steps++;
  tell_going(s);
  s->update->step(s); /* line 6 */
  th_pass_batch_release(s, false);
done:
  return rc;
}

int64_t th_stochastic_block(struct th_stochastic *s)
{
  int64_t given = s->context->config->screening.every;
  if (given > 0)
    return given;
  return th_integer_ceil_divide(EPOCHS_IN_LOOP * s->n, s->minibatch.capacity);
}

/* The number of mini-batches until the next screening. */
static int64_t block_length(struct th_stochastic *s)
{
  return (s->screening->block != NULL ? s->screening->block
                                      : th_stochastic_block)(s);
}

/* Gather in s->support, on every rank, the coefficients that are not zero.
 * Collective. */
static th_status stochastic_gather(struct th_stochastic *s,
                                   struct th_error *err)
{
  struct th_index_value *all = NULL;
  int64_t *bytes = NULL;
  int64_t mine = 0;
  int64_t received = 0;
  th_status rc = TH_GROW(&s->places.choice, &s->places.choice_capacity,
                         s->active.count, "the support", err);
  if (rc == TH_OK)
    rc = TH_NEW(&bytes, s->context->comm->size, "the support", err);
  TH_TRY(th_agree(s->context->comm, rc, err));
  for (int64_t p = 0; p < s->active.count; p++)
    if (th_coef_of(s)[p] != 0)
      s->places.choice[mine++] =
          (struct th_index_value){s->active.attribute[p], th_coef_of(s)[p]};
  TH_TRY(th_comm_gather(s->context->comm, s->places.choice,
                        mine * (int64_t)sizeof *s->places.choice, bytes,
                        (void **)&all, err));
  for (int r = 0; r < s->context->comm->size; r++)
    received += bytes[r];
  TH_TRY(th_support_assign(&s->support, s->context, all,
                           received / (int64_t)sizeof *all, err));
  th_support_drop_dust(&s->support);
  s->support.intercept = s->intercept;
done:
  TH_FREE(all, bytes);
  return rc;
}

/* Fill in the certificate with what is known now. */
static void fill_certificate(struct th_stochastic *s)
{
  struct th_certificate *c = &s->certificate;
  bool known = s->known & (TH_KNOWN_LOOKED | TH_KNOWN_PASS); /* a pass */
  c->lambda = s->lambda;
  c->objective = known ? s->full.pass.objective : NAN;
  c->gap = known ? s->full.pass.gap : NAN;
  c->dual_norm = s->full.pass.dual_norm;
  c->confidence = s->confidence;
  c->active = s->active.total;
}

/* Mini-batches, until the block or the examples are used up. Collective. */
static th_status run_block(struct th_stochastic *s, bool *used,
                           struct th_error *err)
{
  int64_t before = s->control.drawn;
  bool rows = true;
  double last = s->control.loss;
  th_status rc = TH_OK;
  s->control.loss = 0;
  s->control.flushed_at = s->control.steps;
  th_comm_profile_begin(s->context->profile);
  for (int64_t k = block_length(s); k > 0 && rows && rc == TH_OK; k--)
    rc = take_step(s, &rows, err);
  if (s->update->flush != NULL)
    s->update->flush(s);
  th_comm_profile_end(s->context->profile, TH_PHASE_STEPS);
  s->done = !rows;
  *used = s->control.drawn > before;
  s->control.loss =
      *used ? s->control.loss / (double)(s->control.drawn - before) : last;
  return rc;
}

th_status th_stochastic_step(void *state, struct th_context *context,
                             bool *more, struct th_error *err)
{
  struct th_stochastic *s = state;
  th_status rc = TH_OK;
  (void)context;
  *more = !s->done && s->active.total > 0;
  if (!*more)
    return rc;
  th_stochastic_changed(s, TH_CHANGE_LOOP);
  /* line 1 */
  if (!knows(s, TH_KNOWN_COEF_BOUND))
    TH_TRY(th_coef_bound(s, err));
  th_stochastic_changed(s, TH_CHANGE_STEPS);
  if (s->update->begin != NULL)
    TH_TRY(s->update->begin(s, err));
  TH_TRY(run_block(s, more, err)); /* lines 2 to 6 */
  if (!*more)
    return rc;
  if (s->screening->end != NULL)
    TH_TRY(s->screening->end(s, err));    /* line 7 */
  TH_TRY(check_gap(s, err));              /* line 8 */
  TH_TRY(th_coef_places_balance(s, err)); /* line 9 */
  TH_TRY(renew_steps(s, err));            /* line 10 */
  fill_certificate(s);
  TH_TRY(stochastic_gather(s, err));
done:
  return rc;
}

th_status th_stochastic_finish(void *state, struct th_context *context,
                               struct th_error *err)
{
  struct th_stochastic *s = state;
  th_status rc = TH_OK;
  (void)context;
  th_pass_batch_release(s, true);
  if (s->screening->finish != NULL) {
    th_stochastic_changed(s, TH_CHANGE_END);
    TH_TRY(s->screening->finish(s, err));
  }
  if (!knows(s, TH_KNOWN_PASS))
    TH_TRY(th_pass_make(s, err));
  if (ends_exactly(s))
    TH_TRY(end_exactly(s, err));
  fill_certificate(s);
  TH_TRY(stochastic_gather(s, err));
done:
  return rc;
}

/* --- The gap that ends a run of a stochastic method
 *
 * A check sees the iterate before screening prunes it, and only on the active
 * attributes. The model is the pruned iterate, and its certificate is over all
 * attributes. Pruned attributes may break the optimality conditions at an
 * iterate with noise. For both reasons its gap may be larger. So a run ends
 * only if the certificate of the model itself says so. */

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

/* Open the problem over all attributes, for certificates, unless it is open.
 * Collective. */
static th_status open_problem(struct th_stochastic *s, struct th_error *err)
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
  if (knows(s, TH_KNOWN_CERTIFICATE))
    return rc;
  TH_TRY(stochastic_gather(s, err));
  TH_TRY(open_problem(s, err));
  TH_TRY(
      th_certify(s->goal.problem, &s->support, s->lambda, &s->goal.whole, err));
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
  TH_TRY(th_pass_rebuild(s, err));
  TH_TRY(th_pass_measure(s, err));
  if (s->update->restart == NULL)
    return rc;
  TH_TRY(th_pass_make(s, err));
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

/* Does finish make the model the exact solution? Local. */
static bool ends_exactly(const struct th_stochastic *s)
{
  return s->screening->exact != NULL && s->screening->exact(s);
}

/* At the end of an outer loop: end the run if the gap is small enough.
 * Collective. */
static th_status check_gap(struct th_stochastic *s, struct th_error *err)
{
  double wanted = goal(s);
  bool exact = ends_exactly(s);
  double look = wanted;
  th_status rc = TH_OK;
  if (!(wanted > 0))
    return rc;
  if (s->goal.last && !exact && may_sharpen(s, wanted))
    look = fmax(look, still_gap * s->goal.zero_objective);
  if (!knows(s, TH_KNOWN_LOOKED))
    TH_TRY(th_pass_make(s, err));
  if (!knows(s, TH_KNOWN_PASS) && !exact && s->full.pass.gap <= look)
    TH_TRY(th_pass_make(s, err));
  if (!(s->full.pass.gap <= look))
    return rc;
  if (s->goal.last && !exact)
    rc = confirm(s, wanted, err);
  else
    s->done = true;
done:
  return rc;
}

/* After such a finish: go on if the certificate says that the wanted gap has
 * not been reached. Collective. */
static th_status end_exactly(struct th_stochastic *s, struct th_error *err)
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
  if (!knows(s, TH_KNOWN_PASS))
    rc = th_pass_make(s, err);
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
void th_stochastic_notify(const struct th_stochastic *s)
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

/* --- What a run of a stochastic method is going to do --------------------- */

enum {
  BYTES_PER_ATTRIBUTE =
      24 + 34 * 8,          /* the context's, a solver's, a problem's */
  BYTES_PER_EXAMPLE = 4 * 8 /* targets, weights, predictions, duals */
};

/* The passes that stand for an epoch: its steps, and every four epochs a check,
 * which goes over the values twice. After some epochs screening leaves little.
 */
static const double passes_of_epoch = 1.5;
static const double usual_epochs = 30;

th_status th_stochastic_plan(struct th_plan *plan,
                             const struct th_plan_size *size,
                             struct th_error *err)
{
  const struct th_config *config = &plan->config;
  th_status rc = th_plan_penalised(plan, size, err);
  if (rc != TH_OK)
    return rc;
  double points = (double)plan->points;
  double all = th_plan_penalised_values(size->shape);
  double epochs = points * (double)config->passes;
  double rows = (double)size->shape->training;
  int engines = plan->points > 1 ? 2 : 1; /* the next lambda's is made first */
  plan->memory +=
      size->owned * BYTES_PER_ATTRIBUTE +
      size->shape->training * plan->solver->update->example_bytes +
      (int64_t)th_plan_part(size, engines * BYTES_PER_EXAMPLE * rows) +
      th_pass_bytes(size->shape->training, size->shape->row_group) +
      th_problem_bytes(size) + th_csc_cache_bytes(size);
  plan->visits = epochs * all;
  if (config->epochs > 0 && !(config->tolerance > 0))
    return rc;
  plan->most_visits = passes_of_epoch * epochs * all;
  plan->visits = config->screening.how != TH_SCREEN_NONE
                     ? fmin(epochs, points * usual_epochs) * all
                     : plan->most_visits;
  return rc;
}

/* --- The state of a stochastic method between outer loops
 *
 * Row caches, cells and groups are derived from the active attributes. On
 * another number of ranks, attributes are with their owners again; no number
 * depends on where they are. */

/* If the run has opened the problem over all attributes, open it here, too.
 * Collective. */
static void describe_problem(struct th_stochastic *s, struct th_state *state)
{
  struct th_context *context = s->context;
  struct th_error *err = state->err;
  double *opened = th_state_scratch(state, 1);
  if (opened != NULL)
    *opened = s->goal.problem != NULL;
  th_state_all(state, "problem", TH_STATE_F64, opened, 1);
  if (!th_state_puts(state) || !th_state_agree(state, context->comm) ||
      opened == NULL || *opened == 0)
    return;
  th_state_note(state, open_problem(s, err));
}

/* All attributes are active so far. Those that the image does not have leave.
 * Collective. */
static struct th_range keep_active(struct th_stochastic *s,
                                   struct th_state *state)
{
  struct th_context *context = s->context;
  const int64_t *kept = NULL;
  struct th_range here =
      th_state_find(state, "attribute", s->active.owned, &kept);
  int64_t count = th_range_count(here);
  int64_t at = 0;
  if (!th_state_agree(state, context->comm))
    return here;
  for (int64_t p = 0; p < s->active.count; p++) {
    s->places.keep[p] = at < count && kept[at] == s->active.attribute[p];
    at += s->places.keep[p];
  }
  th_status rc = TH_OK;
  if (at < count)
    rc = th_fail(state->err, TH_EFORMAT,
                 "the state has attribute %lld, which is left out here",
                 (long long)kept[at]);
  th_state_note(state, rc);
  if (!th_state_agree(state, context->comm))
    return here;
  th_state_note(state, th_coef_places_keep(s, state->err));
  if (th_state_agree(state, context->comm))
    th_state_note(state, th_source_activate(context->source, context->comm,
                                            s->active.attribute,
                                            s->active.count, state->err));
  return here;
}

/* Numbers of steps, kept as doubles. */
static void check_steps(const struct th_stochastic *s, struct th_state *state)
{
  const double *step = s->active.field[TH_FIELD_LAZY];
  bool good = true;
  for (int64_t k = 0; k < s->active.count && th_state_good(state); k++)
    good = good && fabs(step[k]) <= 0x1p46;
  if (th_state_puts(state) && !good)
    th_state_note(state, th_fail(state->err, TH_EFORMAT,
                                 "the state has a coefficient at no step"));
}

/* Describe every vector but Z, which passes compute anew. Collective. */
static void describe_active(struct th_stochastic *s, struct th_state *state)
{
  enum { NUMBER = 24 };
  char name[NUMBER];
  struct th_range here = {0, s->active.count};
  if (th_state_puts(state))
    here = keep_active(s, state);
  th_state_spread(state, "attribute", TH_STATE_I64, s->active.attribute, 1,
                  here);
  for (int f = 0; f < s->active.fields; f++) {
    if (f == TH_FIELD_DUAL)
      continue;
    snprintf(name, sizeof name, "field.%d", f);
    th_state_spread(state, name, TH_STATE_F64, s->active.field[f], 1, here);
    if (f == TH_FIELD_LAZY)
      check_steps(s, state);
  }
}

/* The unit that is being handed out is held, and no other. */
static void check_held(const struct th_stochastic *s, struct th_state *state)
{
  const struct th_minibatch *minibatch = &s->minibatch;
  const struct th_rows *unit = &s->order.unit;
  bool begun = s->order.next < unit->count;
  if (!th_state_puts(state) || !th_state_good(state))
    return;
  if (minibatch->holds == begun &&
      (!begun ||
       minibatch->held[0] == th_row_caches_unit_of(&s->caches, unit->first)))
    return;
  th_state_note(state, th_fail(state->err, TH_EFORMAT,
                               "the state holds examples that it does not "
                               "hand out"));
}

/* Row caches hold floats, or doubles once floats were found to be too coarse.
 * The unit that is being handed out is held. */
static void describe_rows(struct th_stochastic *s, struct th_state *state)
{
  struct th_minibatch *minibatch = &s->minibatch;
  int32_t type = (int32_t)s->caches.type;
  int32_t *kept = (int32_t *)(void *)th_state_scratch(state, 1);
  if (kept != NULL)
    *kept = type;
  th_state_all(state, "type", TH_STATE_I32, kept, 1);
  th_example_order_describe(&s->order, state);
  TH_STATE_AT_MOST(state, minibatch, holds, 1);
  TH_STATE_ARRAY(state, minibatch, held, minibatch->holds);
  th_state_limit(state, "held", minibatch->held, minibatch->holds, 0,
                 th_row_caches_unit_of(&s->caches, s->n - 1));
  check_held(s, state);
  if (!th_state_puts(state) || !th_state_good(state) || kept == NULL)
    return;
  if (*kept != TH_F32 && *kept != TH_F64) {
    th_state_note(state, th_fail(state->err, TH_EFORMAT,
                                 "the state has row caches of no such type"));
    return;
  }
  s->caches.type = (enum th_type) * kept;
  th_row_caches_forget(&s->caches);
  for (int64_t k = 0; k < minibatch->holds; k++)
    th_state_note(
        state, th_row_caches_draw(&s->caches, minibatch->held[k], state->err));
}

static void describe_certificate(struct th_stochastic *s,
                                 struct th_state *state)
{
  struct th_certificate *c = &s->certificate;
  int64_t capacity = 0;
  th_pass_describe(&s->full.pass, "pass", state);
  th_claims_certificate_describe(&s->goal.whole, "whole", state);
  th_claims_certificate_describe(c, "certificate", state);
  TH_STATE_ONE(state, c, path_size);
  if (th_state_puts(state))
    th_state_limit(state, "path_size", &c->path_size, 1, 0, INT32_MAX);
  if (th_state_puts(state) && th_state_good(state))
    th_state_note(state, th_grow((void **)&c->path, &capacity, c->path_size,
                                 sizeof *c->path, "the path", state->err));
  th_claims_certificate_describe_path(c, c->path_size, state);
}

/* The set of what is known is listed as it is. */
static void describe_iterate(struct th_stochastic *s, struct th_state *state)
{
  TH_STATE_ONE(state, s, lambda);
  TH_STATE_ONE(state, s, intercept);
  TH_STATE_ONE(state, &s->exempt, start);
  TH_STATE_ONE(state, s, anchor_intercept);
  TH_STATE_ONE(state, s, confidence);
  TH_STATE_ONE(state, s, known);
  TH_STATE_ONE(state, s, done);
  TH_STATE_ONE(state, &s->goal, zero_objective);
  TH_STATE_ONE(state, &s->goal, certify_at);
}

void th_stochastic_describe(struct th_stochastic *s, struct th_state *state)
{
  describe_problem(s, state);
  describe_active(s, state);
  describe_rows(s, state);
  describe_iterate(s, state);
  describe_control(&s->control, state);
  th_coef_scaling_describe(&s->scaling, state);
  describe_certificate(s, state);
  th_support_describe(&s->support, "support", state);
  th_state_enter(state, "update");
  if (s->update->describe != NULL)
    s->update->describe(s, state);
  th_state_leave(state);
  th_state_enter(state, "screening");
  if (s->screening->describe != NULL)
    s->screening->describe(s, state);
  th_state_leave(state);
}

/* ---- setting up ---- */

/* Local. */
static th_status reserve(struct th_stochastic *s, struct th_error *err)
{
  struct th_context *context = s->context;
  const struct th_config *config = context->config;
  int64_t n = s->n;
  int64_t rows = config->batch > 0 ? config->batch : 1;
  th_status rc;
  if (s->update->size > 0)
    TH_TRY(th_alloc(&s->update_state, 1, s->update->size, "steps", err));
  if (s->screening->size > 0)
    TH_TRY(
        th_alloc(&s->screening_state, 1, s->screening->size, "screening", err));
  TH_TRY(th_row_caches_init(&s->caches, context, &s->active,
                            config->row_cache_memory, err));
  TH_TRY(th_example_order_init(&s->order, context->deal.plan.unit, err));
  TH_TRY(th_pass_batch_init(&s->minibatch, th_min_i64(rows, n), err));
done:
  return rc;
}

/* Collective. */
static th_status take_examples(struct th_stochastic *s, struct th_error *err)
{
  struct th_context *context = s->context;
  th_status rc;
  TH_TRY(
      th_context_all_targets_init(&s->all, context, TH_WEIGHTS_OF_SUM_1, err));
  s->target = s->all.target;
  s->eta = s->all.weight;
  TH_TRY(th_pass_init(&s->full, context->comm, s->n, context->deal.plan.unit,
                      err));
done:
  return rc;
}

/* lambda_max = Omega^D of the gradient at zero: Z there, for lambda = 1.
 * Collective. */
static th_status choose_lambda(struct th_stochastic *s, int64_t point,
                               struct th_error *err)
{
  s->lambda = 1;
  th_status rc = th_pass_make(s, err);
  if (rc != TH_OK)
    return rc;
  s->certificate.lambda_max = s->full.pass.dual_norm;
  s->goal.zero_objective = s->full.pass.objective;
  s->exempt.start = s->intercept;
  s->lambda = th_plan_penalised_lambda(s->context->config,
                                       s->certificate.lambda_max, point);
  s->done = !(s->lambda < s->certificate.lambda_max);
  if (s->done && s->context->config->path == 0)
    th_context_notice(
        s->context, "lambda %g is not below lambda_max %g, so the model is %s",
        s->lambda, s->certificate.lambda_max,
        s->exempt.count > 0 ? "that of the attributes without a penalty"
                            : "zero");
  return rc;
}

static th_status set_up(struct th_stochastic *s, const struct th_warm *warm,
                        struct th_error *err)
{
  int fields = TH_FIELD_UPDATE + s->update->fields + s->screening->fields;
  th_status rc;
  TH_TRY(th_active_init(&s->active, s->context, fields, err));
  TH_TRY(th_agree(s->context->comm, reserve(s, err), err));
  TH_TRY(take_examples(s, err));
  TH_TRY(th_pass_fetch_exempt(s, err));
  TH_TRY(th_coef_places_form(s, err));
  s->balanced = 1;
  TH_TRY(th_pass_measure(s, err));
  TH_TRY(choose_lambda(s, warm != NULL ? warm->point : 0, err));
  if (warm != NULL && warm->model != NULL) {
    th_coef_assign(s, warm->model);
    TH_TRY(th_pass_make(s, err));
  }
  if (s->update->create != NULL)
    TH_TRY(s->update->create(s, err));
  if (s->screening->create != NULL)
    TH_TRY(s->screening->create(s, err));
  if (s->done) /* the zero model is the solution */
    th_stochastic_learnt(s, TH_KNOWN_PASS);
  else
    th_stochastic_changed(s, TH_CHANGE_PROBLEM);
  if (!s->done) /* nothing is known yet */
    s->full.pass =
        (struct th_pass){.objective = NAN, .gap = NAN, .dual_norm = NAN};
done:
  return rc;
}

th_status th_stochastic_resume(struct th_stochastic **made,
                               struct th_context *context,
                               const struct th_update *update,
                               const struct th_screening *screening,
                               const struct th_warm *warm, struct th_error *err)
{
  struct th_stochastic *s = NULL;
  th_status rc = TH_NEW(&s, 1, "the solver", err);
  TH_TRY(th_agree(context->comm, rc, err));
  s->context = context;
  s->update = update;
  s->screening = screening;
  s->confidence = 1;
  s->n = th_source_shape(context->source)->training;
  s->control.smoothness = th_loss_L(context->loss);
  s->goal.last = context->config->path <= (warm != NULL ? warm->point + 1 : 1);
  TH_TRY(set_up(s, warm, err));
  *made = s;
  s = NULL;
done:
  th_stochastic_free(s);
  return rc;
}

th_status th_stochastic_create(struct th_stochastic **made,
                               struct th_context *context,
                               const struct th_update *update,
                               const struct th_screening *screening,
                               struct th_error *err)
{
  return th_stochastic_resume(made, context, update, screening, NULL, err);
}

void th_stochastic_free(void *state)
{
  struct th_stochastic *s = state;
  if (s == NULL)
    return;
  if (s->update_state != NULL && s->update->free != NULL)
    s->update->free(s);
  free(s->update_state);
  free(s->screening_state);
  th_active_free(&s->active);
  th_grouping_free(&s->grouping);
  th_exempt_free(&s->exempt);
  th_row_caches_free(&s->caches);
  th_example_order_free(&s->order);
  th_pass_batch_free(&s->minibatch);
  th_support_free(&s->support);
  th_claims_certificate_free(&s->certificate);
  if (s->goal.problem != NULL)
    th_problem_free(s->goal.problem);
  free(s->goal.problem);
  th_pass_free(&s->full);
  th_coef_places_free(&s->places);
  th_context_all_targets_free(&s->all);
  free(s);
}
