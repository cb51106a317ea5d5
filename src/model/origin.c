/* origin.c - what is known of the text that data were imported from
 * SPDX-License-Identifier: MIT */
#include "model/origin.h"

#include "base/memory.h"

void th_origin_free(struct th_origin *origin)
{
  TH_FREE(origin->format, origin->target_name, origin->positive_class,
          origin->weight_name, origin->other, origin->label);
  TH_FREE_LIST(origin->name, origin->others);
  TH_FREE_LIST(origin->class_name, origin->classes);
  *origin = (struct th_origin){0};
}
