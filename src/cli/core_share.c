/* core_share.c - how many cores there are for each rank
 *
 * Affinity is not in POSIX: src/cli/CMakeLists.txt asks for its declaration.
 * SPDX-License-Identifier: MIT */
#include "cli/core_share.h"

#include "core/memory.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HOST_NAME = 256 };

/* Where a rank may run. */
struct seat {
  char host[HOST_NAME];
  cpu_set_t cores;
};

static struct seat own_seat(void)
{
  struct seat seat;
  memset(&seat, 0, sizeof seat); /* it is compared as bytes */
  gethostname(seat.host, sizeof seat.host - 1);
  if (sched_getaffinity(0, sizeof seat.cores, &seat.cores) != 0)
    CPU_ZERO(&seat.cores);
  return seat;
}

th_status th_core_share(struct th_comm *comm, int *cores, struct th_error *err)
{
  struct seat mine = own_seat();
  struct seat *all = NULL;
  int64_t *counts = NULL;
  int alike = 1; /* this rank */
  th_status rc = TH_NEW(&counts, comm->size, "the cores of the ranks", err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(th_comm_gather(comm, &mine, sizeof mine, counts, (void **)&all, err));
  for (int r = 0; r < comm->size; r++)
    alike += r != comm->rank && memcmp(&all[r], &mine, sizeof mine) == 0;
  *cores = CPU_COUNT(&mine.cores) / alike;
  *cores = *cores > 1 ? *cores : 1;
done:
  TH_FREE(all, counts);
  return rc;
}
