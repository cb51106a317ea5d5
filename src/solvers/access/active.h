/* active.h - the attributes that are left after screening, and vectors over
 * them
 *
 * Screening removes attributes from the index set, from every vector over it,
 * and from all reading, computing and sending (Liang & Poon 2022, Algorithms 1
 * and 2: the screening set). Each rank holds its own part of the set in compact
 * form: place p = 0 .. count - 1 belongs to attribute[p].
 * SPDX-License-Identifier: MIT */
#ifndef TH_ACTIVE_H
#define TH_ACTIVE_H

#include "ranks/partition.h"
#include "solvers/access/context.h"

#include <stdbool.h>
#include <stdint.h>

enum { TH_ACTIVE_FIELDS = 16 };

struct th_active {
  struct th_range owned; /* cells that this rank is responsible for */
  int64_t count;
  int64_t total;      /* of all ranks */
  int64_t capacity;   /* of every array here, in items */
  int64_t *attribute; /* ascending, all of them in owned */
  double *centre;     /* of each, as in the context */
  double *scale;
  double *bound;
  int fields; /* number of the solver's own vectors */
  double *field[TH_ACTIVE_FIELDS];
};

/* All attributes that are not left out, with `fields` vectors of zeros; the
 * source is told. Collective. Release with th_active_free. */
th_status th_active_init(struct th_active *active, struct th_context *context,
                         int fields, struct th_error *err);
/* Local. */
void th_active_free(struct th_active *active);

/* Keep the attributes at the places where keep[place]; vectors are compacted,
 * too. The source is told. Collective: one sum. */
th_status th_active_keep(struct th_active *active, struct th_context *context,
                         const bool *keep, struct th_error *err);

/* Make attributes of this rank active again, ascending, with zeros in all
 * vectors. The source is told. Collective: one sum. An error for an attribute
 * that is active, left out or of another rank. */
th_status th_active_add(struct th_active *active, struct th_context *context,
                        const int64_t *attribute, int64_t count,
                        struct th_error *err);

/* The place of an attribute, or -1. Local. */
int64_t th_active_place(const struct th_active *active, int64_t attribute);

/* The end of the cell that a place is in: [place, result) lie in one cell.
 * Local. */
int64_t th_active_cell_end(const struct th_active *active, int64_t place);

/* --- Active attributes change ranks
 *
 * After screening some ranks have more to do than others. Whole cells then
 * move, in order, with all vectors over their attributes. No number changes. */

/* How places move: each rank gets a piece of every vector. */
struct th_active_redistribution {
  int ranks;
  int64_t *send; /* places, to each rank, in order */
  int64_t *receive;
  int64_t *send_bytes; /* work */
  int64_t *receive_bytes;
  int64_t before; /* places of this rank before the move */
  int64_t after;
  bool moves; /* a place changes its rank anywhere */
};

/* Find out who sends what, so that the attributes come to lie as a placement
 * says. Collective. Release with th_active_redistribute_free. */
th_status
th_active_redistribute_plan(struct th_active_redistribution *redistribution,
                            const struct th_active *active,
                            const struct th_placement *placement,
                            struct th_comm *comm, struct th_error *err);
/* Local. */
void th_active_redistribute_free(
    struct th_active_redistribution *redistribution);

/* Move the attributes and all vectors over them; the source is told. The
 * vectors may be at other addresses afterwards. Collective. */
th_status th_active_move(struct th_active *active, struct th_context *context,
                         struct th_active_redistribution *redistribution,
                         struct th_range owned, struct th_error *err);

#endif
