/* cases.h - the main program of a test on several ranks whose cases have
 * numbers, and which of them a number of ranks has
 * SPDX-License-Identifier: MIT */
#ifndef TH_TEST_MPI_CASES_H
#define TH_TEST_MPI_CASES_H

#include "check.h"

#include "mpi/mpi_comm.h"

#include <stddef.h>
#include <string.h>

/* Whether case k of a row of a table is this number of ranks' turn: a third of
 * all cases, so that 2, 3 and 4 ranks together have all of them. */
static inline bool mpi_case_turn(const struct th_comm *comm, int k, int row)
{
  return (k + k / 3 + row + comm->size) % 3 == 0;
}

/* With the argument `all`, as in the long suite, each number of ranks has all.
 */
static inline bool mpi_case_all(int argc, char **argv)
{
  return argc > 1 && strcmp(argv[1], "all") == 0;
}

/* Cases 0 .. count - 1 whose turn it is, then what has no number; NULL:
 * nothing. Returns the exit status. Collective. */
#define mpi_cases(argc, argv, count, test_case, others)                        \
  mpi_cases_named(argc, argv, count, test_case, others, #others)

static inline int
mpi_cases_named(int argc, char **argv, int count,
                void (*test_case)(struct th_comm *comm, int k),
                void (*others)(struct th_comm *comm), const char *name)
{
  struct th_comm comm;
  th_mpi_comm_start(&comm, &argc, &argv);
  check_start(&comm);
  for (int k = 0; k < count; k++)
    if (mpi_case_all(argc, argv) || mpi_case_turn(&comm, k, 0))
      CHECK_CASE("number", k, test_case(&comm, k));
  if (others != NULL)
    CASE_NAMED(name, others(&comm));
  int failed = check_finish(&comm);
  th_mpi_comm_stop(&comm);
  return failed;
}

#endif
