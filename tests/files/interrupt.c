/* interrupt.c - temporary files, and what a signal takes away
 * SPDX-License-Identifier: MIT */
#include "io/files/interrupt.h"
#include "base/error.h"
#include "check.h"
#include "io/files/output.h"
#include "output_folder.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void test_temporary(void)
{
  struct th_error err;
  char *path = NULL;
  int fd = -1;
  int nameless = -1;
  folder_start();
  th_error_clear(&err);
  put(".out.text-ABCdef", "stale");
  put(".out.spill-123456", "stale");
  put(".out.text-ABCdefg", "longer");
  put(".out.text-ABC", "shorter");
  put(".out.note-ABCdef", "another purpose");
  put(".other.text-ABCdef", "another output");
  put("precious", "precious");
  CHECK(symlink("precious", in_folder(".out.text-linked")) == 0);
  CHECK(mkfifo(in_folder(".out.text-thefif"), 0600) == 0);
  CHECK(th_output_temporary_open(in_folder("out"), TH_FOR_TEXT, &path, &fd,
                                 &err) == TH_OK);
  CHECK(!is_there(".out.text-ABCdef") && !is_there(".out.spill-123456"));
  CHECK(names_in_folder() == 8 && path != NULL);
  close(fd); /* the lock lasts as long as the name */
  CHECK(th_output_temporary_open(in_folder("out"), TH_FOR_SPILL, NULL,
                                 &nameless, &err) == TH_OK);
  th_output_temporary_clean(in_folder("out"));
  CHECK(names_in_folder() == 8);
  th_output_temporary_remove(path);
  CHECK(names_in_folder() == 7 && holds("precious", "precious"));
  CHECK(is_link(".out.text-linked"));
  close(nameless);
  free(path);
}

/* Until a signal that this thread has blocked is there. */
static void await_blocked(void)
{
  sigset_t pending;
  do {
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    sigpending(&pending);
  } while (sigismember(&pending, SIGINT) != 1 &&
           sigismember(&pending, SIGTERM) != 1 &&
           sigismember(&pending, SIGHUP) != 1);
}

/* Claims all kinds of names, and then waits for what the parent does. */
static void claim_all(bool ignored, int ready)
{
  struct th_output output;
  struct th_error err;
  struct th_interrupt_pause twice[2];
  char *path = NULL;
  int fd;
  int at = open(folder_path(), O_RDONLY | O_DIRECTORY);
  int inside = -1;
  signal(SIGHUP, ignored ? SIG_IGN : SIG_DFL);
  th_interrupt_hold();
  th_interrupt_start(0, 1, false);
  th_error_clear(&err);
  th_interrupt_pause(&twice[0]);
  th_interrupt_pause(&twice[1]);
  bool good =
      th_output_begin(&output, in_folder("a"), false, &err) == TH_OK &&
      mkdirat(at, ".a.shards.partial", 0700) == 0 &&
      (inside = openat(at, ".a.shards.partial", O_RDONLY | O_DIRECTORY)) >= 0 &&
      th_interrupt_own_folder(at, ".a.shards.partial", inside, 12) == 0 &&
      th_output_temporary_open(in_folder("a"), TH_FOR_TEXT, &path, &fd, &err) ==
          TH_OK;
  put(".a.shards.partial/00000.h5", "x");
  put(".a.shards.partial/00011.h5", "x");
  th_interrupt_resume(&twice[1]);
  good = good && write(ready, "+", 1) == 1;
  await_blocked();
  put("done", "x");
  th_interrupt_resume(&twice[0]);
  if (!good)
    _exit(99);
  for (;;)
    pause();
}

static void *wait_here(void *nothing)
{
  for (;;)
    pause();
  return nothing;
}

/* Another thread gets the signal, and the one that owns names looks after it
 * when it lets it through. */
static void claim_in_threads(int ready)
{
  struct th_output output;
  struct th_error err;
  struct th_interrupt_pause pause_here;
  pthread_t thread;
  th_interrupt_hold();
  th_interrupt_start(0, 1, false);
  th_error_clear(&err);
  bool good = th_output_begin(&output, in_folder("a"), false, &err) == TH_OK &&
              pthread_create(&thread, NULL, wait_here, NULL) == 0;
  th_interrupt_pause(&pause_here);
  good = good && write(ready, "+", 1) == 1 && pthread_kill(thread, SIGINT) == 0;
  await_blocked(); /* handed over */
  put("done", "x");
  th_interrupt_resume(&pause_here);
  if (!good)
    _exit(98);
  for (;;)
    pause();
}

/* Asked twice at once, as by timeout, it goes on to its end; asked again later
 * it leaves. */
static void ask_twice(int ready)
{
  const struct timespec later = {0, 250 * 1000 * 1000};
  th_interrupt_hold();
  th_interrupt_start(0, 1, false);
  th_interrupt_ask(true);
  raise(SIGTERM);
  raise(SIGTERM);
  bool good = th_interrupt_asked() && write(ready, "+", 1) == 1;
  put("done", "x");
  nanosleep(&later, NULL);
  if (good)
    raise(SIGTERM);
  _exit(97);
}

struct child {
  pid_t pid;
  int words; /* its standard error */
};

static struct child begin_child(int kind)
{
  int ready[2] = {-1, -1};
  int words[2] = {-1, -1};
  char sign = 0;
  CHECK(pipe(ready) == 0 && pipe(words) == 0);
  struct child child = {.pid = fork(), .words = words[0]};
  if (child.pid == 0) {
    dup2(words[1], STDERR_FILENO);
    if (kind < 2)
      claim_all(kind == 1, ready[1]);
    if (kind == 2)
      claim_in_threads(ready[1]);
    ask_twice(ready[1]);
  }
  close(words[1]);
  close(ready[1]);
  CHECK(read(ready[0], &sign, 1) == 1);
  close(ready[0]);
  return child;
}

static void end_child(const struct child *child, int number, const char *name)
{
  char words[512] = "";
  int status = 0;
  waitpid(child->pid, &status, 0);
  ssize_t size = read(child->words, words, sizeof words - 1);
  close(child->words);
  bool good = WIFSIGNALED(status) && WTERMSIG(status) == number && size > 0 &&
              strncmp(words, "thresher: interrupted by ", 25) == 0 &&
              strncmp(words + 25, name, strlen(name)) == 0 &&
              strchr(words, '\n') == words + size - 1;
  CHECK(good);
  if (!good)
    fprintf(stderr, "%s: status %d: %s\n", name, status, words);
}

static void test_signals(void)
{
  static const struct {
    int number;
    const char *name;
  } signals[] = {{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}};
  for (int k = 0; k < 3; k++) {
    folder_start();
    put("precious", "precious");
    struct child child = begin_child(0);
    CHECK(names_in_folder() == 4);
    kill(child.pid, signals[k].number);
    end_child(&child, signals[k].number, signals[k].name);
    /* not before the work that signals had to wait for was done */
    CHECK(names_in_folder() == 2 && is_there("done") && is_there("precious"));
  }
  folder_start();
  struct child child = begin_child(1); /* nohup */
  kill(child.pid, SIGHUP);
  kill(child.pid, SIGTERM);
  end_child(&child, SIGTERM, "SIGTERM");
  folder_start();
  child = begin_child(2);
  end_child(&child, SIGINT, "SIGINT");
  CHECK(names_in_folder() == 1 && is_there("done"));
  folder_start();
  child = begin_child(3);
  end_child(&child, SIGTERM, "SIGTERM");
  CHECK(is_there("done"));
}

int main(void)
{
  CASE(test_temporary());
  CASE(test_signals());
  folder_end();
  return check_finish(NULL);
}
