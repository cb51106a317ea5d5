/* mapping.c - mapped files that are cut short, and faults that have nothing
 * to do with them
 * SPDX-License-Identifier: MIT */
#include "io/files/mapping.h"
#include "check.h"
#include "io_data.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SIZE = 1 << 20, HALF = SIZE / 2 };

static char folder[64];
static struct th_comm comm;

/* Wait until another change of a file has another time. */
static void settle(void)
{
  const struct timespec some = {0, 50000000};
  nanosleep(&some, NULL);
}

/* A file of ones, open for reading; -1 on failure. */
static int make_file(const char *name, char *path, size_t size)
{
  static char ones[SIZE];
  memset(ones, 1, sizeof ones);
  snprintf(path, size, "%s/%s", folder, name);
  int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  CHECK(file >= 0 && write(file, ones, SIZE) == SIZE);
  settle();
  return file;
}

static int64_t sum(const char *bytes, int64_t count)
{
  int64_t sum = 0;
  for (int64_t k = 0; k < count; k++)
    sum += bytes[k];
  return sum;
}

static void test_places(void)
{
  char path[128];
  struct th_error err = {0};
  int file = make_file("places", path, sizeof path);
  struct th_mapping *mapping = th_mapping_open(file);
  CHECK(mapping != NULL);
  if (mapping == NULL)
    return;
  const char *first = th_mapping_at(mapping, 0, SIZE);
  CHECK(first != NULL && sum(first, SIZE) == SIZE);
  CHECK(th_mapping_at(mapping, 7, SIZE - 7) == first + 7);
  CHECK(th_mapping_at(mapping, 8, SIZE - 7) == NULL);
  CHECK(th_mapping_at(mapping, SIZE + 1, 0) == NULL);
  CHECK(th_mapping_at(mapping, -1, 2) == NULL);
  CHECK(th_mapping_at(mapping, INT64_MAX, INT64_MAX) == NULL);
  CHECK(th_mapping_resident(mapping, 5, SIZE - 5));
  CHECK(!th_mapping_resident(mapping, 5, SIZE));
  CHECK(th_mapping_memory() >= SIZE);
  th_mapping_advise(mapping, 5, SIZE - 5);
  CHECK(th_mapping_check(mapping, "file", &err) == TH_OK);
  th_mapping_close(mapping);
  CHECK(th_mapping_memory() == 0);
  th_mapping_close(NULL);
  close(file);
}

static void test_not_mapped(void)
{
  int folder_file = open(folder, O_RDONLY);
  CHECK(th_mapping_open(-1) == NULL);
  CHECK(th_mapping_open(folder_file) == NULL);
  close(folder_file);
  char path[128];
  int file = make_file("empty", path, sizeof path);
  CHECK(ftruncate(file, 0) == 0 && th_mapping_open(file) == NULL);
  close(file);
}

/* Another change would have the same time. */
static void test_new(void)
{
  char path[128];
  int file = make_file("new", path, sizeof path);
  struct th_mapping *mapping = th_mapping_open(file);
  CHECK(mapping != NULL);
  th_mapping_close(mapping);
  for (int k = 0; k < 100 && mapping != NULL; k++) { /* it may take too long */
    CHECK(write(file, "", 1) == 1);
    mapping = th_mapping_open(file);
    th_mapping_close(mapping);
  }
  CHECK(mapping == NULL);
  close(file);
}

/* Whoever started the program has blocked the signal. */
static void test_blocked(void)
{
  char path[128];
  sigset_t set;
  int file = make_file("blocked", path, sizeof path);
  sigemptyset(&set);
  sigaddset(&set, SIGBUS);
  CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
  CHECK(th_mapping_open(file) == NULL);
  CHECK(sigprocmask(SIG_UNBLOCK, &set, NULL) == 0);
  close(file);
}

/* In memory alone, changes leave no trace. */
static void test_in_memory(void)
{
  char name[64];
  snprintf(name, sizeof name, "/thresher-%ld", (long)getpid());
  int file = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
  shm_unlink(name);
  CHECK(file >= 0 && ftruncate(file, SIZE) == 0);
  CHECK(th_mapping_open(file) == NULL);
  close(file);
}

/* One of two files is cut: zeros there, a line, and nothing for the other. */
static void test_cut(void)
{
  char path[2][128];
  int file[2];
  struct th_mapping *mapping[2];
  struct th_error err = {0};
  for (int k = 0; k < 2; k++) {
    file[k] = make_file(k == 0 ? "a" : "b", path[k], sizeof path[k]);
    mapping[k] = th_mapping_open(file[k]);
    CHECK(mapping[k] != NULL);
    if (mapping[k] == NULL)
      return;
  }
  CHECK(!th_mapping_any_broken());
  CHECK(ftruncate(file[1], HALF) == 0);
  CHECK(sum(th_mapping_at(mapping[1], 0, SIZE), SIZE) == HALF);
  CHECK(th_mapping_any_broken());
  CHECK(sum(th_mapping_at(mapping[1], 0, SIZE), SIZE) == 0); /* from now on */
  CHECK(sum(th_mapping_at(mapping[0], 0, SIZE), SIZE) == SIZE);
  CHECK(th_mapping_check(mapping[0], "file a", &err) == TH_OK);
  CHECK(th_mapping_check(mapping[1], "file b", &err) == TH_EIO);
  CHECK(strstr(err.text, "file b: ends earlier than before; ") != NULL);
  CHECK(ftruncate(file[1], SIZE) == 0); /* as long as before, but others */
  th_error_clear(&err);
  CHECK(th_mapping_check(mapping[1], "file b", &err) == TH_EIO);
  CHECK(strstr(err.text, "file b: Input/output error; ") != NULL);
  for (int k = 0; k < 2; k++) {
    th_mapping_close(mapping[k]);
    close(file[k]);
  }
  CHECK(!th_mapping_any_broken());
}

static sigjmp_buf back;

static void on_other(int number)
{
  siglongjmp(back, number);
}

static void on_other_info(int number, siginfo_t *info, void *context)
{
  (void)info;
  (void)context;
  siglongjmp(back, number + 1);
}

/* Another mapping that is cut short: what the next look at it ends in. */
static int fault(const char *first)
{
  volatile int64_t sink = 0;
  int number = sigsetjmp(back, 1);
  if (number == 0)
    sink = sink + sum(first, SIZE);
  return number;
}

/* Handlers that were there before get what is theirs, during and after. */
static void test_others(void)
{
  char path[128];
  int file = make_file("other", path, sizeof path);
  const char *first = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, file, 0);
  CHECK(ftruncate(file, 0) == 0);
  int ours = make_file("ours", path, sizeof path);
  for (int k = 0; k < 2; k++) {
    struct sigaction action = {.sa_handler = on_other};
    struct sigaction before;
    if (k == 1) {
      action.sa_sigaction = on_other_info;
      action.sa_flags = SA_SIGINFO;
    }
    sigaction(SIGBUS, &action, &before);
    struct th_mapping *mapping = th_mapping_open(ours);
    CHECK(fault(first) == SIGBUS + k);
    th_mapping_close(mapping);
    CHECK(fault(first) == SIGBUS + k);
    sigaction(SIGBUS, &before, NULL);
  }
  munmap((void *)(uintptr_t)first, SIZE);
  close(file);
  close(ours);
}

/* Where nobody else handles it, it ends the process. */
static void test_default(void)
{
  char path[128];
  int file = make_file("other", path, sizeof path);
  int ours = make_file("ours", path, sizeof path);
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    signal(SIGBUS, SIG_DFL);
    const char *first = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, file, 0);
    struct th_mapping *mapping = th_mapping_open(ours);
    bool cut = mapping != NULL && ftruncate(file, 0) == 0;
    _exit(cut && sum(first, SIZE) == 0 ? 1 : 2);
  }
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
  close(file);
  close(ours);
}

/* With limited addresses there is nothing but reading. */
static void test_limited(void)
{
  struct rlimit before;
  char path[128];
  int file = make_file("limited", path, sizeof path);
  CHECK(getrlimit(RLIMIT_AS, &before) == 0);
  struct rlimit limited = before;
  limited.rlim_cur = (rlim_t)1 << 46;
  CHECK(setrlimit(RLIMIT_AS, &limited) == 0);
  CHECK(th_mapping_open(file) == NULL);
  CHECK(setrlimit(RLIMIT_AS, &before) == 0);
  close(file);
}

int main(void)
{
  th_comm_self(&comm);
  test_folder(&comm, folder);
  CASE(test_places());
  CASE(test_not_mapped());
  CASE(test_new());
  CASE(test_blocked());
  CASE(test_in_memory());
  CASE(test_cut());
  CASE(test_others());
  CASE(test_default());
  CASE(test_limited());
  test_folder_remove(&comm, folder);
  return check_finish(NULL);
}
