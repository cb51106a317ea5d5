/* own_attributes.h - a matrix of which each rank has some attributes, dealt by
 * rows
 * SPDX-License-Identifier: MIT */
#ifndef TH_OWN_ATTRIBUTES_H
#define TH_OWN_ATTRIBUTES_H

#include "io/import/arrays/given.h"
#include "ranks/comm.h"

/* Zeroed: nothing. */
struct th_own_attributes {
  struct th_given_matrix given; /* of all attributes, with this rank's rows;
                                   lives as long as the record */
  void *values;                 /* owned, as are the texts */
  void *texts;
  const char **names;
};

/* Exchange columns for rows: afterwards each rank has those rows that an import
 * reads there, with the attributes of all ranks, those of rank 0 first. What
 * belongs to rows is the same on all ranks, and is borrowed. Takes a rank's
 * share twice. Collective. Release with th_own_attributes_free, also after a
 * failure. */
th_status th_own_attributes_join(struct th_own_attributes *own,
                                 const struct th_given_matrix *mine,
                                 struct th_comm *comm, struct th_error *err);
/* Local. */
void th_own_attributes_free(struct th_own_attributes *own);

#endif
