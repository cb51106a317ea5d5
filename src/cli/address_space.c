/* address_space.c - refuses to start where libraries would wait for memory for
 * ever
 *
 * OpenBLAS takes some hundred megabytes of addresses when it is loaded. Where
 * it does not get them (ulimit -v), it tries again and again. So this is
 * checked before any library is initialised: nothing but system calls may be
 * used here. SIGUSR2, which asks for a checkpoint, must not end a process that
 * has none to write, so it is ignored from here on.
 * SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* It was seen to wait at 200 MiB, not at 250. */
static const rlim_t least = (rlim_t)320 << 20;

static const char message[] =
    "thresher: less than 320 MB of memory are allowed for a process; raise the "
    "limit (ulimit -v, ulimit -d, or the batch system's)\n";

/* Whether this is rank 0, or no rank: the others have the same limits. */
static int is_first(void)
{
  static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    const char *rank = getenv(names[k]);
    if (rank != NULL)
      return strcmp(rank, "0") == 0;
  }
  return 1;
}

/* Sanitizers are not there yet either. */
__attribute__((no_sanitize("address"), no_sanitize("thread"),
               no_sanitize("undefined"))) static void
check_limits(void)
{
  static const int kinds[] = {RLIMIT_AS, RLIMIT_DATA};
  const struct sigaction nothing = {.sa_handler = SIG_IGN};
  sigaction(SIGUSR2, &nothing, NULL); /* until a run writes checkpoints */
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    struct rlimit limit;
    if (getrlimit(kinds[k], &limit) != 0 || limit.rlim_cur >= least)
      continue;
    ssize_t told =
        is_first() ? write(STDERR_FILENO, message, sizeof message - 1) : 0;
    _exit(told < 0 ? 2 : 1);
  }
}

__attribute__((section(".preinit_array"),
               used)) static void (*const first)(void) = check_limits;
