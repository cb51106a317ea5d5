/* pursuit.c - attributes that are chosen one after the other
 * SPDX-License-Identifier: MIT */
#include "core/integer.h"
#include "core/memory.h"
#include "math/gap.h"
#include "solvers/greedy/pursuit_parts.h"

#include <math.h>
#include <string.h>

enum { FIRST_ROOM = 16 };

static struct th_comm *comm_of(const struct th_pursuit *path)
{
  return path->data.problem->context->comm;
}

/* Local. */
static th_status reserve_examples(struct th_pursuit *path, struct th_error *err)
{
  int64_t rows = path->data.problem->rows;
  th_status rc;
  TH_TRY(TH_NEW(&path->weight, rows, "weights", err));
  TH_TRY(TH_NEW(&path->prediction, rows, "predictions", err));
  TH_TRY(TH_NEW(&path->work, rows, "residuals", err));
done:
  return rc;
}

/* The best constant. Local, replicated. */
static th_status begin(struct th_pursuit *path, struct th_error *err)
{
  const struct th_problem *p = path->data.problem;
  th_status rc = TH_OK;
  if (p->intercept)
    rc = th_gap_intercept(p->loss, p->rows, path->weight, p->target,
                          path->prediction, &path->intercept, err);
  if (rc != TH_OK)
    return rc;
  for (int64_t i = 0; i < p->rows; i++)
    path->prediction[i] = path->intercept;
  path->loss = th_gap_primal(p->loss, p->rows, path->weight, p->target,
                             path->prediction) /
               path->total;
  return rc;
}

th_status th_pursuit_init(struct th_pursuit *path,
                          const struct th_pursuit_data *data,
                          const double *weight, struct th_error *err)
{
  int64_t rows = data->problem->rows;
  *path = (struct th_pursuit){.data = *data};
  th_status rc;
  TH_TRY(th_agree(comm_of(path), reserve_examples(path, err), err));
  memcpy(path->weight, weight, (size_t)rows * sizeof *weight);
  for (int64_t i = 0; i < rows; i++)
    path->total += weight[i];
  TH_TRY(begin(path, err));
done:
  return rc;
}

void th_pursuit_free(struct th_pursuit *path)
{
  TH_FREE(path->weight, path->prediction, path->work, path->attribute,
          path->slot, path->mean, path->deviation, path->product, path->coef,
          path->gram);
  th_cholesky_free(&path->factor);
  th_forecast_free(&path->forecast);
  *path = (struct th_pursuit){0};
}

/* Room for one more; rows of the Gram matrix move. Local. */
static th_status widen(struct th_pursuit *path, struct th_error *err)
{
  int64_t old = path->room;
  int64_t room = th_max_i64(FIRST_ROOM, 2 * old);
  double *gram = NULL;
  th_status rc;
  if (path->size < old)
    return TH_OK;
  TH_TRY(TH_NEW(&gram, room * room, "products of attributes", err));
  TH_TRY(TH_WIDEN(&path->attribute, old, room, "the support", err));
  TH_TRY(TH_WIDEN(&path->slot, old, room, "the support", err));
  TH_TRY(TH_WIDEN(&path->mean, old, room, "the support", err));
  TH_TRY(TH_WIDEN(&path->deviation, old, room, "the support", err));
  TH_TRY(TH_WIDEN(&path->product, old, room, "the support", err));
  TH_TRY(TH_WIDEN(&path->coef, old, room, "the support", err));
  for (int64_t j = 0; j < path->size; j++)
    memcpy(gram + j * room, path->gram + j * old,
           (size_t)path->size * sizeof *gram);
  TH_FREE(path->gram);
  path->gram = gram;
  path->room = room;
  gram = NULL;
done:
  TH_FREE(gram);
  return rc;
}

/* Let the last row join the factor. If that has no room, all join anew. Local.
 */
static th_status join(struct th_pursuit *path, bool *joined,
                      struct th_error *err)
{
  int64_t first = path->size - 1;
  *joined = true;
  if (path->factor.size < path->size) {
    th_status rc = th_cholesky_begin(&path->factor, path->room, err);
    if (rc != TH_OK)
      return rc;
    first = 0;
  }
  for (int64_t j = first; j < path->size; j++)
    *joined = th_cholesky_join(&path->factor, path->gram, path->room, j,
                               TH_PURSUIT_DEPENDS);
  return TH_OK;
}

th_status th_pursuit_fetch(struct th_pursuit *path, int64_t attribute,
                           int64_t *slot, struct th_error *err)
{
  struct th_replicated_columns *columns = path->data.columns;
  *slot = th_replicated_columns_slot(columns, attribute);
  if (*slot >= 0)
    return TH_OK;
  *slot = columns->count;
  return th_replicated_columns_fetch(columns, path->data.problem->context,
                                     &attribute, 1, err);
}

/* Of the last member, whose mean is known. */
static void find_deviation(struct th_pursuit *path)
{
  int64_t j = path->size - 1;
  const struct th_vector *x = &path->data.columns->vector[path->slot[j]];
  double square = th_column_square(x, path->weight) / path->total;
  path->deviation[j] = sqrt(fmax(square - path->mean[j] * path->mean[j], 0));
}

th_status th_pursuit_add(struct th_pursuit *path, int64_t attribute,
                         bool *depends, struct th_error *err)
{
  const struct th_problem *p = path->data.problem;
  int64_t j = path->size;
  bool joined = false;
  th_status rc;
  *depends = false;
  TH_TRY(th_agree(comm_of(path), widen(path, err), err));
  TH_TRY(th_pursuit_fetch(path, attribute, &path->slot[j], err));
  path->attribute[j] = attribute;
  path->coef[j] = 0;
  path->size++;
  TH_TRY(th_pursuit_means(path, j, path->weight, p->target, err));
  find_deviation(path);
  if (!p->loss->quadratic) /* their products change with every step */
    return TH_OK;
  TH_TRY(th_pursuit_products(path, j, path->weight, err));
  TH_TRY(th_agree(comm_of(path), join(path, &joined, err), err));
  *depends = !joined;
  if (!joined)
    path->size--;
done:
  return rc;
}

th_status th_pursuit_predict(struct th_pursuit *path, struct th_error *err)
{
  const struct th_problem *p = path->data.problem;
  th_status rc = th_replicated_columns_predict(
      path->data.columns, comm_of(path), path->slot, path->coef, path->size,
      path->prediction, err);
  if (rc != TH_OK)
    return rc;
  for (int64_t i = 0; i < p->rows; i++)
    path->prediction[i] += path->intercept;
  path->loss = th_gap_primal(p->loss, p->rows, path->weight, p->target,
                             path->prediction) /
               path->total;
  return rc;
}

/* Choose attributes again, up to number `last`. Collective. */
static void choose_again(struct th_pursuit *path, struct th_state *state,
                         const int64_t *attribute, int64_t last)
{
  bool depends = false;
  while (path->size < last && th_state_agree(state, comm_of(path)) &&
         attribute != NULL) {
    th_state_note(state, th_pursuit_add(path, attribute[path->size], &depends,
                                        state->err));
    if (depends)
      th_state_note(state, th_fail(state->err, TH_EFORMAT,
                                   "the state has attributes that depend on "
                                   "each other"));
  }
}

/* Have the forecast again, at the fit that it was made at. Collective. */
static void forecast_again(struct th_pursuit *path, struct th_state *state)
{
  if (th_state_agree(state, comm_of(path)) && path->size > 0)
    th_state_note(state, th_pursuit_fit(path, state->err));
  if (th_state_agree(state, comm_of(path)))
    th_state_note(state, th_pursuit_forecast_again(path, state->err));
}

/* Choose the attributes again that an image names. Collective. */
static void take_in(struct th_pursuit *path, struct th_state *state)
{
  int64_t size = path->size;
  int64_t *attribute = NULL;
  if (th_state_next_has(state, size))
    th_state_note(state, TH_NEW(&attribute, size, "the support", state->err));
  th_state_attributes(state, "attribute", attribute, size);
  path->size = 0;
  path->factor.size = 0; /* begins anew: --start has put members into it */
  path->known = path->known && size == 0;
  if (path->forecast.count > 0) {
    choose_again(path, state, attribute, path->forecast.base);
    forecast_again(path, state);
  }
  choose_again(path, state, attribute, size);
  TH_FREE(attribute);
}

void th_pursuit_describe(struct th_pursuit *path, struct th_state *state)
{
  struct th_forecast *forecast = &path->forecast;
  th_state_one(state, "base", TH_STATE_I64, &forecast->base);
  th_state_one(state, "candidates", TH_STATE_I64, &forecast->count);
  th_state_limit(state, "candidates", &forecast->count, 1, 0, TH_FORECAST_MOST);
  if (th_state_next_has(state, forecast->count))
    TH_STATE_ARRAY(state, forecast, candidate, forecast->count);
  TH_STATE_ONE(state, path, size);
  th_state_limit(state, "base", &forecast->base, 1, 0, path->size);
  if (th_state_puts(state))
    take_in(path, state);
  else
    TH_STATE_ARRAY(state, path, attribute, path->size);
  TH_STATE_ARRAY(state, path, coef, path->size);
  TH_STATE_ONE(state, path, intercept);
  TH_STATE_ONE(state, path, ended);
  if (th_state_puts(state) && th_state_agree(state, comm_of(path)))
    th_state_note(state, th_pursuit_predict(path, state->err));
}
