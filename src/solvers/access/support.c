/* support.c - the support S with its coefficients, replicated on every rank
 * SPDX-License-Identifier: MIT */
#include "solvers/access/support.h"

#include "base/integer.h"
#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a member of a penalised solution adds to predictions at most, over what
 * the first one adds: with less it is what rounding has left of a zero. Where
 * columns nearly depend on each other, a member of a billionth is none. */
static const double dust = 0x1p-44;

static const struct th_array arrays[] = {
    TH_ARRAY(struct th_support, attribute),
    TH_ARRAY(struct th_support, coef),
    TH_ARRAY(struct th_support, centre),
    TH_ARRAY(struct th_support, scale),
    TH_ARRAY(struct th_support, bound),
    TH_ARRAY_OF(struct th_support, message, 3, 1)};

th_status th_support_reserve(struct th_support *support, int64_t capacity,
                             struct th_error *err)
{
  return th_memory_arrays_reserve(TH_ARRAYS(support, arrays),
                                  &support->capacity, capacity, "the support",
                                  err);
}

void th_support_free(struct th_support *support)
{
  th_memory_arrays_free(TH_ARRAYS(support, arrays));
  *support = (struct th_support){0};
}

th_status th_support_copy(struct th_support *to, const struct th_support *from,
                          struct th_error *err)
{
  size_t bytes = (size_t)from->size * sizeof(double);
  th_status rc = th_support_reserve(to, from->size, err);
  if (rc != TH_OK || to == from)
    return rc;
  to->size = from->size;
  to->intercept = from->intercept;
  if (bytes == 0)
    return TH_OK;
  memcpy(to->attribute, from->attribute, bytes);
  memcpy(to->coef, from->coef, bytes);
  memcpy(to->centre, from->centre, bytes);
  memcpy(to->scale, from->scale, bytes);
  memcpy(to->bound, from->bound, bytes);
  return TH_OK;
}

void th_support_describe(struct th_support *support, const char *name,
                         struct th_state *state)
{
  th_state_enter(state, name);
  TH_STATE_ONE(state, support, intercept);
  TH_STATE_ONE(state, support, size);
  if (th_state_next_has(state, support->size) && th_state_puts(state))
    th_state_note(state,
                  th_support_reserve(support, support->size, state->err));
  if (!th_state_good(state)) /* no room for them */
    support->size = 0;
  th_state_attributes(state, "attribute", support->attribute, support->size);
  th_state_ascending(state, "attribute", support->attribute, support->size);
  TH_STATE_ARRAY(state, support, coef, support->size);
  TH_STATE_ARRAY(state, support, centre, support->size);
  TH_STATE_ARRAY(state, support, scale, support->size);
  TH_STATE_ARRAY(state, support, bound, support->size);
  th_state_leave(state);
}

struct th_range th_support_owned(const struct th_support *support,
                                 struct th_range owned)
{
  return th_range_members(support->attribute, support->size, owned);
}

/* Each owner tells all ranks the scaling of its members. Collective. */
static void learn_scaling(struct th_support *support,
                          const struct th_context *context)
{
  struct th_range mine = th_support_owned(support, context->owned);
  double *message = support->message;
  memset(message, 0, 3 * (size_t)support->size * sizeof *message);
  for (int64_t k = mine.first; k < mine.last; k++) {
    int64_t a = support->attribute[k] - context->owned.first;
    message[3 * k] = context->centre[a];
    message[3 * k + 1] = context->scale[a];
    message[3 * k + 2] = context->bound[a];
  }
  th_comm_share_numbers(context->comm, message, 3 * (size_t)support->size);
  for (int64_t k = 0; k < support->size; k++) {
    support->centre[k] = message[3 * k];
    support->scale[k] = message[3 * k + 1];
    support->bound[k] = message[3 * k + 2];
  }
}

th_status th_support_assign(struct th_support *support,
                            struct th_context *context,
                            const struct th_index_value *chosen, int64_t count,
                            struct th_error *err)
{
  bool same = support->size == count;
  if (count > support->capacity) { /* on every rank alike */
    th_status rc = th_support_reserve(support, count, err);
    if ((rc = th_agree(context->comm, rc, err)) != TH_OK)
      return rc;
  }
  for (int64_t k = 0; k < count; k++) {
    same = same && support->attribute[k] == chosen[k].attribute;
    support->attribute[k] = chosen[k].attribute;
    support->coef[k] = chosen[k].value;
  }
  support->size = count;
  if (!same)
    learn_scaling(support, context);
  return TH_OK;
}

th_status th_support_assign_list(struct th_support *support,
                                 struct th_context *context,
                                 const struct th_support_list *list,
                                 struct th_error *err)
{
  struct th_index_value *chosen = NULL;
  int64_t count = 0;
  th_status rc = TH_NEW(&chosen, list->count, "the support", err);
  TH_TRY(th_agree(context->comm, rc, err));
  for (int64_t k = 0; k < list->count; k++)
    if (list->zeros || list->coef[k] != 0)
      chosen[count++] =
          (struct th_index_value){list->attribute[k], list->coef[k]};
  qsort(chosen, (size_t)count, sizeof *chosen, th_integer_ascending);
  TH_TRY(th_support_assign(support, context, chosen, count, err));
done:
  TH_FREE(chosen);
  return rc;
}

static void move_member(struct th_support *support, int64_t to, int64_t from)
{
  support->attribute[to] = support->attribute[from];
  support->coef[to] = support->coef[from];
  support->centre[to] = support->centre[from];
  support->scale[to] = support->scale[from];
  support->bound[to] = support->bound[from];
}

th_status th_support_threshold(struct th_support *support,
                               struct th_context *context, int64_t k,
                               struct th_index_value *room,
                               struct th_error *err)
{
  size_t size = (size_t)support->size;
  if (support->size <= k)
    return TH_OK;
  for (size_t i = 0; i < size; i++)
    room[i] = (struct th_index_value){support->attribute[i], support->coef[i]};
  qsort(room, size, sizeof *room, th_select_order);
  qsort(room, (size_t)k, sizeof *room, th_integer_ascending);
  return th_support_assign(support, context, room, k, err);
}

void th_support_filter(struct th_support *support, const bool *keep)
{
  int64_t kept = 0;
  for (int64_t k = 0; k < support->size; k++)
    if (keep[k])
      move_member(support, kept++, k);
  support->size = kept;
}

/* The most that a member adds to any prediction. */
static double reach_of(const struct th_support *support, int64_t k)
{
  return fabs(support->coef[k]) * support->bound[k];
}

void th_support_drop_dust(struct th_support *support)
{
  double most = 0;
  int64_t kept = 0;
  for (int64_t k = 0; k < support->size; k++)
    most = fmax(most, reach_of(support, k));
  for (int64_t k = 0; k < support->size; k++)
    if (!(reach_of(support, k) < dust * most))
      move_member(support, kept++, k);
  support->size = kept;
}

double th_support_own_coef(const struct th_support *support, int64_t k)
{
  return support->coef[k] * support->scale[k];
}

double th_support_own_centre(const struct th_support *support,
                             const struct th_context *context, int64_t k)
{
  return support->centre[k] +
         th_source_shift_of(context->source, support->attribute[k]);
}

double th_support_own_intercept(const struct th_support *support,
                                const struct th_context *context)
{
  double intercept = context->target.shift + support->intercept;
  for (int64_t k = 0; k < support->size; k++)
    intercept -= th_support_own_coef(support, k) *
                 th_support_own_centre(support, context, k);
  return intercept;
}

double th_support_intercept_rounding(const struct th_support *support,
                                     const struct th_context *context)
{
  double sum = fabs(context->target.shift) + fabs(support->intercept);
  for (int64_t k = 0; k < support->size; k++)
    sum += fabs(th_support_own_coef(support, k) *
                th_support_own_centre(support, context, k));
  return ((double)support->size + 4) * DBL_EPSILON * sum; /* both ways */
}

/* --- Reading members on the rows of draws --------------------------------- */

/* The members from the k-th on that are read together. */
static struct th_range members_together(const struct th_support_reads *r,
                                        int64_t k)
{
  return (struct th_range){k,
                           th_min_i64(k + TH_SUPPORT_AT_ONCE, r->members.last)};
}

/* Members on a piece of a draw's rows. */
static th_status read_on_piece(const struct th_support_reads *r,
                               struct th_range rest, const struct th_draw *draw,
                               struct th_rows rows, int64_t row,
                               struct th_error *err)
{
  struct th_comm *comm = r->context->comm;
  while (rest.first < rest.last) {
    struct th_slab slab;
    th_status rc =
        th_source_members(r->context->source, draw, rows, rest, &slab, err);
    if (rc != TH_OK)
      return rc;
    r->take(r->self, rest.first, row, &slab);
    comm->ops->sum_progress(comm);
    rest.first += th_range_count(slab.attributes);
  }
  return TH_OK;
}

/* Members on the rows of some draws. */
static th_status read_on_draws(const struct th_support_reads *r,
                               struct th_range members, struct th_range draws,
                               struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t i = draws.first; i < draws.last && rc == TH_OK; i++) {
    const struct th_draw *draw = &r->draw[i];
    int64_t row = r->draw_row[i];
    for (int64_t p = 0; p < draw->rows.count && rc == TH_OK; p++) {
      rc = read_on_piece(r, members, draw, draw->rows.items[p], row, err);
      row += draw->rows.items[p].count;
    }
  }
  return rc;
}

th_status th_support_read(const struct th_support_reads *r,
                          struct th_range draws, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t k = r->members.first; k < r->members.last && rc == TH_OK;
       k += TH_SUPPORT_AT_ONCE)
    rc = read_on_draws(r, members_together(r, k), draws, err);
  return rc;
}

void th_support_announce(const struct th_support_reads *r,
                         struct th_range draws)
{
  for (int64_t k = r->members.first; k < r->members.last;
       k += TH_SUPPORT_AT_ONCE)
    for (int64_t i = draws.first; i < draws.last; i++)
      th_source_announce_members(r->context->source, &r->draw[i],
                                 members_together(r, k));
}
