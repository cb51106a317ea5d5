/* main.c - the program: starts the ranks, reads the command line, reports a
 * failure
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "base/processor.h"
#include "cli/alike.h"
#include "cli/commands.h"
#include "cli/options/options.h"
#include "cli/run/keeper.h"
#include "cli/shared/arithmetic.h"
#include "io/files/interrupt.h"
#include "io/hdf5/message.h"
#include "mpi/mpi_comm.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static th_status run(struct th_comm *comm, int argc, char **argv,
                     struct th_error *err);

/* --- Refuses to start where libraries would wait for memory for ever
 *
 * OpenBLAS takes some hundred megabytes of addresses when it is loaded. Where
 * it does not get them (ulimit -v), it tries again and again. So this is
 * checked before any library is initialised: nothing but system calls may be
 * used here. SIGUSR2, which asks for a checkpoint, must not end a process that
 * has none to write, so it is ignored from here on. */

/* It was seen to wait at 200 MiB, not at 250. */
static const rlim_t least = (rlim_t)320 << 20;

static const char message[] =
    "thresher: less than 320 MB of memory are allowed for a process; raise the "
    "limit (ulimit -v, ulimit -d, or the batch system's)\n";

/* True for rank 0, and for a process that is no rank: the others have the same
 * limits. */
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
               used)) static void (*const checked_first)(void) = check_limits;

/* A file that is opened later must not become the standard output. If that is
 * closed, it is replaced by a descriptor on which every write fails. */
static void hold_standard_files(void)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) == -1 &&
        open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY) != fd)
      _exit(1);
}

/* --- From the ranks to the exit status ------------------------------------ */

static bool launched(void)
{
  if (getenv("OMPI_COMM_WORLD_SIZE") != NULL || getenv("PMIX_RANK") != NULL ||
      (getenv("PMI_RANK") != NULL && getenv("PMI_SIZE") != NULL))
    return true;
  /* a batch script of Slurm has a SLURM_PROCID too, but is no step of srun */
  const char *tasks = getenv("SLURM_NTASKS");
  return getenv("SLURM_PROCID") != NULL && getenv("SLURM_STEP_ID") != NULL &&
         tasks != NULL && atoi(tasks) > 1;
}

/* mpirun, and what is not srun, kills a job soon after it has passed a signal
 * on. */
static bool hurried(void)
{
  bool by_srun =
      getenv("SLURM_STEP_ID") != NULL && getenv("OMPI_COMM_WORLD_SIZE") == NULL;
  return launched() && !by_srun;
}

/* Collective: give a failure of some ranks to all. A failure that all ranks
 * share names no rank. */
static th_status agree_on_end(struct th_comm *comm, th_status rc,
                              struct th_error *err)
{
  int64_t failed = rc != TH_OK;
  comm->ops->sum_i64(comm, &failed, 1);
  if (failed == 0 || failed == comm->size)
    return rc;
  return th_agree(comm, rc, err);
}

static th_status flush_results(struct th_comm *comm, struct th_error *err)
{
  if (comm->rank == 0 && (fflush(stdout) != 0 || ferror(stdout)))
    return th_fail(err, TH_EIO,
                   "cannot write the results to the standard output");
  return TH_OK;
}

static th_status run_command(struct th_comm *comm, int argc, char **argv,
                             struct th_error *err)
{
  const struct th_command *command = th_command_find(argv[0]);
  struct th_options options = {0};
  th_status rc;
  if (command == NULL)
    return th_command_unknown(argv[0], err);
  TH_TRY(th_options_init(&options, th_command_table(), err));
  TH_TRY(th_options_parse(&options, comm, command, argc, argv, err));
  comm->ops->watch(comm, (double)options.watchdog);
  if (!options.help && !options.help_all)
    rc = command->run(&options, comm, err);
  else if (comm->rank == 0)
    th_command_help(stdout, command, options.help_all);
done:
  th_options_free(&options);
  return rc;
}

struct direct_row {
  const char *name;
  void (*print)(FILE *out);
};

static void print_version(FILE *out)
{
  fprintf(out, "thresher %s\n", THRESHER_VERSION);
}

static const struct direct_row direct[] = {{"--help", th_command_help_program},
                                           {"-h", th_command_help_program},
                                           {"--version", print_version},
                                           {"version", print_version}};

static th_status run(struct th_comm *comm, int argc, char **argv,
                     struct th_error *err)
{
  if (argc < 2)
    return th_fail(err, TH_EUSAGE,
                   "no command given; thresher --help lists them");
  for (size_t k = 0; k < sizeof direct / sizeof *direct; k++) {
    if (strcmp(argv[1], direct[k].name) != 0)
      continue;
    if (argc > 2)
      return th_fail(err, TH_EUSAGE, "%s takes no arguments", argv[1]);
    if (comm->rank == 0)
      direct[k].print(stdout);
    return TH_OK;
  }
  if (strcmp(argv[1], "--man") == 0)
    return th_command_man(argc - 2, argv + 2, comm->rank == 0, err);
  if (strcmp(argv[1], "help") == 0)
    return th_command_help_on(argc - 2, argv + 2, comm->rank == 0, err);
  return run_command(comm, argc - 1, argv + 1, err);
}

/* True if whoever read the results has gone, as head does: what is left of them
 * is not missed. */
static bool reader_gone(void)
{
  struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return ferror(stdout) != 0 && poll(&out, 1, 0) == 1 &&
         (out.revents & POLLERR) != 0;
}

static void print_failure(const struct th_comm *comm, struct th_error *err)
{
  th_error_name_options(err->text, true);
  if (comm->size > 1 && err->rank >= 0 && err->code != TH_EUSAGE)
    fprintf(stderr, "thresher: rank %d: %s\n", err->rank, err->text);
  else
    fprintf(stderr, "thresher: %s\n", err->text);
}

/* Collective. If a rank cannot compute its hash, all fail. */
static th_status check_alike(struct th_comm *comm, int argc, char **argv,
                             struct th_error *err)
{
  uint64_t arithmetic = 0;
  th_status rc = TH_OK;
  if (comm->size > 1)
    rc = th_arithmetic_hash(&arithmetic, err);
  th_status alike = th_alike_check(comm, argc, argv, arithmetic, err);
  return alike != TH_OK ? alike : th_agree(comm, rc, err);
}

/* Called before anything else, by each rank for itself, since ranks on other
 * processors may not get any further. */
static void check_processor(void)
{
  const struct th_processor here = th_processor_here();
  struct th_error err;
  th_error_clear(&err);
  th_status rc = th_processor_check(&here, getenv("THRESHER_KERNELS"), &err);
  if (rc == TH_OK)
    return;
  fprintf(stderr, "thresher: %s\n", err.text);
  exit(th_error_status_exit(rc));
}

/* Rank 1 says what has happened if rank 0, on the same host, was killed.
 * Collective. */
static void stand_in(struct th_comm *comm)
{
  enum { HOST = 256 };
  struct {
    int64_t process;
    char host[HOST];
  } first = {.process = getpid()};
  char host[HOST] = "";
  gethostname(host, sizeof host - 1);
  memcpy(first.host, host, sizeof host);
  comm->ops->bcast(comm, &first, sizeof first, 0);
  if (comm->rank == 1 && strcmp(first.host, host) == 0)
    th_interrupt_stand_in(first.process);
}

/* As of a program that SIGPIPE ends. */
enum { UNREAD = 128 + 13 };

int main(int argc, char **argv)
{
  struct th_comm comm;
  struct th_error err;
  check_processor();
  th_memory_reuse_freed();
  th_message_library_alone();
  th_interrupt_hold();
  hold_standard_files();
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN); /* a failed write gives a better message */
  bool with_mpi = launched();
  bool hurry = hurried(); /* MPI changes the environment */
  if (with_mpi)
    th_mpi_comm_start(&comm, &argc, &argv);
  else
    th_comm_self(&comm);
  stand_in(&comm);
  th_interrupt_start(comm.rank, comm.size, hurry);
  th_error_clear(&err);
  th_status rc = check_alike(&comm, argc, argv, &err);
  if (rc == TH_OK) {
    rc = run(&comm, argc, argv, &err);
    if (rc == TH_OK)
      rc = flush_results(&comm, &err);
    rc = agree_on_end(&comm, rc, &err);
  }
  /* mpirun ends what is left of a job when its first rank has failed */
  th_interrupt_stop();
  bool unread = comm.rank == 0 && rc != TH_OK && reader_gone();
  if (rc != TH_OK && comm.rank == 0 && !unread)
    print_failure(&comm, &err);
  if (with_mpi)
    th_mpi_comm_stop(&comm);
  else
    th_comm_free(&comm);
  int status = unread ? UNREAD : th_error_status_exit(rc);
  return rc == TH_ESTOPPED ? th_keeper_stop_status(status) : status;
}
