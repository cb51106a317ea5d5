/* exempt_members.c - attributes without a penalty as members of a support
 * SPDX-License-Identifier: MIT */
#include "solvers/access/exempt_members.h"

#include "base/memory.h"
#include "base/search.h"

#include <stdlib.h>

bool th_exempt_members_has(const struct th_context *context, int64_t attribute)
{
  const struct th_config_exempt *exempt = &context->config->group.exempt;
  int64_t k = th_search_i64(exempt->attribute, 0, exempt->count, attribute);
  return k < exempt->count && exempt->attribute[k] == attribute;
}

th_status th_exempt_members_join(struct th_support *support,
                                 struct th_context *context,
                                 struct th_error *err)
{
  const struct th_config_exempt *exempt = &context->config->group.exempt;
  int64_t size = support->size;
  struct th_index_value *all = NULL;
  th_status rc = TH_OK;
  if (exempt->count == 0)
    return rc;
  rc = TH_NEW(&all, size + exempt->count, "the support", err);
  TH_TRY(th_agree(context->comm, rc, err));
  int64_t count = 0;
  for (int64_t k = 0, e = 0; k < size || e < exempt->count;) {
    bool member = k < size && (e == exempt->count ||
                               support->attribute[k] <= exempt->attribute[e]);
    bool both = member && e < exempt->count &&
                support->attribute[k] == exempt->attribute[e];
    all[count++] = member ? (struct th_index_value){support->attribute[k],
                                                    support->coef[k]}
                          : (struct th_index_value){exempt->attribute[e], 0};
    k += member;
    e += !member || both;
  }
  TH_TRY(th_support_assign(support, context, all, count, err));
done:
  free(all);
  return rc;
}

/* Take their values out, where 0 is left, to taken on every rank. Collective.
 */
static void take_values(struct th_context *context, double *values,
                        double *taken)
{
  const struct th_config_exempt *exempt = &context->config->group.exempt;
  for (int64_t k = 0; k < exempt->count; k++) {
    int64_t at = exempt->attribute[k] - context->owned.first;
    bool mine = at >= 0 && exempt->attribute[k] < context->owned.last;
    taken[k] = mine ? values[at] : 0;
    if (mine)
      values[at] = 0;
  }
  th_comm_share_numbers(context->comm, taken, (size_t)exempt->count);
}

/* Put them with these values into chosen[found], which ascends and has none of
 * them. Returns by how many it grows. Local. */
static int64_t merge_values(const struct th_context *context,
                            const double *taken, struct th_index_value *chosen,
                            int64_t found)
{
  const struct th_config_exempt *exempt = &context->config->group.exempt;
  int64_t to = found + exempt->count - 1;
  int64_t k = found - 1;
  for (int64_t e = exempt->count - 1; e >= 0; to--)
    if (k >= 0 && chosen[k].attribute > exempt->attribute[e])
      chosen[to] = chosen[k--];
    else {
      chosen[to] = (struct th_index_value){exempt->attribute[e], taken[e]};
      e--;
    }
  return exempt->count;
}

th_status th_exempt_members_select(struct th_context *context,
                                   struct th_selection *work, double *values,
                                   th_status before,
                                   struct th_index_value *chosen,
                                   int64_t *found, struct th_error *err)
{
  int64_t count = context->config->group.exempt.count;
  double *taken = NULL;
  struct th_select_among among = {.values = values,
                                  .first = context->owned.first,
                                  .count = th_range_count(context->owned),
                                  .k = context->config->sparsity};
  th_status rc = TH_OK;
  if (count > 0) {
    rc = TH_NEW(&taken, count, "a hard threshold", err);
    TH_TRY(th_agree(context->comm, rc, err));
    take_values(context, values, taken);
  }
  TH_TRY(th_select_largest(context->comm, work, &among, before, chosen, found,
                           err));
  if (count > 0)
    *found += merge_values(context, taken, chosen, *found);
done:
  free(taken);
  return rc;
}
