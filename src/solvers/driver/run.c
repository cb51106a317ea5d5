/* run.c - the one loop that all solvers share
 * SPDX-License-Identifier: MIT */
#include "solvers/driver/run.h"

#include "base/memory.h"
#include "solvers/access/context.h"
#include "solvers/algorithms.h"
#include "solvers/driver/train.h"
#include "solvers/predict/chooser.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Early stopping on held-out training examples ------------------------- */

enum {
  STRIKES = 5,       /* checks without a gain that end a run */
  CHECKS_A_PASS = 4, /* at most */
  UNIT_GROUP = 64    /* deal units looked at together */
};

static const double gain = 1e-4; /* relative decrease that counts */

static void validation_free(struct th_validation *validation)
{
  th_support_free(&validation->best);
  th_batch_free(&validation->batch);
}

/* Its state. Local. */
static void validation_describe(struct th_validation *validation,
                                struct th_state *state)
{
  th_state_enter(state, "validation");
  th_support_describe(&validation->best, "best", state);
  TH_STATE_ONE(state, validation, best_loss);
  TH_STATE_ONE(state, validation, strikes);
  TH_STATE_ONE(state, validation, checked_at);
  th_state_leave(state);
}

/* Sums over examples. */
struct totals {
  double loss; /* times weight */
  double weight;
};

/* Loss and weight of some units. Collective. */
static th_status add_units(struct th_validation *v, struct th_context *context,
                           const struct th_support *support,
                           struct th_range units, struct totals *totals,
                           struct th_error *err)
{
  th_status rc = th_batch_validate(&v->batch, context, units, support, err);
  if (rc != TH_OK)
    return rc;
  totals->loss += v->batch.loss * v->batch.weight_sum;
  totals->weight += v->batch.weight_sum;
  return rc;
}

/* Mean loss of a support on the held-out rows. Collective. */
static th_status validation_loss(struct th_validation *validation,
                                 struct th_context *context,
                                 const struct th_support *support, double *loss,
                                 struct th_error *err)
{
  int64_t units = th_deal_validation_units(&context->deal);
  struct totals totals = {0, 0};
  th_status rc = TH_OK;
  for (int64_t k = 0; k < units && rc == TH_OK; k += UNIT_GROUP) {
    int64_t last = k + UNIT_GROUP < units ? k + UNIT_GROUP : units;
    struct th_range some = {k, last};
    rc = add_units(validation, context, support, some, &totals, err);
  }
  *loss = totals.weight > 0 ? totals.loss / totals.weight : 0;
  return rc;
}

/* Has a check ended the run? Local. */
static bool validation_ended(const struct th_validation *validation)
{
  return validation->strikes >= STRIKES;
}

/* Is it time for a check? Never where no unit is held out. Local. */
static bool validation_due(const struct th_validation *validation,
                           const struct th_context *context)
{
  int64_t pace = context->deal.rows_in_pass / CHECKS_A_PASS;
  return th_deal_validation_units(&context->deal) > 0 &&
         context->deal.taken - validation->checked_at >= pace;
}

/* Check the loss if it is time to, and stop after 5 checks in a row without a
 * gain. Collective; does nothing where no unit is held out. */
static th_status validation_check(struct th_validation *validation,
                                  struct th_context *context,
                                  const struct th_support *support, bool *stop,
                                  struct th_error *err)
{
  double loss = 0;
  *stop = false;
  if (!validation_due(validation, context))
    return TH_OK;
  validation->checked_at = context->deal.taken;
  th_status rc = validation_loss(validation, context, support, &loss, err);
  if (rc != TH_OK)
    return rc;
  if (loss < validation->best_loss * (1 - gain)) {
    validation->best_loss = loss;
    validation->strikes = 0;
    rc = th_support_copy(&validation->best, support, err);
    return th_agree(context->comm, rc, err);
  }
  validation->strikes++;
  *stop = validation_ended(validation);
  return TH_OK;
}

/* --- The state of a run, taken and put ------------------------------------ */

/* The solver may draw while it computes derived values again, so deal and
 * ledger come last. Collective. */
static void describe(struct th_run *run, struct th_state *state)
{
  const struct th_monitor *monitor = run->context.monitor;
  th_state_enter(state, run->solver->name);
  run->algorithm->describe(run->state, &run->context, state);
  th_state_leave(state);
  validation_describe(&run->validation, state);
  TH_STATE_ONE(state, run, updates);
  TH_STATE_ONE(state, run, over);
  th_context_describe(&run->context, state);
  if (monitor != NULL && monitor->keeping.describe != NULL)
    monitor->keeping.describe(monitor->self, state);
}

th_status th_run_snapshot(struct th_run *run, struct th_state_image *image,
                          struct th_error *err)
{
  struct th_comm *comm = run->context.comm;
  struct th_state state;
  th_state_list(&state, comm, run->context.owned, err);
  describe(run, &state);
  th_status rc = th_state_snapshot(&state, comm, image, err);
  th_state_free(&state);
  return rc;
}

/* The state as the monitor wants it; end with th_state_free, also after a
 * failure. Collective. */
static th_status list_state(struct th_run *run, struct th_state *state,
                            struct th_error *err)
{
  struct th_comm *comm = run->context.comm;
  th_state_list(state, comm, run->context.owned, err);
  describe(run, state);
  return th_agree(comm, state->status, err);
}

/* Hand the state between two updates to the monitor, which saves it. *kept: it
 * could; otherwise the monitor has been told why. */
static th_status save(struct th_run *run, bool *kept, struct th_error *err)
{
  const struct th_monitor *monitor = run->context.monitor;
  struct th_state state;
  struct th_error why;
  th_error_clear(&why);
  th_status listed = list_state(run, &state, &why);
  th_status rc = TH_OK;
  *kept = false;
  if (listed == TH_OK)
    rc = monitor->keeping.save(monitor->self, &state, kept, err);
  else /* the run itself can go on */
    th_context_notice(&run->context, "no checkpoint was written: %s", why.text);
  th_state_free(&state);
  return rc;
}

th_status th_run_room(struct th_run *run, struct th_error *err)
{
  const struct th_monitor *monitor = run->context.monitor;
  struct th_state state;
  th_status rc = list_state(run, &state, err);
  if (rc == TH_OK)
    rc = monitor->keeping.room(monitor->self, &state, err);
  th_state_free(&state);
  return rc;
}

th_status th_run_restore(struct th_run *run, const struct th_state_image *image,
                         struct th_error *err)
{
  struct th_comm *comm = run->context.comm;
  struct th_state state;
  th_state_from(&state, image, comm, run->context.owned, err);
  const struct th_shape *shape = th_source_shape(run->context.source);
  state.attributes = shape->attributes;
  state.examples = shape->training;
  describe(run, &state);
  th_status rc = th_state_put(&state, comm, err);
  if (rc == TH_EFORMAT && image->name != NULL)
    th_error_name(err, image->name);
  th_state_free(&state);
  return rc;
}

/* --- The loss that loss `auto` becomes, by the targets -------------------- */

enum { SCAN_ROWS = 4096 };

/* The distinct values of the training targets, up to two of them. */
struct values {
  int count;
  double value[2];
  double weight[2];
};

/* False if y is a third value. */
static bool add_label(struct values *v, double y, double weight)
{
  for (int k = 0; k < v->count; k++)
    if (v->value[k] == y) {
      v->weight[k] += weight;
      return true;
    }
  if (v->count == 2)
    return false;
  v->value[v->count] = y;
  v->weight[v->count++] = weight;
  return true;
}

/* *labels: the targets have two values, both on examples with a weight. Local.
 */
static th_status are_labels(struct th_store *store, bool *labels,
                            struct th_error *err)
{
  struct values values = {0};
  double target[SCAN_ROWS];
  double weight[SCAN_ROWS];
  *labels = false;
  for (int64_t first = 0; first < store->shape.training; first += SCAN_ROWS) {
    int64_t count = store->shape.training - first;
    count = count < SCAN_ROWS ? count : SCAN_ROWS;
    struct th_rows rows = {first, count};
    th_status rc = store->ops->targets(store, rows, target, weight, err);
    if (rc != TH_OK)
      return rc;
    for (int64_t i = 0; i < count; i++)
      if (!add_label(&values, target[i], weight[i]))
        return TH_OK;
  }
  *labels = values.count == 2 && values.weight[0] > 0 && values.weight[1] > 0;
  return TH_OK;
}

th_status th_run_choose_loss(struct th_config *config, struct th_store *store,
                             struct th_error *err)
{
  const struct th_solver_row *row = th_solver_find(config->solver);
  bool labels = false;
  if (strcmp(config->loss, "auto") != 0)
    return TH_OK;
  bool predicts = row != NULL && row->why_truth != NULL &&
                  config->select != TH_SELECT_TRUTH &&
                  row->why_truth(config, &store->shape) == NULL;
  bool looks =
      row != NULL && ((row->penalised && row->ridge == NULL) || predicts);
  th_status rc = looks ? are_labels(store, &labels, err) : TH_OK;
  config->loss = labels ? "logistic" : "squared";
  return rc;
}

/* --- The run, from its updates to its model ------------------------------- */

enum { AT_ONCE = 16 * TH_CELL }; /* attributes whose statistics are read */

/* Coefficients in the data's own units, for the monitor and the model. Local.
 */
static th_status own_units(struct th_run *run, const struct th_support *support,
                           struct th_error *err)
{
  th_status rc = TH_GROW(&run->coef, &run->coef_capacity, support->size,
                         "coefficients", err);
  for (int64_t k = 0; k < support->size && rc == TH_OK; k++)
    run->coef[k] = th_support_own_coef(support, k);
  return rc;
}

static const struct th_head *head_of(const struct th_run *run)
{
  return run->state;
}

/* Local. */
static double done_of(const struct th_run *run)
{
  const struct th_algorithm *algorithm = run->algorithm;
  const struct th_context *context = &run->context;
  double expected =
      (double)context->config->passes * (double)context->deal.rows_in_pass;
  if (algorithm->done != NULL)
    return algorithm->done(run->state);
  return (double)th_source_ledger(context->source)->examples / expected;
}

/* Local. */
static bool keeps_held_out(const struct th_run *run)
{
  const struct th_algorithm *algorithm = run->algorithm;
  return algorithm->keeps_held_out != NULL &&
         algorithm->keeps_held_out(run->state);
}

/* In the unit that evaluate prints, but for an objective. */
static double loss_of(const struct th_run *run)
{
  const struct th_algorithm *algorithm = run->solver->algorithm;
  double loss = *head_of(run)->loss;
  return algorithm->unit == TH_LOSS_OF_PROBLEM ? loss / run->context.loss->half
                                               : loss;
}

/* Bring the support up to date for a check. Collective. */
static th_status publish(struct th_run *run, struct th_error *err)
{
  const struct th_algorithm *algorithm = run->algorithm;
  if (algorithm->publish == NULL || keeps_held_out(run) ||
      !validation_due(&run->validation, &run->context))
    return TH_OK;
  return algorithm->publish(run->state, &run->context, err);
}

/* Report the update to the monitor. Collective: one agreement where the support
 * has outgrown its room. */
static th_status report_update(struct th_run *run, struct th_error *err)
{
  const struct th_monitor *monitor = run->context.monitor;
  const struct th_head *head = head_of(run);
  const struct th_support *support = head->support;
  const struct th_ledger *ledger = th_source_ledger(run->context.source);
  if (monitor == NULL || monitor->progress == NULL)
    return TH_OK;
  bool grows = support->size > run->coef_capacity;
  th_status rc = own_units(run, support, err);
  if (grows)
    rc = th_agree(run->context.comm, rc, err);
  if (rc != TH_OK)
    return rc;
  struct th_progress progress = {
      .examples = ledger->examples,
      .attributes_observed = ledger->attributes,
      .done = done_of(run),
      .epochs = (double)run->context.deal.taken /
                (double)run->context.deal.rows_in_pass,
      .updates = run->updates,
      .loss = loss_of(run),
      .loss_name = run->context.loss->name,
      .objective = run->solver->algorithm->unit == TH_LOSS_OBJECTIVE,
      .unpublished = run->algorithm->publish != NULL && support->size == 0,
      .support_size = support->size,
      .support = support->attribute,
      .coef = run->coef,
      .intercept = th_support_own_intercept(support, &run->context),
      .step_size = head->step_size != NULL ? *head->step_size : 0,
      .fold = head->fold != NULL ? *head->fold : 0,
      .folds = run->context.config->choice.parts,
      .remaining = head->remaining != NULL ? *head->remaining : 0,
      .remaining_holds =
          head->selected != NULL && head->selected->remaining_bound > 0,
      .certificate = head->certificate,
      .ending = head->ending};
  monitor->progress(monitor->self, &progress);
  return TH_OK;
}

/* The strongest wish of any rank. Collective. */
static enum th_wish wish_of(const struct th_run *run, bool over)
{
  const struct th_monitor *monitor = run->context.monitor;
  struct th_comm *comm = run->context.comm;
  if (monitor == NULL || monitor->wish == NULL ||
      !((run->solver->anytime && !over) || monitor->keeping.save != NULL))
    return TH_GO_ON;
  int64_t wish = monitor->wish(monitor->self, over);
  comm->ops->max_i64(comm, &wish, 1);
  return (enum th_wish)wish;
}

th_status th_run_heed(struct th_run *run, bool over, struct th_error *err)
{
  const struct th_monitor *monitor = run->context.monitor;
  enum th_wish wish = wish_of(run, over);
  th_status rc = TH_OK;
  if (wish != TH_GO_ON && monitor->keeping.save != NULL)
    rc = save(run, &run->kept, err);
  run->stopped = rc == TH_OK && wish >= TH_STOP_IN_TIME;
  run->in_time = wish == TH_STOP_IN_TIME;
  return rc;
}

th_status th_run_update(struct th_run *run, int64_t most, bool *more,
                        struct th_error *err)
{
  struct th_context *context = &run->context;
  const struct th_algorithm *algorithm = run->algorithm;
  bool stop = false;
  bool warned = context->deal.reused;
  th_status rc = TH_OK;
  /* a run that is gone on with may have ended; the solver is not asked again,
   * since what it planned last counts for what it plans next */
  *more = !run->over && !validation_ended(&run->validation);
  while (*more && !stop && !run->stopped && run->updates < most) {
    TH_TRY(algorithm->step(run->state, context, more, err));
    run->over = !*more;
    if (run->over)
      break;
    run->updates++;
    TH_TRY(publish(run, err));
    TH_TRY(report_update(run, err));
    if (context->deal.reused && !warned)
      th_context_notice(context,
                        "an update needs more examples than there are, so it "
                        "uses some of them twice");
    warned = context->deal.reused;
    if (!keeps_held_out(run))
      TH_TRY(validation_check(&run->validation, context, head_of(run)->support,
                              &stop, err));
    if (!stop)
      TH_TRY(th_run_heed(run, false, err));
  }
  if (stop)
    th_context_notice(context,
                      "stopped early: the loss on held-out examples no longer "
                      "falls");
  *more = *more && !stop && !run->stopped;
done:
  return rc;
}

/* The support after the last refit, or the best one by validation. Collective.
 */
static th_status choose_final(struct th_run *run,
                              const struct th_support **chosen,
                              struct th_error *err)
{
  double loss = INFINITY;
  th_status rc = TH_OK;
  *chosen = head_of(run)->support;
  if (!isfinite(run->validation.best_loss))
    return rc;
  rc = validation_loss(&run->validation, &run->context, *chosen, &loss, err);
  if (rc == TH_OK && !(loss <= run->validation.best_loss))
    *chosen = &run->validation.best;
  return rc;
}

/* What ended the run. One that was told to end is one with a limit: its model
 * is that of as many examples, to the byte. Local. */
static void fill_claims(const struct th_run *run, struct th_model *model)
{
  const struct th_algorithm *algorithm = run->algorithm;
  struct th_claims *claims = &model->claims;
  if (algorithm->claims != NULL)
    algorithm->claims(run->state, claims);
  if (run->context.loss->scaled) {
    claims->loss_scale = th_loss_scale(run->context.loss);
    claims->quantile = run->context.config->scaled.quantile;
  }
  bool known = claims->ended_by != TH_ENDED_UNKNOWN;
  model->stopped = run->stopped && !known;
  if (model->stopped)
    claims->ended_by = TH_ENDED_LIMIT;
  else if (validation_ended(&run->validation))
    claims->ended_by = TH_ENDED_HELD_OUT;
  else if (!known && run->context.deal.taken > 0)
    claims->ended_by = TH_ENDED_EXAMPLES;
}

/* *to is overwritten. */
static th_status copy_selected(struct th_selected *to,
                               const struct th_selected *from,
                               struct th_error *err)
{
  *to = *from;
  to->attribute = NULL;
  th_status rc = TH_NEW(&to->attribute, from->size, "the selection", err);
  if (rc == TH_OK && from->size > 0)
    memcpy(to->attribute, from->attribute,
           (size_t)from->size * sizeof *to->attribute);
  return rc;
}

/* The model is made of the members whose coefficient is not 0. Local. */
static th_status fill_model(struct th_run *run,
                            const struct th_support *support,
                            struct th_model *model, struct th_error *err)
{
  const struct th_head *head = head_of(run);
  const struct th_store *store = run->store;
  int64_t size = 0;
  th_status rc = own_units(run, support, err);
  for (int64_t k = 0; k < support->size && rc == TH_OK; k++)
    size += run->coef[k] != 0;
  if (rc == TH_OK)
    rc = th_model_reserve(model, size, err);
  if (rc != TH_OK)
    return rc;
  for (int64_t k = 0, at = 0; k < support->size; k++)
    if (run->coef[k] != 0) {
      model->support[at] = support->attribute[k];
      model->coef[at++] = run->coef[k];
    }
  model->intercept = th_support_own_intercept(support, &run->context);
  model->solver = th_model_copy_string(run->solver->name);
  model->loss = th_model_copy_string(run->context.loss->name);
  bool used = run->context.config->standardize ||
              run->context.config->intercept || run->solver->ball != NULL;
  const char *origin = store->statistics == NULL ? "import" : store->statistics;
  if (th_context_weighted_wanted(&run->context))
    origin = "weighted";
  model->statistics = th_model_copy_string(used ? origin : "none");
  if (model->solver == NULL || model->loss == NULL || model->statistics == NULL)
    return th_fail(err, TH_ENOMEM, "no memory for the model");
  model->attributes = store->shape.attributes;
  model->ledger = *th_source_ledger(run->context.source);
  model->passes = run->context.deal.taken > 0 ? run->context.deal.pass + 1 : 0;
  model->fingerprint = store->fingerprint;
  if (head->ending != NULL)
    model->ending = *head->ending;
  if (head->selected != NULL)
    rc = copy_selected(&model->selected, head->selected, err);
  fill_claims(run, model);
  if (rc == TH_OK && head->certificate != NULL)
    rc =
        th_claims_certificate_copy(&model->certificate, head->certificate, err);
  if (rc == TH_OK && head->path != NULL)
    rc = th_path_copy(&model->path, head->path, err);
  if (rc == TH_OK && head->path != NULL)
    rc = th_model_list_members(model, err);
  return rc;
}

/* Means and deviations read from the source, those of attributes that lie near
 * each other at once. Local. */
static th_status read_moments(const struct th_context *context,
                              const int64_t *attribute, int64_t count,
                              double *mean, double *deviation,
                              struct th_error *err)
{
  struct th_statistics *statistics = NULL;
  th_status rc = TH_NEW(&statistics, AT_ONCE, "deviations", err);
  for (int64_t k = 0; k < count && rc == TH_OK;) {
    int64_t first = attribute[k];
    int64_t end = k + 1;
    while (end < count && attribute[end] - first < AT_ONCE &&
           attribute[end] - attribute[end - 1] < TH_CELL)
      end++;
    struct th_range range = {first, attribute[end - 1] + 1};
    rc = th_source_statistics(context->source, range, statistics, err);
    for (; k < end && rc == TH_OK; k++) {
      const struct th_statistics *found = &statistics[attribute[k] - first];
      mean[k] = found->mean + th_source_shift_of(context->source, attribute[k]);
      mean[k] =
          isfinite(mean[k]) ? mean[k] : 0; /* of values near the largest */
      deviation[k] = found->deviation;
    }
  }
  free(statistics);
  return rc;
}

/* Those of the support's attributes that this rank owns. Local. */
static th_status own_moments(const struct th_context *context,
                             const struct th_model *model, struct th_error *err)
{
  const int64_t *support = model->support;
  struct th_range mine =
      th_range_members(support, model->support_size, context->owned);
  th_status rc = read_moments(context, support + mine.first,
                              th_range_count(mine), model->mean + mine.first,
                              model->deviation + mine.first, err);
  for (int64_t k = mine.first; k < mine.last && context->deviation != NULL; k++)
    model->deviation[k] = context->deviation[support[k] - context->owned.first];
  return rc;
}

/* The means and standard deviations that the owners of the support's attributes
 * know, on every rank. Collective. */
static th_status take_moments(const struct th_context *context,
                              struct th_model *model, struct th_error *err)
{
  const size_t size = (size_t)model->support_size;
  th_status rc =
      TH_NEW(&model->deviation, model->support_size, "deviations", err);
  if (rc == TH_OK)
    rc = TH_NEW(&model->mean, model->support_size, "means", err);
  for (size_t k = 0; k < size && rc == TH_OK; k++)
    model->mean[k] = -INFINITY; /* of another rank */
  if (rc == TH_OK)
    rc = own_moments(context, model, err);
  TH_TRY(th_agree(context->comm, rc, err));
  context->comm->ops->max_f64(context->comm, model->deviation, size);
  context->comm->ops->max_f64(context->comm, model->mean, size);
done:
  return rc;
}

/* A model must consist of numbers. Local; replicated values. */
static th_status check_model(const struct th_model *model, struct th_error *err)
{
  bool good = isfinite(model->intercept);
  for (int64_t k = 0; k < model->support_size; k++)
    good = good && isfinite(model->coef[k]);
  if (model->path.points > 0)
    good = good && th_path_is_good(&model->path, model->attributes);
  if (good && !th_claims_good(&th_selected_fields, &model->selected, true))
    return th_fail(err, TH_ENUMERIC,
                   "what the model says of its selection is not finite; "
                   "standardize, or give attributes other units");
  if (good)
    return TH_OK;
  return th_fail(err, TH_ENUMERIC,
                 "the coefficients have become infinite; standardize, or take "
                 "a smaller step size");
}

th_status th_run_open(struct th_run *run, const struct th_plan *plan,
                      struct th_store *store, struct th_comm *comm,
                      const struct th_monitor *monitor,
                      struct th_profile *profile, struct th_error *err)
{
  *run = (struct th_run){.solver = plan->solver,
                         .algorithm = th_chooser_of(plan),
                         .store = store,
                         .validation.best_loss = INFINITY};
  th_status rc =
      th_context_init(&run->context, plan, store, comm, monitor, profile, err);
  return rc == TH_OK ? run->algorithm->create(&run->state, &run->context, err)
                     : rc;
}

void th_run_close(struct th_run *run)
{
  if (run->algorithm->free != NULL)
    run->algorithm->free(run->state);
  validation_free(&run->validation);
  th_context_free(&run->context);
  free(run->coef);
}

/* A path is no choice. Local. */
static void tell_path(const struct th_run *run, const struct th_model *model)
{
  if (run->context.config->path > 1 && model->certificate.path_size > 1 &&
      model->path.points == 0)
    th_context_notice(&run->context,
                      "the model is that of the last lambda of the path, %g. "
                      "No lambda was chosen: evaluate models of some {lambda} "
                      "on examples that were set apart",
                      model->certificate.lambda);
}

th_status th_run_finish(struct th_run *run, struct th_model *model,
                        struct th_error *err)
{
  const struct th_support *chosen = NULL;
  th_status rc;
  TH_TRY(run->algorithm->finish(run->state, &run->context, err));
  TH_TRY(report_update(run, err));
  TH_TRY(choose_final(run, &chosen, err));
  rc = fill_model(run, chosen, model, err);
  if (rc == TH_OK)
    rc = check_model(model, err);
  TH_TRY(th_agree(run->context.comm, rc, err));
  TH_TRY(take_moments(&run->context, model, err));
  if (model->path.points > 0)
    TH_TRY(take_moments(&run->context, model->members, err));
  tell_path(run, model);
done:
  return rc;
}
