/* state_look.h - hashes of what a run shows between two updates
 * SPDX-License-Identifier: MIT */
#ifndef TH_STATE_LOOK_H
#define TH_STATE_LOOK_H

#include "base/integer.h"
#include "model/claims.h"
#include "solvers/access/support.h"
#include "state/state.h"

#include <string.h>

static inline uint64_t look_at_certificate(uint64_t look,
                                           const struct th_certificate *c)
{
  const double numbers[] = {c->lambda,    c->lambda_max, c->objective,
                            c->gap,       c->dual_norm,  c->confidence,
                            c->violation, c->radius};
  look = th_integer_hash(look, numbers, sizeof numbers);
  look = th_integer_hash(look, c->margin, sizeof c->margin);
  look = th_integer_hash(look, &c->active, sizeof c->active);
  return th_integer_hash(look, &c->screened_wrongly,
                         sizeof c->screened_wrongly);
}

static inline uint64_t look_at_support(uint64_t look,
                                       const struct th_support *s)
{
  const double *const vectors[] = {s->coef, s->centre, s->scale, s->bound};
  size_t size = (size_t)s->size;
  look = th_integer_hash(look, &s->intercept, sizeof s->intercept);
  look = th_integer_hash(look, s->attribute, size * sizeof *s->attribute);
  for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++)
    look = th_integer_hash(look, vectors[v], size * sizeof *vectors[v]);
  return look;
}

/* Columns that are held by every rank have places by chance: only which they
 * are is part of the state. */
static inline bool look_is_placed(const char *name)
{
  return strstr(name, ".inner.columns") != NULL ||
         strstr(name, ".inner.factor.name") != NULL;
}

/* Everything that an image says. */
static inline uint64_t look_at_image(const struct th_state_image *image)
{
  uint64_t look = TH_FNV_BASIS;
  for (int64_t k = 0; k < image->count; k++) {
    const struct th_state_entry *e = &image->entry[k];
    size_t bytes = (size_t)(e->rows * e->all) * th_state_size(e->type);
    look = th_integer_hash(look, e->name, strlen(e->name));
    look = th_integer_hash(look, &bytes, sizeof bytes);
    if (!look_is_placed(e->name))
      look = th_integer_hash(look, e->data, bytes);
  }
  return look;
}

#endif
