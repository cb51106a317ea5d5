/* csc_cache.h - the entries of this rank's sparse attributes, attribute by
 * attribute
 *
 * Stored tiles cut a sparse attribute into runs of an entry or two. Solvers
 * that pass over some attributes again and again need each attribute in one
 * piece. The values are the stored ones. The ledger counts every pass as if the
 * values were read each time.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CSC_CACHE_H
#define TH_CSC_CACHE_H

#include "data/source.h"
#include "solvers/plan.h"

#include <stdbool.h>
#include <stdint.h>

struct th_csc_cache {
  int64_t count;            /* attributes */
  const int64_t *attribute; /* count, ascending, borrowed */
  int64_t *start;           /* count + 1; NULL: nothing is kept */
  int32_t *row;             /* of each entry, ascending for an attribute */
  double *value;
  bool drawn; /* the next pass is counted already, by loading; so the ledger
                 does not depend on what a rank keeps */
};

/* The bytes that a rank keeps, about, for a plan. Local. */
int64_t th_csc_cache_bytes(const struct th_plan_size *size);

/* True if ranks keep entries, by how many each would have if all had as many;
 * so all ranks of a team do, or none. Local. */
bool th_csc_cache_fits(const struct th_shape *shape, int ranks);

/* Load all training examples of the active attributes of this rank, `count` of
 * them, a list that is borrowed. They have been declared. It is one draw.
 * Local. Release with th_csc_cache_free. */
th_status th_csc_cache_load(struct th_csc_cache *csc, struct th_source *source,
                            const int64_t *attribute, int64_t count,
                            struct th_error *err);
void th_csc_cache_free(struct th_csc_cache *csc);

/* True if an attribute is among those that are loaded. Local. */
bool th_csc_cache_holds(const struct th_csc_cache *csc, int64_t attribute);

/* The entries first .. last - 1 of an attribute; none of one that is not
 * active. Local. */
struct th_range th_csc_cache_entries(const struct th_csc_cache *csc,
                                     int64_t attribute);

#endif
