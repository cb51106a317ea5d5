/* memory_share.c - how much main memory there is for each rank
 * SPDX-License-Identifier: MIT */
#include "api/memory_share.h"

#include "core/memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HOST_NAME = 256 };

/* A whole number from the environment; 0: none. */
static int64_t number_in(const char *variable)
{
  const char *text = getenv(variable);
  long long number = text != NULL ? strtoll(text, NULL, 10) : 0;
  return number > 0 && number < INT32_MAX ? number : 0;
}

/* What Slurm grants a job on this node; 0: no limit is known. */
static int64_t granted_memory(void)
{
  int64_t node = number_in("SLURM_MEM_PER_NODE");
  int64_t cores =
      number_in("SLURM_MEM_PER_CPU") * number_in("SLURM_CPUS_ON_NODE");
  return (node > 0 ? node : cores) << 20;
}

static int64_t main_memory(void)
{
  long pages = sysconf(_SC_PHYS_PAGES);
  long size = sysconf(_SC_PAGESIZE);
  bool known = pages > 0 && size > 0;
  int64_t memory = known ? (int64_t)pages * size : (int64_t)1 << 32;
  int64_t granted = granted_memory();
  return granted > 0 && granted < memory ? granted : memory;
}

th_status th_memory_share(struct th_comm *comm, int64_t *bytes,
                          struct th_error *err)
{
  char mine[HOST_NAME] = "";
  char *all = NULL;
  int64_t *counts = NULL;
  th_status rc;
  gethostname(mine, sizeof mine - 1);
  rc = TH_NEW(&counts, comm->size, "names of the machines", err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(th_comm_gather(comm, mine, HOST_NAME, counts, (void **)&all, err));
  int64_t here = 1; /* this rank */
  for (int r = 0; r < comm->size; r++)
    here += r != comm->rank && strcmp(all + (size_t)r * HOST_NAME, mine) == 0;
  int64_t least = -(main_memory() / here);
  comm->ops->max_i64(comm, &least, 1);
  *bytes = -least;
done:
  TH_FREE(all, counts);
  return rc;
}
