/* mpi_call.c - an operation of a team: what it is called, that MPI did it, that
 * rank 0 is in the same one
 * SPDX-License-Identifier: MIT */
#include "mpi/mpi_call.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = TH_MPI_CALL_TEXT };

struct kind {
  const char *name;
  const char *unit; /* NULL: it has no count */
};

static const struct kind kinds[] = {
    [TH_MPI_SUM] = {"a sum", "numbers"},
    [TH_MPI_MAX] = {"a maximum", "numbers"},
    [TH_MPI_PREFIX] = {"a sum over lower ranks", "numbers"},
    [TH_MPI_BCAST] = {"a broadcast", "bytes"},
    [TH_MPI_EXCHANGE] = {"an exchange between all ranks", NULL},
    [TH_MPI_JOIN] = {"a collection of the parts of all ranks", "bytes"},
    [TH_MPI_SUM_START] = {"the start of a sum", "numbers"},
    [TH_MPI_SUM_FINISH] = {"the end of a sum", NULL},
    [TH_MPI_BARRIER] = {"a barrier", NULL},
    [TH_MPI_SHARE] = {"shared memory", "bytes"},
    [TH_MPI_SPLIT] = {"a split into teams", NULL},
    [TH_MPI_SOLVE] = {"a dense solution", NULL},
};

void th_mpi_call_describe(const struct th_mpi_call *call, char text[TEXT])
{
  const struct kind *kind = &kinds[call->kind];
  if (kind->unit == NULL)
    snprintf(text, TEXT, "%s", kind->name);
  else
    snprintf(text, TEXT, "%s of %" PRId64 " %s", kind->name, call->count,
             kind->unit);
}

_Noreturn void th_mpi_call_fail(const char *what, int code)
{
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  fprintf(stderr, "thresher: %s failed: %s\n", what, text);
  MPI_Abort(MPI_COMM_WORLD, 1);
  abort();
}

void th_mpi_call_must(int code, const char *what)
{
  if (code != MPI_SUCCESS)
    th_mpi_call_fail(what, code);
}

/* Exchanges have other sizes on every rank, and count 0. */
void th_mpi_call_compare(MPI_Comm extra, const struct th_mpi_call *call)
{
  int64_t here[3] = {call->kind, call->count, call->root};
  int64_t there[3] = {here[0], here[1], here[2]};
  char mine[TEXT];
  char theirs[TEXT];
  int rank = 0;
  th_mpi_call_must(MPI_Comm_rank(extra, &rank), "MPI_Comm_rank");
  th_mpi_call_must(MPI_Bcast(there, 3, MPI_INT64_T, 0, extra), "MPI_Bcast");
  if (memcmp(here, there, sizeof here) == 0)
    return;
  struct th_mpi_call other = {.kind = (enum th_mpi_kind)there[0],
                              .count = there[1]};
  th_mpi_call_describe(call, mine);
  th_mpi_call_describe(&other, theirs);
  fprintf(stderr,
          "thresher: rank %d of a team enters %s from rank %" PRId64
          ", and rank 0 %s from rank %" PRId64 ", at operation %" PRId64 "\n",
          rank, mine, here[2], theirs, there[2], call->number);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
