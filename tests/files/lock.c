/* lock.c - locks of the three kinds: one living owner at a time; a dead one
 * is taken over by one of those who find it; one on another host by none, but
 * by a later leg of its job
 * SPDX-License-Identifier: MIT */
#include "io/files/lock.h"
#include "check.h"
#include "io/files/hash.h"
#include "output_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT = 512, WORDS = 10, TAKERS = 8, ROUNDS = 25 };

/* Words of a record. */
enum { HOST = 1, MACHINE, BOOT, PROCESSES, KEY, LEG, PROCESS, BEGAN };

/* What the system refuses (no_locks.c). */
static void refuse(int flock_code, int ofd_code)
{
  char number[16];
  snprintf(number, sizeof number, "%d", flock_code);
  flock_code != 0 ? setenv("NO_FLOCK", number, 1) : unsetenv("NO_FLOCK");
  snprintf(number, sizeof number, "%d", ofd_code);
  ofd_code != 0 ? setenv("NO_OFD", number, 1) : unsetenv("NO_OFD");
}

/* What another run does just before this one takes a record over. */
static struct {
  bool waits;
  const char *record; /* it has taken it over itself; NULL: and given it back */
} rival;

static void put_record(const char *name, const char *text)
{
  unlink(in_folder(name));
  CHECK(symlink(text, in_folder(name)) == 0);
}

/* In the place of the system's function; all names are in one folder. */
int symlinkat(const char *text, int folder, const char *name)
{
  (void)folder;
  if (rival.waits && strncmp(name, "file.owner.", 11) == 0) {
    rival.waits = false;
    if (rival.record != NULL)
      put_record("file.owner", rival.record);
    else
      unlink(in_folder("file.owner"));
  }
  return symlink(text, in_folder(name));
}

struct taken {
  int folder;
  int file;
  struct th_lock lock;
  enum th_lock_answer answer;
};

static struct taken take(void)
{
  struct taken t = {.folder = open(folder_path(), O_RDONLY | O_DIRECTORY)};
  t.file = openat(t.folder, "file", O_RDWR | O_CREAT, 0600);
  t.answer = th_lock_try(&t.lock, t.file, t.folder, "file");
  return t;
}

static void give_back(struct taken *t)
{
  th_lock_end(&t->lock);
  close(t->file);
  close(t->folder);
}

static enum th_lock_answer try_it(void)
{
  struct taken t = take();
  give_back(&t);
  return t.answer;
}

/* A process that has the lock, or has not got it, and says so: until it is
 * killed. go: a pipe at whose end it begins; NULL: at once. */
static pid_t start_owner(int said, const int *go)
{
  pid_t child = fork();
  if (child != 0)
    return child;
  char byte;
  if (go != NULL)
    close(go[1]);
  if (go != NULL && read(go[0], &byte, 1) != 0)
    _exit(1);
  struct taken t = take();
  byte = t.answer == TH_LOCK_MINE ? 'M' : 'H';
  if (write(said, &byte, 1) == 1)
    while (true)
      pause();
  _exit(1);
}

/* It is dead, but nobody has waited for it yet. */
static void kill_owner(pid_t child)
{
  siginfo_t info;
  kill(child, SIGKILL);
  CHECK(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) == 0);
}

static pid_t owner_that_has_it(void)
{
  int said[2];
  char byte = ' ';
  CHECK(pipe(said) == 0);
  pid_t child = start_owner(said[1], NULL);
  CHECK(read(said[0], &byte, 1) == 1 && byte == 'M');
  close(said[0]);
  close(said[1]);
  return child;
}

static void test_kind(int flock_code, int ofd_code)
{
  char pid[32];
  bool record = flock_code != 0 && ofd_code != 0;
  folder_start();
  refuse(flock_code, ofd_code);
  pid_t child = owner_that_has_it();
  struct taken t = take();
  CHECK(t.answer == TH_LOCK_HELD && t.lock.why == flock_code);
  snprintf(pid, sizeof pid, "(process %ld on host ", (long)child);
  CHECK((strstr(t.lock.holder, pid) != NULL) == record);
  CHECK(is_link("file.owner") == record);
  char holder[TH_LOCK_HOLDER];
  CHECK(th_lock_held(t.folder, "file", holder));
  CHECK(strcmp(holder, t.lock.holder) == 0);
  CHECK(!th_lock_held(t.folder, "other", holder));
  give_back(&t);
  kill_owner(child);
  CHECK(try_it() == TH_LOCK_MINE);
  CHECK(try_it() == TH_LOCK_MINE); /* it was given back */
  waitpid(child, NULL, 0);
  CHECK(names_in_folder() == 1);
  t = take();
  CHECK(try_it() == TH_LOCK_HELD); /* once in a process, too */
  give_back(&t);
  CHECK(names_in_folder() == 1);
}

static void read_record(char text[TEXT])
{
  ssize_t length = readlink(in_folder("file.owner"), text, TEXT - 1);
  CHECK(length > 0);
  text[length > 0 ? length : 0] = '\0';
}

/* The record of a process that is gone, and what it says. */
static void leave_record(char text[TEXT])
{
  pid_t child = owner_that_has_it();
  kill_owner(child);
  waitpid(child, NULL, 0);
  read_record(text);
}

/* Put a record with one word changed. */
static void put_changed(const char *text, int which, const char *word)
{
  char copy[TEXT];
  char changed[TEXT] = "";
  size_t used = 0;
  int k = 0;
  memcpy(copy, text, TEXT);
  for (char *at = strtok(copy, " "); at != NULL; at = strtok(NULL, " "))
    used += (size_t)snprintf(changed + used, sizeof changed - used, "%s%s",
                             k > 0 ? " " : "", k == which ? word : at),
        k++;
  CHECK(k == WORDS);
  put_record("file.owner", changed);
}

static void expect(const char *text, int which, const char *word,
                   enum th_lock_answer wanted)
{
  put_changed(text, which, word);
  enum th_lock_answer answer = try_it();
  CHECK(answer == wanted);
  if (answer != wanted)
    fprintf(stderr, "word %d, %s\n", which, word);
  CHECK(is_link("file.owner") == (wanted == TH_LOCK_HELD));
  unlink(in_folder("file.owner"));
}

/* Not in a container, and with a number of the machine. */
static bool is_host(void)
{
  char space[TEXT] = "";
  char number[TEXT] = "";
  FILE *file = fopen("/etc/machine-id", "r");
  bool read = file != NULL && fgets(number, sizeof number, file) != NULL;
  if (file != NULL)
    fclose(file);
  return read && strlen(number) > 1 &&
         readlink("/proc/self/ns/pid", space, sizeof space - 1) > 0 &&
         strcmp(space, "pid:[4026531836]") == 0;
}

/* A record that says that this process has it, but for one word. */
static void test_words(void)
{
  char dead[TEXT] = "";
  char mine[TEXT];
  char rebooted[TEXT] = "";
  folder_start();
  refuse(ENOSYS, ENOSYS);
  struct taken t = take();
  memcpy(mine, t.lock.text, TEXT);
  give_back(&t);
  leave_record(dead);
  expect(dead, -1, "", TH_LOCK_MINE);
  expect(mine, -1, "", TH_LOCK_HELD);
  expect(mine, BEGAN, "1", TH_LOCK_MINE); /* its number was given again */
  if (is_host()) {                        /* which was started again since */
    expect(mine, BOOT, "another", TH_LOCK_MINE);
    put_changed(mine, BOOT, "another");
    read_record(rebooted);
    expect(rebooted, MACHINE, "another", TH_LOCK_HELD);
    expect(rebooted, MACHINE, "-", TH_LOCK_HELD);
    expect(rebooted, PROCESSES, "another", TH_LOCK_HELD); /* a container */
  }
  /* what cannot be looked at from here counts as living */
  expect(dead, PROCESSES, "another", TH_LOCK_HELD);
  expect(dead, PROCESSES, "-", TH_LOCK_HELD);
  expect(dead, BOOT, "-", TH_LOCK_HELD);
  put_changed(dead, BOOT, "another");
  char other[TEXT] = "";
  read_record(other);
  expect(other, HOST, "elsewhere", TH_LOCK_HELD);
  put_changed(other, HOST, "elsewhere");
  t = take();
  CHECK(strstr(t.lock.holder, "on host elsewhere; if that has ended, remove "
                              "/") != NULL &&
        strstr(t.lock.holder, "/file.owner)") != NULL);
  give_back(&t);
  unlink(in_folder("file.owner"));
  expect(dead, 0, "somebody", TH_LOCK_HELD); /* not one of ours */
  put("file.owner", "neither");
  CHECK(try_it() == TH_LOCK_HELD && holds("file.owner", "neither"));
}

/* A job that was put into the queue again, on another host. */
static void test_legs(void)
{
  char first[TEXT] = "";
  folder_start();
  refuse(ENOSYS, EINVAL);
  setenv("SLURM_JOB_ID", "7", 1);
  setenv("SLURM_CLUSTER_NAME", "big", 1);
  leave_record(first);
  CHECK(strstr(first, " 7.big 0 ") != NULL);
  put_changed(first, BOOT, "another");
  read_record(first);
  put_changed(first, HOST, "elsewhere");
  read_record(first);
  expect(first, -1, "", TH_LOCK_HELD); /* another step of the same leg */
  setenv("SLURM_RESTART_COUNT", "1", 1);
  expect(first, LEG, "1", TH_LOCK_HELD);
  expect(first, LEG, "2", TH_LOCK_HELD);
  expect(first, KEY, "8.big", TH_LOCK_HELD);
  expect(first, KEY, "7.small", TH_LOCK_HELD);
  expect(first, KEY, "-", TH_LOCK_HELD);
  expect(first, -1, "", TH_LOCK_MINE);
  unsetenv("SLURM_JOB_ID");
  expect(first, KEY, "-", TH_LOCK_HELD);
  unsetenv("SLURM_CLUSTER_NAME");
  unsetenv("SLURM_RESTART_COUNT");
}

/* A record stands for its run also where the system locks files. */
static void test_mixed(void)
{
  char text[TEXT] = "";
  folder_start();
  refuse(ENOSYS, ENOLCK);
  pid_t child = owner_that_has_it();
  refuse(0, 0);
  CHECK(try_it() == TH_LOCK_HELD);
  refuse(EOPNOTSUPP, 0);
  CHECK(try_it() == TH_LOCK_HELD);
  kill_owner(child);
  CHECK(try_it() == TH_LOCK_MINE && !is_link("file.owner"));
  waitpid(child, NULL, 0);
  refuse(ENOSYS, ENOLCK);
  leave_record(text);
  refuse(0, 0);
  CHECK(try_it() == TH_LOCK_MINE && names_in_folder() == 1);
}

/* Runs that were killed while they took a record over: NAME.owner.HASH, with
 * the hash of the text of the one before. */
static void leave_takers(const char *dead, int takers)
{
  char name[64];
  char text[TEXT];
  memcpy(text, dead, TEXT);
  for (int k = 0; k < takers; k++) {
    snprintf(name, sizeof name, "file.owner.%016" PRIx64,
             th_hash(text, strlen(text)));
    snprintf(text + strlen(text), 12, "%d", k);
    put_record(name, text);
  }
}

/* Another run was faster: it has the record, or had it for a while. */
static void test_slower(void)
{
  char dead[TEXT] = "";
  char living[TEXT + 2];
  char there[TEXT] = "";
  folder_start();
  refuse(ENOSYS, ENOSYS);
  struct taken t = take();
  snprintf(living, sizeof living, "%s1", t.lock.text);
  give_back(&t);
  leave_record(dead);
  for (int takers = 0; takers < 3; takers++) {
    put_record("file.owner", dead);
    leave_takers(dead, takers);
    rival.waits = true;
    rival.record = living;
    CHECK(try_it() == TH_LOCK_HELD && !rival.waits);
    read_record(there);
    CHECK(strcmp(there, living) == 0);
    put_record("file.owner", dead);
    rival.waits = true;
    rival.record = NULL;
    CHECK(try_it() == TH_LOCK_MINE && !rival.waits);
    CHECK(!is_link("file.owner"));
  }
}

/* Several runs find the same dead owner at once. */
static void race(const char *dead, int takers)
{
  pid_t child[TAKERS];
  int said[2];
  int go[2];
  char byte;
  int mine = 0;
  put_record("file.owner", dead);
  leave_takers(dead, takers);
  CHECK(pipe(said) == 0 && pipe(go) == 0);
  for (int k = 0; k < TAKERS; k++)
    child[k] = start_owner(said[1], go);
  close(go[0]);
  close(go[1]);
  for (int k = 0; k < TAKERS; k++)
    mine += read(said[0], &byte, 1) == 1 && byte == 'M';
  CHECK(mine == 1);
  close(said[0]);
  close(said[1]);
  for (int k = 0; k < TAKERS; k++) {
    kill(child[k], SIGKILL);
    waitpid(child[k], NULL, 0);
  }
  CHECK(try_it() == TH_LOCK_MINE);
  CHECK(names_in_folder() == 1);
}

int main(void)
{
  static const int codes[] = {ENOSYS, EOPNOTSUPP, ENOLCK, EINVAL};
  char dead[TEXT] = "";
  unsetenv("SLURM_JOB_ID");
  CASE(test_kind(0, 0));
  for (size_t k = 0; k < sizeof codes / sizeof *codes; k++) {
    CASE(test_kind(codes[k], 0));
    CASE(test_kind(codes[k], codes[k]));
  }
  CASE(test_words());
  CASE(test_legs());
  CASE(test_mixed());
  CASE(test_slower());
  folder_start();
  refuse(ENOSYS, ENOSYS);
  leave_record(dead);
  for (int k = 0; k < ROUNDS; k++)
    CASE(race(dead, k % 4));
  folder_end();
  return check_finish(NULL);
}
