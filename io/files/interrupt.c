/* interrupt.c - removes unfinished outputs when a signal ends the run
 *
 * This file and mapping.c have the program's only mutable state that is not
 * passed on as an argument: a signal handler gets no argument, and it alone
 * runs whatever the process is doing, in a solver, in MPI or in HDF5. The state
 * is written by one thread, and only while the signals are blocked in it; other
 * threads hand their signals over to it. So the handler never sees half an
 * entry, and needs nothing but system calls that POSIX allows it.
 * SPDX-License-Identifier: MIT */
#include "io/files/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
  ENTRIES = 32,
  NAME = 4096,
  SHARD_NAME = 32,
  STAY = 500, /* milliseconds: mpirun gives a second in all */
  SAME = 200  /* milliseconds: the same signal once more */
};

struct entry {
  bool used;
  int folder; /* that the name is relative to */
  int inside; /* -1: a file; else the folder's own descriptor */
  int kept;   /* -1, or a descriptor that goes with the name */
  int64_t shards;
  char name[NAME];
};

struct ending {
  int number;
  bool only_asks; /* mpirun does not kill those who stay after this one */
  const char *line;
  const char *hurried; /* the line if a launcher has sent it; NULL: the same */
};

#define LINE(name)                                                             \
  "thresher: interrupted by " name                                             \
  "; what was unfinished is removed, start the run again\n"
static const struct ending endings[] = {
    {SIGINT, false, LINE("SIGINT"), NULL},
    {SIGTERM, false, LINE("SIGTERM"),
     LINE("SIGTERM, which mpirun sends when it is interrupted, or when a rank "
          "or a node is lost")},
    {SIGHUP, false, LINE("SIGHUP"), NULL},
    {SIGUSR1, true, LINE("SIGUSR1"), NULL}};
enum { ENDINGS = sizeof endings / sizeof *endings };

static struct {
  struct sigaction before[ENDINGS]; /* actions before MPI began */
  bool speaks;
  pid_t first;  /* speaks unless it is gone; 0: this is no stand-in */
  bool hurried; /* the launcher kills those who stay after a signal */
  volatile sig_atomic_t may_ask; /* a signal asks for the end */
  volatile sig_atomic_t asked;
  int number; /* that has asked, and when */
  struct timespec when;
  volatile sig_atomic_t heard; /* SIGUSR2 */
  bool alone;
  bool terminal; /* a bar may be on it */
  pthread_t thread;
  struct entry entry[ENTRIES];
} state;

static sigset_t ending_set(void)
{
  sigset_t set;
  sigemptyset(&set);
  for (int k = 0; k < ENDINGS; k++)
    sigaddset(&set, endings[k].number);
  return set;
}

/* NNNNN.h5, as th_master_shard_path has it; printf is not for handlers. */
static void shard_name(int64_t shard, char name[SHARD_NAME])
{
  char digits[SHARD_NAME];
  int count = 0;
  for (; shard > 0 || count < 5; shard /= 10)
    digits[count++] = (char)('0' + shard % 10);
  for (int k = 0; k < count; k++)
    name[k] = digits[count - 1 - k];
  memcpy(name + count, ".h5", sizeof ".h5");
}

static void remove_entry(const struct entry *entry)
{
  char shard[SHARD_NAME];
  for (int64_t k = 0; entry->inside >= 0 && k < entry->shards; k++) {
    shard_name(k, shard);
    unlinkat(entry->inside, shard, 0);
  }
  unlinkat(entry->folder, entry->name, entry->inside >= 0 ? AT_REMOVEDIR : 0);
}

static void to_stderr(const char *text)
{
  size_t length = strlen(text);
  while (length > 0) {
    ssize_t done = write(STDERR_FILENO, text, length);
    if (done <= 0)
      return;
    text += done;
    length -= (size_t)done;
  }
}

static void speak(int number)
{
  if (state.terminal)
    to_stderr("\r\033[K");
  for (int k = 0; k < ENDINGS; k++)
    if (endings[k].number == number)
      to_stderr(state.hurried && endings[k].hurried != NULL ? endings[k].hurried
                                                            : endings[k].line);
}

/* timeout, for one, sends a signal to the program and then to all of its group,
 * of which the program is. */
static bool has_asked(int number)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  int64_t since = (int64_t)(now.tv_sec - state.when.tv_sec) * 1000 +
                  (now.tv_nsec - state.when.tv_nsec) / 1000000;
  return state.asked && number == state.number && since < SAME;
}

/* The first signal that leaves time for it asks the run to end. */
static bool asks(int number)
{
  bool first = !state.asked && !state.hurried;
  bool only_asks = false;
  for (int k = 0; k < ENDINGS; k++)
    only_asks =
        only_asks || (endings[k].number == number && endings[k].only_asks);
  bool asks = state.may_ask && (first || only_asks);
  if (asks && !state.asked) {
    state.number = number;
    clock_gettime(CLOCK_MONOTONIC, &state.when);
  }
  state.asked = state.asked || asks;
  return asks;
}

/* The signals are blocked in here. */
static void on_signal(int number)
{
  struct sigaction plain = {.sa_handler = SIG_DFL};
  sigset_t set;
  int saved = errno;
  if (!pthread_equal(pthread_self(), state.thread)) {
    pthread_kill(state.thread, number);
    errno = saved;
    return;
  }
  if (has_asked(number) || asks(number))
    return;
  for (int k = 0; k < ENTRIES; k++)
    if (state.entry[k].used)
      remove_entry(&state.entry[k]);
  if (state.speaks || (state.first > 0 && kill(state.first, 0) != 0))
    speak(number);
  if (!state.alone)
    poll(NULL, 0, STAY);
  sigaction(number, &plain, NULL);
  raise(number);
  sigemptyset(&set);
  sigaddset(&set, number);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  _exit(128 + number); /* not reached */
}

void th_interrupt_hold(void)
{
  sigset_t set = ending_set();
  state.thread = pthread_self();
  for (int k = 0; k < ENDINGS; k++)
    sigaction(endings[k].number, NULL, &state.before[k]);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
}

void th_interrupt_start(int rank, int ranks, bool hurried)
{
  const struct sigaction action = {
      .sa_handler = on_signal, .sa_flags = SA_RESTART, .sa_mask = ending_set()};
  sigset_t set = ending_set();
  state.speaks = rank == 0;
  state.alone = ranks == 1;
  state.hurried = hurried;
  state.terminal = isatty(STDERR_FILENO) == 1;
  for (int k = 0; k < ENDINGS; k++)
    sigaction(endings[k].number,
              state.before[k].sa_handler == SIG_DFL ? &action
                                                    : &state.before[k],
              NULL);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

void th_interrupt_stand_in(int64_t process)
{
  state.first = (pid_t)process;
}

void th_interrupt_ask(bool asks)
{
  state.may_ask = asks;
}

bool th_interrupt_asked(void)
{
  return state.asked;
}

static void on_call(int number)
{
  (void)number;
  state.heard = 1;
}

void th_interrupt_listen(void)
{
  struct sigaction action = {.sa_handler = on_call, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(SIGUSR2, &action, NULL);
}

bool th_interrupt_heard(void)
{
  bool heard = state.heard;
  state.heard = 0;
  return heard;
}

void th_interrupt_stop(void)
{
  struct sigaction before;
  for (int k = 0; k < ENDINGS; k++) {
    /* what only asks for the end has nothing to ask for any more */
    struct sigaction plain = {.sa_handler =
                                  endings[k].only_asks ? SIG_IGN : SIG_DFL};
    if (sigaction(endings[k].number, NULL, &before) == 0 &&
        before.sa_handler == on_signal)
      sigaction(endings[k].number, &plain, NULL);
  }
}

_Static_assert(sizeof(sigset_t) <= sizeof(struct th_interrupt_pause),
               "room for a signal mask");

void th_interrupt_pause(struct th_interrupt_pause *pause)
{
  sigset_t set = ending_set();
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &set, &before);
  memcpy(pause->before, &before, sizeof before);
}

void th_interrupt_resume(const struct th_interrupt_pause *pause)
{
  sigset_t before;
  int saved = errno;
  memcpy(&before, pause->before, sizeof before);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = saved;
}

/* A free place, or NULL. */
static struct entry *free_entry(const char *name)
{
  for (int k = 0; k < ENTRIES && strlen(name) < NAME; k++)
    if (!state.entry[k].used)
      return &state.entry[k];
  errno = ENOMEM;
  return NULL;
}

static void record_entry(struct entry *entry, int folder, const char *name,
                         int inside, int64_t shards)
{
  *entry = (struct entry){true, folder, inside, -1, shards, ""};
  memcpy(entry->name, name, strlen(name) + 1);
}

static void clear_entry(struct entry *entry)
{
  if (entry == NULL)
    return;
  entry->used = false;
  if (entry->kept >= 0)
    close(entry->kept);
}

static struct entry *entry_named(int folder, const char *name)
{
  for (int k = 0; k < ENTRIES; k++)
    if (state.entry[k].used && state.entry[k].folder == folder &&
        strcmp(state.entry[k].name, name) == 0)
      return &state.entry[k];
  return NULL;
}

int th_interrupt_own_open(int folder, const char *name)
{
  struct th_interrupt_pause pause;
  int file = -1;
  th_interrupt_pause(&pause);
  struct entry *entry = free_entry(name);
  if (entry != NULL)
    file = openat(folder, name,
                  O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (file >= 0)
    record_entry(entry, folder, name, -1, 0);
  th_interrupt_resume(&pause);
  return file;
}

int th_interrupt_own_link(int folder, const char *name, const char *text)
{
  struct th_interrupt_pause pause;
  int failed = -1;
  th_interrupt_pause(&pause);
  struct entry *entry = free_entry(name);
  if (entry != NULL)
    failed = symlinkat(text, folder, name);
  if (failed == 0)
    record_entry(entry, folder, name, -1, 0);
  th_interrupt_resume(&pause);
  return failed;
}

int th_interrupt_own_temporary(char *path)
{
  struct th_interrupt_pause pause;
  int file = -1;
  th_interrupt_pause(&pause);
  struct entry *entry = free_entry(path);
  if (entry != NULL)
    file = mkstemp(path);
  if (file >= 0) {
    record_entry(entry, AT_FDCWD, path, -1, 0);
    entry->kept = fcntl(file, F_DUPFD_CLOEXEC, 0);
  }
  th_interrupt_resume(&pause);
  return file;
}

int th_interrupt_own_folder(int folder, const char *name, int inside,
                            int64_t count)
{
  struct th_interrupt_pause pause;
  th_interrupt_pause(&pause);
  struct entry *entry = free_entry(name);
  if (entry != NULL)
    record_entry(entry, folder, name, inside, count);
  th_interrupt_resume(&pause);
  return entry != NULL ? 0 : -1;
}

int th_interrupt_own_rename(int folder, const char *name, const char *final)
{
  struct th_interrupt_pause pause;
  th_interrupt_pause(&pause);
  int failed = renameat(folder, name, folder, final);
  if (failed == 0)
    th_interrupt_own_forget(folder, name);
  th_interrupt_resume(&pause);
  return failed;
}

int th_interrupt_own_replace(int folder, const char *name, const char *other)
{
  struct th_interrupt_pause pause;
  int failed = -1;
  th_interrupt_pause(&pause);
  struct entry *entry = entry_named(folder, name);
  if (entry != NULL && strlen(other) < NAME)
    failed = renameat(folder, name, folder, other);
  if (failed == 0)
    record_entry(entry, folder, other, -1, 0);
  th_interrupt_resume(&pause);
  return failed;
}

void th_interrupt_own_remove(int folder, const char *name)
{
  struct th_interrupt_pause pause;
  struct entry *entry = entry_named(folder, name);
  if (entry != NULL && entry->inside >= 0)
    remove_entry(entry); /* may take long; the handler would do the same */
  th_interrupt_pause(&pause);
  if (entry == NULL || entry->inside < 0)
    unlinkat(folder, name, 0);
  clear_entry(entry);
  th_interrupt_resume(&pause);
}

void th_interrupt_own_forget(int folder, const char *name)
{
  struct th_interrupt_pause pause;
  th_interrupt_pause(&pause);
  clear_entry(entry_named(folder, name));
  th_interrupt_resume(&pause);
}
