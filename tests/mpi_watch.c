/* mpi_watch.c [disagree] - a rank that holds up the others is named; disagree:
 * ranks that enter different operations end with a line
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "mpi/mpi_comm.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TEXT = 4096 };
static const double limit = 0.2;

static void wait_for(double seconds)
{
  struct timespec time = {.tv_sec = (time_t)seconds,
                          .tv_nsec =
                              (long)((seconds - (double)(long)seconds) * 1e9)};
  nanosleep(&time, NULL);
}

/* What this rank prints on standard error while rank 0 is late at a barrier, by
 * so many seconds. */
static void hold_up(struct th_comm *comm, double longest, double late,
                    char text[TEXT])
{
  FILE *file = tmpfile();
  int usual = dup(STDERR_FILENO);
  CHECK(file != NULL && usual >= 0);
  CHECK(dup2(fileno(file), STDERR_FILENO) >= 0);
  comm->ops->barrier(comm);
  comm->ops->watch(comm, longest);
  if (comm->rank == 0)
    wait_for(late);
  comm->ops->barrier(comm);
  comm->ops->watch(comm, 0);
  CHECK(dup2(usual, STDERR_FILENO) >= 0);
  close(usual);
  rewind(file);
  text[fread(text, 1, TEXT - 1, file)] = '\0';
  fclose(file);
}

static void test_late(struct th_comm *comm)
{
  char text[TEXT];
  char who[32];
  int64_t one = 1;
  comm->ops->sum_i64(comm, &one, 1);
  hold_up(comm, limit, 15 * limit, text);
  snprintf(who, sizeof who, "note: rank %d on ", comm->rank);
  CHECK(strstr(text, who) == text);
  if (comm->rank == 0) {
    CHECK(strstr(text, "has been at work for ") &&
          strstr(text, " s since the watch began"));
  } else {
    CHECK(strstr(text, "has waited for ") &&
          strstr(text, " s in a barrier, operation 3 of "));
  }
  const char *second = strchr(text, '\n');
  CHECK(second != NULL && strstr(second, who) != NULL); /* told again */
}

/* Where nobody waits nothing is said. */
static void test_prompt(struct th_comm *comm)
{
  char text[TEXT];
  hold_up(comm, 60, 0.1, text);
  CHECK(text[0] == '\0');
}

static void disagree(struct th_comm *comm)
{
  int64_t values[3] = {0};
  comm->ops->sum_i64(comm, values, comm->rank == 1 ? 3 : 2);
}

int main(int argc, char **argv)
{
  struct th_comm comm;
  th_mpi_start(&comm, &argc, &argv);
  if (argc > 1) {
    disagree(&comm);
  } else {
    test_late(&comm);
    test_prompt(&comm);
  }
  int status = check_finish(&comm);
  th_mpi_stop(&comm);
  return status;
}
