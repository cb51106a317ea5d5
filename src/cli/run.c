/* run.c - what several subcommands share
 * SPDX-License-Identifier: MIT */
#include "cli/run.h"

#include "core/memory.h"
#include "io/hdf5/output.h"

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

th_status th_run_memory_share(struct th_comm *comm, int64_t *bytes,
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

int64_t th_run_memory_to_keep(const struct th_options *options, int64_t share)
{
  return options->memory > 0 ? options->memory : share / 5 * 2;
}

th_status th_run_output_check(struct th_comm *comm, const char *path, bool text,
                              bool force, struct th_error *err)
{
  struct th_output output = {.lock = -1};
  th_status rc = TH_OK;
  if (path == NULL)
    return TH_OK;
  if (comm->rank == 0) {
    rc = (text ? th_output_begin_text : th_output_begin)(&output, path, force,
                                                         err);
    th_output_abort(&output);
  }
  return th_agree(comm, rc, err);
}

th_status th_run_split_rows(const struct th_shape *shape, int split,
                            struct th_rows *rows, struct th_error *err)
{
  int64_t test = shape->examples - shape->training;
  if (split == TH_SPLIT_AUTO)
    split = test > 0 ? TH_SPLIT_TEST : TH_SPLIT_ALL;
  *rows = (struct th_rows){0, shape->examples};
  if (split == TH_SPLIT_TEST)
    *rows = (struct th_rows){shape->training, test};
  else if (split == TH_SPLIT_TRAIN)
    rows->count = shape->training;
  if (rows->count > 0)
    return TH_OK;
  return th_fail(err, TH_EUSAGE,
                 "--split %s: the data set has no such examples; use --split "
                 "all",
                 split == TH_SPLIT_TEST ? "test" : "train");
}

struct th_rows th_run_next_group(const struct th_shape *shape,
                                 struct th_rows *rows)
{
  /* test examples begin a row group of their own */
  bool test = rows->first >= shape->training;
  int64_t base = test ? shape->training : 0;
  int64_t end = test ? shape->examples : shape->training;
  int64_t in_group = (rows->first - base) % shape->row_group;
  int64_t last = rows->first - in_group + shape->row_group;
  last = last < end ? last : end;
  struct th_rows part = {rows->first, last - rows->first};
  part.count = part.count < rows->count ? part.count : rows->count;
  rows->first += part.count;
  rows->count -= part.count;
  return part;
}
