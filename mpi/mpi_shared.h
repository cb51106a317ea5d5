/* mpi_shared.h - memory that the ranks of a node share, and parts of an array
 * that are joined on all ranks or in such memory
 * Every rank of a team calls these functions, but for those that say "local".
 * SPDX-License-Identifier: MIT */
#ifndef TH_MPI_SHARED_H
#define TH_MPI_SHARED_H

#include "ranks/comm.h"
#include "ranks/memory_use.h"

#include <mpi.h>

/* Which ranks of a team are on one node. */
struct th_mpi_nodes;

/* node: the ranks of the team that share this one's memory, in their order; it
 * is released with the nodes. memory: counts what is shared; borrowed. */
struct th_mpi_nodes *th_mpi_shared_nodes(MPI_Comm team, MPI_Comm node,
                                         struct th_memory_use *memory);

/* Legal on NULL. */
void th_mpi_shared_nodes_free(struct th_mpi_nodes *nodes);

/* Fill *block as described in ranks/comm.h; data is NULL without memory. It
 * borrows the nodes. Ends the job if MPI fails. */
void th_mpi_shared_make(struct th_mpi_nodes *nodes, size_t bytes,
                        struct th_shared *block);

/* What the ranks of this node have written is seen by all of them. */
void th_mpi_shared_show(struct th_shared *block);

void th_mpi_shared_free(struct th_shared *block);

/* Give every rank's part, of bytes[rank], to all ranks: the parts lie one after
 * the other in the block, in rank order. */
void th_mpi_shared_join(struct th_mpi_nodes *nodes, struct th_shared *block,
                        const int64_t *bytes);

/* Join the parts in the memory of each rank. */
void th_mpi_shared_join_parts(MPI_Comm team, void *all, const int64_t *bytes);

#endif
