/* active_set_form.c - the factor of a whole support at once
 *
 * Products are sums over the pairs of entries in each row, since a support of
 * sparse attributes has few entries in a row.
 * SPDX-License-Identifier: MIT */
#include "core/memory.h"
#include "solvers/data/rowwise.h"
#include "solvers/exact/active_set.h"
#include "solvers/exact/active_set_parts.h"
#include "solvers/exact/quadratic_parts.h"

#include <string.h>

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
  struct th_rowwise rowwise;
  struct th_rowwise_entry *work;
};

static void form_free(struct form *m)
{
  th_rowwise_free(&m->rowwise);
  TH_FREE(m->member, m->name, m->column, m->kept, m->product, m->work);
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
    if (q->coef[k] != 0)
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
static th_status multiply(struct form *m, const struct th_quadratic *q,
                          double damping, struct th_error *err)
{
  int64_t rows = m->first + m->size;
  th_status rc;
  TH_TRY(th_rowwise_build(&m->rowwise, q->states, m->column, m->size, err));
  TH_TRY(TH_NEW(&m->work, m->rowwise.longest, "a linear system", err));
  th_rowwise_products(&m->rowwise, q->h, m->name, 0, rows, m->product, m->work);
  if (m->first > 0)
    m->product[0] = q->sum_h;
  for (int64_t i = 0; i < m->size; i++) {
    double *column = m->product + (m->first + i) * rows;
    column[m->first + i] += q->ridge;
    column[m->first + i] *= 1 + damping;
    if (m->first > 0)
      column[0] = th_column_dot(&m->column[i], q->h);
  }
done:
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
  TH_TRY(th_active_set_reserve(f, m.first + m.size, err));
  TH_TRY(multiply(&m, q, f->damping, err));
  TH_TRY(th_factor_form(&f->factor, m.first + m.size, m.product,
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
    if (q->coef[k] != 0) {
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
    if (q->coef[k] != 0) {
      size++;
      entries += (double)q->columns->vector[w->slot[k]].items;
    }
  double in_a_row = entries / (double)q->states;
  return entries * (3 + in_a_row / 8) + size * size * size / 50;
}
