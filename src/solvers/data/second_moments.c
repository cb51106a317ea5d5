/* second_moments.c - what the import knows of the squares of the attributes
 * SPDX-License-Identifier: MIT */
#include "solvers/data/second_moments.h"

#include "core/memory.h"
#include "core/partition.h"

#include <stdlib.h>

enum { PIECE = 16 * TH_CELL };

th_status th_second_moments_read(const struct th_context *context,
                                 double *second, struct th_error *err)
{
  struct th_range owned = context->owned;
  struct th_statistics *statistics = NULL;
  th_status rc = TH_NEW(&statistics, PIECE, "attribute statistics", err);
  for (int64_t first = owned.first; first < owned.last && rc == TH_OK;
       first += PIECE) {
    struct th_range all = {first, first + PIECE};
    struct th_range part = th_range_intersect(all, owned);
    rc = th_source_statistics(context->source, part, statistics, err);
    for (int64_t j = part.first; j < part.last && rc == TH_OK; j++) {
      const struct th_statistics *s = &statistics[j - part.first];
      double mean = s->mean - context->centre[j - owned.first];
      double scale = context->scale[j - owned.first];
      second[j - owned.first] =
          (mean * mean + s->deviation * s->deviation) * scale * scale;
    }
  }
  free(statistics);
  return rc;
}
