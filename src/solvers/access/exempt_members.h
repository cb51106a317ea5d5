/* exempt_members.h - attributes without a penalty as members of a support: they
 * always are, beside those that are chosen
 *
 * They are those of the configuration that are not left out here; their values
 * are told apart by the owner.
 * SPDX-License-Identifier: MIT */
#ifndef TH_EXEMPT_MEMBERS_H
#define TH_EXEMPT_MEMBERS_H

#include "math/select.h"
#include "solvers/access/context.h"
#include "solvers/access/support.h"

#include <stdbool.h>
#include <stdint.h>

/* Is an attribute one of them? Local. */
bool th_exempt_members_has(const struct th_context *context, int64_t attribute);

/* Make them members, with coefficients of 0 where they are not yet. Collective.
 */
th_status th_exempt_members_join(struct th_support *support,
                                 struct th_context *context,
                                 struct th_error *err);

/* Choose the `sparsity` largest of values[owned], which are changed, as
 * th_select_largest does, and put those without a penalty beside them with
 * their own values: chosen has room for all. Collective. */
th_status th_exempt_members_select(struct th_context *context,
                                   struct th_selection *work, double *values,
                                   th_status before,
                                   struct th_index_value *chosen,
                                   int64_t *found, struct th_error *err);

#endif
