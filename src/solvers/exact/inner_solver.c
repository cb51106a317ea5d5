/* inner_solver.c - the exact solution on a working set, the same on every rank
 * SPDX-License-Identifier: MIT */
#include "solvers/exact/inner_solver.h"

#include "core/integer.h"
#include "core/memory.h"
#include "solvers/exact/inner_solver_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_MODELS = 200,
  SPARE_COLUMNS = 1024,
  EXAMPLES_PER_MEMBER = 2, /* with more examples, products are worth forming */
  MOST_PRODUCTS = 4096,    /* for columns in memory, of which none is dropped */
  MOST_CHORD = 1024, /* members whose products are formed more than once */
  MOST_WHOLE = 256,
  FEW_EXAMPLES = 512
};

/* Whether models are solved by cycles: logistic loss, sparse attributes, l1. A
 * loss with flat parts leads cycles astray: no example holds them back there.
 */
static bool by_cycles(const struct th_problem *p)
{
  return p->kept == NULL && p->loss->predicts == TH_PREDICTS_ODDS &&
         !p->dense && p->grouping.start == NULL;
}

th_status th_inner_solver_init(struct th_inner_solver *d,
                               struct th_problem *problem, struct th_error *err)
{
  int64_t n = problem->rows;
  th_status rc;
  *d = (struct th_inner_solver){.problem = problem};
  th_problem_columns_init(problem, &d->columns);
  TH_TRY(TH_NEW(&d->prediction, n, "predictions", err));
  TH_TRY(TH_NEW(&d->theta, n, "dual variables", err));
  TH_TRY(TH_NEW(&d->weighted, n, "dual variables", err));
  TH_TRY(TH_NEW(&d->root_eta, n, "weights", err));
  TH_TRY(TH_NEW(&d->h, n, "second derivatives", err));
  TH_TRY(TH_NEW(&d->trial, n, "predictions", err));
  for (int64_t i = 0; i < n; i++)
    d->root_eta[i] = sqrt(problem->eta[i]);
  d->tall = th_chord_fits(problem);
  d->whole = d->tall && problem->kept->count <= MOST_WHOLE;
  d->squared = problem->kept != NULL && problem->loss->quadratic;
  d->cycles.suit = by_cycles(problem);
  d->logistic = (problem->kept != NULL || d->cycles.suit) &&
                problem->loss->predicts == TH_PREDICTS_ODDS;
  if (d->tall)
    TH_TRY(th_chord_init(&d->chord, problem, err));
done:
  return rc;
}

void th_inner_solver_free(struct th_inner_solver *d)
{
  th_replicated_columns_free(&d->columns);
  th_covariance_free(&d->covariance);
  th_quadratic_free(&d->quadratic);
  th_active_set_free(&d->active_set);
  th_chord_free(&d->chord);
  TH_FREE(d->prediction, d->theta, d->weighted, d->root_eta, d->h, d->trial,
          d->work);
  *d = (struct th_inner_solver){0};
}

/* Decided by sizes alone, never by ranks or memory. */
static bool use_products(const struct th_inner_solver *d, int64_t members)
{
  const struct th_problem_kept *kept = d->problem->kept;
  if (kept != NULL && kept->count > MOST_PRODUCTS)
    return false;
  if (d->tall && th_inner_solver_is_squared(d))
    return true;
  if (d->tall)
    return members <= MOST_CHORD;
  return th_inner_solver_is_squared(d) && d->problem->dense &&
         d->problem->rows >= FEW_EXAMPLES &&
         d->problem->rows >= EXAMPLES_PER_MEMBER * members;
}

/* Drop columns outside of the working set if there are too many. Local. */
static th_status drop_unused(struct th_inner_solver *d,
                             const struct th_working_set *working,
                             struct th_error *err)
{
  bool *keep = NULL;
  th_status rc;
  if (d->problem->kept != NULL ||
      d->columns.count <= 2 * working->members + SPARE_COLUMNS)
    return TH_OK;
  TH_TRY(TH_NEW(&keep, d->columns.count, "the values of the working set", err));
  for (int64_t k = 0; k < working->members; k++) {
    int64_t slot =
        th_replicated_columns_slot(&d->columns, working->attribute[k]);
    if (slot >= 0)
      keep[slot] = true;
  }
  th_covariance_keep(&d->covariance, keep);
  th_active_set_reset(&d->active_set);
  rc = th_replicated_columns_keep(&d->columns, keep, err);
done:
  free(keep);
  return rc;
}

/* List the members whose columns are not held, ascending. */
static int64_t list_missing(const struct th_inner_solver *d,
                            const struct th_working_set *working,
                            int64_t *missing)
{
  int64_t count = 0;
  for (int64_t k = 0; k < working->members; k++)
    if (th_replicated_columns_slot(&d->columns, working->attribute[k]) < 0)
      missing[count++] = working->attribute[k];
  qsort(missing, (size_t)count, sizeof *missing, th_integer_ascending);
  return count;
}

/* Local. */
static th_status prepare(struct th_inner_solver *d,
                         const struct th_working_set *working,
                         int64_t **missing, int64_t *count,
                         struct th_error *err)
{
  th_status rc;
  TH_TRY(drop_unused(d, working, err));
  TH_TRY(TH_NEW(missing, working->members, "the working set", err));
  TH_TRY(TH_GROW(&d->work, &d->room, 2 * working->members + 2,
                 "the working set", err));
  *count = list_missing(d, working, *missing);
done:
  return rc;
}

/* Products of a squared loss. Collective. */
static th_status grow_products(struct th_inner_solver *d, struct th_error *err)
{
  struct th_problem *p = d->problem;
  if (p->dense)
    return th_covariance_grow(&d->covariance, &d->columns, p->context->comm,
                              p->eta, d->root_eta, p->intercept, err);
  struct th_covariance_weights weights = {
      .h = p->eta, .sum = 1, .centred = p->intercept};
  return th_covariance_grow_rows(&d->covariance, &d->columns, &d->chord.rowwise,
                                 p->kept->count, &weights, err);
}

/* Fetch columns, and form their products if those are in use. Collective. */
static th_status fetch(struct th_inner_solver *d, const int64_t *missing,
                       int64_t count, struct th_error *err)
{
  struct th_problem *p = d->problem;
  struct th_profile *profile = p->context->profile;
  th_status rc = TH_OK;
  if (count > 0) {
    th_profile_begin(profile);
    rc = p->kept != NULL
             ? th_replicated_columns_borrow(&d->columns, p->kept->column,
                                            missing, count, err)
             : th_replicated_columns_fetch(&d->columns, p->context, missing,
                                           count, err);
    th_profile_end(profile, TH_PHASE_SUPPORT);
  }
  if (rc == TH_OK && d->by_products && th_inner_solver_is_squared(d)) {
    th_profile_begin(profile);
    rc = grow_products(d, err);
    th_profile_end(profile, TH_PHASE_GRAM);
  }
  return rc;
}

th_status th_inner_solver_gather(struct th_inner_solver *d,
                                 struct th_working_set *working,
                                 struct th_error *err)
{
  int64_t *missing = NULL;
  int64_t count = 0;
  th_status rc = prepare(d, working, &missing, &count, err);
  TH_TRY(th_agree(d->problem->context->comm, rc, err));
  d->by_products = use_products(d, working->members);
  TH_TRY(fetch(d, missing, count, err));
  for (int64_t k = 0; k < working->members; k++)
    working->slot[k] =
        th_replicated_columns_slot(&d->columns, working->attribute[k]);
done:
  free(missing);
  return rc;
}

/* Fetch columns in the order of their attributes. Their slots may differ from
 * those of the run that wrote the image. Collective. */
static void fetch_known(struct th_inner_solver *d, const int64_t *known,
                        int64_t count, struct th_state *state)
{
  int64_t *sorted = NULL;
  if (th_state_good(state))
    th_state_note(state, TH_NEW(&sorted, count, "the values of the working set",
                                state->err));
  bool good = th_state_agree(state, d->problem->context->comm);
  if (good && sorted != NULL && known != NULL) {
    memcpy(sorted, known, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, th_integer_ascending);
    th_state_note(state, fetch(d, sorted, count, state->err));
  }
  free(sorted);
}

void th_inner_solver_describe(struct th_inner_solver *d, struct th_state *state)
{
  int64_t *known = NULL; /* of an image: attributes of its slots */
  int64_t count = 0;
  th_state_enter(state, "inner");
  TH_STATE_ONE(state, d, intercept);
  TH_STATE_ONE(state, &d->columns, count);
  if (th_state_puts(state)) {
    count = d->columns.count;
    d->columns.count = 0;
    if (th_state_next_has(state, count))
      th_state_note(state, TH_NEW(&known, count,
                                  "the values of the working set", state->err));
    th_state_attributes(state, "columns", known, count);
    fetch_known(d, known, count, state);
  } else {
    th_state_all(state, "columns", TH_STATE_I64, d->columns.attribute,
                 d->columns.count);
  }
  th_active_set_describe(&d->active_set, &d->columns, known, count, state);
  th_state_leave(state);
  free(known);
}

/* Move to the model's minimum, or as far as the objective falls, and look
 * there. *moved: the objective fell. Collective. */
static th_status follow_model(struct th_inner_solver *d,
                              struct th_working_set *working, double lambda,
                              bool *moved, struct th_error *err)
{
  *moved = true;
  if (th_inner_solver_is_chord(d))
    return th_inner_solver_chord(d, working, lambda, moved, err);
  if (th_inner_solver_is_squared(d))
    memcpy(working->coef, d->quadratic.coef,
           (size_t)working->members * sizeof *working->coef);
  else
    *moved = th_inner_solver_search(d, working, lambda);
  return *moved ? th_inner_solver_look(d, working, lambda, err) : TH_OK;
}

/* Make the next model, unless the run is to end. */
static th_status next_model(struct th_inner_solver *d,
                            const struct th_working_set *working,
                            double tolerance, struct th_error *err)
{
  th_status rc = th_source_leave(d->problem->context->source, err);
  return rc == TH_OK ? th_inner_solver_model(d, working, tolerance, err) : rc;
}

th_status th_inner_solver_solve(struct th_inner_solver *d,
                                struct th_working_set *working, double lambda,
                                double tolerance, struct th_error *err)
{
  double before = INFINITY;
  bool moved = true;
  int most = d->cycles.used ? d->cycles.models : MOST_MODELS;
  th_status rc = TH_OK;
  for (int k = 0; k < most && rc == TH_OK && moved; k++) {
    bool enough = d->gap <= tolerance && !(d->polishes && k == 0);
    if (enough || !isfinite(d->gap))
      break;
    if (th_inner_solver_is_squared(d) && !(d->gap < 0.5 * before))
      break; /* the model is exact, so this is the limit of doubles */
    before = d->gap;
    d->first = k == 0;
    th_context_going(d->problem->context, d->done,
                     "lambda %.4g  gap %.2g  %" PRId64 " attributes in work",
                     lambda, d->gap, working->members);
    TH_TRY(th_agree(d->problem->context->comm,
                    next_model(d, working, tolerance, err), err));
    if (!th_inner_solver_minimise(d, lambda, tolerance))
      break;
    rc = follow_model(d, working, lambda, &moved, err);
  }
done:
  return rc;
}
