/* places.h - the active attributes of a stochastic method, and what is derived
 * from their set
 * SPDX-License-Identifier: MIT */
#ifndef TH_PLACES_H
#define TH_PLACES_H

#include "math/select.h"
#include "solvers/access/row_caches.h"

#include <stdbool.h>
#include <stdint.h>

struct th_stochastic;

/* What is derived from the set of active places, and work arrays over them. */
struct th_places {
  struct th_cells cells;
  int64_t *edge; /* of cells */
  int64_t edge_capacity;
  int64_t capacity; /* of the work arrays */
  bool *keep;       /* a flag for each active place */
  bool *group_keep; /* for each group, as are the next ones */
  double *group_dual;
  double *group_second;
  struct th_index_value *choice; /* work: nonzero coefficients */
  int64_t choice_capacity;
};

/* Form cells, groups and work arrays for the present places. Collective. */
th_status th_places_form(struct th_stochastic *s, struct th_error *err);
/* Local. */
void th_places_free(struct th_places *places);

/* Keep the attributes of s->places.keep. Collective. */
th_status th_places_keep(struct th_stochastic *s, struct th_error *err);

/* Call after th_active_add has changed the active attributes. Row caches are
 * read again. Groups, cells, N_j and step sizes are computed for the new
 * attributes. Z is lost. Collective. */
th_status th_places_rebuild(struct th_stochastic *s, struct th_error *err);

/* Ranks exchange active attributes between outer loops when some have many more
 * than others. All vectors over places are fields, so that they move, too. This
 * call sends attributes home to the ranks that own them, before th_active_add.
 * Collective. */
th_status th_places_home(struct th_stochastic *s, struct th_error *err);

/* Balance the ranks again if that pays. Collective. */
th_status th_places_balance(struct th_stochastic *s, struct th_error *err);

#endif
