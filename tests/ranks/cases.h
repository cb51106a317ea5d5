/* cases.h - the main program of a test on several ranks whose cases have
 * numbers
 * SPDX-License-Identifier: MIT */
#ifndef TH_TEST_MPI_CASES_H
#define TH_TEST_MPI_CASES_H

#include "check.h"

#include "mpi/mpi_comm.h"

#include <stddef.h>

/* Cases 0 .. count - 1, then what has no number; NULL: nothing. Returns the
 * exit status. Collective. */
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
    CHECK_CASE("number", k, test_case(&comm, k));
  if (others != NULL)
    CASE_NAMED(name, others(&comm));
  int failed = check_finish(&comm);
  th_mpi_comm_stop(&comm);
  return failed;
}

#endif
