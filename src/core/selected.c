/* selected.c - in which order a run chose attributes
 * SPDX-License-Identifier: MIT */
#include "core/selected.h"

#include "core/memory.h"

#include <string.h>

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
