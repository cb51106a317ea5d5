/* support.c - the support S with its coefficients, replicated on every rank
 * SPDX-License-Identifier: MIT */
#include "solvers/support.h"

#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

/* What an owner tells about an attribute. */
struct scaling {
  double centre;
  double scale;
  double bound;
};

static th_status grow(void **data, int64_t old, int64_t wanted, size_t size,
                      struct th_error *err)
{
  int64_t capacity = old;
  return th_grow(data, &capacity, wanted, size, "the support", err);
}

th_status th_support_reserve(struct th_support *support, int64_t capacity,
                             struct th_error *err)
{
  int64_t old = support->capacity;
  th_status rc;
  if (capacity <= old)
    return TH_OK;
  TH_TRY(grow((void **)&support->attribute, old, capacity,
              sizeof *support->attribute, err));
  TH_TRY(
      grow((void **)&support->coef, old, capacity, sizeof *support->coef, err));
  TH_TRY(grow((void **)&support->centre, old, capacity, sizeof *support->centre,
              err));
  TH_TRY(grow((void **)&support->scale, old, capacity, sizeof *support->scale,
              err));
  TH_TRY(grow((void **)&support->bound, old, capacity, sizeof *support->bound,
              err));
  support->capacity = capacity;
done:
  return rc;
}

void th_support_free(struct th_support *support)
{
  free(support->attribute);
  free(support->coef);
  free(support->centre);
  free(support->scale);
  free(support->bound);
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

struct th_range th_support_owned(const struct th_support *support,
                                 struct th_range owned)
{
  return th_range_members(support->attribute, support->size, owned);
}

/* Ranks own ascending ranges, so what they tell, one behind the other, is in
 * the order of the support. Collective. */
static th_status learn_scaling(struct th_support *support,
                               struct th_context *context, struct th_error *err)
{
  struct th_range mine = th_support_owned(support, context->owned);
  int64_t count = mine.last - mine.first;
  struct scaling *told = NULL;
  struct scaling *all = NULL;
  int64_t *bytes = NULL;
  th_status rc = TH_NEW(&told, count, "scalings", err);
  if (rc == TH_OK)
    rc = TH_NEW(&bytes, context->comm->size, "scalings", err);
  TH_TRY(th_agree(context->comm, rc, err));
  for (int64_t k = 0; k < count; k++) {
    int64_t a = support->attribute[mine.first + k] - context->owned.first;
    told[k] = (struct scaling){context->centre[a], context->scale[a],
                               context->bound[a]};
  }
  TH_TRY(th_gather(context->comm, told, count * (int64_t)sizeof *told, bytes,
                   (void **)&all, err));
  for (int64_t k = 0; k < support->size; k++) {
    support->centre[k] = all[k].centre;
    support->scale[k] = all[k].scale;
    support->bound[k] = all[k].bound;
  }
done:
  free(told);
  free(all);
  free(bytes);
  return rc;
}

th_status th_support_assign(struct th_support *support,
                            struct th_context *context,
                            const struct th_choice *chosen, int64_t count,
                            struct th_error *err)
{
  th_status rc = th_support_reserve(support, count, err);
  if ((rc = th_agree(context->comm, rc, err)) != TH_OK)
    return rc;
  for (int64_t k = 0; k < count; k++) {
    support->attribute[k] = chosen[k].attribute;
    support->coef[k] = chosen[k].value;
  }
  support->size = count;
  return learn_scaling(support, context, err);
}

void th_support_filter(struct th_support *support, const bool *keep)
{
  int64_t kept = 0;
  for (int64_t k = 0; k < support->size; k++) {
    if (!keep[k])
      continue;
    support->attribute[kept] = support->attribute[k];
    support->coef[kept] = support->coef[k];
    support->centre[kept] = support->centre[k];
    support->scale[kept] = support->scale[k];
    support->bound[kept] = support->bound[k];
    kept++;
  }
  support->size = kept;
}

double th_support_own_coef(const struct th_support *support, int64_t k)
{
  return support->coef[k] * support->scale[k];
}

double th_support_own_intercept(const struct th_support *support,
                                const struct th_target *target)
{
  double intercept = target->shift + support->intercept;
  for (int64_t k = 0; k < support->size; k++)
    intercept -= th_support_own_coef(support, k) * support->centre[k];
  return intercept;
}
