/* active_set.c - the minimum of a quadratic model over coefficients that keep
 * their signs
 * SPDX-License-Identifier: MIT */
#include "solvers/exact/active_set.h"

#include "base/integer.h"
#include "base/memory.h"
#include "solvers/access/replicated_columns.h"
#include "solvers/access/rowwise.h"
#include "solvers/exact/quadratic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* With a pivot below this share of the diagonal, a member is not independent.
 */
#define TH_ACTIVE_SET_INDEPENDENT 1e-9

enum {
  MOST_ROWS = TH_ACTIVE_SET_MOST, /* that join one by one */
  MOST_STOPS = 64,                /* signs that would change, in one step */
  TOGETHER = TH_FACTOR_TOGETHER,  /* members that join at once */
  INTERCEPT = TH_ACTIVE_SET_INTERCEPT
};

/* A value that rises by more than this share has not risen by rounding alone.
 */
static const double rounding = 1e-12;

/* One that rises by this share may have fallen: slopes tell smaller gains than
 * the value does. */
static const double even = 1e-15;

void th_active_set_free(struct th_active_set *f)
{
  th_linalg_factor_free(&f->factor);
  TH_FREE(f->name, f->joining, f->residual, f->step, f->member, f->held,
          f->target);
  *f = (struct th_active_set){0};
}

void th_active_set_reset(struct th_active_set *f)
{
  f->factor.size = 0;
  if (f->slots > 0)
    memset(f->held, 0, (size_t)f->slots * sizeof *f->held);
}

/* Rows to reserve room for. */
static int64_t rows_for(int64_t members)
{
  return th_min_i64(members + members / 2 + 1, MOST_ROWS);
}

int64_t th_active_set_bytes(int64_t members)
{
  return th_linalg_factor_bytes(rows_for(members)) +
         (6 + TOGETHER) * members * (int64_t)sizeof(double);
}

/* Are units attributes, and is the norm of each a multiple of |b|? */
static bool is_l1(const struct th_working_set *w)
{
  return w->units == w->members;
}

static double weight_of(const struct th_working_set *w, int64_t k)
{
  return w->norm[k].a + w->norm[k].c;
}

/* Is a member to be solved for? Not at 0, and not at a bound, where it stays.
 */
static bool is_free(const struct th_quadratic *q, int64_t k)
{
  return th_penalty_norm_free(th_working_set_norm(q->working, k), q->coef[k]);
}

/* Room for so many rows. Local. */
static th_status reserve(struct th_active_set *f, int64_t rows,
                         struct th_error *err)
{
  int64_t old = f->factor.room;
  th_status rc = TH_OK;
  if (rows <= old)
    return rc;
  TH_TRY(TH_WIDEN(&f->name, old, rows, "a linear system", err));
  TH_TRY(TH_WIDEN(&f->joining, TOGETHER * old, TOGETHER * rows,
                  "a linear system", err));
  TH_TRY(TH_WIDEN(&f->residual, old, rows, "a linear system", err));
  TH_TRY(TH_WIDEN(&f->step, old, rows, "a linear system", err));
  TH_TRY(th_linalg_factor_reserve(&f->factor, rows, err));
done:
  return rc;
}

th_status th_active_set_room(struct th_active_set *f,
                             const struct th_quadratic *q, struct th_error *err)
{
  int64_t members = q->working->members;
  int64_t old = f->factor.room;
  if (members + 1 <= old || old >= MOST_ROWS)
    return TH_OK;
  return reserve(f, rows_for(members), err);
}

/* Room for so many slots. Local. */
static th_status widen_slots(struct th_active_set *f, int64_t slots,
                             struct th_error *err)
{
  int64_t room = slots + slots / 2;
  th_status rc = TH_OK;
  if (slots <= f->slots)
    return rc;
  TH_TRY(TH_WIDEN(&f->member, f->slots, room, "a linear system", err));
  TH_TRY(TH_WIDEN(&f->held, f->slots, room, "a linear system", err));
  memset(f->held + f->slots, 0, (size_t)(room - f->slots) * sizeof *f->held);
  f->slots = room;
done:
  return rc;
}

/* Reserve room for the slots, and note which member each is. Local. */
static th_status name_members(struct th_active_set *f,
                              const struct th_quadratic *q,
                              struct th_error *err)
{
  const struct th_working_set *w = q->working;
  int64_t slots = q->columns->count;
  th_status rc;
  TH_TRY(widen_slots(f, slots, err));
  for (int64_t slot = 0; slot < slots; slot++)
    f->member[slot] = -1;
  for (int64_t k = 0; k < w->members; k++)
    f->member[w->slot[k]] = k;
done:
  return rc;
}

/* Room for what an image has. Local. */
static void reserve_put(struct th_active_set *f, int64_t room, int64_t slots,
                        struct th_state *state)
{
  f->factor.room = 0;
  if (th_state_good(state) && room > 0)
    th_state_note(state, reserve(f, room, state->err));
  if (th_state_good(state))
    th_state_note(state, widen_slots(f, slots, state->err));
}

/* The factor of another rank. */
static void describe_elsewhere(struct th_active_set *f, struct th_state *state)
{
  th_state_elsewhere(state, "name", TH_STATE_I64, f->factor.size);
  th_state_elsewhere(state, "entry", TH_STATE_F64,
                     th_linalg_factor_entries(&f->factor));
  if (th_state_puts(state))
    f->factor.room = f->factor.size = 0;
}

static void describe_here(struct th_active_set *f,
                          const struct th_replicated_columns *columns,
                          const int64_t *known, int64_t count,
                          struct th_state *state)
{
  if (th_state_puts(state))
    reserve_put(f, f->factor.room, columns->count, state);
  TH_STATE_ARRAY(state, f, name, f->factor.size);
  TH_STATE_ARRAY(state, &f->factor, entry,
                 th_linalg_factor_entries(&f->factor));
  if (th_state_puts(state))
    th_state_limit(state, "name", f->name, f->factor.size, INTERCEPT,
                   count - 1);
  for (int64_t i = 0;
       th_state_puts(state) && th_state_good(state) && i < f->factor.size; i++)
    if (f->name[i] != INTERCEPT) {
      f->name[i] = th_replicated_columns_slot(columns, known[f->name[i]]);
      f->held[f->name[i]] = true;
    }
}

void th_active_set_describe(struct th_active_set *f,
                            const struct th_replicated_columns *columns,
                            const int64_t *known, int64_t count, bool keeps,
                            struct th_state *state)
{
  th_state_enter(state, "factor");
  TH_STATE_ONE(state, f, centred);
  TH_STATE_ONE(state, f, ridge);
  TH_STATE_AT_MOST(state, &f->factor, room, TH_ACTIVE_SET_MOST);
  TH_STATE_AT_MOST(state, &f->factor, size, f->factor.room);
  if (keeps)
    describe_here(f, columns, known, count, state);
  else
    describe_elsewhere(f, state);
  th_state_leave(state);
}

th_status th_active_set_begin(struct th_active_set *f,
                              const struct th_quadratic *q, bool *fits,
                              struct th_error *err)
{
  int64_t members = q->working->members;
  bool centred = q->covariance != NULL;
  th_status rc = TH_OK;
  *fits = is_l1(q->working);
  if (!*fits)
    return rc;
  if (centred != f->centred || q->ridge != f->ridge)
    th_active_set_reset(f);
  f->centred = centred;
  f->ridge = q->ridge;
  TH_TRY(name_members(f, q, err));
  free(f->target);
  f->target = NULL;
  TH_TRY(TH_NEW(&f->target, members + 1, "a linear system", err));
done:
  return rc;
}

/* Remove row i; later rows move up. */
static void drop_row(struct th_active_set *f, int64_t i)
{
  int64_t behind = f->factor.size - i - 1;
  if (f->name[i] != INTERCEPT)
    f->held[f->name[i]] = false;
  memmove(f->name + i, f->name + i + 1, (size_t)behind * sizeof *f->name);
  memmove(f->residual + i, f->residual + i + 1,
          (size_t)behind * sizeof *f->residual);
  th_linalg_factor_drop(&f->factor, i);
}

static bool join_factor(struct th_active_set *f, int64_t name, int64_t done,
                        double diagonal)
{
  f->name[f->factor.size] = name;
  return th_linalg_factor_join(&f->factor, done, diagonal,
                               TH_ACTIVE_SET_INDEPENDENT);
}

/* The row's products with member k, whose weighted column is q->work. */
static double row_product(const struct th_active_set *f,
                          const struct th_quadratic *q, int64_t i, int64_t k)
{
  if (f->name[i] == INTERCEPT)
    return th_column_dot(&q->columns->vector[q->working->slot[k]], q->h);
  return th_quadratic_product(q, f->member[f->name[i]], k, q->work);
}

/* Members that join together: they meet the rows that are there at once, and
 * each other one by one. */
struct joining {
  int count;
  int64_t member[TOGETHER];
  double diagonal[TOGETHER];
  double among[TOGETHER][TOGETHER]; /* products of each with those before it */
};

static double *joining_row(const struct th_active_set *f, int j)
{
  return f->joining + j * f->factor.room;
}

/* The products of the j-th of them. */
static void multiply_joining(struct th_active_set *f,
                             const struct th_quadratic *q, struct joining *all,
                             int j)
{
  int64_t k = all->member[j];
  double *row = joining_row(f, j);
  th_quadratic_weigh(q, k, q->work);
  for (int64_t i = 0; i < f->factor.size; i++)
    row[i] = row_product(f, q, i, k);
  for (int before = 0; before < j; before++)
    all->among[j][before] =
        th_quadratic_product(q, all->member[before], k, q->work);
  all->diagonal[j] = th_quadratic_product(q, k, k, q->work) * (1 + f->damping);
}

static void join_members(struct th_active_set *f, const struct th_quadratic *q,
                         struct joining *all)
{
  double *row[TOGETHER];
  bool joined[TOGETHER];
  int64_t size = f->factor.size;
  int64_t done = all->count > 1 ? size : 0; /* one joins as fast by itself */
  for (int j = 0; j < TOGETHER; j++) {
    row[j] = joining_row(f, j);
    if (j < all->count)
      multiply_joining(f, q, all, j);
    else
      memset(row[j], 0, (size_t)done * sizeof *row[j]);
  }
  if (done > 0)
    th_linalg_factor_forward(&f->factor, row);
  for (int j = 0; j < all->count; j++) {
    int64_t slot = q->working->slot[all->member[j]];
    int64_t at = size;
    memcpy(f->factor.row, row[j], (size_t)size * sizeof *row[j]);
    for (int before = 0; before < j; before++)
      if (joined[before])
        f->factor.row[at++] = all->among[j][before];
    joined[j] = join_factor(f, slot, done, all->diagonal[j]);
    f->held[slot] = joined[j];
  }
  all->count = 0;
}

static void join_member(struct th_active_set *f, const struct th_quadratic *q,
                        int64_t k)
{
  struct joining one = {.count = 1, .member = {k}};
  join_members(f, q, &one);
}

/* The place of a row's coefficient among the members and the intercept. */
static int64_t coef_index(const struct th_active_set *f,
                          const struct th_quadratic *q, int64_t i)
{
  return f->name[i] == INTERCEPT ? q->working->members : f->member[f->name[i]];
}

/* Update the factor to that of the support. */
static void follow(struct th_active_set *f, const struct th_quadratic *q)
{
  struct joining all = {.count = 0};
  const struct th_working_set *w = q->working;
  for (int64_t i = f->factor.size - 1; i >= 0; i--) {
    int64_t k = coef_index(f, q, i);
    if (k < 0 || (k < w->members && !is_free(q, k)))
      drop_row(f, i);
  }
  if (f->factor.size == 0 && q->intercept && !f->centred && q->sum_h > 0)
    join_factor(f, INTERCEPT, 0, q->sum_h);
  for (int64_t k = 0; k < w->members && f->factor.size < f->factor.room; k++) {
    if (is_free(q, k) && !f->held[w->slot[k]])
      all.member[all.count++] = k;
    bool enough =
        all.count == TOGETHER || f->factor.size + all.count == f->factor.room;
    if (all.count > 0 && (enough || k == w->members - 1))
      join_members(f, q, &all);
  }
  f->full = f->factor.size == f->factor.room;
}

/* The cost of th_active_set_step now, in values that descent could visit
 * instead: products of the members that join, their rows of the factor, and
 * those of members that leave. Sums of doubles that lie together are cheap,
 * rotations are not. */
static int64_t cost_of(const struct th_active_set *f,
                       const struct th_quadratic *q)
{
  const struct th_working_set *w = q->working;
  int64_t size = 0;
  int64_t joins = 0;
  int64_t items = 0;
  for (int64_t k = 0; k < w->members; k++) {
    if (!is_free(q, k))
      continue;
    size++;
    joins += !f->held[w->slot[k]];
    items += f->centred ? 1 : q->columns->vector[w->slot[k]].items;
  }
  int64_t leaves = th_max_i64(f->factor.size + joins - size, 0);
  return joins * (items / 2 + size * size / 12) + leaves * size * size / 2;
}

/* residual = minus the model's slope in each row of the active set. */
static void find_residual(struct th_active_set *f, const struct th_quadratic *q,
                          double lambda)
{
  double sum = 0;
  for (int64_t i = 0; f->name[0] == INTERCEPT && i < q->states; i++)
    sum += q->state[i];
  for (int64_t i = 0; i < f->factor.size; i++) {
    int64_t k = coef_index(f, q, i);
    f->residual[i] = -sum;
    if (f->name[i] != INTERCEPT)
      f->residual[i] =
          -(th_quadratic_slope(q, k) +
            copysign(lambda * weight_of(q->working, k), q->coef[k]));
  }
}

/* The part of a member's step that leads to *end: zero, or a bound. INFINITY:
 * nothing ends it. */
static double part_to_end(const struct th_working_set *w, int64_t k, double at,
                          double step, double *end)
{
  struct th_group_norm norm = th_working_set_norm(w, k);
  *end = 0;
  if (weight_of(w, k) > 0 && at * step < 0)
    return -at / step;
  if (!norm.bounded || step == 0)
    return INFINITY;
  *end = step > 0 ? norm.upper : norm.lower;
  return fmax((*end - at) / step, 0);
}

/* The part of the step before a sign changes or a bound is reached, at most 1.
 * *stop: the row that is zero or at its bound there, *end, or -1. */
static double step_to_sign_change(const struct th_active_set *f,
                                  const struct th_quadratic *q, int64_t *stop,
                                  double *end)
{
  double part = 1;
  *stop = -1;
  *end = 0;
  for (int64_t i = 0; i < f->factor.size; i++) {
    int64_t k = coef_index(f, q, i);
    if (f->name[i] == INTERCEPT)
      continue;
    double to;
    double ends = part_to_end(q->working, k, f->target[k], f->step[i], &to);
    if (ends < part) {
      part = ends;
      *stop = i;
      *end = to;
    }
  }
  return part;
}

/* target = the minimum over the active set, and over the smaller sets that
 * result when members stop at zero. */
static void minimise(struct th_active_set *f, const struct th_quadratic *q)
{
  int64_t stop = 0;
  memcpy(f->target, q->coef,
         (size_t)(q->working->members + 1) * sizeof *f->target);
  for (int k = 0; k <= MOST_STOPS && stop >= 0 && f->factor.size > 0; k++) {
    th_linalg_factor_solve(&f->factor, f->residual, f->step);
    double end;
    double part = step_to_sign_change(f, q, &stop, &end);
    for (int64_t i = 0; i < f->factor.size; i++) {
      f->target[coef_index(f, q, i)] += part * f->step[i];
      f->residual[i] *= 1 - part;
    }
    if (stop >= 0) {
      f->target[coef_index(f, q, stop)] = end;
      drop_row(f, stop);
    }
  }
}

bool th_active_set_step(struct th_active_set *f, struct th_quadratic *q,
                        double lambda)
{
  int64_t members = q->working->members;
  follow(f, q);
  if (f->factor.size == 0)
    return false;
  find_residual(f, q, lambda);
  minimise(f, q);
  double before = th_quadratic_value(q, lambda, q->coef, q->state);
  th_quadratic_keep(q, 0);
  for (int64_t k = 0; k < members; k++)
    if (f->target[k] != q->coef[k]) {
      th_quadratic_move(q, k, f->target[k] - q->coef[k]);
      q->coef[k] = f->target[k]; /* keeps exact zeros */
    }
  if (f->target[members] != q->coef[members])
    th_quadratic_move_intercept(q, f->target[members] - q->coef[members]);
  double after = th_quadratic_value(q, lambda, q->coef, q->state);
  if (after <= before + fmax(f->slack, even) * fabs(before))
    return true;
  th_quadratic_restore(q, 0);
  if (!(after - before <= rounding * fabs(before)))
    th_active_set_reset(f); /* the factor has lost its precision */
  return false;
}

/* --- Members that depend on the rows of the factor
 *
 * Columns that are the same up to a factor near 1, and others that depend on
 * each other, cannot all have a row. Along the direction that trades such a
 * member for the rows it depends on, the predictions stay, and the objective is
 * linear until a sign changes. Descent walks there by steps of that slope; here
 * the member goes to the end. */

/* A slope below this share of a member's penalty is rounding. */
static const double flat = 1e-12;

/* step = the change of the rows that undoes a change of member k by -1. Returns
 * the objective's slope along the two; *curvature: along them, 0 where it is
 * rounding. */
static double trade_of(struct th_active_set *f, const struct th_quadratic *q,
                       double lambda, int64_t k, double *curvature)
{
  double *product = f->factor.row;
  double penalty = lambda * weight_of(q->working, k);
  double slope = th_quadratic_slope(q, k) + copysign(penalty, q->coef[k]);
  th_quadratic_weigh(q, k, q->work);
  double square = th_quadratic_product(q, k, k, q->work);
  for (int64_t i = 0; i < f->factor.size; i++)
    product[i] = row_product(f, q, i, k);
  th_linalg_factor_solve(&f->factor, product, f->step);
  double left = square;
  for (int64_t i = 0; i < f->factor.size; i++) {
    left -= f->step[i] * product[i];
    slope += f->step[i] * f->residual[i];
  }
  *curvature = left > flat * square ? left : 0;
  return fabs(slope) > flat * penalty ? slope : 0;
}

/* How far member k goes along -sign, and the rows against it, before one of
 * them changes its sign or is at its bound, at most `most`. *stop: the row,
 * size: member k itself, -1: none. */
static double trade_to_end(const struct th_active_set *f,
                           const struct th_quadratic *q, int64_t k, double sign,
                           double most, int64_t *stop, double *end)
{
  double to;
  double part = most;
  *stop = -1;
  for (int64_t i = 0; i <= f->factor.size; i++) {
    bool itself = i == f->factor.size;
    if (!itself && f->name[i] == INTERCEPT)
      continue;
    int64_t m = itself ? k : coef_index(f, q, i);
    double along = itself ? -sign : sign * f->step[i];
    double ends = part_to_end(q->working, m, q->coef[m], along, &to);
    if (ends < part) {
      part = ends;
      *stop = i;
      *end = to;
    }
  }
  return part;
}

static void move_to(struct th_quadratic *q, int64_t k, double to)
{
  th_quadratic_move(q, k, to - q->coef[k]);
  q->coef[k] = to; /* keeps exact zeros */
}

/* Trade a member for the rows it depends on, as far as the objective falls. The
 * row that ends at zero leaves, and the member takes its place. */
static void trade(struct th_active_set *f, struct th_quadratic *q,
                  double lambda, int64_t k)
{
  double curvature;
  double slope = trade_of(f, q, lambda, k, &curvature);
  double most = curvature > 0 ? fabs(slope) / curvature : INFINITY;
  int64_t stop;
  double end = 0;
  double sign = slope > 0 ? 1 : -1;
  double part = trade_to_end(f, q, k, sign, most, &stop, &end);
  if (slope == 0 || !isfinite(part))
    return;
  double before = th_quadratic_value(q, lambda, q->coef, q->state);
  th_quadratic_keep(q, 0);
  for (int64_t i = 0; i < f->factor.size; i++) {
    double by = part * sign * f->step[i];
    int64_t m = coef_index(f, q, i);
    if (f->name[i] == INTERCEPT)
      th_quadratic_move_intercept(q, by);
    else if (by != 0)
      move_to(q, m, i == stop ? end : q->coef[m] + by);
  }
  move_to(q, k, stop == f->factor.size ? end : q->coef[k] - part * sign);
  double after = th_quadratic_value(q, lambda, q->coef, q->state);
  if (!(after <= before + even * fabs(before))) {
    th_quadratic_restore(q, 0);
  } else if (stop >= 0 && stop < f->factor.size) {
    drop_row(f, stop);
    join_member(f, q, k);
  }
}

/* After a step: the members of the support that have no row. */
static void trade_dependent(struct th_active_set *f, struct th_quadratic *q,
                            double lambda)
{
  const struct th_working_set *w = q->working;
  if (f->full)
    return; /* others have no row for want of room */
  for (int64_t k = 0; k < w->members; k++)
    if (f->factor.size > 0 && is_free(q, k) && !f->held[w->slot[k]] &&
        weight_of(w, k) > 0) {
      find_residual(f, q, lambda);
      trade(f, q, lambda, k);
    }
}

/* --- The factor of a whole support at once
 *
 * Products are sums over the pairs of entries in each row, since a support of
 * sparse attributes has few entries in a row. */

/* The support of a model, and what its factor is made from. The intercept has
 * row 0 if the model has one. */
struct form {
  int64_t first; /* 1 with an intercept */
  int64_t size;  /* members of the support */
  int64_t *member;
  int64_t *name; /* members: their row of the factor */
  struct th_vector *column;
  bool *kept; /* rows */
  double *product;
};

static void form_free(struct form *m)
{
  TH_FREE(m->member, m->name, m->column, m->kept, m->product);
}

/* List the support. Local. */
static th_status list_support(struct form *m, const struct th_quadratic *q,
                              struct th_error *err)
{
  const struct th_working_set *w = q->working;
  const char *what = "a linear system";
  th_status rc;
  m->first = q->intercept ? 1 : 0;
  TH_TRY(TH_NEW(&m->member, w->members, what, err));
  for (int64_t k = 0; k < w->members; k++)
    if (is_free(q, k))
      m->member[m->size++] = k;
  int64_t rows = m->first + m->size;
  TH_TRY(TH_NEW(&m->name, m->size, what, err));
  TH_TRY(TH_NEW(&m->column, m->size, what, err));
  TH_TRY(TH_NEW(&m->kept, rows, what, err));
  TH_TRY(TH_NEW(&m->product, rows * rows, what, err));
  for (int64_t i = 0; i < m->size; i++) {
    m->name[i] = m->first + i;
    m->column[i] = q->columns->vector[w->slot[m->member[i]]];
  }
done:
  return rc;
}

/* The upper triangle of the products, column after column. Local. */
static th_status multiply_columns(struct form *m, const struct th_quadratic *q,
                                  double damping, struct th_error *err)
{
  int64_t rows = m->first + m->size;
  struct th_rowwise rowwise = {0};
  struct th_rowwise_entry *work = NULL;
  th_status rc;
  TH_TRY(th_rowwise_build(&rowwise, q->states, m->column, m->size, err));
  TH_TRY(TH_NEW(&work, rowwise.longest, "a linear system", err));
  th_rowwise_products(&rowwise, q->h, m->name, 0, rows, m->product, work);
  if (m->first > 0)
    m->product[0] = q->sum_h;
  for (int64_t i = 0; i < m->size; i++) {
    double *column = m->product + (m->first + i) * rows;
    column[m->first + i] += q->ridge * q->working->q[m->member[i]];
    column[m->first + i] *= 1 + damping;
    if (m->first > 0)
      column[0] = th_column_dot(&m->column[i], q->h);
  }
done:
  th_rowwise_free(&rowwise);
  free(work);
  return rc;
}

/* Name the rows that joined. */
static void take_names(struct th_active_set *f, const struct th_quadratic *q,
                       const struct form *m)
{
  int64_t size = 0;
  if (m->first > 0 && m->kept[0])
    f->name[size++] = TH_ACTIVE_SET_INTERCEPT;
  for (int64_t i = 0; i < m->size; i++) {
    int64_t slot = q->working->slot[m->member[i]];
    f->held[slot] = m->kept[m->first + i];
    if (f->held[slot])
      f->name[size++] = slot;
  }
}

th_status th_active_set_form(struct th_active_set *f,
                             const struct th_quadratic *q, struct th_error *err)
{
  struct form m = {0};
  th_status rc;
  th_active_set_reset(f);
  TH_TRY(list_support(&m, q, err));
  TH_TRY(reserve(f, m.first + m.size, err));
  TH_TRY(multiply_columns(&m, q, f->damping, err));
  TH_TRY(th_linalg_factor_form(&f->factor, m.first + m.size, m.product,
                               TH_ACTIVE_SET_INDEPENDENT, m.kept, err));
  take_names(f, q, &m);
done:
  form_free(&m);
  return rc;
}

int64_t th_active_set_changes(const struct th_active_set *f,
                              const struct th_quadratic *q)
{
  const struct th_working_set *w = q->working;
  int64_t joined = 0;
  int64_t stays = 0;
  for (int64_t k = 0; k < w->members; k++)
    if (is_free(q, k)) {
      bool held = f->held[w->slot[k]];
      stays += held;
      joined += !held;
    }
  int64_t rows = f->factor.size;
  if (rows > 0 && f->name[0] == TH_ACTIVE_SET_INTERCEPT)
    rows--;
  return joined + rows - stays;
}

/* The products, and half as much for the tiles of their factor. */
int64_t th_active_set_form_bytes(int64_t members)
{
  return members * members * 3 / 2 * (int64_t)sizeof(double);
}

double th_active_set_form_cost(const struct th_quadratic *q)
{
  const struct th_working_set *w = q->working;
  double size = 0;
  double entries = 0;
  for (int64_t k = 0; k < w->members; k++)
    if (is_free(q, k)) {
      size++;
      entries += (double)q->columns->vector[w->slot[k]].items;
    }
  double in_a_row = entries / (double)q->states;
  return entries * (3 + in_a_row / 8) + size * size * size / 50;
}

/* --- Descent, and solving on the support, by turns ------------------------ */

/* A solution on the support helps if it leaves at most this part of the gap. */
static const double helps = 0.1;

/* Try to solve on the support. False: it was not tried, or it failed. */
static bool solve_face(struct th_quadratic *q, double lambda)
{
  if (q->active_set == NULL ||
      (q->frugal && q->visited < cost_of(q->active_set, q)))
    return false;
  q->visited = 0;
  bool moved = th_active_set_step(q->active_set, q, lambda);
  trade_dependent(q->active_set, q, lambda);
  return moved;
}

/* Epochs over all members find those that join the support. The minimum over
 * the support is then solved for, or descended to if solving helps little. */
double th_active_set_solve(struct th_quadratic *q, double lambda,
                           double tolerance, int rounds)
{
  th_quadratic_step_intercept(q);
  double before = INFINITY;
  double gap = th_quadratic_gap(q, lambda);
  for (int k = 0; k < rounds && gap > tolerance; k++) {
    double moved = th_quadratic_epoch(q, lambda, true);
    bool solved = k >= q->patience && solve_face(q, lambda);
    if (!solved || gap > helps * before)
      moved += th_quadratic_descend(q, lambda);
    if (solved && q->exempt.count > 0)
      th_quadratic_step_intercept(q);
    before = gap;
    gap = th_quadratic_gap(q, lambda);
    if (moved == 0)
      break; /* the limit of doubles */
  }
  return gap;
}
