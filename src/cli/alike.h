/* alike.h - checks that all ranks run the same program with the same arguments
 * SPDX-License-Identifier: MIT */
#ifndef TH_ALIKE_H
#define TH_ALIKE_H

#include "ranks/comm.h"

/* The first collective operation of a run: one reduction of 64 bytes if all is
 * well. arithmetic: th_arithmetic_hash of this rank. An error for another
 * version, build or arithmetic than rank 0's, or for other arguments; the
 * message names the lowest rank that differs. argv[0] may differ.
 * Collective. */
th_status th_alike_check(struct th_comm *comm, int argc, char **argv,
                         uint64_t arithmetic, struct th_error *err);

#endif
