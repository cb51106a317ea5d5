/* watch.c [disagree] - a rank that holds up the others is named; disagree:
 * ranks that enter different operations end with a line
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "mpi/mpi_comm.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TEXT = 4096, PATH = 64 };

static void wait_some(void)
{
  nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
}

/* What a rank has printed by now: a file of the folder that is named after it.
 */
static void read_words(const char *folder, int rank, char text[TEXT])
{
  char path[PATH + 16];
  snprintf(path, sizeof path, "%s/%d", folder, rank);
  FILE *file = fopen(path, "r");
  text[file != NULL ? fread(text, 1, TEXT - 1, file) : 0] = '\0';
  if (file != NULL)
    fclose(file);
}

/* Until every rank has told twice that it waits, or that it is at work: it has
 * done so for ever, so rank 0 may look as late as it likes. */
static void await_notes(const char *folder, int ranks)
{
  char text[TEXT];
  for (int rank = 0; rank < ranks; rank++)
    for (int notes = 0; notes < 2;) {
      const char *at = text;
      wait_some();
      read_words(folder, rank, text);
      for (notes = 0; (at = strstr(at, rank == 0 ? "at work" : "has waited"));
           at++)
        notes++;
    }
}

/* What this rank prints on standard error while rank 0 is late at a barrier:
 * until all have told twice, if they are to tell at all. */
static void hold_up(struct th_comm *comm, double longest, bool tells,
                    char text[TEXT])
{
  char folder[PATH] = "/tmp/thresher_watch_XXXXXX";
  char path[PATH + 16];
  CHECK(comm->rank != 0 || mkdtemp(folder) != NULL);
  comm->ops->bcast(comm, folder, PATH, 0);
  snprintf(path, sizeof path, "%s/%d", folder, comm->rank);
  int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  int usual = dup(STDERR_FILENO);
  CHECK(file >= 0 && usual >= 0);
  CHECK(dup2(file, STDERR_FILENO) >= 0);
  comm->ops->barrier(comm);
  comm->ops->watch(comm, longest);
  if (comm->rank == 0 && tells)
    await_notes(folder, comm->size);
  else if (comm->rank == 0)
    wait_some();
  comm->ops->barrier(comm);
  comm->ops->watch(comm, 0);
  CHECK(dup2(usual, STDERR_FILENO) >= 0);
  close(usual);
  close(file);
  read_words(folder, comm->rank, text);
  unlink(path);
  comm->ops->barrier(comm);
  if (comm->rank == 0)
    rmdir(folder);
}

static void test_late(struct th_comm *comm)
{
  char text[TEXT];
  char who[32];
  int64_t one = 1;
  comm->ops->sum_i64(comm, &one, 1);
  hold_up(comm, 0.2, true, text);
  snprintf(who, sizeof who, "note: rank %d on ", comm->rank);
  CHECK(strstr(text, who) == text);
  if (comm->rank == 0) {
    CHECK(strstr(text, "has been at work for ") &&
          strstr(text, " s since the watch began"));
  } else {
    CHECK(strstr(text, "has waited for ") &&
          strstr(text, " s in a barrier, operation 4 of "));
  }
  const char *second = strchr(text, '\n');
  CHECK(second != NULL && strstr(second, who) != NULL); /* told again */
}

/* Where nobody waits for long nothing is said. */
static void test_prompt(struct th_comm *comm)
{
  char text[TEXT];
  hold_up(comm, 3600, false, text);
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
  th_mpi_comm_start(&comm, &argc, &argv);
  check_start(&comm);
  if (argc > 1) {
    CASE(disagree(&comm));
  } else {
    CASE(test_late(&comm));
    CASE(test_prompt(&comm));
  }
  int status = check_finish(&comm);
  th_mpi_comm_stop(&comm);
  return status;
}
