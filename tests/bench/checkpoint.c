/* checkpoint.c FOLDER [ATTRIBUTES [VECTORS]] - the time that a checkpoint takes
 * beside that of the same bytes written and flushed as dd does
 * SPDX-License-Identifier: MIT */
#include "io/checkpoint/checkpoint.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIMES = 7, BLOCK = 1 << 20 };

static void must(bool good, const char *what)
{
  if (good)
    return;
  fprintf(stderr, "checkpoint: %s\n", what);
  exit(1);
}

/* As dd bs=1M conv=fsync: seconds. */
static double plain(const char *path, const char *bytes, int64_t count)
{
  double began = th_comm_clock();
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  must(file >= 0, "no file");
  for (int64_t done = 0; done < count; done += BLOCK) {
    size_t part = (size_t)(count - done < BLOCK ? count - done : BLOCK);
    must(write(file, bytes + done, part) == (ssize_t)part, "no room");
  }
  must(fsync(file) == 0 && close(file) == 0, "not written");
  double seconds = th_comm_clock() - began;
  unlink(path);
  return seconds;
}

static double checkpointed(struct th_checkpoint *checkpoint,
                           struct th_comm *comm, double *vectors, int64_t d,
                           int64_t rows)
{
  struct th_state state;
  struct th_error err = {0};
  struct th_range all = {0, d};
  th_state_list(&state, comm, all, &err);
  th_state_spread(&state, "vectors", TH_STATE_F64, vectors, rows, all);
  double began = th_comm_clock();
  must(th_checkpoint_write(checkpoint, "bench 1\n", &state, &err) == TH_OK,
       err.text);
  double seconds = th_comm_clock() - began;
  th_state_free(&state);
  return seconds;
}

static int by_size(const void *a, const void *b)
{
  const double *left = a;
  const double *right = b;
  return (*left > *right) - (*left < *right);
}

static double median(double *seconds)
{
  qsort(seconds, TIMES, sizeof *seconds, by_size);
  return seconds[TIMES / 2];
}

int main(int argc, char **argv)
{
  struct th_checkpoint checkpoint;
  struct th_comm comm;
  struct th_error err = {0};
  double ours[TIMES];
  double theirs[TIMES];
  char kept[1024];
  char path[1024];
  must(argc > 1, "wanted: FOLDER [ATTRIBUTES [VECTORS]]");
  int64_t d = argc > 2 ? strtoll(argv[2], NULL, 10) : 10000000;
  int64_t rows = argc > 3 ? strtoll(argv[3], NULL, 10) : 4;
  int64_t bytes = d * rows * 8;
  double *vectors = malloc((size_t)bytes);
  must(vectors != NULL, "no memory");
  for (int64_t k = 0; k < d * rows; k++)
    vectors[k] = 1.0 / (double)(k + 1);
  snprintf(kept, sizeof kept, "%s/kept", argv[1]);
  snprintf(path, sizeof path, "%s/plain", argv[1]);
  th_comm_self(&comm);
  must(th_checkpoint_open(&checkpoint, &comm, kept, &err) == TH_OK, err.text);
  for (int k = 0; k < TIMES; k++) {
    theirs[k] = plain(path, (const char *)vectors, bytes);
    ours[k] = checkpointed(&checkpoint, &comm, vectors, d, rows);
  }
  th_checkpoint_clear(&checkpoint);
  th_checkpoint_close(&checkpoint);
  double a = median(ours);
  double b = median(theirs);
  printf("%.0f MB: a checkpoint %.3f s, dd with fsync %.3f s, ratio %.2f; "
         "every 10 minutes: %.3f %% of the time\n",
         (double)bytes / 1e6, a, b, a / b, 100 * a / 600);
  free(vectors);
  return 0;
}
