/* online.c - solvers `ogd-ridge` and `eg-lasso`: the same steps, all attributes
 *
 * Online gradient descent in the l2 ball (Zinkevich 2003) and exponentiated
 * gradient in the l1 ball (Kivinen & Warmuth 1997): what the
 * attribute-efficient solvers become if every attribute of an example is read.
 * They show what a budget costs (Kukliansky & Shamir 2015, section 5). The
 * lines are those of sampling.c, without the draws:
 *
 *   2  observe x and y of the examples of a mini-batch
 *   3  phi = w'x - y of each
 *   4  g = the mean of phi x
 *   5 to 7, 9  as there
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "solvers/access/whole_rows.h"
#include "solvers/algorithms.h"
#include "solvers/sampling/learning.h"
#include "solvers/solver_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Vectors by place are those of the attributes that are not left out. */
struct online {
  struct th_head head;
  struct th_learning learning; /* w, steps, targets */
  struct th_whole_rows whole;
  double reach;     /* bound on predictions */
  double *coef;     /* w by place */
  double *gradient; /* by place */
  double *square;   /* of the gradient, of the owned attributes */
  double *cell;     /* work: all cells */
};

static void free_state(void *state)
{
  struct online *s = state;
  if (s == NULL)
    return;
  th_learning_free(&s->learning);
  th_whole_rows_free(&s->whole);
  TH_FREE(s->coef, s->gradient, s->square, s->cell, s);
}

/* Local. */
static th_status reserve(struct online *s, struct th_context *context,
                         struct th_error *err)
{
  int64_t places = s->whole.active.count;
  int64_t owned = th_range_count(context->owned);
  const char *what = "a mini-batch";
  th_status rc;
  TH_TRY(TH_NEW(&s->coef, places, what, err));
  TH_TRY(TH_NEW(&s->gradient, places, what, err));
  TH_TRY(TH_NEW(&s->square, owned, what, err));
  TH_TRY(TH_NEW(&s->cell, th_learning_cells_count(context), what, err));
done:
  return rc;
}

/* Predictions are bounded by the radius times the longest example there can be.
 * Collective. */
static th_status bound_predictions(struct online *s, struct th_context *context,
                                   struct th_error *err)
{
  int64_t owned = th_range_count(context->owned);
  struct th_fixed fixed;
  double longest = 0;
  for (int64_t a = 0; a < owned; a++) {
    s->square[a] = context->bound[a] * context->bound[a];
    longest = fmax(longest, context->bound[a]);
  }
  double sum = th_learning_cells_sum(context, s->square, s->cell);
  context->comm->ops->max_f64(context->comm, &longest, 1);
  if (!s->learning.ball->largest)
    longest = sqrt(sum);
  s->reach = s->learning.w.frame.radius * longest;
  if (th_fixed_init(&fixed, s->reach * TH_FIXED_SLACK))
    return TH_OK;
  return th_fail(err, TH_ENUMERIC,
                 "predictions can become too large; standardize, or give a "
                 "smaller {radius}");
}

static th_status create(void **state, struct th_context *context,
                        struct th_error *err)
{
  struct online *s = NULL;
  th_status rc = TH_NEW(&s, 1, "the solver", err);
  TH_TRY(th_agree(context->comm, rc, err));
  TH_TRY(th_whole_rows_init(&s->whole, context, context->config->batch, err));
  TH_TRY(th_agree(context->comm, reserve(s, context, err), err));
  TH_TRY(th_learning_init(&s->learning, context, err));
  TH_TRY(bound_predictions(s, context, err));
  struct th_ball_theory theory =
      th_learning_theory(&s->learning, context,
                         context->config->passes * context->deal.rows_in_pass);
  theory.reads = INFINITY;
  theory.known = true;
  th_learning_begin(&s->learning, context, &theory);
  s->head = (struct th_head){.support = &s->learning.support,
                             .loss = &s->learning.loss,
                             .step_size = &s->learning.steps.shown};
  *state = s;
  s = NULL;
done:
  free_state(s);
  return rc;
}

/* Where the attribute of a place is among the owned ones. */
static int64_t owned_place(const struct online *s,
                           const struct th_context *context, int64_t place)
{
  return s->whole.active.attribute[place] - context->owned.first;
}

/* The mean gradient of the mini-batch. Local. */
static void form_gradient(struct online *s)
{
  const struct th_all_targets *all = &s->learning.targets;
  struct th_whole_rows *whole = &s->whole;
  double loss = 0;
  memset(s->gradient, 0, (size_t)whole->active.count * sizeof *s->gradient);
  for (int64_t r = 0; r < whole->rows; r++) {
    int64_t row = whole->row[r];
    double residual = th_whole_rows_prediction(whole, r) - all->target[row];
    whole->factor[r] = all->weight[row] * residual / (double)whole->rows;
    loss += whole->factor[r] * residual / 2;
  }
  th_whole_rows_add(whole, s->gradient);
  s->learning.loss = loss;
}

/* Add the squared norm of the gradient to the sum of AdaGrad-Norm.
 * Collective. */
static void add_whole_norm(struct online *s, struct th_context *context)
{
  double largest = 0;
  for (int64_t place = 0; place < s->whole.active.count; place++) {
    double square = s->gradient[place] * s->gradient[place];
    s->square[owned_place(s, context, place)] = square;
    largest = fmax(largest, square);
  }
  if (s->learning.ball->largest)
    context->comm->ops->max_f64(context->comm, &largest, 1);
  else
    largest = th_learning_cells_sum(context, s->square, s->cell);
  th_learning_add_square(&s->learning, largest);
}

/* A step against the gradient, and back into the ball. Collective. */
static void descend_gradient(struct online *s, struct th_context *context)
{
  struct th_learning *learning = &s->learning;
  bool derived;
  if (learning->steps.by == TH_ADAGRAD_NORM)
    add_whole_norm(s, context);
  th_learning_iterate_pass(&learning->w, s->whole.rows);
  for (int64_t place = 0; place < s->whole.active.count; place++) {
    int64_t a = owned_place(s, context, place);
    double step = th_learning_step(learning, a, s->gradient[place]);
    th_learning_iterate_move(&learning->w, a, step, s->gradient[place]);
  }
  th_learning_iterate_share(&learning->w, context);
  th_learning_iterate_project(&learning->w, context, &derived);
}

static th_status step(void *state, struct th_context *context, bool *more,
                      struct th_error *err)
{
  struct online *s = state;
  *more = th_whole_rows_begin(&s->whole, context, context->config->batch) &&
          !th_learning_is_over(&s->learning);
  if (!*more)
    return TH_OK;
  for (int64_t place = 0; place < s->whole.active.count; place++)
    s->coef[place] = th_learning_iterate_coef(&s->learning.w,
                                              owned_place(s, context, place));
  th_status rc = /* lines 2 and 3 */
      th_whole_rows_predict(&s->whole, context, s->coef, s->reach, err);
  if (rc != TH_OK)
    return rc;
  form_gradient(s);             /* line 4 */
  descend_gradient(s, context); /* lines 5 to 9 */
  th_whole_rows_release(&s->whole);
  return th_learning_check(&s->learning, err);
}

static th_status publish(void *state, struct th_context *context,
                         struct th_error *err)
{
  struct online *s = state;
  return th_learning_publish(&s->learning, context, err);
}

/* The row cache of a unit that is not used up is drawn again, which the ledger
 * has counted. Collective. */
static void describe(void *state, struct th_context *context,
                     struct th_state *list)
{
  struct online *s = state;
  th_whole_rows_describe(&s->whole, list);
  th_learning_describe(&s->learning, context, list);
  if (!th_state_puts(list) || !th_state_agree(list, context->comm))
    return;
  th_learning_iterate_derive(&s->learning.w, context);
  th_state_note(list, th_whole_rows_resume(&s->whole, list->err));
}

static const char *const options[] = {TH_OPTIONS_IN_A_BALL, NULL};

const struct th_algorithm th_online_algorithm = {.options = options,
                                                 .create = create,
                                                 .step = step,
                                                 .publish = publish,
                                                 .finish = publish,
                                                 .unit = TH_LOSS_OF_PROBLEM,
                                                 .describe = describe,
                                                 .free = free_state};
