/* selected.c - in which order a run chose attributes
 * SPDX-License-Identifier: MIT */
#include "model/selected.h"

#include "base/memory.h"

#include <string.h>

#include <math.h>

th_status th_selected_copy(struct th_selected *to,
                           const struct th_selected *from, struct th_error *err)
{
  *to = *from;
  to->attribute = NULL;
  th_status rc = TH_NEW(&to->attribute, from->size, "the selection", err);
  if (rc == TH_OK && from->size > 0)
    memcpy(to->attribute, from->attribute,
           (size_t)from->size * sizeof *to->attribute);
  return rc;
}

void th_selected_free(struct th_selected *selection)
{
  TH_FREE(selection->attribute);
  *selection = (struct th_selected){0};
}

bool th_selected_finite(const struct th_selected *selection)
{
  bool good = true;
#define TH_SELECTED_FINITE(name, what)                                         \
  good = good && isfinite(selection->name) && selection->name >= 0;
  TH_SELECTED_REALS(TH_SELECTED_FINITE)
#undef TH_SELECTED_FINITE
  return good;
}
